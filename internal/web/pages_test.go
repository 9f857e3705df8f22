package web

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// TestWhy reads an article that was edited and came again under another guid.
func TestWhy(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, st)
		f := s.addFeed(store.NewFeed{URL: "https://a.example/feed", Title: "A"})
		item := dedup.Item{GUID: "guid-1", URL: "https://a.example/1", Title: "First", Content: `<p>Old <a href="/x">text</a></p>`, Author: "Ann", Published: now,
			Enclosures: []dedup.Enclosure{{URL: "https://a.example/1.mp3", Type: "audio/mpeg", Length: 12_345_678}}}
		first := newEntry(0, item, now)
		first.Quiet = "first document of the feed"
		s.apply(store.Ingest{Feed: f.ID, Items: []store.IngestItem{{Item: item}}}, []dedup.Decision{first})

		edited := item
		edited.Title, edited.Content = "First, edited", "<p>New text</p>"
		update := newEntry(0, edited, now)
		update.Outcome, update.Rule, update.Entry, update.Keys = dedup.Updated, "G2", 1, nil
		update.Write.Entry.ID, update.Write.Version = 1, true
		update.Evidence = dedup.Evidence{Changed: []string{"title", "content"}, Material: true}
		again := edited
		again.GUID = "guid-2"
		copied := dedup.Decision{Item: 1, Outcome: dedup.Duplicate, Rule: "R1", Entry: 1,
			Keys:     []dedup.Key{{Kind: dedup.KeyGUID, Hash: hash("guid-2"), Text: "guid-2"}},
			Evidence: dedup.Evidence{Facts: []dedup.Fact{{Name: "guid", Is: "differs", Have: "guid-2", Want: "guid-1"}, {Name: "title", Is: "equal", Have: "first, edited"}}}}
		s.apply(store.Ingest{Feed: f.ID, Items: []store.IngestItem{{Item: edited}, {Item: again}}}, []dedup.Decision{update, copied})

		page := s.get("/entries/1", http.StatusOK)
		mustSay(t, "the article", page,
			"First, edited", "<p>New text</p>", "Ann", "Read at <bdi>a.example</bdi>", `<audio controls preload="none" src="https://a.example/1.mp3"`, "12 MB",
			dedup.RuleByID("N").Sentence, "not told: first document of the feed", dedup.RuleByID("G2").Sentence, "Changed: title, content.", dedup.RuleByID("R1").Sentence,
			"different", "the same", "1 copy folded into it", "guid-2", "/entries/1/versions/1", "Known by")
		if strings.Count(page, "guid-2</bdi>") < 3 { // evidence, key, copy
			t.Errorf("the copy's guid is not shown as evidence, as key and with the copy:\n%s", page)
		}
		mustSay(t, "the earlier version", s.get("/entries/1/versions/1", http.StatusOK), "First", `Old <a href="https://a.example/x"`, "This is version 1")
		s.get("/entries/1/versions/2", http.StatusNotFound)
		s.get("/entries/1/versions/x", http.StatusNotFound)

		page = s.get("/decisions", http.StatusOK)
		mustSay(t, "the decisions", page, dedup.RuleByID("R1").Sentence, dedup.RuleByID("G2").Sentence, "What arrived", "New text")
		for path, want := range map[string][2]bool{ // whether the duplicate and the update are listed
			"/decisions?outcome=duplicate": {true, false}, "/decisions?outcome=updated": {false, true}, "/decisions?rule=R1": {true, false},
			"/decisions?q=guid-2": {true, false}, "/decisions?q=edited": {true, true}, "/decisions?q=nothing": {false, false},
			"/decisions?feed=1&outcome=new": {false, false}, "/decisions?outcome=nonsense": {true, true},
		} {
			page := s.get(path, http.StatusOK)
			if got := [2]bool{strings.Contains(page, `class="decision duplicate"`), strings.Contains(page, `class="decision updated"`)}; got != want {
				t.Errorf("%s: lists duplicate and update %v, want %v", path, got, want)
			}
		}
		s.get("/decisions?feed=x", http.StatusBadRequest)
		s.get("/decisions?before=x", http.StatusBadRequest)
		s.get("/decisions?feed=99", http.StatusNotFound)
		mustSay(t, "the feeds", s.get("/feeds", http.StatusOK), `href="/decisions?feed=1&amp;outcome=duplicate">1</a>`)
	})
}

