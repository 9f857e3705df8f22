package deliver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"feedonce"
	"feedonce/internal/dest"
	"feedonce/internal/jobs"
	"feedonce/internal/outbox"
	"feedonce/internal/store"
)

const (
	// sendFor bounds one attempt.
	sendFor = 30 * time.Second
	// drainFor is after how long a queue that is not empty is left to the next job.
	drainFor = 45 * time.Second
	// leaseFor is how long a process owns a queue: longer than drainFor and one more attempt.
	leaseFor = 2 * time.Minute
	// waitFor is the longest that a drain waits for its turn in the bucket; for longer it comes back.
	waitFor = 5 * time.Second
	// busyFor is when to look again at a queue that another process has.
	busyFor = 2 * time.Second
	// window is how many rows are read at a time, and the most that one digest tells.
	window = 200
)

// Drain sends what is due at a destination, and wakes itself for what is due later.
func (e *Engine) Drain(ctx context.Context, id feedonce.DestinationID) error {
	now := e.o.Now()
	var lease store.Lease
	err := e.o.Store.Update(ctx, func(tx *store.Tx) (err error) {
		lease, err = tx.LeaseDestination(id, now, now.Add(leaseFor))
		return err
	})
	switch {
	case errors.Is(err, feedonce.ErrNotFound):
		return nil // it was removed, and its messages with it
	case errors.Is(err, feedonce.ErrConflict):
		return &jobs.Snooze{For: busyFor}
	case err != nil:
		return fmt.Errorf("destination %d: %w", id, err)
	}
	d := &drain{e: e, dest: lease.Destination, fence: lease.Fence, full: lease.NextAt, until: now.Add(drainFor)}
	err = d.run(ctx)
	// The lease is given back also where the program is ending.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return errors.Join(err, e.o.Store.Update(last, d.release))
}

// A drain is one stretch of sending from a queue.
type drain struct {
	e     *Engine
	dest  feedonce.Destination
	fence int64
	full  time.Time // of the token bucket
	until time.Time

	kind     *dest.Kind
	sender   dest.Sender
	pace     pace
	instance string // the database's name, once a message was made
	// notBefore is when the queue may go on: after quiet hours, or when the breaker closes. Zero: when something is due.
	notBefore time.Time
	stop      bool // for good, until a person does something
}

func (d *drain) run(ctx context.Context) error {
	if d.dest.State != feedonce.DestinationActive {
		d.stop = true
		return nil
	}
	if err := d.open(); err != nil {
		return d.disable(ctx, err)
	}
	if err := d.stale(ctx); err != nil {
		return d.fenced(err)
	}
	for !d.stop {
		now := d.e.o.Now()
		if !now.Before(d.until) || ctx.Err() != nil {
			return nil
		}
		if d.dest.OpenUntil.After(now) {
			d.notBefore = d.dest.OpenUntil
			return nil
		}
		if end := outbox.QuietUntil(d.dest.Route.Quiet, now); end.After(now) {
			d.notBefore = end
			return nil
		}
		rows, err := d.next(ctx, now)
		if err != nil || len(rows) == 0 {
			return err
		}
		at, full := d.pace.take(d.full, now)
		if wait := at.Sub(now); wait > waitFor {
			d.notBefore = at
			return nil
		} else if wait > 0 {
			select {
			case <-d.e.o.After(wait):
			case <-ctx.Done():
				return nil
			}
		}
		d.full = full
		if err := d.attempt(ctx, rows); err != nil {
			return d.fenced(err)
		}
	}
	return nil
}

// fenced is the end of a drain that lost its lease: another process goes on.
func (d *drain) fenced(err error) error {
	if errors.Is(err, feedonce.ErrFenced) {
		d.e.o.Log.Warn("another process took over a destination's queue", "destination", d.dest.Name)
		d.stop = true
		return nil
	}
	return err
}

// open makes the sender.
func (d *drain) open() error {
	d.kind = dest.ByName(d.dest.Kind)
	if d.kind == nil {
		return fmt.Errorf("this version of the program knows no destination of kind %q", d.dest.Kind)
	}
	set, err := d.e.Settings(d.dest)
	if err != nil {
		return err
	}
	if d.sender, err = d.kind.Open(set, d.e.o.Env); err != nil {
		return err
	}
	d.pace = newPace(d.dest.Route.Rate, d.kind.Rate)
	return nil
}

// disable stops a destination that cannot be sent to, and tells the operator.
func (d *drain) disable(ctx context.Context, why error) error {
	d.stop = true
	now := d.e.o.Now()
	d.e.o.Log.Warn("a destination is switched off", "destination", d.dest.Name, "why", why)
	return d.e.o.Store.Update(ctx, func(tx *store.Tx) error { return d.disableIn(tx, why.Error(), now) })
}

func (d *drain) disableIn(tx *store.Tx, why string, now time.Time) error {
	if err := tx.SetDestinationState(d.dest.ID, feedonce.DestinationDisabled, why, now); err != nil {
		return err
	}
	return outbox.Notify(tx, feedonce.Notice{At: now, Kind: outbox.NoticeDestination, Destination: d.dest.ID, Text: fmt.Sprintf(
		"The destination %q is switched off: %s. Its messages wait; put it right, and resume it (feedonce dest resume %s).", d.dest.Name, why, d.dest.Name)})
}

// next returns the rows of the next message; none where nothing is due.
func (d *drain) next(ctx context.Context, now time.Time) ([]feedonce.Delivery, error) {
	var due []feedonce.Delivery
	err := d.e.o.Store.View(ctx, func(tx *store.Tx) (err error) {
		due, err = tx.DueDeliveries(d.dest.ID, now, window)
		return err
	})
	if err != nil || len(due) == 0 {
		return nil, err
	}
	first := due[0]
	switch {
	case first.Batch != 0:
		return together(due, func(r feedonce.Delivery) bool { return r.Batch == first.Batch }), nil
	case d.dest.Route.Digest != nil && first.Kind == feedonce.DeliverNew:
		return together(due, func(r feedonce.Delivery) bool { return r.Batch == 0 && r.Kind == feedonce.DeliverNew }), nil
	}
	return due[:1], nil
}

func together(due []feedonce.Delivery, with func(feedonce.Delivery) bool) []feedonce.Delivery {
	var rows []feedonce.Delivery
	for _, r := range due {
		if with(r) {
			rows = append(rows, r)
		}
	}
	return rows
}

// release gives the lease back, and queues the next drain.
func (d *drain) release(tx *store.Tx) error {
	err := tx.ReleaseDestination(d.dest.ID, d.fence)
	if errors.Is(err, feedonce.ErrFenced) || errors.Is(err, feedonce.ErrNotFound) {
		return nil
	}
	if err != nil || d.stop {
		return err
	}
	due, ok, err := tx.NextDelivery(d.dest.ID)
	if err != nil || !ok {
		return err
	}
	if due.Before(d.notBefore) {
		due = d.notBefore
	}
	_, err = tx.Wake(d.dest.ID, due)
	return err
}
