package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"feedonce"
	"feedonce/internal/jobs"
	"feedonce/internal/sqldb"
)

// The queue of a destination: one process at a time has its lease, and the fence of the lease is in every statement that it
// makes, so that a process that was stopped and goes on later changes nothing any more.

// A Lease is a destination whose queue a process owns.
type Lease struct {
	Destination feedonce.Destination
	Fence       int64
	NextAt      time.Time // of the token bucket: when it is full again
}

// LeaseDestination takes the queue of a destination until a time: ErrConflict where another process has it, ErrNotFound where
// there is no such destination. It forgets that a job is queued (Wake), before anything of the queue is read: whoever adds
// to it from now on queues another.
func (tx *Tx) LeaseDestination(id feedonce.DestinationID, now, until time.Time) (Lease, error) {
	var l Lease
	err := tx.QueryRow(`update destinations set lease_until = $3, fence = fence + 1, wake_at = null where id = $1 and lease_until <= $2
		returning `+destinationColumns+`, fence, next_at`, int64(id), now.UnixMicro(), until.UnixMicro()).
		Scan(append(destinationFields(&l.Destination), &l.Fence, at(&l.NextAt))...)
	if errors.Is(err, sql.ErrNoRows) {
		if _, err := tx.Destination(id); err != nil {
			return l, err
		}
		return l, fmt.Errorf("destination %d is being sent to by another process: %w", id, feedonce.ErrConflict)
	}
	if err != nil {
		return l, fmt.Errorf("lease destination %d: %w", id, err)
	}
	return l, nil
}

// fenced is the error of a statement that checked a fence.
func (tx *Tx) fenced(id feedonce.DestinationID, n int64, err error) error {
	if err == nil && n == 0 {
		err = feedonce.ErrFenced
	}
	if err != nil {
		return fmt.Errorf("destination %d: %w", id, err)
	}
	return nil
}

// ExtendLease keeps a lease for longer; ErrFenced where it is another's.
func (tx *Tx) ExtendLease(id feedonce.DestinationID, fence int64, until time.Time) error {
	n, err := tx.Exec(`update destinations set lease_until = $3 where id = $1 and fence = $2`, int64(id), fence, until.UnixMicro())
	return tx.fenced(id, n, err)
}

// ReleaseDestination gives a lease back; ErrFenced where it is another's.
func (tx *Tx) ReleaseDestination(id feedonce.DestinationID, fence int64) error {
	n, err := tx.Exec(`update destinations set lease_until = 0 where id = $1 and fence = $2`, int64(id), fence)
	return tx.fenced(id, n, err)
}

// Wake has a destination's queue worked at a time, or at once where that is past; not before its circuit breaker closes, and
// not at all where it is paused or switched off. It reports whether that took a new job: where one is queued for an earlier
// time, that one will do. A job that was queued for a later time stays, and finds that it was answered.
func (tx *Tx) Wake(id feedonce.DestinationID, due time.Time) (bool, error) {
	at := tx.Dialect().Greatest() + `($2, coalesce(open_until, 0))`
	var wake int64
	err := tx.QueryRow(`update destinations set wake_at = `+at+` where id = $1 and state = 'active' and (wake_at is null or wake_at > `+at+`)
		returning wake_at`, int64(id), due.UnixMicro()).Scan(&wake)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err == nil {
		err = tx.jobs.Insert(tx.Tx, jobs.Drain{Destination: int64(id), Wake: wake}, time.UnixMicro(wake))
	}
	if err != nil {
		return false, fmt.Errorf("wake destination %d: %w", id, err)
	}
	return true, nil
}

// answered reports whether the wake-up that a job was queued for was answered: since then somebody took the lease, or the
// destination is gone. wake_at only falls until a lease empties it, so that one later than the job's own is of another job.
func (s *Store) answered(ctx context.Context, j jobs.Drain) (answered bool, err error) {
	err = s.View(ctx, func(tx *Tx) error {
		var n int
		if err := tx.QueryRow(`select count(*) from destinations where id = $1 and wake_at <= $2`, j.Destination, j.Wake).Scan(&n); err != nil {
			return fmt.Errorf("was destination %d woken: %w", j.Destination, err)
		}
		answered = n == 0
		return nil
	})
	return answered, err
}

