package store

import (
	"fmt"
	"time"

	"feedonce"
	"feedonce/internal/sqldb"
)

// Sessions, one-time links and tokens: by what a request is known to be somebody's. Only hashes are stored.

// A Session is a browser that is signed in.
type Session struct {
	Hash    string // of the cookie's value
	User    feedonce.UserID
	Created time.Time
	Expires time.Time
}

// SessionData returns what a session holds, or ErrNotFound where it is not there, or is over.
func (tx *Tx) SessionData(hash string, now time.Time) ([]byte, error) {
	var data []byte
	err := tx.QueryRow(`select data from sessions where token_hash = $1 and expires_at > $2`, hash, now.UnixMicro()).Scan(&data)
	return data, found(err, "session")
}

// PutSession stores a session; user 0 is nobody.
func (tx *Tx) PutSession(hash string, user feedonce.UserID, data []byte, now, expires time.Time) error {
	var who any
	if user != 0 {
		who = int64(user)
	}
	if _, err := tx.Exec(`insert into sessions (token_hash, user_id, data, created_at, expires_at) values ($1, $2, $3, $4, $5)
		on conflict (token_hash) do update set user_id = excluded.user_id, data = excluded.data, expires_at = excluded.expires_at`,
		hash, who, data, now.UnixMicro(), expires.UnixMicro()); err != nil {
		return fmt.Errorf("store session: %w", err)
	}
	return nil
}

// DropSession removes a session; one that is not there is gone already.
func (tx *Tx) DropSession(hash string) error {
	if _, err := tx.Exec(`delete from sessions where token_hash = $1`, hash); err != nil {
		return fmt.Errorf("remove session: %w", err)
	}
	return nil
}

// DropSessionOf removes a session of a user, or returns ErrNotFound where they have no such session.
func (tx *Tx) DropSessionOf(user feedonce.UserID, hash string) error {
	n, err := tx.Exec(`delete from sessions where user_id = $1 and token_hash = $2`, user, hash)
	if err == nil && n == 0 {
		err = feedonce.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("remove session of user %d: %w", user, err)
	}
	return nil
}

// DropSessions removes the sessions of a user but the one that is kept ("": none).
func (tx *Tx) DropSessions(user feedonce.UserID, keep string) error {
	if _, err := tx.Exec(`delete from sessions where user_id = $1 and token_hash <> $2`, user, keep); err != nil {
		return fmt.Errorf("remove sessions of user %d: %w", user, err)
	}
	return nil
}

// Sessions returns the sessions of a user, the latest first.
func (tx *Tx) Sessions(user feedonce.UserID, now time.Time) ([]Session, error) {
	all, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (Session, error) {
		s := Session{User: user}
		err := row.Scan(&s.Hash, at(&s.Created), at(&s.Expires))
		return s, err
	}, `select token_hash, created_at, expires_at from sessions where user_id = $1 and expires_at > $2 order by created_at desc, token_hash`,
		user, now.UnixMicro())
	if err != nil {
		return nil, fmt.Errorf("sessions of user %d: %w", user, err)
	}
	return all, nil
}

// SweepAccounts removes sessions and links that are over.
func (tx *Tx) SweepAccounts(now time.Time) error {
	for _, table := range []string{"sessions", "links"} {
		if _, err := tx.Exec(`delete from `+table+` where expires_at <= $1`, now.UnixMicro()); err != nil {
			return fmt.Errorf("sweep %s: %w", table, err)
		}
	}
	return nil
}

// PutLink stores the hash of an address that signs a user in once; user 0 sets up.
func (tx *Tx) PutLink(hash [32]byte, user feedonce.UserID, expires time.Time) error {
	var who any
	if user != 0 {
		who = int64(user)
	}
	if _, err := tx.Exec(`insert into links (hash, user_id, expires_at) values ($1, $2, $3)`, hash[:], who, expires.UnixMicro()); err != nil {
		return fmt.Errorf("store link: %w", err)
	}
	return nil
}

