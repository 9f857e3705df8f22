package outbox

import (
	"slices"
	"time"

	"feedonce"
	"feedonce/internal/store"
)

// Backlog tells a destination, in the transaction that adds it, of articles that are there already, as its route's Backlog
// asks: of each feed the newest, or those since a time, as far as its filters let them through; with scope story, of each
// story the one that came first. They are sent oldest first. It returns how many there are.
//
// *feedonce.InvalidError where that would be more than MaxBacklog articles: nothing is told then.
func Backlog(tx *store.Tx, id feedonce.DestinationID, route feedonce.Route, at time.Time) (int, error) {
	b := route.Backlog
	if b == (feedonce.Backlog{}) {
		return 0, nil
	}
	// Whoever stores a document from now on knows the destination; what was stored before is seen here.
	if err := tx.LockOrder(); err != nil {
		return 0, err
	}
	choice, err := Choose(route)
	if err != nil {
		return 0, err
	}
	feeds, err := tx.Feeds()
	if err != nil {
		return 0, err
	}
	var found []store.BacklogEntry
	limit := MaxBacklog + 1
	if b.Latest > 0 {
		limit = min(limit, b.Latest)
	}
	for _, f := range feeds {
		if !choice.Feed(f) {
			continue
		}
		if err := tx.Backlog(f.ID, b.Since, limit, func(e store.BacklogEntry) error {
			if choice.Entry(&e.Entry) {
				e.Entry.Summary, e.Entry.Content = "", ""
				found = append(found, e)
			}
			return nil
		}); err != nil {
			return 0, err
		}
		if len(found) > maxScanned {
			return 0, tooMany(len(found))
		}
	}
	slices.SortFunc(found, func(a, b store.BacklogEntry) int {
		if c := a.Entry.Time().Compare(b.Entry.Time()); c != 0 {
			return c
		}
		return int(a.Entry.ID - b.Entry.ID)
	})
	var rows []feedonce.Delivery
	stories := map[int64]bool{}
	for _, e := range found {
		if route.Scope != feedonce.ScopeFeed && e.Story != 0 && !e.About {
			if stories[e.Story] {
				continue
			}
			stories[e.Story] = true
		}
		rows = append(rows, feedonce.Delivery{Destination: id, Kind: feedonce.DeliverNew, Entry: e.Entry.ID, Feed: e.Entry.Feed,
			State: feedonce.DeliveryPending, Created: at, Due: Due(route, at)})
	}
	if len(rows) > MaxBacklog {
		return 0, tooMany(len(rows))
	}
	return len(rows), put(tx, rows, nil)
}

// maxScanned bounds what a backlog reads: five times what can be told, as stories may make one of many.
const maxScanned = 5 * MaxBacklog

func tooMany(n int) error {
	return invalid("backlog", "must ask for at most %d articles, and this one would tell %d or more: ask for fewer of each feed, for a later time, or name feeds or folders", MaxBacklog, n)
}
