package poll

import (
	"context"
	"fmt"
	"sync"
	"time"

	"feedonce"
	"feedonce/internal/store"
)

// counts are the arrivals of polls that stored nothing, by hour and feed. They are lost when the process is killed:
// an hour of counting unchanged articles is not worth a write a poll.
type counts struct {
	mu    sync.Mutex
	hours map[time.Time]map[feedonce.FeedID]feedonce.Counts
}

// flushBatch is how many feeds share a transaction.
const flushBatch = 1000

func (c *counts) add(at time.Time, id feedonce.FeedID, n feedonce.Counts) {
	if n.Total() == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.addLocked(at.UTC().Truncate(time.Hour), id, n)
}

func (c *counts) addLocked(hour time.Time, id feedonce.FeedID, n feedonce.Counts) {
	if c.hours == nil {
		c.hours = map[time.Time]map[feedonce.FeedID]feedonce.Counts{}
	}
	if c.hours[hour] == nil {
		c.hours[hour] = map[feedonce.FeedID]feedonce.Counts{}
	}
	sum := c.hours[hour][id]
	sum.Add(n)
	c.hours[hour][id] = sum
}

// full reports whether there are counts of an hour that is over.
func (c *counts) full(now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for hour := range c.hours {
		if hour.Before(now.UTC().Truncate(time.Hour)) {
			return true
		}
	}
	return false
}

// take takes out up to a batch of feeds of one hour before the given time; a zero time is any. ok is false at the end.
func (c *counts) take(before time.Time) (hour time.Time, batch map[feedonce.FeedID]feedonce.Counts, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for hour, feeds := range c.hours {
		if !before.IsZero() && !hour.Before(before) {
			continue
		}
		batch = map[feedonce.FeedID]feedonce.Counts{}
		for id, n := range feeds {
			if len(batch) == flushBatch {
				break
			}
			batch[id] = n
			delete(feeds, id)
		}
		if len(feeds) == 0 {
			delete(c.hours, hour)
		}
		return hour, batch, true
	}
	return time.Time{}, nil, false
}

// putBack is for a batch that could not be stored.
func (c *counts) putBack(hour time.Time, batch map[feedonce.FeedID]feedonce.Counts) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, n := range batch {
		c.addLocked(hour, id, n)
	}
}

// Flush stores what was counted of unchanged articles. Run does so by the hour and at its end; who only calls Poll
// calls Flush before the Poller is given up.
func (p *Poller) Flush(ctx context.Context) error { return p.flush(ctx, time.Time{}) }

func (p *Poller) flush(ctx context.Context, before time.Time) error {
	for {
		hour, batch, ok := p.counts.take(before)
		if !ok {
			return nil
		}
		err := p.o.Store.Update(ctx, func(tx *store.Tx) error { return tx.AddCounts(hour, batch) })
		if err != nil {
			p.counts.putBack(hour, batch)
			return fmt.Errorf("counts of %d feeds for %s: %w", len(batch), hour.Format("2006-01-02 15h"), err)
		}
	}
}
