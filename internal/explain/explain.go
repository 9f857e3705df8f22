// Package explain says why an article is here, and why an arrival is not: what was decided, by which rule, on what
// evidence, what else was considered, and what people said of it. It is one answer for the command line, the API and the
// pages.
//
// All of it is read from what is stored. gather.go collects it; find.go finds what a person means by a number, an address,
// a guid or words of a title, arrivals that were never shown included; sentence.go and finding.go put it into words for
// somebody who never read the code; diff.go shows what changed from version to version; check.go decides again, and says
// whether the same comes out; pair.go sets two articles side by side, and says whether they would be taken for one.
package explain

import (
	"encoding/json"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
)

// An Article is all that is known of an article.
type Article struct {
	Entry      feedonce.Entry
	Feed       feedonce.Feed
	Decisions  []Decision  // oldest first; at most mostDecisions
	Keys       []dedup.Key // that lead to it, oldest first
	Changes    []Change    // oldest first
	Story      *store.Story
	Verdicts   []store.Verdict
	Amendments []store.Amendment             // oldest first, also those that were undone
	Titles     map[feedonce.EntryID]Neighbor // of other articles that are named here
}

// A Neighbor is another article that is named, in short. The zero Neighbor is one that is there no more.
type Neighbor struct {
	Title, URL string
	Feed       feedonce.FeedID
}

// A Decision is a stored decision with its parts read.
type Decision struct {
	feedonce.Decision
	Rule     dedup.Rule
	Evidence dedup.Evidence
	Item     *dedup.Item // what came, where it was not shown
	Others   []Other     // what it may have been, and why it is not
	Damage   string      // what of it cannot be read, in words; "" where all can
}

// An Other is an article that was considered and turned down.
type Other struct {
	Entry feedonce.EntryID
	Neighbor
	Why string
}

// A Change is what a new version changed.
type Change struct {
	At       time.Time
	Revision int // of the new version
	Before   feedonce.Version
	Fields   []FieldChange // that differ
}

// A FieldChange is the difference of one field, in words of plain text.
type FieldChange struct {
	Name  string // "title", "link", "author", "summary", "content", "enclosures"
	Words []Piece
}

// Bounds of what is collected.
const (
	mostDecisions = 500
	mostOthers    = 50
)

// read reads the parts of a stored decision.
func read(d feedonce.Decision) Decision {
	out := Decision{Decision: d, Rule: RuleOf(dedup.RuleID(d.Rule), dedup.Outcome(d.Outcome))}
	if len(d.Evidence) > 0 {
		if err := json.Unmarshal(d.Evidence, &out.Evidence); err != nil {
			out.Evidence, out.Damage = dedup.Evidence{}, "its evidence cannot be read: "+err.Error()
		}
	}
	if len(d.Arrival) > 0 {
		var item dedup.Item
		if err := json.Unmarshal(d.Arrival, &item); err != nil {
			out.Damage = "what came cannot be read: " + err.Error()
		} else {
			out.Item = &item
		}
	}
	for i, o := range out.Evidence.Others {
		if i == mostOthers {
			break
		}
		out.Others = append(out.Others, Other{Entry: feedonce.EntryID(o.Entry), Why: o.Why})
	}
	return out
}
