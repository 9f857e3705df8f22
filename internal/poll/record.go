package poll

import (
	"errors"
	"time"

	"feedonce/dedup"
	"feedonce/internal/fetch"
	"feedonce/internal/ingest"
	"feedonce/internal/store"
)

// What is remembered of polls, for people who look at a feed or at all of them: counts in memory, stored by the hour, and
// a row for a poll that stored something or failed, in the transaction that does. A poll that finds nothing writes nothing.

// measured counts a poll. Polls that were cut off, or whose feed was taken by another worker or removed, are no polls.
func measured(r Result, late time.Duration) store.HourCounts {
	counts := store.HourCounts{}
	switch r.Status {
	case StatusNotModified:
		counts[store.PollsNotModified]++
	case StatusUnchanged:
		if r.Report.SameBytes {
			counts[store.PollsSameBytes]++
		} else {
			counts[store.PollsUnchanged]++
		}
	case StatusNew:
		counts[store.PollsNew]++
	case StatusChanged:
		counts[store.PollsChanged]++
	default:
		switch kindOf(r.Err) {
		case "stopped", "fenced", "removed":
			return counts
		}
		counts[store.PollsFailed]++
	}
	if late >= 0 {
		counts[store.In(store.LateBuckets, late)]++
	}
	return counts
}

// lags counts how long the new articles of a document took from their date until the document came. The first document of
// a feed brings old articles, and a date to come says nothing.
func lags(rep ingest.Report, first bool, received time.Time) store.HourCounts {
	counts := store.HourCounts{}
	if first || rep.Document == nil || rep.Result == nil {
		return counts
	}
	created := map[int]bool{} // by item, as several may be one article
	for i := range rep.Result.Decisions {
		d := &rep.Result.Decisions[i]
		if d.Outcome != dedup.New || d.Item >= len(rep.Document.Items) || created[d.Item] {
			continue
		}
		created[d.Item] = true
		published := rep.Document.Items[d.Item].Published.Time
		if !published.IsZero() && !published.After(received) {
			counts[store.In(store.LagBuckets, received.Sub(published))]++
		}
	}
	return counts
}

// recorded is the row of a poll that stored something.
func recorded(resp *fetch.Response, rep ingest.Report, now time.Time) *store.Poll {
	p := &store.Poll{At: now, Outcome: store.PollChanged, Status: 200, Wire: resp.Wire, Took: resp.Took, Counts: rep.Counts}
	if rep.Counts.New > 0 {
		p.Outcome = store.PollNew
	}
	return p
}

// poll returns the row of a poll that failed. resp is nil where nothing came.
func (f *failure) poll(resp *fetch.Response, took time.Duration, now time.Time) store.Poll {
	p := store.Poll{At: now, Outcome: store.PollFailed, Took: took, ErrorKind: f.kind, Error: f.words}
	if resp != nil {
		p.Status, p.Wire, p.Took = 200, resp.Wire, resp.Took
	}
	if failed := (*fetch.Error)(nil); errors.As(f.err, &failed) {
		p.Status = failed.Status
	}
	return p
}
