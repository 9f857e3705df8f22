package deliver

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"feedonce"
	"feedonce/internal/dest"
	"feedonce/internal/outbox"
	"feedonce/internal/store"
)

// Add adds a destination with its settings, and tells it of the backlog that its route asks for. It returns how many articles
// that are.
func (e *Engine) Add(ctx context.Context, d feedonce.Destination, set dest.Settings) (feedonce.Destination, int, error) {
	if err := e.Configure(&d, set); err != nil {
		return d, 0, err
	}
	now := e.o.Now()
	d.State, d.Created = feedonce.DestinationActive, now
	backlog := 0
	err := e.o.Store.Update(ctx, func(tx *store.Tx) (err error) {
		if d.ID, err = tx.AddDestination(d); err != nil {
			return err
		}
		backlog, err = outbox.Backlog(tx, d.ID, d.Route, now)
		return err
	})
	return d, backlog, err
}

// Change gives a destination new settings or another route. What is queued for it already is sent under these.
func (e *Engine) Change(ctx context.Context, d feedonce.Destination, set dest.Settings) error {
	if err := e.Configure(&d, set); err != nil {
		return err
	}
	return e.o.Store.Update(ctx, func(tx *store.Tx) error { return tx.SetDestination(d) })
}

// Pause lets a destination's messages wait.
func (e *Engine) Pause(ctx context.Context, id feedonce.DestinationID) error {
	return e.o.Store.Update(ctx, func(tx *store.Tx) error {
		return tx.SetDestinationState(id, feedonce.DestinationPaused, "", e.o.Now())
	})
}

// Resume sends to a destination again, also where it was switched off or is left in peace for its failures.
func (e *Engine) Resume(ctx context.Context, id feedonce.DestinationID) error {
	now := e.o.Now()
	return e.o.Store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.SetDestinationState(id, feedonce.DestinationActive, "", now); err != nil {
			return err
		}
		return wakeNext(tx, id, now)
	})
}

// wakeNext queues a drain for the next message of a destination, if it has one; at the earliest at now.
func wakeNext(tx *store.Tx, id feedonce.DestinationID, now time.Time) error {
	due, ok, err := tx.NextDelivery(id)
	if err != nil || !ok {
		return err
	}
	if due.Before(now) {
		due = now
	}
	_, err = tx.Wake(id, due)
	return err
}

// Preview returns what a destination would be sent about an entry; 0 is the newest that its route selects, or an example where
// there is none.
func (e *Engine) Preview(ctx context.Context, d feedonce.Destination, entry feedonce.EntryID) (dest.Preview, error) {
	sender, err := e.sender(d)
	if err != nil {
		return dest.Preview{}, err
	}
	m, err := e.trial(ctx, d, entry)
	if err != nil {
		return dest.Preview{}, err
	}
	return sender.Preview(m)
}

// Test sends a destination one message about an entry, as Preview chooses it, at once and outside of its queue. It returns
// what was sent and what came of it; the destination's health is not touched.
func (e *Engine) Test(ctx context.Context, d feedonce.Destination, entry feedonce.EntryID) (dest.Preview, dest.Result, error) {
	sender, err := e.sender(d)
	if err != nil {
		return dest.Preview{}, dest.Result{}, err
	}
	m, err := e.trial(ctx, d, entry)
	if err != nil {
		return dest.Preview{}, dest.Result{}, err
	}
	p, err := sender.Preview(m)
	if err != nil {
		return p, dest.Result{}, err
	}
	within, cancel := context.WithTimeout(ctx, sendFor)
	defer cancel()
	return p, sender.Send(within, m), nil
}

func (e *Engine) sender(d feedonce.Destination) (dest.Sender, error) {
	kind := dest.ByName(d.Kind)
	if kind == nil {
		return nil, fmt.Errorf("this version of the program knows no destination of kind %q", d.Kind)
	}
	set, err := e.Settings(d)
	if err != nil {
		return nil, err
	}
	return kind.Open(set, e.o.Env)
}

// trial makes a message to look at.
func (e *Engine) trial(ctx context.Context, d feedonce.Destination, entry feedonce.EntryID) (m dest.Message, err error) {
	now := e.o.Now()
	err = e.o.Store.View(ctx, func(tx *store.Tx) error {
		c, err := e.composing(tx)
		if err != nil {
			return err
		}
		if entry == 0 {
			if entry, err = c.newest(d.Route); err != nil {
				return err
			}
		}
		a := c.example(now)
		if entry != 0 {
			a, err = c.article(feedonce.Delivery{Kind: feedonce.DeliverNew, Entry: entry})
			var gone *moot
			if errors.As(err, &gone) {
				return fmt.Errorf("entry %d: %w: %s", entry, feedonce.ErrNotFound, gone.why)
			}
			if err != nil {
				return err
			}
		}
		m = e.message(d, feedonce.DeliverNew, now, []dest.Article{a}, d.Route.Digest != nil)
		m.Key = "test_" + rand.Text()
		return nil
	})
	return m, err
}

// newest returns the newest of the latest entries that a route selects; 0 where there is none.
func (c *composing) newest(r feedonce.Route) (feedonce.EntryID, error) {
	choice, err := outbox.Choose(r)
	if err != nil {
		return 0, err
	}
	feeds, err := c.tx.Feeds()
	if err != nil {
		return 0, err
	}
	of := map[feedonce.FeedID]bool{}
	for _, f := range feeds {
		of[f.ID] = choice.Feed(f)
	}
	latest, err := c.tx.Entries(store.EntryFilter{Limit: 100})
	if err != nil {
		return 0, err
	}
	for _, en := range latest {
		if of[en.Feed] {
			return en.ID, nil
		}
	}
	return 0, nil
}

// example is an article for those who have none yet.
func (c *composing) example(now time.Time) dest.Article {
	return dest.Article{
		ID: feedonce.EntryID(0).URN(c.instance), FeedName: "An example", FeedURL: "https://example.org/feed.xml", SiteURL: "https://example.org/",
		GUID: "https://example.org/hello", URL: "https://example.org/hello", Title: "This is what a new article looks like",
		Text:      "There is no article here yet that could be shown, so this one was made up.",
		HTML:      "<p>There is no article here yet that could be shown, so this one was made up.</p>",
		Published: now, FirstSeen: now, Revision: 1,
	}
}
