// Package storetest runs tests on real databases: SQLite files, and a PostgreSQL server that the test process starts
// for itself, as the user postgres where it is root, and that is gone when the process is.
//
// The server is started by the first test that needs it. A test's database is a copy of one that was migrated once, or
// one that an earlier test left, emptied. Where PostgreSQL is missing, it is installed with apt-get (as root or by
// sudo); where that does not work, the test fails and says what to install. FEEDONCE_TEST_POSTGRES=postgres://… uses an
// existing server.
package storetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"feedonce/internal/store"
)

// Each runs f as sub-tests "sqlite" and "postgres", each with an empty, migrated database.
func Each(t *testing.T, f func(t *testing.T, s *store.Store)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { f(t, Open(t, migrated(t))) })
	t.Run("postgres", func(t *testing.T) { f(t, Open(t, Postgres(t))) })
}

// EachDSN runs f as sub-tests "sqlite" and "postgres", each with the DSN of an empty database, for tests that open it
// themselves, several times or in several processes.
func EachDSN(t *testing.T, f func(t *testing.T, dsn string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { f(t, SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { f(t, Postgres(t)) })
}

// Open opens a store and closes it when the test ends.
func Open(t testing.TB, dsn string) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), dsn)
	if err != nil {
		t.Fatalf("open the store: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	return s
}

// migrated returns the path of a SQLite file with the tables, and nothing in them: a copy of one that was migrated once, as
// each migration waits for the disk.
func migrated(t testing.TB) string {
	t.Helper()
	content, err := template()
	path := SQLite(t)
	if err == nil {
		err = os.WriteFile(path, content, 0o600)
	}
	if err != nil {
		t.Fatalf("make a SQLite file: %v", err)
	}
	return path
}

var template = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "feedonce-sqlite-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "feedonce.db")
	s, err := store.Open(context.Background(), path)
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil { // the log is in the file now
		return nil, err
	}
	return os.ReadFile(path)
})

// SQLite returns the path of a SQLite file that does not exist yet.
func SQLite(t testing.TB) string { return filepath.Join(t.TempDir(), "feedonce.db") }

// Postgres returns the DSN of a database that is migrated and empty, and the test's alone until it ends.
func Postgres(t testing.TB) string {
	t.Helper()
	dsn, giveBack, err := TakePostgres()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := giveBack(); err != nil {
			t.Error(err)
		}
	})
	return dsn
}

// TakePostgres is Postgres for programs that are no test. The database must be given back, with no connection open.
func TakePostgres() (dsn string, giveBack func() error, err error) {
	server, err := theServer()
	if err != nil {
		return "", nil, fmt.Errorf("PostgreSQL for tests: %w", err)
	}
	name, err := server.takeMigrated()
	if err != nil {
		return "", nil, fmt.Errorf("make a database for the test: %w", err)
	}
	return server.dsn(name), func() error {
		if err := server.giveBack(name); err != nil {
			return fmt.Errorf("give the test's database back: %w", err)
		}
		return nil
	}, nil
}

// EmptyPostgres returns the DSN of a new database without any table. It is dropped when the test ends.
func EmptyPostgres(t testing.TB) string {
	t.Helper()
	server, err := theServer()
	if err != nil {
		t.Fatalf("PostgreSQL for tests: %v", err)
	}
	name, err := server.create("template0")
	if err != nil {
		t.Fatalf("make a database for the test: %v", err)
	}
	t.Cleanup(func() {
		if err := server.drop(name); err != nil {
			t.Errorf("drop the test's database: %v", err)
		}
	})
	return server.dsn(name)
}
