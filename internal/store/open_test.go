package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/sqldb"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// openEnv makes the test process open a database and add a feed, as one of several processes that start at once.
const openEnv = "FEEDONCE_STORE_TEST_OPEN"

func TestMain(m *testing.M) {
	dsn := os.Getenv(openEnv)
	if dsn == "" {
		os.Exit(m.Run())
	}
	if err := openAndAdd(dsn, fmt.Sprintf("https://%d.example/", os.Getpid())); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func openAndAdd(dsn, url string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, dsn)
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.AddFeed(store.NewFeed{URL: url, Added: start})
		return err
	})
}

// eachEmpty runs f with a database that was never migrated.
func eachEmpty(t *testing.T, f func(t *testing.T, dsn string)) {
	t.Run("sqlite", func(t *testing.T) { f(t, storetest.SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { f(t, storetest.EmptyPostgres(t)) })
}

func TestProcessesMigrateAtOnce(t *testing.T) {
	eachEmpty(t, func(t *testing.T, dsn string) {
		const processes = 4
		var outputs [processes]bytes.Buffer
		var commands [processes]*exec.Cmd
		for i := range commands {
			c := exec.Command(os.Args[0])
			c.Env = append(os.Environ(), openEnv+"="+dsn)
			c.Stdout, c.Stderr = &outputs[i], &outputs[i]
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			commands[i] = c
		}
		for i, c := range commands {
			if err := c.Wait(); err != nil {
				t.Errorf("process %d: %v: %s", i, err, &outputs[i])
			}
		}
		feeds := read(t, storetest.Open(t, dsn), (*store.Tx).Feeds)
		if len(feeds) != processes {
			t.Errorf("%d feeds, want one of each of %d processes", len(feeds), processes)
		}
	})
}

func TestOpenAgainKeepsWhatIsThere(t *testing.T) {
	eachEmpty(t, func(t *testing.T, dsn string) {
		for i := range 3 {
			if err := openAndAdd(dsn, fmt.Sprintf("https://%d.example/", i)); err != nil {
				t.Fatalf("open %d: %v", i, err)
			}
		}
		s := storetest.Open(t, dsn)
		if n := len(read(t, s, (*store.Tx).Feeds)); n != 3 {
			t.Errorf("%d feeds, want 3", n)
		}
		w := storetest.Measure(t, s, func() {
			again, err := store.Open(context.Background(), dsn)
			if err != nil {
				t.Fatal(err)
			}
			again.Close()
		})
		if w.Total() != 0 {
			t.Errorf("opening again wrote: %v", w)
		}
	})
}

func TestNewerDatabaseIsRefused(t *testing.T) {
	eachEmpty(t, func(t *testing.T, dsn string) {
		s := storetest.Open(t, dsn)
		if err := s.DB().Update(context.Background(), func(tx *sqldb.Tx) error {
			_, err := tx.Exec("insert into goose_db_version (version_id, is_applied) select 99999, is_applied from goose_db_version where version_id = 1")
			return err
		}); err != nil {
			t.Fatal(err)
		}
		before := storetest.Rows(t, s)
		_, err := store.Open(context.Background(), dsn)
		if err == nil || !strings.Contains(err.Error(), "newer feedonce") || !strings.Contains(err.Error(), "99999") {
			t.Errorf("opening a database of the future: %v, want words about a newer feedonce and the version", err)
		}
		if diff := cmp.Diff(before, storetest.Rows(t, s)); diff != "" {
			t.Errorf("it was changed all the same:\n%s", diff)
		}
	})
}

func TestOpenErrorsSayWhatToDo(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("this is no database. ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(dir, "foreign.db")
	if err := foreignSQLite(foreign); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dsn     string
		want    string
		invalid bool // an InvalidError: a person can put it right
	}{
		{"", "empty", true},
		{":memory:", "in memory", true},
		{"file::memory:?cache=shared", "in memory", true},
		{"mysql://localhost/feedonce", `not a "mysql" URL`, true},
		{dir, "is a folder", true},
		{text, "not a SQLite database", false},
		{filepath.Join(text, "sub", "feedonce.db"), "cannot make the folder", false},
		{foreign, "another program", true},
		{"postgres://nobody:secret@127.0.0.1:1/none?connect_timeout=2", "cannot connect", false},
		{"postgres://nobody:secret@127.0.0.1:port/none", "valid PostgreSQL URL", true},
	} {
		s, err := store.Open(context.Background(), c.dsn)
		if err == nil {
			s.Close()
			t.Errorf("Open(%q) worked, want an error about %q", c.dsn, c.want)
			continue
		}
		var invalid *feedonce.InvalidError
		if !strings.Contains(err.Error(), c.want) || errors.As(err, &invalid) != c.invalid {
			t.Errorf("Open(%q):\n  %v\nwant %q, as something to put right: %t", c.dsn, err, c.want, c.invalid)
		}
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("Open(%q) tells the password: %v", c.dsn, err)
		}
	}
	content, err := os.ReadFile(text)
	if err != nil || !strings.HasPrefix(string(content), "this is no database") {
		t.Errorf("the file that is no database was changed: %.40q, %v", content, err)
	}
}

// foreignSQLite makes a SQLite file of some other program.
func foreignSQLite(path string) error {
	ctx := context.Background()
	db, err := sqldb.Open(ctx, path)
	if err != nil {
		return err
	}
	defer db.Close()
	return db.Update(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.Exec("pragma application_id = 0")
		if err == nil {
			_, err = tx.Exec("create table theirs (a)")
		}
		return err
	})
}

