package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"feedonce"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

func addDestination(t testing.TB, s *store.Store, name string) feedonce.DestinationID {
	t.Helper()
	var id feedonce.DestinationID
	update(t, s, func(tx *store.Tx) (err error) {
		id, err = tx.AddDestination(feedonce.Destination{Name: name, Kind: "webhook", State: feedonce.DestinationActive, Config: "{}", Created: start})
		return err
	})
	return id
}

func destination(t testing.TB, s *store.Store, id feedonce.DestinationID) feedonce.Destination {
	t.Helper()
	return read(t, s, func(tx *store.Tx) (feedonce.Destination, error) { return tx.Destination(id) })
}

// fails runs f in a transaction and returns its error, which must not be nil.
func fails(t testing.TB, s *store.Store, f func(*store.Tx) error) error {
	t.Helper()
	err := s.Update(context.Background(), f)
	if err == nil {
		t.Fatal("no error")
	}
	return err
}

func TestDestinationsAreKept(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		want := feedonce.Destination{Name: "Zoë's channel", Kind: "slack", State: feedonce.DestinationActive, Config: `{"mention":"no"}`, Secrets: []byte{0, 1, 255}, Created: start,
			Route: feedonce.Route{
				Feeds: []feedonce.FeedID{3, 1}, Folders: []string{"a/b"}, Include: []feedonce.Filter{{In: "title", RE: `^\d`}}, Exclude: []feedonce.Filter{{Text: "ad\x00\xff"}},
				Scope: feedonce.ScopeFeed, Updates: true, Notices: true, Backlog: feedonce.Backlog{Latest: 3, Since: start},
				Digest: &feedonce.Digest{Every: "day", At: "08:30", Zone: "Europe/Berlin"}, Quiet: []feedonce.Hours{{From: "22:00", To: "06:00"}},
				Rate: feedonce.Rate{PerMinute: 0.5, Burst: 2}, Unknown: feedonce.UnknownSkip,
			}}
		update(t, s, func(tx *store.Tx) (err error) {
			want.ID, err = tx.AddDestination(want)
			return err
		})
		other := addDestination(t, s, "Another")
		want.Route.Exclude[0].Text = "ad\x00\uFFFD" // JSON can say the one, and not the other
		if diff := cmp.Diff(want, destination(t, s, want.ID)); diff != "" {
			t.Error("(-want +got):\n" + diff)
		}
		if d := read(t, s, func(tx *store.Tx) (feedonce.Destination, error) { return tx.DestinationByName(want.Name) }); d.ID != want.ID {
			t.Errorf("by name: %d, want %d", d.ID, want.ID)
		}
		all := read(t, s, func(tx *store.Tx) ([]feedonce.Destination, error) { return tx.Destinations() })
		if len(all) != 2 || all[0].ID != other || all[1].ID != want.ID {
			t.Errorf("by name: %+v", all)
		}

		var invalid *feedonce.InvalidError
		if err := fails(t, s, func(tx *store.Tx) error { _, err := tx.AddDestination(want); return err }); !errors.As(err, &invalid) || invalid.Field != "name" {
			t.Errorf("a name for the second time: %v", err)
		}
		if err := fails(t, s, func(tx *store.Tx) error { return tx.SetDestination(feedonce.Destination{ID: other, Name: want.Name}) }); !errors.As(err, &invalid) {
			t.Errorf("renamed to a name that is taken: %v", err)
		}
		want.Name, want.Config, want.Secrets, want.Route = "New name", `{}`, nil, feedonce.Route{}
		update(t, s, func(tx *store.Tx) error { return tx.SetDestination(want) })
		if diff := cmp.Diff(want, destination(t, s, want.ID), cmpopts.EquateEmpty()); diff != "" {
			t.Error("changed (-want +got):\n" + diff)
		}
		routes := read(t, s, func(tx *store.Tx) ([]store.Routed, error) { return tx.ActiveRoutes() })
		if len(routes) != 2 || routes[0].ID != want.ID || routes[0].Kind != "slack" || routes[1].State != feedonce.DestinationActive {
			t.Errorf("routes: %+v", routes)
		}

		putDeliveries(t, s, delivery(want.ID, 1), delivery(other, 1))
		update(t, s, func(tx *store.Tx) error { return tx.RemoveDestination(want.ID) })
		left := read(t, s, func(tx *store.Tx) ([]feedonce.Delivery, error) { return tx.Deliveries(store.DeliveryFilter{}) })
		if len(left) != 1 || left[0].Destination != other {
			t.Errorf("deliveries of a destination that was removed: %+v", left)
		}
		for name, f := range map[string]func(*store.Tx) error{
			"read":    func(tx *store.Tx) error { _, err := tx.Destination(want.ID); return err },
			"by name": func(tx *store.Tx) error { _, err := tx.DestinationByName(want.Name); return err },
			"set":     func(tx *store.Tx) error { return tx.SetDestination(want) },
			"state": func(tx *store.Tx) error {
				return tx.SetDestinationState(want.ID, feedonce.DestinationPaused, "", start)
			},
			"remove": func(tx *store.Tx) error { return tx.RemoveDestination(want.ID) },
			"lease":  func(tx *store.Tx) error { _, err := tx.LeaseDestination(want.ID, start, start); return err },
		} {
			if err := fails(t, s, f); !errors.Is(err, feedonce.ErrNotFound) {
				t.Errorf("%s one that was removed: %v", name, err)
			}
		}
	})
}