// Neglected returns destinations that have something due and nobody who will send it: no lease, and no job that is queued, or
// one that should have run long before. It is what is left where a job was lost.
func (tx *Tx) Neglected(now time.Time, patience time.Duration) ([]feedonce.DestinationID, error) {
	ids, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (id feedonce.DestinationID, err error) {
		err = row.Scan(&id)
		return id, err
	}, `select id from destinations d where state = 'active' and lease_until <= $1 and (wake_at is null or wake_at <= $2)
		and (exists (select 1 from deliveries q where q.destination_id = d.id and q.state in ('pending', 'retry') and q.due_at <= $1)
			or exists (select 1 from deliveries q where q.destination_id = d.id and q.state = 'sending'))`,
		now.UnixMicro(), now.Add(-patience).UnixMicro())
	if err != nil {
		return nil, fmt.Errorf("neglected destinations: %w", err)
	}
	return ids, nil
}

// Rouse queues a job for a neglected destination, whatever is thought to be queued.
func (tx *Tx) Rouse(id feedonce.DestinationID, now time.Time) error {
	if _, err := tx.Exec(`update destinations set wake_at = null where id = $1`, int64(id)); err != nil {
		return fmt.Errorf("rouse destination %d: %w", id, err)
	}
	_, err := tx.Wake(id, now)
	return err
}

// DueDeliveries returns what is due at a destination, longest due first.
func (tx *Tx) DueDeliveries(id feedonce.DestinationID, now time.Time, limit int) ([]feedonce.Delivery, error) {
	return tx.deliveries(`where d.destination_id = $1 and d.state in ('pending', 'retry') and d.due_at <= $2 order by d.due_at, d.id limit $3`,
		int64(id), now.UnixMicro(), limit)
}

// Stale returns what somebody is sending, or was when the process died.
func (tx *Tx) Stale(id feedonce.DestinationID) ([]feedonce.Delivery, error) {
	return tx.deliveries(`where d.destination_id = $1 and d.state = 'sending' order by d.id`, int64(id))
}

// NextDelivery returns when the next delivery of a destination is due; false where none waits.
func (tx *Tx) NextDelivery(id feedonce.DestinationID) (time.Time, bool, error) {
	var due time.Time
	err := tx.QueryRow(`select min(due_at) from deliveries where destination_id = $1 and state in ('pending', 'retry')`, int64(id)).Scan(at(&due))
	if err != nil {
		return due, false, fmt.Errorf("next delivery of destination %d: %w", id, err)
	}
	return due, !due.IsZero(), nil
}

// StartAttempt marks deliveries as being sent, and counts the attempt. With batch they are one message, and get a number for
// it where they have none; it returns that number, or 0. Where one of them is not waiting any more, nothing is started, and
// it returns ErrConflict.
func (tx *Tx) StartAttempt(id feedonce.DestinationID, fence int64, ids []feedonce.DeliveryID, batch bool, now time.Time) (int64, error) {
	if err := tx.holds(id, fence); err != nil {
		return 0, err
	}
	from, args := tx.Dialect().From(sqldb.Ints("id", ids), "r", 2)
	n, err := tx.Exec(`update deliveries set state = 'sending', attempts = attempts + 1
		where destination_id = $1 and state in ('pending', 'retry') and id in (select r.id from `+from+`)`, append([]any{int64(id)}, args...)...)
	if err == nil && n != int64(len(ids)) {
		err = feedonce.ErrConflict
	}
	if err != nil {
		return 0, fmt.Errorf("start sending %d deliveries: %w", len(ids), err)
	}
	var number int64
	if err := tx.QueryRow(`select batch from deliveries where id = $1`, int64(ids[0])).Scan(&number); err != nil {
		return 0, fmt.Errorf("batch of delivery %d: %w", ids[0], err)
	}
	if !batch || number != 0 {
		return number, nil
	}
	if number, err = tx.NewBatch(); err != nil {
		return 0, err
	}
	return number, tx.SetBatch(ids, number)
}

