package store

import (
	"fmt"
	"time"

	"feedonce"
	"feedonce/internal/sqldb"
)

// The change log: what happened to entries, in one order.

// LockOrder makes this transaction the only one that writes what has an order of its own, until it ends: stories and changes.
// It is taken last. Numbers that are drawn after it grow in the order of commits, so that whoever read up to one never
// finds a smaller one later. SQLite has one writer anyway.
func (tx *Tx) LockOrder() error { return tx.LockStories() }

// AddChanges appends to the change log. LockOrder must have been called.
func (tx *Tx) AddChanges(changes []feedonce.Change) error {
	if len(changes) == 0 {
		return nil
	}
	seqs, err := tx.newSeqs(len(changes))
	if err != nil {
		return fmt.Errorf("number %d changes: %w", len(changes), err)
	}
	b := sqldb.NewBatch("seq int", "at int", "kind text", "feed int", "entry int", "other int", "revision int")
	for i, c := range changes {
		b.Add(seqs[i], c.At.UnixMicro(), string(c.Kind), int64(c.Feed), int64(c.Entry), int64(c.Other), c.Revision)
	}
	from, args := tx.Dialect().From(b, "r", 1)
	if _, err := tx.Exec(`insert into changes (seq, at, kind, feed_id, entry_id, other_id, revision)
		select r.seq, r.at, r.kind, r.feed, r.entry, r.other, r.revision from `+from+` where true`, args...); err != nil {
		return fmt.Errorf("log %d changes: %w", len(changes), err)
	}
	return nil
}

func (tx *Tx) newSeqs(n int) ([]int64, error) {
	if tx.Dialect() != sqldb.PostgreSQL {
		return tx.newIDs("changes", n)
	}
	var seqs []int64
	err := tx.Each(func(row sqldb.Scanner) error {
		var seq int64
		err := row.Scan(&seq)
		seqs = append(seqs, seq)
		return err
	}, `select nextval(pg_get_serial_sequence('changes', 'seq')) from generate_series(1, $1)`, n)
	return seqs, err
}

// Changes returns changes with a greater number than after, in their order.
func (tx *Tx) Changes(after int64, limit int) ([]feedonce.Change, error) {
	w := where{}
	w.add("seq > ?", after)
	all, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (feedonce.Change, error) {
		var c feedonce.Change
		err := row.Scan(&c.Seq, at(&c.At), &c.Kind, &c.Feed, &c.Entry, &c.Other, &c.Revision)
		return c, err
	}, `select seq, at, kind, feed_id, entry_id, other_id, revision from changes`+w.String()+` order by seq`+w.limit(limit), w.args...)
	if err != nil {
		return nil, fmt.Errorf("changes after %d: %w", after, err)
	}
	return all, nil
}

// LastChange returns the number of the last change; 0 where there is none.
func (tx *Tx) LastChange() (int64, error) {
	var seq int64
	if err := tx.QueryRow(`select coalesce(max(seq), 0) from changes`).Scan(&seq); err != nil {
		return 0, fmt.Errorf("last change: %w", err)
	}
	return seq, nil
}

// Cursor returns how far a consumer of the change log is; 0 where it has not said.
func (tx *Tx) Cursor(consumer string) (int64, error) {
	var seq int64
	if err := tx.QueryRow(`select coalesce(max(seq), 0) from change_cursors where consumer = $1`, consumer).Scan(&seq); err != nil {
		return 0, fmt.Errorf("cursor of %q: %w", consumer, err)
	}
	return seq, nil
}

// SetCursor stores how far a consumer of the change log is. It may go back.
func (tx *Tx) SetCursor(consumer string, seq int64, now time.Time) error {
	if _, err := tx.Exec(`insert into change_cursors (consumer, seq, at) values ($1, $2, $3)
		on conflict (consumer) do update set seq = excluded.seq, at = excluded.at where change_cursors.seq <> excluded.seq`,
		consumer, seq, now.UnixMicro()); err != nil {
		return fmt.Errorf("cursor of %q: %w", consumer, err)
	}
	return nil
}

// ChangeBefore returns the number behind which the last n changes are.
func (tx *Tx) ChangeBefore(n int) (int64, error) {
	if n <= 0 {
		return tx.LastChange()
	}
	var seq int64
	err := tx.QueryRow(`select coalesce(min(seq) - 1, 0) from (select seq from changes order by seq desc limit $1) l`, n).Scan(&seq)
	if err != nil {
		return 0, fmt.Errorf("the last %d changes: %w", n, err)
	}
	return seq, nil
}
