package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

func TestFeedsAreAddedOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		var got feedonce.Feed
		update(t, s, func(tx *store.Tx) (err error) {
			got, err = tx.AddFeed(store.NewFeed{URL: " https://example.com/feed?a=1 ", Title: "T", SiteURL: "https://example.com/", Folder: "F", Added: start})
			return err
		})
		want := feedonce.Feed{ID: got.ID, URL: "https://example.com/feed?a=1", Title: "T", SiteURL: "https://example.com/", Folder: "F",
			State: feedonce.FeedActive, Added: start, Schedule: feedonce.Schedule{NextPoll: start, Interval: 30 * time.Minute}}
		if diff := cmp.Diff(want, got); diff != "" || got.ID <= 0 {
			t.Fatalf("feed as added (-want +got):\n%s", diff)
		}
		for _, url := range []string{"https://example.com/feed?a=1", "http://example.com/feed?a=1", "HTTPS://EXAMPLE.com:443/feed?a=1", "https://www.example.com/feed?a=1"} {
			update(t, s, func(tx *store.Tx) error {
				f, err := tx.AddFeed(store.NewFeed{URL: url, Added: start})
				if !errors.Is(err, feedonce.ErrExists) || f.ID != got.ID {
					t.Errorf("AddFeed(%q) = feed %d, %v; want feed %d and ErrExists", url, f.ID, err, got.ID)
				}
				f, err = tx.FeedByURL(url)
				if err != nil || f.ID != got.ID {
					t.Errorf("FeedByURL(%q) = feed %d, %v; want feed %d", url, f.ID, err, got.ID)
				}
				return nil
			})
		}
		for _, url := range []string{"https://example.com/feed?a=2", "https://example.com/Feed?a=1", "https://example.org/feed?a=1", "not a URL", "ftp://example.com/x"} {
			if f := addFeed(t, s, url); f.ID == got.ID || f.URL != url {
				t.Errorf("AddFeed(%q) = feed %d at %q, want another feed", url, f.ID, f.URL)
			}
		}
		err := s.Update(context.Background(), func(tx *store.Tx) error { _, err := tx.AddFeed(store.NewFeed{URL: "  "}); return err })
		if e := (*feedonce.InvalidError)(nil); !errors.As(err, &e) || e.Field != "url" {
			t.Errorf("adding a feed without URL: %v, want InvalidError of url", err)
		}
	})
}

func TestFeedsAreListedByFolderAndName(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		for _, n := range []store.NewFeed{
			{URL: "https://1.example/", Title: "zebra", Folder: "b"}, {URL: "https://2.example/", Title: "Äpfel", Folder: "b"},
			{URL: "https://3.example/", Title: "Apple", Folder: "b"}, {URL: "https://4.example/", Folder: "B"},
			{URL: "https://5.example/", Title: "x", Folder: ""}, {URL: "https://6.example/", Title: "x", Folder: "A"}} {
			n.Added = start
			update(t, s, func(tx *store.Tx) error { _, err := tx.AddFeed(n); return err })
		}
		var got []string
		for _, f := range read(t, s, (*store.Tx).Feeds) {
			got = append(got, f.Name())
		}
		want := []string{"x", "x", "Apple", "https://4.example/", "zebra", "Äpfel"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("order of feeds (-want +got):\n%s", diff)
		}
	})
}

func TestWhatIsNotThere(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		for name, f := range map[string]func(*store.Tx) error{
			"Feed":         func(tx *store.Tx) error { _, err := tx.Feed(99); return err },
			"FeedByURL":    func(tx *store.Tx) error { _, err := tx.FeedByURL("https://example.com/"); return err },
			"RemoveFeed":   func(tx *store.Tx) error { return tx.RemoveFeed(99) },
			"SetFeedState": func(tx *store.Tx) error { return tx.SetFeedState(99, feedonce.FeedPaused) },
			"MoveFeed":     func(tx *store.Tx) error { return tx.MoveFeed(99, "https://example.com/") },
			"ClaimFeed":    func(tx *store.Tx) error { _, err := tx.ClaimFeed(start, 99); return err },
			"SetSchedule":  func(tx *store.Tx) error { return tx.SetSchedule(99, feedonce.Schedule{}) },
			"Failed":       func(tx *store.Tx) error { return tx.Failed(99, 3, start, "why", start) },
			"FeedDoc":      func(tx *store.Tx) error { _, err := tx.FeedDoc(99); return err },
			"Entry":        func(tx *store.Tx) error { _, err := tx.Entry(99); return err },
			"Apply": func(tx *store.Tx) error {
				d := &document{t: t, in: store.Ingest{Feed: 99, Result: emptyResult()}}
				return tx.Apply(d.in)
			},
		} {
			if err := s.Update(ctx, f); !errors.Is(err, feedonce.ErrNotFound) {
				t.Errorf("%s of what is not there: %v, want ErrNotFound", name, err)
			}
		}
		if due := read(t, s, (*store.Tx).NextDue); !due.IsZero() {
			t.Errorf("NextDue without feeds = %v, want zero", due)
		}
	})
}

