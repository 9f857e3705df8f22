// Package jobs queues background work in the transaction that makes it necessary, and runs it: River on both databases,
// behind a few words of our own.
//
// A job runs at least once. What it works on says itself whether there is something left to do, so a job that comes twice,
// or late, does no harm; a job that is lost is found again by Sweep.
//
// The drivers only poll: PostgreSQL's notifications would need a connection of their own for a second that nobody misses,
// and SQLite has none.
package jobs

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"

	"feedonce/internal/sqldb"
)

// A Job is a kind of work with its particulars.
type Job interface {
	Kind() string
}

// Drain is to send what is due at a destination.
type Drain struct {
	Destination int64 `json:"destination"`
}

// Kind names the kind in the database.
func (Drain) Kind() string { return "drain" }

// Sweep is to look for what was forgotten. It is queued by itself, every SweepEvery.
type Sweep struct{}

// Kind names the kind in the database.
func (Sweep) Kind() string { return "sweep" }

// SweepEvery is how often it is looked for what was forgotten.
const SweepEvery = time.Minute

// A Client queues jobs. It is safe for concurrent use.
type Client struct {
	db     *sqldb.DB
	driver riverdriver.Driver[*sql.Tx]
	insert *river.Client[*sql.Tx]
}

// New returns a client that queues jobs in a migrated database.
func New(db *sqldb.DB) (*Client, error) {
	c := &Client{db: db, driver: driverOf(db)}
	var err error
	if c.insert, err = river.NewClient(c.driver, &river.Config{Logger: slog.New(slog.DiscardHandler)}); err != nil {
		return nil, fmt.Errorf("job queue: %w", err)
	}
	return c, nil
}

func driverOf(db *sqldb.DB) riverdriver.Driver[*sql.Tx] {
	if db.Dialect() == sqldb.PostgreSQL {
		return riverdatabasesql.New(db.Writer())
	}
	return riversqlite.New(db.Writer())
}

// maxMigrations is how often it is tried to migrate where another process does so at the same moment.
const maxMigrations = 5

// Migrate brings the queue's own tables up to date. Any number of processes may do so at once.
func Migrate(ctx context.Context, db *sqldb.DB) error {
	m, err := rivermigrate.New(driverOf(db), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return fmt.Errorf("job queue: %w", err)
	}
	return db.Alone(ctx, func() error {
		for try := 1; ; try++ {
			_, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil)
			if err == nil {
				return nil
			}
			if try == maxMigrations || ctx.Err() != nil {
				return fmt.Errorf("migrate the job queue of database %s: %w", db.Name(), err)
			}
			time.Sleep(time.Duration(try) * 50 * time.Millisecond)
		}
	})
}

// Insert queues a job in a transaction, to be run at a time or, where that is past or zero, at once.
func (c *Client) Insert(tx *sqldb.Tx, j Job, at time.Time) error {
	opts := &river.InsertOpts{}
	if at.After(time.Now()) {
		opts.ScheduledAt = at
	}
	if _, err := c.insert.InsertTx(tx.Context(), tx.SQL(), j, opts); err != nil {
		return fmt.Errorf("queue job %s: %w", j.Kind(), err)
	}
	return nil
}

// Snooze is the error of a handler that wants its job to come again after a while.
type Snooze struct{ For time.Duration }

func (s *Snooze) Error() string { return "again in " + s.For.String() }

// Handlers run jobs.
type Handlers struct {
	Drain func(context.Context, Drain) error
	Sweep func(context.Context) error
}

// Options are how jobs are run. The zero value has the defaults named.
type Options struct {
	Workers int           // at a time; default 8
	Poll    time.Duration // how often it is looked for jobs; default 1 s
	Timeout time.Duration // of one job; default 3 min
	Rescue  time.Duration // after how long a job of a process that died runs again; default 6 min
	Log     *slog.Logger
}

func (o Options) withDefaults() Options {
	or := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	or(&o.Poll, time.Second)
	or(&o.Timeout, 3*time.Minute)
	or(&o.Rescue, 6*time.Minute)
	if o.Workers <= 0 {
		o.Workers = 8
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Run runs jobs until ctx ends, and waits for those under way, whose contexts end then, too.
func (c *Client) Run(ctx context.Context, h Handlers, o Options) error {
	o = o.withDefaults()
	workers := river.NewWorkers()
	river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, j *river.Job[Drain]) error { return done(h.Drain(ctx, j.Args)) }))
	river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, _ *river.Job[Sweep]) error { return done(h.Sweep(ctx)) }))
	client, err := river.NewClient(c.driver, &river.Config{
		Workers:                     workers,
		Queues:                      map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: o.Workers}},
		PollOnly:                    true,
		FetchPollInterval:           o.Poll,
		FetchCooldown:               min(o.Poll, 100*time.Millisecond),
		JobTimeout:                  o.Timeout,
		RescueStuckJobsAfter:        o.Rescue,
		MaxAttempts:                 river.MaxAttemptsDefault,
		CompletedJobRetentionPeriod: time.Hour,
		CancelledJobRetentionPeriod: time.Hour,
		Logger:                      slog.New(quiet{o.Log.Handler()}),
		PeriodicJobs: []*river.PeriodicJob{river.NewPeriodicJob(river.PeriodicInterval(SweepEvery), func() (river.JobArgs, *river.InsertOpts) {
			return Sweep{}, nil
		}, &river.PeriodicJobOpts{RunOnStart: true})},
	})
	if err != nil {
		return fmt.Errorf("job queue: %w", err)
	}
	if err := client.Start(ctx); err != nil {
		return fmt.Errorf("job queue: %w", err)
	}
	<-ctx.Done()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := client.StopAndCancel(last); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("stop the job queue: %w", err)
	}
	return ctx.Err()
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
