package store

import (
	"fmt"
	"time"

	"feedonce"
	"feedonce/internal/sqldb"
)

// A PollOutcome is what became of a poll, as far as the feed's row remembers it.
type PollOutcome int64

// The outcomes. A poll counts as one that found nothing from its claim on: that is what most polls find, and the claim is
// all that they write. One that stored something or failed writes anyway, and says so then.
const (
	PollNothing PollOutcome = 1 // not modified, the same bytes, or every article as it is stored
	PollNew     PollOutcome = 2 // new articles
	PollChanged PollOutcome = 3 // an updated article, a duplicate, an item held
	PollFailed  PollOutcome = 4
)

// RecentPolls is how many outcomes a Recent holds.
const RecentPolls = 20

const (
	outcomeBits = 3
	outcomeMask = 1<<outcomeBits - 1
)

// A Recent is what became of the last polls of a feed: three bits for each, the latest in the lowest, so that it fits in a
// column that the claim of a poll shifts. Two polls of one feed at a time may change places in it.
type Recent int64

// Outcomes returns the outcomes, oldest first.
func (r Recent) Outcomes() []PollOutcome {
	var all []PollOutcome
	for i := RecentPolls - 1; i >= 0; i-- {
		if o := PollOutcome(r>>(i*outcomeBits)) & outcomeMask; o != 0 {
			all = append(all, o)
		}
	}
	return all
}

// shifted is the expression for Recent after a claim; replaced for what the argument numbered n says of the latest poll,
// where that is more than 0.
var shifted = fmt.Sprintf("((recent & %d) << %d) | %d", int64(1)<<((RecentPolls-1)*outcomeBits)-1, outcomeBits, PollNothing)

func replaced(n int) string {
	return fmt.Sprintf("case when cast($%[1]d as bigint) > 0 then (recent & ~%[2]d) | cast($%[1]d as bigint) else recent end", n, outcomeMask)
}

// maxPolls is how many polls of a feed are kept.
const maxPolls = 30

// A Poll is a poll that stored something or failed.
type Poll struct {
	At        time.Time
	Outcome   PollOutcome
	Status    int           // of HTTP; 0 where there was no answer
	Wire      int64         // bytes received
	Took      time.Duration // until the answer was there
	Counts    feedonce.Counts
	ErrorKind string // "" where it went well; one of fetch.Kind, or of the words that the poller has for others
	Error     string // in words
}

// AddPoll keeps a poll, and drops the oldest of the feed beyond 30. It is for the transaction in which the poll is
// recorded anyway.
func (tx *Tx) AddPoll(id feedonce.FeedID, p Poll) error {
	c := p.Counts
	_, err := tx.Exec(`insert into polls (feed_id, at, outcome, status, wire, took, new, updated, unchanged, duplicate, quarantined, invalid, error_kind, error)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) on conflict do nothing`,
		id, p.At.UnixMicro(), int64(p.Outcome), p.Status, p.Wire, p.Took.Microseconds(),
		c.New, c.Updated, c.Unchanged, c.Duplicate, c.Quarantined, c.Invalid, p.ErrorKind, cut(sqldb.Clean(p.Error), maxShown))
	if err == nil {
		_, err = tx.Exec(`delete from polls where feed_id = $1
			and at < (select at from polls where feed_id = $1 order by at desc limit 1 offset $2)`, id, maxPolls-1)
	}
	if err != nil {
		return fmt.Errorf("record poll of feed %d: %w", id, err)
	}
	return nil
}

// Polls returns the polls kept of a feed, latest first: at most 30, and none that found nothing.
func (tx *Tx) Polls(id feedonce.FeedID) ([]Poll, error) {
	polls, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (Poll, error) {
		var p Poll
		c := &p.Counts
		err := row.Scan(at(&p.At), &p.Outcome, &p.Status, &p.Wire, span{&p.Took}, &c.New, &c.Updated, &c.Unchanged, &c.Duplicate, &c.Quarantined, &c.Invalid, &p.ErrorKind, &p.Error)
		return p, err
	}, `select at, outcome, status, wire, took, new, updated, unchanged, duplicate, quarantined, invalid, error_kind, error
		from polls where feed_id = $1 order by at desc`, id)
	if err != nil {
		return nil, fmt.Errorf("polls of feed %d: %w", id, err)
	}
	return polls, nil
}

// Polled is SetSchedule for a poll that is known to have found something: PollNew or PollChanged.
func (tx *Tx) Polled(id feedonce.FeedID, s feedonce.Schedule, outcome PollOutcome) error {
	return tx.setSchedule(id, s, outcome)
}

// GiveBack is Release for claims that were not polled: their polls did not happen.
func (tx *Tx) GiveBack(fences map[feedonce.FeedID]int64) error {
	return tx.release(fences, fmt.Sprintf(", recent = recent >> %d", outcomeBits))
}
