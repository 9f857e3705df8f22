// Package storetest runs tests on real databases: SQLite files, and a PostgreSQL server that the test process starts
// for itself, as the user postgres where it is root, and that is gone when the process is.
//
// The server is started by the first test that needs it; a database is a copy of one that was migrated once. Where
// PostgreSQL is missing, it is installed with apt-get (as root or by sudo); where that does not work, the test fails and
// says what to install. FEEDONCE_TEST_POSTGRES=postgres://… uses an existing server.
package storetest

import (
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"feedonce/internal/sqldb"
	"feedonce/internal/store"
)

// Each runs f as sub-tests "sqlite" and "postgres", each with an empty, migrated database.
func Each(t *testing.T, f func(t *testing.T, s *store.Store)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { f(t, Open(t, SQLite(t))) })
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

// SQLite returns the path of a SQLite file that does not exist yet.
func SQLite(t testing.TB) string { return filepath.Join(t.TempDir(), "feedonce.db") }

// Postgres returns the DSN of a new database that is migrated and empty. It is dropped when the test ends.
func Postgres(t testing.TB) string {
	t.Helper()
	template, err := theTemplate()
	if err != nil {
		t.Fatalf("PostgreSQL for tests: %v", err)
	}
	return newDatabase(t, template)
}

// EmptyPostgres returns the DSN of a new database without any table.
func EmptyPostgres(t testing.TB) string {
	t.Helper()
	return newDatabase(t, "template0")
}

func newDatabase(t testing.TB, template string) string {
	t.Helper()
	server, err := theServer()
	if err != nil {
		t.Fatalf("PostgreSQL for tests: %v", err)
	}
	name := "feedonce_test_" + strings.ToLower(rand.Text())
	if err := server.admin(fmt.Sprintf("create database %s template %s encoding 'UTF8'", name, template)); err != nil {
		t.Fatalf("create a database for the test: %v", err)
	}
	t.Cleanup(func() {
		if err := server.admin("drop database " + name + " with (force)"); err != nil {
			t.Errorf("drop the test's database: %v", err)
		}
	})
	return server.dsn(name)
}

// theTemplate is the name of a migrated database to copy.
var theTemplate = sync.OnceValues(func() (string, error) {
	server, err := theServer()
	if err != nil {
		return "", err
	}
	name := "feedonce_template_" + strings.ToLower(rand.Text())
	if err := server.admin("create database " + name + " template template0 encoding 'UTF8'"); err != nil {
		return "", err
	}
	s, err := store.Open(context.Background(), server.dsn(name))
	if err != nil {
		return "", err
	}
	return name, s.Close()
})

// admin runs a statement outside of any transaction. One at a time, as databases are not copied side by side.
func (s *server) admin(statement string) error {
	adminLock.Lock()
	defer adminLock.Unlock()
	ctx := context.Background()
	db, err := sqldb.Open(ctx, s.base.String())
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Writer().ExecContext(ctx, statement)
	return err
}

var adminLock sync.Mutex
