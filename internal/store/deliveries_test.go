package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// delivery is one that tells a destination of an entry, and is due.
func delivery(to feedonce.DestinationID, entry feedonce.EntryID) feedonce.Delivery {
	return feedonce.Delivery{Destination: to, Kind: feedonce.DeliverNew, Entry: entry, Feed: 1, State: feedonce.DeliveryPending, Created: start, Due: start}
}

func putDeliveries(t testing.TB, s *store.Store, all ...feedonce.Delivery) []feedonce.DeliveryID {
	t.Helper()
	var ids []feedonce.DeliveryID
	update(t, s, func(tx *store.Tx) (err error) {
		ids, err = tx.PutDeliveries(all)
		return err
	})
	return ids
}

func deliveryOf(t testing.TB, s *store.Store, id feedonce.DeliveryID) feedonce.Delivery {
	t.Helper()
	return read(t, s, func(tx *store.Tx) (feedonce.Delivery, error) { return tx.Delivery(id) })
}

func startAttempt(t testing.TB, s *store.Store, to feedonce.DestinationID, fence int64, batch bool, ids ...feedonce.DeliveryID) int64 {
	t.Helper()
	var number int64
	update(t, s, func(tx *store.Tx) (err error) {
		number, err = tx.StartAttempt(to, fence, ids, batch, start)
		return err
	})
	return number
}

func finished(to feedonce.DestinationID, fence int64, state feedonce.DeliveryState, at time.Time, ids ...feedonce.DeliveryID) store.FinishedAttempt {
	return store.FinishedAttempt{Destination: to, Fence: fence, IDs: ids, At: at, Took: 3 * time.Millisecond, Status: 200, Excerpt: "fine", State: state, Due: at, Note: "a note"}
}

func ids(rows []feedonce.Delivery) []feedonce.DeliveryID {
	var all []feedonce.DeliveryID
	for _, r := range rows {
		all = append(all, r.ID)
	}
	return all
}

// However many transactions want to tell the same at the same moment, it is told once.
func TestDeliveriesAreUnique(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		id := addDestination(t, s, "d")
		const writers, entries = 8, 50
		inserted := make([]int, writers)
		var group sync.WaitGroup
		for w := range writers {
			group.Go(func() {
				for e := range entries {
					// Two rows a transaction, in an order of its own: deadlocks are run again.
					rows := []feedonce.Delivery{delivery(id, feedonce.EntryID(1+e)), delivery(id, feedonce.EntryID(1+(e+1)%entries))}
					if w%2 == 1 {
						slices.Reverse(rows)
					}
					var new []feedonce.DeliveryID
					if err := s.Update(context.Background(), func(tx *store.Tx) (err error) {
						new, err = tx.PutDeliveries(rows)
						return err
					}); err != nil {
						t.Error(err)
						return
					}
					inserted[w] += len(new)
				}
			})
		}
		group.Wait()
		sum := 0
		for _, n := range inserted {
			sum += n
		}
		all := read(t, s, func(tx *store.Tx) ([]feedonce.Delivery, error) {
			return tx.Deliveries(store.DeliveryFilter{Limit: 1000})
		})
		if sum != entries || len(all) != entries {
			t.Errorf("%d deliveries were said to be new, %d are there, want %d", sum, len(all), entries)
		}
		// What is no copy: another kind, another revision, another destination.
		other := addDestination(t, s, "other")
		update1, update2, elsewhere := delivery(id, 1), delivery(id, 1), delivery(other, 1)
		update1.Kind, update1.Revision, update2.Kind, update2.Revision = feedonce.DeliverUpdate, 2, feedonce.DeliverUpdate, 3
		if n := len(putDeliveries(t, s, update1, update1, delivery(id, 1), update2, elsewhere)); n != 3 {
			t.Errorf("%d new deliveries, want 3", n)
		}
	})
}

