package amend

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
)

// before is what undoing a change needs: what was there, and what of it changed hands.
type before struct {
	A *store.Whole `json:"a,omitempty"`
	B *store.Whole `json:"b,omitempty"` // as it was; of a split as it was made
	// Keys led to the other entry: to A before a split, to B before a merge.
	Keys []dedup.Key `json:"keys,omitempty"`
	// After is A as the change left it: a later update shows in a difference.
	Revision int        `json:"revision,omitempty"`
	Strict   dedup.Hash `json:"strict,omitzero"`
	// Versions were taken from A; Borrowed are revisions of A that are B's.
	Versions []store.OldVersion `json:"versions,omitempty"`
	Borrowed []int              `json:"borrowed,omitempty"`
	// Merged are entries that were part of B.
	Merged []feedonce.EntryID `json:"merged,omitempty"`
	// Suspect says that the rule was confined to suspicion, as it was reversed too often.
	Suspect bool `json:"suspect,omitempty"`
	// Verdict was given of the two earlier.
	Verdict *store.Verdict `json:"verdict,omitempty"`
	// Stories are all rows of the stories concerned.
	Stories []store.Membership `json:"stories,omitempty"`
}

func (b *before) left(a *store.Whole) { b.Revision, b.Strict = a.Revision, a.Entry.Strict }

// logged notes for the change log that A changed, if it did.
func (b *before) logged(f *feed) {
	after := *b.A
	after.Revision, after.Entry.Strict = b.Revision, b.Strict
	f.logUpdate(b.A, &after)
}

// changed reports whether A was updated since.
func (b *before) changed(a *store.Whole) bool {
	return a.Revision != b.Revision || a.Entry.Strict != b.Strict
}

func (b *before) json() ([]byte, error) {
	out, err := json.Marshal(b)
	if err != nil {
		return nil, fmt.Errorf("keep what undoing needs: %w", err)
	}
	return out, nil
}

func readBefore(a store.Amendment) (*before, error) {
	var b before
	if err := json.Unmarshal(a.Before, &b); err != nil {
		return nil, fmt.Errorf("change %d: what was kept for undoing it cannot be read: %w", a.ID, err)
	}
	return &b, nil
}

// short is a strict hash as rings and manifests keep it.
func short(h dedup.Hash) uint64 { return binary.BigEndian.Uint64(h[:8]) }

// ring makes a ring of hashes, latest first, without the one of the current version.
func ring(current dedup.Hash, hashes ...uint64) []uint64 {
	var out []uint64
	for _, h := range hashes {
		if h != short(current) && !slices.Contains(out, h) && len(out) < dedup.RingSize {
			out = append(out, h)
		}
	}
	return out
}

// keySet is a set of identities.
type keySet map[dedup.Hash]bool

func setOf(lists ...[]dedup.Key) keySet {
	s := keySet{}
	for _, keys := range lists {
		for _, k := range keys {
			s[k.Hash] = true
		}
	}
	return s
}

func pointed(keys []dedup.Key, to feedonce.EntryID) []dedup.KnownKey {
	out := make([]dedup.KnownKey, len(keys))
	for i, k := range keys {
		out[i] = dedup.KnownKey{Key: k, Entry: dedup.EntryID(to)}
	}
	return out
}

// handOver makes the items of the last document that an entry is known by under some keys another entry's.
func (f *feed) handOver(from, to feedonce.EntryID, keys keySet) {
	for i := range f.state.Manifest {
		row := &f.state.Manifest[i]
		if row.Entry == dedup.EntryID(from) && keys[row.Key] {
			row.Entry = dedup.EntryID(to)
		}
	}
}

// become makes all that is remembered of one entry another's.
func (f *feed) become(from, to feedonce.EntryID) {
	present := false
	for i := range f.state.Manifest {
		row := &f.state.Manifest[i]
		if row.Entry == dedup.EntryID(from) {
			row.Entry = dedup.EntryID(to)
		}
		present = present || row.Entry == dedup.EntryID(to)
	}
	f.state.Gone = slices.DeleteFunc(f.state.Gone, func(g dedup.GoneRow) bool {
		return g.Entry == dedup.EntryID(from) || present && g.Entry == dedup.EntryID(to)
	})
	f.state.Reverts = slices.DeleteFunc(f.state.Reverts, func(r dedup.Revert) bool { return r.Entry == dedup.EntryID(from) })
}

// live returns an entry that stands for itself.
func live(tx *store.Tx, id feedonce.EntryID) (store.Whole, error) {
	w, err := tx.Whole(id)
	if err == nil && w.MergedInto != 0 {
		return w, invalid("entry", "must stand for itself, but %d is part of %d", id, w.MergedInto)
	}
	return w, err
}
