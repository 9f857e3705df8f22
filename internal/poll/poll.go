// Package poll decides who is due, and polls: claim, fetch, ingest, schedule.
//
// One goroutine, the dispatcher, claims due feeds in batches and sorts them by host; for every poll under way there is
// one goroutine more, at most Workers of them, and for idle feeds there is none. A host gets PerHost polls at once and
// a little time between them, and hosts take turns, so that a slow one keeps two workers busy and not all. Claims that
// wait for a slow host until half their lease is over are given back.
//
// The claim itself moves the feed's next poll forward, so a poll that finds nothing new writes nothing at all; what it
// counted is kept in memory and stored by the hour. What a poll teaches about the feed's schedule is stored in the
// transaction of the document that taught it.
package poll

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
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
	Log      *slog.Logger     // default: nothing is logged
	Workers  int              // feeds polled at once; default 16
	PerHost  int              // of them from one host; default 2
	Spacing  time.Duration    // between the starts of two polls of one host; default 100 ms, negative is none; none on loopback
	Step     time.Duration    // how often to look for due feeds; default 5 s. The shortest interval of a feed is Min
	Min, Max time.Duration    // bounds of a feed's interval; default 5 minutes and 24 hours
	Lease    time.Duration    // default 2 minutes; at least three times what a fetch may take
	Grace    time.Duration    // how long polls under way may go on after the end of Run's context; default 10 s
	MaxItems int              // of one document; 0 is format's default
	Journal  *ingest.Journal  // of documents being read; nil keeps none
	OnResult func(Result)     // called after every poll, from the polling goroutine
	Now      func() time.Time // default time.Now
	// After and Rand (in [0, 1)) are the timers and the randomness; time.After and math/rand by default.
	After func(time.Duration) <-chan time.Time
	Rand  func() float64
}

func (o *Options) setDefaults() {
	positive := func(v *int, def int) {
		if *v <= 0 {
			*v = def
		}
	}
	duration := func(v *time.Duration, def time.Duration) {
		if *v <= 0 {
			*v = def
		}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.After == nil {
		o.After = time.After
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	if o.Spacing == 0 {
		o.Spacing = 100 * time.Millisecond
	}
	positive(&o.Workers, 16)
	positive(&o.PerHost, 2)
	duration(&o.Step, 5*time.Second)
	duration(&o.Min, 5*time.Minute)
	duration(&o.Max, 24*time.Hour)
	duration(&o.Lease, 2*time.Minute)
	duration(&o.Grace, 10*time.Second)
	o.Max = max(o.Max, o.Min)
}

// What became of a poll.
const (
	StatusNew         = "new"          // there were new articles
	StatusChanged     = "changed"      // something else was stored: an updated article, a duplicate
	StatusUnchanged   = "unchanged"    // a document came, and every article was as it is stored
	StatusNotModified = "not modified" // the server said so (304)
	StatusError       = "error"
)

// A Result is what one poll gave.
type Result struct {
	Feed   feedonce.Feed // as claimed, with the title of the document
	Status string        // "new", "changed", "unchanged", "not modified", "error"
	Report ingest.Report // zero on error
	Err    error         // in words for a person
	Took   time.Duration
	Wire   int64     // bytes received
	Next   time.Time // when it is to be polled next, where that is known; zero otherwise
}

// A Poller polls. It is safe for concurrent use, and any number may work on one database, in any number of processes.
// It is a prometheus.Collector of its counters.
type Poller struct {
	o       Options
	in      *ingest.Ingester
	hosts   *hosts
	counts  counts
	skips   skips
	metrics *metrics
}

// New returns a Poller.
func New(o Options) *Poller {
	o.setDefaults()
	m := newMetrics()
	p := &Poller{o: o, metrics: m}
	p.hosts = newHosts(o.PerHost, o.Spacing)
	p.in = &ingest.Ingester{
		Store: o.Store, MaxItems: o.MaxItems, Log: o.Log, Journal: o.Journal, After: o.After, Rand: o.Rand,
		Conflict: func(feedonce.FeedID) { m.conflicts.Inc() },
		Violation: func(id feedonce.FeedID, err error) {
			m.violations.Inc()
			o.Log.Error("a document was not stored because its decisions do not add up", "feed", id, "error", err)
		},
	}
	return p
}

// Run polls due feeds until ctx ends, then waits for the polls under way, for Options.Grace at most, and stores what is
// counted. Its error is that of the last step; a database that cannot be reached meanwhile is logged and tried again.
func (p *Poller) Run(ctx context.Context) error {
	d := newDispatcher(p)
	d.run(ctx)
	// The counts are worth a moment even when the context is over.
	if err := p.Flush(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("storing what was counted: %w", err)
	}
	return nil
}

// Poll polls one feed now, due or not. Its error is Result.Err, or why the poll could not be made at all.
//
// It runs beside a worker that polls the same feed at the same time: each article is stored once all the same. What it
// counts of unchanged articles is stored by Run or Flush.
func (p *Poller) Poll(ctx context.Context, id feedonce.FeedID) (Result, error) {
	var claim store.Claim
	err := p.o.Store.Update(ctx, func(tx *store.Tx) (err error) {
		claim, err = tx.ClaimFeed(p.o.Now(), id)
		return err
	})
	if err != nil {
		return Result{}, fmt.Errorf("feed %d cannot be polled: %w", id, err)
	}
	host := hostOf(claim.Feed.URL)
	if err := p.hosts.wait(ctx, host); err != nil {
		return Result{}, err
	}
	res := p.poll(ctx, claim)
	p.hosts.release(host, res.Took)
	p.report(res)
	return res, res.Err
}

// report tells everybody who wants to know.
func (p *Poller) report(res Result) {
	p.metrics.observe(res)
	if p.o.OnResult != nil {
		p.o.OnResult(res)
	}
}
