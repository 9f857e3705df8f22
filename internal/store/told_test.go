package store_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

func TestRestoredDatabase(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed, entries := stored(t, s, 1)
		seq := newDocument(t, s, feed.ID, start).in.Seq
		update(t, s, func(tx *store.Tx) error { return tx.Touch(feed.ID, seq, `"etag"`, "yesterday", []byte("hash")) })
		to := addDestination(t, s, "d")
		states := map[feedonce.DeliveryState]feedonce.DeliveryState{
			feedonce.DeliveryPending: feedonce.DeliveryUnknown, feedonce.DeliveryRetry: feedonce.DeliveryUnknown, feedonce.DeliverySending: feedonce.DeliveryUnknown,
			feedonce.DeliverySent: feedonce.DeliverySent, feedonce.DeliveryHeld: feedonce.DeliveryHeld, feedonce.DeliverySkipped: feedonce.DeliverySkipped,
			feedonce.DeliveryDead: feedonce.DeliveryDead,
		}
		rows := map[feedonce.DeliveryState]feedonce.DeliveryID{}
		for state := range states {
			d := delivery(to, feedonce.EntryID(len(rows)+1))
			d.State = state
			rows[state] = putDeliveries(t, s, d)[0]
		}
		wake(t, s, to, start)
		leaseDestination(t, s, to, start)
		update(t, s, func(tx *store.Tx) error { return tx.MarkRestored(start.Add(time.Minute)) })
		for was, want := range states {
			d := deliveryOf(t, s, rows[was])
			if d.State != want || want == feedonce.DeliveryUnknown && !strings.Contains(d.Note, "restored from a backup on 2026-03-01 12:01:00 UTC") {
				t.Errorf("what was %s is %+v, want %s", was, d, want)
			}
		}
		doc := read(t, s, func(tx *store.Tx) (store.FeedDoc, error) { return tx.FeedDoc(feed.ID) })
		if !doc.Restored || doc.ETag != "" || doc.LastModified != "" || doc.BodyHash != nil {
			t.Errorf("the feed's document: %+v", doc)
		}
		// Another process's lease is from another time: the queue can be worked at once.
		leaseDestination(t, s, to, start.Add(time.Minute))

		// The next document is the last that is told to nobody.
		d := newDocument(t, s, feed.ID, start.Add(time.Hour))
		d.change(entries[0], full("changed"))
		d.mustApply(s)
		if doc := read(t, s, func(tx *store.Tx) (store.FeedDoc, error) { return tx.FeedDoc(feed.ID) }); doc.Restored {
			t.Error("the document after the restore left its mark")
		}
	})
}

func TestInstanceIsForEver(t *testing.T) {
	seen := map[string]bool{}
	storetest.EachDSN(t, func(t *testing.T, dsn string) {
		var first string
		for range 2 {
			s, err := store.Open(context.Background(), dsn)
			if err != nil {
				t.Fatal(err)
			}
			name := read(t, s, func(tx *store.Tx) (string, error) { return tx.Instance() })
			if len(name) < 20 || first != "" && name != first {
				t.Errorf("the instance is %q, was %q", name, first)
			}
			first = name
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		if seen[first] {
			t.Errorf("two databases are called %q", first)
		}
		seen[first] = true
	})
}

func TestFacts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		fact := func(tx *store.Tx) (string, error) { return tx.Fact("colour") }
		if err := fails(t, s, func(tx *store.Tx) error { _, err := fact(tx); return err }); !errors.Is(err, feedonce.ErrNotFound) {
			t.Errorf("a fact that nobody stated: %v", err)
		}
		for _, value := range []string{"blue", "blue", "", "red"} {
			update(t, s, func(tx *store.Tx) error { return tx.SetFact("colour", value) })
			if got := read(t, s, fact); got != value {
				t.Errorf("%q, want %q", got, value)
			}
		}
	})
}

