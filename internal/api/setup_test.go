package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"feedonce"
	"feedonce/internal/account"
	"feedonce/internal/fetch"
	"feedonce/internal/poll"
	"feedonce/internal/store"
)

// A publisher serves feeds at /NAME.xml, and pages.
type publisher struct {
	*httptest.Server
	mu    sync.Mutex
	pages map[string]string
}

func newPublisher(t *testing.T) *publisher {
	p := &publisher{pages: map[string]string{}}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		page, ok := p.pages[r.URL.Path]
		p.mu.Unlock()
		if !ok {
			http.NotFound(w, r)
			return
		}
		if strings.HasSuffix(r.URL.Path, ".xml") {
			w.Header().Set("Content-Type", "application/rss+xml")
		} else {
			w.Header().Set("Content-Type", "text/html")
		}
		io.WriteString(w, page) //nolint:errcheck // a client that has gone
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *publisher) page(path, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pages[path] = text
}

// An item of a feed; what is empty is left out.
type item struct{ guid, link, title, text string }

// feed makes a feed of a site show these items from now on.
func (p *publisher) feed(path, site string, items ...item) {
	var b strings.Builder
	fmt.Fprintf(&b, `<rss version="2.0"><channel><title>Feed %s</title><link>%s</link>`, path, site)
	for _, it := range items {
		b.WriteString("<item>")
		for _, f := range [...]struct{ open, value, end string }{
			{`<guid isPermaLink="false">`, it.guid, "</guid>"}, {"<link>", it.link, "</link>"},
			{"<title>", it.title, "</title>"}, {"<description>", it.text, "</description>"},
		} {
			if f.value != "" {
				b.WriteString(f.open + html.EscapeString(f.value) + f.end)
			}
		}
		b.WriteString("</item>")
	}
	b.WriteString("</channel></rss>")
	p.page(path, b.String())
}

// A site is the API over a store, with a clock that tests set.
type site struct {
	t       *testing.T
	store   *store.Store
	server  *server
	handler http.Handler
	pub     *publisher
	log     *lines
	paths   map[string]string // of operations, by id
	token   string            // of an administrator, that may write; sent where a request has none

	mu  sync.Mutex
	now time.Time
}

// lines is a log that a test can read while it is written.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newSite(t *testing.T, st *store.Store) *site {
	t.Helper()
	s := &site{t: t, store: st, pub: newPublisher(t), log: &lines{}, now: time.Date(2026, 5, 14, 15, 0, 0, 0, time.UTC)}
	client := fetch.New(fetch.Options{AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Version: "test"})
	t.Cleanup(client.Close)
	p := poll.New(poll.Options{Store: st, Client: client, Now: s.clock, Spacing: -1})
	s.server = newServer(Options{Store: st, Accounts: account.New(account.Options{Store: st}), Poller: p, Client: client, Log: slog.New(slog.NewTextHandler(s.log, nil)), Version: "test", Now: s.clock})
	s.handler = s.server.handler()
	s.token = s.tokenFor("keeper", feedonce.RoleAdmin, true)
	return s
}

// tokenFor makes a token for a user, who is added where they are missing.
func (s *site) tokenFor(name string, role feedonce.Role, write bool) (secret string) {
	s.t.Helper()
	err := s.store.Update(s.t.Context(), func(tx *store.Tx) error {
		u, err := tx.UserByName(name)
		if errors.Is(err, feedonce.ErrNotFound) {
			u, err = tx.AddUser(feedonce.User{Name: name, Role: role, Created: s.now})
		}
		if err != nil {
			return err
		}
		_, secret, err = account.NewToken(tx, feedonce.Token{User: u.ID, Kind: feedonce.TokenAPI, Name: "test", Write: write, Created: s.now})
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return secret
}

// clock is a second later each time it is asked.
func (s *site) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(time.Second)
	return s.now
}

// wait lets an hour pass.
func (s *site) wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(time.Hour)
}

