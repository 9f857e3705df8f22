package dedup

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"
)

// A Judge has prepared one document for its decision. It is used once, by one goroutine.
//
// Its parts: judge.go prepares the arrivals and the query; grades.go says what tells items apart in this feed; lookup.go
// orders what is known; claim.go gives arrivals whose key is known their entry; structure.go looks at what left the
// document, and place.go at what took its place; match.go finds the entry of the others, by rules.go; outcome.go says what that makes of each; learn.go keeps
// what the document taught.
type Judge struct {
	doc    *Document
	state  *State
	policy Policy

	arrivals []*arrival // distinct items
	of       []*arrival // by item; nil for invalid ones
	older    []bool     // by item: an older version of its arrival, standing in the same document

	guidCount  map[string]int
	linkCount  map[string]int
	pubCount   map[int64]int
	titleDate  map[titleDate]int
	shifts     map[int64]int // see dateShifts
	triple     map[uint64]int
	pathCount  map[string]int
	linkPairs  [][2]*features // items that have one link, not compared yet; see mixedLinks
	linkMixed  map[string]bool
	docLinks   int  // distinct links in this document
	languages  bool // the document declares more than one language
	docHosts   map[string]int
	docEncls   map[string]int
	rowsByKey  map[Hash][]*ManifestRow
	rowsBySeen map[uint64]*ManifestRow
	rekeyed    []*ManifestRow // rows from before the policy changed

	known *lookup
	notes []string
}

// An arrival is a distinct item of the document: exact copies, and older versions under the same guid, are folded
// into it before anything is counted (DEDUP 2.10, 1).
type arrival struct {
	index    int // of its item in the document
	f        *features
	seen     uint64
	plain    bool         // the last document had it, equal in all that counts
	row      *ManifestRow // of the last document, with the same identity
	keys     []Key        // empty for plain ones
	deferred bool         // a version that is written later
	recycled bool         // its key belonged to another article

	entry   *candidate // what it is; nil while unknown
	id      EntryID
	rule    *Rule
	exact   bool         // by key
	rekeyed *ManifestRow // of the last document, from before the policy changed, with the same guid and content
	primary bool         // it speaks for its entry; another arrival is the same entry, too, where false
	pair    *pair
	turned  []Other

	replaces EntryID // whose place in the list it took (see places); 0 is none
	between  bool    // the neighbours on both sides say so
}

// Prepare computes what is needed to look doc up. state is what the last Result for this feed said, or nil for a feed
// never seen; it is not changed. doc must not be changed before Decide has returned.
func Prepare(doc *Document, state *State, policy Policy) *Judge {
	if state == nil {
		state = &State{}
	}
	j := &Judge{doc: doc, state: state, policy: policy, of: make([]*arrival, len(doc.Items)), older: make([]bool, len(doc.Items))}
	j.rowsByKey = make(map[Hash][]*ManifestRow, len(state.Manifest))
	j.rowsBySeen = make(map[uint64]*ManifestRow, len(state.Manifest))
	for i := range state.Manifest {
		r := &state.Manifest[i]
		j.rowsByKey[r.Key] = append(j.rowsByKey[r.Key], r)
		if r.Seen == 0 {
			j.rekeyed = append(j.rekeyed, r)
		} else if _, ok := j.rowsBySeen[r.Seen]; !ok {
			j.rowsBySeen[r.Seen] = r
		}
	}
	j.collect()
	j.count()
	for _, a := range j.arrivals {
		if row := j.rowsBySeen[a.seen]; row != nil && !j.reverted(row.Entry, row.Strict) {
			a.row, a.plain = row, true
			continue
		}
		a.keys = j.identities(a)
		if rows := j.rowsByKey[a.keys[0].Hash]; len(rows) > 0 {
			a.row = rows[0]
			// The same identity with the same content: only the date differs, and a date makes no version.
			a.plain = a.keys[0].isGUID() && a.row.Strict == a.f.strict.short() && !j.reverted(a.row.Entry, a.row.Strict)
		} else if a.f.guid != "" {
			a.rekeyed = j.rowOfGUID(a)
		}
	}
	return j
}

// rowOfGUID returns the row of the last document that has the arrival's guid and content, where rows were made before the
// policy changed: an identity that counted for nothing until then is no key in the store.
func (j *Judge) rowOfGUID(a *arrival) *ManifestRow {
	if len(j.rekeyed) == 0 {
		return nil
	}
	guid := guidHash(a.f.guid)
	for _, r := range j.rekeyed {
		if r.GUID == guid && r.Strict == a.f.strict.short() {
			return r
		}
	}
	return nil
}

// Decide is Prepare and Judge.Decide for callers who hold all they know in memory.
func Decide(doc *Document, state *State, policy Policy, look func(Query) *Known) *Result {
	j := Prepare(doc, state, policy)
	known := &Known{}
	if q := j.Query(); !q.Empty() {
		known = look(q)
	}
	return j.Decide(known)
}

