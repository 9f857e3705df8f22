package store

import (
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"feedonce/internal/sqldb"
)

// Facts are small things that the program remembers of itself.

const factInstance = "instance"

// Fact returns a fact, or ErrNotFound.
func (tx *Tx) Fact(name string) (string, error) {
	var value string
	err := tx.QueryRow(`select value from facts where name = $1`, name).Scan(&value)
	return value, found(err, "fact %q", name)
}

// SetFact stores a fact.
func (tx *Tx) SetFact(name, value string) error {
	if _, err := tx.Exec(`insert into facts (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value
		where facts.value <> excluded.value`, name, value); err != nil {
		return fmt.Errorf("fact %q: %w", name, err)
	}
	return nil
}

// Instance returns the name by which this database is known to others: random, and the same for ever, also after it was
// restored from a backup.
func (tx *Tx) Instance() (string, error) { return tx.Fact(factInstance) }

// nameInstance gives the database its name, if it has none.
func (tx *Tx) nameInstance() error {
	_, err := tx.Exec(`insert into facts (name, value) values ($1, $2) on conflict (name) do nothing`, factInstance, strings.ToLower(rand.Text()))
	return err
}

// MarkRestored says that the database was restored from a backup. What happened since the backup is not known: what the next
// document of each feed brings is stored, and told to nobody; and of what was waiting to be sent nobody knows whether it was.
// What is new from now on gets numbers that nothing had since the backup, as others know articles, messages and changes by
// names that are made of them.
func (tx *Tx) MarkRestored(now time.Time) error {
	for _, statement := range []struct {
		query string
		args  []any
	}{
		{`update feed_docs set restored = true, etag = '', last_modified = '', body_hash = null`, nil},
		{`update deliveries set state = 'unknown', note = $1 where state in ('pending', 'retry', 'sending')`,
			[]any{"the database was restored from a backup on " + now.UTC().Format(time.DateTime) + " UTC: this may have been sent since"}},
		{`update destinations set lease_until = 0, wake_at = null`, nil},
	} {
		if _, err := tx.Exec(statement.query, statement.args...); err != nil {
			return fmt.Errorf("mark as restored: %w", err)
		}
	}
	return tx.skipIDs()
}

// skippedIDs is more than what a database numbers between two backups.
const skippedIDs = 1_000_000

// skipIDs leaves out numbers that were given after the backup was made.
func (tx *Tx) skipIDs() error {
	if tx.Dialect() != sqldb.PostgreSQL {
		if _, err := tx.Exec(`update sequences set last = last + $1`, skippedIDs); err != nil {
			return fmt.Errorf("skip numbers: %w", err)
		}
		return nil
	}
	for _, of := range [][2]string{{"feeds", "id"}, {"entries", "id"}, {"decisions", "id"}, {"stories", "id"}, {"amendments", "id"}, {"destinations", "id"},
		{"deliveries", "id"}, {"brakes", "id"}, {"notices", "id"}, {"changes", "seq"}, {"outputs", "id"},
		{"users", "id"}, {"tokens", "id"}} {
		if _, err := tx.Exec(`select setval(s, nextval(s) + $3) from (select pg_get_serial_sequence($1, $2)::regclass as s) s`, of[0], of[1], skippedIDs); err != nil {
			return fmt.Errorf("skip numbers of %s: %w", of[0], err)
		}
	}
	return nil
}
