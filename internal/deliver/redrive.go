package deliver

import (
	"context"
	"fmt"
	"slices"
	"time"

	"feedonce"
	"feedonce/internal/store"
)

// What a person does about deliveries: all of these change the rows that are in a state where it makes sense, and return how
// many those were.

// Retry sends deliveries (again) now: those that failed, were given up, are unknown, were skipped or held, or wait.
func (e *Engine) Retry(ctx context.Context, ids []feedonce.DeliveryID) (int64, error) {
	return e.move(ctx, ids, []feedonce.DeliveryState{
		feedonce.DeliveryRetry, feedonce.DeliveryDead, feedonce.DeliveryUnknown, feedonce.DeliverySkipped, feedonce.DeliveryHeld, feedonce.DeliveryPending,
	}, feedonce.DeliveryPending, asked)
}

// Skip leaves deliveries unsent that are not sent yet.
func (e *Engine) Skip(ctx context.Context, ids []feedonce.DeliveryID) (int64, error) {
	return e.move(ctx, ids, []feedonce.DeliveryState{
		feedonce.DeliveryPending, feedonce.DeliveryRetry, feedonce.DeliveryDead, feedonce.DeliveryUnknown, feedonce.DeliveryHeld,
	}, feedonce.DeliverySkipped, said)
}

// Arrived says of deliveries that are unknown that they arrived.
func (e *Engine) Arrived(ctx context.Context, ids []feedonce.DeliveryID) (int64, error) {
	return e.move(ctx, ids, unknown, feedonce.DeliverySent, "a person saw that it arrived")
}

// Lost says of deliveries that are unknown that they did not arrive: they are sent again.
func (e *Engine) Lost(ctx context.Context, ids []feedonce.DeliveryID) (int64, error) {
	return e.move(ctx, ids, unknown, feedonce.DeliveryPending, asked)
}

// LeaveOpen skips deliveries that are unknown.
func (e *Engine) LeaveOpen(ctx context.Context, ids []feedonce.DeliveryID) (int64, error) {
	return e.move(ctx, ids, unknown, feedonce.DeliverySkipped, said)
}

var unknown = []feedonce.DeliveryState{feedonce.DeliveryUnknown}

// Notes of what a person did.
const (
	asked = "a person asked for it"
	said  = "a person said so"
)

func (e *Engine) move(ctx context.Context, ids []feedonce.DeliveryID, from []feedonce.DeliveryState, to feedonce.DeliveryState, note string) (n int64, err error) {
	now := e.o.Now()
	err = e.o.Store.Update(ctx, func(tx *store.Tx) error {
		if n, err = tx.SetDeliveries(ids, from, to, now, note); err != nil || to != feedonce.DeliveryPending {
			return err
		}
		return wakeAll(tx, ids, now)
	})
	return n, err
}

// wakeAll wakes the destinations of deliveries.
func wakeAll(tx *store.Tx, ids []feedonce.DeliveryID, now time.Time) error {
	destinations, err := tx.DestinationsOf(ids)
	if err != nil {
		return err
	}
	for _, id := range destinations {
		if err := wakeNext(tx, id, now); err != nil {
			return err
		}
	}
	return nil
}

// Release ends a flood brake: its deliveries are sent one by one (BrakeReleased), as one message for each destination
// (BrakeDigested), or not at all (BrakeDiscarded). It returns how many those are.
func (e *Engine) Release(ctx context.Context, brake int64, how feedonce.BrakeState, who string) (n int64, err error) {
	now := e.o.Now()
	err = e.o.Store.Update(ctx, func(tx *store.Tx) error {
		b, err := tx.Brake(brake)
		if err != nil {
			return err
		}
		if b.State != feedonce.BrakeOpen {
			return &feedonce.InvalidError{Field: "brake", Reason: fmt.Sprintf("must be open; %d was %s on %s", brake, b.State, b.Closed.Format("2 January 2006"))}
		}
		if err := tx.CloseBrake(brake, how, who, now); err != nil {
			return err
		}
		held, err := tx.Deliveries(store.DeliveryFilter{Brake: brake, State: feedonce.DeliveryHeld, Limit: maxReleased})
		if err != nil {
			return err
		}
		slices.Reverse(held) // the oldest first
		to, note := feedonce.DeliveryPending, "released"
		if how == feedonce.BrakeDiscarded {
			to, note = feedonce.DeliverySkipped, "discarded"
		}
		if n, err = tx.SetDeliveries(idsOf(held), []feedonce.DeliveryState{feedonce.DeliveryHeld}, to, now, note); err != nil {
			return err
		}
		if how == feedonce.BrakeDigested {
			if err := batchEach(tx, held); err != nil {
				return err
			}
		}
		if how == feedonce.BrakeDiscarded {
			return nil
		}
		return wakeAll(tx, idsOf(held), now)
	})
	return n, err
}

// maxReleased bounds what one brake holds for all destinations together.
const maxReleased = 1_000_000

// batchEach makes the rows of each destination one message.
func batchEach(tx *store.Tx, rows []feedonce.Delivery) error {
	of := map[feedonce.DestinationID][]feedonce.DeliveryID{}
	for _, r := range rows {
		of[r.Destination] = append(of[r.Destination], r.ID)
	}
	for _, ids := range of {
		batch, err := tx.NewBatch()
		if err != nil {
			return err
		}
		if err := tx.SetBatch(ids, batch); err != nil {
			return err
		}
	}
	return nil
}
