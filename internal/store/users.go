package store

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"feedonce"
	"feedonce/internal/sqldb"
)

// People. What signing in means is for internal/account.

const userColumns = `id, name, role, password, settings, created_at, disabled_at, seen_at`

func scanUser(row sqldb.Scanner) (feedonce.User, error) {
	var u feedonce.User
	var settings string
	err := row.Scan(&u.ID, &u.Name, &u.Role, &u.Password, &settings, at(&u.Created), at(&u.Disabled), at(&u.Seen))
	if err == nil && settings != "" {
		err = json.Unmarshal([]byte(settings), &u.Settings)
	}
	return u, err
}

// maxUserName is the longest name of a user, in characters.
const maxUserName = 60

// userKey returns what a user is found by, or an *feedonce.InvalidError that says why a name is none.
func userKey(name string) (string, error) {
	bad := func(reason string) (string, error) {
		return "", &feedonce.InvalidError{Field: "the name", Reason: reason}
	}
	switch {
	case strings.TrimSpace(name) == "":
		return bad("must not be empty")
	case name != strings.TrimSpace(name):
		return bad("must not begin or end with a space")
	case utf8.RuneCountInString(name) > maxUserName:
		return bad(fmt.Sprintf("must have at most %d characters", maxUserName))
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == ':' }):
		return bad("must be letters, digits, spaces and signs that can be seen, without a colon")
	}
	return strings.ToLower(name), nil
}

// AddUser adds a user, and returns it with its number. ErrExists where the name is taken, in whatever case.
func (tx *Tx) AddUser(u feedonce.User) (feedonce.User, error) {
	key, err := userKey(u.Name)
	if err != nil {
		return u, err
	}
	if u.Role != feedonce.RoleAdmin && u.Role != feedonce.RoleReader {
		return u, &feedonce.InvalidError{Field: "the role", Reason: fmt.Sprintf("must be admin or reader, not %q", u.Role)}
	}
	ids, err := tx.newIDs("users", 1)
	if err != nil {
		return u, fmt.Errorf("add user %s: %w", u.Name, err)
	}
	u.ID = feedonce.UserID(ids[0])
	n, err := tx.Exec(`insert into users (id, name, name_key, role, password, created_at) values ($1, $2, $3, $4, $5, $6)
		on conflict (name_key) do nothing`, u.ID, u.Name, key, string(u.Role), u.Password, u.Created.UnixMicro())
	if err != nil {
		return u, fmt.Errorf("add user %s: %w", u.Name, err)
	}
	if n == 0 {
		return u, fmt.Errorf("user %s: %w", u.Name, feedonce.ErrExists)
	}
	return u, nil
}

// User returns a user, or ErrNotFound.
func (tx *Tx) User(id feedonce.UserID) (feedonce.User, error) {
	u, err := scanUser(tx.QueryRow(`select `+userColumns+` from users where id = $1`, id))
	return u, found(err, "user %d", id)
}

// UserByName returns the user of a name, in whatever case, or ErrNotFound.
func (tx *Tx) UserByName(name string) (feedonce.User, error) {
	u, err := scanUser(tx.QueryRow(`select `+userColumns+` from users where name_key = $1`, strings.ToLower(sqldb.Clean(name))))
	return u, found(err, "user %s", name)
}

// Users returns all users, in the order in which they were added.
func (tx *Tx) Users() ([]feedonce.User, error) {
	users, err := sqldb.All(tx.Tx, scanUser, `select `+userColumns+` from users order by id`)
	if err != nil {
		return nil, fmt.Errorf("users: %w", err)
	}
	return users, nil
}

// AnyUser reports whether there is a user.
func (tx *Tx) AnyUser() (bool, error) {
	var n int64
	if err := tx.QueryRow(`select count(*) from (select id from users limit 1) u`).Scan(&n); err != nil {
		return false, fmt.Errorf("users: %w", err)
	}
	return n > 0, nil
}

// SetUser stores a user's role, password, settings, and whether signing in is forbidden, or returns ErrNotFound. The last
// admin who may sign in stays one: an *feedonce.InvalidError says so.
func (tx *Tx) SetUser(u feedonce.User) error {
	settings, err := json.Marshal(u.Settings)
	if err != nil {
		return err
	}
	if string(settings) == "{}" {
		settings = nil
	}
	if err := tx.lockUsers(); err != nil {
		return err
	}
	n, err := tx.Exec(`update users set role = $2, password = $3, settings = $4, disabled_at = $5 where id = $1`,
		u.ID, string(u.Role), u.Password, string(settings), micros(u.Disabled))
	if err == nil && n == 0 {
		err = feedonce.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("user %d: %w", u.ID, err)
	}
	return tx.someAdmin()
}

// RemoveUser removes a user with their subscriptions, what they read, sessions and tokens, or returns ErrNotFound. Feeds
// stay, and the last admin stays.
func (tx *Tx) RemoveUser(id feedonce.UserID) error {
	if err := tx.lockUsers(); err != nil {
		return err
	}
	n, err := tx.Exec(`delete from users where id = $1`, id)
	if err == nil && n == 0 {
		err = feedonce.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("remove user %d: %w", id, err)
	}
	return tx.someAdmin()
}

// lockUsers lets one transaction at a time take an admin away.
func (tx *Tx) lockUsers() error {
	if tx.Dialect() != sqldb.PostgreSQL {
		return nil
	}
	_, err := tx.Exec(`lock table users in share row exclusive mode`)
	return err
}

func (tx *Tx) someAdmin() error {
	var n int64
	if err := tx.QueryRow(`select count(*) from users where role = 'admin' and disabled_at is null`).Scan(&n); err != nil {
		return fmt.Errorf("users: %w", err)
	}
	if n == 0 {
		return &feedonce.InvalidError{Field: "the last administrator", Reason: "must stay one and be able to sign in; make somebody else an administrator first"}
	}
	return nil
}

// SetSeen stores when a user signed in.
func (tx *Tx) SetSeen(id feedonce.UserID, now time.Time) error {
	if _, err := tx.Exec(`update users set seen_at = $2 where id = $1`, id, now.UnixMicro()); err != nil {
		return fmt.Errorf("user %d: %w", id, err)
	}
	return nil
}