func TestFolderIsMadeAndPathMayBeAnything(t *testing.T) {
	for _, name := range []string{"new/folder/feedonce.db", "with space.db", "per%20cent%.db", "quest?ion#.db", "ünï☃.db", "+&=.db"} {
		path := filepath.Join(t.TempDir(), name)
		if err := openAndAdd(path, "https://example.com/"); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s: the database is not where it was named: %v", name, err)
		}
	}
	dir := t.TempDir()
	if err := openAndAdd("file:"+dir+"/url%20encoded.db?_pragma=cache_size(-1000)", "https://example.com/"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir + "/url encoded.db"); err != nil {
		t.Errorf("file URL: %v", err)
	}
	t.Chdir(dir)
	if err := openAndAdd("relative.db", "https://example.com/"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir + "/relative.db"); err != nil {
		t.Errorf("relative path: %v", err)
	}
}

func TestFileIsPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "feedonce.db")
	s := storetest.Open(t, path)
	addFeed(t, s, "https://example.com/")
	for _, name := range []string{path, path + "-wal", filepath.Dir(path)} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: mode %v, %v; want it closed to others", name, info.Mode(), err)
		}
	}
}

func TestReadOnlyFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		// Root may write anywhere but to a read-only file system: /proc is one.
		_, err := store.Open(context.Background(), "/proc/feedonce.db")
		if err == nil || !strings.Contains(err.Error(), "may be read and written") {
			t.Errorf("opening a file in /proc: %v", err)
		}
		return
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	_, err := store.Open(context.Background(), filepath.Join(dir, "feedonce.db"))
	if err == nil || !strings.Contains(err.Error(), "may be read and written") {
		t.Errorf("opening a file in a folder that cannot be written: %v", err)
	}
}

func TestViewCannotWrite(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		err := s.View(context.Background(), func(tx *store.Tx) error {
			_, err := tx.AddFeed(store.NewFeed{URL: "https://example.com/", Added: start})
			return err
		})
		if err == nil {
			t.Error("a feed was added in View")
		}
		if n := len(read(t, s, (*store.Tx).Feeds)); n != 0 {
			t.Errorf("%d feeds, want none", n)
		}
	})
}
