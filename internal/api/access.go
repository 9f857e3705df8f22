package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"feedonce"
)

// Who may call what. Every operation needs a token, and one that may write wherever it is not GET. What an operation is about
// is everybody's, so that only administrators use it, unless it is personal: then it is about the token's user and nobody else.

type userKey struct{}

// caller returns whose token a request has.
func caller(ctx context.Context) feedonce.User {
	u, _ := ctx.Value(userKey{}).(feedonce.User)
	return u
}

type tokenKey struct{}

// tokenOf returns the token of a request.
func tokenOf(ctx context.Context) feedonce.Token {
	t, _ := ctx.Value(tokenKey{}).(feedonce.Token)
	return t
}

// security names the ways in which a request says whose it is, as the document does.
var security = []map[string][]string{{"token": {}}, {"app": {}}}

var securitySchemes = map[string]*huma.SecurityScheme{
	"token": {Type: "http", Scheme: "bearer", Description: "A token, as made on the account page or by “feedonce token add”."},
	"app":   {Type: "http", Scheme: "basic", Description: "A user's name with an app password, as made on the account page."},
}

// allow answers requests for an operation that have no token, or one that may not.
func (s *server) allow(op operation) func(huma.Context, func(huma.Context)) {
	return func(hc huma.Context, next func(huma.Context)) {
		r, w := humago.Unwrap(hc)
		u, t, err := s.program(r)
		switch {
		case errors.Is(err, feedonce.ErrNotFound):
			w.Header().Set("WWW-Authenticate", `Bearer realm="feedonce"`)
			writeProblem(w, http.StatusUnauthorized, "This needs a token: send “Authorization: Bearer TOKEN”. Tokens are made on the account page, or by “feedonce token add”.")
			return
		case err != nil:
			s.Log.Error("whose token it is cannot be found out", "operation", op.id, "error", err)
			writeProblem(w, http.StatusInternalServerError, "Something went wrong, and nothing was lost. The log of the server says what.")
			return
		case op.method != http.MethodGet && !t.Write:
			writeProblem(w, http.StatusForbidden, "This token only reads. Make one that may write.")
			return
		case !op.personal && !u.Admin():
			writeProblem(w, http.StatusForbidden, "This is for administrators. Tokens of readers are for what is under "+Prefix+"me.")
			return
		}
		next(huma.WithValue(huma.WithValue(hc, userKey{}, u), tokenKey{}, t))
	}
}

// program returns whose program a request is from; without accounts it is nobody's.
func (s *server) program(r *http.Request) (feedonce.User, feedonce.Token, error) {
	if s.Accounts == nil {
		return feedonce.User{}, feedonce.Token{}, feedonce.ErrNotFound
	}
	return s.Accounts.Program(r)
}

// stillAllowed reports whether the token of a request that goes on and on, for administrators, is one still.
func (s *server) stillAllowed(r *http.Request) bool {
	u, _, err := s.program(r)
	return err == nil && u.Admin()
}
