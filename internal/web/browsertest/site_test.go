package browsertest

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"net/netip"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/account"
	"feedonce/internal/browser"
	"feedonce/internal/deliver"
	"feedonce/internal/dest"
	"feedonce/internal/fetch"
	"feedonce/internal/poll"
	"feedonce/internal/secret"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
	"feedonce/internal/web"
)

func TestMain(m *testing.M) { os.Exit(browser.Main(m)) }

// begin is when the clock of a site starts.
var begin = time.Date(2026, 5, 14, 15, 30, 0, 0, time.UTC)

// A site is the pages as they are served, with all that is behind them.
type site struct {
	t      *testing.T
	url    string
	store  *store.Store
	poller *poll.Poller
	engine *deliver.Engine
	box    *secret.Box
	passed atomic.Int64 // on the clock since begin, a time.Duration
}

// start serves the pages over an empty SQLite file.
func start(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, store: storetest.Open(t, storetest.SQLite(t)), box: secret.New([secret.KeySize]byte{1}, "a test")}
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	client := fetch.New(fetch.Options{AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Version: "test"})
	t.Cleanup(client.Close)
	s.poller = poll.New(poll.Options{Store: s.store, Client: client, Now: s.now, Spacing: -1, Log: log})
	srv := httptest.NewUnstartedServer(nil)
	s.url = "http://" + srv.Listener.Addr().String()
	s.engine = deliver.New(deliver.Options{
		Store: s.store, Box: s.box, URL: s.url, Env: dest.Env{Client: client.HTTP(), Dial: client.Dial}, Now: s.now, Rand: func() float64 { return 0 },
	})
	srv.Config.Handler = web.Handler(web.Options{
		Accounts: account.New(account.Options{Store: s.store, Log: log}),
		Store:    s.store, Poller: s.poller, Client: client, Engine: s.engine, Box: s.box, Log: log, Version: "test", Now: s.now, Location: time.UTC,
	})
	srv.Start()
	t.Cleanup(func() {
		srv.CloseClientConnections() // streams of events would go on
		srv.Close()
	})
	return s
}

func (s *site) now() time.Time { return begin.Add(time.Duration(s.passed.Load())) }

// pass lets time pass.
func (s *site) pass(d time.Duration) { s.passed.Add(int64(d)) }

// keeper returns the administrator, who follows the feeds that are followed from now on.
func (s *site) keeper() (keeper feedonce.User) {
	s.t.Helper()
	s.update(func(tx *store.Tx) (err error) {
		if keeper, err = tx.UserByName("keeper"); err != nil {
			keeper, err = tx.AddUser(feedonce.User{Name: "keeper", Role: feedonce.RoleAdmin, Created: s.now()})
		}
		return err
	})
	return keeper
}

// signIn makes the browser of a page the keeper's.
func (s *site) signIn(p *browser.Page) {
	s.t.Helper()
	keeper := s.keeper()
	link, err := account.SignInLink(s.t.Context(), s.store, keeper.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	p.Open(link)
	p.Follow(browser.Named("Sign in"))
}

// page opens an empty page in a private window of its own, signed in.
func (s *site) page() *browser.Page {
	s.t.Helper()
	p := browser.NewProfile(s.t, s.url).Page()
	s.signIn(p)
	return p
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

// follow adds a feed and polls it.
func (s *site) follow(url, folder string, policy dedup.Policy) feedonce.FeedID {
	s.t.Helper()
	s.keeper()
	var f feedonce.Feed
	s.update(func(tx *store.Tx) (err error) {
		if f, err = tx.AddFeed(store.NewFeed{URL: url, Folder: folder, Added: s.now()}); err != nil {
			return err
		}
		text, err := json.Marshal(policy)
		if err != nil {
			return err
		}
		if err := tx.FollowAll(f.ID, folder, s.now()); err != nil {
			return err
		}
		return tx.SetFeedPolicy(f.ID, string(text))
	})
	s.poll(f.ID)
	return f.ID
}

// poll polls a feed, for better or worse.
func (s *site) poll(feed feedonce.FeedID) {
	s.t.Helper()
	if r, err := s.poller.Poll(s.t.Context(), feed); r.Status == "" {
		s.t.Fatalf("feed %d was not polled: %v", feed, err)
	}
}

func (s *site) entries(f store.EntryFilter) (list []feedonce.Entry) {
	s.t.Helper()
	s.view(func(tx *store.Tx) (err error) {
		list, err = tx.Entries(f)
		return err
	})
	return list
}

// entry returns the article with a title.
func (s *site) entry(title string) feedonce.Entry {
	s.t.Helper()
	for _, e := range s.entries(store.EntryFilter{Limit: 500}) {
		if e.Title == title {
			return e
		}
	}
	s.t.Fatalf("no article is called %q", title)
	return feedonce.Entry{}
}

// again has the first item of a feed come once more an hour later, under another guid.
func (s *site) again(id feedonce.FeedID, feed *publisher, items []story) {
	s.t.Helper()
	again := items[0]
	again.guid += "-again"
	feed.now(append([]story{again}, items[1:]...)...)
	s.pass(time.Hour)
	s.poll(id)
}
