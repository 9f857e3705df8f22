package store

import (
	"fmt"
	"time"

	"feedonce"
	"feedonce/internal/sqldb"
)

// Deliveries: a row for each thing to be told to a destination. queue.go has how they are sent.

const deliveryColumns = `d.id, d.destination_id, d.kind, d.entry_id, d.feed_id, d.revision, d.state, d.batch, d.brake_id, d.attempts,
	d.created_at, d.due_at, d.done_at, d.note, coalesce(e.title, n.txt, '')`

// deliveryTables joins what deliveryColumns needs.
const deliveryTables = `deliveries d left join entries e on e.id = d.entry_id and d.entry_id <> 0
	left join notices n on n.id = d.revision and d.kind = 'notice'`

func scanDelivery(row sqldb.Scanner) (feedonce.Delivery, error) {
	var d feedonce.Delivery
	err := row.Scan(&d.ID, &d.Destination, &d.Kind, &d.Entry, &d.Feed, &d.Revision, &d.State, &d.Batch, &d.Brake, &d.Attempts,
		at(&d.Created), at(&d.Due), at(&d.Done), &d.Note, &d.Title)
	return d, err
}

func (tx *Tx) deliveries(conditions string, args ...any) ([]feedonce.Delivery, error) {
	all, err := sqldb.All(tx.Tx, scanDelivery, `select `+deliveryColumns+` from `+deliveryTables+` `+conditions, args...)
	if err != nil {
		return nil, fmt.Errorf("deliveries: %w", err)
	}
	return all, nil
}

// DeliveryFilter selects deliveries, newest first.
type DeliveryFilter struct {
	Destination feedonce.DestinationID // 0: all
	State       feedonce.DeliveryState // "": all
	Entry       feedonce.EntryID       // 0: all
	Feed        feedonce.FeedID        // 0: all
	Brake       int64                  // 0: all
	Limit       int                    // default 50
	Before      feedonce.DeliveryID    // those with a smaller ID
}

// Deliveries returns deliveries with their titles.
func (tx *Tx) Deliveries(f DeliveryFilter) ([]feedonce.Delivery, error) {
	w := where{}
	if f.Destination != 0 {
		w.add("d.destination_id = ?", int64(f.Destination))
	}
	if f.State != "" {
		w.add("d.state = ?", string(f.State))
	}
	if f.Entry != 0 {
		w.add("d.entry_id = ?", int64(f.Entry))
	}
	if f.Feed != 0 {
		w.add("d.feed_id = ?", int64(f.Feed))
	}
	if f.Brake != 0 {
		w.add("d.brake_id = ? and d.brake_id <> 0", f.Brake)
	}
	if f.Before != 0 {
		w.add("d.id < ?", int64(f.Before))
	}
	return tx.deliveries(w.String()+` order by d.id desc`+w.limit(f.Limit), w.args...)
}

// Delivery returns a delivery with its title, or ErrNotFound.
func (tx *Tx) Delivery(id feedonce.DeliveryID) (feedonce.Delivery, error) {
	d, err := scanDelivery(tx.QueryRow(`select `+deliveryColumns+` from `+deliveryTables+` where d.id = $1`, int64(id)))
	return d, found(err, "delivery %d", id)
}

// DeliveryCounts returns the number of deliveries by destination and state.
func (tx *Tx) DeliveryCounts() (map[feedonce.DestinationID]map[feedonce.DeliveryState]int64, error) {
	counts := map[feedonce.DestinationID]map[feedonce.DeliveryState]int64{}
	err := tx.Each(func(row sqldb.Scanner) error {
		var id feedonce.DestinationID
		var state feedonce.DeliveryState
		var n int64
		if err := row.Scan(&id, &state, &n); err != nil {
			return err
		}
		if counts[id] == nil {
			counts[id] = map[feedonce.DeliveryState]int64{}
		}
		counts[id][state] = n
		return nil
	}, `select destination_id, state, count(*) from deliveries group by destination_id, state`)
	if err != nil {
		return nil, fmt.Errorf("count deliveries: %w", err)
	}
	return counts, nil
}

// Attempts returns the attempts of a delivery, in their order.
func (tx *Tx) Attempts(id feedonce.DeliveryID) ([]feedonce.Attempt, error) {
	all, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (feedonce.Attempt, error) {
		a := feedonce.Attempt{Delivery: id}
		err := row.Scan(&a.N, at(&a.At), span{&a.Took}, &a.Status, &a.Excerpt, &a.Error)
		return a, err
	}, `select n, at, took, status, excerpt, error from delivery_attempts where delivery_id = $1 order by n`, int64(id))
	if err != nil {
		return nil, fmt.Errorf("attempts of delivery %d: %w", id, err)
	}
	return all, nil
}

