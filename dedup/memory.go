package dedup

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// Memory is a store of one feed in memory: the simplest way to use this package, and what it is tested with.
// It is not safe for concurrent use.
type Memory struct {
	Policy Policy

	state    *State
	entries  []*Entry // by ID-1
	keys     map[Hash]KnownKey
	marks    map[Mark][]EntryID
	marksOf  map[EntryID][]Mark
	verdicts []Verdict
}

// NewMemory returns the memory of a feed never seen.
func NewMemory(policy Policy) *Memory {
	return &Memory{Policy: policy, keys: map[Hash]KnownKey{}, marks: map[Mark][]EntryID{}, marksOf: map[EntryID][]Mark{}}
}

// Process decides a document and remembers the result. Entries get the IDs 1, 2, 3, … in the order of arrival.
func (m *Memory) Process(doc *Document) *Result {
	res := Decide(doc, m.state, m.Policy, m.known)
	stored := map[EntryID]EntryID{}
	for i := range res.Decisions {
		if w := res.Decisions[i].Write; w != nil && w.Entry.ID < 0 {
			m.entries = append(m.entries, nil)
			stored[w.Entry.ID] = EntryID(len(m.entries))
		}
	}
	res.Bind(stored)
	for i := range res.Decisions {
		d := &res.Decisions[i]
		if w := d.Write; w != nil {
			e := w.Entry
			m.entries[e.ID-1] = &e
			m.mark(e.ID, w.Marks)
		}
		for _, k := range d.Keys {
			m.keys[k.Hash] = KnownKey{k, d.Entry}
		}
	}
	m.state = res.State
	return res
}

func (m *Memory) mark(id EntryID, marks []Mark) {
	for _, k := range m.marksOf[id] {
		if i := slices.Index(m.marks[k], id); i >= 0 {
			m.marks[k] = slices.Delete(m.marks[k], i, i+1)
		}
	}
	m.marksOf[id] = marks
	for _, k := range marks {
		i, found := slices.BinarySearch(m.marks[k], id)
		if !found {
			m.marks[k] = slices.Insert(m.marks[k], i, id)
		}
	}
}

// known answers a query.
func (m *Memory) known(q Query) *Known {
	k := &Known{Verdicts: m.verdicts}
	seen := map[EntryID]bool{}
	add := func(id EntryID) {
		if !seen[id] && id > 0 && int(id) <= len(m.entries) {
			seen[id] = true
			k.Entries = append(k.Entries, *m.entries[id-1])
		}
	}
	for _, key := range q.Keys {
		if kk, ok := m.keys[key.Hash]; ok {
			k.Keys = append(k.Keys, kk)
			add(kk.Entry)
		}
	}
	for _, mk := range q.Marks {
		ids := m.marks[mk]
		for _, id := range ids[max(0, len(ids)-MaxPerMark):] {
			add(id)
		}
	}
	for _, id := range q.Entries {
		add(id)
	}
	return k
}

// Change changes the policy. What is remembered gets its keys anew, so that the next document finds every article again.
func (m *Memory) Change(p Policy) {
	m.Policy = p
	entries := make([]Entry, len(m.entries))
	for i, e := range m.entries {
		entries[i] = *e
	}
	keys := Rekey(entries, m.state, p)
	for _, k := range keys {
		m.keys[k.Key.Hash] = k
	}
	if m.state != nil {
		m.state = m.state.Rekeyed(keys)
	}
}

// memoryJSON is the exported form: everything but the marks, which follow from the entries.
type memoryJSON struct {
	Version  int        `json:"version"`
	Policy   Policy     `json:"policy"`
	State    *State     `json:"state,omitempty"`
	Entries  []*Entry   `json:"entries"`
	Keys     []KnownKey `json:"keys"`
	Verdicts []Verdict  `json:"verdicts,omitempty"`
}

// MarshalJSON encodes the memory, so that it can be kept in a file and read by programs in any language.
func (m *Memory) MarshalJSON() ([]byte, error) {
	j := memoryJSON{Version: 1, Policy: m.Policy, State: m.state, Entries: m.entries, Verdicts: m.verdicts}
	for _, k := range m.keys {
		j.Keys = append(j.Keys, k)
	}
	slices.SortFunc(j.Keys, func(a, b KnownKey) int {
		return cmp.Or(cmp.Compare(a.Entry, b.Entry), cmp.Compare(a.Key.Kind, b.Key.Kind), bytes.Compare(a.Key.Hash[:], b.Key.Hash[:]))
	})
	return json.Marshal(j)
}

// UnmarshalJSON decodes what MarshalJSON made.
func (m *Memory) UnmarshalJSON(data []byte) error {
	var j memoryJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return fmt.Errorf("memory of a feed: %w", err)
	}
	if j.Version != 1 {
		return fmt.Errorf("memory of a feed has version %d; this program knows 1", j.Version)
	}
	n := NewMemory(j.Policy)
	n.state, n.verdicts = j.State, j.Verdicts
	for i, e := range j.Entries {
		if e == nil || e.ID != EntryID(i+1) {
			return fmt.Errorf("memory of a feed: the entry in place %d has another ID", i+1)
		}
		n.entries = append(n.entries, e)
		if !e.Purged {
			n.mark(e.ID, keptFeatures(&e.Item, e.FirstSeen, skipParam(n.state)).marks())
		}
	}
	for _, k := range j.Keys {
		n.keys[k.Key.Hash] = k
	}
	*m = *n
	return nil
}

// State returns what is remembered of the feed, or nil where no document was processed.
func (m *Memory) State() *State { return m.state }

// Len returns the number of entries.
func (m *Memory) Len() int { return len(m.entries) }

// Entry returns a remembered entry.
func (m *Memory) Entry(id EntryID) (Entry, bool) {
	if id < 1 || int(id) > len(m.entries) {
		return Entry{}, false
	}
	return *m.entries[id-1], true
}
