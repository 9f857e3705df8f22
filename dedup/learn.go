package dedup

import (
	"maps"
	"slices"

	"github.com/zeebo/xxh3"
)

// A learner gathers what a document teaches about its feed.
type learner struct {
	j      *Judge
	m      *matching
	s      *State // the next state
	change bool   // something but the manifest changed
}

func (j *Judge) learner(m *matching) *learner {
	return &learner{j: j, m: m, s: j.state.clone()}
}

// volatile learns link parameters whose values change while the article does not.
func (l *learner) volatile(params []string) {
	for _, p := range params {
		if i, found := slices.BinarySearch(l.s.VolatileParams, p); !found && len(l.s.VolatileParams) < maxHosts {
			l.s.VolatileParams = slices.Insert(l.s.VolatileParams, i, p)
			l.change = true
		}
	}
}

// state returns the next state and whether it differs from the last. A document without items teaches nothing: feeds
// fail that way, and come back (DEDUP 2.10, 8).
func (l *learner) state(res *Result) (*State, bool) {
	j, s := l.j, l.s
	if len(j.arrivals) == 0 {
		return s, false
	}
	l.guids()
	l.dates()
	l.links(res)
	l.manifest()
	l.held(res)
	l.reverts()
	if sameManifest(s.Manifest, j.state.Manifest) && !l.change {
		return j.state.clone(), false
	}
	switch strange := j.strange(res); {
	case !strange:
		s.Strange = 0
	case s.Strange < strangeDocuments:
		if s.Strange++; s.Strange == strangeDocuments {
			j.note("nothing tells the items of this feed apart from document to document: say what does in its policy")
		}
	}
	s.Documents++
	s.LastSeen = j.doc.Fetched.Unix()
	l.gone()
	if n := res.Counts()[New]; n > 0 {
		s.LastNew = s.LastSeen
		if j.state.Documents > 0 {
			s.Usual += (float64(n) - s.Usual) / 8
		}
	}
	return s, true
}

// guids watches whether guids recur, and which stand on several articles.
func (l *learner) guids() {
	j, s := l.j, l.s
	share := func(h uint64) {
		if i, found := slices.BinarySearch(s.SharedGUIDs, h); !found && len(s.SharedGUIDs) < maxShared {
			s.SharedGUIDs = slices.Insert(s.SharedGUIDs, i, h)
			l.change = true
		}
	}
	for g, n := range j.guidCount {
		if n > 1 {
			share(xxh3.HashString(g))
		}
	}
	for h, n := range j.triples() {
		if n > 1 {
			share(h)
		}
	}
	if len(j.guidCount) < 3 || len(j.state.Manifest) < 3 || j.doc.Partial {
		return
	}
	guids, entries := map[uint64]bool{}, map[EntryID]bool{} // of the last document
	for i := range j.state.Manifest {
		guids[j.state.Manifest[i].GUID] = true
		entries[j.state.Manifest[i].Entry] = true
	}
	// An article that recurs under another guid than last time is churn; one that recurs under its guid is not.
	again, churned := 0, 0
	for _, a := range j.arrivals {
		switch {
		case a.f.guid == "" || a.id < 0:
		case guids[guidHash(a.f.guid)] || a.exact && !j.guidsWeak():
			again++
		case entries[a.id]:
			churned++
		}
	}
	if l.churn(&s.Churn, &s.GUIDVolatile, churned, again) && s.GUIDVolatile {
		j.note("guids are regenerated from document to document: other evidence is used from now on")
	}
}

// dates watches whether the dates of known items stay.
func (l *learner) dates() {
	j, s := l.j, l.s
	was := map[EntryID]int64{}
	for i := range j.state.Manifest {
		was[j.state.Manifest[i].Entry] = j.state.Manifest[i].Published
	}
	same, moved := 0, 0
	for _, a := range j.arrivals {
		if p, ok := was[a.id]; ok && p != 0 && a.f.pub != 0 {
			if p == a.f.pub {
				same++
			} else if a.f.pub > p {
				moved++
			}
		}
	}
	l.churn(&s.DateChurn, &s.DatesVolatile, moved, same)
}

// churn counts a document in which hardly anything of a kind of evidence stayed, or in which most did, and says whether
// it counts as volatile: from churnVolatile documents on, until there is no more churn. It reports whether that changed.
func (l *learner) churn(score *int, volatile *bool, moved, stayed int) (turned bool) {
	next := *score
	switch {
	case moved >= 3 && stayed*9 < moved:
		next = min(next+1, churnMax)
	case stayed > moved && next > 0:
		next--
	}
	was := *volatile
	switch {
	case next >= churnVolatile:
		*volatile = true
	case next == 0:
		*volatile = false
	}
	l.change = l.change || next != *score || *volatile != was
	*score = next
	return *volatile != was
}

// guidHash is what a manifest keeps of a guid; 0 is none.
func guidHash(guid string) uint64 {
	if guid == "" {
		return 0
	}
	return xxh3.HashString(guid)
}

// links counts how far links and enclosures tell new articles apart.
func (l *learner) links(res *Result) {
	j, s := l.j, l.s
	newLinks, newEncls := map[string]int{}, map[string]int{}
	for i := range res.Decisions {
		d := &res.Decisions[i]
		if d.Outcome != New {
			continue
		}
		f := j.of[d.Item].f
		if f.link != "" {
			count(&s.Links, len(j.known.byLink[f.link])+newLinks[f.link])
			newLinks[f.link]++
			if s.Hosts == nil {
				s.Hosts = map[string]int{}
			}
			if h := hostOf(f.link); s.Hosts[h] > 0 || len(s.Hosts) < maxHosts {
				s.Hosts[h]++
			} else {
				s.Hosts[""]++
			}
			l.change = true
		}
		if f.encl != "" {
			count(&s.Enclosures, len(j.known.byEncl[f.encl])+newEncls[f.encl])
			newEncls[f.encl]++
			l.change = true
		}
	}
	if !l.change {
		s.Hosts = maps.Clone(j.state.Hosts)
	}
}

