package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// everyRoute returns a request for each route, as its pattern says it.
func everyRoute(s *site) (requests []*http.Request) {
	routes := append((&server{}).routes(), route{pattern: "GET /metrics"}, route{pattern: "GET /no/such/page"})
	for _, route := range routes {
		method, path, _ := strings.Cut(route.pattern, " ")
		for from, to := range map[string]string{"{id}": "1", "{revision}": "1", "{file}": assetNames["style.css"], "{$}": ""} {
			path = strings.ReplaceAll(path, from, to)
		}
		if path == "/events" {
			continue // never ends; see events_test.go
		}
		requests = append(requests, httptest.NewRequest(method, path, nil))
	}
	return requests
}

func filled(t *testing.T) *site { return filledOn(t, storetest.Open(t, storetest.SQLite(t))) }

// filledOn has one of everything, with the number 1.
func filledOn(t *testing.T, st *store.Store) *site {
	s := newSite(t, st)
	f := s.addFeed(store.NewFeed{URL: "https://a.example/feed", Title: "A"})
	item := dedup.Item{GUID: "1", Title: "One", Content: "<p>x</p>"}
	s.apply(store.Ingest{Feed: f.ID, Items: []store.IngestItem{{Item: item}}}, []dedup.Decision{newEntry(0, item, now)})
	s.addSending(closedPort(t))
	return s
}

func TestHeadersOfEveryRoute(t *testing.T) {
	s := filled(t)
	for _, r := range everyRoute(s) {
		res := s.do(r)
		got := res.Header.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self';", "style-src 'self';", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s %s: Content-Security-Policy %q lacks %q", r.Method, r.URL, got, want)
			}
		}
		if strings.Contains(got, "unsafe") {
			t.Errorf("%s %s: Content-Security-Policy %q", r.Method, r.URL, got)
		}
		if res.Header.Get("X-Content-Type-Options") != "nosniff" || res.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s %s: headers %v", r.Method, r.URL, res.Header)
		}
	}
}

func TestHost(t *testing.T) {
	s := filled(t)
	for _, r := range everyRoute(s) {
		r.Host = "rebound.example"
		res := s.do(r)
		want := http.StatusMisdirectedRequest
		if r.URL.Path == "/healthz" || r.URL.Path == "/readyz" {
			want = http.StatusOK
		}
		if res.StatusCode != want {
			t.Errorf("%s %s as %s: status %d, want %d", r.Method, r.URL, r.Host, res.StatusCode, want)
		}
	}
	if got := feedCount(s); got != 1 {
		t.Errorf("%d feeds after refused requests, want 1", got)
	}
	open := &server{Options: Options{Hosts: []string{"reader.example", "Other.example:8080"}}}
	got := map[string]bool{}
	want := map[string]bool{
		"localhost": true, "LOCALHOST:8470": true, "127.0.0.1": true, "127.0.0.1:8470": true, "127.3.2.1": true, "[::1]": true, "[::1]:8470": true,
		"reader.example": true, "READER.example:443": true, "other.example:8080": true,
		"": false, "other.example": false, "localhost.example": false, "127.0.0.1.example:80": false, "10.0.0.1": false, "0.0.0.0": false, "[::]": false, "[::1": true,
		"evil.example@localhost": false, "localhost@evil.example": false, "x.localhost": false,
	}
	for host := range want {
		got[host] = open.knownHost(host)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("hosts that are answered (-want +got):\n%s", diff)
	}
	if any := (&server{Options: Options{Hosts: []string{"*"}}}); !any.knownHost("anything.example") {
		t.Error("* is to be any host")
	}
}

func TestFormsOfOtherSites(t *testing.T) {
	s := filled(t)
	for _, r := range everyRoute(s) {
		if r.Method != http.MethodPost {
			continue
		}
		for _, header := range []http.Header{
			{"Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.example"}}, {"Sec-Fetch-Site": {"same-site"}}, {"Origin": {"https://evil.example"}}, {"Origin": {"null"}},
		} {
			r := r.Clone(t.Context())
			r.Header = header
			r.Body = http.NoBody
			res := s.do(r)
			page := s.body(res, r.URL.Path, http.StatusForbidden)
			if !strings.Contains(page, "page of another site") {
				t.Errorf("%s from %v: the page does not say why:\n%s", r.URL, header, page)
			}
		}
	}
	s.view(func(tx *store.Tx) error {
		f, err := tx.Feed(1)
		if f.State != feedonce.FeedActive || !f.Schedule.LastPoll.IsZero() {
			t.Errorf("a form of another site did something: %+v", f)
		}
		return err
	})
	s.sendingIsUntouched()
}

// TestChangesOnlyByPost asks for every address that changes something with GET, as a prefetching browser would.
func TestChangesOnlyByPost(t *testing.T) {
	s := filled(t)
	asks := map[string]bool{} // addresses that have a page of their own, a question most of them
	for _, r := range everyRoute(s) {
		if r.Method == http.MethodGet {
			asks[r.URL.Path] = true
		}
	}
	before := s.get("/entries/1", http.StatusOK) + s.get("/feeds/1", http.StatusOK) + s.get("/decisions", http.StatusOK)
	for _, r := range everyRoute(s) {
		switch {
		case r.Method == http.MethodPost && !asks[r.URL.Path]:
			s.get(r.URL.Path, http.StatusNotFound)
		case r.Method == http.MethodPost:
			for _, query := range []string{"", "?with=1&answer=same&a=1&b=1&forget=yes&try=yes&identity=link"} {
				s.do(httptest.NewRequest(http.MethodGet, r.URL.Path+query, nil))
			}
		}
	}
	if after := s.get("/entries/1", http.StatusOK) + s.get("/feeds/1", http.StatusOK) + s.get("/decisions", http.StatusOK); after != before {
		t.Errorf("asking with GET changed something (-before +after):\n%s", cmp.Diff(before, after))
	}
	s.get("/feeds/1/remove", http.StatusOK)
	s.sendingIsUntouched()
	if got := feedCount(s); got != 1 {
		t.Errorf("%d feeds, want 1", got)
	}
}

func feedCount(s *site) (n int) {
	s.view(func(tx *store.Tx) error {
		feeds, err := tx.Feeds()
		n = len(feeds)
		return err
	})
	return n
}
