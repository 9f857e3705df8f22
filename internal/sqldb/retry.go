package sqldb

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// maxAttempts bounds how often a transaction is run.
const maxAttempts = 6

// pause waits before the next attempt: 5, 10, 20, … milliseconds, each up to twice as long by chance, so that two that
// got into each other's way do not meet again.
func pause(ctx context.Context, attempt int) error {
	base := 5 * time.Millisecond << (attempt - 1)
	timer := time.NewTimer(base + rand.N(base))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// passes reports whether an error goes away when the transaction is run again.
func passes(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch pg.Code {
		case "40001", // serialization_failure
			"40P01": // deadlock_detected
			return true
		case "0A000": // feature_not_supported: a prepared statement from before another worker's migration
			return strings.Contains(pg.Message, "cached plan")
		}
		return false
	}
	var lite *sqlite.Error
	if errors.As(err, &lite) {
		switch lite.Code() & 0xff {
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
			return true
		}
	}
	return false
}

// IsUnique reports whether a statement failed on a unique constraint or primary key. On PostgreSQL the transaction is
// of no more use.
func IsUnique(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code == "23505" // unique_violation
	}
	var lite *sqlite.Error
	if errors.As(err, &lite) {
		return lite.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || lite.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
	}
	return false
}

// IsForeignKey reports whether a statement failed because the row it refers to is not there.
func IsForeignKey(err error) bool {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code == "23503" // foreign_key_violation
	}
	var lite *sqlite.Error
	return errors.As(err, &lite) && lite.Code() == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY
}
