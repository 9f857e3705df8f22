package store

import (
	"fmt"
	"time"

	"feedonce/internal/sqldb"
)

// What a database says of its own health, for `feedonce doctor`.

// SchemaVersion returns the number of the newest migration that was applied.
func (tx *Tx) SchemaVersion() (int64, error) {
	var version int64
	if err := tx.QueryRow(`select max(version_id) from goose_db_version where is_applied`).Scan(&version); err != nil {
		return 0, fmt.Errorf("version of the schema: %w", err)
	}
	return version, nil
}

// Faults reads the whole SQLite file and returns what is wrong with it, a sentence of SQLite's each, at most 10 of its pages
// and one for each table whose rows refer to nothing; none where it is whole. PostgreSQL looks after its own files, and has
// none.
func (tx *Tx) Faults() ([]string, error) {
	if tx.Dialect() != sqldb.SQLite {
		return nil, nil
	}
	text := func(row sqldb.Scanner) (s string, err error) { return s, row.Scan(&s) }
	var faults []string
	said, err := sqldb.All(tx.Tx, text, `pragma integrity_check(10)`)
	if err != nil {
		return nil, fmt.Errorf("integrity of the file: %w", err)
	}
	for _, s := range said {
		if s != "ok" {
			faults = append(faults, s)
		}
	}
	orphaned, err := sqldb.All(tx.Tx, text, `select distinct "table" from pragma_foreign_key_check order by 1`)
	if err != nil {
		return nil, fmt.Errorf("references between tables: %w", err)
	}
	for _, table := range orphaned {
		faults = append(faults, "rows of "+table+" refer to nothing")
	}
	return faults, nil
}

// ServerTime returns the time by the clock of the database's server, in UTC; zero where the database is a file, which has
// no clock.
func (tx *Tx) ServerTime() (time.Time, error) {
	if tx.Dialect() != sqldb.PostgreSQL {
		return time.Time{}, nil
	}
	var micros int64
	if err := tx.QueryRow(`select cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)`).Scan(&micros); err != nil {
		return time.Time{}, fmt.Errorf("time of the database's server: %w", err)
	}
	return time.UnixMicro(micros).UTC(), nil
}

// LeasedBeyond returns how many feeds are leased beyond a moment, and until when the last of them is; zero where none is.
func (tx *Tx) LeasedBeyond(moment time.Time) (n int, last time.Time, err error) {
	err = tx.QueryRow(`select count(*), max(lease_until) from feed_schedule where lease_until > $1`, moment.UnixMicro()).Scan(&n, at(&last))
	if err != nil {
		return 0, time.Time{}, fmt.Errorf("leases: %w", err)
	}
	return n, last, nil
}