func TestDeliveriesAreListed(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed, entries := stored(t, s, 3)
		a, b := addDestination(t, s, "a"), addDestination(t, s, "b")
		var rows []feedonce.Delivery
		for _, e := range entries {
			d := delivery(a, feedonce.EntryID(e.ID))
			d.Feed = feed.ID
			rows = append(rows, d)
		}
		rows[2].State, rows[2].Brake = feedonce.DeliveryHeld, 7
		var notice int64
		update(t, s, func(tx *store.Tx) (err error) {
			notice, err = tx.AddNotice(feedonce.Notice{At: start, Kind: "flood", Text: "A flood."})
			return err
		})
		rows = append(rows, feedonce.Delivery{Destination: b, Kind: feedonce.DeliverNotice, Revision: int(notice), State: feedonce.DeliveryPending, Created: start, Due: start, Note: "why"})
		put := putDeliveries(t, s, rows...)
		if len(put) != 4 || !slices.IsSorted(put) {
			t.Fatalf("IDs %v", put)
		}
		want := rows[0]
		want.ID, want.Title = put[0], "<b>Title</b> of 0"
		if diff := cmp.Diff(want, deliveryOf(t, s, put[0])); diff != "" {
			t.Error("(-want +got):\n" + diff)
		}
		if d := deliveryOf(t, s, put[3]); d.Title != "A flood." || d.Entry != 0 {
			t.Errorf("a notice: %+v", d)
		}
		for name, c := range map[string]struct {
			f    store.DeliveryFilter
			want []feedonce.DeliveryID
		}{
			"all":         {store.DeliveryFilter{}, []feedonce.DeliveryID{put[3], put[2], put[1], put[0]}},
			"a page":      {store.DeliveryFilter{Limit: 2}, []feedonce.DeliveryID{put[3], put[2]}},
			"the next":    {store.DeliveryFilter{Limit: 2, Before: put[2]}, []feedonce.DeliveryID{put[1], put[0]}},
			"destination": {store.DeliveryFilter{Destination: b}, []feedonce.DeliveryID{put[3]}},
			"state":       {store.DeliveryFilter{State: feedonce.DeliveryHeld}, []feedonce.DeliveryID{put[2]}},
			"entry":       {store.DeliveryFilter{Entry: feedonce.EntryID(entries[1].ID)}, []feedonce.DeliveryID{put[1]}},
			"feed":        {store.DeliveryFilter{Feed: feed.ID}, []feedonce.DeliveryID{put[2], put[1], put[0]}},
			"brake":       {store.DeliveryFilter{Brake: 7}, []feedonce.DeliveryID{put[2]}},
			"none":        {store.DeliveryFilter{Destination: b, Brake: 7}, nil},
		} {
			got := ids(read(t, s, func(tx *store.Tx) ([]feedonce.Delivery, error) { return tx.Deliveries(c.f) }))
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: %v, want %v", name, got, c.want)
			}
		}
		counts := read(t, s, func(tx *store.Tx) (map[feedonce.DestinationID]map[feedonce.DeliveryState]int64, error) {
			return tx.DeliveryCounts()
		})
		if diff := cmp.Diff(map[feedonce.DestinationID]map[feedonce.DeliveryState]int64{
			a: {feedonce.DeliveryPending: 2, feedonce.DeliveryHeld: 1}, b: {feedonce.DeliveryPending: 1}}, counts); diff != "" {
			t.Error("counts (-want +got):\n" + diff)
		}
		if err := fails(t, s, func(tx *store.Tx) error { _, err := tx.Delivery(4711); return err }); !errors.Is(err, feedonce.ErrNotFound) {
			t.Errorf("a delivery that is not there: %v", err)
		}
	})
}