// do sends a request and returns the answer with its body.
func (s *site) do(r *http.Request) (*http.Response, []byte) {
	s.t.Helper()
	if r.Host == "example.com" { // httptest's default
		r.Host = "localhost:8470"
	}
	if _, said := r.Header["Authorization"]; !said {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	res := w.Result()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res, b
}

func request(method, path, body string) *http.Request {
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req := httptest.NewRequest(method, path, r)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	return req
}

// call sends a request that must have the status, and decodes the answer into v, if not nil.
func (s *site) call(method, path, body string, status int, v any) {
	s.t.Helper()
	res, b := s.do(request(method, Prefix+path, body))
	if res.StatusCode != status {
		s.t.Fatalf("%s %s %s: status %d, want %d\n%s\nthe log says\n%s", method, path, body, res.StatusCode, status, b, s.log)
	}
	if v == nil {
		return
	}
	reflect.ValueOf(v).Elem().SetZero()
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		s.t.Fatalf("%s %s: %v\n%s", method, path, err, b)
	}
}

// problem sends a request that must fail, and returns the sentence of its problem.
func (s *site) problem(method, path, body string, status int) string {
	s.t.Helper()
	var p struct {
		Title, Detail string
		Status        int
		Errors        []struct{ Message, Location string }
	}
	s.call(method, path, body, status, &p)
	if p.Status != status || p.Title == "" {
		s.t.Errorf("%s %s: problem %+v", method, path, p)
	}
	return p.Detail
}

// mustSay fails unless a text has all parts.
func mustSay(t *testing.T, where, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s does not say %q:\n%s", where, part, text)
		}
	}
}

const (
	harbour = "The harbour of the town was closed on Monday morning, after a ship had lost its cargo in the narrow channel that leads to it. Divers looked for the barrels all day, and found most of them before the evening came and the tide with it. The captain said that nobody was hurt, and that the barrels held nothing but olives. Fishermen had to wait until Wednesday."
	bakery  = "The oldest bakery of the town celebrates its hundredth year with a bread that weighs as much as the mayor. It took two ovens and a night, and it was eaten in an hour."
	school  = "The school by the river has got a new roof. Pupils and teachers carried the tiles up themselves, as the crane did not fit through the gate of the yard."
)

// fill makes what there is to answer about: feed 1 with a copy, an update and something held, and feed 2 with an article that
// feed 1 has, too.
func (s *site) fill() {
	s.t.Helper()
	town := s.pub.URL
	s.pub.feed("/a.xml", "https://town.example/",
		item{"h-1", "https://town.example/2026/harbour-closed-after-accident", "Harbour closed after accident", harbour},
		item{"b-1", "https://town.example/2026/bakery-is-a-hundred", "Bakery is a hundred", bakery})
	s.call("POST", "feeds", `{"url":"`+town+`/a.xml","folder":"Town"}`, 201, nil)
	s.wait()
	s.call("PUT", "feeds/1/policy", `{"missingGuid":"quarantine"}`, 200, nil)
	s.pub.feed("/a.xml", "https://town.example/",
		item{"h-2", "https://town.example/2026/harbour-closed-after-accident", "Harbour closed after accident", harbour},
		item{"b-1", "https://town.example/2026/bakery-is-a-hundred", "Bakery is a hundred", bakery + " Correction: it took three ovens."},
		item{"", "https://town.example/2026/held-for-want-of-a-guid", "Held for want of a guid", school},
		item{"", "https://town.example/2026/held-for-want-of-another", "Held for want of another", bakery})
	s.call("POST", "feeds/1/poll", "", 200, nil)
	s.wait()
	s.pub.feed("/b.xml", "https://planet.example/",
		item{"other", "https://town.example/2026/harbour-closed-after-accident", "Harbour closed after accident", harbour})
	s.call("POST", "feeds", `{"url":"`+town+`/b.xml"}`, 201, nil)
}
