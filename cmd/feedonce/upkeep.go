package main

import (
	"context"
	"log/slog"
	"time"

	"feedonce/dedup"
	"feedonce/internal/store"
)

// upkeepEvery is how often what is past its time is removed.
const upkeepEvery = 24 * time.Hour

// upkeep removes what is past its time, now and once a day until ctx ends. Several processes may do so at once.
func (a *app) upkeep(ctx context.Context, s *store.Store, log *slog.Logger) error {
	tick := time.NewTicker(upkeepEvery)
	defer tick.Stop()
	for {
		var n int64
		err := s.Update(ctx, func(tx *store.Tx) (err error) {
			n, err = tx.PurgeStoryMarks(time.Now().Add(-dedup.StoryKeep))
			return err
		})
		switch {
		case err != nil && ctx.Err() == nil:
			log.Warn("cannot remove old marks of stories; it is tried again in a day", "error", err)
		case n > 0:
			log.Info("removed old marks of stories", "count", n)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
