package deliver

import (
	"context"
	"time"

	"feedonce"
	"feedonce/internal/dest"
	"feedonce/internal/store"
)

// settle stores what came of an attempt: the state of its rows, and the health of the destination.
func (d *drain) settle(ctx context.Context, rows []feedonce.Delivery, ids []feedonce.DeliveryID, start time.Time, res dest.Result) error {
	now := d.e.o.Now()
	f := store.FinishedAttempt{
		Destination: d.dest.ID, Fence: d.fence, IDs: ids, At: start, Took: now.Sub(start),
		Status: res.Status, Excerpt: excerpt(res.Excerpt),
	}
	if res.Err != nil {
		f.Error = excerpt(res.Err.Error())
	}
	h := store.Health{OK: res.Outcome == dest.Sent, Error: f.Error, At: now, NextAt: d.full}
	gone := false
	switch res.Outcome {
	case dest.Sent:
		f.State, f.Due = feedonce.DeliverySent, now
	case dest.Refused:
		f.State, f.Due, f.Note = feedonce.DeliveryDead, now, "the endpoint refuses this message"
	case dest.Gone:
		// The message did nothing wrong: it waits for the destination.
		gone = true
		f.State, f.Due, f.Note = feedonce.DeliveryPending, now, "the destination is switched off"
	case dest.Unknown:
		f.State, f.Due, f.Note = d.unknown(rows[0], now)
	default:
		f.State, f.Due, f.Note = d.again(rows[0], now, res.After)
	}
	if f.Error == "" && res.Outcome != dest.Sent {
		f.Error = "the endpoint did not say why"
	}
	if !h.OK {
		h.Error = f.Error
		failures := d.dest.Errors + 1
		if rest := max(open(failures), res.After); rest > 0 {
			h.OpenUntil = now.Add(rest)
		}
		d.e.o.Log.Info("a message was not accepted", "destination", d.dest.Name, "outcome", res.Outcome, "status", res.Status, "error", f.Error, "then", f.State)
		d.dest.Errors, d.dest.OpenUntil = failures, h.OpenUntil
	} else {
		d.dest.Errors, d.dest.OpenUntil = 0, time.Time{}
	}
	err := d.e.o.Store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.FinishAttempt(f); err != nil {
			return err
		}
		if err := tx.SetHealth(d.dest.ID, d.fence, h); err != nil {
			return err
		}
		if gone {
			return d.disableIn(tx, f.Error, now)
		}
		return nil
	})
	if gone {
		d.stop = true
	}
	return err
}

// again is what follows a failed attempt: another one, as the schedule says and not before the endpoint wants it, or none.
func (d *drain) again(r feedonce.Delivery, now time.Time, after time.Duration) (feedonce.DeliveryState, time.Time, string) {
	wait, more := pause(r.Attempts+1, d.e.o.Rand())
	if !more && after == 0 {
		return feedonce.DeliveryDead, now, "given up after the last attempt; it can be sent again (feedonce deliveries retry)"
	}
	if !more {
		wait = after // an endpoint that asks for patience is there, and will take it some day
	}
	return feedonce.DeliveryRetry, now.Add(max(wait, after)), ""
}

// unknown is what follows an attempt of which nobody knows whether it arrived.
func (d *drain) unknown(r feedonce.Delivery, now time.Time) (feedonce.DeliveryState, time.Time, string) {
	if d.kind.Idempotent {
		return d.again(r, now, 0)
	}
	switch d.dest.Route.Unknown {
	case feedonce.UnknownResend:
		return d.again(r, now, 0)
	case feedonce.UnknownSkip:
		return feedonce.DeliverySkipped, now, "nobody knows whether it arrived, and this destination is to get nothing twice"
	}
	return feedonce.DeliveryUnknown, now, "nobody knows whether it arrived, and the endpoint would show a copy as a second message: you decide"
}

// maxExcerpt bounds what is kept of an answer, in bytes.
const maxExcerpt = 500

func excerpt(s string) string {
	if len(s) <= maxExcerpt {
		return s
	}
	n := maxExcerpt
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