// TestLivePages looks at what the script is told: from which decision on, and of which feed.
func TestLivePages(t *testing.T) {
	s := filled(t)
	script := `src="/assets/` + assetNames["app.js"] + `"`
	mustSay(t, "what is unread", s.get("/", http.StatusOK), `data-after="1" data-fresh="seen=1"`, script)
	mustSay(t, "a feed", s.get("/feeds/1", http.StatusOK), `data-after="1" data-fresh="feed=1&amp;seen=1"`, script)
	mustSay(t, "a folder", s.get("/folder?name=a%26b", http.StatusOK), `data-after="1" data-fresh="folder=a%26b&amp;seen=1"`, script)
	mustSay(t, "the review", s.get("/review", http.StatusOK), `src="/assets/`+assetNames["keys.js"]+`"`)
	for _, path := range []string{"/?q=one", "/feeds", "/add", "/entries/1", "/starred", "/history"} {
		if page := s.get(path, http.StatusOK); strings.Contains(page, "data-fresh") {
			t.Errorf("%s announces articles that it would not list", path)
		}
	}
}

func TestAssets(t *testing.T) {
	s := filled(t)
	page, manifest := s.get("/", http.StatusOK), s.get("/manifest.webmanifest", http.StatusOK)
	for name, served := range assetNames {
		if name == "icon.svg" || name == "icon-192.png" || name == "icon-512.png" {
			mustSay(t, "the manifest", manifest, "/assets/"+served)
		} else {
			mustSay(t, "the page", page, "/assets/"+served)
		}
		res := s.do(httptest.NewRequest(http.MethodGet, "/assets/"+served, nil))
		if got := res.Header.Get("Cache-Control"); res.StatusCode != http.StatusOK || !strings.Contains(got, "immutable") {
			t.Errorf("%s: status %d, Cache-Control %q", served, res.StatusCode, got)
		}
	}
	s.get("/assets/style.css", http.StatusNotFound)
	s.get("/assets/..%2fapp.js", http.StatusNotFound)
	s.get("/favicon.ico", http.StatusOK)
}

func TestHealth(t *testing.T) {
	s := filled(t)
	mustSay(t, "/healthz", s.get("/healthz", http.StatusOK), "ok")
	mustSay(t, "/readyz", s.get("/readyz", http.StatusOK), "ready")
	mustSay(t, "/metrics", s.get("/metrics", http.StatusOK), `feedonce_feeds{state="active"} 1`, "feedonce_feeds_due 1", "feedonce_entries 1", "feedonce_polls_total", "go_goroutines")

	gone := newSite(t, storetest.Open(t, storetest.SQLite(t)))
	if err := gone.store.Close(); err != nil {
		t.Fatal(err)
	}
	gone.get("/healthz", http.StatusOK)
	mustSay(t, "/readyz without database", gone.get("/readyz", http.StatusServiceUnavailable), "does not answer")
	page := gone.get("/", http.StatusInternalServerError)
	mustSay(t, "a page without database", page, "cannot be found out just now")
	if strings.Contains(page, "sql") || !strings.Contains(gone.log.String(), "sql") {
		t.Errorf("the chain of errors belongs in the log, not on the page:\n%s\n%s", page, gone.log)
	}
}

func TestFail(t *testing.T) {
	s := &server{Options: Options{Log: slog.New(slog.DiscardHandler)}, pages: pages()}
	for _, c := range []struct {
		err    error
		status int
		says   string
	}{
		{feedonce.ErrNotFound, 404, "nothing at this address"},
		{&feedonce.InvalidError{Field: "url", Reason: "must start with http://"}, 400, "Url must start with http://."},
		{feedonce.ErrConflict, 409, "another worker"},
		{errors.New("secret detail"), 500, "The log of the server says what"},
	} {
		w := httptest.NewRecorder()
		s.adapt(func(http.ResponseWriter, *http.Request) error { return c.err }).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.says) || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%v: status %d, want %d and %q; the page says\n%s", c.err, w.Code, c.status, c.says, w.Body)
		}
	}
}
