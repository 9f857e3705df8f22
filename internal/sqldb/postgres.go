package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"feedonce"
)

// minPostgres is the oldest version that is tested: 15.
const minPostgres = 150000

func openPostgres(ctx context.Context, dsn string) (*DB, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, &feedonce.InvalidError{Field: "database", Reason: fmt.Sprintf("must be a valid PostgreSQL URL: %v", err)} // pgx leaves the password out
	}
	// A worker that was stopped in the middle of a transaction must not hold the rows of its feed for ever.
	setDefault(config.RuntimeParams, "idle_in_transaction_session_timeout", "60s")
	setDefault(config.RuntimeParams, "application_name", "feedonce")
	setDefault(config.RuntimeParams, "timezone", "UTC")

	db := stdlib.OpenDB(*config)
	// More connections than this only queue inside the server; several workers share its limit (100 by default).
	conns := max(8, 4*runtime.NumCPU())
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	db.SetConnMaxIdleTime(5 * time.Minute)
	name := redact(dsn)
	if err := probePostgres(ctx, name, db); err != nil {
		db.Close()
		return nil, err
	}
	return &DB{dialect: PostgreSQL, name: name, write: db, read: db}, nil
}

func setDefault(m map[string]string, name, value string) {
	if _, ok := m[name]; !ok {
		m[name] = value
	}
}

func redact(dsn string) string {
	u, err := url.Parse(dsn)
	if err != nil {
		return "PostgreSQL database"
	}
	return u.Redacted()
}

func probePostgres(ctx context.Context, name string, db *sql.DB) error {
	var version int
	var text, encoding string
	err := db.QueryRowContext(ctx, "select current_setting('server_version_num')::int, current_setting('server_version'), current_setting('server_encoding')").Scan(&version, &text, &encoding)
	if err != nil {
		return fmt.Errorf("cannot connect to database %s: %w", name, err)
	}
	if version < minPostgres {
		return fmt.Errorf("database %s is PostgreSQL %s; feedonce needs version 15 or newer", name, text)
	}
	if encoding != "UTF8" {
		return fmt.Errorf("database %s has the encoding %s; feedonce needs UTF8 (create database … encoding 'UTF8' template template0)", name, encoding)
	}
	return nil
}
