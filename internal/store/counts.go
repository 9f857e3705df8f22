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

// AddCounts adds to the hourly counters of feeds, for polls in which nothing changed. The hour is the one a time lies
// in. Feeds that are gone are passed over.
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
	_, err := tx.Exec(`insert into feed_hours (feed_id, hour, new, updated, unchanged, duplicate, quarantined, invalid)
		select r.feed, $1, r.n, r.updated, r.unchanged, r.duplicate, r.quarantined, r.invalid
		from `+from+` `+tx.Dialect().Lookup()+` feeds f on f.id = r.feed where true order by r.feed
		on conflict (feed_id, hour) do update set new = feed_hours.new + excluded.new, updated = feed_hours.updated + excluded.updated,
			unchanged = feed_hours.unchanged + excluded.unchanged, duplicate = feed_hours.duplicate + excluded.duplicate,
			quarantined = feed_hours.quarantined + excluded.quarantined, invalid = feed_hours.invalid + excluded.invalid`,
		append([]any{hour.UTC().Truncate(time.Hour).UnixMicro()}, args...)...)
	if err != nil {
		return fmt.Errorf("count arrivals: %w", err)
	}
	return nil
}

func (tx *Tx) applyCounts(in Ingest, r *rowsOfDocument) error {
	return tx.AddCounts(in.At, map[feedonce.FeedID]feedonce.Counts{in.Feed: r.counts})
}

// FeedCounts returns the arrivals of each feed by outcome since a time, from the hourly counters: the hour that the time
// lies in is counted whole.
func (tx *Tx) FeedCounts(since time.Time) (map[feedonce.FeedID]feedonce.Counts, error) {
	counts := map[feedonce.FeedID]feedonce.Counts{}
	err := tx.Each(func(row sqldb.Scanner) error {
		var id feedonce.FeedID
		var c feedonce.Counts
		err := row.Scan(&id, &c.New, &c.Updated, &c.Unchanged, &c.Duplicate, &c.Quarantined, &c.Invalid)
		counts[id] = c
		return err
	}, `select feed_id, cast(sum(new) as bigint), cast(sum(updated) as bigint), cast(sum(unchanged) as bigint),
			cast(sum(duplicate) as bigint), cast(sum(quarantined) as bigint), cast(sum(invalid) as bigint)
		from feed_hours where hour >= $1 group by feed_id`, since.UTC().Truncate(time.Hour).UnixMicro())
	if err != nil {
		return nil, fmt.Errorf("counts: %w", err)
	}
	return counts, nil
}
