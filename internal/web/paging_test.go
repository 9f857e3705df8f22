package web

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"feedonce/dedup"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

var (
	entryLinks = regexp.MustCompile(`<h3>(?:<span[^>]*>[^<]*</span>)?<a href="/entries/(\d+)["?]`)
	nextLink   = regexp.MustCompile(`<a class="next" href="([^"]+)"`)
)

// walk follows a list from page to page and returns the numbers of its articles in order.
func (s *site) walk(path string) (ids []string) {
	s.t.Helper()
	for pages := 0; ; pages++ {
		if pages > 20 {
			s.t.Fatalf("the list at %s does not end", path)
		}
		page := s.get(path, http.StatusOK)
		found := entryLinks.FindAllStringSubmatch(page, -1)
		if len(found) > pageSize {
			s.t.Fatalf("%s lists %d articles", path, len(found))
		}
		for _, m := range found {
			ids = append(ids, m[1])
		}
		next := nextLink.FindStringSubmatch(page)
		if next == nil {
			return ids
		}
		path = unescape(next[1])
	}
}

func unescape(s string) string { return strings.ReplaceAll(s, "&amp;", "&") }

// TestPaging has many articles at few moments, some without date, some dated in the future, and new ones come while a
// person reads: every article of the beginning is listed once, newest first.
func TestPaging(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, st)
		const n = 237
		for feed := range 2 {
			f := s.addFeed(store.NewFeed{URL: fmt.Sprintf("https://%d.example/feed", feed)})
			in := store.Ingest{Feed: f.ID}
			var decisions []dedup.Decision
			for i := range n {
				item := dedup.Item{GUID: fmt.Sprint(i), Title: fmt.Sprintf("Article %d", i), URL: "https://example.com/"}
				switch {
				case i%5 == 0: // no date
				case i%7 == 0:
					item.Published = now.Add(48 * time.Hour)
				default:
					item.Published = now.Add(-time.Duration(i%4) * time.Hour)
				}
				in.Items = append(in.Items, store.IngestItem{Item: item})
				d := newEntry(i, item, now)
				if feed == 1 && i%3 == 0 {
					d.Outcome, d.Write, d.Entry, d.Keys = dedup.Invalid, nil, 0, nil
				}
				decisions = append(decisions, d)
			}
			s.apply(in, decisions)
		}
		s.index()
		for _, c := range []struct {
			path string
			want int
		}{{"/", n + n - n/3}, {"/all", n + n - n/3}, {"/history", 0}, {"/folder?name=", n + n - n/3}, {"/folder?name=&view=all", n + n - n/3}, {"/folder?name=none", 0}, {"/feeds/1?view=unread", n}, {"/feeds/1", n}, {"/feeds/2", n - n/3}, {"/?q=ARTICLE", n + n - n/3}, {"/?q=article+236", 2}, {"/?q=none", 0}} {
			ids := s.walk(c.path)
			sorted := slices.Clone(ids)
			slices.Sort(sorted)
			if len(slices.Compact(sorted)) != len(ids) {
				t.Errorf("%s: an article is listed twice", c.path)
			}
			if len(ids) != c.want {
				t.Errorf("%s: %d articles listed, want %d", c.path, len(ids), c.want)
			}
		}

		first := s.get("/", http.StatusOK)
		before := s.walk("/")
		item := dedup.Item{GUID: "late", Title: "Late", Published: now}
		s.apply(store.Ingest{Feed: 1, Items: []store.IngestItem{{Item: item}}}, []dedup.Decision{newEntry(0, item, now)})
		var rest []string
		for _, m := range entryLinks.FindAllStringSubmatch(first, -1) {
			rest = append(rest, m[1])
		}
		rest = append(rest, s.walk(unescape(nextLink.FindStringSubmatch(first)[1]))...)
		if !slices.Equal(before, rest) {
			t.Errorf("an article that came between two pages moved the others: %d before, %d then", len(before), len(rest))
		}

		rows := 0
		for path := "/decisions?outcome=invalid"; path != ""; {
			page := s.get(path, http.StatusOK)
			rows += len(regexp.MustCompile(`<li class="decision invalid">`).FindAllString(page, -1))
			path = ""
			if m := nextLink.FindStringSubmatch(page); m != nil {
				path = unescape(m[1])
			}
		}
		if want := n / 3; rows != want {
			t.Errorf("%d invalid arrivals listed, want %d", rows, want)
		}
	})
}