// collect makes the arrivals: items that are equal in all that counts are one, and so are versions of one item under
// one guid, of which the latest speaks (RFC 4287 4.1.1).
func (j *Judge) collect() {
	skip := j.skipParam()
	bySeen := make(map[uint64]*arrival, len(j.doc.Items))
	byGUID := make(map[string]*arrival, len(j.doc.Items))
	shared := map[string][]*arrival{} // by guids that several have
	distinct := make([]*arrival, 0, len(j.doc.Items))
	for i := range j.doc.Items {
		it := &j.doc.Items[i]
		if it.Invalid != "" {
			continue
		}
		f := newFeatures(it, j.doc.Fetched, skip)
		if f.empty() {
			continue
		}
		seen := j.seenHash(f)
		a := bySeen[seen]
		if a == nil {
			a = &arrival{index: i, f: f, seen: seen}
			bySeen[seen] = a
			distinct = append(distinct, a)
			if f.guid != "" && !j.guidsWeak() {
				if first := byGUID[f.guid]; first == nil {
					byGUID[f.guid] = a
				} else if shared[f.guid] == nil {
					shared[f.guid] = []*arrival{first, a}
				} else {
					shared[f.guid] = append(shared[f.guid], a)
				}
			}
		}
		j.of[i] = a
	}
	older := map[*arrival]*arrival{}
	for _, same := range shared {
		versions(same, older)
	}
	for _, a := range distinct {
		if older[a] == nil {
			j.arrivals = append(j.arrivals, a)
		}
	}
	for i, a := range j.of {
		if v := older[a]; v != nil {
			j.of[i], j.older[i] = v, true
		}
	}
}

// versions finds among arrivals with the same guid those that are older versions of another one. The latest of them
// speaks for all, wherever it stands: by date of modification, of publication, then the longer, then by hash.
func versions(same []*arrival, older map[*arrival]*arrival) {
	same = slices.Clone(same)
	slices.SortFunc(same, func(a, b *arrival) int {
		if later(a.f, b.f) {
			return -1
		}
		return 1
	})
	const most = 40 // thousands of items under one guid are compared with the latest few only
	var speak []*arrival
next:
	for _, a := range same {
		for _, b := range speak[:min(len(speak), most)] {
			if relate(a.f, b.f, func(string) bool { return false }).oneArticle() {
				older[a] = b
				continue next
			}
		}
		speak = append(speak, a)
	}
}

func later(a, b *features) bool {
	if x, y := a.item.Updated.Unix(), b.item.Updated.Unix(); x != y {
		return x > y
	}
	if a.pub != b.pub {
		return a.pub > b.pub
	}
	if x, y := len(a.item.Content)+len(a.item.Summary), len(b.item.Content)+len(b.item.Summary); x != y {
		return x > y
	}
	return a.strict.short() > b.strict.short()
}

// seenHash is equal for items that are equal in all that counts. A guid that is regenerated does not.
func (j *Judge) seenHash(f *features) uint64 {
	var room [192]byte
	b := append(room[:0], f.strict[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(f.pub))
	b = append(b, f.item.Lang...)
	b = append(b, 0)
	if !j.guidsWeak() {
		b = append(b, f.guid...)
	}
	return xxh3.Hash(b)
}

// Query says what must be known to decide. It is empty where the last document says enough.
func (j *Judge) Query() Query {
	var q Query
	unknown := false
	claimed := map[EntryID]bool{}
	keys := map[Hash]bool{}
	marks := map[Mark]bool{}
	for _, a := range j.arrivals {
		if a.row != nil {
			claimed[a.row.Entry] = true
		}
		if a.plain {
			continue
		}
		unknown = unknown || a.row == nil
		for _, k := range a.keys {
			if !keys[k.Hash] {
				keys[k.Hash] = true
				q.Keys = append(q.Keys, k)
			}
		}
		if r := a.rekeyed; r != nil && !claimed[r.Entry] {
			claimed[r.Entry] = true
			q.Entries = append(q.Entries, r.Entry)
		}
		// A shared guid may be known by itself from the time before it was shared.
		if a.f.guid != "" && !a.keys[0].isGUID() && !j.guidsWeak() {
			if k := newKey(KeyGUID, a.f.guid); !keys[k.Hash] {
				keys[k.Hash] = true
				q.Keys = append(q.Keys, k)
			}
		}
		for _, m := range a.f.marks() {
			if !marks[m] {
				marks[m] = true
				q.Marks = append(q.Marks, m)
			}
		}
	}
	if !unknown {
		return q
	}
	const most = 200
	for i := range j.state.Manifest {
		if id := j.state.Manifest[i].Entry; !claimed[id] && len(q.Entries) < most {
			claimed[id] = true
			q.Entries = append(q.Entries, id)
		}
	}
	for _, g := range j.state.Gone {
		if !claimed[g.Entry] && len(q.Entries) < most {
			claimed[g.Entry] = true
			q.Entries = append(q.Entries, g.Entry)
		}
	}
	return q
}

// Decide judges every item of the document, given the answer to Query.
func (j *Judge) Decide(known *Known) *Result {
	j.known = j.index(known)
	for _, a := range j.arrivals {
		if a.rekeyed != nil {
			if c := j.known.byID[a.rekeyed.Entry]; c != nil {
				a.take(c, j.exactRule(a)) // unless a key leads elsewhere
			}
		}
	}
	j.claim()
	m := j.match()
	return j.conclude(m)
}

func equalFold(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}
