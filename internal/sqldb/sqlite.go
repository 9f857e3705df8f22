package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"feedonce"
)

// applicationID marks a SQLite file as feedonce's (PRAGMA application_id): "Fd1x" in ASCII.
const applicationID = 0x46643178

// busyTimeout is how long a statement waits for another process that writes to the same file.
const busyTimeout = 10 * time.Second

func openSQLite(ctx context.Context, dsn string) (*DB, error) {
	path, query, err := sqlitePath(dsn)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the folder of database %s: %w", path, err)
	}
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return nil, &feedonce.InvalidError{Field: "database", Reason: fmt.Sprintf("must be a file, but %s is a folder; name a file in it", path)}
	case errors.Is(err, fs.ErrNotExist):
		// Made here, as SQLite would let everybody read it. The files beside it get the same permissions.
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, fmt.Errorf("cannot make database %s: check that the file and its folder may be read and written: %w", path, err)
		}
		f.Close()
	}

	common := []string{
		fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()),
		"journal_mode(wal)",
		"synchronous(full)",
		"foreign_keys(on)",
		"temp_store(memory)",
		"journal_size_limit(67108864)", // 64 MiB: what a great import left is given back
		"cache_size(-16384)",
	}
	write, err := openPool(path, query, "immediate", common)
	if err != nil {
		return nil, err
	}
	write.SetMaxOpenConns(1)
	if err := probeSQLite(ctx, path, write); err != nil {
		write.Close()
		return nil, err
	}
	read, err := openPool(path, query, "deferred", append(common, "query_only(on)"))
	if err != nil {
		write.Close()
		return nil, err
	}
	readers := max(4, runtime.NumCPU())
	read.SetMaxOpenConns(readers)
	read.SetMaxIdleConns(readers)
	return &DB{dialect: SQLite, name: path, write: write, read: read}, nil
}

// sqlitePath splits a path or "file:" URL into a path and the options of the URL.
func sqlitePath(dsn string) (string, url.Values, error) {
	path, query := dsn, url.Values{}
	if rest, ok := strings.CutPrefix(dsn, "file:"); ok {
		u, err := url.Parse(dsn)
		if err != nil {
			return "", nil, &feedonce.InvalidError{Field: "database", Reason: fmt.Sprintf(`must be a path or a valid "file:" URL, not %q`, dsn)}
		}
		query = u.Query()
		if path = u.Path; path == "" {
			path, _, _ = strings.Cut(rest, "?")
			if path, err = url.PathUnescape(path); err != nil {
				return "", nil, &feedonce.InvalidError{Field: "database", Reason: fmt.Sprintf(`must be a path or a valid "file:" URL, not %q`, dsn)}
			}
		}
	}
	if path == "" || strings.HasPrefix(path, ":memory:") || query.Get("mode") == "memory" {
		return "", nil, &feedonce.InvalidError{Field: "database", Reason: "must be a file: a database in memory cannot be shared by the connections that read and write"}
	}
	return path, query, nil
}

func openPool(path string, options url.Values, lock string, pragmas []string) (*sql.DB, error) {
	query := url.Values{}
	for name, values := range options {
		query[name] = values
	}
	query["_pragma"] = append(append([]string{}, pragmas...), query["_pragma"]...)
	query.Set("_txlock", lock)
	// An opaque URL, as its path is taken as it stands, relative or not.
	dsn := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: query.Encode()}
	connector, err := sqlite.NewConnector(dsn.String())
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	return sql.OpenDB(preparing{connector}), nil
}

// probeSQLite finds out whether the file can be written and is ours, and marks it.
func probeSQLite(ctx context.Context, path string, db *sql.DB) error {
	var id, tables int
	err := db.QueryRowContext(ctx, "select (select application_id from pragma_application_id), (select count(*) from sqlite_schema)").Scan(&id, &tables)
	if err != nil {
		return sqliteOpenError(path, err)
	}
	if id == applicationID {
		return nil
	}
	if id != 0 || tables > 0 {
		return &feedonce.InvalidError{Field: "database", Reason: fmt.Sprintf("must be a new file or one of feedonce, but %s is a SQLite database of another program; name another file", path)}
	}
	if _, err := db.ExecContext(ctx, fmt.Sprintf("pragma application_id = %d", applicationID)); err != nil {
		return sqliteOpenError(path, err)
	}
	return nil
}

// sqliteOpenError says in words why a file cannot be opened.
func sqliteOpenError(path string, err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("open database %s: %w", path, err)
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%s is not a SQLite database (or is encrypted); name another file: %w", path, err)
	case sqlite3.SQLITE_CANTOPEN:
		return fmt.Errorf("cannot open database %s: check that the file and its folder may be read and written: %w", path, err)
	case sqlite3.SQLITE_READONLY:
		return fmt.Errorf("cannot write database %s: the file, its folder or its disk is read-only: %w", path, err)
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("database %s is damaged; restore a backup: %w", path, err)
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("cannot write database %s: the disk is full: %w", path, err)
	case sqlite3.SQLITE_BUSY:
		return fmt.Errorf("database %s has been locked by another program for %s: %w", path, busyTimeout, err)
	}
	return fmt.Errorf("open database %s: %w", path, err)
}

// CopyTo writes a whole and consistent copy of a SQLite database to a file that is not there yet, readable by its owner
// only. Writers wait until it is done.
func (db *DB) CopyTo(ctx context.Context, file string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = f.Close()
	if err == nil {
		_, err = db.write.ExecContext(ctx, "vacuum into $1", file) // an empty file will do
	}
	if err != nil {
		os.Remove(file)
	}
	return err
}
