package web

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"feedonce/dedup"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// TestDay looks for each day of a log that is a little out of order, in a page and as a file, with and without other filters.
func TestDay(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, st)
		f := s.addFeed(store.NewFeed{URL: "https://a.example/feed"})
		g := s.addFeed(store.NewFeed{URL: "https://b.example/feed"})
		start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		want := map[string]int{}
		n := 0
		for i := range 60 { // four hours apart, every third half an hour late
			at := start.Add(time.Duration(i) * 4 * time.Hour)
			if i%3 == 0 {
				at = at.Add(-30 * time.Minute)
			}
			feed := f.ID
			if i%5 == 0 {
				feed = g.ID
			}
			var items []store.IngestItem
			var decisions []dedup.Decision
			for k := range 1 + i%20 {
				n++
				item := dedup.Item{GUID: fmt.Sprint(n), Title: fmt.Sprintf("Number %d", n)}
				items = append(items, store.IngestItem{Item: item})
				decisions = append(decisions, newEntry(k, item, at))
			}
			s.apply(store.Ingest{Feed: feed, At: at, Items: items}, decisions)
			day := at.Format(time.DateOnly)
			want[day] += len(items)
			want[fmt.Sprint(day, "&feed=", feed)] += len(items)
		}
		for query, count := range want {
			body := s.get("/decisions.csv?outcome=new&day="+query, http.StatusOK)
			rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range rows[1:] {
				if day, _, _ := strings.Cut(query, "&"); !strings.HasPrefix(row[1], day) {
					t.Errorf("%s has %q", query, row)
				}
			}
			if len(rows)-1 != count {
				t.Errorf("%s: %d decisions, want %d", query, len(rows)-1, count)
			}
			if got := len(s.walk("/decisions?outcome=new&day=" + query)); got != 0 { // they are links with #why
				t.Errorf("%s: the links to %d articles do not lead to their why", query, got)
			}
		}
		if body := s.get("/decisions?outcome=new&day=2026-02-01", http.StatusOK); !strings.Contains(body, "No decision is like that") {
			t.Errorf("a day without decisions:\n%s", body)
		}
		s.get("/decisions?day=yesterday", http.StatusBadRequest)
	})
}
