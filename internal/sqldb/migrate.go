package sqldb

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

// migrationLock is the key of the advisory lock under which PostgreSQL is migrated: "feedonce" in ASCII.
const migrationLock = 0x666565646f6e6365

// Migrate brings the schema up to the newest migration in the folder named for the dialect ("sqlite", "postgres").
// Any number of processes may do so at once: on PostgreSQL they wait for each other by a session lock, on SQLite by
// the one writer. A database that a newer program has migrated is refused, and left as it is.
func (db *DB) Migrate(ctx context.Context, migrations fs.FS) error {
	folder, err := fs.Sub(migrations, string(db.dialect))
	if err != nil {
		return err
	}
	if db.dialect == PostgreSQL {
		return db.migratePostgres(ctx, folder)
	}
	for attempt := 1; ; attempt++ {
		// Another process may have migrated between our reading the version and our writing.
		err := db.migrate(ctx, goose.DialectSQLite3, folder)
		if err == nil || attempt == maxAttempts || ctx.Err() != nil {
			return err
		}
		if err := pause(ctx, attempt); err != nil {
			return err
		}
	}
}

// migratePostgres holds the lock around all of goose, as goose makes its own table before it takes the one it offers.
func (db *DB) migratePostgres(ctx context.Context, folder fs.FS) error {
	return db.Alone(ctx, func() error { return db.migrate(ctx, goose.DialectPostgres, folder) })
}

// Alone runs f while no other process does so on the same PostgreSQL database: for changes of the schema by libraries that
// bring their own. On SQLite it just runs f, as there is one writer; f must bear that another process was faster.
func (db *DB) Alone(ctx context.Context, f func() error) error {
	if db.dialect != PostgreSQL {
		return f()
	}
	conn, err := db.write.Conn(ctx)
	if err != nil {
		return fmt.Errorf("connect to database %s: %w", db.name, err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "select pg_advisory_lock($1)", int64(migrationLock)); err != nil {
		return fmt.Errorf("wait for others who migrate database %s: %w", db.name, err)
	}
	err = f()
	if _, uerr := conn.ExecContext(ctx, "select pg_advisory_unlock($1)", int64(migrationLock)); err == nil && uerr != nil {
		err = fmt.Errorf("unlock database %s: %w", db.name, uerr)
	}
	return err
}

func (db *DB) migrate(ctx context.Context, kind goose.Dialect, folder fs.FS) error {
	provider, err := goose.NewProvider(kind, db.write, folder, goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	current, target, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the version of database %s: %w", db.name, err)
	}
	if current > target {
		return fmt.Errorf("database %s has version %d, and this feedonce knows versions up to %d: it was used by a newer feedonce; use that one or newer", db.name, current, target)
	}
	if current == target {
		return nil
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate database %s: %w", db.name, err)
	}
	return nil
}
