package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

func entries(t testing.TB, s *store.Store, f store.EntryFilter) []feedonce.Entry {
	t.Helper()
	return read(t, s, func(tx *store.Tx) ([]feedonce.Entry, error) { return tx.Entries(f) })
}

func titles(entries []feedonce.Entry) []string {
	var all []string
	for _, e := range entries {
		all = append(all, e.Title)
	}
	return all
}

func TestEntriesNewestFirst(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed := addFeed(t, s, "https://example.com/feed")
		d := newDocument(t, s, feed.ID, start)
		for _, item := range []dedup.Item{
			{Title: "undated"},
			{Title: "last week", Published: start.AddDate(0, 0, -7)},
			{Title: "future", Published: start.AddDate(1, 0, 0)},
			{Title: "year 1", Published: time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC)},
			{Title: "year 9999", Published: time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC)},
			{Title: "before 1970", Published: time.Date(1969, 7, 20, 20, 17, 40, 1000, time.UTC)},
			{Title: "a microsecond ago", Published: start.Add(-time.Microsecond)},
		} {
			item.GUID = item.Title
			d.create(item)
		}
		d.mustApply(s)
		want := []string{"year 9999", "future", "undated", "a microsecond ago", "last week", "before 1970", "year 1"}
		got := entries(t, s, store.EntryFilter{})
		if diff := cmp.Diff(want, titles(got)); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
		var paged []feedonce.Entry
		for page := entries(t, s, store.EntryFilter{Limit: 2}); len(page) > 0; {
			paged = append(paged, page...)
			last := page[len(page)-1]
			page = entries(t, s, store.EntryFilter{Limit: 2, Before: store.Cursor{Time: last.Time(), ID: int64(last.ID)}})
		}
		if diff := cmp.Diff(got, paged); diff != "" {
			t.Errorf("by pages of two (-whole +paged):\n%s", diff)
		}
	})
}

func TestTenThousandEntriesInPages(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		const perFeed, feeds, page = 2500, 4, 177
		var ids []feedonce.FeedID
		for f := range feeds {
			feed := addFeed(t, s, fmt.Sprintf("https://%d.example/feed", f))
			ids = append(ids, feed.ID)
			d := newDocument(t, s, feed.ID, start)
			for i := range perFeed {
				// Many share a date, so that the order within it counts.
				d.create(dedup.Item{GUID: fmt.Sprint(f, " ", i), Title: fmt.Sprintf("word%d entry %d", i%10, i), Published: start.Add(-time.Duration(i/100) * time.Hour)}, dedup.Mark(i))
			}
			w := storetest.Measure(t, s, func() { d.mustApply(s) })
			if w.Statements > maxStatements {
				t.Errorf("storing %d entries took %d statements, want at most %d, as for any number", perFeed, w.Statements, maxStatements)
			}
		}
		walk := func(name string, f store.EntryFilter, want int) {
			seen := map[feedonce.EntryID]bool{}
			f.Limit = page
			var last feedonce.Entry
			for {
				got := entries(t, s, f)
				for _, e := range got {
					if seen[e.ID] {
						t.Fatalf("%s: entry %d twice", name, e.ID)
					}
					if len(seen) > 0 && (e.Time().After(last.Time()) || e.Time().Equal(last.Time()) && e.ID >= last.ID) {
						t.Fatalf("%s: entry %d of %v after entry %d of %v", name, e.ID, e.Time(), last.ID, last.Time())
					}
					seen[e.ID], last = true, e
				}
				if len(got) < page {
					break
				}
				f.Before = store.Cursor{Time: last.Time(), ID: int64(last.ID)}
			}
			if len(seen) != want {
				t.Errorf("%s: %d entries, want %d", name, len(seen), want)
			}
		}
		walk("all", store.EntryFilter{}, perFeed*feeds)
		walk("a feed", store.EntryFilter{Feed: ids[2]}, perFeed)
		walk("words", store.EntryFilter{Words: "ENTRY word3"}, perFeed*feeds/10)
		walk("words in a feed", store.EntryFilter{Feed: ids[1], Words: "word3"}, perFeed/10)
		if n := read(t, s, func(tx *store.Tx) (int64, error) { return tx.EntryCount(0) }); n != perFeed*feeds {
			t.Errorf("EntryCount(0) = %d, want %d", n, perFeed*feeds)
		}
		if n := read(t, s, func(tx *store.Tx) (int64, error) { return tx.EntryCount(ids[0]) }); n != perFeed {
			t.Errorf("EntryCount of a feed = %d, want %d", n, perFeed)
		}
		if n := len(entries(t, s, store.EntryFilter{})); n != 50 {
			t.Errorf("a page without limit has %d entries, want 50", n)
		}
	})
}