// holds checks a fence, and keeps the lease from changing hands until the transaction ends. New deliveries, which refer to the
// destination, do not wait for it.
func (tx *Tx) holds(id feedonce.DestinationID, fence int64) error {
	lock := ""
	if tx.Dialect() == sqldb.PostgreSQL {
		lock = " for no key update"
	}
	var one int
	err := tx.QueryRow(`select 1 from destinations where id = $1 and fence = $2`+lock, int64(id), fence).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return tx.fenced(id, 0, nil)
	}
	return tx.fenced(id, 1, err)
}

// A FinishedAttempt is what came of sending deliveries as one message.
type FinishedAttempt struct {
	Destination feedonce.DestinationID
	Fence       int64
	IDs         []feedonce.DeliveryID
	At          time.Time // when it began
	Took        time.Duration
	Status      int
	Excerpt     string
	Error       string
	State       feedonce.DeliveryState // what the deliveries are now
	Due         time.Time              // of the next attempt; where there is none, when it ended
	Note        string
}

// FinishAttempt stores what came of an attempt, for each delivery of the message.
func (tx *Tx) FinishAttempt(f FinishedAttempt) error {
	if err := tx.holds(f.Destination, f.Fence); err != nil {
		return err
	}
	from, args := tx.Dialect().From(sqldb.Ints("id", f.IDs), "r", 7)
	if _, err := tx.Exec(`insert into delivery_attempts (delivery_id, n, at, took, status, excerpt, error)
		select d.id, 1 + (select coalesce(max(a.n), 0) from delivery_attempts a where a.delivery_id = d.id), $2, $3, $4, $5, $6
		from `+from+` `+tx.Dialect().Lookup()+` deliveries d on d.id = r.id
		where d.destination_id = $1 and d.state = 'sending'`, append([]any{int64(f.Destination), f.At.UnixMicro(), f.Took.Microseconds(), f.Status, f.Excerpt, f.Error}, args...)...); err != nil {
		return fmt.Errorf("attempt of %d deliveries: %w", len(f.IDs), err)
	}
	from, args = tx.Dialect().From(sqldb.Ints("id", f.IDs), "r", 6)
	if _, err := tx.Exec(`update deliveries set state = $2, due_at = $3, done_at = $4, note = $5
		where destination_id = $1 and state = 'sending' and id in (select r.id from `+from+`)`,
		append([]any{int64(f.Destination), string(f.State), f.Due.UnixMicro(), doneAt(f.State, f.Due), f.Note}, args...)...); err != nil {
		return fmt.Errorf("finish %d deliveries: %w", len(f.IDs), err)
	}
	return nil
}

// doneAt is when a delivery came to a state that ends it, as it is stored.
func doneAt(s feedonce.DeliveryState, now time.Time) any {
	switch s {
	case feedonce.DeliverySent, feedonce.DeliverySkipped, feedonce.DeliveryDead:
		return now.UnixMicro()
	}
	return nil
}

// Health is how a destination took a message.
type Health struct {
	OK        bool
	Error     string // where it is not OK
	At        time.Time
	OpenUntil time.Time // nothing is sent until then; zero: no such time
	NextAt    time.Time // of the token bucket
}

// SetHealth stores how a destination took a message.
func (tx *Tx) SetHealth(id feedonce.DestinationID, fence int64, h Health) error {
	full := int64(0)
	if !h.NextAt.IsZero() {
		full = h.NextAt.UnixMicro()
	}
	var n int64
	var err error
	if h.OK {
		n, err = tx.Exec(`update destinations set last_ok_at = $3, error = '', error_at = null, errors = 0, open_until = null, next_at = $4 where id = $1 and fence = $2`,
			int64(id), fence, h.At.UnixMicro(), full)
	} else {
		n, err = tx.Exec(`update destinations set error = $3, error_at = $4, errors = errors + 1, open_until = $5, next_at = $6 where id = $1 and fence = $2`,
			int64(id), fence, h.Error, h.At.UnixMicro(), micros(h.OpenUntil), full)
	}
	return tx.fenced(id, n, err)
}
