package account

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"feedonce"
	"feedonce/internal/store"
)

// tokenPrefix begins tokens, so that whoever finds one in a file knows what it is of.
const tokenPrefix = "fo_"

// NewToken makes a token for a user, and returns its secret, which is not shown again.
func NewToken(tx *store.Tx, t feedonce.Token) (feedonce.Token, string, error) {
	t.Name = strings.TrimSpace(t.Name)
	switch {
	case t.Name == "" || utf8.RuneCountInString(t.Name) > 100:
		return t, "", &feedonce.InvalidError{Field: "the name", Reason: "must say what the token is for, in at most 100 characters"}
	case t.Kind != feedonce.TokenAPI && t.Kind != feedonce.TokenApp:
		return t, "", &feedonce.InvalidError{Field: "the kind", Reason: "must be token or app"}
	}
	secret, _ := NewSecret()
	if t.Kind == feedonce.TokenAPI {
		secret = tokenPrefix + secret
	}
	t, err := tx.AddToken(t, Hash(secret))
	return t, secret, err
}

// usedEvery is how exactly it is noted when a token was used.
const usedEvery = time.Hour

// Program returns whose program a request is from, and whether it may change things: by "Authorization: Bearer TOKEN", or by
// Basic with the user's name and an app password. ErrNotFound where there is neither, or it is wrong.
func (a *Accounts) Program(r *http.Request) (feedonce.User, feedonce.Token, error) {
	name, secret, basic := r.BasicAuth()
	if !basic {
		kind, rest, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(kind, "Bearer") {
			return feedonce.User{}, feedonce.Token{}, feedonce.ErrNotFound
		}
		secret = strings.TrimSpace(rest)
	}
	var u feedonce.User
	var t feedonce.Token
	ctx := r.Context()
	err := a.Store.View(ctx, func(tx *store.Tx) (err error) {
		t, u, err = tx.TokenByHash(Hash(secret))
		return err
	})
	if err == nil && ((t.Kind == feedonce.TokenApp) != basic || basic && !strings.EqualFold(name, u.Name)) {
		err = feedonce.ErrNotFound
	}
	if err != nil {
		return feedonce.User{}, feedonce.Token{}, err
	}
	if now := time.Now(); now.Sub(t.Used) > usedEvery {
		// Not worth refusing the request over.
		if err := a.Store.Update(ctx, func(tx *store.Tx) error { return tx.UsedToken(t.ID, now) }); err != nil && !errors.Is(err, context.Canceled) {
			a.Log.Warn("cannot note that a token was used", "error", err)
		}
	}
	return u, t, nil
}
