package store_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

func changes(t testing.TB, s *store.Store, after int64) []feedonce.Change {
	t.Helper()
	return read(t, s, func(tx *store.Tx) ([]feedonce.Change, error) { return tx.Changes(after, 1_000_000) })
}

func logChanges(t testing.TB, s *store.Store, all ...feedonce.Change) {
	t.Helper()
	update(t, s, func(tx *store.Tx) error {
		if err := tx.LockOrder(); err != nil {
			return err
		}
		return tx.AddChanges(all)
	})
}

func TestChangesAreKept(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		want := []feedonce.Change{
			{At: start, Kind: feedonce.ChangeCreated, Feed: 1, Entry: 2, Revision: 1},
			{At: start, Kind: feedonce.ChangeMerged, Feed: 1, Entry: 3, Other: 2, Revision: 4},
			{At: start.Add(time.Second), Kind: feedonce.ChangeUpdated, Feed: 1, Entry: 2, Revision: 2},
		}
		if n := read(t, s, func(tx *store.Tx) (int64, error) { return tx.LastChange() }); n != 0 {
			t.Errorf("the last of none is %d", n)
		}
		logChanges(t, s)
		logChanges(t, s, want[:2]...)
		logChanges(t, s, want[2])
		got := changes(t, s, 0)
		for i := range got {
			if i > 0 && got[i].Seq <= got[i-1].Seq {
				t.Errorf("%d after %d", got[i].Seq, got[i-1].Seq)
			}
			want[i].Seq = got[i].Seq
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal("(-want +got):\n" + diff)
		}
		if rest := changes(t, s, got[1].Seq); len(rest) != 1 || rest[0] != got[2] {
			t.Errorf("after %d: %+v", got[1].Seq, rest)
		}
		if page := read(t, s, func(tx *store.Tx) ([]feedonce.Change, error) { return tx.Changes(0, 2) }); len(page) != 2 || page[1] != got[1] {
			t.Errorf("a page: %+v", page)
		}
		if n := read(t, s, func(tx *store.Tx) (int64, error) { return tx.LastChange() }); n != got[2].Seq {
			t.Errorf("the last is %d, want %d", n, got[2].Seq)
		}

		cursor := func() int64 {
			return read(t, s, func(tx *store.Tx) (int64, error) { return tx.Cursor("me") })
		}
		if n := cursor(); n != 0 {
			t.Errorf("the cursor of one who never said is %d", n)
		}
		for _, seq := range []int64{2, 5, 5, 1} { // it may go back
			update(t, s, func(tx *store.Tx) error { return tx.SetCursor("me", seq, start) })
			if n := cursor(); n != seq {
				t.Errorf("cursor %d, want %d", n, seq)
			}
		}
		if n := read(t, s, func(tx *store.Tx) (int64, error) { return tx.Cursor("you") }); n != 0 {
			t.Errorf("another's cursor is %d", n)
		}
	})
}

