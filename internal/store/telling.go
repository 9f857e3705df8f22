package store

import (
	"fmt"
	"time"

	"feedonce"
	"feedonce/internal/sqldb"
)

// What internal/outbox asks before it tells.

// NewBatch returns a number for deliveries that are one message, which no delivery and no other batch has.
func (tx *Tx) NewBatch() (int64, error) {
	ids, err := tx.newIDs("deliveries", 1)
	if err != nil {
		return 0, fmt.Errorf("number a batch of deliveries: %w", err)
	}
	return ids[0], nil
}

// DeliveriesAbout returns the deliveries about entries, oldest first, without their titles. It is one statement.
func (tx *Tx) DeliveriesAbout(entries []feedonce.EntryID) ([]feedonce.Delivery, error) {
	from, args := tx.Dialect().From(sqldb.Ints("id", entries), "r", 1)
	rows, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (feedonce.Delivery, error) {
		var d feedonce.Delivery
		err := row.Scan(&d.ID, &d.Destination, &d.Kind, &d.Entry, &d.Feed, &d.Revision, &d.State, &d.Batch, &d.Brake, &d.Attempts,
			at(&d.Created), at(&d.Due), at(&d.Done), &d.Note)
		return d, err
	}, `select d.id, d.destination_id, d.kind, d.entry_id, d.feed_id, d.revision, d.state, d.batch, d.brake_id, d.attempts,
			d.created_at, d.due_at, d.done_at, d.note
		from (select distinct id from `+from+`) r `+tx.Dialect().Lookup()+` deliveries d on d.entry_id = r.id and d.entry_id <> 0 order by d.id`, args...)
	if err != nil {
		return nil, fmt.Errorf("deliveries about %d entries: %w", len(entries), err)
	}
	return rows, nil
}

// OpenBrake returns the brake of a feed that is open; one without ID where there is none.
func (tx *Tx) OpenBrake(feed feedonce.FeedID) (feedonce.Brake, error) {
	all, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (feedonce.Brake, error) {
		b := feedonce.Brake{Feed: feed, State: feedonce.BrakeOpen}
		err := row.Scan(&b.ID, at(&b.At), &b.Count, &b.Usual)
		return b, err
	}, `select id, at, count, usual from brakes where state = 'open' and feed_id = $1 order by id desc limit 1`, feed)
	if err != nil {
		return feedonce.Brake{}, fmt.Errorf("open brake of feed %d: %w", feed, err)
	}
	if len(all) == 0 {
		return feedonce.Brake{}, nil
	}
	return all[0], nil
}

// A BacklogEntry is an article that is there already.
type BacklogEntry struct {
	Entry feedonce.Entry // with its texts
	Story int64          // it is in; 0: none
	About bool           // it only points to the others of its story
}

// Backlog calls f for articles of a feed, the newest first: at most limit, and none from before since (zero: all).
func (tx *Tx) Backlog(feed feedonce.FeedID, since time.Time, limit int, f func(BacklogEntry) error) error {
	w := where{}
	w.add("e.feed_id = ?", feed)
	w.add("e.merged_into is null")
	if !since.IsZero() {
		w.add("e.sort_at >= ?", since.UnixMicro())
	}
	err := tx.Each(func(row sqldb.Scanner) error {
		var e BacklogEntry
		var kind string
		if err := row.Scan(append(entryFields(&e.Entry), &e.Entry.Summary, &e.Entry.Content, number{&e.Story}, text{&kind})...); err != nil {
			return err
		}
		e.About = kind == memberAbout
		return f(e)
	}, `select `+entryColumns+`, b.summary, b.content, m.story_id, m.kind from `+entryTables+` left join story_members m on m.entry_id = e.id`+
		w.String()+` order by e.sort_at desc, e.id desc`+w.limit(limit), w.args...)
	if err != nil {
		return fmt.Errorf("articles of feed %d: %w", feed, err)
	}
	return nil
}

// Withdraw says in the change log that the articles of a feed are gone, and skips messages about them that were not sent.
// The order must be locked.
func (tx *Tx) Withdraw(feed feedonce.FeedID, note string, now time.Time) error {
	columns, seq := `at, kind, feed_id, entry_id, other_id, revision`, ``
	args := []any{now.UnixMicro(), string(feedonce.ChangeWithdrawn), int64(feed)}
	if tx.Dialect() == sqldb.SQLite {
		var n int
		if err := tx.QueryRow(`select count(*) from entries where feed_id = $1 and merged_into is null`, int64(feed)).Scan(&n); err != nil {
			return fmt.Errorf("count entries of feed %d: %w", feed, err)
		}
		seqs, err := tx.newIDs("changes", n)
		if err != nil {
			return fmt.Errorf("number %d changes: %w", n, err)
		}
		columns, seq, args = `seq, `+columns, `$4 + row_number() over (order by id), `, append(args, append(seqs, 1)[0]-1)
	}
	if _, err := tx.Exec(`insert into changes (`+columns+`) select `+seq+`$1, $2, $3, id, 0, revision
		from entries where feed_id = $3 and merged_into is null order by id`, args...); err != nil {
		return fmt.Errorf("log that the entries of feed %d are withdrawn: %w", feed, err)
	}
	if _, err := tx.Exec(`update deliveries set state = 'skipped', done_at = $2, note = $3
		where entry_id in (select id from entries where feed_id = $1) and entry_id <> 0 and state in ('pending', 'retry', 'held')`,
		feed, now.UnixMicro(), note); err != nil {
		return fmt.Errorf("skip deliveries of feed %d: %w", feed, err)
	}
	return nil
}
