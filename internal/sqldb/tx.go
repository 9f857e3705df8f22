package sqldb

import (
	"context"
	"database/sql"
	"fmt"
)

// A Tx is a transaction, for one goroutine.
type Tx struct {
	ctx context.Context
	db  *DB
	tx  *sql.Tx
}

// View runs f in a transaction that can only read and sees one state of the database throughout.
// It may run f more than once; f touches nothing but the database and variables it sets afresh.
func (db *DB) View(ctx context.Context, f func(*Tx) error) error {
	options := &sql.TxOptions{ReadOnly: true}
	if db.dialect == PostgreSQL {
		options.Isolation = sql.LevelRepeatableRead
	}
	return db.run(ctx, db.read, options, f)
}

// Update runs f in a transaction and commits if f returns nil; otherwise, also when f panics, it rolls back.
//
// Where the database refuses for reasons that pass (deadlock, serialisation failure, a file that another process is
// writing), it runs f again, a few times: f touches nothing but the database and variables it sets afresh, and does
// no network.
func (db *DB) Update(ctx context.Context, f func(*Tx) error) error {
	return db.run(ctx, db.write, nil, f)
}

func (db *DB) run(ctx context.Context, pool *sql.DB, options *sql.TxOptions, f func(*Tx) error) error {
	for attempt := 1; ; attempt++ {
		err := db.once(ctx, pool, options, f)
		if err == nil || !passes(err) || ctx.Err() != nil {
			return err
		}
		if attempt == maxAttempts {
			return fmt.Errorf("gave up after %d attempts: %w", attempt, err)
		}
		if err := pause(ctx, attempt); err != nil {
			return err
		}
	}
}

func (db *DB) once(ctx context.Context, pool *sql.DB, options *sql.TxOptions, f func(*Tx) error) error {
	tx, err := pool.BeginTx(ctx, options)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	// Does nothing after a commit. A panic in f goes on after it.
	defer tx.Rollback()
	if err := f(&Tx{ctx: ctx, db: db, tx: tx}); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// Context returns the context the transaction was begun with.
func (tx *Tx) Context() context.Context { return tx.ctx }

// Dialect returns what differs between the databases.
func (tx *Tx) Dialect() Dialect { return tx.db.dialect }

// SQL returns the transaction for libraries that bring their own SQL.
func (tx *Tx) SQL() *sql.Tx { return tx.tx }

// Exec runs a statement and returns how many rows it inserted, updated or deleted.
func (tx *Tx) Exec(query string, args ...any) (int64, error) {
	tx.db.statements.Add(1)
	result, err := tx.tx.ExecContext(tx.ctx, query, clean(args)...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// QueryRow runs a query for one row. Its error, sql.ErrNoRows where there is none, comes from Scan.
func (tx *Tx) QueryRow(query string, args ...any) *sql.Row {
	tx.db.statements.Add(1)
	return tx.tx.QueryRowContext(tx.ctx, query, clean(args)...)
}

// A Scanner is a row: what sql.Row and sql.Rows have in common.
type Scanner interface{ Scan(dest ...any) error }

// Each runs a query and calls f for each row, until f returns an error.
func (tx *Tx) Each(f func(Scanner) error, query string, args ...any) error {
	tx.db.statements.Add(1)
	rows, err := tx.tx.QueryContext(tx.ctx, query, clean(args)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// All runs a query and returns what scan makes of its rows; nil where there are none.
func All[T any](tx *Tx, scan func(Scanner) (T, error), query string, args ...any) ([]T, error) {
	var all []T
	err := tx.Each(func(s Scanner) error {
		v, err := scan(s)
		all = append(all, v)
		return err
	}, query, args...)
	return all, err
}

// clean cleans the texts of arguments that come one by one; a Batch has cleaned its own.
func clean(args []any) []any {
	for i, arg := range args {
		if s, ok := arg.(string); ok {
			args[i] = Clean(s)
		}
	}
	return args
}
