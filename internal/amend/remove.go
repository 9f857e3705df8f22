package amend

import (
	"context"

	"feedonce"
	"feedonce/internal/outbox"
	"feedonce/internal/store"
)

// RemoveFeed removes a feed with all that is known of it. The change log says of each of its articles that it is withdrawn,
// and messages about them that were not sent are not sent. It cannot be undone. ErrNotFound where there is no such feed.
func RemoveFeed(ctx context.Context, s *store.Store, id feedonce.FeedID, by By) error {
	return s.Update(ctx, func(tx *store.Tx) error { return removeFeed(tx, id, by) })
}

func removeFeed(tx *store.Tx, id feedonce.FeedID, by By) error {
	if _, err := hold(tx, id, false); err != nil {
		return err
	}
	feed, err := tx.Feed(id)
	if err != nil {
		return err
	}
	if err := outbox.Withdraw(tx, feed, by.At); err != nil {
		return err
	}
	return tx.RemoveFeed(id)
}