func TestWordsAreTakenAsTheyAre(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed := addFeed(t, s, "https://example.com/feed")
		d := newDocument(t, s, feed.ID, start)
		for _, title := range []string{"100% sure", "100 sure", `back\slash`, "under_score", "underscore", `"quoted" words`, "Straße", "what? $1"} {
			d.create(dedup.Item{GUID: title, Title: title})
		}
		d.mustApply(s)
		for words, want := range map[string][]string{
			"%": {"100% sure"}, "_": {"under_score"}, `\`: {`back\slash`}, `"`: {`"quoted" words`}, "SURE 100%": {"100% sure"},
			"straße": {"Straße"}, "?": {"what? $1"}, "$1 WHAT": {"what? $1"}, "nothing": nil, "' or 1=1 --": nil,
		} {
			if diff := cmp.Diff(want, titles(entries(t, s, store.EntryFilter{Words: words}))); diff != "" {
				t.Errorf("words %q (-want +got):\n%s", words, diff)
			}
		}
	})
}

func TestFindEntries(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		var ids []feedonce.EntryID
		for _, url := range []string{"https://one.example/feed", "https://two.example/feed"} {
			feed := addFeed(t, s, url)
			memory := dedup.NewMemory(dedup.Policy{})
			doc := &dedup.Document{Fetched: start, Site: "https://example.com/", Items: []dedup.Item{
				{GUID: "tag:example.com,2026:1", URL: "https://example.com/Article?id=7", Title: "An article of this feed", Content: "<p>Its text.</p>"},
				{GUID: "https://example.com/second", Permalink: true, URL: "https://example.com/second", Title: "Another article"},
			}}
			d := newDocument(t, s, feed.ID, start)
			d.in.Result = memory.Process(doc)
			rebase(d.in.Result)
			for _, item := range doc.Items {
				d.in.Items = append(d.in.Items, store.IngestItem{Item: item})
			}
			d.mustApply(s)
			for _, dec := range d.in.Result.Decisions {
				ids = append(ids, feedonce.EntryID(dec.Entry))
			}
		}
		first, second := []feedonce.EntryID{ids[0], ids[2]}, []feedonce.EntryID{ids[1], ids[3]}
		for what, want := range map[string][]feedonce.EntryID{
			"https://example.com/Article?id=7": first, "http://www.example.com/Article?utm_source=x&id=7": first,
			"tag:example.com,2026:1": first, " tag:example.com,2026:1 ": first, "https://example.com/second": second,
			"https://example.com/second/": second, fmt.Sprint(ids[3]): ids[3:4],
			"https://example.com/article?id=7": nil, "https://elsewhere.example/second": nil, "tag:example.com,2026:2": nil, "": nil, "999999": nil,
		} {
			var got []feedonce.EntryID
			for _, e := range read(t, s, func(tx *store.Tx) ([]feedonce.Entry, error) { return tx.FindEntries(what) }) {
				got = append(got, e.ID)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("FindEntries(%q) (-want +got):\n%s", what, diff)
			}
		}
	})
}

// rebase makes the IDs that dedup.Memory gave provisional again.
func rebase(r *dedup.Result) {
	for i := range r.Decisions {
		d := &r.Decisions[i]
		d.Entry = -d.Entry
		d.Write.Entry.ID = d.Entry
	}
	state := *r.State
	state.Manifest = append([]dedup.ManifestRow(nil), state.Manifest...)
	for i := range state.Manifest {
		state.Manifest[i].Entry = -state.Manifest[i].Entry
	}
	r.State = &state
}
