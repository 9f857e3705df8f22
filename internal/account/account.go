// Package account says who a request is from: people by a session in a cookie, programs by a token.
//
//   - account.go: Accounts, and signing in and out. password.go: argon2id.
//   - setup.go: addresses that sign in once, for the first visit and for who forgot the password.
//   - session.go: sessions, kept in the database by their hash, so that every process knows them.
//   - token.go: tokens for programs and passwords for reader apps.
//   - client.go: where a request came from, behind reverse proxies that are trusted.
//
// What somebody may see and do is for internal/web and internal/api: each route says what it needs.
package account

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/go-chi/httprate"

	"feedonce"
	"feedonce/internal/store"
)

// Options configure accounts.
type Options struct {
	Store *store.Store
	Log   *slog.Logger // default: nothing is logged
	// Secure says that pages are reached by https only, and the cookie is sent by nothing else.
	Secure bool
	// Path is where the pages are on their host; default "/".
	Path string
	// Proxies are reverse proxies: what their requests say of the client is believed.
	Proxies []netip.Prefix
	// Header names a header in which a trusted proxy says who signed in; "" is none.
	Header string
}

// Accounts knows who requests are from. It is safe for concurrent use.
type Accounts struct {
	Options
	sessions *scs.SessionManager
	attempts *httprate.RateLimiter // by address
	names    *httprate.RateLimiter
}

// Attempts to sign in: from one address, and for one name from anywhere. The second is high, as it also shuts out whose name it is.
const (
	maxAttempts, attemptsIn = 20, 10 * time.Minute
	maxForName, forNameIn   = 200, time.Hour
)

// New returns accounts over a store.
func New(o Options) *Accounts {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Path == "" {
		o.Path = "/"
	}
	return &Accounts{Options: o, sessions: newSessions(o),
		attempts: httprate.NewRateLimiter(maxAttempts, attemptsIn), names: httprate.NewRateLimiter(maxForName, forNameIn)}
}

var (
	// ErrWrong is returned where no user has this name with this password, or they may not sign in. It does not say which.
	ErrWrong = errors.New("name or password is wrong")
	// ErrTooMany is returned where there were too many attempts to sign in.
	ErrTooMany = errors.New("too many attempts to sign in; try again in ten minutes")
)

// Handler makes sessions known to what is behind it.
func (a *Accounts) Handler(next http.Handler) http.Handler {
	return a.sessions.LoadAndSave(next)
}

// User returns who a request is from, or ErrNotFound where it is nobody who is signed in. The request must have passed Handler.
func (a *Accounts) User(r *http.Request) (feedonce.User, error) {
	var u feedonce.User
	id := feedonce.UserID(a.sessions.GetInt64(r.Context(), keyUser))
	name := a.named(r)
	if id == 0 && name == "" {
		return u, feedonce.ErrNotFound
	}
	err := a.Store.View(r.Context(), func(tx *store.Tx) (err error) {
		if name != "" {
			u, err = tx.UserByName(name)
		} else {
			u, err = tx.User(id)
		}
		return err
	})
	if err == nil && !u.Disabled.IsZero() {
		err = feedonce.ErrNotFound
	}
	if err != nil {
		return feedonce.User{}, err
	}
	return u, nil
}

// named returns who signed in, as a trusted proxy says; "" where none does.
func (a *Accounts) named(r *http.Request) string {
	if a.Header == "" || !a.trusted(r.RemoteAddr) {
		return ""
	}
	return r.Header.Get(a.Header)
}

// SignIn signs a user in by name and password. The session gets another token, so that one that was known before is worth nothing.
// Errors are ErrWrong and ErrTooMany, and those of the store.
func (a *Accounts) SignIn(w http.ResponseWriter, r *http.Request, name, password string) (feedonce.User, error) {
	var u feedonce.User
	if a.attempts.OnLimit(w, r, httprate.CanonicalizeIP(a.Client(r))) || a.names.OnLimit(w, r, strings.ToLower(name)) {
		return u, ErrTooMany
	}
	err := a.Store.View(r.Context(), func(tx *store.Tx) (err error) {
		u, err = tx.UserByName(name)
		return err
	})
	if err != nil && !errors.Is(err, feedonce.ErrNotFound) {
		return u, err
	}
	known := err == nil && u.Password != "" && u.Disabled.IsZero()
	hash := u.Password
	if !known {
		hash = nobody() // so that it takes as long
	}
	right, err := checkPassword(r.Context(), hash, password)
	if err != nil {
		return u, err
	}
	if !right || !known {
		a.Log.Warn("somebody could not sign in", "name", name, "from", a.Client(r))
		return feedonce.User{}, ErrWrong
	}
	return u, a.Enter(r.Context(), u)
}

// Enter makes the session of a request one of a user.
func (a *Accounts) Enter(ctx context.Context, u feedonce.User) error {
	if err := a.sessions.RenewToken(ctx); err != nil {
		return err
	}
	a.sessions.Put(ctx, keyUser, int64(u.ID))
	a.sessions.Remove(ctx, keyLink)
	a.Log.Info("signed in", "user", u.Name)
	return a.Store.Update(ctx, func(tx *store.Tx) error { return tx.SetSeen(u.ID, time.Now()) })
}

// SignOut ends the session of a request.
func (a *Accounts) SignOut(ctx context.Context) error { return a.sessions.Destroy(ctx) }

// SetPassword stores a password, and ends all sessions but the one of the request, and what signs in once. *feedonce.InvalidError says why a password is
// none.
func (a *Accounts) SetPassword(ctx context.Context, id feedonce.UserID, password string) error {
	hash, err := HashPassword(ctx, password)
	if err != nil {
		return err
	}
	keep := a.Session(ctx)
	return a.Store.Update(ctx, func(tx *store.Tx) error {
		u, err := tx.User(id)
		if err != nil {
			return err
		}
		u.Password = hash
		if err := tx.SetUser(u); err != nil {
			return err
		}
		if err := tx.DropLinks(id); err != nil {
			return err
		}
		a.sessions.Remove(ctx, keyLink)
		return tx.DropSessions(id, keep)
	})
}

// Asks reports whether a user gives their password once more before something is done for which being signed in is not enough:
// not who has none, and not who came by an address that signs in once just now, as they may have forgotten it.
func (a *Accounts) Asks(ctx context.Context, u feedonce.User) bool {
	if u.Password == "" {
		return false
	}
	came := time.Unix(a.sessions.GetInt64(ctx, keyLink), 0)
	return time.Since(came) > linkTrust
}

// Confirm returns ErrWrong where a password that is asked for (see Asks) is not the user's, and ErrTooMany where that was tried
// too often.
func (a *Accounts) Confirm(w http.ResponseWriter, r *http.Request, u feedonce.User, password string) error {
	if !a.Asks(r.Context(), u) {
		return nil
	}
	if a.attempts.OnLimit(w, r, fmt.Sprint("user ", u.ID)) {
		return ErrTooMany
	}
	right, err := checkPassword(r.Context(), u.Password, password)
	if err == nil && !right {
		a.Log.Warn("somebody who is signed in gave a wrong password", "user", u.Name, "from", a.Client(r))
		err = ErrWrong
	}
	return err
}
