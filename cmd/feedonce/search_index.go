package main

import (
	"context"
	"log/slog"
	"time"

	"feedonce/internal/store"
)

// How the index of words follows what happens: it looks whether there is something to do searchEvery, and where there is much,
// leaves the database to others for at least as long as it used it, and searchPause.
const (
	searchEvery = time.Second
	searchPause = 20 * time.Millisecond
	searchAgain = time.Minute // after an error
)

// indexSearch keeps the index of words up to date until ctx ends. Several processes may do so at once.
func (a *app) indexSearch(ctx context.Context, s *store.Store, log *slog.Logger) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		began := time.Now()
		more, err := s.IndexSearch(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			log.Warn("new articles cannot be found by their words yet; it is tried again in a minute", "error", err)
			timer.Reset(searchAgain)
		case more:
			timer.Reset(max(searchPause, time.Since(began)))
		default:
			timer.Reset(searchEvery)
		}
	}
}
