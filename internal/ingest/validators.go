package ingest

import (
	"context"
	"errors"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
)

// validators stores new validators of a document whose bytes are those of last time, so that the next poll can be
// answered "not modified". Nothing is stored where the feed moved on to another document meanwhile: these validators
// would name older data.
func (in *Ingester) validators(ctx context.Context, f Fetched, hash []byte) error {
	err := in.Store.Update(ctx, func(tx *store.Tx) error {
		doc, err := tx.FeedDoc(f.Feed)
		if err != nil || string(doc.BodyHash) != string(hash) {
			return err
		}
		var state dedup.State
		if err := state.UnmarshalBinary(doc.State); err != nil {
			return nil // the next document that is judged replaces it
		}
		return tx.Apply(store.Ingest{
			Feed: f.Feed, Seq: doc.Seq, Fence: f.Fence, At: f.Received, Warning: f.Claim.Feed.Warning,
			ETag: f.ETag, LastModified: f.LastModified, BodyHash: hash, Result: &dedup.Result{State: &state},
		})
	})
	if errors.Is(err, feedonce.ErrConflict) {
		return nil
	}
	if err != nil {
		return wrap(f.Feed, err)
	}
	return nil
}
