package account

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"time"

	"github.com/alexedwards/scs/v2"

	"feedonce"
	"feedonce/internal/store"
)

const (
	keyUser = "user"
	// keyLink is when the session began by an address that signs in once, in Unix time.
	keyLink = "link"
	// linkTrust is how long whoever came by one need not know the password.
	linkTrust = time.Hour
	// lifetime is how long somebody stays signed in.
	lifetime = 60 * 24 * time.Hour
	// CookieName is the cookie of a session.
	CookieName = "feedonce_session"
)

// newSessions makes a manager without scs.New, which starts a goroutine for a store that is not used.
func newSessions(o Options) *scs.SessionManager {
	codec := scs.GobCodec{}
	return &scs.SessionManager{
		Lifetime: lifetime, HashTokenInStore: true, Codec: codec, Store: sessionStore{store: o.Store, codec: codec},
		Cookie: scs.SessionCookie{Name: CookieName, Path: o.Path, Secure: o.Secure, HttpOnly: true, SameSite: http.SameSiteLaxMode, Persist: true},
		ErrorFunc: func(w http.ResponseWriter, r *http.Request, err error) {
			o.Log.Error("sessions cannot be read or written", "error", err)
			http.Error(w, "Who you are cannot be found out just now. The log of the server says why.", http.StatusInternalServerError)
		},
	}
}

// sessionStore keeps scs's sessions in the database. Nothing is written for a request that changes nothing of its session.
type sessionStore struct {
	store *store.Store
	codec scs.Codec
}

var _ scs.CtxStore = sessionStore{}

func (s sessionStore) FindCtx(ctx context.Context, token string) (data []byte, ok bool, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) (err error) {
		data, err = tx.SessionData(token, time.Now())
		return err
	})
	if errors.Is(err, feedonce.ErrNotFound) {
		return nil, false, nil
	}
	return data, err == nil, err
}

func (s sessionStore) CommitCtx(ctx context.Context, token string, data []byte, expires time.Time) error {
	_, values, err := s.codec.Decode(data)
	if err != nil {
		return err
	}
	user, _ := values[keyUser].(int64)
	return s.store.Update(ctx, func(tx *store.Tx) error {
		return tx.PutSession(token, feedonce.UserID(user), data, time.Now(), expires)
	})
}

func (s sessionStore) DeleteCtx(ctx context.Context, token string) error {
	return s.store.Update(ctx, func(tx *store.Tx) error { return tx.DropSession(token) })
}

// These are never called: scs prefers those with a context.
func (s sessionStore) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}
func (s sessionStore) Commit(token string, data []byte, expires time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expires)
}
func (s sessionStore) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }

// Session returns the hash by which the session of a request is stored; "" where it has none.
func (a *Accounts) Session(ctx context.Context) string {
	token := a.sessions.Token(ctx)
	if token == "" {
		return ""
	}
	hash := sha256.Sum256([]byte(token)) // as scs does with HashTokenInStore
	return base64.RawURLEncoding.EncodeToString(hash[:])
}