// PutDeliveries stores deliveries, in this order, and returns the IDs of those that are new: what a destination was told of
// already, in whatever state that is, stays as it is. It is one statement for the rows, and wakes nobody (Wake).
func (tx *Tx) PutDeliveries(all []feedonce.Delivery) ([]feedonce.DeliveryID, error) {
	if len(all) == 0 {
		return nil, nil
	}
	ids, err := tx.newIDs("deliveries", len(all))
	if err != nil {
		return nil, fmt.Errorf("number %d deliveries: %w", len(all), err)
	}
	b := sqldb.NewBatch("id int", "destination int", "kind text", "entry int", "feed int", "revision int", "state text", "batch int", "brake int",
		"created int", "due int", "note text")
	for i, d := range all {
		b.Add(ids[i], int64(d.Destination), string(d.Kind), int64(d.Entry), int64(d.Feed), d.Revision, string(d.State), d.Batch, d.Brake,
			d.Created.UnixMicro(), d.Due.UnixMicro(), d.Note)
	}
	from, args := tx.Dialect().From(b, "r", 1)
	var stored []feedonce.DeliveryID
	err = tx.Each(func(row sqldb.Scanner) error {
		var id feedonce.DeliveryID
		err := row.Scan(&id)
		stored = append(stored, id)
		return err
	}, `insert into deliveries (id, destination_id, kind, entry_id, feed_id, revision, state, batch, brake_id, created_at, due_at, note)
		select r.id, r.destination, r.kind, r.entry, r.feed, r.revision, r.state, r.batch, r.brake, r.created, r.due, r.note from `+from+` where true
		on conflict (destination_id, entry_id, kind, revision) do nothing returning id`, args...)
	if err != nil {
		return nil, fmt.Errorf("store %d deliveries: %w", len(all), err)
	}
	return stored, nil
}

// SetDeliveries moves deliveries from one of some states to another, and returns how many. Those that are to be sent (again)
// are so at due, and begin to count their attempts anew, so that all of the retries are before them; what earlier attempts
// met stays known (Attempts). For the others due is when it happened. It wakes nobody.
func (tx *Tx) SetDeliveries(ids []feedonce.DeliveryID, states []feedonce.DeliveryState, to feedonce.DeliveryState, due time.Time, note string) (int64, error) {
	if len(ids) == 0 || len(states) == 0 {
		return 0, nil
	}
	w := where{args: []any{string(to), due.UnixMicro(), doneAt(to, due), note}}
	values := make([]any, len(states))
	for i, s := range states {
		values[i] = string(s)
	}
	w.add("state in ("+places(len(states))+")", values...)
	from, args := tx.Dialect().From(sqldb.Ints("id", ids), "r", len(w.args)+1)
	n, err := tx.Exec(`update deliveries set state = $1, due_at = $2, done_at = $3, note = $4,
		attempts = case when cast($1 as text) = 'pending' then 0 else attempts end`+w.String()+` and id in (select r.id from `+from+`)`,
		append(w.args, args...)...)
	if err != nil {
		return 0, fmt.Errorf("set %d deliveries to %s: %w", len(ids), to, err)
	}
	return n, nil
}

// DestinationsOf returns the destinations of deliveries, each once. It is one statement; deliveries that are not there have none.
func (tx *Tx) DestinationsOf(ids []feedonce.DeliveryID) ([]feedonce.DestinationID, error) {
	from, args := tx.Dialect().From(sqldb.Ints("id", ids), "r", 1)
	all, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (id feedonce.DestinationID, err error) {
		err = row.Scan(&id)
		return id, err
	}, `select distinct d.destination_id from `+from+` `+tx.Dialect().Lookup()+` deliveries d on d.id = r.id order by d.destination_id`, args...)
	if err != nil {
		return nil, fmt.Errorf("destinations of %d deliveries: %w", len(ids), err)
	}
	return all, nil
}

// SkipDeliveries skips what is waiting to be told about an entry.
func (tx *Tx) SkipDeliveries(entry feedonce.EntryID, note string, now time.Time) error {
	if _, err := tx.Exec(`update deliveries set state = 'skipped', done_at = $2, note = $3
		where entry_id = $1 and entry_id <> 0 and state in ('pending', 'retry', 'held')`, int64(entry), now.UnixMicro(), note); err != nil {
		return fmt.Errorf("skip deliveries about entry %d: %w", entry, err)
	}
	return nil
}

// SetBatch makes deliveries one message.
func (tx *Tx) SetBatch(ids []feedonce.DeliveryID, batch int64) error {
	from, args := tx.Dialect().From(sqldb.Ints("id", ids), "r", 2)
	if _, err := tx.Exec(`update deliveries set batch = $1 where id in (select r.id from `+from+`)`, append([]any{batch}, args...)...); err != nil {
		return fmt.Errorf("batch of %d deliveries: %w", len(ids), err)
	}
	return nil
}

// ToldInStory returns, by destination, the entries of which another article of their story is told there, or will be.
func (tx *Tx) ToldInStory(to []feedonce.DestinationID, entries []feedonce.EntryID) (map[feedonce.DestinationID]map[feedonce.EntryID]bool, error) {
	told := map[feedonce.DestinationID]map[feedonce.EntryID]bool{}
	if len(to) == 0 || len(entries) == 0 {
		return told, nil
	}
	mine, args := tx.Dialect().From(sqldb.Ints("id", entries), "r", 1)
	dests, more := tx.Dialect().From(sqldb.Ints("id", to), "t", 1+len(args))
	lookup := tx.Dialect().Lookup()
	err := tx.Each(func(row sqldb.Scanner) error {
		var id feedonce.DestinationID
		var entry feedonce.EntryID
		if err := row.Scan(&id, &entry); err != nil {
			return err
		}
		if told[id] == nil {
			told[id] = map[feedonce.EntryID]bool{}
		}
		told[id][entry] = true
		return nil
	}, `select distinct d.destination_id, m.entry_id from (select id from `+mine+`) r
		`+lookup+` story_members m on m.entry_id = r.id
		`+lookup+` story_members o on o.story_id = m.story_id and o.entry_id <> m.entry_id and o.kind <> 'about'
		`+lookup+` deliveries d on d.entry_id = o.entry_id and d.entry_id <> 0
		where d.kind = 'new' and d.state <> 'skipped' and d.destination_id in (select t.id from `+dests+`)`, append(args, more...)...)
	if err != nil {
		return nil, fmt.Errorf("what is told of stories: %w", err)
	}
	return told, nil
}
