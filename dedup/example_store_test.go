package dedup_test

import (
	"fmt"
	"slices"
	"time"

	"feedonce/dedup"
)

// shelf is a store as small as one can be: three maps, where a database would have three tables.
type shelf struct {
	entries map[dedup.EntryID]dedup.Entry
	keys    map[dedup.Hash]dedup.KnownKey  // at most one entry for each key
	marks   map[dedup.Mark][]dedup.EntryID // any number of entries for each mark, oldest first
	marksOf map[dedup.EntryID][]dedup.Mark // to replace an entry's marks
	state   *dedup.State                   // nil for a feed never seen
}

// look answers a query: entries by key, by mark and by ID, each once. A database does it in one statement.
func (s *shelf) look(q dedup.Query) *dedup.Known {
	known := &dedup.Known{}
	var ids []dedup.EntryID
	for _, k := range q.Keys {
		if found, ok := s.keys[k.Hash]; ok {
			known.Keys = append(known.Keys, found)
			ids = append(ids, found.Entry)
		}
	}
	for _, m := range q.Marks {
		have := s.marks[m]
		ids = append(ids, have[max(0, len(have)-dedup.MaxPerMark):]...)
	}
	ids = append(ids, q.Entries...)
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if e, ok := s.entries[id]; ok {
			known.Entries = append(known.Entries, e)
		}
	}
	return known
}

// keep stores a result. In a database all of it is one transaction.
func (s *shelf) keep(res *dedup.Result) {
	stored := map[dedup.EntryID]dedup.EntryID{} // provisional IDs to real ones
	for _, d := range res.Decisions {
		if d.Write != nil && d.Write.Entry.ID < 0 {
			stored[d.Write.Entry.ID] = dedup.EntryID(len(s.entries) + len(stored) + 1)
		}
	}
	res.Bind(stored)
	for _, d := range res.Decisions {
		if w := d.Write; w != nil {
			id := w.Entry.ID
			s.entries[id] = w.Entry
			for _, m := range s.marksOf[id] {
				s.marks[m] = slices.DeleteFunc(s.marks[m], func(x dedup.EntryID) bool { return x == id })
			}
			s.marksOf[id] = w.Marks
			for _, m := range w.Marks {
				s.marks[m] = append(s.marks[m], id)
				slices.Sort(s.marks[m])
			}
		}
		for _, k := range d.Keys {
			s.keys[k.Hash] = dedup.KnownKey{Key: k, Entry: d.Entry}
		}
	}
	s.state = res.State
}

// A program with a store of its own prepares a document, looks up what the query asks for, decides, and stores the result.
func ExamplePrepare() {
	s := &shelf{entries: map[dedup.EntryID]dedup.Entry{}, keys: map[dedup.Hash]dedup.KnownKey{}, marks: map[dedup.Mark][]dedup.EntryID{}, marksOf: map[dedup.EntryID][]dedup.Mark{}}
	at := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	one := dedup.Item{GUID: "1", URL: "https://example.org/2026/one-two-three", Title: "One two three"}
	moved := dedup.Item{GUID: "https://example.org/?p=1", URL: "http://www.example.org/2026/one-two-three/", Title: "One two three"}
	two := dedup.Item{GUID: "2", URL: "https://example.org/2026/two-three-four", Title: "Two three four"}
	for i, items := range [][]dedup.Item{{one}, {one}, {two, moved}} {
		doc := &dedup.Document{Fetched: at.Add(time.Duration(i) * time.Hour), Site: "https://example.org/", Items: items}

		j := dedup.Prepare(doc, s.state, dedup.Policy{})
		known := &dedup.Known{}
		q := j.Query()
		if !q.Empty() {
			known = s.look(q)
		}
		res := j.Decide(known)
		if res.Writes() || res.StateChanged {
			s.keep(res)
		}

		for _, d := range res.Decisions {
			fmt.Printf("document %d, looked up %v: %q is %s, entry %d\n", i+1, !q.Empty(), items[d.Item].Title, d.Outcome, d.Entry)
		}
	}
	// Output:
	// document 1, looked up true: "One two three" is new, entry 1
	// document 2, looked up false: "One two three" is unchanged, entry 1
	// document 3, looked up true: "Two three four" is new, entry 2
	// document 3, looked up true: "One two three" is duplicate, entry 1
}
