package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

func TestClaimMovesTheSchedule(t *testing.T) {
	hour, minute := time.Hour, time.Minute
	for _, c := range []struct {
		name     string
		schedule feedonce.Schedule
		want     time.Duration // from the claim to the next poll
	}{
		{"by the interval", feedonce.Schedule{Interval: 20 * minute}, 20 * minute},
		{"at least the floor", feedonce.Schedule{Interval: 20 * minute, Floor: hour}, hour},
		{"no sooner for a low floor", feedonce.Schedule{Interval: 20 * minute, Floor: minute}, 20 * minute},
		{"stretched by a tenth of the silence", feedonce.Schedule{Interval: 20 * minute, LastNew: start.Add(-50 * hour)}, 5 * hour},
		{"not shortened by news", feedonce.Schedule{Interval: 20 * minute, LastNew: start}, 20 * minute},
		{"at most a day for silence", feedonce.Schedule{Interval: 20 * minute, LastNew: start.AddDate(-1, 0, 0)}, 24 * hour},
		{"at most a day for a floor", feedonce.Schedule{Interval: 20 * minute, Floor: 1000 * hour}, 24 * hour},
		{"news from the future", feedonce.Schedule{Interval: 20 * minute, LastNew: start.Add(hour)}, 20 * minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, s *store.Store) {
				f := addFeed(t, s, "https://example.com/feed")
				update(t, s, func(tx *store.Tx) error { return tx.SetSchedule(f.ID, c.schedule) })
				claims := claim(t, s, start, 10, 2*minute)
				if len(claims) != 1 {
					t.Fatalf("%d claims, want 1", len(claims))
				}
				want := c.schedule
				want.LastPoll, want.NextPoll = start, start.Add(c.want)
				if diff := cmp.Diff(want, claims[0].Feed.Schedule); diff != "" {
					t.Errorf("schedule after the claim (-want +got):\n%s", diff)
				}
				// A manual poll moves it in the same way.
				update(t, s, func(tx *store.Tx) error {
					m, err := tx.ClaimFeed(start, f.ID)
					if err == nil && (m.Fence != 0 || !m.Feed.Schedule.NextPoll.Equal(want.NextPoll)) {
						t.Errorf("manual claim has fence %d, next poll %v; want 0, %v", m.Fence, m.Feed.Schedule.NextPoll, want.NextPoll)
					}
					return err
				})
			})
		})
	}
}

func TestClaimTakesTheMostOverdueThatAreFree(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		var ids []feedonce.FeedID
		for i := range 6 {
			f := addFeed(t, s, fmt.Sprintf("https://%d.example/feed", i))
			ids = append(ids, f.ID)
			update(t, s, func(tx *store.Tx) error {
				return tx.SetSchedule(f.ID, feedonce.Schedule{NextPoll: start.Add(time.Duration(i-4) * time.Minute), Interval: 5 * time.Minute})
			})
		}
		update(t, s, func(tx *store.Tx) error {
			if err := tx.SetFeedState(ids[0], feedonce.FeedPaused); err != nil {
				return err
			}
			return tx.SetFeedState(ids[1], feedonce.FeedGone)
		})
		got := func(claims []store.Claim) (ids []feedonce.FeedID) {
			for _, c := range claims {
				ids = append(ids, c.Feed.ID)
			}
			return ids
		}
		if diff := cmp.Diff(ids[2:4], got(claim(t, s, start, 2, time.Hour))); diff != "" {
			t.Errorf("first claim (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(ids[4:5], got(claim(t, s, start, 9, time.Hour))); diff != "" {
			t.Errorf("second claim (-want +got):\n%s", diff)
		}
		if due := read(t, s, (*store.Tx).NextDue); !due.Equal(start.Add(time.Minute)) {
			t.Errorf("next due %v, want %v", due, start.Add(time.Minute))
		}
		// Due again, but leased for an hour: only the one that was never claimed.
		later := start.Add(10 * time.Minute)
		if diff := cmp.Diff(ids[5:6], got(claim(t, s, later, 9, time.Hour))); diff != "" {
			t.Errorf("third claim (-want +got):\n%s", diff)
		}
		if due := read(t, s, (*store.Tx).NextDue); !due.Equal(start.Add(time.Hour)) {
			t.Errorf("next due %v, want the end of the first lease %v", due, start.Add(time.Hour))
		}
		// Resumed feeds are due at once.
		update(t, s, func(tx *store.Tx) error { return tx.SetFeedState(ids[0], feedonce.FeedActive) })
		if diff := cmp.Diff(ids[0:1], got(claim(t, s, later, 9, time.Hour))); diff != "" {
			t.Errorf("claim after resuming (-want +got):\n%s", diff)
		}
	})
}

