package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"time"

	"feedonce"
	"feedonce/internal/store"
)

// linkLife is how long an address that signs in once can be used.
const linkLife = 24 * time.Hour

// SetUpPath and LinkPath begin the addresses that sign in once; the secret follows.
const (
	SetUpPath = "/setup/"
	LinkPath  = "/signin/"
)

// NewSecret returns a secret that nobody guesses (128 bits or more), and what is stored of it.
func NewSecret() (secret string, hash [32]byte) {
	secret = rand.Text()
	return secret, Hash(secret)
}

// Hash returns what is stored of a secret. As it is random and long, a fast hash serves.
func Hash(secret string) [32]byte { return sha256.Sum256([]byte(secret)) }

// SetUpLink returns the path of an address by which the first user is made, or "" where there are users. It replaces none of
// those before: several processes may each have shown one.
func SetUpLink(ctx context.Context, s *store.Store) (path string, err error) {
	err = s.Update(ctx, func(tx *store.Tx) error {
		path = ""
		if some, err := tx.AnyUser(); err != nil || some {
			return err
		}
		secret, hash := NewSecret()
		path = SetUpPath + secret
		return tx.PutLink(hash, 0, time.Now().Add(linkLife))
	})
	return path, err
}

// SignInLink returns the path of an address that signs a user in once.
func SignInLink(ctx context.Context, s *store.Store, user feedonce.UserID) (string, error) {
	secret, hash := NewSecret()
	err := s.Update(ctx, func(tx *store.Tx) error { return tx.PutLink(hash, user, time.Now().Add(linkLife)) })
	return LinkPath + secret, err
}

// ErrLink is returned for an address that does not sign in: it was used, it is more than a day old, or it never did.
var ErrLink = errors.New("this address was used already, is more than a day old, or was not copied whole")

// Link returns whose address it is: 0 where it is one to set up. ErrLink where it is none.
func (a *Accounts) Link(ctx context.Context, secret string) (who feedonce.UserID, err error) {
	err = a.Store.View(ctx, func(tx *store.Tx) (err error) {
		if who, err = tx.Link(Hash(secret), time.Now()); err != nil || who != 0 {
			return err
		}
		some, err := tx.AnyUser()
		if err == nil && some {
			err = feedonce.ErrNotFound // set up already
		}
		return err
	})
	if errors.Is(err, feedonce.ErrNotFound) {
		err = ErrLink
	}
	return who, err
}

// SetUp makes the first user, an administrator who follows all feeds that are there, and signs them in. ErrLink where the
// address is none, *feedonce.InvalidError where name or password is none.
func (a *Accounts) SetUp(ctx context.Context, secret, name, password string) (feedonce.User, error) {
	hash, err := HashPassword(ctx, password)
	if err != nil {
		return feedonce.User{}, err
	}
	var u feedonce.User
	err = a.Store.Update(ctx, func(tx *store.Tx) (err error) {
		if err := tx.UseLink(Hash(secret)); err != nil {
			return err
		}
		if some, err := tx.AnyUser(); err != nil {
			return err
		} else if some {
			return feedonce.ErrNotFound
		}
		u, err = First(tx, name, hash)
		return err
	})
	if errors.Is(err, feedonce.ErrNotFound) {
		err = ErrLink
	}
	if err != nil {
		return u, err
	}
	return u, a.Enter(ctx, u)
}

// First makes an administrator who follows all feeds that are there, in their folders.
func First(tx *store.Tx, name, hash string) (feedonce.User, error) {
	now := time.Now()
	u, err := tx.AddUser(feedonce.User{Name: name, Role: feedonce.RoleAdmin, Password: hash, Created: now})
	if err != nil {
		return u, err
	}
	feeds, err := tx.Feeds()
	if err != nil {
		return u, err
	}
	for _, f := range feeds {
		if err := tx.Follow(feedonce.Subscription{User: u.ID, Feed: f.ID, Folder: f.Folder, Added: now}); err != nil {
			return u, err
		}
	}
	return u, nil
}

// UseLink signs the user in whose address it is. ErrLink where it is none, or they may not sign in.
func (a *Accounts) UseLink(ctx context.Context, secret string) (feedonce.User, error) {
	var u feedonce.User
	err := a.Store.Update(ctx, func(tx *store.Tx) error {
		who, err := tx.Link(Hash(secret), time.Now())
		if err != nil {
			return err
		}
		if u, err = tx.User(who); err != nil {
			return err
		}
		if !u.Disabled.IsZero() {
			return feedonce.ErrNotFound
		}
		return tx.UseLink(Hash(secret))
	})
	if errors.Is(err, feedonce.ErrNotFound) {
		err = ErrLink
	}
	if err != nil {
		return u, err
	}
	if err := a.Enter(ctx, u); err != nil {
		return u, err
	}
	a.sessions.Put(ctx, keyLink, time.Now().Unix())
	return u, nil
}

// Forbid forbids a user to sign in, and ends their sessions and what signs them in once; or allows it again. Their tokens open
// nothing as long as it is forbidden. The last administrator stays one: an *feedonce.InvalidError says so.
func Forbid(tx *store.Tx, u feedonce.User, forbid bool, now time.Time) error {
	if !forbid {
		u.Disabled = time.Time{}
		return tx.SetUser(u)
	}
	if u.Disabled.IsZero() {
		u.Disabled = now
	}
	if err := tx.SetUser(u); err != nil {
		return err
	}
	if err := tx.DropLinks(u.ID); err != nil {
		return err
	}
	return tx.DropSessions(u.ID, "")
}
