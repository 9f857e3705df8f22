package explain

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
)

// Deciding again. What a decision rested on is stored: the item, the versions of the articles that were known, the
// identities they had, what the feed taught. Not stored are the items that a document left unchanged, and how much the feed
// had taught by then. So of the document only those items are here that something was decided about, and where that does
// not do, the articles that most likely stood beside them; whether the old item had just left the feed, or stood beside the
// new one, is taken from the evidence; and of what the feed taught, what it has taught by now and less than that are tried.

// A Check is what a decision comes to when it is made again.
type Check struct {
	Same    bool
	Outcome dedup.Outcome // what it comes to; "" where it could not be made again
	Rule    dedup.RuleID
	Entry   feedonce.EntryID // 0: an article of its own, or none
	Note    string           // dedup's finer name within the rule
	Why     string           // why it could not be made again, in a clause
}

// Text says what came out, in a sentence.
func (c Check) Text() string {
	switch {
	case c.Same:
		return "the same comes out."
	case c.Why != "":
		return "it cannot be decided again: " + c.Why + "."
	}
	to := ""
	if c.Entry != 0 {
		to = fmt.Sprintf(", article %d", c.Entry)
	}
	note := ""
	if c.Note != "" {
		note = ": " + strings.TrimSuffix(noted(c.Note), ".")
	}
	return fmt.Sprintf("it comes to %s%s by rule %s (%s)%s. The program or the policy is another one since then, or too little is stored of that document.",
		c.Outcome, to, c.Rule, dedup.RuleByID(c.Rule).Name, note)
}