func TestLeases(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		f := addFeed(t, s, "https://example.com/feed")
		update(t, s, func(tx *store.Tx) error {
			return tx.SetSchedule(f.ID, feedonce.Schedule{Interval: 5 * time.Minute})
		})
		update(t, s, func(tx *store.Tx) error { return tx.Touch(f.ID, 0, `"e"`, "m", []byte{1, 2}) })
		first := claim(t, s, start, 9, 10*time.Minute)[0]
		if first.ETag != `"e"` || first.LastModified != "m" || string(first.BodyHash) != "\x01\x02" {
			t.Errorf("claim has validators %q, %q, %x", first.ETag, first.LastModified, first.BodyHash)
		}
		if again := claim(t, s, start.Add(10*time.Minute-time.Microsecond), 9, time.Minute); again != nil {
			t.Fatalf("claimed while leased: %+v", again)
		}
		second := claim(t, s, start.Add(10*time.Minute), 9, 10*time.Minute)
		if len(second) != 1 || second[0].Fence <= first.Fence {
			t.Fatalf("after the lease's end: %+v, want a claim with a fence above %d", second, first.Fence)
		}

		d := newDocument(t, s, f.ID, start.Add(11*time.Minute))
		d.create(full("stale"))
		d.in.Fence = first.Fence
		before := storetest.Rows(t, s)
		if err := d.apply(s); !errors.Is(err, feedonce.ErrFenced) {
			t.Errorf("Apply with the old lease: %v, want ErrFenced", err)
		}
		err := s.Update(ctx, func(tx *store.Tx) error { return tx.Failed(f.ID, first.Fence, start, "stale", start) })
		if !errors.Is(err, feedonce.ErrFenced) {
			t.Errorf("Failed with the old lease: %v, want ErrFenced", err)
		}
		if diff := cmp.Diff(before, storetest.Rows(t, s)); diff != "" {
			t.Errorf("the stale worker left rows (-before +after):\n%s", diff)
		}
		if got := feedOf(t, s, f.ID); got.Error != "" || !got.LastOK.IsZero() {
			t.Errorf("the stale worker changed the feed: %+v", got)
		}
		// It cannot give back the lease of the other either.
		update(t, s, func(tx *store.Tx) error { return tx.Release(map[feedonce.FeedID]int64{f.ID: first.Fence}) })
		if again := claim(t, s, start.Add(16*time.Minute), 9, time.Minute); again != nil {
			t.Fatalf("claimed while leased: %+v", again)
		}

		d = newDocument(t, s, f.ID, start.Add(12*time.Minute))
		d.create(full("good"))
		d.in.Fence = second[0].Fence
		d.mustApply(s)
		update(t, s, func(tx *store.Tx) error { return tx.Release(map[feedonce.FeedID]int64{f.ID: second[0].Fence}) })
		third := claim(t, s, start.Add(16*time.Minute), 9, time.Minute)
		if len(third) != 1 || third[0].Fence <= second[0].Fence {
			t.Fatalf("after the lease was given back: %+v", third)
		}
		if got := third[0].Feed.Schedule.LastNew; !got.Equal(start.Add(12 * time.Minute)) {
			t.Errorf("last new article %v, want when the document with one came", got)
		}
	})
}

