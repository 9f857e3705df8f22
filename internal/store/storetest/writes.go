package storetest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"feedonce/internal/sqldb"
	"feedonce/internal/store"
)

// Writes are what a function wrote to the database.
type Writes struct {
	// Rows are the rows inserted, updated and deleted, by table. On SQLite they are only known for all tables together,
	// by the name "all".
	Rows map[string]RowWrites
	// WAL is the number of bytes written to PostgreSQL's log; 0 on SQLite.
	WAL int64
	// Statements is the number of statements that the store sent.
	Statements int64
}

// RowWrites are counts of rows.
type RowWrites struct{ Inserted, Updated, Deleted int64 }

// Total is the number of rows written in the tables named, or in all of them where none is named. It cannot name
// tables on SQLite.
func (w Writes) Total(tables ...string) int64 {
	var n int64
	for name, r := range w.Rows {
		if len(tables) == 0 || slices.Contains(tables, name) {
			n += r.Inserted + r.Updated + r.Deleted
		}
	}
	return n
}

func (w Writes) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(w.Rows)) {
		if r := w.Rows[name]; r != (RowWrites{}) {
			fmt.Fprintf(&b, "%s: %d inserted, %d updated, %d deleted; ", name, r.Inserted, r.Updated, r.Deleted)
		}
	}
	fmt.Fprintf(&b, "%d statements, %d B WAL", w.Statements, w.WAL)
	return b.String()
}

// Measure runs f, which uses s and ends all its transactions, and returns what was written: by pg_stat_user_tables
// and pg_current_wal_insert_lsn on PostgreSQL, by total_changes on SQLite. Nobody else may use the store meanwhile.
func Measure(t testing.TB, s *store.Store, f func()) Writes {
	t.Helper()
	before := snapshot(t, s)
	f()
	statements := s.DB().Statements() // before the second snapshot adds its own
	after := snapshot(t, s)
	w := Writes{Rows: map[string]RowWrites{}, WAL: after.wal - before.wal, Statements: statements - before.statements}
	for name, a := range after.rows {
		b := before.rows[name]
		w.Rows[name] = RowWrites{a.Inserted - b.Inserted, a.Updated - b.Updated, a.Deleted - b.Deleted}
	}
	return w
}

type written struct {
	rows       map[string]RowWrites
	wal        int64
	statements int64
}

func snapshot(t testing.TB, s *store.Store) written {
	t.Helper()
	w := written{rows: map[string]RowWrites{}}
	ctx := context.Background()
	var err error
	if s.DB().Dialect() == sqldb.SQLite {
		var n int64
		// The count belongs to the connection, and there is one that writes.
		err = s.DB().Writer().QueryRowContext(ctx, "select total_changes()").Scan(&n)
		w.rows["all"] = RowWrites{Updated: n}
	} else {
		err = w.readPostgres(ctx, s)
	}
	if err != nil {
		t.Fatalf("read what was written: %v", err)
	}
	w.statements = s.DB().Statements()
	return w
}

// readPostgres reads the statistics. A connection reports what it wrote when it ends: the store's are ended, and the
// server is watched until they are gone.
func (w *written) readPostgres(ctx context.Context, s *store.Store) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	pool := s.DB().Writer()
	pool.SetMaxIdleConns(-1)
	defer pool.SetMaxIdleConns(8)
	own, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer own.Close()
	for others := 1; others > 0; {
		if err := own.QueryRowContext(ctx, `select count(*) from pg_stat_activity
			where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`).Scan(&others); err != nil {
			return err
		}
	}
	if err := own.QueryRowContext(ctx, "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint").Scan(&w.wal); err != nil {
		return err
	}
	rows, err := own.QueryContext(ctx, "select relname, n_tup_ins, n_tup_upd, n_tup_del from pg_stat_user_tables")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var r RowWrites
		if err := rows.Scan(&name, &r.Inserted, &r.Updated, &r.Deleted); err != nil {
			return err
		}
		w.rows[name] = r
	}
	return rows.Err()
}

// Rows returns the number of rows of each table.
func Rows(t testing.TB, s *store.Store) map[string]int64 {
	t.Helper()
	list := "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'"
	if s.DB().Dialect() == sqldb.PostgreSQL {
		list = "select relname from pg_stat_user_tables"
	}
	counts := map[string]int64{}
	err := s.DB().View(context.Background(), func(tx *sqldb.Tx) error {
		clear(counts)
		names, err := sqldb.All(tx, func(row sqldb.Scanner) (name string, err error) {
			err = row.Scan(&name)
			return name, err
		}, list)
		for _, name := range names {
			var n int64
			if err := tx.QueryRow("select count(*) from " + name).Scan(&n); err != nil {
				return err
			}
			counts[name] = n
		}
		return err
	})
	if err != nil {
		t.Fatalf("count rows: %v", err)
	}
	return counts
}
