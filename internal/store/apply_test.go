package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce/dedup"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// full is an item with every field set.
func full(name string) dedup.Item {
	return dedup.Item{
		GUID: "guid of " + name, Permalink: true, URL: "https://example.com/" + name, OrigURL: "https://orig.example.com/" + name,
		Title: "  <b>Title</b> of\n " + name + " ", Content: "<p>Content of " + name + " — \u2028 \"quoted\" \\ </p>", Summary: "<i>Summary</i> of " + name,
		Author: "Author & Co", Lang: "pt-BR",
		Published: time.Date(1999, 12, 31, 23, 59, 59, 123456000, time.UTC), Updated: time.Date(2026, 2, 28, 1, 2, 3, 4000, time.UTC),
		Enclosures: []dedup.Enclosure{{URL: "https://example.com/a.mp3", Type: "audio/mpeg", Length: 1<<53 + 1}, {URL: "https://example.com/b.jpg"}},
		Invalid:    "a reason",
	}
}

func TestEntryComesBackAsWritten(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed := addFeed(t, s, "https://example.com/feed")
		d := newDocument(t, s, feed.ID, start)
		d.create(full("one"))
		d.create(dedup.Item{})
		e := &d.in.Result.Decisions[0].Write.Entry
		e.Ring = []uint64{1, 1<<64 - 1, 3, 4, 5, 6, 7, 8}
		e.Streak, e.Changed, e.Purged = 7, start.Add(time.Microsecond), true
		d.mustApply(s)

		for i := range d.in.Result.Decisions {
			want := d.in.Result.Decisions[i].Write.Entry
			if want.ID <= 0 {
				t.Fatalf("entry %d was not bound: ID %d", i, want.ID)
			}
			if diff := cmp.Diff(want, known(t, s, feed.ID, want.ID)[want.ID]); diff != "" {
				t.Errorf("entry %d came back different (-written +read):\n%s", i, diff)
			}
			if got := d.in.Result.State.Manifest[i].Entry; got != want.ID {
				t.Errorf("manifest row %d: entry %d, want %d", i, got, want.ID)
			}
		}
	})
}
