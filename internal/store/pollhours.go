package store

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"feedonce/internal/sqldb"
)

// A Measure is something that is counted of all feeds together, by hour: what became of polls, how late they were, and
// how long articles took to come. It is not kept by feed: most polls find nothing, and a row for each feed and hour would
// be as many rows as there are polls. A few rows an hour cost nothing, however many feeds there are.
type Measure string

// What became of polls. Their sum is the number of polls.
const (
	PollsNotModified Measure = "poll: not modified" // the server said so (304)
	PollsSameBytes   Measure = "poll: same bytes"   // the document was that of last time, and not parsed
	PollsUnchanged   Measure = "poll: unchanged"    // every article was as it is stored
	PollsNew         Measure = "poll: new"          // there were new articles
	PollsChanged     Measure = "poll: changed"      // something else was stored: an updated article, a duplicate
	PollsFailed      Measure = "poll: error"
)

// A Bucket counts durations up to a limit, and above that of the bucket before it.
type Bucket struct {
	Measure Measure
	UpTo    time.Duration // 0: any
}

// LateBuckets count how long after its time a feed was polled; LagBuckets how long after it was published an article
// came, of articles with a date, and not of the first document of a feed, which brings old ones.
var (
	LateBuckets = []Bucket{
		{"late: 10 s", 10 * time.Second}, {"late: 1 min", time.Minute}, {"late: 5 min", 5 * time.Minute},
		{"late: 30 min", 30 * time.Minute}, {"late: more", 0},
	}
	LagBuckets = []Bucket{
		{"lag: 5 min", 5 * time.Minute}, {"lag: 15 min", 15 * time.Minute}, {"lag: 1 h", time.Hour},
		{"lag: 6 h", 6 * time.Hour}, {"lag: 24 h", 24 * time.Hour}, {"lag: more", 0},
	}
)

// In returns the measure of the bucket, of a list such as LateBuckets, that a duration belongs in. Negative is none: 0.
func In(buckets []Bucket, d time.Duration) Measure {
	for _, b := range buckets {
		if b.UpTo == 0 || d <= b.UpTo {
			return b.Measure
		}
	}
	return ""
}

// HourCounts are counts of all feeds together.
type HourCounts map[Measure]int64

// Add adds d to c.
func (c HourCounts) Add(d HourCounts) {
	for what, n := range d {
		c[what] += n
	}
}

// AddHourCounts adds to the counts of the hour that a time lies in.
func (tx *Tx) AddHourCounts(hour time.Time, counts HourCounts) error {
	b := sqldb.NewBatch("what text", "n int")
	// In order, so that two workers wait for each other and do not lock each other out.
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		if n := counts[what]; n != 0 {
			b.Add(string(what), n)
		}
	}
	if b.Len() == 0 {
		return nil
	}
	from, args := tx.Dialect().From(b, "r", 2)
	_, err := tx.Exec(`insert into poll_hours (hour, what, n) select $1, r.what, r.n from `+from+` where true
		on conflict (hour, what) do update set n = poll_hours.n + excluded.n`,
		append([]any{hour.UTC().Truncate(time.Hour).UnixMicro()}, args...)...)
	if err != nil {
		return fmt.Errorf("count polls: %w", err)
	}
	return nil
}

// HourCounts returns the counts by hour, since a time: the hour that it lies in is counted whole. Hours in which nothing
// was counted are absent.
func (tx *Tx) HourCounts(since time.Time) (map[time.Time]HourCounts, error) {
	hours := map[time.Time]HourCounts{}
	err := tx.Each(func(row sqldb.Scanner) error {
		var hour time.Time
		var what Measure
		var n int64
		if err := row.Scan(at(&hour), &what, &n); err != nil {
			return err
		}
		if hours[hour] == nil {
			hours[hour] = HourCounts{}
		}
		hours[hour][what] += n
		return nil
	}, `select hour, what, n from poll_hours where hour >= $1`, since.UTC().Truncate(time.Hour).UnixMicro())
	if err != nil {
		return nil, fmt.Errorf("counts of polls: %w", err)
	}
	return hours, nil
}
