package demo_test

import (
	"fmt"
	"net/http/httptest"
	"net/netip"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/demo"
	"feedonce/internal/fetch"
	"feedonce/internal/poll"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// rounds is how often each publisher is polled: enough for each script to come around, and for some to come around twice.
const rounds = 14

// TestEndToEnd runs the demo's publishers through the whole engine - HTTP, fetch, format, dedup, ingest, store, poll - on
// both databases, and asserts the outcomes of every poll, and that in the end every article is there exactly once.
func TestEndToEnd(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		start := time.Date(2026, 3, 2, 6, 0, 0, 0, time.UTC)
		site := demo.NewSite(demo.Publishers(start, time.Hour))
		srv := httptest.NewServer(site)
		t.Cleanup(srv.Close)

		var clock atomic.Int64 // hours since start
		client := fetch.New(fetch.Options{AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
		t.Cleanup(client.Close)
		p := poll.New(poll.Options{
			Store: s, Client: client,
			Now: func() time.Time { return start.Add(time.Duration(clock.Load())*time.Hour + 30*time.Minute) },
		})
		for _, pub := range site.Publishers {
			t.Run(pub.Name, func(t *testing.T) {
				feed := follow(t, s, srv.URL+demo.Path(pub.Name), start)
				for round := range rounds {
					clock.Store(int64(round + 8)) // the newest of the first eight articles is half an hour old
					r, err := p.Poll(t.Context(), feed)
					if r.Status == "" {
						t.Fatalf("poll %d was not made: %v", round, err)
					}
					check(t, round, r, pub.Want(round))
				}
				checkShelf(t, s, feed, truth(pub))
				if pub.Moves {
					checkMoved(t, s, feed, srv.URL+demo.NewPath(pub.Name))
				}
			})
		}
	})
}

func follow(t *testing.T, s *store.Store, url string, now time.Time) feedonce.FeedID {
	t.Helper()
	var f feedonce.Feed
	err := s.Update(t.Context(), func(tx *store.Tx) (err error) {
		f, err = tx.AddFeed(store.NewFeed{URL: url, Added: now})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return f.ID
}

// check compares the result of a poll with what is right.
func check(t *testing.T, round int, r poll.Result, want demo.Want) {
	t.Helper()
	got := demo.Want{Status: r.Status, Counts: r.Report.Counts, Folded: want.Folded}
	if want.Folded != 0 {
		got.Folded = got.Counts.Duplicate + got.Counts.Unchanged
		got.Counts.Duplicate, got.Counts.Unchanged = 0, 0
	}
	if want.Status == poll.StatusNotModified {
		got.Counts = feedonce.Counts{} // nothing came that could be counted
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("poll %d is decided wrongly (-want +got):\n%s%s", round, diff, decisions(r))
	}
	if r.Status == poll.StatusError && r.Err == nil {
		t.Errorf("poll %d: an error without words", round)
	}
}

// decisions lists what was decided about each item of a poll.
func decisions(r poll.Result) string {
	out := ""
	if r.Err != nil {
		out = fmt.Sprintf("  error: %v\n", r.Err)
	}
	if r.Report.Result == nil || r.Report.Document == nil {
		return out
	}
	for _, d := range r.Report.Result.Decisions {
		it := r.Report.Document.Items[d.Item]
		out += fmt.Sprintf("  %-10s %-3s entry %-4d guid %q link %q %q %v %s\n", d.Outcome, d.Rule, d.Entry, it.GUID, it.Link, it.Title,
			d.Evidence.Others, d.Evidence.Note)
	}
	return out
}

// truth returns the titles of all articles a publisher served, sorted, each in its latest version.
func truth(p *demo.Publisher) []string {
	latest := map[int]string{}
	for round := range rounds {
		for k, title := range p.Edition(round).Articles {
			latest[k] = title
		}
	}
	titles := make([]string, 0, len(latest))
	for _, title := range latest {
		titles = append(titles, title)
	}
	slices.Sort(titles)
	return titles
}

// checkShelf compares the articles of a feed with the truth.
func checkShelf(t *testing.T, s *store.Store, feed feedonce.FeedID, want []string) {
	t.Helper()
	var got []string
	var n int64
	err := s.View(t.Context(), func(tx *store.Tx) error {
		entries, err := tx.Entries(store.EntryFilter{Feed: feed, Limit: 1000})
		if err != nil {
			return err
		}
		got = nil
		for _, e := range entries {
			got = append(got, e.Title)
		}
		n, err = tx.EntryCount(feed)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%d articles are shown of %d there are (-lost +repeated):\n%s", len(got), len(want), diff)
	}
	if int(n) != len(got) {
		t.Errorf("the feed counts %d articles, and lists %d", n, len(got))
	}
}

func checkMoved(t *testing.T, s *store.Store, feed feedonce.FeedID, want string) {
	t.Helper()
	var f feedonce.Feed
	err := s.View(t.Context(), func(tx *store.Tx) (err error) {
		f, err = tx.Feed(feed)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if f.URL != want {
		t.Errorf("the feed moved for good to %s, and is polled at %s still", want, f.URL)
	}
}