// Again makes the decisions about an article once more, by their numbers. Those by a person are left out.
func Again(tx *store.Tx, a *Article) (map[int64]Check, error) {
	doc, err := tx.FeedDoc(a.Feed.ID)
	if err != nil {
		return nil, err
	}
	g := &again{tx: tx, feed: a.Feed.ID, site: a.Feed.SiteURL, pasts: map[feedonce.EntryID]*past{}}
	if g.site == "" {
		g.site = a.Feed.URL
	}
	if doc.Policy != "" {
		if err := json.Unmarshal([]byte(doc.Policy), &g.policy); err != nil {
			return nil, fmt.Errorf("policy of feed %d: %w", a.Feed.ID, err)
		}
	}
	if len(doc.State) > 0 {
		if err := g.state.UnmarshalBinary(doc.State); err != nil {
			g.state = dedup.State{} // as ingest does: learned again
		}
	}
	out := map[int64]Check{}
	for i := range a.Decisions {
		d := &a.Decisions[i]
		if byPerson(d) {
			continue
		}
		if out[d.ID], err = g.check(d); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// byPerson reports whether a person decided.
func byPerson(d *Decision) bool { return len(d.Decision.Rule) > 1 && d.Decision.Rule[0] == 'U' }

// An again makes decisions about one feed once more.
type again struct {
	tx     *store.Tx
	feed   feedonce.FeedID
	site   string
	policy dedup.Policy
	state  dedup.State // what the feed has taught so far
	pasts  map[feedonce.EntryID]*past
}

// A past is what an entry was, version by version.
type past struct {
	first     time.Time
	versions  []store.OldVersion // oldest first, the present one at the end with a zero Replaced
	decisions []Decision         // oldest first
}

func (g *again) past(id feedonce.EntryID) (*past, error) {
	if p := g.pasts[id]; p != nil {
		return p, nil
	}
	now, err := g.tx.Whole(id)
	if err != nil {
		return nil, err
	}
	versions, err := g.tx.OldVersions(id)
	if err != nil {
		return nil, err
	}
	p := &past{first: now.Entry.FirstSeen, versions: append(versions, store.OldVersion{Revision: now.Revision, Item: now.Entry.Item})}
	latest, err := g.tx.Decisions(store.DecisionFilter{Entry: id, Limit: mostDecisions})
	if err != nil {
		return nil, err
	}
	for _, d := range slices.Backward(latest) {
		p.decisions = append(p.decisions, read(d))
	}
	g.pasts[id] = p
	return p, nil
}

// before is the version that was current before a moment, or false where the entry was not there yet.
func (p *past) before(at time.Time) (store.OldVersion, bool) {
	if !p.first.Before(at) {
		return store.OldVersion{}, false
	}
	for _, v := range p.versions {
		if v.Replaced.IsZero() || !v.Replaced.Before(at) {
			p.address(&v.Item, at)
			return v, true
		}
	}
	return store.OldVersion{}, false
}

// address gives an item the guid and link that its entry had at a moment: an article that only moves gets its new ones
// without a new version, and what it had is in the evidence of the next decision.
func (p *past) address(it *dedup.Item, at time.Time) {
	var guid, link bool
	for i := range p.decisions {
		d := &p.decisions[i]
		if d.At.Before(at) {
			continue
		}
		for _, f := range d.Evidence.Facts {
			switch {
			case f.Want == "" || f.Is == "equal" || f.Is == "equal, but weak":
			case f.Name == "guid" && !guid:
				it.GUID, guid = f.Want, true
			case f.Name == "link" && !link:
				it.URL, link = f.Want, true
			}
		}
	}
}

// arrived is what came with a decision.
func (g *again) arrived(d *Decision) (dedup.Item, string, error) {
	if d.Item != nil {
		return *d.Item, "", nil
	}
	p, err := g.past(d.Decision.Entry)
	if errors.Is(err, feedonce.ErrNotFound) {
		return dedup.Item{}, "its article is gone", nil
	}
	if err != nil {
		return dedup.Item{}, "", err
	}
	// It is the version that became current then: the one before was replaced at that moment.
	for i, v := range p.versions {
		began := p.first
		if i > 0 {
			began = p.versions[i-1].Replaced
		}
		if began.Equal(d.At) {
			p.address(&v.Item, d.At.Add(time.Microsecond))
			return v.Item, "", nil
		}
	}
	return dedup.Item{}, "the version that came then is not kept any more", nil
}

// check makes one decision again.
func (g *again) check(d *Decision) (Check, error) {
	if d.Damage != "" {
		return Check{Why: d.Damage}, nil
	}
	item, why, err := g.arrived(d)
	if err != nil || why != "" {
		return Check{Why: why}, err
	}
	doc := &dedup.Document{Fetched: d.At, Site: g.site, Items: []dedup.Item{item}}
	// What came with the same document, as far as something was decided about it.
	beside, err := g.beside(d)
	if err != nil {
		return Check{}, err
	}
	var manifest []dedup.ManifestRow
	for _, o := range beside {
		if o.ID != d.ID {
			if it, why, err := g.arrived(&o); err != nil {
				return Check{}, err
			} else if why == "" {
				doc.Items = append(doc.Items, it)
			}
		}
		row, stood, err := g.row(&o)
		if err != nil {
			return Check{}, err
		}
		switch {
		case !stood:
		case o.is("structure") == "both stand in the document at once":
			doc.Items = append(doc.Items, row.item)
			manifest = append(manifest, row.ManifestRow)
		case o.is("structure") != "" || dedup.Outcome(o.Outcome) == dedup.Updated:
			manifest = append(manifest, row.ManifestRow)
		}
	}
	doc.Partial = d.is("structure") == "" // nothing is said of what left the feed
	var first Check
	for _, fill := range []bool{false, true} {
		// What a change amounts to, and whether something left the feed, depends on what else stood in it.
		if fill && dedup.Outcome(d.Outcome) == dedup.New {
			break
		}
		if fill {
			rows, err := g.fill(doc, d)
			if err != nil {
				return first, err
			}
			manifest = append(manifest, rows...)
		}
		for i, state := range g.lessons(d) {
			state.Manifest = manifest
			c, err := g.decide(doc, state, d)
			if err != nil || c.Same {
				return c, err
			}
			if i == 0 && !fill {
				first = c
			}
		}
	}
	return first, nil
}

// fill adds to a document the articles that most likely stood in it unchanged: the newest there were, as many as the feed
// shows now.
func (g *again) fill(doc *dedup.Document, d *Decision) ([]dedup.ManifestRow, error) {
	size := len(g.state.Manifest)
	newest, err := g.tx.Entries(store.EntryFilter{Feed: g.feed, Limit: max(1, size), Before: store.Cursor{Time: d.At}})
	if err != nil {
		return nil, err
	}
	has := map[string]bool{}
	for _, it := range doc.Items {
		has[it.GUID+" "+it.URL] = true
	}
	var rows []dedup.ManifestRow
	for _, e := range newest {
		p, err := g.past(e.ID)
		if err != nil {
			return nil, err
		}
		v, ok := p.before(d.At)
		if !ok || e.ID == d.Decision.Entry || len(doc.Items) >= size || has[v.Item.GUID+" "+v.Item.URL] {
			continue
		}
		doc.Items = append(doc.Items, v.Item)
		if row, ok := g.rowOf(v.Item, e.ID, d.At); ok {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// lessons are what the feed may have taught by the time of a decision: what it has taught by now, or less. How much it was
// then is not stored.
func (g *again) lessons(d *Decision) []dedup.State {
	now := g.state
	now.Gone, now.Held, now.Reverts = nil, nil, nil
	now.Documents = max(1, now.Documents)
	trusting := now
	trusting.Churn, trusting.GUIDVolatile, trusting.SharedGUIDs, trusting.VolatileParams = 0, false, nil, nil
	early := dedup.State{Documents: 1}
	switch {
	case d.Quiet == "first document of the feed":
		return []dedup.State{{}}
	case now.GUIDVolatile:
		return []dedup.State{now, trusting, early, {Documents: 1, Churn: now.Churn, GUIDVolatile: true, SharedGUIDs: now.SharedGUIDs}}
	}
	return []dedup.State{now, trusting, early}
}

// decide decides a document on what was known before d, and compares what comes of its first item.
func (g *again) decide(doc *dedup.Document, state dedup.State, d *Decision) (Check, error) {
	var failed error
	res := dedup.Decide(doc, &state, g.policy, func(q dedup.Query) *dedup.Known {
		// What was considered then is known by other identities now.
		q.Entries = slices.Clone(q.Entries)
		for _, o := range d.Others {
			q.Entries = append(q.Entries, dedup.EntryID(o.Entry))
		}
		if d.Decision.Entry != 0 {
			q.Entries = append(q.Entries, dedup.EntryID(d.Decision.Entry))
		}
		known, err := g.known(q, d)
		if err != nil {
			failed = err
			return &dedup.Known{}
		}
		return known
	})
	if failed != nil {
		return Check{}, failed
	}
	got := res.Decisions[0]
	c := Check{Outcome: got.Outcome, Rule: got.Rule, Entry: feedonce.EntryID(max(got.Entry, 0)), Note: got.Evidence.Note}
	c.Same = string(got.Outcome) == d.Outcome && string(got.Rule) == d.Decision.Rule && (got.Outcome == dedup.New || c.Entry == d.Decision.Entry)
	return c, nil
}

// beside returns the decisions about the same document, d among them.
func (g *again) beside(d *Decision) ([]Decision, error) {
	const most = 300
	out := []Decision{*d}
	for _, dir := range [...]int64{d.ID + most, d.ID} {
		near, err := g.tx.Decisions(store.DecisionFilter{Feed: g.feed, Before: dir, Limit: most})
		if err != nil {
			return nil, err
		}
		for _, o := range near {
			if o.At.Equal(d.At) && !slices.ContainsFunc(out, func(x Decision) bool { return x.ID == o.ID }) {
				if r := read(o); !byPerson(&r) {
					out = append(out, r)
				}
			}
		}
	}
	return out, nil
}

type stood struct {
	dedup.ManifestRow
	item dedup.Item
}

// row is the row of the last document for the entry of a decision, as it was before.
func (g *again) row(d *Decision) (stood, bool, error) {
	if d.Decision.Entry == 0 || dedup.Outcome(d.Outcome) == dedup.New {
		return stood{}, false, nil
	}
	p, err := g.past(d.Decision.Entry)
	if errors.Is(err, feedonce.ErrNotFound) {
		return stood{}, false, nil
	}
	if err != nil {
		return stood{}, false, err
	}
	v, ok := p.before(d.At)
	if !ok {
		return stood{}, false, nil
	}
	r, ok := g.rowOf(v.Item, d.Decision.Entry, d.At)
	return stood{r, v.Item}, ok, nil
}

// rowOf is the row that the last document had for an entry.
func (g *again) rowOf(it dedup.Item, id feedonce.EntryID, at time.Time) (dedup.ManifestRow, bool) {
	a := dedup.Admit(it, at, &g.state, g.policy)
	if len(a.Keys) == 0 {
		return dedup.ManifestRow{}, false
	}
	r := dedup.ManifestRow{Key: a.Keys[0].Hash, Strict: binary.BigEndian.Uint64(a.Entry.Strict[:8]), Entry: dedup.EntryID(id)}
	if !it.Published.IsZero() {
		r.Published = it.Published.Unix()
	}
	return r, true
}

// known answers a query as the store would have before a decision.
func (g *again) known(q dedup.Query, d *Decision) (*dedup.Known, error) {
	now, err := g.tx.Known(g.feed, q)
	if err != nil {
		return nil, err
	}
	out := &dedup.Known{}
	keys := map[dedup.Hash]dedup.EntryID{}
	for _, e := range now.Entries {
		p, err := g.past(feedonce.EntryID(e.ID))
		if err != nil {
			return nil, err
		}
		v, ok := p.before(d.At)
		if !ok {
			continue
		}
		if past := dedup.Admit(v.Item, d.At, &g.state, g.policy).Entry; past.Strict != e.Strict { // it is another one now
			e.Item, e.Strict, e.Ring = v.Item, past.Strict, nil
			for _, old := range slices.Backward(p.versions) {
				if old.Revision < v.Revision && len(e.Ring) < dedup.RingSize {
					strict := dedup.Admit(old.Item, d.At, &g.state, g.policy).Entry.Strict
					e.Ring = append(e.Ring, binary.BigEndian.Uint64(strict[:8]))
				}
			}
		}
		e.Streak = 0 // how often it had changed in a row is not stored
		out.Entries = append(out.Entries, e)
		for _, k := range p.keys(d.At, &g.state, g.policy) {
			keys[k] = e.ID
		}
	}
	for _, k := range q.Keys {
		if id, ok := keys[k.Hash]; ok {
			out.Keys = append(out.Keys, dedup.KnownKey{Key: k, Entry: id})
		}
	}
	for _, v := range now.Verdicts {
		if said, err := g.verdictBefore(v, d.At); err != nil {
			return nil, err
		} else if said {
			out.Verdicts = append(out.Verdicts, v)
		}
	}
	return out, nil
}

// keys are the identities an entry had before a moment: of its versions until then, and of what was folded into it.
func (p *past) keys(at time.Time, state *dedup.State, policy dedup.Policy) []dedup.Hash {
	var out []dedup.Hash
	add := func(it dedup.Item) {
		for _, k := range dedup.Admit(it, at, state, policy).Keys {
			out = append(out, k.Hash)
		}
	}
	began := p.first
	for _, v := range p.versions {
		if began.Before(at) {
			p.address(&v.Item, began.Add(time.Microsecond))
			add(v.Item)
		}
		began = v.Replaced
	}
	for i := range p.decisions {
		if d := &p.decisions[i]; d.At.Before(at) && d.Item != nil {
			add(*d.Item)
		}
	}
	return out
}

// verdictBefore reports whether a person had said it by then.
func (g *again) verdictBefore(v dedup.Verdict, at time.Time) (bool, error) {
	said, err := g.tx.Verdicts(feedonce.EntryID(v.A))
	for _, s := range said {
		if s.A == feedonce.EntryID(v.A) && s.B == feedonce.EntryID(v.B) && s.At.Before(at) {
			return true, nil
		}
	}
	return false, err
}
