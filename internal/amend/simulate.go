package amend

import (
	"context"
	"errors"
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

// Simulate replays the stored history of a feed under another policy, and lists what would differ. It only reads, also
// what is stored of a large feed in one piece. since, if not zero, leaves out what is older.
func Simulate(ctx context.Context, s *store.Store, id feedonce.FeedID, p dedup.Policy, since time.Time) (*Simulation, error) {
	return nil, errors.New("not yet")
}