func TestDueDeliveries(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		id, other := addDestination(t, s, "d"), addDestination(t, s, "other")
		next := func() string {
			due, ok, err := time.Time{}, false, error(nil)
			update(t, s, func(tx *store.Tx) error {
				due, ok, err = tx.NextDelivery(id)
				return err
			})
			return fmt.Sprint(due.Sub(start), ok)
		}
		if got := read(t, s, func(tx *store.Tx) (bool, error) { _, ok, err := tx.NextDelivery(id); return ok, err }); got {
			t.Error("an empty queue has a next delivery")
		}
		var rows []feedonce.Delivery
		for i, minutes := range []int{2, 1, 1, 90, 0} {
			d := delivery(id, feedonce.EntryID(i+1))
			d.Due = start.Add(time.Duration(minutes) * time.Minute)
			rows = append(rows, d)
		}
		rows[2].State = feedonce.DeliveryRetry
		rows[4].State = feedonce.DeliveryHeld
		put := putDeliveries(t, s, append(rows, delivery(other, 1))...)
		due := read(t, s, func(tx *store.Tx) ([]feedonce.Delivery, error) { return tx.DueDeliveries(id, start.Add(time.Hour), 10) })
		if want := []feedonce.DeliveryID{put[1], put[2], put[0]}; !slices.Equal(ids(due), want) {
			t.Errorf("due %v, want %v", ids(due), want)
		}
		if got := next(); got != "1m0s true" {
			t.Errorf("next %s", got)
		}
	})
}

func TestAttempts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		id := addDestination(t, s, "d")
		row := putDeliveries(t, s, delivery(id, 1))[0]
		l := leaseDestination(t, s, id, start)
		if n := startAttempt(t, s, id, l.Fence, false, row); n != 0 {
			t.Errorf("a message of its own has batch %d", n)
		}
		if d := deliveryOf(t, s, row); d.State != feedonce.DeliverySending || d.Attempts != 1 {
			t.Errorf("started: %+v", d)
		}
		// What is being sent is not started again.
		err := fails(t, s, func(tx *store.Tx) error {
			_, err := tx.StartAttempt(id, l.Fence, []feedonce.DeliveryID{row}, false, start)
			return err
		})
		if !errors.Is(err, feedonce.ErrConflict) {
			t.Errorf("started twice: %v", err)
		}
		at := start.Add(time.Minute)
		f := finished(id, l.Fence, feedonce.DeliveryRetry, at, row)
		f.Status, f.Error, f.Excerpt, f.Due = 503, "busy \x00\xff", "try later", at.Add(time.Hour)
		update(t, s, func(tx *store.Tx) error { return tx.FinishAttempt(f) })
		d := deliveryOf(t, s, row)
		if d.State != feedonce.DeliveryRetry || !d.Due.Equal(at.Add(time.Hour)) || !d.Done.IsZero() || d.Note != "a note" {
			t.Errorf("failed: %+v", d)
		}
		// The second is given up; a person has it sent again, with all its attempts before it and none forgotten.
		startAttempt(t, s, id, l.Fence, false, row)
		update(t, s, func(tx *store.Tx) error {
			return tx.FinishAttempt(finished(id, l.Fence, feedonce.DeliveryDead, at, row))
		})
		if d := deliveryOf(t, s, row); d.Attempts != 2 || !d.Done.Equal(at) {
			t.Errorf("given up: %+v", d)
		}
		move := func(from []feedonce.DeliveryState, to feedonce.DeliveryState) int64 {
			var n int64
			update(t, s, func(tx *store.Tx) (err error) {
				n, err = tx.SetDeliveries([]feedonce.DeliveryID{row, 4711}, from, to, at.Add(time.Minute), "a person said so")
				return err
			})
			return n
		}
		if n := move([]feedonce.DeliveryState{feedonce.DeliveryPending, feedonce.DeliveryHeld}, feedonce.DeliverySkipped); n != 0 {
			t.Errorf("%d deliveries moved from a state they are not in", n)
		}
		if n := move([]feedonce.DeliveryState{feedonce.DeliveryUnknown, feedonce.DeliveryDead}, feedonce.DeliveryPending); n != 1 {
			t.Errorf("%d deliveries moved, want 1", n)
		}
		if d := deliveryOf(t, s, row); d.State != feedonce.DeliveryPending || d.Attempts != 0 || !d.Done.IsZero() || !d.Due.Equal(at.Add(time.Minute)) || d.Note != "a person said so" {
			t.Errorf("to be sent again: %+v", d)
		}
		startAttempt(t, s, id, l.Fence, false, row)
		update(t, s, func(tx *store.Tx) error {
			return tx.FinishAttempt(finished(id, l.Fence, feedonce.DeliverySent, at.Add(time.Hour), row))
		})
		// What is finished is not finished again.
		update(t, s, func(tx *store.Tx) error {
			return tx.FinishAttempt(finished(id, l.Fence, feedonce.DeliveryDead, at, row))
		})
		if d := deliveryOf(t, s, row); d.State != feedonce.DeliverySent || d.Attempts != 1 {
			t.Errorf("sent: %+v", d)
		}
		want := []feedonce.Attempt{
			{Delivery: row, N: 1, At: at, Took: 3 * time.Millisecond, Status: 503, Excerpt: "try later", Error: "busy \uFFFD\uFFFD"},
			{Delivery: row, N: 2, At: at, Took: 3 * time.Millisecond, Status: 200, Excerpt: "fine"},
			{Delivery: row, N: 3, At: at.Add(time.Hour), Took: 3 * time.Millisecond, Status: 200, Excerpt: "fine"},
		}
		got := read(t, s, func(tx *store.Tx) ([]feedonce.Attempt, error) { return tx.Attempts(row) })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error("attempts (-want +got):\n" + diff)
		}
	})
}

