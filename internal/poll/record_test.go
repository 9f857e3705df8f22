package poll

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// What is remembered of polls: every one in the counts and in the feed's row, and those that stored something or failed one
// by one.
func TestPollsAreRemembered(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		site, clock := newPublisher(t), newClock()
		p := New(options(t, s, clock))
		site.serve("/feed", "")
		id := addFeed(t, s, site.URL+"/feed", clock.Now())
		refused := func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusForbidden) }
		edited := stories(0, 11)
		edited[4].text = "<p>The ship that was said to have come in was a different one.</p>"
		var failedAt time.Time
		for _, step := range []struct {
			page   http.HandlerFunc
			status string
			writes int64 // rows of polls
		}{
			{document(rss("1", "", stories(0, 10)), `"1"`), StatusNew, 1},
			{document(rss("1", "", stories(0, 10)), `"1"`), StatusNotModified, 0},
			{document(rss("1", "", stories(0, 10)), ""), StatusUnchanged, 0}, // the same bytes
			{document(rss("2", "", stories(0, 10)), ""), StatusUnchanged, 0},
			{refused, StatusError, 1},
			{document(rss("2", "", stories(0, 11)), ""), StatusNew, 1},
			{document(rss("3", "", edited), ""), StatusChanged, 1},
		} {
			clock.advance(time.Minute)
			site.page("/feed", step.page)
			before := storetest.Rows(t, s)["polls"]
			res, _ := p.Poll(context.Background(), id)
			if res.Status != step.status {
				t.Fatalf("%s, want %s: %v", res.Status, step.status, res.Err)
			}
			if n := storetest.Rows(t, s)["polls"] - before; n != step.writes {
				t.Errorf("%s: %d polls stored, want %d", step.status, n, step.writes)
			}
			if res.Status == StatusError {
				failedAt = clock.Now()
			}
		}

		var views map[feedonce.FeedID]store.FeedView
		var kept []store.Poll
		var stored map[time.Time]store.HourCounts
		look := func() {
			view(t, s, func(tx *store.Tx) (err error) {
				if views, err = tx.FeedViews([]feedonce.FeedID{id}); err != nil {
					return err
				}
				if kept, err = tx.Polls(id); err != nil {
					return err
				}
				stored, err = tx.HourCounts(monday)
				return err
			})
		}
		look()
		const n, c, f, o = store.PollNew, store.PollChanged, store.PollFailed, store.PollNothing
		if diff := cmp.Diff([]store.PollOutcome{n, o, o, o, f, n, c}, views[id].Recent.Outcomes()); diff != "" {
			t.Errorf("the last polls (-want +got):\n%s", diff)
		}
		var outcomes []store.PollOutcome
		for _, k := range kept {
			outcomes = append(outcomes, k.Outcome)
		}
		if diff := cmp.Diff([]store.PollOutcome{c, n, f, n}, outcomes); diff != "" {
			t.Fatalf("the polls kept (-want +got):\n%s", diff)
		}
		if k := kept[2]; !k.At.Equal(failedAt) || k.Status != http.StatusForbidden || k.ErrorKind != "status" || k.Error == "" {
			t.Errorf("the failed poll is kept as %+v", k)
		}
		if k := kept[0]; k.Status != http.StatusOK || k.Wire == 0 || k.Counts != (feedonce.Counts{Updated: 1, Unchanged: 10}) {
			t.Errorf("the poll that brought an edit is kept as %+v", k)
		}

		// Counted, and stored when the hour is over.
		want := store.HourCounts{
			store.PollsNew: 2, store.PollsNotModified: 1, store.PollsSameBytes: 1, store.PollsUnchanged: 1, store.PollsFailed: 1, store.PollsChanged: 1,
			store.In(store.LagBuckets, clock.Now().Add(-time.Minute).Sub(stories(0, 11)[10].published)): 1,
		}
		counted := p.Uncounted()
		if len(counted) != 1 || len(stored) != 0 {
			t.Fatalf("counts of %d hours wait, of %d are stored", len(counted), len(stored))
		}
		if diff := cmp.Diff(want, counted[0].Polls); diff != "" {
			t.Errorf("counted (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(map[feedonce.FeedID]feedonce.Counts{id: {Unchanged: 20}}, counted[0].Feeds); diff != "" {
			t.Errorf("arrivals counted (-want +got):\n%s", diff)
		}
		if err := p.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
		look()
		if diff := cmp.Diff(map[time.Time]store.HourCounts{counted[0].Hour: want}, stored); diff != "" {
			t.Errorf("stored (-want +got):\n%s", diff)
		}
		if left := p.Uncounted(); len(left) != 0 {
			t.Errorf("counted twice: %+v", left)
		}
	})
}

// A worker counts how late it is; a poll that somebody asked for is not late.
func TestLateness(t *testing.T) {
	for _, c := range []struct {
		late time.Duration
		want store.HourCounts
	}{
		{-1, store.HourCounts{store.PollsNotModified: 1}},
		{0, store.HourCounts{store.PollsNotModified: 1, "late: 10 s": 1}},
		{10*time.Second + 1, store.HourCounts{store.PollsNotModified: 1, "late: 1 min": 1}},
		{24 * time.Hour, store.HourCounts{store.PollsNotModified: 1, "late: more": 1}},
	} {
		if diff := cmp.Diff(c.want, measured(Result{Status: StatusNotModified}, c.late)); diff != "" {
			t.Errorf("%v late (-want +got):\n%s", c.late, diff)
		}
	}
	for _, kind := range []string{"stopped", "fenced", "removed"} {
		if got := measured(Result{Status: StatusError, Err: &failure{kind: kind}}, 0); len(got) != 0 {
			t.Errorf("a poll that was %s counts as %v", kind, got)
		}
	}
}
