package ingest

import (
	"fmt"

	"feedonce"
	"feedonce/dedup"
)

// An AccountingError says that a decided document does not add up: an item without a decision, or with two. Nothing of
// the document is stored, and the next poll tries again. It is a fault of this program, never of a feed.
type AccountingError struct {
	Items  int
	Counts feedonce.Counts
	Reason string
}

func (e *AccountingError) Error() string {
	return fmt.Sprintf("the decisions do not add up, so nothing was stored: %s (%d items; %d new, %d updated, %d unchanged, "+
		"%d duplicate, %d quarantined, %d invalid). This is a fault in feedonce: please report it with the address of the feed",
		e.Reason, e.Items, e.Counts.New, e.Counts.Updated, e.Counts.Unchanged, e.Counts.Duplicate, e.Counts.Quarantined,
		e.Counts.Invalid)
}

// tally counts the decisions by outcome; one that is none is left out.
func tally(decisions []dedup.Decision) feedonce.Counts {
	var c feedonce.Counts
	for i := range decisions {
		c.Count(string(decisions[i].Outcome))
	}
	return c
}

// account counts the decisions for a document of n items, and holds them against the invariant: every item has exactly
// one decision, in document order, with one of the six outcomes, and what is said to be stored has something to store.
func account(n int, decisions []dedup.Decision) (feedonce.Counts, error) {
	c := tally(decisions)
	wrong := ""
	blame := func(format string, args ...any) {
		if wrong == "" {
			wrong = fmt.Sprintf(format, args...)
		}
	}
	for i := range decisions {
		d := &decisions[i]
		if d.Item != i {
			blame("decision %d is for item %d", i, d.Item)
		}
		switch d.Outcome {
		case dedup.New:
			if d.Entry >= 0 || d.Write == nil {
				blame("item %d is new without an entry to create", i)
			}
		case dedup.Updated:
			if d.Entry == 0 || d.Write == nil {
				blame("item %d is updated without an entry to change", i)
			}
		case dedup.Duplicate:
			if d.Entry == 0 {
				blame("item %d is a duplicate of nothing", i)
			}
		case dedup.Unchanged, dedup.Quarantined, dedup.Invalid:
		default:
			blame("item %d has the outcome %q", i, d.Outcome)
		}
	}
	if len(decisions) != n {
		blame("%d items have %d decisions", n, len(decisions))
	}
	if c.Total() != int64(n) {
		blame("%d items have %d outcomes", n, c.Total())
	}
	if wrong != "" {
		return c, &AccountingError{Items: n, Counts: c, Reason: wrong}
	}
	return c, nil
}
