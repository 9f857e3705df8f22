package poll

import (
	"context"
	"fmt"
	"hash/crc32"
	"html"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"feedonce"
	"feedonce/internal/fetch"
	"feedonce/internal/store"
)

// An article as a test publishes it.
type article struct {
	guid, title, text string
	published         time.Time
}

// story makes an article that can be told from others.
func story(n int) article {
	return article{
		guid: fmt.Sprintf("urn:story:%d", n), title: fmt.Sprintf("Report number %d from the harbour", n),
		text:      fmt.Sprintf("<p>Ship %d came in with the tide and left with it, said pilot %d.</p>", n, n*7919%1000),
		published: monday.Add(-time.Duration(1000-n) * time.Hour),
	}
}

func stories(from, to int) []article {
	var s []article
	for n := from; n < to; n++ {
		s = append(s, story(n))
	}
	return s
}

// rss renders articles, the last one on top; built makes the lastBuildDate, which changes though no article does.
func rss(built string, extra string, articles []article) string {
	built = monday.Add(time.Duration(crc32.ChecksumIEEE([]byte(built))) * time.Second).Format(time.RFC1123Z)
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0"?><rss version="2.0"><channel><title>Harbour news</title><link>https://harbour.example/</link>`+
		`<lastBuildDate>%s</lastBuildDate>%s`, built, extra)
	for i := len(articles) - 1; i >= 0; i-- {
		a := articles[i]
		fmt.Fprintf(&b, `<item><guid isPermaLink="false">%s</guid><link>https://harbour.example/%s</link><title>%s</title><description>%s</description>`,
			a.guid, strings.ReplaceAll(a.guid, ":", "-"), html.EscapeString(a.title), html.EscapeString(a.text))
		if !a.published.IsZero() {
			fmt.Fprintf(&b, `<pubDate>%s</pubDate>`, a.published.UTC().Format(time.RFC1123Z))
		}
		b.WriteString(`</item>`)
	}
	b.WriteString(`</channel></rss>`)
	return b.String()
}

// A publisher is a web server on this machine whose pages are changed by tests.
type publisher struct {
	*httptest.Server
	mu    sync.Mutex
	pages map[string]http.HandlerFunc
	asked map[string]int
}

func newPublisher(t *testing.T) *publisher {
	p := &publisher{pages: map[string]http.HandlerFunc{}, asked: map[string]int{}}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		page := p.pages[r.URL.Path]
		p.asked[r.URL.Path]++
		p.mu.Unlock()
		if page == nil {
			http.NotFound(w, r)
			return
		}
		page(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

// page changes what is at a path.
func (p *publisher) page(path string, h http.HandlerFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pages[path] = h
}

// serve puts a document at a path, without validators.
func (p *publisher) serve(path, body string) { p.page(path, document(body, "")) }

// requests returns how often a path was asked for.
func (p *publisher) requests(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[path]
}

// document answers with a body, and with 304 to who has its ETag.
func document(body, etag string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if etag != "" {
			w.Header().Set("ETag", etag)
			if r.Header.Get("If-None-Match") == etag {
				w.WriteHeader(http.StatusNotModified)
				return
			}
		}
		w.Header().Set("Content-Type", "application/rss+xml; charset=utf-8")
		fmt.Fprint(w, body)
	}
}

func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
	}
}

// A clock stands still until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: monday} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *clock) set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t
}

// soon are timers for a clock that stands still: the dispatcher looks at it every millisecond.
func soon(time.Duration) <-chan time.Time { return time.After(time.Millisecond) }

// patient are the same timers, but that polls under way at the end get all the time they need.
func patient(d time.Duration) <-chan time.Time {
	if d == grace {
		return nil
	}
	return soon(d)
}

const grace = 77 * time.Second // a time that nothing else waits for

func localClient(t *testing.T, o fetch.Options) *fetch.Client {
	o.AllowNets = append(o.AllowNets, netip.MustParsePrefix("127.0.0.0/8"))
	c := fetch.New(o)
	t.Cleanup(c.Close)
	return c
}

// options are those of a poller on a clock that stands still, without randomness.
func options(t *testing.T, s *store.Store, c *clock) Options {
	return Options{
		Store: s, Client: localClient(t, fetch.Options{}), Now: c.Now, After: patient, Grace: grace, Rand: func() float64 { return 0.5 },
		PerHost: 16,
	}
}

func addFeed(t *testing.T, s *store.Store, url string, at time.Time) feedonce.FeedID {
	t.Helper()
	var f feedonce.Feed
	update(t, s, func(tx *store.Tx) (err error) {
		f, err = tx.AddFeed(store.NewFeed{URL: url, Added: at})
		return err
	})
	return f.ID
}

func update(t *testing.T, s *store.Store, f func(*store.Tx) error) {
	t.Helper()
	if err := s.Update(context.Background(), f); err != nil {
		t.Fatal(err)
	}
}

func view(t *testing.T, s *store.Store, f func(*store.Tx) error) {
	t.Helper()
	if err := s.View(context.Background(), f); err != nil {
		t.Fatal(err)
	}
}

func feedOf(t *testing.T, s *store.Store, id feedonce.FeedID) (f feedonce.Feed) {
	t.Helper()
	view(t, s, func(tx *store.Tx) (err error) {
		f, err = tx.Feed(id)
		return err
	})
	return f
}

func docOf(t *testing.T, s *store.Store, id feedonce.FeedID) (d store.FeedDoc) {
	t.Helper()
	view(t, s, func(tx *store.Tx) (err error) {
		d, err = tx.FeedDoc(id)
		return err
	})
	return d
}

// titles returns the titles of a feed's entries, how often each is there.
func titles(t *testing.T, s *store.Store, id feedonce.FeedID) map[string]int {
	t.Helper()
	n := map[string]int{}
	view(t, s, func(tx *store.Tx) error {
		entries, err := tx.Entries(store.EntryFilter{Feed: id, Limit: 10_000})
		for _, e := range entries {
			n[e.Title]++
		}
		return err
	})
	return n
}

// running starts p.Run and returns a function that ends it and waits.
func running(t *testing.T, p *Poller) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-done; err != nil {
				t.Error("Run:", err)
			}
		})
	}
	t.Cleanup(stop)
	return stop
}

// poll polls once and fails the test where that fails.
func poll(t *testing.T, p *Poller, id feedonce.FeedID) Result {
	t.Helper()
	res, err := p.Poll(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return res
}
