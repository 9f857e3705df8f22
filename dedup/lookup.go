package dedup

import (
	"cmp"
	"slices"
)

// A candidate is a stored entry that an arrival may be, or an entry that this document creates.
type candidate struct {
	id       EntryID
	entry    *Entry // nil for one that this document creates
	f        *features
	arrivals []*arrival // that are this entry; the first one speaks for it
	vanished bool
	order    int // place among candidates, for a fixed order
}

// A lookup is what the store knows, by what it is looked up with.
type lookup struct {
	byID    map[EntryID]*candidate
	byKey   map[Hash]EntryID
	all     []*candidate
	byLink  map[string][]*candidate
	byPath  map[string][]*candidate
	byIdent map[string][]*candidate
	byEncl  map[string][]*candidate
	byGUID  map[string][]*candidate
	byTitle map[string][]*candidate
	byText  map[uint64][]*candidate // nil until texts is called, as is byLead
	byLead  map[uint64][]*candidate // of those that were looked up for another reason
	split   map[[2]EntryID]bool     // pairs a person said are two
	merged  map[EntryID]bool        // entries a person said are the same as another one
}

func (j *Judge) index(known *Known) *lookup {
	l := &lookup{
		byID: make(map[EntryID]*candidate, len(known.Entries)), byKey: make(map[Hash]EntryID, len(known.Keys)),
		byLink: map[string][]*candidate{}, byPath: map[string][]*candidate{}, byIdent: map[string][]*candidate{}, byEncl: map[string][]*candidate{},
		byGUID: map[string][]*candidate{}, byTitle: map[string][]*candidate{},
		split: map[[2]EntryID]bool{}, merged: map[EntryID]bool{},
	}
	for _, k := range known.Keys {
		l.byKey[k.Key.Hash] = k.Entry
	}
	entries := make([]*Entry, len(known.Entries))
	for i := range known.Entries {
		entries[i] = &known.Entries[i]
	}
	slices.SortFunc(entries, func(a, b *Entry) int { return cmp.Compare(a.ID, b.ID) })
	skip := j.skipParam()
	for _, e := range entries {
		if l.byID[e.ID] == nil {
			l.add(&candidate{id: e.ID, entry: e, f: keptFeatures(&e.Item, e.FirstSeen, skip)})
		}
	}
	for _, v := range known.Verdicts {
		if v.Same {
			l.merged[v.A], l.merged[v.B] = true, true
		} else {
			l.split[[2]EntryID{min(v.A, v.B), max(v.A, v.B)}] = true
		}
	}
	return l
}

func (l *lookup) add(c *candidate) {
	c.order = len(l.all)
	l.all = append(l.all, c)
	l.byID[c.id] = c
	f := c.f
	if f.link != "" {
		l.byLink[f.link] = append(l.byLink[f.link], c)
	}
	if f.path != "" {
		l.byPath[f.path] = append(l.byPath[f.path], c)
	}
	if p := pathOf(f.guidURL); p != "" && p != f.path {
		l.byPath[p] = append(l.byPath[p], c)
	}
	if f.ident != "" {
		l.byIdent[f.ident] = append(l.byIdent[f.ident], c)
	}
	if f.encl != "" {
		l.byEncl[f.encl] = append(l.byEncl[f.encl], c)
	}
	if f.guidURL != "" {
		l.byGUID[f.guidURL] = append(l.byGUID[f.guidURL], c)
	}
	if t := f.titles().titleK; t != "" {
		l.byTitle[t] = append(l.byTitle[t], c)
	}
}

// texts orders the entries by their texts, which is not needed where every arrival's key is known.
func (l *lookup) texts() {
	if l.byText != nil {
		return
	}
	l.byText, l.byLead = map[uint64][]*candidate{}, map[uint64][]*candidate{}
	for _, c := range l.all {
		if c.entry == nil {
			continue
		}
		if t := c.f.words(); len(t.words) > 0 {
			l.byText[t.textH] = append(l.byText[t.textH], c)
			if t.leadH != 0 {
				l.byLead[t.leadH] = append(l.byLead[t.leadH], c)
			}
		}
	}
}