func TestBrakesAndNotices(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		add := func(feed feedonce.FeedID, n int) (id int64) {
			update(t, s, func(tx *store.Tx) (err error) {
				id, err = tx.AddBrake(feedonce.Brake{Feed: feed, At: start, Count: n, Usual: 1.5, State: feedonce.BrakeOpen})
				return err
			})
			return id
		}
		first, second := add(1, 30), add(2, 40)
		brakes := func(open bool) []feedonce.Brake {
			return read(t, s, func(tx *store.Tx) ([]feedonce.Brake, error) { return tx.Brakes(open, 0) })
		}
		want := feedonce.Brake{ID: first, Feed: 1, At: start, Count: 30, Usual: 1.5, State: feedonce.BrakeOpen}
		if all := brakes(true); len(all) != 2 || all[0].ID != second || all[1] != want {
			t.Errorf("open: %+v", all)
		}
		at := start.Add(time.Hour)
		update(t, s, func(tx *store.Tx) error { return tx.CloseBrake(first, feedonce.BrakeDigested, "kim", at) })
		want.State, want.Who, want.Closed = feedonce.BrakeDigested, "kim", at
		if b := read(t, s, func(tx *store.Tx) (feedonce.Brake, error) { return tx.Brake(first) }); b != want {
			t.Errorf("closed: %+v", b)
		}
		if err := fails(t, s, func(tx *store.Tx) error { return tx.CloseBrake(first, feedonce.BrakeReleased, "sam", at) }); !errors.Is(err, feedonce.ErrConflict) {
			t.Errorf("closed twice: %v", err)
		}
		if err := fails(t, s, func(tx *store.Tx) error { _, err := tx.Brake(4711); return err }); !errors.Is(err, feedonce.ErrNotFound) {
			t.Errorf("a brake that is not there: %v", err)
		}
		if open, all := brakes(true), brakes(false); len(open) != 1 || open[0].ID != second || len(all) != 2 {
			t.Errorf("open %+v, all %+v", open, all)
		}

		n := feedonce.Notice{At: start, Kind: "flood", Feed: 1, Destination: 2, Text: "Look."}
		update(t, s, func(tx *store.Tx) (err error) {
			if _, err := tx.AddNotice(feedonce.Notice{At: start, Kind: "destination", Text: "Before."}); err != nil {
				return err
			}
			n.ID, err = tx.AddNotice(n)
			return err
		})
		if all := read(t, s, func(tx *store.Tx) ([]feedonce.Notice, error) { return tx.Notices(1) }); len(all) != 1 || all[0] != n {
			t.Errorf("notices: %+v", all)
		}
	})
}

func TestOutputsAreKept(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		want := feedonce.Output{Name: "Everything", Token: []byte{1, 0, 255}, Created: start,
			Selection: feedonce.Selection{Folder: "News", Search: "a b", Scope: feedonce.ScopeFeed, Also: true, Limit: 7}}
		hash := sha256.Sum256([]byte("token"))
		update(t, s, func(tx *store.Tx) (err error) {
			want.ID, err = tx.AddOutput(want, hash)
			return err
		})
		for name, f := range map[string]func(tx *store.Tx) (feedonce.Output, error){
			"by ID":   func(tx *store.Tx) (feedonce.Output, error) { return tx.Output(want.ID) },
			"by name": func(tx *store.Tx) (feedonce.Output, error) { return tx.OutputByName(want.Name) },
			"by hash": func(tx *store.Tx) (feedonce.Output, error) { return tx.OutputByHash(hash) },
		} {
			if diff := cmp.Diff(want, read(t, s, f)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
		var invalid *feedonce.InvalidError
		if err := fails(t, s, func(tx *store.Tx) error { _, err := tx.AddOutput(want, [32]byte{1}); return err }); !errors.As(err, &invalid) || invalid.Field != "name" {
			t.Errorf("a name for the second time: %v", err)
		}
		want.Name, want.Selection = "Less", feedonce.Selection{Feed: 3}
		other := sha256.Sum256([]byte("another"))
		update(t, s, func(tx *store.Tx) error {
			return errors.Join(tx.SetOutput(want), tx.SetOutputToken(want.ID, []byte{9}, other))
		})
		want.Token = []byte{9}
		all := read(t, s, func(tx *store.Tx) ([]feedonce.Output, error) { return tx.Outputs() })
		if diff := cmp.Diff([]feedonce.Output{want}, all); diff != "" {
			t.Error("changed (-want +got):\n" + diff)
		}
		if err := fails(t, s, func(tx *store.Tx) error { _, err := tx.OutputByHash(hash); return err }); !errors.Is(err, feedonce.ErrNotFound) {
			t.Errorf("its old address: %v", err)
		}
		update(t, s, func(tx *store.Tx) error { return tx.RemoveOutput(want.ID) })
		if err := fails(t, s, func(tx *store.Tx) error { return tx.RemoveOutput(want.ID) }); !errors.Is(err, feedonce.ErrNotFound) {
			t.Errorf("removed twice: %v", err)
		}
	})
}
