package web

import (
	"time"

	"feedonce"
	"feedonce/internal/store"
)

// A daySpan is one day of the decisions. Decisions are numbered as they are made, so those of a day are found by halving the
// numbers. Where documents of one moment are stored one after the other, numbers are a little out of order: slop covers that.
type daySpan struct {
	from, to time.Time
	before   int64 // all decisions of the day have smaller numbers; 0: so has every decision
}

const slop = time.Hour

// parseDay reads a day as a form sends it, in the place where the reader is.
func (s *server) parseDay(text string) (daySpan, error) {
	day, err := time.ParseInLocation(time.DateOnly, text, s.Location)
	if err != nil {
		return daySpan{}, &feedonce.InvalidError{Field: "the day", Reason: "must be written as 2026-01-31"}
	}
	return daySpan{from: day, to: day.AddDate(0, 0, 1)}, nil
}

// seek finds where the day ends in the log.
func (d *daySpan) seek(tx *store.Tx) error {
	d.before = 0
	latest, err := tx.Decisions(store.DecisionFilter{Limit: 1})
	if err != nil || len(latest) == 0 || latest[0].At.Before(d.to.Add(slop)) {
		return err
	}
	low, high := int64(0), latest[0].ID // all up to low are before the end, and high is behind it
	for high-low > 1 {
		mid := low + (high-low)/2
		at, err := tx.Decisions(store.DecisionFilter{Before: mid + 1, Limit: 1})
		if err != nil {
			return err
		}
		if len(at) == 0 || at[0].At.Before(d.to.Add(slop)) {
			low = mid
		} else {
			high = at[0].ID
		}
	}
	d.before = high
	return nil
}

func (d *daySpan) has(at time.Time) bool { return !at.Before(d.from) && at.Before(d.to) }

// past reports whether all that follows is older than the day.
func (d *daySpan) past(at time.Time) bool { return at.Before(d.from.Add(-slop)) }
