package store_test

import (
	"fmt"
	"testing"

	"feedonce"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// After a backup was brought back, numbers that were given since it was made are not given to anything else: messages, output
// feeds and consumers of the change log know things by them.
func TestRestoredNumbers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		round := 0
		next := func() map[string]int64 {
			round++
			feed := addFeed(t, s, fmt.Sprintf("https://%d.example/feed", round))
			d := newDocument(t, s, feed.ID, start)
			d.create(full("x"))
			d.mustApply(s)
			entry := d.in.Result.Decisions[0].Write.Entry.ID
			to := addDestination(t, s, fmt.Sprint("d", round))
			delivered := putDeliveries(t, s, delivery(to, feedonce.EntryID(entry)))[0]
			update(t, s, func(tx *store.Tx) error {
				if err := tx.LockOrder(); err != nil {
					return err
				}
				return tx.AddChanges([]feedonce.Change{{At: start, Kind: feedonce.ChangeCreated, Feed: feed.ID, Entry: feedonce.EntryID(entry)}})
			})
			change := read(t, s, func(tx *store.Tx) (int64, error) { return tx.LastChange() })
			return map[string]int64{"feed": int64(feed.ID), "entry": int64(entry), "destination": int64(to), "delivery": int64(delivered), "change": change}
		}
		before := next()
		update(t, s, func(tx *store.Tx) error { return tx.MarkRestored(start) })
		for what, n := range next() {
			if n <= before[what]+1_000_000 {
				t.Errorf("the next %s is %d, and the last of the backup was %d: it may be the number of one that came after the backup", what, n, before[what])
			}
		}
	})
}
