package web

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"feedonce/dedup"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// index makes everything found that is stored.
func (s *site) index() {
	s.t.Helper()
	for more := true; more; {
		var err error
		if more, err = s.store.IndexSearch(context.Background()); err != nil {
			s.t.Fatal(err)
		}
	}
}

func TestSearchPage(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, st)
		s.addFeed(store.NewFeed{URL: "https://a.example/feed"})
		var in store.Ingest
		var decisions []dedup.Decision
		for i, item := range []dedup.Item{
			{GUID: "1", Title: "The ferry", Content: "<p>Nobody <b>saw</b> the Größe &lt;b&gt; of it.</p>"},
			{GUID: "2", Title: "The harbour", Content: "<p>A ferry came.</p>"},
			{GUID: "3", Title: "Nothing"},
		} {
			in.Items, in.Feed = append(in.Items, store.IngestItem{Item: item}), 1
			decisions = append(decisions, newEntry(i, item, now))
		}
		s.apply(in, decisions)
		mustSay(t, "before it was read", s.get("/?q=ferry", http.StatusOK), "Search has read 0 of 3 articles so far")
		s.index()

		page := s.get("/?q=FERRY", http.StatusOK)
		mustSay(t, "one word", page, "The ferry", "The harbour", `A <mark>ferry</mark> came.`)
		if strings.Contains(page, "Nothing") || strings.Contains(page, "Search has read") {
			t.Errorf("one word: %s", page)
		}
		page = s.get("/?q="+queryEscape(`"saw the" grosse -harbour`), http.StatusOK)
		mustSay(t, "a phrase", page, `Nobody <mark>saw the</mark> <mark>Größe</mark> &lt;b&gt; of it.`)
		if strings.Contains(page, "The harbour") {
			t.Errorf("a phrase: %s", page)
		}
		mustSay(t, "nothing", s.get("/?q=nobody+wrote", http.StatusOK), "No article has")
		mustSay(t, "no word", s.get("/?q="+queryEscape(`"*`), http.StatusOK), "No article has")
	})
}
