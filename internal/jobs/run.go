package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"feedonce/internal/sqldb"
)

// Snooze is the error of a handler that wants its job to come again after a while. It does not count as an attempt.
type Snooze struct{ For time.Duration }

func (s *Snooze) Error() string { return "again in " + s.For.String() }

// Handlers do the work. A job whose handler returns another error than *Snooze comes again, later each time; after 25 times,
// which is three weeks, it is given up. A handler that panics is logged, and counts as one that returned an error.
type Handlers struct {
	Drain func(context.Context, Drain) error
	// Sweep looks for what lost jobs left undone. It is no job itself: every process that runs jobs calls it, when it begins
	// and then every Options.Sweep.
	Sweep func(context.Context) error
}

// Options are how jobs are run. The zero value has the defaults named.
type Options struct {
	Workers int           // at a time; default 8
	Poll    time.Duration // how often it is looked for jobs; default 1 s
	Sweep   time.Duration // how often it is looked for what lost jobs left undone; default 1 min
	Timeout time.Duration // of one job; default 2 min
	Rescue  time.Duration // after how long a job of a process that died runs again; default 5 min, and never below Timeout
	Rest    time.Duration // after how long without a job River rests; default 1 min
	Log     *slog.Logger
}

func (o Options) withDefaults() Options {
	or := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	or(&o.Poll, time.Second)
	or(&o.Sweep, time.Minute)
	or(&o.Timeout, 2*time.Minute)
	or(&o.Rescue, 5*time.Minute)
	or(&o.Rest, time.Minute)
	o.Rescue = max(o.Rescue, o.Timeout)
	if o.Workers <= 0 {
		o.Workers = 8
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// soon is how long before a job is due River is started: it makes a job available in two steps, each within 5 seconds.
const soon = 15 * time.Second

// Run runs jobs until ctx ends, and waits for those under way, whose contexts end then, too. A database that cannot be
// reached is logged, and tried again.
func (c *Client) Run(ctx context.Context, h Handlers, o Options) error {
	o = o.withDefaults()
	var sweeping sync.WaitGroup
	sweeping.Go(func() { sweep(ctx, h.Sweep, o) })
	defer sweeping.Wait()

	failed := false
	for ctx.Err() == nil {
		busy, err := c.busy(ctx)
		if err == nil && busy {
			err = c.work(ctx, h, o)
		}
		if err != nil && ctx.Err() == nil && !failed {
			o.Log.Error("the job queue cannot be worked; trying again", "error", err)
		}
		failed = err != nil
		pause(ctx, o.Poll)
	}
	return ctx.Err()
}

// sweep calls f now and then.
func sweep(ctx context.Context, f func(context.Context) error, o Options) {
	for ctx.Err() == nil {
		if err := f(ctx); err != nil && ctx.Err() == nil {
			o.Log.Error("cannot look for what lost jobs left undone", "error", err)
		}
		if !pause(ctx, o.Sweep) {
			return
		}
	}
}

// unfinished are the states of jobs that River has something to do with.
var unfinished = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled,
}

// busy reports whether a job is due soon, or runs. It only reads.
func (c *Client) busy(ctx context.Context) (bool, error) {
	var busy bool
	err := c.db.View(ctx, func(tx *sqldb.Tx) error {
		next, err := c.insert.JobListTx(ctx, tx.SQL(), river.NewJobListParams().States(unfinished...).
			OrderBy(river.JobListOrderByScheduledAt, river.SortOrderAsc).First(1))
		if err != nil {
			return fmt.Errorf("look for jobs: %w", err)
		}
		busy = len(next.Jobs) > 0 && time.Until(next.Jobs[0].ScheduledAt) < soon
		return nil
	})
	return busy, err
}

// work has River run jobs until there has been none for a while, or ctx ends.
func (c *Client) work(ctx context.Context, h Handlers, o Options) error {
	client, err := river.NewClient(c.driver, &river.Config{
		Workers:                     c.workers(h),
		Queues:                      map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: o.Workers}},
		PollOnly:                    true,
		FetchPollInterval:           o.Poll,
		FetchCooldown:               min(o.Poll, river.FetchCooldownDefault),
		JobTimeout:                  o.Timeout,
		RescueStuckJobsAfter:        o.Rescue,
		CompletedJobRetentionPeriod: time.Hour,
		CancelledJobRetentionPeriod: time.Hour,
		Logger:                      slog.New(quiet{o.Log.Handler()}),
	})
	if err != nil {
		return fmt.Errorf("job queue: %w", err)
	}
	if err := client.Start(ctx); err != nil {
		return fmt.Errorf("start the job queue: %w", err)
	}
	for last := time.Now(); time.Since(last) < o.Rest && pause(ctx, min(o.Poll, o.Rest)); {
		// Where that cannot be found out River goes on: it says itself what is wrong.
		if busy, err := c.busy(ctx); busy || err != nil {
			last = time.Now()
		}
	}
	patience := o.Timeout // a job may have come at the last moment
	if ctx.Err() != nil {
		patience = 10 * time.Second
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if err := client.Stop(stop); err != nil {
		return fmt.Errorf("stop the job queue: %w", err)
	}
	return nil
}

func (c *Client) workers(h Handlers) *river.Workers {
	workers := river.NewWorkers()
	river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, j *river.Job[Drain]) error {
		over, err := c.over(ctx, j.Args)
		if err != nil || over {
			return err
		}
		return done(h.Drain(ctx, j.Args))
	}))
	return workers
}

// done translates what a handler says.
func done(err error) error {
	var s *Snooze
	if errors.As(err, &s) {
		return river.JobSnooze(s.For)
	}
	return err
}

// quiet hands on what is a warning or worse: the queue's own coming and going is of no interest.
type quiet struct{ slog.Handler }

func (q quiet) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && q.Handler.Enabled(ctx, l)
}
func (q quiet) WithAttrs(a []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(a)} }
func (q quiet) WithGroup(n string) slog.Handler      { return quiet{q.Handler.WithGroup(n)} }
