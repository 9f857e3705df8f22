package store_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

func TestHealth(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		version := read(t, s, func(tx *store.Tx) (int64, error) { return tx.SchemaVersion() })
		if version < 3 {
			t.Errorf("schema version %d", version)
		}
		if faults := read(t, s, func(tx *store.Tx) ([]string, error) { return tx.Faults() }); len(faults) > 0 {
			t.Errorf("faults of a database that is whole: %q", faults)
		}
		clock := read(t, s, func(tx *store.Tx) (time.Time, error) { return tx.ServerTime() })
		if clock.IsZero() != (s.Dialect() == "sqlite") {
			t.Errorf("time of the server: %v", clock)
		}

		// Leases that end beyond a moment, and until when.
		moment := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
		leased := func() (n int, last time.Time) {
			t.Helper()
			err := s.View(ctx, func(tx *store.Tx) (err error) {
				n, last, err = tx.LeasedBeyond(moment)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return n, last
		}
		if n, last := leased(); n != 0 || !last.IsZero() {
			t.Errorf("no feed: %d leased until %v", n, last)
		}
		err := s.Update(ctx, func(tx *store.Tx) error {
			for i, until := range []time.Duration{0, time.Second, time.Hour} {
				f, err := tx.AddFeed(store.NewFeed{URL: "https://example.org/" + string(rune('a'+i)), Added: moment})
				if err != nil {
					return err
				}
				if _, err := tx.Exec("update feed_schedule set lease_until = $2 where feed_id = $1", f.ID, moment.Add(until).UnixMicro()); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if n, last := leased(); n != 2 || !last.Equal(moment.Add(time.Hour)) {
			t.Errorf("%d leased until %v, want 2 until %v", n, last, moment.Add(time.Hour))
		}
	})
}

// Rows that refer to nothing are a fault of the file. SQLite lets them be made where references are not looked after.
func TestFaultsOfAFile(t *testing.T) {
	s := storetest.Open(t, storetest.SQLite(t))
	ctx := context.Background()
	conn, err := s.DB().Writer().Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"pragma foreign_keys = off",
		"insert into story_members (entry_id, story_id, feed_id, kind, at, told, rule, joined, evidence) values (1, 1, 1, 'member', 1, 0, '', 0, '')",
		"pragma foreign_keys = on",
	} {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	got := read(t, s, func(tx *store.Tx) ([]string, error) { return tx.Faults() })
	if want := []string{"rows of story_members refer to nothing"}; !slices.Equal(got, want) {
		t.Errorf("faults: %q, want %q", got, want)
	}
}
