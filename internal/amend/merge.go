package amend

import (
	"context"
	"fmt"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/outbox"
	"feedonce/internal/store"
)

// Merge says that two entries are the same article. Of entries of one feed the younger becomes part of the older, which
// is A of the result: what it is known by, its versions and decisions are the older one's from then on, and the newer text
// of the two is what is shown. Entries of two feeds become one story. *feedonce.InvalidError where they are one already.
func Merge(ctx context.Context, s *store.Store, a, b feedonce.EntryID, by By) (store.Amendment, error) {
	if a == b {
		return store.Amendment{}, invalid("entries", "must be two, not %d twice", a)
	}
	a, b = min(a, b), max(a, b)
	return update(ctx, s, func(tx *store.Tx) (store.Amendment, error) {
		am, err := merge(tx, a, b, by)
		if err != nil {
			return am, fmt.Errorf("merge entries %d and %d: %w", a, b, err)
		}
		return am, nil
	})
}

func merge(tx *store.Tx, a, b feedonce.EntryID, by By) (am store.Amendment, err error) {
	wa, err := live(tx, a)
	if err != nil {
		return am, err
	}
	wb, err := live(tx, b)
	if err != nil {
		return am, err
	}
	if wa.Feed != wb.Feed {
		return join(tx, wa, wb, by)
	}
	f, err := hold(tx, wa.Feed, false)
	if err != nil {
		return am, err
	}
	// Again, now that nobody else can change them.
	if wa, err = live(tx, a); err != nil {
		return am, err
	}
	if wb, err = live(tx, b); err != nil {
		return am, err
	}
	b4, err := f.fold(tx, wa, wb, by)
	if err != nil {
		return am, err
	}
	if b4.Verdict, err = verdictOn(tx, a, b); err != nil {
		return am, err
	}
	if err := tx.SetVerdict(store.Verdict{A: a, B: b, Same: true, At: by.At, Who: by.Who, Rule: "U2"}); err != nil {
		return am, err
	}
	if b4.Stories, err = foldStories(tx, a, b, by); err != nil {
		return am, err
	}
	am = store.Amendment{Kind: store.AmendMerge, Feed: f.id, A: a, B: b, At: by.At, Who: by.Who, Rule: "U2",
		Note: by.note(fmt.Sprintf("%%s said that entry %d is the same article as entry %d", b, a))}
	if am.Before, err = b4.json(); err != nil {
		return am, err
	}
	if am.ID, err = tx.AddAmendment(am); err != nil {
		return am, err
	}
	if err := f.save(tx); err != nil {
		return am, err
	}
	f.log(feedonce.ChangeMerged, b, a, wb.Revision)
	b4.logged(f)
	if err := f.tell(tx, by); err != nil {
		return am, err
	}
	return am, outbox.Merged(tx, f.id, b, a, by.At)
}

func verdictOn(tx *store.Tx, a, b feedonce.EntryID) (*store.Verdict, error) {
	all, err := tx.Verdicts(a)
	for i := range all {
		if all[i].A == min(a, b) && all[i].B == max(a, b) {
			return &all[i], err
		}
	}
	return nil, err
}

// fold makes entry b part of a, and returns what unfolding needs.
func (f *feed) fold(tx *store.Tx, a, b store.Whole, by By) (*before, error) {
	keys, err := tx.Keys(b.ID())
	if err != nil {
		return nil, err
	}
	versions, err := tx.OldVersions(b.ID())
	if err != nil {
		return nil, err
	}
	b4 := &before{A: &a, B: &b, Keys: keys}
	next := a.Revision
	put := func(v store.OldVersion, borrowed bool) error {
		v.Revision = next
		next++
		if borrowed {
			b4.Borrowed = append(b4.Borrowed, v.Revision)
		}
		return tx.PutVersion(a.ID(), v)
	}
	n := a
	n.Marks = append(append([]dedup.Mark{}, a.Marks...), b.Marks...)
	same := a.Entry.Strict == b.Entry.Strict
	newer := !same && b.Entry.Changed.After(a.Entry.Changed)
	if newer {
		if err := put(store.OldVersion{Replaced: by.At, Title: a.Title, Item: a.Entry.Item}, false); err != nil {
			return nil, err
		}
	}
	for _, v := range versions {
		if err := put(v, true); err != nil {
			return nil, err
		}
	}
	switch {
	case newer:
		n.Entry.Item, n.Title, n.Categories = b.Entry.Item, b.Title, b.Categories
		n.Entry.Strict, n.Entry.ContentKey, n.Entry.Changed, n.Entry.Streak = b.Entry.Strict, b.Entry.ContentKey, b.Entry.Changed, 0
		n.Entry.Ring = ring(n.Entry.Strict, append(append([]uint64{short(a.Entry.Strict)}, b.Entry.Ring...), a.Entry.Ring...)...)
	case !same:
		if err := put(store.OldVersion{Replaced: by.At, Title: b.Title, Item: b.Entry.Item}, true); err != nil {
			return nil, err
		}
		fallthrough
	default:
		n.Entry.Ring = ring(n.Entry.Strict, append(append([]uint64{short(b.Entry.Strict)}, a.Entry.Ring...), b.Entry.Ring...)...)
	}
	n.Revision = next
	gone := b
	gone.MergedInto, gone.Entry.ContentKey = a.ID(), dedup.Hash{}
	if _, err := tx.PutWhole(gone); err != nil {
		return nil, err
	}
	if _, err := tx.PutWhole(n); err != nil {
		return nil, err
	}
	b4.left(&n)
	if b4.Merged, err = tx.MoveMerged(b.ID(), a.ID()); err != nil {
		return nil, err
	}
	if _, err := tx.PointKeys(f.id, pointed(keys, a.ID()), by.At); err != nil {
		return nil, err
	}
	f.become(b.ID(), a.ID())
	return b4, nil
}