func TestBatchIsOneMessage(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		id := addDestination(t, s, "d")
		put := putDeliveries(t, s, delivery(id, 1), delivery(id, 2), delivery(id, 3))
		l := leaseDestination(t, s, id, start)
		first := startAttempt(t, s, id, l.Fence, true, put[:2]...)
		update(t, s, func(tx *store.Tx) error {
			return tx.FinishAttempt(finished(id, l.Fence, feedonce.DeliveryRetry, start, put[:2]...))
		})
		// Its number stays: it is the key by which copies are known.
		again := startAttempt(t, s, id, l.Fence, true, put[:2]...)
		other := startAttempt(t, s, id, l.Fence, true, put[2])
		if first == 0 || again != first || other == first || other == 0 {
			t.Errorf("batches %d, %d, %d", first, again, other)
		}
		if a, b := deliveryOf(t, s, put[0]), deliveryOf(t, s, put[1]); a.Batch != first || b.Batch != first || a.Attempts != 2 {
			t.Errorf("rows %+v, %+v", a, b)
		}
	})
}

func TestSkippedForAnEntry(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		var rows []feedonce.Delivery
		states := []feedonce.DeliveryState{feedonce.DeliveryPending, feedonce.DeliveryRetry, feedonce.DeliveryHeld, feedonce.DeliverySent, feedonce.DeliverySending,
			feedonce.DeliveryUnknown, feedonce.DeliveryDead}
		for i, state := range states {
			d := delivery(addDestination(t, s, fmt.Sprint(i)), 1)
			d.State = state
			rows = append(rows, d)
		}
		put := putDeliveries(t, s, append(rows, delivery(rows[0].Destination, 2))...)
		update(t, s, func(tx *store.Tx) error { return tx.SkipDeliveries(1, "merged", start.Add(time.Hour)) })
		for i, id := range put {
			d := deliveryOf(t, s, id)
			if want := i < 3; (d.State == feedonce.DeliverySkipped) != want || want && (d.Note != "merged" || !d.Done.Equal(start.Add(time.Hour))) {
				t.Errorf("delivery %d was %s, and is %+v", i, append(states, "pending")[i], d)
			}
		}
	})
}
