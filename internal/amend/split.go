package amend

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/ingest"
	"feedonce/internal/outbox"
	"feedonce/internal/store"
)

// Split says that a decision was wrong which took an arrival for a known article: that of a duplicate becomes an entry of
// its own, and that of an update gets its former version back, and the new one becomes an entry of its own. The result's
// B is the new entry, and its Note a sentence for the person. It is unread, and destinations are told of it, as they were
// not when it came.
//
// ErrNotFound where there is no such decision, *feedonce.InvalidError where it took nothing for something else or the two
// cannot be told apart, feedonce.ErrExists where they were split already.
func Split(ctx context.Context, s *store.Store, decision int64, by By) (store.Amendment, error) {
	return update(ctx, s, func(tx *store.Tx) (store.Amendment, error) {
		d, err := tx.Decision(decision)
		if err != nil {
			return store.Amendment{}, err
		}
		f, err := hold(tx, d.Feed, false)
		if err != nil {
			return store.Amendment{}, err
		}
		am, err := f.split(tx, d, by)
		if err != nil {
			return store.Amendment{}, fmt.Errorf("split decision %d: %w", decision, err)
		}
		if err := f.save(tx); err != nil {
			return am, err
		}
		return am, f.tell(tx, by)
	})
}

func (f *feed) split(tx *store.Tx, d feedonce.Decision, by By) (am store.Amendment, err error) {
	if done, err := tx.Amendments(store.AmendmentFilter{Decision: d.ID, Kinds: []store.AmendmentKind{store.AmendSplit}, Holds: true, Limit: 1}); err != nil {
		return am, err
	} else if len(done) > 0 {
		return am, fmt.Errorf("entry %d was split off: %w", done[0].B, feedonce.ErrExists)
	}
	var part func(*store.Tx, feedonce.Decision, store.Whole, By) (*before, error)
	switch dedup.Outcome(d.Outcome) {
	case dedup.Duplicate:
		part = f.splitDuplicate
	case dedup.Updated:
		part = f.splitUpdate
	default:
		return am, invalid("decision", "must have taken an arrival for a known article (duplicate or updated); %d is %s", d.ID, d.Outcome)
	}
	a, err := tx.Whole(d.Entry)
	if err != nil {
		return am, err
	}
	if a.MergedInto != 0 {
		if dedup.Outcome(d.Outcome) == dedup.Updated {
			return am, invalid("decision", "is about entry %d, which is part of %d: undo that first", d.Entry, a.MergedInto)
		}
		if a, err = live(tx, a.MergedInto); err != nil {
			return am, err
		}
	}
	b4, err := part(tx, d, a, by)
	if err != nil {
		return am, err
	}
	idA, idB := a.ID(), b4.B.ID()
	if err := tx.ClearContentKeys(idA, idB); err != nil {
		return am, err
	}
	if err := tx.SetVerdict(store.Verdict{A: idA, B: idB, At: by.At, Who: by.Who, Rule: d.Rule}); err != nil {
		return am, err
	}
	am = store.Amendment{Kind: store.AmendSplit, Feed: f.id, A: idA, B: idB, At: by.At, Who: by.Who, Decision: d.ID, Rule: d.Rule}
	am.Note = by.note(fmt.Sprintf("%%s said that entry %d is an article of its own, and not entry %d (rule %s)", idB, idA, d.Rule))
	more, err := f.suspect(tx, d.Rule)
	if err != nil {
		return am, err
	}
	if more != "" {
		am.Note += "; " + more
		b4.Suspect = true
	}
	why, err := json.Marshal(dedup.Evidence{Note: am.Note, Others: []dedup.Other{{Entry: dedup.EntryID(idA), Why: "a person said that these are two articles"}}})
	if err != nil {
		return am, err
	}
	if _, err := tx.AddDecision(feedonce.Decision{At: by.At, Feed: f.id, Entry: idB, Outcome: string(dedup.New), Rule: "U1", Title: b4.B.Title,
		Evidence: why, Told: true}, b4.B.Entry.Item); err != nil {
		return am, err
	}
	if f.policy.Stories != dedup.StoriesOff {
		seeks := []store.StorySeek{ingest.Seek(idB, &b4.B.Entry.Item)}
		if err := tx.AddStoryMarks(f.id, seeks, b4.B.Entry.FirstSeen); err != nil {
			return am, err
		}
	}
	if am.Before, err = b4.json(); err != nil {
		return am, err
	}
	ev := told(b4.B)
	ev.Change, ev.Other = feedonce.ChangeSplit, idA
	f.events = append(f.events, ev)
	b4.logged(f)
	am.ID, err = tx.AddAmendment(am)
	return am, err
}

