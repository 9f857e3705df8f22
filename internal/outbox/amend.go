package outbox

import (
	"fmt"
	"slices"
	"time"

	"feedonce"
	"feedonce/internal/store"
)

// mergedNote says why messages about an article that was merged are not sent.
func mergedNote(into feedonce.EntryID) string {
	return fmt.Sprintf("a person said that it is the same as article %d", into)
}

// Merged settles the messages about an article of a feed that became part of another one: those that were not sent are not
// sent. A destination that waited for one, and was never to be told of the other article, is told of that instead.
// Put writes the change log.
func Merged(tx *store.Tx, feed feedonce.FeedID, entry, into feedonce.EntryID, at time.Time) error {
	all, err := deliveries(tx, []feedonce.EntryID{entry, into})
	if err != nil || len(all) == 0 {
		return err
	}
	if err := tx.SkipDeliveries(entry, mergedNote(into), at); err != nil {
		return err
	}
	var rows []feedonce.Delivery
	for to := range all {
		if slices.ContainsFunc(all[to][into], isTold) {
			continue
		}
		for _, d := range all[to][entry] {
			if d.Kind == feedonce.DeliverNew && waits(d.State) {
				state := feedonce.DeliveryPending
				if d.State == feedonce.DeliveryHeld {
					state = d.State
				}
				rows = append(rows, feedonce.Delivery{Destination: to, Kind: d.Kind, Entry: into, Feed: feed, State: state, Batch: d.Batch, Brake: d.Brake,
					Created: at, Due: d.Due, Note: d.Note})
			}
		}
	}
	return put(tx, rows, nil)
}

// Unmerged gives an article that is one of its own again the messages that were not sent because it was part of another.
func Unmerged(tx *store.Tx, entry, from feedonce.EntryID, at time.Time) error {
	rows, err := tx.DeliveriesAbout([]feedonce.EntryID{entry})
	if err != nil {
		return err
	}
	var back []feedonce.DeliveryID
	for i := range rows {
		d := &rows[i]
		if d.State != feedonce.DeliverySkipped || d.Note != mergedNote(from) || d.Kind != feedonce.DeliverNew {
			continue
		}
		back = append(back, d.ID)
		d.State, d.Due = feedonce.DeliveryPending, at
	}
	if len(back) == 0 {
		return nil
	}
	if _, err := tx.SetDeliveries(back, []feedonce.DeliveryState{feedonce.DeliverySkipped}, feedonce.DeliveryPending, at, "it is an article of its own again"); err != nil {
		return err
	}
	return wake(tx, slices.DeleteFunc(rows, func(d feedonce.Delivery) bool { return !slices.Contains(back, d.ID) }), nil)
}

// Reverted settles the messages about an article that got an earlier revision back: those about later ones that were not
// sent are not sent.
func Reverted(tx *store.Tx, entry feedonce.EntryID, revision int, at time.Time) error {
	rows, err := tx.DeliveriesAbout([]feedonce.EntryID{entry})
	if err != nil {
		return err
	}
	var late []feedonce.DeliveryID
	for _, d := range rows {
		if d.Kind == feedonce.DeliverUpdate && d.Revision > revision && waits(d.State) {
			late = append(late, d.ID)
		}
	}
	if len(late) == 0 {
		return nil
	}
	_, err = tx.SetDeliveries(late, waiting, feedonce.DeliverySkipped, at, "the update was taken back, as a person said that it is another article")
	return err
}

// Withdraw says that the articles of a feed are going with it, in the transaction that removes it: the change log says so
// of each, and no message about them is sent any more.
func Withdraw(tx *store.Tx, feed feedonce.Feed, at time.Time) error {
	if err := tx.LockOrder(); err != nil {
		return err
	}
	return tx.Withdraw(feed.ID, "the feed was removed: "+feed.Name(), at)
}