// Whoever follows the log misses nothing: with many writers at once, whose transactions last, nothing appears below a number
// that was read.
func TestChangesAreInOrderOfCommits(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		const writers, transactions = 8, 40
		var left atomic.Int64
		left.Store(writers)
		var group sync.WaitGroup
		for w := range writers {
			group.Go(func() {
				defer left.Add(-1)
				for n := range transactions {
					err := s.Update(context.Background(), func(tx *store.Tx) error {
						if err := tx.LockOrder(); err != nil {
							return err
						}
						for part := range 2 {
							rows := make([]feedonce.Change, 1+(w+n)%3)
							for i := range rows {
								rows[i] = feedonce.Change{At: start, Kind: feedonce.ChangeCreated, Feed: feedonce.FeedID(w + 1), Entry: feedonce.EntryID(n + 1), Revision: 10*part + i}
							}
							if err := tx.AddChanges(rows); err != nil {
								return err
							}
						}
						return nil
					})
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		var followed []feedonce.Change
		for last := false; !last; {
			last = left.Load() == 0 // what was committed by now is seen by this look
			var after int64
			if len(followed) > 0 {
				after = followed[len(followed)-1].Seq
			}
			followed = append(followed, changes(t, s, after)...)
		}
		group.Wait()
		all := changes(t, s, 0)
		if !slices.IsSortedFunc(all, func(a, b feedonce.Change) int { return int(a.Seq - b.Seq) }) {
			t.Error("the log is not in order")
		}
		if len(all) == 0 || len(followed) != len(all) {
			t.Errorf("who followed the log saw %d changes of %d", len(followed), len(all))
		}
		if diff := cmp.Diff(all, followed); diff != "" {
			t.Errorf("(-the log +what was seen):\n%.2000s", diff)
		}
	})
}

func TestRemovedFeedIsWithdrawn(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed, entries := stored(t, s, 4)
		other := addFeed(t, s, "https://example.org/other")
		d := newDocument(t, s, other.ID, start)
		d.create(full("of another feed"))
		d.mustApply(s)
		kept := feedonce.EntryID(d.in.Result.Decisions[0].Entry)
		to := addDestination(t, s, "d")
		id := func(e dedup.Entry) feedonce.EntryID { return feedonce.EntryID(e.ID) }
		rows := []feedonce.Delivery{delivery(to, id(entries[0])), delivery(to, id(entries[1])), delivery(to, id(entries[2])), delivery(to, id(entries[3])), delivery(to, kept)}
		rows[1].State, rows[2].State = feedonce.DeliverySent, feedonce.DeliveryHeld
		put := putDeliveries(t, s, rows...)
		logChanges(t, s, feedonce.Change{At: start, Kind: feedonce.ChangeCreated, Feed: feed.ID, Entry: id(entries[0]), Revision: 1})
		update(t, s, func(tx *store.Tx) error { return tx.SetMerged([]feedonce.EntryID{id(entries[3])}, id(entries[0])) })
		last := read(t, s, func(tx *store.Tx) (int64, error) { return tx.LastChange() })

		w := storetest.Measure(t, s, func() {
			update(t, s, func(tx *store.Tx) error {
				if err := tx.LockOrder(); err != nil {
					return err
				}
				if err := tx.Withdraw(feed.ID, "the feed was removed", start.Add(time.Hour)); err != nil {
					return err
				}
				return tx.RemoveFeed(feed.ID)
			})
		})
		t.Log(w.Statements, "statements")
		var want []feedonce.Change
		for i, e := range entries[:3] { // the fourth was no article of its own
			want = append(want, feedonce.Change{Seq: last + 1 + int64(i), At: start.Add(time.Hour), Kind: feedonce.ChangeWithdrawn, Feed: feed.ID, Entry: id(e), Revision: 1})
		}
		if diff := cmp.Diff(want, changes(t, s, last)); diff != "" {
			t.Error("changes (-want +got):\n" + diff)
		}
		for i, state := range []feedonce.DeliveryState{feedonce.DeliverySkipped, feedonce.DeliverySent, feedonce.DeliverySkipped, feedonce.DeliverySkipped, feedonce.DeliveryPending} {
			d := deliveryOf(t, s, put[i])
			if d.State != state || state == feedonce.DeliverySkipped && (d.Note != "the feed was removed" || d.Done.IsZero()) {
				t.Errorf("delivery %d is %+v, want %s", i, d, state)
			}
		}
		// The log goes on, also where there is nothing to withdraw.
		empty := addFeed(t, s, "https://example.org/empty")
		update(t, s, func(tx *store.Tx) error {
			if err := tx.LockOrder(); err != nil {
				return err
			}
			return tx.Withdraw(empty.ID, "gone", start)
		})
		logChanges(t, s, feedonce.Change{At: start, Kind: feedonce.ChangeCreated, Feed: other.ID, Entry: kept, Revision: 1})
		if rest := changes(t, s, last+3); len(rest) != 1 {
			t.Errorf("after the removal: %v", fmt.Sprint(rest))
		}
	})
}
