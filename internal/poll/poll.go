// Package poll decides who is due, and polls: claim, fetch, ingest, schedule.
package poll

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"feedonce"
	"feedonce/internal/fetch"
	"feedonce/internal/ingest"
	"feedonce/internal/store"
)

// Options configure a Poller; zero values have the defaults named.
type Options struct {
	Store    *store.Store
	Client   *fetch.Client
	Log      *slog.Logger
	Workers  int              // feeds polled at once; default 16
	PerHost  int              // of them from one host; default 2
	Step     time.Duration    // how often to look for due feeds; default 5 s. The shortest interval of a feed is Min
	Min, Max time.Duration    // bounds of a feed's interval; default 5 minutes and 24 hours
	Lease    time.Duration    // default 2 minutes
	Now      func() time.Time // default time.Now
	OnResult func(Result)     // called after every poll, from the polling goroutine
}

// A Result is what one poll gave.
type Result struct {
	Feed   feedonce.Feed
	Status string        // "new", "changed", "unchanged", "not modified", "error"
	Report ingest.Report // zero on error
	Err    error         // in words for a person
	Took   time.Duration
}

// A Poller polls.
type Poller struct{}

// New returns a Poller.
func New(o Options) *Poller { return &Poller{} }

// Run polls due feeds until ctx ends, then waits for the polls under way.
func (p *Poller) Run(ctx context.Context) error { return errors.New("not yet") }

// Poll polls one feed now, due or not. Its error is Result.Err, or why the poll could not be made at all.
func (p *Poller) Poll(ctx context.Context, id feedonce.FeedID) (Result, error) {
	return Result{}, errors.New("not yet")
}