// suspect confines a rule to raising suspicion in the feed when people reversed it twice, with the split that is being
// made, and says so.
func (f *feed) suspect(tx *store.Tx, rule string) (string, error) {
	r := dedup.RuleByID(dedup.RuleID(rule))
	if !r.Folds() || slices.Contains(f.policy.SuspectOnly, r.ID) {
		return "", nil
	}
	reversed, err := tx.Amendments(store.AmendmentFilter{Feed: f.id, Kinds: []store.AmendmentKind{store.AmendSplit}, Rule: rule, Holds: true, Limit: 1})
	if err != nil || len(reversed) == 0 {
		return "", err
	}
	p := f.policy
	p.SuspectOnly = append(slices.Clone(p.SuspectOnly), r.ID)
	return fmt.Sprintf("that is the second time here, so rule %s (%s) folds nothing in this feed any more and only raises suspicion", r.ID, r.Name), f.setPolicy(tx, p)
}

// splitDuplicate makes an entry of an arrival that was folded into a.
func (f *feed) splitDuplicate(tx *store.Tx, d feedonce.Decision, a store.Whole, by By) (*before, error) {
	var item dedup.Item
	if err := json.Unmarshal(d.Arrival, &item); err != nil {
		return nil, fmt.Errorf("arrival: %w", err)
	}
	was := a
	has, err := tx.Keys(a.ID())
	if err != nil {
		return nil, err
	}
	every := setOf(dedup.EveryKey(item, d.At, f.state))
	own := setOf(dedup.EveryKey(a.Entry.Item, a.Entry.FirstSeen, f.state))
	if rewritten(own, every) {
		// The arrival brought the entry its own address or date: what it was known by before is the entry's.
		own = keySet{}
		for _, k := range has {
			own[k.Hash] = !every[k.Hash]
		}
		takeBack(&a, d)
	}
	n, err := f.admit(tx, item, d)
	if err != nil {
		return nil, err
	}
	n.keys = slices.DeleteFunc(n.keys, func(k dedup.Key) bool { return own[k.Hash] })
	var moved []dedup.Key
	for _, k := range has {
		if every[k.Hash] && !own[k.Hash] {
			moved = append(moved, k)
		}
	}
	n.keys = append(moved, n.keys...)
	if len(n.keys) == 0 {
		return nil, invalid("decision", "cannot be split: nothing in the arrival tells it apart from entry %d under this feed's policy", a.ID())
	}
	id, err := tx.PutWhole(n.whole)
	if err != nil {
		return nil, err
	}
	n.whole.Entry.ID = dedup.EntryID(id)
	if _, err := tx.PointKeys(f.id, pointed(n.keys, id), by.At); err != nil {
		return nil, err
	}
	if a.Entry.Item.GUID != was.Entry.Item.GUID || a.Entry.Item.URL != was.Entry.Item.URL || !a.Entry.Item.Published.Equal(was.Entry.Item.Published) {
		back := dedup.Admit(a.Entry.Item, a.Entry.FirstSeen, f.state, f.policy)
		a.Entry.Strict, a.Marks = back.Entry.Strict, back.Marks
		a.Entry.Ring = ring(a.Entry.Strict, a.Entry.Ring...)
		a.Entry.ContentKey = dedup.Hash{}
		if _, err := tx.PutWhole(a); err != nil {
			return nil, err
		}
	}
	f.handOver(a.ID(), id, setOf(n.keys))
	b4 := &before{A: &was, B: &n.whole, Keys: n.keys}
	b4.left(&a)
	return b4, nil
}

// rewritten reports whether an entry has the very identities of an arrival.
func rewritten(own, every keySet) bool {
	if len(own) != len(every) {
		return false
	}
	for h := range own {
		if !every[h] {
			return false
		}
	}
	return true
}

