package amend

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
)

// A fate is what became of an arrival.
type fate string

const (
	article fate = "article" // it began an article
	folded  fate = "folded"  // it was a version or copy of one
	held    fate = "held"
	refused fate = "refused"
)

// An arrival is an item as it came, and what was decided.
type arrival struct {
	at       time.Time
	item     dedup.Item
	title    string
	fate     fate
	entry    feedonce.EntryID // the article it began or was folded into; 0 for held and refused
	decision int64            // of one that was suppressed
	again    bool             // a later version of its entry
	replaces bool             // what it was folded into had left the feed, or was its former version
}

// judged is what a replay says of an arrival.
type judged struct {
	fate fate
	into feedonce.EntryID // for folded: the entry of the arrival that began the article; 0 where that is none now
	rule dedup.RuleID
	why  dedup.Evidence
}

// A history is what is stored of a feed, in the order in which it came.
type history struct {
	policy   dedup.Policy
	site     string
	size     int // how many items the feed shows at once
	arrivals []arrival
}

func readHistory(tx *store.Tx, id feedonce.FeedID, since time.Time) (*history, error) {
	f, err := tx.Feed(id)
	if err != nil {
		return nil, err
	}
	doc, err := tx.FeedDoc(id)
	if err != nil {
		return nil, err
	}
	h := &history{site: f.SiteURL}
	if h.site == "" {
		h.site = f.URL
	}
	if doc.Policy != "" {
		if err := json.Unmarshal([]byte(doc.Policy), &h.policy); err != nil {
			h.policy = dedup.Policy{}
		}
	}
	var state dedup.State
	if err := state.UnmarshalBinary(doc.State); err == nil {
		h.size = len(state.Manifest)
	}
	versions := map[feedonce.EntryID][]store.OldVersion{}
	if err := tx.FeedVersions(id, func(e feedonce.EntryID, v store.OldVersion) error {
		versions[e] = append(versions[e], v)
		return nil
	}); err != nil {
		return nil, err
	}
	if err := h.readEntries(tx, id, versions); err != nil {
		return nil, err
	}
	if err := h.readSuppressed(tx, id); err != nil {
		return nil, err
	}
	h.arrivals = slices.DeleteFunc(h.arrivals, func(a arrival) bool { return a.at.Before(since) })
	slices.SortStableFunc(h.arrivals, func(a, b arrival) int { return a.at.Compare(b.at) })
	return h, nil
}

// readEntries reads every version of every article. One that a person merged into another came as a copy of that.
func (h *history) readEntries(tx *store.Tx, id feedonce.FeedID, versions map[feedonce.EntryID][]store.OldVersion) error {
	return tx.FeedEntries(id, func(e dedup.Entry, of feedonce.EntryID) error {
		if e.Purged {
			return nil
		}
		first := arrival{fate: article, entry: of}
		had := versions[feedonce.EntryID(e.ID)]
		if of != feedonce.EntryID(e.ID) {
			first.fate = folded
		}
		at := e.FirstSeen
		for _, v := range had {
			a := first
			a.at, a.item, a.title = at, v.Item, v.Title
			h.arrivals = append(h.arrivals, a)
			first = arrival{fate: folded, entry: of, again: true, replaces: true}
			at = v.Replaced
		}
		first.at, first.item, first.title = at, e.Item, e.Item.Title
		h.arrivals = append(h.arrivals, first)
		return nil
	})
}

// readSuppressed reads the arrivals that began no article. One that a person made an article stands among the articles.
func (h *history) readSuppressed(tx *store.Tx, id feedonce.FeedID) error {
	released, err := tx.ReleasedDecisions(id)
	if err != nil {
		return err
	}
	return tx.FeedArrivals(id, func(s store.Arrival) error {
		d := s.Decision
		if released[d.ID] {
			return nil
		}
		a := arrival{at: d.At, item: s.Item, title: d.Title, decision: d.ID, entry: d.Entry}
		switch dedup.Outcome(d.Outcome) {
		case dedup.Duplicate:
			a.fate, a.replaces = folded, true
			var why dedup.Evidence
			if json.Unmarshal(d.Evidence, &why) == nil && slices.ContainsFunc(why.Facts, func(f dedup.Fact) bool {
				return f.Name == "structure" && f.Is == "both stand in the document at once"
			}) {
				a.replaces = false
			}
		case dedup.Quarantined:
			a.fate = held
		default:
			a.fate = refused
		}
		h.arrivals = append(h.arrivals, a)
		return nil
	})
}

// replay judges every arrival under a policy. The documents are made up of what came at one time, and of what came before
// that has not been replaced, as far as it may still stand in the feed.
func (h *history) replay(ctx context.Context, p dedup.Policy) ([]judged, error) {
	out := make([]judged, len(h.arrivals))
	memory := dedup.NewMemory(p)
	began := map[dedup.EntryID]int{} // arrival by the entry it began
	var standing []int               // arrivals, newest first
	for i, n := 0, 0; i < len(h.arrivals); i = n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n = i + 1
		for n < len(h.arrivals) && h.arrivals[n].at.Equal(h.arrivals[i].at) {
			n++
		}
		replaced := map[feedonce.EntryID]bool{}
		var come []int
		for k := i; k < n; k++ {
			come = append(come, k)
			if a := &h.arrivals[k]; a.replaces {
				replaced[a.entry] = true
			}
		}
		standing = slices.DeleteFunc(standing, func(k int) bool { e := h.arrivals[k].entry; return e != 0 && replaced[e] })
		standing = append(come, standing...)
		standing = standing[:min(len(standing), max(h.size, len(come)))]
		doc := &dedup.Document{Fetched: h.arrivals[i].at, Site: h.site}
		for _, k := range standing {
			doc.Items = append(doc.Items, h.arrivals[k].item)
		}
		res := memory.Process(doc)
		for k := range come {
			d := &res.Decisions[k]
			j := judged{fate: folded, rule: d.Rule, why: d.Evidence}
			switch d.Outcome {
			case dedup.New:
				j.fate = article
				began[d.Entry] = i + k
			case dedup.Quarantined:
				j.fate = held
			case dedup.Invalid:
				j.fate = refused
			default:
				if b, ok := began[d.Entry]; ok {
					j.into = h.arrivals[b].entry
				}
			}
			out[i+k] = j
		}
	}
	return out, nil
}
