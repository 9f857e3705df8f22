package amend

import (
	"context"
	"fmt"

	"feedonce"
	"feedonce/internal/store"
)

// Different says that two articles of one feed, which stand apart already, are two: no rule takes one for the other from then
// on. Nothing that is shown or told changes; Doubt takes it back. *feedonce.InvalidError where they are one, or of two feeds;
// feedonce.ErrExists where it was said before.
func Different(ctx context.Context, s *store.Store, a, b feedonce.EntryID, by By) error {
	if a == b {
		return invalid("entries", "must be two, not %d twice", a)
	}
	return s.Update(ctx, func(tx *store.Tx) error {
		wa, err := live(tx, a)
		if err != nil {
			return err
		}
		wb, err := live(tx, b)
		if err != nil {
			return err
		}
		if wa.Feed != wb.Feed {
			return invalid("entries", "must be of one feed, and %d and %d are not: articles of two feeds are never folded", a, b)
		}
		if _, err := hold(tx, wa.Feed, false); err != nil {
			return err
		}
		switch said, err := verdictOn(tx, a, b); {
		case err != nil:
			return err
		case said != nil && !said.Same:
			return fmt.Errorf("verdict on entries %d and %d: %w", a, b, feedonce.ErrExists)
		}
		return tx.SetVerdict(store.Verdict{A: a, B: b, At: by.At, Who: by.Who, Rule: "N"})
	})
}

// Doubt takes back what Different said, so that evidence decides again. ErrNotFound where nobody said it,
// *feedonce.InvalidError where it was said by a split, which Undo takes back.
func Doubt(ctx context.Context, s *store.Store, a, b feedonce.EntryID) error {
	return s.Update(ctx, func(tx *store.Tx) error {
		e, err := tx.Entry(a)
		if err != nil {
			return err
		}
		if _, err := hold(tx, e.Feed, false); err != nil {
			return err
		}
		said, err := verdictOn(tx, a, b)
		if err != nil {
			return err
		}
		if said == nil || said.Same {
			return fmt.Errorf("that entries %d and %d differ: %w", a, b, feedonce.ErrNotFound)
		}
		split, err := tx.Amendments(store.AmendmentFilter{Entry: b, Kinds: []store.AmendmentKind{store.AmendSplit}, Holds: true, Limit: 1 << 10})
		if err != nil {
			return err
		}
		for _, am := range split {
			if min(am.A, am.B) == min(a, b) && max(am.A, am.B) == max(a, b) {
				return invalid("entries", "%d and %d were split by change %d: undo that", a, b, am.ID)
			}
		}
		return tx.DropVerdict(a, b)
	})
}
