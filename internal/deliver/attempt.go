package deliver

import (
	"context"
	"errors"
	"slices"
	"time"

	"feedonce"
	"feedonce/internal/dest"
	"feedonce/internal/store"
)

// attempt sends one message and stores what came of it.
func (d *drain) attempt(ctx context.Context, rows []feedonce.Delivery) error {
	m, rows, err := d.compose(ctx, rows)
	if err != nil || len(rows) == 0 {
		return err
	}
	ids := idsOf(rows)
	start := d.e.o.Now()
	batch := int64(0)
	err = d.e.o.Store.Update(ctx, func(tx *store.Tx) (err error) {
		batch, err = tx.StartAttempt(d.dest.ID, d.fence, ids, m.Digest, start)
		return err
	})
	if err != nil {
		return err
	}
	m.Key = key(d.instance, batch, rows[0].ID)
	within, cancel := context.WithTimeout(ctx, sendFor)
	res := d.send(within, m)
	cancel()
	// What happened is stored also where the program is ending.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return d.settle(last, rows, ids, start, res)
}

func idsOf(rows []feedonce.Delivery) []feedonce.DeliveryID {
	ids := make([]feedonce.DeliveryID, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	return ids
}

// send calls the sender; one that panics has not sent.
func (d *drain) send(ctx context.Context, m dest.Message) (res dest.Result) {
	defer func() {
		if p := recover(); p != nil {
			d.e.o.Log.Error("a sender failed", "destination", d.dest.Name, "kind", d.dest.Kind, "panic", p)
			res = dest.Result{Outcome: dest.Unknown, Err: errors.New("the program failed while it was sending this; please report it")}
		}
	}()
	return d.sender.Send(ctx, m)
}

// compose makes the message of the rows that still have something to tell, and skips the others.
func (d *drain) compose(ctx context.Context, rows []feedonce.Delivery) (m dest.Message, left []feedonce.Delivery, err error) {
	var dead []feedonce.Delivery
	var why []string
	err = d.e.o.Store.View(ctx, func(tx *store.Tx) error {
		left, dead, why = nil, nil, nil
		c, err := d.e.composing(tx)
		if err != nil {
			return err
		}
		d.instance = c.instance
		first := rows[0]
		if first.Kind == feedonce.DeliverNotice {
			m = d.e.message(d.dest, first.Kind, first.Created, nil, false)
			m.Notice, left = first.Title, rows[:1]
			return nil
		}
		var articles []dest.Article
		for _, r := range rows {
			a, err := c.article(r)
			var gone *moot
			switch {
			case errors.As(err, &gone):
				dead, why = append(dead, r), append(why, gone.why)
			case err != nil:
				return err
			default:
				articles, left = append(articles, a), append(left, r)
			}
		}
		digest := first.Batch != 0 || d.dest.Route.Digest != nil && first.Kind == feedonce.DeliverNew
		m = d.e.message(d.dest, first.Kind, first.Created, articles, digest)
		if first.Kind == feedonce.DeliverUpdate && len(left) > 0 {
			m.First, err = c.first(left[0])
		}
		return err
	})
	if err != nil || len(dead) == 0 {
		return m, left, err
	}
	return m, left, d.e.o.Store.Update(ctx, func(tx *store.Tx) error {
		for i, r := range dead {
			from := []feedonce.DeliveryState{feedonce.DeliveryPending, feedonce.DeliveryRetry}
			if _, err := tx.SetDeliveries([]feedonce.DeliveryID{r.ID}, from, feedonce.DeliverySkipped, d.e.o.Now(), why[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// stale settles what a process that died was sending.
func (d *drain) stale(ctx context.Context) error {
	var rows []feedonce.Delivery
	err := d.e.o.Store.View(ctx, func(tx *store.Tx) (err error) {
		rows, err = tx.Stale(d.dest.ID)
		return err
	})
	if err != nil || len(rows) == 0 {
		return err
	}
	now := d.e.o.Now()
	return d.e.o.Store.Update(ctx, func(tx *store.Tx) error {
		for len(rows) > 0 {
			// What was one message stays one: its rows become due together.
			first, one := rows[0], rows[:1]
			if first.Batch != 0 {
				one = together(rows, func(r feedonce.Delivery) bool { return r.Batch == first.Batch })
			}
			f := store.FinishedAttempt{Destination: d.dest.ID, Fence: d.fence, IDs: idsOf(one), At: now,
				Error: "the program ended while this was being sent: nobody knows whether it arrived"}
			f.State, f.Due, f.Note = d.unknown(first, now)
			if err := tx.FinishAttempt(f); err != nil {
				return err
			}
			rows = slices.DeleteFunc(rows, func(r feedonce.Delivery) bool { return slices.Contains(f.IDs, r.ID) })
		}
		return nil
	})
}
