package main

import (
	"context"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"feedonce/dedup"
	"feedonce/internal/store"
)

// upkeepEvery is how often what is past its time is removed.
const upkeepEvery = 24 * time.Hour

// upkeep keeps the index of words up to date, and removes what is past its time, until ctx ends. Several processes may do so at
// once.
func (a *app) upkeep(ctx context.Context, s *store.Store, log *slog.Logger) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return a.indexSearch(ctx, s, log) })
	group.Go(func() error { return a.purge(ctx, s, log) })
	return group.Wait()
}

// purge removes what is past its time, now and once a day.
func (a *app) purge(ctx context.Context, s *store.Store, log *slog.Logger) error {
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