// takeBack gives an entry the guid, address and date that the decision's evidence says it had.
func takeBack(a *store.Whole, d feedonce.Decision) {
	a.Entry.Item.GUID = a.GUID
	var why dedup.Evidence
	if json.Unmarshal(d.Evidence, &why) != nil {
		return
	}
	for _, fact := range why.Facts {
		switch {
		case fact.Name == "link" && (fact.Is == "differs" || fact.Is == "same path on another host") && fact.Want != "":
			a.Entry.Item.URL = fact.Want
		case fact.Name == "published":
			if t, err := time.Parse(time.RFC3339, fact.Want); err == nil {
				a.Entry.Item.Published = t
			}
		}
	}
}

// splitUpdate gives a its former version back, and makes an entry of the version that took its place and of what came
// after it: a guid that was used again.
func (f *feed) splitUpdate(tx *store.Tx, d feedonce.Decision, a store.Whole, by By) (*before, error) {
	versions, err := tx.OldVersions(a.ID())
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(versions, func(v store.OldVersion) bool { return v.Replaced.Equal(d.At) })
	if at < 0 {
		return nil, invalid("decision", "cannot be split: the version that entry %d had before is not kept", a.ID())
	}
	v, later := versions[at], versions[at+1:]
	b4 := &before{A: &a, Versions: versions[at:]}

	b := a
	b.Entry.ID, b.Entry.ContentKey, b.Entry.FirstSeen = 0, dedup.Hash{}, d.At
	b.GUID, b.Revision = a.Entry.Item.GUID, a.Revision-v.Revision
	// The ring has the former version, too: a cache that still shows it makes no version of the new article.
	id, err := tx.PutWhole(b)
	if err != nil {
		return nil, err
	}
	b.Entry.ID, b4.B = dedup.EntryID(id), &b
	for _, l := range later {
		l.Revision -= v.Revision
		if err := tx.PutVersion(id, l); err != nil {
			return nil, err
		}
	}
	if err := tx.DropVersions(a.ID(), v.Revision, a.Revision); err != nil {
		return nil, err
	}
	if err := outbox.Reverted(tx, a.ID(), v.Revision, by.At); err != nil {
		return nil, err
	}

	old := a
	back := dedup.Admit(v.Item, a.Entry.FirstSeen, f.state, f.policy)
	old.Entry.Item, old.Entry.Strict, old.Entry.ContentKey, old.Entry.Streak = v.Item, back.Entry.Strict, dedup.Hash{}, 0
	old.Title, old.Marks, old.Revision = v.Title, back.Marks, v.Revision
	old.Entry.Changed = a.Entry.FirstSeen
	if at > 0 {
		old.Entry.Changed = versions[at-1].Replaced
	}
	old.Entry.Ring = ring(old.Entry.Strict, a.Entry.Ring...)
	if _, err := tx.PutWhole(old); err != nil {
		return nil, err
	}
	b4.left(&old)

	// What the new article is known by is its own, also what the old one shares, which the feed shows no more.
	has, err := tx.Keys(a.ID())
	if err != nil {
		return nil, err
	}
	news := dedup.Admit(a.Entry.Item, a.Entry.Changed, f.state, f.policy).Keys
	theirs := setOf(dedup.EveryKey(a.Entry.Item, a.Entry.Changed, f.state))
	for _, l := range later {
		for h := range setOf(dedup.EveryKey(l.Item, d.At, f.state)) {
			theirs[h] = true
		}
	}
	former := setOf(dedup.EveryKey(v.Item, a.Entry.FirstSeen, f.state))
	current := setOf(news)
	for _, k := range has {
		if theirs[k.Hash] && (current[k.Hash] || !former[k.Hash]) {
			b4.Keys = append(b4.Keys, k)
		}
	}
	owner, err := f.owners(tx, news)
	if err != nil {
		return nil, err
	}
	for _, k := range news {
		if owner[k.Hash] == 0 {
			b4.Keys = append(b4.Keys, k)
		}
	}
	if len(b4.Keys) == 0 {
		return nil, invalid("decision", "cannot be split: nothing tells the versions of entry %d apart under this feed's policy", a.ID())
	}
	if _, err := tx.PointKeys(f.id, pointed(b4.Keys, id), by.At); err != nil {
		return nil, err
	}
	f.handOver(a.ID(), id, setOf(b4.Keys))
	return b4, nil
}