// Link returns whose link it is, 0 for one to set up, or ErrNotFound where it is none, used, or over.
func (tx *Tx) Link(hash [32]byte, now time.Time) (feedonce.UserID, error) {
	var who feedonce.UserID
	err := tx.QueryRow(`select coalesce(user_id, 0) from links where hash = $1 and expires_at > $2`, hash[:], now.UnixMicro()).Scan(&who)
	return who, found(err, "link")
}

// UseLink removes a link, or returns ErrNotFound where somebody else was faster.
func (tx *Tx) UseLink(hash [32]byte) error {
	n, err := tx.Exec(`delete from links where hash = $1`, hash[:])
	if err == nil && n == 0 {
		err = feedonce.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("link: %w", err)
	}
	return nil
}

// DropLinks removes the addresses that sign a user in once.
func (tx *Tx) DropLinks(user feedonce.UserID) error {
	if _, err := tx.Exec(`delete from links where user_id = $1`, user); err != nil {
		return fmt.Errorf("links of user %d: %w", user, err)
	}
	return nil
}

const tokenColumns = `id, user_id, kind, name, writes, created_at, used_at`

func scanToken(row sqldb.Scanner) (feedonce.Token, error) {
	var t feedonce.Token
	err := row.Scan(&t.ID, &t.User, &t.Kind, &t.Name, flag{&t.Write}, at(&t.Created), at(&t.Used))
	return t, err
}

// AddToken stores a token by the hash of its secret.
func (tx *Tx) AddToken(t feedonce.Token, hash [32]byte) (feedonce.Token, error) {
	ids, err := tx.newIDs("tokens", 1)
	if err != nil {
		return t, fmt.Errorf("add token: %w", err)
	}
	t.ID = feedonce.TokenID(ids[0])
	if _, err := tx.Exec(`insert into tokens (id, user_id, kind, name, writes, hash, created_at) values ($1, $2, $3, $4, $5, $6, $7)`,
		t.ID, t.User, string(t.Kind), t.Name, t.Write, hash[:], t.Created.UnixMicro()); err != nil {
		return t, fmt.Errorf("add token: %w", err)
	}
	return t, nil
}

// Tokens returns the tokens of a user, in the order in which they were made.
func (tx *Tx) Tokens(user feedonce.UserID) ([]feedonce.Token, error) {
	all, err := sqldb.All(tx.Tx, scanToken, `select `+tokenColumns+` from tokens where user_id = $1 order by id`, user)
	if err != nil {
		return nil, fmt.Errorf("tokens of user %d: %w", user, err)
	}
	return all, nil
}

// TokenByHash returns a token and its user, who may sign in, or ErrNotFound.
func (tx *Tx) TokenByHash(hash [32]byte) (feedonce.Token, feedonce.User, error) {
	t, err := scanToken(tx.QueryRow(`select `+tokenColumns+` from tokens where hash = $1`, hash[:]))
	if err != nil {
		return t, feedonce.User{}, found(err, "token")
	}
	u, err := tx.User(t.User)
	if err == nil && !u.Disabled.IsZero() {
		err = fmt.Errorf("token of user %d, who may not sign in: %w", u.ID, feedonce.ErrNotFound)
	}
	return t, u, err
}

// UsedToken stores when a token was used.
func (tx *Tx) UsedToken(id feedonce.TokenID, now time.Time) error {
	if _, err := tx.Exec(`update tokens set used_at = $2 where id = $1`, id, now.UnixMicro()); err != nil {
		return fmt.Errorf("token %d: %w", id, err)
	}
	return nil
}

// DropToken removes a token of a user, or returns ErrNotFound where they have no such token.
func (tx *Tx) DropToken(user feedonce.UserID, id feedonce.TokenID) error {
	n, err := tx.Exec(`delete from tokens where id = $1 and user_id = $2`, id, user)
	if err == nil && n == 0 {
		err = feedonce.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("token %d: %w", id, err)
	}
	return nil
}
