package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

func recentOf(t *testing.T, s *store.Store, id feedonce.FeedID) []store.PollOutcome {
	t.Helper()
	views := read(t, s, func(tx *store.Tx) (map[feedonce.FeedID]store.FeedView, error) {
		return tx.FeedViews([]feedonce.FeedID{id})
	})
	return views[id].Recent.Outcomes()
}

// The row of a feed holds its last 20 polls, and a claim that was given back is none of them.
func TestRecentPolls(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		id := addFeed(t, s, "https://example.com/feed").ID
		now := start
		poll := func(f func(tx *store.Tx, c store.Claim) error) {
			t.Helper()
			now = now.Add(48 * time.Hour)
			claims := claim(t, s, now, 10, time.Minute)
			if len(claims) != 1 {
				t.Fatalf("%d claims", len(claims))
			}
			if f != nil {
				update(t, s, func(tx *store.Tx) error { return f(tx, claims[0]) })
			}
		}
		if got := recentOf(t, s, id); len(got) != 0 {
			t.Errorf("a feed that was not polled has polls: %v", got)
		}
		poll(nil)
		poll(func(tx *store.Tx, c store.Claim) error { return tx.Failed(id, c.Fence, now, "no", now.Add(time.Hour)) })
		poll(func(tx *store.Tx, _ store.Claim) error { return tx.Polled(id, feedonce.Schedule{}, store.PollNew) })
		poll(func(tx *store.Tx, _ store.Claim) error { return tx.Polled(id, feedonce.Schedule{}, store.PollChanged) })
		poll(func(tx *store.Tx, c store.Claim) error { return tx.GiveBack(map[feedonce.FeedID]int64{id: c.Fence}) })
		poll(func(tx *store.Tx, c store.Claim) error { return tx.Release(map[feedonce.FeedID]int64{id: c.Fence}) })
		update(t, s, func(tx *store.Tx) error { _, err := tx.ClaimFeed(now, id); return err })
		update(t, s, func(tx *store.Tx) error { return tx.SetSchedule(id, feedonce.Schedule{}) })
		const n, c, f, o = store.PollNew, store.PollChanged, store.PollFailed, store.PollNothing
		if diff := cmp.Diff([]store.PollOutcome{o, f, n, c, o, o}, recentOf(t, s, id)); diff != "" {
			t.Errorf("polls (-want +got):\n%s", diff)
		}
		var want []store.PollOutcome
		for i := range 30 {
			outcome := []store.PollOutcome{n, c, f}[i%3]
			poll(func(tx *store.Tx, _ store.Claim) error { return tx.Polled(id, feedonce.Schedule{}, outcome) })
			want = append(want, outcome)
		}
		if diff := cmp.Diff(want[10:], recentOf(t, s, id)); diff != "" {
			t.Errorf("the last 20 of more (-want +got):\n%s", diff)
		}
	})
}

// A claim says when the feed was due, for every feed of a batch.
func TestClaimSaysWhenDue(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		want := map[feedonce.FeedID]time.Time{}
		for i := range 50 {
			due := start.Add(time.Duration(-i) * time.Minute)
			update(t, s, func(tx *store.Tx) error {
				f, err := tx.AddFeed(store.NewFeed{URL: fmt.Sprintf("https://%d.example/", i), Added: due})
				want[f.ID] = due
				return err
			})
		}
		got := map[feedonce.FeedID]time.Time{}
		for _, c := range claim(t, s, start.Add(time.Hour), 100, time.Minute) {
			got[c.Feed.ID] = c.Due
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("due (-want +got):\n%s", diff)
		}
	})
}

func TestPollsAreBounded(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		id, other := addFeed(t, s, "https://example.com/feed").ID, addFeed(t, s, "https://example.org/feed").ID
		p := store.Poll{Outcome: store.PollFailed, Status: 503, Wire: 12, Took: 1500 * time.Millisecond, ErrorKind: "status", Error: "busy\x00",
			Counts: feedonce.Counts{New: 1, Updated: 2, Unchanged: 3, Duplicate: 4, Quarantined: 5, Invalid: 6}}
		for i := range 40 {
			p.At = start.Add(time.Duration(i) * time.Minute)
			update(t, s, func(tx *store.Tx) error { return tx.AddPoll(id, p) })
		}
		update(t, s, func(tx *store.Tx) error { return tx.AddPoll(other, p) })
		got := read(t, s, func(tx *store.Tx) ([]store.Poll, error) { return tx.Polls(id) })
		if len(got) != 30 {
			t.Fatalf("%d polls are kept, want the last 30", len(got))
		}
		p.Error = "busy\uFFFD"
		if diff := cmp.Diff(p, got[0]); diff != "" {
			t.Errorf("latest poll (-want +got):\n%s", diff)
		}
		update(t, s, func(tx *store.Tx) error { return tx.RemoveFeed(id) })
		if rows := storetest.Rows(t, s); rows["polls"] != 1 || rows["feed_days"] != 0 {
			t.Errorf("after the feed was removed there are %d polls, want the other feed's, and counts of %d days", rows["polls"], rows["feed_days"])
		}
	})
}
