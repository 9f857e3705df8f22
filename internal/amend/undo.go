package amend

import (
	"context"
	"fmt"
	"slices"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/outbox"
	"feedonce/internal/store"
)

// undoable are the kinds of changes that Undo takes back.
var undoable = []store.AmendmentKind{store.AmendSplit, store.AmendMerge, store.AmendJoin, store.AmendLeave}

// Undo takes back a split, a merge or a Leave, exactly; 0 is the latest that holds. What came with documents since is
// kept: an update goes to the entry whose item it was. It returns the amendment, undone. ErrNotFound where there is none,
// *feedonce.InvalidError where it is undone already, or others that build on it must be undone first.
func Undo(ctx context.Context, s *store.Store, amendment int64, by By) (store.Amendment, error) {
	return update(ctx, s, func(tx *store.Tx) (store.Amendment, error) {
		am, err := undone(tx, amendment)
		if err != nil {
			return am, err
		}
		if err := undo(tx, am, by); err != nil {
			return am, fmt.Errorf("undo change %d: %w", am.ID, err)
		}
		if err := tx.MarkUndone(am.ID, by.Who, by.At); err != nil {
			return am, err
		}
		return tx.Amendment(am.ID)
	})
}

// undone returns the amendment to be undone.
func undone(tx *store.Tx, id int64) (store.Amendment, error) {
	if id == 0 {
		all, err := tx.Amendments(store.AmendmentFilter{Kinds: undoable, Holds: true, Limit: 1})
		if err == nil && len(all) == 0 {
			err = fmt.Errorf("nothing to undo: %w", feedonce.ErrNotFound)
		}
		if err != nil {
			return store.Amendment{}, err
		}
		return all[0], nil
	}
	am, err := tx.Amendment(id)
	switch {
	case err != nil:
		return am, err
	case !am.Undone.IsZero():
		return am, invalid("change", "must hold, but %d was undone already", id)
	case !slices.Contains(undoable, am.Kind):
		return am, invalid("change", "must be a split, a merge or the leaving of a story; %d is a change of %s, which is changed back by setting it", id, am.Kind)
	}
	return am, nil
}

func undo(tx *store.Tx, am store.Amendment, by By) error {
	b4, err := readBefore(am)
	if err != nil {
		return err
	}
	switch am.Kind {
	case store.AmendJoin:
		return restoreStories(tx, b4.Stories, by, am.A, am.B)
	case store.AmendLeave:
		return restoreStories(tx, b4.Stories, by, am.A)
	}
	f, err := hold(tx, am.Feed, false)
	if err != nil {
		return err
	}
	for _, id := range []feedonce.EntryID{am.A, am.B} {
		later, err := tx.Amendments(store.AmendmentFilter{Entry: id, Kinds: []store.AmendmentKind{store.AmendSplit, store.AmendMerge}, Holds: true, Limit: 1})
		if err != nil {
			return err
		}
		if len(later) > 0 && later[0].ID != am.ID {
			return invalid("change", "can be undone when change %d, which is about entry %d, too, is undone", later[0].ID, id)
		}
	}
	a, err := tx.Whole(am.A)
	if err != nil {
		return err
	}
	b, err := tx.Whole(am.B)
	if err != nil {
		return err
	}
	if err := tx.DropVerdict(am.A, am.B); err != nil {
		return err
	}
	if b4.Verdict != nil {
		if err := tx.SetVerdict(*b4.Verdict); err != nil {
			return err
		}
	}
	if am.Kind == store.AmendSplit {
		err = f.unsplit(tx, am, b4, a, b, by)
	} else {
		err = f.unfold(tx, b4, a, b, by)
	}
	if err != nil {
		return err
	}
	if err := f.save(tx); err != nil {
		return err
	}
	return f.tellUndone(tx, am, a, by)
}

// tellUndone writes to the change log that what was split is merged, or the other way round, and settles what destinations
// wait for. a is the entry as it was before.
func (f *feed) tellUndone(tx *store.Tx, am store.Amendment, a store.Whole, by By) error {
	now, err := tx.Whole(am.A)
	if err != nil {
		return err
	}
	b, err := tx.Whole(am.B)
	if err != nil {
		return err
	}
	kind := feedonce.ChangeMerged
	if am.Kind == store.AmendMerge {
		kind = feedonce.ChangeSplit
	}
	f.log(kind, am.B, am.A, b.Revision)
	f.logUpdate(&a, &now)
	if err := f.tell(tx, by); err != nil {
		return err
	}
	if am.Kind == store.AmendMerge {
		return outbox.Unmerged(tx, am.B, am.A, by.At)
	}
	return outbox.Merged(tx, f.id, am.B, am.A, by.At)
}

