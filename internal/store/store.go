// Package store keeps feedonce's data in SQLite or PostgreSQL: all SQL of the program, by subject.
//
// # Layout
//
//   - feeds: what is polled; feed_schedule: when (narrow, rewritten at every poll); feed_docs and feed_states: the last
//     document, its number, validators and dedup's state.
//   - entries: articles; entry_bodies: their long texts and what only dedup reads; entry_versions: former contents.
//   - entry_keys: identity -> entry, unique within a feed; entry_marks: feature -> entries, to find candidates.
//   - decisions: what was decided about each arrival that was not unchanged, with the arrival where it was suppressed.
//   - feed_hours: arrivals by outcome and hour; verdicts: what a person said of two entries; amendments: what people did,
//     with what undoing puts back; quarantine: items held by policy.
//   - destinations, deliveries, delivery_attempts: who is told of what, and how far that is; brakes, notices: what the operator
//     should know; changes, change_cursors: what happened to entries, in one order; outputs: cleaned feeds; facts: what the
//     program remembers of itself. The tables river_* are the job queue's own.
//   - search_entries, search_words (SQLite), search_state: the words of entries, by which they are found; filled behind everything
//     else by IndexSearch, which follows the change log.
//   - stories, story_members: the same article in several feeds; story_marks: by what it is found, for 30 days.
//
// # One document at a time
//
// A document is decided on what FeedDoc and Known say, outside any lock, and stored whole by Apply, which counts the
// document's number up if it is still the one that was decided on. Of two workers that decide the same feed at once
// one stores, and the other gets feedonce.ErrConflict, reads again and decides again. The unique constraints on keys
// and content keys say the same once more, in the database's own words.
//
// Locks are always taken in the order feed_docs, feed_schedule, feeds, the rest; then the one of what has an order of its own
// (LockOrder), and after it only destinations, which Wake locks, with their deliveries.
package store

import (
	"context"
	"errors"

	"feedonce"
	"feedonce/internal/jobs"
	"feedonce/internal/sqldb"
)

// A Store is an open database. It is safe for concurrent use.
type Store struct {
	db   *sqldb.DB
	jobs *jobs.Client
}

// Open opens and migrates a database: a path (or "file:" URL) is SQLite, a "postgres://" URL is PostgreSQL.
func Open(ctx context.Context, dsn string) (*Store, error) {
	db, err := sqldb.Open(ctx, dsn)
	if err != nil {
		return nil, err
	}
	s, err := prepareDB(ctx, db)
	if err != nil {
		db.Close()
		return nil, err
	}
	return s, nil
}

// prepareDB migrates an open database.
func prepareDB(ctx context.Context, db *sqldb.DB) (*Store, error) {
	if err := db.Migrate(ctx, migrations()); err != nil {
		return nil, err
	}
	if err := jobs.Migrate(ctx, db); err != nil {
		return nil, err
	}
	s := &Store{db: db}
	var err error
	if s.jobs, err = jobs.New(db, s.answered); err != nil {
		return nil, err
	}
	return s, s.name(ctx)
}

// name gives a database that is new its name.
func (s *Store) name(ctx context.Context) error {
	err := s.View(ctx, func(tx *Tx) error {
		_, err := tx.Instance()
		return err
	})
	if errors.Is(err, feedonce.ErrNotFound) {
		return s.Update(ctx, func(tx *Tx) error { return tx.nameInstance() })
	}
	return err
}

// Jobs returns the queue of background work.
func (s *Store) Jobs() *jobs.Client { return s.jobs }

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// Dialect returns "sqlite" or "postgres".
func (s *Store) Dialect() string { return string(s.db.Dialect()) }

// Name returns the database's place for messages: a file's path, or a URL without its password.
func (s *Store) Name() string { return s.db.Name() }

// DB returns the database below, for tests that count what is written and for libraries that bring their own SQL.
func (s *Store) DB() *sqldb.DB { return s.db }

// A Tx is a transaction. Its methods are in the files of their subjects.
type Tx struct {
	*sqldb.Tx
	jobs *jobs.Client
}

// View runs f in a transaction that can only read and sees one state of the database throughout. As in Update, f
// touches nothing but the database and variables it sets afresh.
func (s *Store) View(ctx context.Context, f func(*Tx) error) error {
	return s.db.View(ctx, func(tx *sqldb.Tx) error { return f(&Tx{tx, s.jobs}) })
}

// Update runs f in a transaction that writes, and commits if f returns nil. It may run f more than once
// (serialisation failures), so f touches nothing but the database and variables it sets afresh.
func (s *Store) Update(ctx context.Context, f func(*Tx) error) error {
	return s.db.Update(ctx, func(tx *sqldb.Tx) error { return f(&Tx{tx, s.jobs}) })
}

// newIDs returns n IDs for new rows of a table, ascending. They are used up even where the rows are not inserted.
func (tx *Tx) newIDs(table string, n int) ([]int64, error) {
	ids := make([]int64, 0, n)
	if n == 0 {
		return ids, nil
	}
	if tx.Dialect() == sqldb.PostgreSQL {
		err := tx.Each(func(row sqldb.Scanner) error {
			var id int64
			err := row.Scan(&id)
			ids = append(ids, id)
			return err
		}, "select nextval(pg_get_serial_sequence($1, 'id')) from generate_series(1, $2)", table, n)
		return ids, err
	}
	var last int64
	if err := tx.QueryRow("update sequences set last = last + $2 where name = $1 returning last", table, n).Scan(&last); err != nil {
		return nil, err
	}
	for id := last - int64(n) + 1; id <= last; id++ {
		ids = append(ids, id)
	}
	return ids, nil
}
