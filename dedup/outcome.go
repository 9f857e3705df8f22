package dedup

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// conclude turns what match found into decisions, in document order, and what to remember.
func (j *Judge) conclude(m *matching) *Result {
	res := &Result{Decisions: make([]Decision, len(j.doc.Items))}
	learned := j.learner(m)
	contentKeys := map[Hash]int{}
	for _, a := range j.arrivals {
		if !a.plain {
			contentKeys[contentKey(a.f)]++
		}
	}
	for _, a := range j.arrivals {
		d := &res.Decisions[a.index]
		d.Item = a.index
		switch {
		case a.plain:
			d.Outcome, d.Rule, d.Entry = Unchanged, a.rule.ID, a.id
		case j.held(a, d):
		case a.id < 0 && a.primary:
			j.newEntry(a, d, contentKeys)
		case !a.primary:
			j.anotherIdentity(a, d)
		default:
			j.compare(a, d, learned, contentKeys)
		}
	}
	for i := range j.doc.Items {
		d := &res.Decisions[i]
		a := j.of[i]
		switch {
		case a == nil:
			d.Item = i
			j.invalid(i, d)
		case a.index != i:
			d.Item = i
			d.Outcome, d.Rule, d.Entry = Unchanged, "G0", a.id
			if res.Decisions[a.index].Entry == 0 { // its twin is held
				d.Outcome, d.Rule, d.Entry, d.Again = res.Decisions[a.index].Outcome, "G0", 0, true
			}
			if j.older[i] {
				d.Evidence.Note = "older version in the same document"
			}
		}
	}
	j.footers(res)
	j.tell(res, m)
	res.State, res.StateChanged = learned.state(res)
	res.Unsettled = learned.unsettled()
	res.Notes = j.notes
	return res
}

// footers finds updates that add the same words to the end of most items: a footer for the whole site, and nothing that
// a reader wants to hear of.
func (j *Judge) footers(res *Result) {
	added := map[uint64][]*Decision{}
	for _, a := range j.arrivals {
		d := &res.Decisions[a.index]
		if d.Outcome != Updated || a.entry == nil || a.entry.entry == nil {
			continue
		}
		now, was := a.f.words(), a.entry.f.words()
		if len(now.words) > len(was.words) && now.titleK == was.titleK && prefix(was.words, now.words) {
			h := hashWords(now.words[len(was.words):])
			added[h] = append(added[h], d)
		}
	}
	for _, ds := range added {
		if len(ds) < 3 || len(ds)*2 < len(j.arrivals) {
			continue
		}
		for _, d := range ds {
			d.Evidence.Material = false
			d.Evidence.Note = "the same words were added to most items"
		}
	}
}

// invalid decides an item in which nothing identifies an article.
func (j *Judge) invalid(i int, d *Decision) {
	d.Outcome, d.Rule, d.Again = Invalid, "Q0", j.again(i)
	if why := j.doc.Items[i].Invalid; why != "" {
		d.Rule = "Q1"
		d.Evidence.Note = why
	}
}

// held applies the policy on items without a guid. An item that is known already is not held again.
func (j *Judge) held(a *arrival, d *Decision) bool {
	if a.f.guid != "" || a.id > 0 {
		return false
	}
	switch j.policy.MissingGUID {
	case MissingQuarantine:
		d.Outcome, d.Rule = Quarantined, "Q2"
	case MissingReject:
		d.Outcome, d.Rule = Invalid, "Q2"
	default:
		return false
	}
	d.Again = j.again(a.index)
	a.id, a.entry = 0, nil
	return true
}

func (j *Judge) newEntry(a *arrival, d *Decision, contentKeys map[Hash]int) {
	d.Outcome, d.Rule, d.Entry = New, a.rule.ID, a.id
	d.Keys = a.keys
	d.Evidence.Others = a.turned
	d.Evidence.Facts = j.selfFacts(a)
	now := j.doc.Fetched
	e := Entry{ID: a.id, Item: j.doc.Items[a.index], Strict: a.f.strict, FirstSeen: now, Changed: now}
	e.ContentKey = j.freeContentKey(a, contentKeys)
	d.Write = &Write{Entry: e, Marks: a.f.marks()}
}

