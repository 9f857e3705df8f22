package store

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"feedonce"
	"feedonce/internal/sqldb"
)

// AddCounts adds to the hourly counters of feeds, and to those of their days (in UTC), for polls in which nothing changed.
// The hour is the one a time lies in. Feeds that are gone are passed over.
func (tx *Tx) AddCounts(hour time.Time, counts map[feedonce.FeedID]feedonce.Counts) error {
	b := sqldb.NewBatch("feed int", "n int", "updated int", "unchanged int", "duplicate int", "quarantined int", "invalid int")
	// In order, so that two workers wait for each other and do not lock each other out.
	for _, id := range slices.SortedFunc(maps.Keys(counts), cmp.Compare) {
		if c := counts[id]; c.Total() > 0 {
			b.Add(int64(id), c.New, c.Updated, c.Unchanged, c.Duplicate, c.Quarantined, c.Invalid)
		}
	}
	if b.Len() == 0 {
		return nil
	}
	from, args := tx.Dialect().From(b, "r", 2)
	for _, period := range []struct {
		table, column string
		length        time.Duration
	}{{"feed_hours", "hour", time.Hour}, {"feed_days", "day", 24 * time.Hour}} {
		t := period.table
		_, err := tx.Exec(`insert into `+t+` (feed_id, `+period.column+`, new, updated, unchanged, duplicate, quarantined, invalid)
			select r.feed, $1, r.n, r.updated, r.unchanged, r.duplicate, r.quarantined, r.invalid
			from `+from+` `+tx.Dialect().Lookup()+` feeds f on f.id = r.feed where true order by r.feed
			on conflict (feed_id, `+period.column+`) do update set new = `+t+`.new + excluded.new, updated = `+t+`.updated + excluded.updated,
				unchanged = `+t+`.unchanged + excluded.unchanged, duplicate = `+t+`.duplicate + excluded.duplicate,
				quarantined = `+t+`.quarantined + excluded.quarantined, invalid = `+t+`.invalid + excluded.invalid`,
			append([]any{hour.UTC().Truncate(period.length).UnixMicro()}, args...)...)
		if err != nil {
			return fmt.Errorf("count arrivals: %w", err)
		}
	}
	return nil
}

func (tx *Tx) applyCounts(in Ingest, r *rowsOfDocument) error {
	return tx.AddCounts(in.At, map[feedonce.FeedID]feedonce.Counts{in.Feed: r.counts})
}

// FeedCounts returns the arrivals of each feed by outcome since a time, from the hourly counters: the hour that the time
// lies in is counted whole. A zero time is all there ever were, which are read by the day.
func (tx *Tx) FeedCounts(since time.Time) (map[feedonce.FeedID]feedonce.Counts, error) {
	if since.IsZero() {
		return tx.DayCountsByFeed(since, nil)
	}
	return arrivals(tx, "feed_hours", "hour", "feed_id + 0", time.Hour, since, nil, func(id *feedonce.FeedID) any { return id })
}
