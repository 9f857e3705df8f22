package poll

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"feedonce"
	"feedonce/internal/store"
)

// counts are the arrivals of polls that stored nothing, by hour and feed, and what became of all polls, by hour. They are
// lost when the process is killed: an hour of counting unchanged articles is not worth a write a poll.
type counts struct {
	mu    sync.Mutex
	hours map[time.Time]*hour
}

// An hour is what was counted in it and is not stored yet.
type hour struct {
	feeds map[feedonce.FeedID]feedonce.Counts
	polls store.HourCounts
}

// flushBatch is how many feeds share a transaction.
const flushBatch = 1000

func (c *counts) add(at time.Time, id feedonce.FeedID, n feedonce.Counts) {
	if n.Total() == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of(at).add(id, n)
}

// addPoll adds what is counted of one poll beside its articles.
func (c *counts) addPoll(at time.Time, n store.HourCounts) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of(at).polls.Add(n)
}

// of returns the hour that a time lies in. The caller holds the lock.
func (c *counts) of(at time.Time) *hour {
	began := at.UTC().Truncate(time.Hour)
	if c.hours == nil {
		c.hours = map[time.Time]*hour{}
	}
	if c.hours[began] == nil {
		c.hours[began] = &hour{feeds: map[feedonce.FeedID]feedonce.Counts{}, polls: store.HourCounts{}}
	}
	return c.hours[began]
}

func (h *hour) add(id feedonce.FeedID, n feedonce.Counts) {
	sum := h.feeds[id]
	sum.Add(n)
	h.feeds[id] = sum
}

// full reports whether there are counts of an hour that is over.
func (c *counts) full(now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for began := range c.hours {
		if began.Before(now.UTC().Truncate(time.Hour)) {
			return true
		}
	}
	return false
}

// take takes out up to a batch of feeds of one hour before the given time, and with the first of them what was counted of
// its polls; a zero time is any. ok is false at the end.
func (c *counts) take(before time.Time) (began time.Time, batch *hour, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for began, h := range c.hours {
		if !before.IsZero() && !began.Before(before) {
			continue
		}
		batch = &hour{feeds: map[feedonce.FeedID]feedonce.Counts{}, polls: h.polls}
		h.polls = store.HourCounts{}
		for id, n := range h.feeds {
			if len(batch.feeds) == flushBatch {
				break
			}
			batch.feeds[id] = n
			delete(h.feeds, id)
		}
		if len(h.feeds) == 0 {
			delete(c.hours, began)
		}
		return began, batch, true
	}
	return time.Time{}, nil, false
}

// putBack is for a batch that could not be stored.
func (c *counts) putBack(began time.Time, batch *hour) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.of(began)
	for id, n := range batch.feeds {
		h.add(id, n)
	}
	h.polls.Add(batch.polls)
}

// An Uncounted is what was counted in an hour and is not stored yet.
type Uncounted struct {
	Hour  time.Time // when it began
	Feeds map[feedonce.FeedID]feedonce.Counts
	Polls store.HourCounts
}

// Uncounted returns what this process has counted and will store when the hour is over, in no order: pages that show counts
// add it to what is stored. It is a copy.
func (p *Poller) Uncounted() []Uncounted {
	c := &p.counts
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]Uncounted, 0, len(c.hours))
	for began, h := range c.hours {
		all = append(all, Uncounted{Hour: began, Feeds: maps.Clone(h.feeds), Polls: maps.Clone(h.polls)})
	}
	return all
}

// Flush stores what was counted of unchanged articles and of polls. Run does so by the hour and at its end; who only calls Poll
// calls Flush before the Poller is given up.
func (p *Poller) Flush(ctx context.Context) error { return p.flush(ctx, time.Time{}) }

func (p *Poller) flush(ctx context.Context, before time.Time) error {
	for {
		began, batch, ok := p.counts.take(before)
		if !ok {
			return nil
		}
		err := p.o.Store.Update(ctx, func(tx *store.Tx) error {
			if err := tx.AddCounts(began, batch.feeds); err != nil {
				return err
			}
			return tx.AddHourCounts(began, batch.polls)
		})
		if err != nil {
			p.counts.putBack(began, batch)
			return fmt.Errorf("counts of %d feeds for %s: %w", len(batch.feeds), began.Format("2006-01-02 15h"), err)
		}
	}
}