// anotherIdentity decides an arrival whose entry another item of the document speaks for.
func (j *Judge) anotherIdentity(a *arrival, d *Decision) {
	d.Entry, d.Rule = a.id, a.rule.ID
	if a.exact {
		d.Outcome = Unchanged
		d.Evidence.Note = "another identity of an article that stands in this document"
		return
	}
	d.Outcome = Duplicate
	d.Keys = a.keys
	d.Evidence.Facts = a.pair.facts()
	d.Evidence.Note = "both stand in the document at once"
}

// compare decides an arrival whose entry is known: has the article changed (DEDUP 2.6, phase 4)?
func (j *Judge) compare(a *arrival, d *Decision, l *learner, contentKeys map[Hash]int) {
	e, f := a.entry.entry, a.f
	d.Entry, d.Rule = a.id, a.rule.ID
	same := Unchanged
	if !a.exact {
		same = Duplicate
		d.Keys = a.keys
		d.Evidence.Facts = a.pair.facts()
		d.Evidence.Others = a.turned
	} else {
		d.Keys = j.missingKeys(a)
	}
	if e == nil { // present in the last document and not asked for: nothing about it is in question
		d.Outcome = same
		return
	}
	if e.Purged {
		d.Outcome = same
		d.Evidence.Note = "its texts were removed by retention"
		return
	}
	// The entry's features are computed anew: what this feed taught meanwhile changes what counts as the same.
	old := a.entry.f
	switch {
	case f.strict == strictHash(old.item, old.link):
		d.Outcome = same
		if !a.exact && f.pub != old.pub && f.pub != 0 {
			j.rewrite(a, d, e, contentKeys) // the date moved with the identity: remember it, quietly
			d.Write.Version = false
			d.Write.Entry.Changed = e.Changed
		}
		return
	case slices.Contains(e.Ring, f.strict.short()):
		if a.exact && j.reverted(a.id, f.strict.short()) {
			d.Outcome = Updated
			d.Evidence.Note = "an earlier version came back to stay"
			d.Evidence.Changed = changed(f, old)
			d.Evidence.Material = f.words().looseH != old.words().looseH
			j.rewrite(a, d, e, contentKeys)
			d.Write.Version = true
			return
		}
		d.Outcome = same
		d.Evidence.Note = "seen version"
		if t, o := f.words(), old.words(); t.looseH != o.looseH || t.fullH != o.fullH {
			l.revert(a.id, f.strict.short()) // another rendering of the same words is not worth it
		}
		return
	}
	fields := changed(f, old)
	if !slices.ContainsFunc(fields, func(n string) bool { return n != fieldURL && n != fieldEnclosureURL && n != fieldEnclosureType }) {
		if params := volatileParams(f.link, old.link); len(params) > 0 && len(fields) == 1 && (f.guid == "" || j.guidsWeak() || j.sharedGUID(f.guid) || a.exact) && !j.identifying(params) {
			l.volatile(params)
			d.Outcome = same
			d.Evidence.Note = "only link parameters that change by themselves differ: " + strings.Join(params, ", ")
			return
		}
		if !a.exact {
			d.Outcome = Duplicate
			d.Evidence.Note = "moved"
			j.rewrite(a, d, e, contentKeys)
			d.Write.Version = false
			return
		}
	}
	t, o := f.words(), old.words()
	if t.titleK == o.titleK && len(t.words) < len(o.words) && len(t.words) >= minContained && prefix(t.words, o.words) {
		d.Outcome = same
		d.Evidence.Note = "excerpt of what is stored"
		return
	}
	if t.looseH == o.looseH && t.fullH == o.fullH && t.refs == o.refs && t.removed != o.removed && f.link == old.link {
		d.Outcome = same
		d.Evidence.Note = "only counters or relative times differ"
		return
	}
	if e.Streak >= stormUpdates && j.doc.Fetched.Sub(e.Changed) < stormWindow {
		d.Outcome = same
		a.deferred = true
		d.Evidence.Note = "changes with every document: written at most every " + stormWindow.String()
		return
	}
	d.Outcome = Updated
	if !a.exact {
		d.Evidence.Note = "re-issued and edited"
	}
	d.Evidence.Changed = fields
	d.Evidence.Material = t.looseH != o.looseH
	j.rewrite(a, d, e, contentKeys)
	d.Write.Version = true
	d.Write.Entry.Ring = push(e.Ring, e.Strict.short())
	if j.state.LastSeen != 0 && e.Changed.Unix() == j.state.LastSeen {
		d.Write.Entry.Streak = e.Streak + 1
	} else {
		d.Write.Entry.Streak = 1
	}
}

