package store

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"feedonce"
	"feedonce/internal/sqldb"
)

// A Claim is the right to poll a feed until the lease ends, with what is needed to do so.
type Claim struct {
	Feed         feedonce.Feed
	Fence        int64 // to be handed to Apply and Failed; 0 where ClaimFeed gave no lease
	ETag         string
	LastModified string
	BodyHash     []byte // of the last document; nil where there is none

	Due time.Time // when it was to be polled; zero where ClaimFeed claimed it, due or not
}

// maxInterval is the longest that Claim leaves a feed alone, whatever its publisher asks for.
const maxInterval = 24 * time.Hour

// nextPoll is the expression for when a feed that is claimed at $1 is due again. Paused feeds stay paused.
func nextPoll(d sqldb.Dialect) string {
	return fmt.Sprintf(`case when next_poll_at is null then null
		else $1 + %s(%s(interval_us, floor_us, ($1 - coalesce(last_new_at, $1)) / 10), %d) end`,
		d.Least(), d.Greatest(), maxInterval.Microseconds())
}

// Claim takes up to limit feeds that are due, in one statement: it moves their next poll forward by their interval
// (Interval, but at least Floor, stretched by how long the feed has had nothing new: a tenth of the time since LastNew,
// at most 24 h), sets LastPoll, takes the lease and counts the fence up. Feeds that are leased are passed over, as are
// feeds that another transaction is claiming (PostgreSQL: for update skip locked). After an unchanged poll nothing else
// need be written. A lease that is longer than a feed's interval keeps the feed from its next poll, unless Release
// gives it back.
func (tx *Tx) Claim(now time.Time, limit int, lease time.Duration) ([]Claim, error) {
	fences, due := map[feedonce.FeedID]int64{}, map[feedonce.FeedID]time.Time{}
	err := tx.Each(func(row sqldb.Scanner) error {
		var id feedonce.FeedID
		var fence int64
		var was time.Time
		err := row.Scan(&id, &fence, at(&was))
		fences[id], due[id] = fence, was
		return err
	}, `with due as materialized (
			select feed_id as id, next_poll_at as was from feed_schedule
			where next_poll_at <= $1 and (lease_until is null or lease_until <= $1)
			order by next_poll_at limit $2 `+tx.Dialect().SkipLocked()+`)
		update feed_schedule set next_poll_at = `+nextPoll(tx.Dialect())+`,
			last_poll_at = $1, lease_until = $1 + cast($3 as bigint), fence = fence + 1, recent = `+shifted+`
		from due where feed_id = due.id
		returning feed_id, fence, (select d.was from due d where d.id = feed_id)`,
		now.UnixMicro(), limit, lease.Microseconds())
	if err != nil {
		return nil, fmt.Errorf("claim feeds: %w", err)
	}
	claims, err := tx.claims(fences)
	for i := range claims {
		claims[i].Due = due[claims[i].Feed.ID]
	}
	return claims, err
}

// ClaimFeed claims one feed for a manual poll, due or not, leased or not. It moves the schedule as Claim does, but
// leaves lease and fence alone: it runs beside a worker, and Apply's compare-and-swap keeps the two apart.
func (tx *Tx) ClaimFeed(now time.Time, id feedonce.FeedID) (Claim, error) {
	_, err := tx.Exec(`update feed_schedule set next_poll_at = `+nextPoll(tx.Dialect())+`, last_poll_at = $1, recent = `+shifted+`
		where feed_id = $2`,
		now.UnixMicro(), id)
	if err != nil {
		return Claim{}, fmt.Errorf("claim feed %d: %w", id, err)
	}
	claims, err := tx.claims(map[feedonce.FeedID]int64{id: 0})
	if err != nil {
		return Claim{}, err
	}
	if len(claims) == 0 {
		return Claim{}, fmt.Errorf("feed %d: %w", id, feedonce.ErrNotFound)
	}
	return claims[0], nil
}

func (tx *Tx) claims(fences map[feedonce.FeedID]int64) ([]Claim, error) {
	if len(fences) == 0 {
		return nil, nil
	}
	ids := sqldb.NewBatch("id int")
	for id := range fences {
		ids.Add(int64(id))
	}
	lookup := tx.Dialect().Lookup()
	from, args := tx.Dialect().From(ids, "r", 1)
	claims, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (Claim, error) {
		var c Claim
		err := row.Scan(append(feedFields(&c.Feed), &c.ETag, &c.LastModified, &c.BodyHash)...)
		c.Fence = fences[c.Feed.ID]
		return c, err
	}, `select `+feedColumns+`, d.etag, d.last_modified, d.body_hash
		from `+from+` `+lookup+` feeds f on f.id = r.id `+lookup+` feed_schedule s on s.feed_id = f.id `+lookup+` feed_docs d on d.feed_id = f.id`, args...)
	if err != nil {
		return nil, fmt.Errorf("read claimed feeds: %w", err)
	}
	slices.SortFunc(claims, func(a, b Claim) int { return cmp.Compare(a.Feed.ID, b.Feed.ID) })
	return claims, nil
}

