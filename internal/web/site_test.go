package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/account"
	"feedonce/internal/deliver"
	"feedonce/internal/dest"
	"feedonce/internal/fetch"
	"feedonce/internal/poll"
	"feedonce/internal/secret"
	"feedonce/internal/store"
)

// now is the time at which all pages of tests are made.
var now = time.Date(2026, 5, 14, 15, 30, 0, 0, time.UTC)

// A site is the pages over a store, and a browser without JavaScript.
type site struct {
	t       *testing.T
	store   *store.Store
	handler http.Handler
	log     *lines
	engine  *deliver.Engine
	box     *secret.Box
	cookie  *http.Cookie // of the administrator who is signed in
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

// newSite returns pages with a poller that may reach loopback addresses.
func newSite(t *testing.T, s *store.Store) *site {
	t.Helper()
	log := &lines{}
	client := fetch.New(fetch.Options{AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Version: "test"})
	t.Cleanup(client.Close)
	clock := func() time.Time { return now }
	p := poll.New(poll.Options{Store: s, Client: client, Now: clock, Spacing: -1})
	box := secret.New([secret.KeySize]byte{1}, "a test")
	engine := deliver.New(deliver.Options{
		Store: s, Box: box, URL: "http://localhost:8470", Env: dest.Env{Client: client.HTTP(), Dial: client.Dial, Exec: true}, Now: clock, Rand: func() float64 { return 0 },
	})
	accounts := account.New(account.Options{Store: s})
	h := Handler(Options{
		Accounts: accounts, Engine: engine, Box: box,
		Store: s, Poller: p, Client: client, Log: slog.New(slog.NewTextHandler(log, nil)), Version: "test", Now: clock, Location: time.UTC,
	})
	site := &site{t: t, store: s, handler: h, log: log, engine: engine, box: box}
	site.cookie = site.join("keeper", feedonce.RoleAdmin)
	return site
}

// join adds a user, and signs them in as a browser does, by an address that does so once.
func (s *site) join(name string, role feedonce.Role) *http.Cookie {
	s.t.Helper()
	var u feedonce.User
	s.update(func(tx *store.Tx) (err error) {
		if u, err = tx.UserByName(name); err != nil {
			u, err = tx.AddUser(feedonce.User{Name: name, Role: role, Created: now})
		}
		return err
	})
	link, err := account.SignInLink(context.Background(), s.store, u.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, link, nil)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for _, c := range s.as(nil).do(r).Cookies() {
		if c.Name == account.CookieName {
			return c
		}
	}
	s.t.Fatalf("%s could not sign in", name)
	return nil
}

// as returns the pages as somebody else sees them; nil is nobody.
func (s *site) as(c *http.Cookie) *site {
	other := *s
	other.cookie = c
	return &other
}

func (s *site) do(r *http.Request) *http.Response {
	s.t.Helper()
	if r.Host == "example.com" { // httptest's default
		r.Host = "localhost:8470"
	}
	if s.cookie != nil && r.Header.Get("Cookie") == "" {
		r.AddCookie(s.cookie)
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	return w.Result()
}

// get returns a page that must have the status.
func (s *site) get(path string, status int) string {
	s.t.Helper()
	return s.body(s.do(httptest.NewRequest(http.MethodGet, path, nil)), path, status)
}

// post sends a form and returns where it leads.
func (s *site) post(path string, form url.Values, status int) (location, body string) {
	s.t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	res := s.do(r)
	return res.Header.Get("Location"), s.body(res, path, status)
}

func (s *site) body(res *http.Response, path string, status int) string {
	s.t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if res.StatusCode != status {
		s.t.Fatalf("%s: status %d, want %d; the page says\n%.2000s\nand the log\n%s", path, res.StatusCode, status, b, s.log)
	}
	return string(b)
}

func (s *site) update(f func(tx *store.Tx) error) {
	s.t.Helper()
	if err := s.store.Update(context.Background(), f); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) view(f func(tx *store.Tx) error) {
	s.t.Helper()
	if err := s.store.View(context.Background(), f); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) addFeed(f store.NewFeed) (added feedonce.Feed) {
	s.t.Helper()
	s.update(func(tx *store.Tx) (err error) {
		f.Added = now
		if added, err = tx.AddFeed(f); err != nil {
			return err
		}
		return tx.FollowAll(added.ID, f.Folder, now)
	})
	return added
}

// apply stores decisions as if they had been made of a document of the feed.
func (s *site) apply(in store.Ingest, decisions []dedup.Decision) {
	s.t.Helper()
	s.update(func(tx *store.Tx) error {
		doc, err := tx.FeedDoc(in.Feed)
		if err != nil {
			return err
		}
		in.Seq = doc.Seq
		if in.At.IsZero() {
			in.At = now
		}
		in.Result = &dedup.Result{Decisions: decisions, State: &dedup.State{}}
		if err := tx.Apply(in); err != nil {
			return err
		}
		if err := tx.LockOrder(); err != nil {
			return err
		}
		var changes []feedonce.Change
		var fresh []feedonce.EntryID
		for _, d := range in.Result.Decisions {
			if d.Outcome == dedup.New {
				fresh = append(fresh, feedonce.EntryID(d.Entry))
				changes = append(changes, feedonce.Change{At: in.At, Kind: feedonce.ChangeCreated, Feed: in.Feed, Entry: feedonce.EntryID(d.Entry), Revision: 1})
			}
		}
		if err := tx.AddChanges(changes); err != nil {
			return err
		}
		return tx.UnreadNew(fresh)
	})
}

// newEntry is the decision that an item is a new article.
func newEntry(item int, it dedup.Item, seen time.Time) dedup.Decision {
	id := dedup.EntryID(-1 - item)
	return dedup.Decision{
		Item: item, Outcome: dedup.New, Rule: "N", Entry: id,
		Keys:  []dedup.Key{{Kind: dedup.KeyGUID, Hash: hash(it.GUID), Text: it.GUID}},
		Write: &dedup.Write{Entry: dedup.Entry{ID: id, Item: it, Strict: hash(it.Title), FirstSeen: seen, Changed: seen}},
	}
}

func hash(s string) dedup.Hash {
	sum := sha256.Sum256([]byte(s))
	return dedup.Hash(sum[:16])
}