// A live page is written at most every stormWindow after stormUpdates updates in consecutive documents.
const (
	stormUpdates = 3
	stormWindow  = 6 * time.Hour
)

// rewrite makes the arrival the content of its entry.
func (j *Judge) rewrite(a *arrival, d *Decision, e *Entry, contentKeys map[Hash]int) {
	n := Entry{ID: e.ID, Item: j.doc.Items[a.index], Strict: a.f.strict, Ring: push(e.Ring, e.Strict.short()), FirstSeen: e.FirstSeen, Changed: j.doc.Fetched}
	n.ContentKey = j.freeContentKey(a, contentKeys)
	d.Write = &Write{Entry: n, Marks: a.f.marks()}
}

// missingKeys returns the keys of an arrival known by one of them that do not lead to its entry yet, where the one
// that leads there is not the first: the kind of identity changed, and from now on the first is to be enough.
func (j *Judge) missingKeys(a *arrival) []Key {
	if id, ok := j.known.byKey[a.keys[0].Hash]; ok && id == a.id {
		return nil
	}
	var out []Key
	for _, k := range a.keys {
		if id, ok := j.known.byKey[k.Hash]; !ok || id != a.id {
			out = append(out, k)
		}
	}
	return out
}

// contentKey is the database's own guard against the same article twice: link, title and text. It is zero where they
// are too little to say so.
func contentKey(f *features) (h Hash) {
	t := f.words()
	if f.link == "" || len(t.words) < minNear {
		return h
	}
	var room [512]byte
	p := appendField(room[:0], 'l', f.link)
	p = appendField(p, 't', t.titleK)
	p = appendField(p, 'x', strconv.FormatUint(t.textH, 16))
	sum := sha256.Sum256(p)
	return Hash(sum[:len(h)])
}

// freeContentKey returns the arrival's content key if no other entry and no other arrival has it: two entries that a
// publisher shows side by side, or that an edit made equal, are two, and then have none.
func (j *Judge) freeContentKey(a *arrival, inDocument map[Hash]int) Hash {
	k := contentKey(a.f)
	if k == (Hash{}) || inDocument[k] > 1 || !j.linkStrong(a.f.link) {
		return Hash{}
	}
	for _, c := range j.known.byLink[a.f.link] {
		if c != a.entry && c.entry != nil && c.entry.ContentKey == k {
			return Hash{}
		}
	}
	return k
}

// identifying reports whether without these parameters two links of the document would be one.
func (j *Judge) identifying(params []string) bool {
	bare := map[string]string{}
	for link := range j.linkCount {
		b := without(link, params)
		if was, ok := bare[b]; ok && was != link {
			return true
		}
		bare[b] = link
	}
	return false
}