// Release ends leases early, of feeds and with the fences that Claim gave; leases that others have meanwhile are left.
// It is for those who poll a feed more often than a lease lasts.
func (tx *Tx) Release(fences map[feedonce.FeedID]int64) error { return tx.release(fences, "") }

func (tx *Tx) release(fences map[feedonce.FeedID]int64, also string) error {
	b := sqldb.NewBatch("feed int", "fence int")
	for id, fence := range fences {
		b.Add(int64(id), fence)
	}
	from, args := tx.Dialect().From(b, "r", 1)
	_, err := tx.Exec(`update feed_schedule set lease_until = null`+also+` from `+from+`
		where feed_schedule.feed_id = r.feed and feed_schedule.fence = r.fence and lease_until is not null`, args...)
	if err != nil {
		return fmt.Errorf("release leases: %w", err)
	}
	return nil
}

// NextDue returns when the next feed is due, or free where it is due but leased; zero where there is none.
func (tx *Tx) NextDue() (time.Time, error) {
	var due time.Time
	err := tx.QueryRow(`select min(` + tx.Dialect().Greatest() + `(next_poll_at, coalesce(lease_until, next_poll_at)))
		from feed_schedule where next_poll_at is not null`).Scan(at(&due))
	if err != nil {
		return due, fmt.Errorf("next feed due: %w", err)
	}
	return due, nil
}

// SetSchedule corrects a schedule after a poll that taught something. Zero NextPoll, LastPoll, Interval and LastNew
// leave what is stored; Floor is taken as it is. A feed that is not polled gets no next poll.
func (tx *Tx) SetSchedule(id feedonce.FeedID, s feedonce.Schedule) error {
	return tx.setSchedule(id, s, 0)
}

func (tx *Tx) setSchedule(id feedonce.FeedID, s feedonce.Schedule, latest PollOutcome) error {
	n, err := tx.Exec(`update feed_schedule set
			next_poll_at = case when next_poll_at is null then null else coalesce($2, next_poll_at) end,
			last_poll_at = coalesce($3, last_poll_at),
			interval_us = case when cast($4 as bigint) > 0 then $4 else interval_us end,
			floor_us = $5,
			last_new_at = coalesce($6, last_new_at),
			recent = `+replaced(7)+`
		where feed_id = $1`,
		id, micros(s.NextPoll), micros(s.LastPoll), s.Interval.Microseconds(), s.Floor.Microseconds(), micros(s.LastNew), int64(latest))
	if err == nil && n == 0 {
		err = feedonce.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("schedule feed %d: %w", id, err)
	}
	return nil
}

// Failed records a failed poll in words, counts the failures in a row, sets when to try again, and gives the lease
// back. ErrFenced if the lease was lost; a fence of 0 is a poll without lease.
func (tx *Tx) Failed(id feedonce.FeedID, fence int64, when time.Time, reason string, next time.Time) error {
	n, err := tx.Exec(`update feed_schedule set
			next_poll_at = case when next_poll_at is null then null else coalesce($3, next_poll_at) end,
			lease_until = case when cast($2 as bigint) = 0 then lease_until else null end,
			recent = `+replaced(4)+`
		where feed_id = $1 and ($2 = 0 or fence = $2)`, id, fence, micros(next), int64(PollFailed))
	if err == nil && n == 0 {
		if _, err := tx.Feed(id); err != nil {
			return err
		}
		return fmt.Errorf("feed %d: %w", id, feedonce.ErrFenced)
	}
	if err == nil {
		_, err = tx.Exec(`update feeds set error = $2, error_at = $3, errors = errors + 1 where id = $1`, id, reason, when.UnixMicro())
	}
	if err != nil {
		return fmt.Errorf("record failed poll of feed %d: %w", id, err)
	}
	return nil
}

// Recovered clears the error of a feed that could be read again though nothing changed. It writes only where there is one.
func (tx *Tx) Recovered(id feedonce.FeedID) error {
	_, err := tx.Exec(`update feeds set error = '', error_at = null, errors = 0 where id = $1 and (error <> '' or errors <> 0)`, id)
	if err != nil {
		return fmt.Errorf("clear error of feed %d: %w", id, err)
	}
	return nil
}
