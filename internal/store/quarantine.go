package store

import (
	"fmt"
	"time"

	"feedonce"
	"feedonce/internal/sqldb"
)

// Held items: arrivals that a feed's policy holds until a person decides. The arrival is in its decision; the table has
// one row for each identity, so that nobody is asked twice, however often an item comes and whatever is edited in it.

// HeldState says what became of a held item.
type HeldState string

const (
	HeldOpen     HeldState = "open"     // nobody has decided
	HeldAccepted HeldState = "accepted" // it became an entry
	HeldRejected HeldState = "rejected" // it stays out
)

// A Held is an item that was held.
type Held struct {
	Decision feedonce.Decision // of its latest arrival, which Decision.Arrival has
	FeedName string
	Since    time.Time // when it was held first
	State    HeldState
	Closed   time.Time        // when a person decided
	Who      string           // who
	Entry    feedonce.EntryID // what it became
}

// HeldFilter selects held items, latest first.
type HeldFilter struct {
	User   feedonce.UserID // only of feeds that they follow; 0: all
	Feed   feedonce.FeedID // 0: all
	State  HeldState       // "": open ones
	Limit  int             // default 50
	Before int64           // those whose decision has a smaller ID
}

const heldColumns = `d.id, d.at, d.feed_id, d.entry_id, d.outcome, d.rule, d.guid, d.url, d.title, d.evidence, d.arrival, d.told, d.quiet,
	coalesce(nullif(f.title, ''), f.url), q.held_at, q.state, q.closed_at, q.who, q.entry_id`

const heldTables = `quarantine q join decisions d on d.id = q.decision_id join feeds f on f.id = q.feed_id`

func scanHeld(row sqldb.Scanner) (Held, error) {
	var h Held
	d := &h.Decision
	err := row.Scan(&d.ID, at(&d.At), &d.Feed, &d.Entry, &d.Outcome, &d.Rule, &d.GUID, &d.URL, &d.Title, &d.Evidence, &d.Arrival, &d.Told, &d.Quiet,
		&h.FeedName, at(&h.Since), &h.State, at(&h.Closed), &h.Who, &h.Entry)
	return h, err
}

// HeldItems returns held items.
func (tx *Tx) HeldItems(f HeldFilter) ([]Held, error) {
	w := where{}
	switch f.State {
	case "":
		w.add("q.state = 'open'") // as the index says it
	case HeldOpen, HeldAccepted, HeldRejected:
		w.add("q.state = ?", string(f.State))
	default:
		return nil, &feedonce.InvalidError{Field: "state", Reason: fmt.Sprintf("must be open, accepted or rejected, not %q", f.State)}
	}
	if f.Feed != 0 {
		w.add("q.feed_id = ?", f.Feed)
	}
	w.follows("q.feed_id", f.User)
	if f.Before != 0 {
		w.add("q.decision_id < ?", f.Before)
	}
	held, err := sqldb.All(tx.Tx, scanHeld, `select `+heldColumns+` from `+heldTables+w.String()+` order by q.decision_id desc`+w.limit(f.Limit), w.args...)
	if err != nil {
		return nil, fmt.Errorf("held items: %w", err)
	}
	return held, nil
}

// HeldItem returns the held item of a decision, or ErrNotFound.
func (tx *Tx) HeldItem(decision int64) (Held, error) {
	h, err := scanHeld(tx.QueryRow(`select `+heldColumns+` from `+heldTables+` where q.decision_id = $1`, decision))
	return h, found(err, "held item of decision %d", decision)
}

// HeldCounts returns the number of open held items of each feed that has any, of those that a user follows (0: of all).
func (tx *Tx) HeldCounts(user feedonce.UserID) (map[feedonce.FeedID]int64, error) {
	counts := map[feedonce.FeedID]int64{}
	w := where{}
	w.add("state = 'open'")
	w.follows("feed_id", user)
	err := tx.Each(func(row sqldb.Scanner) error {
		var id feedonce.FeedID
		var n int64
		err := row.Scan(&id, &n)
		counts[id] = n
		return err
	}, `select feed_id, count(*) from quarantine`+w.String()+` group by feed_id`, w.args...)
	if err != nil {
		return nil, fmt.Errorf("count held items: %w", err)
	}
	return counts, nil
}

// CloseHeld records what a person said of a held item that is open; ErrConflict where it is not open any more.
func (tx *Tx) CloseHeld(decision int64, state HeldState, entry feedonce.EntryID, who string, now time.Time) error {
	n, err := tx.Exec(`update quarantine set state = $2, closed_at = $3, who = $4, entry_id = $5 where decision_id = $1 and state = 'open'`,
		decision, string(state), now.UnixMicro(), who, int64(entry))
	if err == nil && n == 0 {
		err = feedonce.ErrConflict
	}
	if err != nil {
		return fmt.Errorf("held item of decision %d: %w", decision, err)
	}
	return nil
}

// hold adds questions to the list, by identity. A newer arrival takes the place of an open one; what a person decided
// stays decided.
func (tx *Tx) hold(feed feedonce.FeedID, now time.Time, questions *sqldb.Batch) error {
	if questions.Len() == 0 {
		return nil
	}
	from, args := tx.Dialect().From(questions, "r", 3)
	if _, err := tx.Exec(`insert into quarantine (feed_id, identity, decision_id, held_at, state)
		select $1, r.identity, r.decision, $2, 'open' from `+from+` where true
		on conflict (feed_id, identity) do update set decision_id = excluded.decision_id where quarantine.state = 'open'`,
		append([]any{feed, now.UnixMicro()}, args...)...); err != nil {
		return fmt.Errorf("hold items: %w", err)
	}
	return nil
}