// volatileParams returns the names of the query parameters in which two links differ, where they differ in nothing
// else.
func volatileParams(a, b string) []string {
	pa, qa, okA := strings.Cut(a, "?")
	pb, qb, okB := strings.Cut(b, "?")
	if !okA || !okB || pa != pb || strings.IndexByte(qa, '#') >= 0 || strings.IndexByte(qb, '#') >= 0 {
		return nil
	}
	x, y := strings.Split(qa, "&"), strings.Split(qb, "&")
	if len(x) != len(y) {
		return nil
	}
	var out []string
	for i := range x {
		n, _, _ := strings.Cut(x[i], "=")
		m, _, _ := strings.Cut(y[i], "=")
		if n != m {
			return nil
		}
		if x[i] != y[i] {
			out = append(out, n)
		}
	}
	return out
}

func without(link string, params []string) string {
	p, q, ok := strings.Cut(link, "?")
	if !ok {
		return link
	}
	var keep []string
	for _, kv := range strings.Split(q, "&") {
		n, _, _ := strings.Cut(kv, "=")
		if !slices.Contains(params, n) {
			keep = append(keep, kv)
		}
	}
	return p + "?" + strings.Join(keep, "&")
}

func prefix(short, long []string) bool {
	return len(short) <= len(long) && slices.Equal(short, long[:len(short)])
}

func push(ring []uint64, h uint64) []uint64 {
	out := append([]uint64{h}, ring...)
	return out[:min(len(out), RingSize)]
}

// changed names the tracked fields in which two versions differ.
func changed(x, y *features) []string {
	a, b := x.item, y.item
	var out []string
	diff := func(name string, is bool) {
		if is {
			out = append(out, name)
		}
	}
	text := func(s, t string) bool { return s != t && squeeze(s) != squeeze(t) }
	diff(fieldTitle, text(a.Title, b.Title))
	diff(fieldContent, text(a.Content, b.Content))
	diff(fieldSummary, text(a.Summary, b.Summary))
	diff(fieldAuthor, text(a.Author, b.Author))
	diff(fieldURL, x.link != y.link)
	diff(fieldEnclosureURL, !slices.EqualFunc(a.Enclosures, b.Enclosures, func(x, y Enclosure) bool {
		return enclosureStrict(x) == enclosureStrict(y)
	}))
	diff(fieldEnclosureType, !slices.EqualFunc(a.Enclosures, b.Enclosures, func(x, y Enclosure) bool {
		return equalFold(x.Type, y.Type)
	}))
	return out
}

// selfFacts says what a new article was looked up by.
func (j *Judge) selfFacts(a *arrival) []Fact {
	var out []Fact
	if a.f.guid != "" {
		out = append(out, Fact{Name: "guid", Is: guidUse(a), Have: cut(a.f.guid, 300)})
	} else {
		out = append(out, Fact{Name: "guid", Is: "absent"})
	}
	if a.f.link != "" {
		is := "unknown"
		if n := len(j.known.byLink[a.f.link]); n > 0 {
			is = fmt.Sprintf("on %d other articles", n)
		}
		out = append(out, Fact{Name: "link", Is: is, Have: cut(a.f.link, 300)})
	}
	if t := a.f.words().titleK; t != "" {
		is := "unknown"
		if n := len(j.known.byTitle[t]); n > 0 {
			is = fmt.Sprintf("on %d other articles", n)
		}
		out = append(out, Fact{Name: "title", Is: is, Have: cut(t, 300)})
	}
	return out
}

// guidUse says what was found of the guid of a new article.
func guidUse(a *arrival) string {
	by := func(kinds ...KeyKind) bool {
		return slices.ContainsFunc(a.keys, func(k Key) bool { return slices.Contains(kinds, k.Kind) })
	}
	switch {
	case a.recycled:
		return "recycled"
	case by(KeyGUID):
		return "unknown"
	case by(KeyGUIDLink, KeyGUIDLinkTitle):
		return "shared"
	default:
		return "ignored"
	}
}