// count notes a value that before entries have already.
func count(g *Grade, before int) {
	switch before {
	case 0:
		g.Distinct++
	case 1:
		g.Shared++
	}
}

// manifest makes the rows of this document. Of a document that was cut off, the rows of the last one that are not in
// it stay: what is absent was not seen.
func (l *learner) manifest() {
	j, s := l.j, l.s
	s.Manifest = s.Manifest[:0:0]
	has := map[EntryID]bool{}
	for _, a := range j.arrivals {
		if a.id == 0 {
			continue // held or invalid: State.Held has it
		}
		r := ManifestRow{GUID: guidHash(a.f.guid), Seen: a.seen, Strict: a.f.strict.short(), Entry: a.id, Published: a.f.pub}
		if a.plain {
			r.Key = a.row.Key
		} else {
			r.Key = a.keys[0].Hash
		}
		if a.deferred {
			r.Seen, r.Strict = 0, 0 // so that the next document looks at it again
		}
		s.Manifest = append(s.Manifest, r)
		has[a.id] = true
	}
	if j.doc.Partial {
		for _, r := range j.state.Manifest {
			if !has[r.Entry] {
				s.Manifest = append(s.Manifest, r)
			}
		}
	}
}

// A publisher's return to an earlier version is believed when nothing else was shown for revertTime and revertDocuments
// changed documents, or where nothing else happens in the feed, for revertQuiet; until then it may be a cache's stale
// copy (DEDUP 2.6, phase 4).
const (
	revertDocuments = 3
	revertTime      = day
	revertQuiet     = 3 * day
)

// reverted reports whether the feed has shown this earlier version of an entry for long enough.
func (j *Judge) reverted(id EntryID, strict uint64) bool {
	for _, r := range j.state.Reverts {
		if r.Entry == id && r.Strict == strict {
			shown := j.doc.Fetched.Unix() - r.Since
			return shown >= revertTime && j.state.Documents+1-r.Document >= revertDocuments-1 || shown >= revertQuiet
		}
	}
	return false
}

// revert notes that an earlier version is shown.
func (l *learner) revert(id EntryID, strict uint64) {
	for _, r := range l.s.Reverts {
		if r.Entry == id && r.Strict == strict {
			return
		}
	}
	if len(l.s.Reverts) < maxReverts {
		l.s.Reverts = append(l.s.Reverts, Revert{Entry: id, Strict: strict, Since: l.j.doc.Fetched.Unix(), Document: l.j.state.Documents + 1})
		l.change = true
	}
}

// reverts forgets earlier versions that are shown no more, or were accepted.
func (l *learner) reverts() {
	shows := map[EntryID]uint64{}
	for _, r := range l.s.Manifest {
		shows[r.Entry] = r.Strict
	}
	n := len(l.s.Reverts)
	l.s.Reverts = slices.DeleteFunc(l.s.Reverts, func(r Revert) bool {
		return shows[r.Entry] != r.Strict || l.j.reverted(r.Entry, r.Strict)
	})
	if len(l.s.Reverts) != n {
		l.change = true
	}
}

// unsettled reports whether time alone will change a decision.
func (l *learner) unsettled() bool {
	if len(l.s.Reverts) > 0 {
		return true
	}
	// What was just learned, or is being forgotten, changes how the very same document is seen.
	if was := l.j.state; l.s.Churn > 0 || l.s.DateChurn > 0 || l.s.GUIDVolatile != was.GUIDVolatile || l.s.DatesVolatile != was.DatesVolatile ||
		len(l.s.SharedGUIDs) != len(was.SharedGUIDs) || len(l.s.VolatileParams) != len(was.VolatileParams) {
		return true
	}
	for _, a := range l.j.arrivals {
		if a.deferred {
			return true
		}
	}
	return false
}

// held remembers which items were quarantined or invalid, so that they are recorded once and not with every document.
func (l *learner) held(res *Result) {
	var held []uint64
	for i := range res.Decisions {
		if o := res.Decisions[i].Outcome; o == Quarantined || o == Invalid {
			held = append(held, heldHash(&l.j.doc.Items[i]))
		}
	}
	slices.Sort(held)
	if len(held) > maxHeld {
		held = held[:maxHeld]
	}
	if !slices.Equal(held, l.s.Held) {
		l.s.Held = held
		l.change = true
	}
}

// again reports whether an item that is held or invalid was so in the last document.
func (j *Judge) again(i int) bool {
	_, found := slices.BinarySearch(j.state.Held, heldHash(&j.doc.Items[i]))
	return found
}

func heldHash(it *Item) uint64 {
	return hashWords([]string{it.Invalid, it.GUID, it.URL, it.Title, it.Summary, it.Content})
}

// gone remembers what vanished, for a few documents.
func (l *learner) gone() {
	s := l.s
	has := map[EntryID]bool{}
	for i := range s.Manifest {
		has[s.Manifest[i].Entry] = true
	}
	var keep []GoneRow
	for _, g := range s.Gone {
		if !has[g.Entry] && s.Documents-g.Document <= goneDocuments {
			keep = append(keep, g)
			has[g.Entry] = true
		}
	}
	ids := slices.Sorted(maps.Keys(l.m.vanished))
	for _, id := range ids {
		if !has[id] && len(keep) < maxGone {
			keep = append(keep, GoneRow{Entry: id, Document: s.Documents})
		}
	}
	s.Gone = keep
}
