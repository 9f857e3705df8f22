// Package sqldb opens SQLite or PostgreSQL and runs transactions. It knows no table.
//
// A DB is opened by Open and brought to its schema by Migrate. All statements run in View (reads one consistent
// snapshot) or Update (writes), which commit, roll back and retry by themselves. SQL is written once for both
// databases, with $1 placeholders; a Dialect holds the few words that differ, and a Batch turns any number of rows
// into one statement: unnest of arrays on PostgreSQL, json_each on SQLite.
//
// SQLite runs in WAL mode with synchronous=full, so that what is committed survives a power cut. It has one
// connection that writes, with immediate transactions, and a pool of connections that can only read.
// PostgreSQL writes at READ COMMITTED, as the store serialises by compare-and-swap, and reads at REPEATABLE READ.
//
// Text is cleaned where it enters: PostgreSQL stores neither NUL characters nor invalid UTF-8, so both become
// U+FFFD, on SQLite too, so that the two databases hold the same.
package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"feedonce"
)

// A DB is an open database. It is safe for concurrent use.
type DB struct {
	dialect Dialect
	name    string
	write   *sql.DB
	read    *sql.DB // the same as write on PostgreSQL

	statements atomic.Int64
}

// Open opens a database and checks that it can be used: a path or "file:" URL is a SQLite file, which is created with
// its folder where it is missing; a "postgres://" or "postgresql://" URL is a database on a PostgreSQL server of
// version 15 or newer. Its errors say what is wrong with the place and what to do.
func Open(ctx context.Context, dsn string) (*DB, error) {
	scheme, _, hasScheme := strings.Cut(dsn, "://")
	switch {
	case dsn == "":
		return nil, &feedonce.InvalidError{Field: "database", Reason: `must be a path of a SQLite file or a "postgres://" URL; it is empty`}
	case hasScheme && (scheme == "postgres" || scheme == "postgresql"):
		return openPostgres(ctx, dsn)
	case hasScheme && scheme != "file":
		return nil, &feedonce.InvalidError{Field: "database", Reason: fmt.Sprintf(`must be a path of a SQLite file or a "postgres://" URL, not a %q URL`, scheme)}
	default:
		return openSQLite(ctx, dsn)
	}
}

// Close closes the database. Transactions under way end first.
func (db *DB) Close() error {
	if db.read == db.write {
		return db.write.Close()
	}
	return errors.Join(db.read.Close(), db.write.Close())
}

// Dialect returns what differs between the databases.
func (db *DB) Dialect() Dialect { return db.dialect }

// Name returns the database's place for messages: a file's path, or a URL without its password.
func (db *DB) Name() string { return db.name }

// Statements returns how many statements have been run in View and Update: what tests count.
func (db *DB) Statements() int64 { return db.statements.Load() }

// Writer returns the pool that Update uses, for libraries that bring their own SQL. On SQLite it has one connection.
func (db *DB) Writer() *sql.DB { return db.write }
