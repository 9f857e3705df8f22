package storetest

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"sync"

	"feedonce/internal/sqldb"
	"feedonce/internal/store"
)

// databases are those of this process's server. A copy of a database costs a second on a busy machine, emptying one a
// tenth, so those that tests give back are used again. On a server that stays when the process is gone, every test makes
// and drops its own.
type databases struct {
	mu       sync.Mutex
	template string   // migrated, and never connected to
	tables   []string // of the template
	reusable bool     // the template has no rows but those that say what was migrated
	free     []string // migrated, empty
}

// takeMigrated returns the name of a migrated, empty database.
func (s *server) takeMigrated() (string, error) {
	d := &s.databases
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := len(d.free); n > 0 {
		name := d.free[n-1]
		d.free = d.free[:n-1]
		return name, nil
	}
	if s.foreign() {
		return s.createMigrated()
	}
	if d.template == "" {
		if err := s.makeTemplate(); err != nil {
			return "", err
		}
	}
	return s.create(d.template)
}

// giveBack empties a database for the next test, or drops it where it does not look like the template any more.
func (s *server) giveBack(name string) error {
	d := &s.databases
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := s.exec("postgres", "select pg_terminate_backend(pid) from pg_stat_activity where datname = '"+name+"'"); err != nil {
		return err
	}
	tables, _, err := s.tables(name)
	if err != nil {
		return err
	}
	if s.foreign() || !d.reusable || !slices.Equal(tables, d.tables) {
		return s.drop(name)
	}
	emptied := slices.DeleteFunc(tables, isMigrations)
	if err := s.exec(name, "truncate "+strings.Join(emptied, ", ")+" restart identity cascade"); err != nil {
		return err
	}
	d.free = append(d.free, name)
	return nil
}

// makeTemplate migrates a database to copy.
func (s *server) makeTemplate() error {
	name, err := s.createMigrated()
	if err != nil {
		return err
	}
	d := &s.databases
	var rows int64
	if d.tables, rows, err = s.tables(name); err != nil {
		return err
	}
	d.template, d.reusable = name, rows == 0
	return nil
}

func (s *server) createMigrated() (string, error) {
	name, err := s.create("template0")
	if err != nil {
		return "", err
	}
	st, err := store.Open(context.Background(), s.dsn(name))
	if err != nil {
		return "", err
	}
	return name, st.Close()
}

// isMigrations reports whether a table says what was migrated.
func isMigrations(table string) bool {
	return table == "goose_db_version" || strings.HasSuffix(table, "_migration")
}

// tables returns the tables of a database, and the number of rows in those that do not say what was migrated.
func (s *server) tables(database string) (names []string, rows int64, err error) {
	ctx := context.Background()
	db, err := sqldb.Open(ctx, s.dsn(database))
	if err != nil {
		return nil, 0, err
	}
	defer db.Close()
	err = db.View(ctx, func(tx *sqldb.Tx) error {
		names, err = sqldb.All(tx, func(row sqldb.Scanner) (name string, err error) {
			err = row.Scan(&name)
			return name, err
		}, "select table_name from information_schema.tables where table_schema = 'public' order by table_name")
		rows = 0
		for _, name := range names {
			var n int64
			if isMigrations(name) {
				continue
			}
			if err := tx.QueryRow("select count(*) from " + name).Scan(&n); err != nil {
				return err
			}
			rows += n
		}
		return err
	})
	return names, rows, err
}

// create makes a database and returns its name.
func (s *server) create(template string) (string, error) {
	name := "feedonce_test_" + strings.ToLower(rand.Text())
	return name, s.exec("postgres", "create database "+name+" template "+template+" encoding 'UTF8'")
}

func (s *server) drop(name string) error {
	return s.exec("postgres", "drop database "+name+" with (force)")
}

// exec runs a statement outside of any transaction.
func (s *server) exec(database, statement string) error {
	ctx := context.Background()
	dsn := s.base.String()
	if database != "postgres" {
		dsn = s.dsn(database)
	}
	db, err := sqldb.Open(ctx, dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Writer().ExecContext(ctx, statement)
	return err
}
