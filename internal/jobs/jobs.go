// Package jobs queues background work in the transaction that makes it necessary, and runs it: River on both databases,
// behind a few words of our own.
//
// A job runs at least once. What it works on says itself whether there is something left to do, so a job that comes twice,
// or late, does no harm; and what a lost job leaves undone is found by the sweep.
//
// Jobs are only polled for: PostgreSQL's notifications would need a connection of their own for a second that nobody misses,
// and SQLite has none. River rests while no job is due soon: it writes to the database every few seconds just to say that it
// is there (docs/decisions/0007-outbox.md has the figures), and looking whether there is a job writes nothing.
package jobs

import (
	"context"
	"database/sql"
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

// A Job is a kind of work with its particulars, which are kept as JSON.
type Job interface {
	// Kind names the kind in the database.
	Kind() string
}

// Drain is to send what is due at a destination.
type Drain struct {
	Destination int64 `json:"destination"`
	// Wake is the wake-up that the job was queued for: the time it is to run, in microseconds since 1970. The store knows by
	// it whether somebody has answered that meanwhile.
	Wake int64 `json:"wake"`
}

// Kind names the kind in the database.
func (Drain) Kind() string { return "drain" }

// A Client queues jobs, and runs them. It is safe for concurrent use.
type Client struct {
	db     *sqldb.DB
	driver riverdriver.Driver[*sql.Tx]
	insert *river.Client[*sql.Tx] // only queues
	over   func(context.Context, Drain) (bool, error)
}

// New returns a client for a migrated database. over says of a job that is about to run that there is nothing left of it to
// do, so that it need not be run; nil: all are run.
func New(db *sqldb.DB, over func(context.Context, Drain) (bool, error)) (*Client, error) {
	if over == nil {
		over = func(context.Context, Drain) (bool, error) { return false, nil }
	}
	c := &Client{db: db, driver: driverOf(db), over: over}
	var err error
	if c.insert, err = river.NewClient(c.driver, &river.Config{Logger: slog.New(slog.DiscardHandler)}); err != nil {
		return nil, fmt.Errorf("job queue: %w", err)
	}
	return c, nil
}

// driverOf uses the pool that writes. On SQLite that has one connection, which River asks for like everybody else, and
// never keeps while a job runs.
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
			if try == maxMigrations || !pause(ctx, time.Duration(try)*50*time.Millisecond) {
				return fmt.Errorf("migrate the job queue of database %s: %w", db.Name(), err)
			}
		}
	})
}

// pause waits, and reports whether ctx goes on.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Insert queues a job in a transaction, to be run at a time or, where that is past or zero, at once. Where the transaction is
// rolled back there is no job.
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
