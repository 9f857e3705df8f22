package outfeed

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"strings"
	"unicode/utf8"

	"feedonce"
	"feedonce/internal/secret"
	"feedonce/internal/store"
)

// newToken returns the secret part of an address, which has 130 random bits, and its hash, by which the output is found: the
// time that a look-up takes says nothing of the tokens there are.
func newToken() (token string, hash [32]byte) {
	token = strings.ToLower(rand.Text())
	return token, sha256.Sum256([]byte(token))
}

// about is what the token of an output is sealed as.
const about = "token of an output"

// Address returns the address of an output, which box opens. base is where people open the pages.
func Address(base string, o feedonce.Output, form Form, box *secret.Box) (string, error) {
	token, err := box.Open(o.Token, about)
	if err != nil {
		return "", fmt.Errorf("the address of output %q cannot be opened: %w, or renew the address", o.Name, err)
	}
	return strings.TrimSuffix(base, "/") + Prefix + string(token) + "/" + string(form), nil
}

// Add adds an output under a new address. Its errors are *feedonce.InvalidError for what a person can put right, and
// feedonce.ErrNotFound for a feed that is not there.
func Add(ctx context.Context, s *store.Store, box *secret.Box, o feedonce.Output) (feedonce.Output, error) {
	o.Name = strings.TrimSpace(o.Name)
	if err := Validate(o); err != nil {
		return o, err
	}
	err := s.Update(ctx, func(tx *store.Tx) (err error) {
		if o.Selection.Feed != 0 {
			if _, err := tx.Feed(o.Selection.Feed); err != nil {
				return err
			}
		}
		o, err = add(tx, box, o)
		return err
	})
	return o, err
}

func add(tx *store.Tx, box *secret.Box, o feedonce.Output) (_ feedonce.Output, err error) {
	token, hash := newToken()
	if o.Token, err = box.Seal([]byte(token), about); err != nil {
		return o, err
	}
	o.ID, err = tx.AddOutput(o, hash)
	return o, err
}

// Change stores an output's name and what it has; its addresses stay, and so do the identities of its entries. Errors are as in
// Add.
func Change(ctx context.Context, s *store.Store, o feedonce.Output) error {
	o.Name = strings.TrimSpace(o.Name)
	if err := Validate(o); err != nil {
		return err
	}
	return s.Update(ctx, func(tx *store.Tx) error {
		if o.Selection.Feed != 0 {
			if _, err := tx.Feed(o.Selection.Feed); err != nil {
				return err
			}
		}
		return tx.SetOutput(o)
	})
}

// Renew gives an output another address; the one that it had leads nowhere any more.
func Renew(ctx context.Context, s *store.Store, box *secret.Box, id feedonce.OutputID) (o feedonce.Output, err error) {
	token, hash := newToken()
	sealed, err := box.Seal([]byte(token), about)
	if err != nil {
		return o, err
	}
	err = s.Update(ctx, func(tx *store.Tx) (err error) {
		if err := tx.SetOutputToken(id, sealed, hash); err != nil {
			return err
		}
		o, err = tx.Output(id)
		return err
	})
	return o, err
}

// Validate checks an output's name and selection; its errors are *feedonce.InvalidError.
func Validate(o feedonce.Output) error {
	invalid := func(field, reason string) error { return &feedonce.InvalidError{Field: field, Reason: reason} }
	sel := o.Selection
	switch name := strings.TrimSpace(o.Name); {
	case name == "" || len(name) > maxName || !utf8.ValidString(name) || clean(name) != name || strings.ContainsAny(name, "\n\t"):
		return invalid("name", fmt.Sprintf("must be a name of at most %d bytes, in one line", maxName))
	case sel.Scope != feedonce.ScopeStory && sel.Scope != feedonce.ScopeFeed:
		return invalid("scope", fmt.Sprintf(`must be "feed" or nothing, not %q`, sel.Scope))
	case sel.Limit < 0 || sel.Limit > maxPageSize:
		return invalid("limit", fmt.Sprintf("must be from 1 to %d entries a page, or nothing, not %d", maxPageSize, sel.Limit))
	case sel.Feed < 0:
		return invalid("feed", fmt.Sprintf("must be the number of a feed, not %d", sel.Feed))
	case sel.Feed != 0 && sel.Folder != "":
		return invalid("folder", "cannot be named together with a feed")
	case sel.Search != "" && (strings.TrimSpace(sel.Search) == "" || len(sel.Search) > 500 || len(strings.Fields(sel.Search)) > maxWords || !utf8.ValidString(sel.Search)):
		return invalid("search", fmt.Sprintf("must be one to %d words, in at most 500 bytes", maxWords))
	case sel.Once && (sel.Feed == 0 || sel.Search != "" || sel.Scope != feedonce.ScopeStory):
		return invalid("once", "is for an output of all articles of one feed, with each story once")
	}
	return nil
}

// maxWords is how many words a search has: each is looked for in every text.
const maxWords = 10