// unsplit makes entry b, which was split off a, part of it again.
func (f *feed) unsplit(tx *store.Tx, am store.Amendment, b4 *before, a, b store.Whole, by By) error {
	if b4.Suspect {
		p := f.policy
		p.SuspectOnly = slices.DeleteFunc(slices.Clone(p.SuspectOnly), func(id dedup.RuleID) bool { return string(id) == am.Rule })
		if err := f.setPolicy(tx, p); err != nil {
			return err
		}
	}
	aSame, bSame := !b4.changed(&a), b.Revision == b4.B.Revision && b.Entry.Strict == b4.B.Entry.Strict
	if !aSame && (len(b4.Versions) > 0 || !bSame) || !bSame && len(b4.Versions) == 0 {
		// Both went their ways since: their versions become one list.
		if _, err := f.fold(tx, a, b, by); err != nil {
			return err
		}
		_, err := foldStories(tx, am.A, am.B, by)
		return err
	}
	keys, err := tx.Keys(am.B)
	if err != nil {
		return err
	}
	gone := b
	gone.MergedInto, gone.Entry.ContentKey = am.A, dedup.Hash{}
	if _, err := tx.PutWhole(gone); err != nil {
		return err
	}
	if aSame {
		back := *b4.A
		if len(b4.Versions) > 0 && !bSame {
			// The article went on under the new entry: that is what the old one would have now.
			first := b4.Versions[0].Revision
			versions, err := tx.OldVersions(am.B)
			if err != nil {
				return err
			}
			back.Entry.Item, back.Title, back.Categories, back.Marks = b.Entry.Item, b.Title, b.Categories, b.Marks
			back.Entry.Strict, back.Entry.Ring, back.Entry.Changed, back.Entry.Streak = b.Entry.Strict, b.Entry.Ring, b.Entry.Changed, b.Entry.Streak
			back.Entry.ContentKey, back.Revision = b.Entry.ContentKey, first+b.Revision
			b4.Versions = b4.Versions[:1]
			for _, v := range versions {
				v.Revision += first
				b4.Versions = append(b4.Versions, v)
			}
		}
		for _, v := range b4.Versions {
			if err := tx.PutVersion(am.A, v); err != nil {
				return err
			}
		}
		if _, err := tx.PutWhole(back); err != nil {
			return err
		}
	}
	if _, err := tx.MoveMerged(am.B, am.A); err != nil {
		return err
	}
	if _, err := tx.PointKeys(f.id, pointed(keys, am.A), by.At); err != nil {
		return err
	}
	f.become(am.B, am.A)
	_, err = foldStories(tx, am.A, am.B, by)
	return err
}

// unfold makes entry b, which is part of a, an entry of its own again.
func (f *feed) unfold(tx *store.Tx, b4 *before, a, b store.Whole, by By) error {
	idA, idB := a.ID(), b.ID()
	has, err := tx.Keys(idA)
	if err != nil {
		return err
	}
	// What b was known by, and what its item has been known by since.
	was, own := setOf(b4.Keys), setOf(dedup.EveryKey(b4.A.Entry.Item, b4.A.Entry.FirstSeen, f.state))
	every := setOf(dedup.EveryKey(b4.B.Entry.Item, b4.B.Entry.FirstSeen, f.state))
	var keys []dedup.Key
	for _, k := range has {
		if was[k.Hash] || every[k.Hash] && !own[k.Hash] {
			keys = append(keys, k)
		}
	}
	moved := setOf(keys)
	now, back := a, *b4.B
	back.MergedInto = 0
	switch {
	case !b4.changed(&a):
		now = *b4.A
		err = tx.DropVersions(idA, b4.A.Revision, a.Revision)
	case f.shows(idA, a.Entry.Strict, moved):
		// An update since is of b's item.
		now = *b4.A
		back, err = f.carry(tx, b4, a)
	default:
		for _, r := range b4.Borrowed {
			if err := tx.DropVersions(idA, r, r); err != nil {
				return err
			}
		}
		if b4.Strict == b4.B.Entry.Strict && b4.Strict != b4.A.Entry.Strict { // what was merged was b's text
			err = tx.DropVersions(idA, b4.Revision, b4.Revision)
		}
	}
	if err != nil {
		return err
	}
	if _, err := tx.PutWhole(now); err != nil {
		return err
	}
	if _, err := tx.PutWhole(back); err != nil {
		return err
	}
	if err := tx.SetMerged(b4.Merged, idB); err != nil {
		return err
	}
	if _, err := tx.PointKeys(f.id, pointed(keys, idB), by.At); err != nil {
		return err
	}
	f.handOver(idA, idB, moved)
	if len(b4.Stories) == 0 {
		return nil
	}
	return restoreStories(tx, b4.Stories, by, idA, idB)
}

// shows reports whether an item of the last document with this text is known by one of these keys, and none by another.
func (f *feed) shows(id feedonce.EntryID, strict dedup.Hash, keys keySet) bool {
	theirs := false
	for i := range f.state.Manifest {
		row := &f.state.Manifest[i]
		if row.Entry != dedup.EntryID(id) || row.Strict != short(strict) {
			continue
		}
		if !keys[row.Key] {
			return false
		}
		theirs = true
	}
	return theirs
}

// carry takes what a got since b became part of it to b: its text, and the versions in between.
func (f *feed) carry(tx *store.Tx, b4 *before, a store.Whole) (store.Whole, error) {
	back := *b4.B
	idA, idB := a.ID(), b4.B.ID()
	versions, err := tx.OldVersions(idA)
	if err != nil {
		return back, err
	}
	shift := back.Revision - b4.Revision
	for _, v := range versions {
		if v.Revision < b4.Revision {
			continue
		}
		if v.Revision == b4.Revision { // then it was b's own text, as far as b is concerned
			v.Item, v.Title = b4.B.Entry.Item, b4.B.Title
		}
		v.Revision += shift
		if err := tx.PutVersion(idB, v); err != nil {
			return back, err
		}
	}
	back.Entry.Item, back.Title, back.Categories, back.Marks = a.Entry.Item, a.Title, a.Categories, a.Marks
	back.Entry.Strict, back.Entry.Changed, back.Entry.Streak = a.Entry.Strict, a.Entry.Changed, a.Entry.Streak
	back.Entry.Ring = ring(a.Entry.Strict, a.Entry.Ring...)
	back.Entry.ContentKey, back.Revision = a.Entry.ContentKey, a.Revision+shift
	return back, tx.DropVersions(idA, b4.A.Revision, a.Revision)
}
