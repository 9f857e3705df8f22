package deliver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"feedonce"
	"feedonce/internal/jobs"
	"feedonce/internal/outbox"
	"feedonce/internal/store"
)

// Run sends what is due, until ctx ends.
func (e *Engine) Run(ctx context.Context, o jobs.Options) error {
	if o.Log == nil {
		o.Log = e.o.Log
	}
	return e.o.Store.Jobs().Run(ctx, jobs.Handlers{
		Drain: func(ctx context.Context, j jobs.Drain) error {
			return e.Drain(ctx, feedonce.DestinationID(j.Destination))
		},
		Sweep: e.Sweep,
	}, o)
}

// neglectedFor is how long a job may be late before it counts as lost.
const neglectedFor = 2 * time.Minute

// Sweep queues a job for every destination that has something due and nobody who will send it.
func (e *Engine) Sweep(ctx context.Context) error {
	now := e.o.Now()
	var ids []feedonce.DestinationID
	err := e.o.Store.View(ctx, func(tx *store.Tx) (err error) {
		ids, err = tx.Neglected(now, neglectedFor)
		return err
	})
	if err != nil || len(ids) == 0 {
		return err
	}
	return e.o.Store.Update(ctx, func(tx *store.Tx) error {
		for _, id := range ids {
			if err := tx.Rouse(id, now); err != nil {
				return err
			}
		}
		return nil
	})
}

// Once sends what is due at all destinations now, without a queue of jobs, and returns how many messages are still waiting for
// a later time: for those who poll by hand.
func (e *Engine) Once(ctx context.Context) (waiting int64, err error) {
	var all []feedonce.Destination
	if err := e.o.Store.View(ctx, func(tx *store.Tx) (err error) {
		all, err = tx.Destinations()
		return err
	}); err != nil {
		return 0, err
	}
	var failed error
	for _, d := range all {
		if d.State != feedonce.DestinationActive {
			continue
		}
		for {
			err := e.Drain(ctx, d.ID)
			var busy *jobs.Snooze
			if errors.As(err, &busy) {
				break // another process sends
			}
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("%s: %w", d.Name, err))
				break
			}
			more, err := e.dueNow(ctx, d.ID)
			if err != nil || !more {
				failed = errors.Join(failed, err)
				break
			}
			select { // the bucket wants a pause
			case <-e.o.After(time.Second):
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		}
	}
	err = e.o.Store.View(ctx, func(tx *store.Tx) error {
		waiting = 0
		counts, err := tx.DeliveryCounts()
		for _, of := range counts {
			waiting += of[feedonce.DeliveryPending] + of[feedonce.DeliveryRetry]
		}
		return err
	})
	return waiting, errors.Join(failed, err)
}

// dueNow reports whether a destination that is not left in peace has more to send at once.
func (e *Engine) dueNow(ctx context.Context, id feedonce.DestinationID) (more bool, err error) {
	now := e.o.Now()
	err = e.o.Store.View(ctx, func(tx *store.Tx) error {
		d, err := tx.Destination(id)
		if err != nil || d.State != feedonce.DestinationActive || d.OpenUntil.After(now) || outbox.QuietUntil(d.Route.Quiet, now).After(now) {
			more = false
			return err
		}
		due, err := tx.DueDeliveries(id, now, 1)
		more = len(due) > 0
		return err
	})
	return more, err
}
