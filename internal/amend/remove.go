package amend

import (
	"context"
	"fmt"

	"feedonce"
	"feedonce/internal/outbox"
	"feedonce/internal/store"
)

// RemoveFeeds removes feeds with all that is known of them, all or none. The change log says of each of their articles that it
// is withdrawn, and messages about them that were not sent are not sent. It cannot be undone. ErrNotFound where one is not
// there.
func RemoveFeeds(ctx context.Context, s *store.Store, by By, ids ...feedonce.FeedID) error {
	return s.Update(ctx, func(tx *store.Tx) error {
		for _, id := range ids {
			if err := removeFeed(tx, id, by); err != nil {
				return fmt.Errorf("feed %d: %w", id, err)
			}
		}
		return nil
	})
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