func TestFeedMoves(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := addFeed(t, s, "https://old.example/feed")
		other := addFeed(t, s, "https://other.example/feed")
		update(t, s, func(tx *store.Tx) error {
			if err := tx.Touch(f.ID, 0, `"etag"`, "yesterday", []byte("hash")); err != nil {
				return err
			}
			return tx.SetMoved(f.ID, "https://new.example/feed", 2)
		})
		got := read(t, s, func(tx *store.Tx) (feedonce.Feed, error) { return tx.Feed(f.ID) })
		if got.MovedTo != "https://new.example/feed" || got.MovedSeen != 2 {
			t.Errorf("moved to %q, seen %d; want https://new.example/feed, 2", got.MovedTo, got.MovedSeen)
		}
		update(t, s, func(tx *store.Tx) error { return tx.MoveFeed(f.ID, "https://new.example/feed") })
		got = read(t, s, func(tx *store.Tx) (feedonce.Feed, error) { return tx.FeedByURL("http://new.example/feed") })
		if got.ID != f.ID || got.URL != "https://new.example/feed" || got.MovedTo != "" || got.MovedSeen != 0 {
			t.Errorf("after the move: %+v", got)
		}
		doc := read(t, s, func(tx *store.Tx) (store.FeedDoc, error) { return tx.FeedDoc(f.ID) })
		if doc.ETag != "" || doc.LastModified != "" {
			t.Errorf("validators of the old place were kept: %+v", doc)
		}
		err := s.Update(context.Background(), func(tx *store.Tx) error { return tx.MoveFeed(f.ID, "http://other.example/feed") })
		if !errors.Is(err, feedonce.ErrExists) {
			t.Errorf("moving onto feed %d: %v, want ErrExists", other.ID, err)
		}
		// To another spelling of itself, it may move.
		update(t, s, func(tx *store.Tx) error { return tx.MoveFeed(f.ID, "http://new.example/feed") })
	})
}

func TestRemovedFeedLeavesNothing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		empty := storetest.Rows(t, s)
		f := addFeed(t, s, "https://example.com/feed")
		d := newDocument(t, s, f.ID, start)
		d.create(full("one"), 1, 2)
		d.create(full("two"), 1, 3)
		d.mustApply(s)
		first := d.in.Result.Decisions[0].Write.Entry
		d = newDocument(t, s, f.ID, start.Add(time.Hour))
		item := full("one")
		item.Title = "changed"
		d.change(first, item, 4)
		d.mustApply(s)
		last := read(t, s, func(tx *store.Tx) ([]feedonce.Decision, error) { return tx.Decisions(store.DecisionFilter{}) })[0]

		update(t, s, func(tx *store.Tx) error { return tx.RemoveFeed(f.ID) })
		after := storetest.Rows(t, s)
		if diff := cmp.Diff(empty, after); diff != "" {
			t.Errorf("rows left (-before +after):\n%s", diff)
		}
		// Its IDs are not given to others.
		again := addFeed(t, s, "https://example.com/feed")
		if again.ID <= f.ID {
			t.Errorf("feed ID %d was used again after feed %d", again.ID, f.ID)
		}
		d = newDocument(t, s, again.ID, start)
		d.create(full("three"))
		d.mustApply(s)
		if id := d.in.Result.Decisions[0].Entry; id <= first.ID+1 {
			t.Errorf("entry ID %d was used again; the removed feed had %d and %d", id, first.ID, first.ID+1)
		}
		if dec := read(t, s, func(tx *store.Tx) ([]feedonce.Decision, error) { return tx.Decisions(store.DecisionFilter{}) })[0]; dec.ID <= last.ID {
			t.Errorf("decision ID %d was used again; the removed feed had %d", dec.ID, last.ID)
		}
	})
}

func TestLongAndHostileURLs(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		for i, url := range []string{
			"https://example.com/" + strings.Repeat("a", 100_000), "https://example.com/\x00nul", "https://example.com/\xff\xfe",
			"https://example.com/'; drop table feeds; --", "https://example.com/%00?$1=$2&?=?", "\u202eright to left",
		} {
			f := addFeed(t, s, url)
			again := read(t, s, func(tx *store.Tx) (feedonce.Feed, error) { return tx.FeedByURL(url) })
			if again.ID != f.ID {
				t.Errorf("URL %d is found as feed %d, want %d", i, again.ID, f.ID)
			}
			if want := strings.ToValidUTF8(strings.ReplaceAll(url, "\x00", "\uFFFD"), "\uFFFD"); f.URL != want {
				t.Errorf("URL %d stored as %.60q, want %.60q", i, f.URL, want)
			}
			update(t, s, func(tx *store.Tx) error { return tx.SetMoved(f.ID, fmt.Sprint(url, i), 1) })
		}
	})
}
