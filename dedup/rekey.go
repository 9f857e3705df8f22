package dedup

import "time"

// Rekey returns the keys by which stored entries are known under a policy. A change of policy stores them, in one
// transaction with the policy, so that the next document finds every article again: none is new, none is told.
// Keys that an entry has from before stay; a key that two entries would have goes to the later one, whose items the
// feed shows more likely.
//
// state is the feed's; entries are all of the feed's entries, in any order.
func Rekey(entries []Entry, state *State, policy Policy) []KnownKey {
	doc := &Document{Items: make([]Item, len(entries))}
	for i := range entries {
		doc.Items[i] = entries[i].Item
		doc.Items[i].Invalid = ""
		doc.Fetched = latest(doc.Fetched, entries[i].Changed)
	}
	if state == nil {
		state = &State{}
	}
	// All entries at once are no document: what repeats among them says nothing of what stands together.
	j := &Judge{doc: doc, state: state, policy: policy}
	skip := j.skipParam()
	for i := range entries {
		j.arrivals = append(j.arrivals, &arrival{index: i, f: newFeatures(&doc.Items[i], doc.Fetched, skip)})
	}
	j.count()
	j.guidCount = map[string]int{}
	at := map[Hash]int{}
	var out []KnownKey
	for i, a := range j.arrivals {
		if entries[i].Purged || a.f.empty() {
			continue
		}
		for _, k := range j.identities(a) {
			kk := KnownKey{Key: k, Entry: entries[i].ID}
			if n, ok := at[k.Hash]; ok {
				if out[n].Entry < kk.Entry {
					out[n] = kk
				}
				continue
			}
			at[k.Hash] = len(out)
			out = append(out, kk)
		}
	}
	return out
}

// Rekeyed returns the state to go on with under the policy that Rekey made keys for: the items of the last document are
// known by the first of the keys that their entry has now, and are looked at once more.
func (s *State) Rekeyed(keys []KnownKey) *State {
	first := map[EntryID]Hash{}
	has := map[Hash]bool{}
	for _, k := range keys {
		has[k.Key.Hash] = true
		if _, ok := first[k.Entry]; !ok {
			first[k.Entry] = k.Key.Hash
		}
	}
	c := s.clone()
	for i := range c.Manifest {
		row := &c.Manifest[i]
		row.Seen = 0 // which is computed from what a policy rules, too
		if h, ok := first[row.Entry]; ok && !has[row.Key] {
			row.Key = h
		}
	}
	return c
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