func TestFailedAndRecovered(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := addFeed(t, s, "https://example.com/feed")
		c := claim(t, s, start, 1, time.Hour)[0]
		next := start.Add(7 * time.Minute)
		update(t, s, func(tx *store.Tx) error { return tx.Failed(f.ID, c.Fence, start, "the server said \x00 no", next) })
		update(t, s, func(tx *store.Tx) error { return tx.Failed(f.ID, 0, start.Add(time.Second), "again", next) })
		got := feedOf(t, s, f.ID)
		if got.Error != "again" || got.Errors != 2 || !got.ErrorAt.Equal(start.Add(time.Second)) || !got.Schedule.NextPoll.Equal(next) {
			t.Errorf("after two failures: %+v", got)
		}
		if claims := claim(t, s, next, 1, time.Hour); len(claims) != 1 {
			t.Errorf("the failed poll kept its lease")
		}
		update(t, s, func(tx *store.Tx) error { return tx.Recovered(f.ID) })
		if got := feedOf(t, s, f.ID); got.Error != "" || got.Errors != 0 || !got.ErrorAt.IsZero() {
			t.Errorf("after recovery: %+v", got)
		}
		// A document that was stored clears the error too.
		update(t, s, func(tx *store.Tx) error { return tx.Failed(f.ID, 0, start, "third", next) })
		d := newDocument(t, s, f.ID, start)
		d.in.Title, d.in.Format, d.in.Warning = "Title", "atom 1.0", "truncated"
		d.mustApply(s)
		got = feedOf(t, s, f.ID)
		if got.Error != "" || got.Errors != 0 || got.Title != "Title" || got.Format != "atom 1.0" || got.Warning != "truncated" ||
			!got.FirstOK.Equal(start) || !got.LastOK.Equal(start) {
			t.Errorf("after a document: %+v", got)
		}
		// A paused feed stays paused, whatever is learned about when to poll it.
		update(t, s, func(tx *store.Tx) error {
			if err := tx.SetFeedState(f.ID, feedonce.FeedPaused); err != nil {
				return err
			}
			if err := tx.SetSchedule(f.ID, feedonce.Schedule{NextPoll: start}); err != nil {
				return err
			}
			if _, err := tx.ClaimFeed(start, f.ID); err != nil {
				return err
			}
			return tx.Failed(f.ID, 0, start, "x", start)
		})
		if got := feedOf(t, s, f.ID); !got.Schedule.NextPoll.IsZero() || got.State != feedonce.FeedPaused {
			t.Errorf("paused feed is due at %v, state %s", got.Schedule.NextPoll, got.State)
		}
	})
}

// TestWorkersShareFeeds lets several workers, each with its own connections, claim until nothing is due.
func TestWorkersShareFeeds(t *testing.T) {
	storetest.EachDSN(t, func(t *testing.T, dsn string) {
		const feeds, workers = 200, 6
		s := storetest.Open(t, dsn)
		update(t, s, func(tx *store.Tx) error {
			for i := range feeds {
				if _, err := tx.AddFeed(store.NewFeed{URL: fmt.Sprintf("https://%d.example/feed", i), Added: start}); err != nil {
					return err
				}
			}
			return nil
		})
		var mu sync.Mutex
		times := map[feedonce.FeedID]int{}
		var wg sync.WaitGroup
		for range workers {
			own := storetest.Open(t, dsn)
			wg.Go(func() {
				for {
					var claims []store.Claim
					err := own.Update(context.Background(), func(tx *store.Tx) (err error) {
						claims, err = tx.Claim(start, 7, time.Minute)
						return err
					})
					if err != nil {
						t.Errorf("claim: %v", err)
						return
					}
					if len(claims) == 0 {
						return
					}
					mu.Lock()
					for _, c := range claims {
						times[c.Feed.ID]++
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		for id, n := range times {
			if n != 1 {
				t.Errorf("feed %d was claimed %d times", id, n)
			}
		}
		// skip locked passes over what another worker holds at that moment; nothing may be left in the end.
		if left := claim(t, s, start, feeds, time.Minute); len(times)+len(left) != feeds {
			t.Errorf("%d feeds claimed and %d left, want %d together", len(times), len(left), feeds)
		}
	})
}
