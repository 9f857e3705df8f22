package store

import (
	"fmt"
	"time"

	"feedonce"
	"feedonce/internal/sqldb"
)

// Figures of what came since a time. Each is one statement, and takes the feeds it is about: nil is all of them.

// among adds the condition that a column is one of the feeds.
func (tx *Tx) among(w *where, column string, feeds []feedonce.FeedID) {
	if feeds == nil {
		return
	}
	from, args := tx.Dialect().From(sqldb.Ints("id", feeds), "chosen", len(w.args)+1)
	w.args = append(w.args, args...)
	w.conditions = append(w.conditions, column+" in (select chosen.id from "+from+")")
}

const sumOfCounts = `cast(sum(new) as bigint), cast(sum(updated) as bigint), cast(sum(unchanged) as bigint),
	cast(sum(duplicate) as bigint), cast(sum(quarantined) as bigint), cast(sum(invalid) as bigint)`

func countsFields(c *feedonce.Counts) []any {
	return []any{&c.New, &c.Updated, &c.Unchanged, &c.Duplicate, &c.Quarantined, &c.Invalid}
}

// arrivals returns sums by a column of one of the tables that count arrivals.
func arrivals[K comparable](tx *Tx, table, began, by string, length time.Duration, since time.Time, feeds []feedonce.FeedID, field func(*K) any) (map[K]feedonce.Counts, error) {
	sums := map[K]feedonce.Counts{}
	w := where{}
	if !since.IsZero() {
		w.add(began+" >= ?", since.UTC().Truncate(length).UnixMicro())
	}
	tx.among(&w, "feed_id", feeds)
	err := tx.Each(func(row sqldb.Scanner) error {
		var key K
		var c feedonce.Counts
		err := row.Scan(append([]any{field(&key)}, countsFields(&c)...)...)
		sums[key] = c
		return err
	}, `select `+by+`, `+sumOfCounts+` from `+table+w.String()+` group by `+by, w.args...)
	if err != nil {
		return nil, fmt.Errorf("counts of arrivals: %w", err)
	}
	return sums, nil
}

// ArrivalsByHour returns the arrivals of feeds by hour since a time. The hour that it lies in is counted whole.
func (tx *Tx) ArrivalsByHour(since time.Time, feeds []feedonce.FeedID) (map[time.Time]feedonce.Counts, error) {
	return arrivals(tx, "feed_hours", "hour", "hour", time.Hour, since, feeds, func(t *time.Time) any { return at(t) })
}

// ArrivalsByDay returns the arrivals of feeds by day, in UTC, since a time. The day that it lies in is counted whole.
func (tx *Tx) ArrivalsByDay(since time.Time, feeds []feedonce.FeedID) (map[time.Time]feedonce.Counts, error) {
	return arrivals(tx, "feed_days", "day", "day", 24*time.Hour, since, feeds, func(t *time.Time) any { return at(t) })
}

// DayCountsByFeed returns the arrivals of each feed since a time; zero is all there ever were. The day (in UTC) that it
// lies in is counted whole.
func (tx *Tx) DayCountsByFeed(since time.Time, feeds []feedonce.FeedID) (map[feedonce.FeedID]feedonce.Counts, error) {
	by := "feed_id"
	if feeds == nil {
		by = "feed_id + 0" // so that the days are read, and not all of the feeds' index, which is in the order of the groups
	}
	return arrivals(tx, "feed_days", "day", by, 24*time.Hour, since, feeds, func(id *feedonce.FeedID) any { return id })
}

// A RuleCount is how many arrivals of a feed a rule took for copies.
type RuleCount struct {
	Rule string
	Feed feedonce.FeedID
	N    int64
}

// Duplicates returns how many arrivals were recorded as copies since a time, by rule and feed, in no order. An arrival that
// comes again and again is recorded once, so that there may be fewer of them than the counters of arrivals have.
func (tx *Tx) Duplicates(since time.Time, feeds []feedonce.FeedID) ([]RuleCount, error) {
	w := where{}
	w.add("outcome = 'duplicate'")
	w.add("at >= ?", since.UnixMicro())
	tx.among(&w, "feed_id", feeds)
	counts, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (c RuleCount, err error) {
		err = row.Scan(&c.Rule, &c.Feed, &c.N)
		return c, err
	}, `select rule, feed_id, count(*) from decisions`+w.String()+` group by rule, feed_id`, w.args...)
	if err != nil {
		return nil, fmt.Errorf("duplicates by rule and feed: %w", err)
	}
	return counts, nil
}

// Joined returns how many articles were found to be in another feed already, since a time: those that joined a story and
// are not just about it.
func (tx *Tx) Joined(since time.Time, feeds []feedonce.FeedID) (int64, error) {
	w := joined(since)
	tx.among(&w, "m.feed_id", feeds)
	var n int64
	// A story's time is that of its latest article, so that its index finds those that may have one since.
	err := tx.QueryRow(`select count(*) from stories s join story_members m on m.story_id = s.id`+w.String(), w.args...).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("articles that joined stories: %w", err)
	}
	return n, nil
}

func joined(since time.Time) where {
	w := where{}
	w.add("s.changed_at >= ?", since.UnixMicro())
	w.add("m.at >= ?", since.UnixMicro())
	w.add("m.rule <> ''")
	w.add("m.kind <> ?", memberAbout)
	return w
}

// A PairCount is how many articles two feeds both brought.
type PairCount struct {
	A, B feedonce.FeedID // A is the smaller number
	N    int64
}

// SharedByPair returns which feeds brought the same articles since a time, those with most of them first: for each article
// that joined a story, the feeds that had brought it before.
func (tx *Tx) SharedByPair(since time.Time, feeds []feedonce.FeedID, limit int) ([]PairCount, error) {
	w := joined(since)
	w.add("o.entry_id <> m.entry_id")
	w.add("o.feed_id <> m.feed_id")
	w.add("o.kind <> ?", memberAbout)
	// Of two that both joined, the later one counts; the first of a story joined nothing.
	w.add("(o.rule = '' or o.at < m.at or o.at = m.at and o.entry_id < m.entry_id)")
	tx.among(&w, "m.feed_id", feeds)
	tx.among(&w, "o.feed_id", feeds)
	d := tx.Dialect()
	pairs, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (c PairCount, err error) {
		err = row.Scan(&c.A, &c.B, &c.N)
		return c, err
	}, `select a, b, count(*) from (
			select `+d.Least()+`(m.feed_id, o.feed_id) as a, `+d.Greatest()+`(m.feed_id, o.feed_id) as b
			from stories s join story_members m on m.story_id = s.id join story_members o on o.story_id = s.id`+w.String()+`) p
		group by a, b order by 3 desc, 1, 2`+w.limit(limit), w.args...)
	if err != nil {
		return nil, fmt.Errorf("articles shared by feeds: %w", err)
	}
	return pairs, nil
}

// FeedNames returns the names of feeds: title, or address where there is none. Feeds that are gone are absent.
func (tx *Tx) FeedNames(feeds []feedonce.FeedID) (map[feedonce.FeedID]string, error) {
	names := map[feedonce.FeedID]string{}
	if len(feeds) == 0 {
		return names, nil
	}
	w := where{}
	tx.among(&w, "id", feeds)
	err := tx.Each(func(row sqldb.Scanner) error {
		var f feedonce.Feed
		err := row.Scan(&f.ID, &f.Title, &f.URL)
		names[f.ID] = f.Name()
		return err
	}, `select id, title, url from feeds`+w.String(), w.args...)
	if err != nil {
		return nil, fmt.Errorf("names of feeds: %w", err)
	}
	return names, nil
}
