package amend

import (
	"context"
	"errors"

	"feedonce"
	"feedonce/internal/store"
)

var errNotYet = errors.New("not yet")

// Split says that a decision was wrong which took an arrival for a known article: that of a duplicate becomes an entry of
// its own, and that of an update gets its former version back, and the new one becomes an entry of its own. The result's
// B is the new entry, and its Note a sentence for the person.
//
// ErrNotFound where there is no such decision, *feedonce.InvalidError where it took nothing for something else,
// feedonce.ErrExists where the two were split already.
func Split(ctx context.Context, s *store.Store, decision int64, by By) (store.Amendment, error) {
	return store.Amendment{}, errNotYet
}

// Merge says that two entries are the same article. Of entries of one feed the younger becomes part of the older, A;
// entries of two feeds become one story. *feedonce.InvalidError where they are one already.
func Merge(ctx context.Context, s *store.Store, a, b feedonce.EntryID, by By) (store.Amendment, error) {
	return store.Amendment{}, errNotYet
}

// Leave takes an entry out of its story. ErrNotFound where it is in none.
func Leave(ctx context.Context, s *store.Store, entry feedonce.EntryID, by By) (store.Amendment, error) {
	return store.Amendment{}, errNotYet
}

// Undo takes back a split, a merge or a Leave, exactly; 0 is the latest that holds. ErrNotFound where there is none,
// *feedonce.InvalidError where it is undone already or cannot be.
func Undo(ctx context.Context, s *store.Store, amendment int64, by By) (store.Amendment, error) {
	return store.Amendment{}, errNotYet
}