func TestStateOfDestinations(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		id := addDestination(t, s, "d")
		at := start.Add(time.Hour)
		lease := leaseDestination(t, s, id, start)
		for range 2 {
			update(t, s, func(tx *store.Tx) error {
				return tx.SetHealth(id, lease.Fence, store.Health{Error: "503", At: at, OpenUntil: at.Add(time.Minute), NextAt: at.Add(time.Second)})
			})
		}
		d := destination(t, s, id)
		if d.Errors != 2 || d.Error != "503" || !d.ErrorAt.Equal(at) || !d.OpenUntil.Equal(at.Add(time.Minute)) {
			t.Errorf("after two failures: %+v", d)
		}
		update(t, s, func(tx *store.Tx) error {
			return tx.SetDestinationState(id, feedonce.DestinationDisabled, "410 Gone", at.Add(time.Hour))
		})
		if d := destination(t, s, id); d.State != feedonce.DestinationDisabled || d.Error != "410 Gone" || !d.ErrorAt.Equal(at.Add(time.Hour)) {
			t.Errorf("switched off: %+v", d)
		}
		update(t, s, func(tx *store.Tx) error { return tx.SetDestinationState(id, feedonce.DestinationPaused, "", at) })
		if d := destination(t, s, id); d.State != feedonce.DestinationPaused || d.Error != "410 Gone" {
			t.Errorf("paused: %+v", d)
		}
		update(t, s, func(tx *store.Tx) error { return tx.SetDestinationState(id, feedonce.DestinationActive, "", at) })
		if d := destination(t, s, id); d.Error != "" || d.Errors != 0 || !d.OpenUntil.IsZero() || !d.ErrorAt.IsZero() {
			t.Errorf("active again: %+v", d)
		}
		update(t, s, func(tx *store.Tx) error {
			return tx.SetHealth(id, lease.Fence, store.Health{OK: true, At: at, NextAt: at.Add(time.Minute)})
		})
		if d := destination(t, s, id); !d.LastOK.Equal(at) {
			t.Errorf("accepted: %+v", d)
		}
		update(t, s, func(tx *store.Tx) error { return tx.ReleaseDestination(id, lease.Fence) })
		if l := leaseDestination(t, s, id, at); !l.NextAt.Equal(at.Add(time.Minute)) {
			t.Errorf("the bucket is full at %v", l.NextAt)
		}
	})
}
