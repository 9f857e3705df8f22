package amend

import (
	"context"
	"fmt"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
)

// A Simulation says what would have become of a feed's stored history under another policy.
type Simulation struct {
	Feed       feedonce.FeedID
	Policy     dedup.Policy // the other one
	Arrivals   int          // arrivals replayed: every kept version of every article, and what was suppressed
	From, To   time.Time    // of the first and the last
	Articles   int          // that there would be
	Now        int          // that the same replay gives under the present policy
	Unlike     int          // arrivals for which the replay under the present policy says otherwise than was decided: what is stored says too little of them
	Difference []Difference // in order of time
}

// A DifferenceKind says how an arrival would be decided otherwise.
type DifferenceKind string

const (
	DiffFolded   DifferenceKind = "folded"   // an article that would be a duplicate or a version of another one
	DiffArticle  DifferenceKind = "article"  // a duplicate or version that would be an article of its own
	DiffHeld     DifferenceKind = "held"     // it would be held until a person decides
	DiffRefused  DifferenceKind = "refused"  // it would be refused
	DiffReleased DifferenceKind = "released" // it is held or refused, and would not be
)

// A Difference is an arrival that would be decided otherwise.
type Difference struct {
	Kind      DifferenceKind
	At        time.Time
	Entry     feedonce.EntryID // the article it is or belongs to now; 0 where it is held or refused
	Decision  int64            // of a suppressed arrival; 0 otherwise
	Title     string
	GUID, URL string
	Into      feedonce.EntryID // for DiffFolded: the article it would be folded into; 0 where that is held now
	Rule      dedup.RuleID     // that would decide
	Evidence  dedup.Evidence
	WasRule   dedup.RuleID // that decides under the present policy
}

// Simulate replays the stored history of a feed under another policy and under the present one, and lists where they
// differ: every kept version of every article and every suppressed arrival, in the order in which they came, each with as
// many of its forerunners as the feed shows at once. It only reads, but all of the feed. since, if not zero, leaves out
// what is older.
func Simulate(ctx context.Context, s *store.Store, id feedonce.FeedID, p dedup.Policy, since time.Time) (*Simulation, error) {
	if err := p.Check(); err != nil {
		return nil, invalid("policy", "is wrong: %v", err)
	}
	var h *history
	err := s.View(ctx, func(tx *store.Tx) (err error) {
		h, err = readHistory(tx, id, since)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("simulate a policy on feed %d: %w", id, err)
	}
	sim := &Simulation{Feed: id, Policy: p, Arrivals: len(h.arrivals)}
	if len(h.arrivals) == 0 {
		return sim, nil
	}
	sim.From, sim.To = h.arrivals[0].at, h.arrivals[len(h.arrivals)-1].at
	now, err := h.replay(ctx, h.policy)
	if err != nil {
		return nil, err
	}
	then, err := h.replay(ctx, p)
	if err != nil {
		return nil, err
	}
	folded := map[feedonce.EntryID]feedonce.EntryID{} // articles that would be folded, into which
	for i := range h.arrivals {
		a := &h.arrivals[i]
		if now[i].fate == article {
			sim.Now++
		}
		if then[i].fate == article {
			sim.Articles++
		}
		if now[i].fate != a.fate {
			sim.Unlike++
		}
		kind, differs := difference(now[i], then[i])
		if !differs {
			continue
		}
		d := Difference{Kind: kind, At: a.at, Entry: a.entry, Decision: a.decision, Title: a.title, GUID: a.item.GUID, URL: a.item.URL,
			Rule: then[i].rule, Evidence: then[i].why, WasRule: now[i].rule}
		if kind == DiffFolded {
			d.Into = then[i].into
			if a.again && folded[a.entry] == d.Into {
				continue // a later version follows its article
			}
			folded[a.entry] = d.Into
		}
		sim.Difference = append(sim.Difference, d)
	}
	return sim, nil
}

// difference says how two fates of an arrival differ.
func difference(now, then judged) (DifferenceKind, bool) {
	switch {
	case then.fate == held && now.fate != held:
		return DiffHeld, true
	case then.fate == refused && now.fate != refused:
		return DiffRefused, true
	case then.fate == held || then.fate == refused:
		return "", false
	case now.fate == held || now.fate == refused:
		return DiffReleased, true
	case then.fate == folded && (now.fate == article || now.into != then.into):
		return DiffFolded, true
	case then.fate == article && now.fate == folded:
		return DiffArticle, true
	}
	return "", false
}
