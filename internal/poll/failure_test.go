package poll

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"feedonce"
	"feedonce/internal/fetch"
	"feedonce/internal/ingest"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// Every way to fail, all at once beside feeds that are well, polled by a running poller: each error is on its feed, in
// words, and the others get their articles.
func TestFailuresAreInWordsAndAlone(t *testing.T) {
	hanging := make(chan struct{})
	html := func(head string) http.HandlerFunc {
		return document("<!DOCTYPE html><html><head><title>Harbour</title>"+head+"</head><body><p>Welcome</p></body></html>", "")
	}
	redirect := func(to string) http.HandlerFunc { return http.RedirectHandler(to, http.StatusFound).ServeHTTP }
	more := strings.Repeat("<item><title>more</title></item>", 1000)
	endless := func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "<rss><channel>")
		for {
			if _, err := io.WriteString(w, more); err != nil {
				return
			}
		}
	}
	charge := zipped(64 << 20)
	bomb := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(charge)
	}
	cases := map[string]struct {
		page  http.HandlerFunc
		words []string // of the error; none for a feed that is well
		kind  string
		state feedonce.FeedState // "" is active
		wait  time.Duration      // until the next try; 0 is the shortest interval
	}{
		"/404":      {page: status(404), words: []string{"404"}, kind: "status"},
		"/410":      {page: status(410), words: []string{"410", "not polled any more"}, kind: "gone", state: feedonce.FeedGone},
		"/429":      {page: status(429, "Retry-After", "7200"), words: []string{"429"}, kind: "status", wait: 2 * time.Hour},
		"/500":      {page: status(500), words: []string{"500"}, kind: "status"},
		"/hang":     {page: func(http.ResponseWriter, *http.Request) { <-hanging }, words: []string{"longer than"}, kind: "timeout"},
		"/loop":     {page: redirect("/loop"), words: []string{"redirect"}, kind: "redirect"},
		"/inside":   {page: redirect("http://10.1.2.3/feed"), words: []string{"10.1.2.3"}, kind: "forbidden"},
		"/endless":  {page: endless, words: []string{"MiB"}, kind: "too large"},
		"/bomb":     {page: bomb, words: []string{"MiB"}, kind: "too large"},
		"/html":     {page: html(""), words: []string{"not a feed", "HTML", "Harbour"}, kind: "not a feed"},
		"/site":     {page: html(`<link rel="alternate" type="application/rss+xml" href="/real">`), words: []string{"not a feed", "names a feed at http://", "/real: add that"}, kind: "not a feed"},
		"/nothing":  {page: document("", ""), words: []string{"not a feed", "empty"}, kind: "not a feed"},
		"/garbage":  {page: document("\x01\x02 lorem ipsum", ""), words: []string{"not a feed"}, kind: "not a feed"},
		"/picture":  {page: document("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", ""), words: []string{"not a feed"}, kind: "not a feed"},
		"/deep":     {page: document("<rss><channel>"+strings.Repeat("<a>", 100_000), ""), words: []string{"refused", "depth"}, kind: "limit"},
		"/good":     {page: document(rss("", "", stories(0, 5)), "")},
		"/good/too": {page: document(rss("", "", stories(5, 10)), "")},
	}

	storetest.Each(t, func(t *testing.T, s *store.Store) {
		hanging = make(chan struct{})
		site, clock := newPublisher(t), newClock()
		ids := map[string]feedonce.FeedID{}
		for path, c := range cases {
			host := site
			if c.wait > 0 {
				host = newPublisher(t) // which is left alone altogether
			}
			host.page(path, c.page)
			ids[path] = addFeed(t, s, host.URL+path, clock.Now())
		}
		results := make(chan Result, len(cases))
		o := options(t, s, clock)
		o.Client = localClient(t, fetch.Options{Timeout: 5 * time.Second, MaxBody: 1 << 20})
		o.OnResult = func(r Result) { results <- r }
		stop := running(t, New(o))
		got := map[feedonce.FeedID]Result{}
		for range cases {
			r := <-results
			got[r.Feed.ID] = r
		}
		stop()
		close(hanging)

		for path, c := range cases {
			f, r := feedOf(t, s, ids[path]), got[ids[path]]
			if len(c.words) == 0 {
				if r.Status != StatusNew || f.Error != "" || len(titles(t, s, f.ID)) != 5 {
					t.Errorf("%s: %s, error %q, titles %v", path, r.Status, f.Error, titles(t, s, f.ID))
				}
				continue
			}
			for _, word := range c.words {
				if !strings.Contains(f.Error, word) {
					t.Errorf("%s: the error does not say %q: %s", path, word, f.Error)
				}
			}
			if r.Status != StatusError || r.Err == nil || r.Err.Error() != f.Error || kindOf(r.Err) != c.kind {
				t.Errorf("%s: result %s, kind %q, %v; want kind %q and %s", path, r.Status, kindOf(r.Err), r.Err, c.kind, f.Error)
			}
			if f.Errors != 1 || !f.ErrorAt.Equal(monday) {
				t.Errorf("%s: %d errors, the last at %v", path, f.Errors, f.ErrorAt)
			}
			if want := cmpOr(c.state, feedonce.FeedActive); f.State != want {
				t.Errorf("%s: the feed is %s, want %s", path, f.State, want)
			}
			if c.state == feedonce.FeedGone {
				if !f.Schedule.NextPoll.IsZero() {
					t.Errorf("%s: is to be polled again at %v", path, f.Schedule.NextPoll)
				}
			} else if want := monday.Add(cmpOr(c.wait, 5*time.Minute)); !f.Schedule.NextPoll.Equal(want) {
				t.Errorf("%s: next try at %v, want %v", path, f.Schedule.NextPoll, want)
			}
			if n := len(titles(t, s, f.ID)); n != 0 {
				t.Errorf("%s: has %d articles", path, n)
			}
		}
	})
}

func cmpOr[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}

// zipped is a gzip bomb.
func zipped(n int64) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.CopyN(w, spaces{}, n)
	w.Close()
	return b.Bytes()
}

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// A feed that fails is tried again soon, then less and less often, by a running poller on a simulated clock; what the
// server asks for counts, and the first success ends it.
func TestBackoffSchedule(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		site, clock := newPublisher(t), newClock()
		site.page("/feed", status(500))
		id := addFeed(t, s, site.URL+"/feed", clock.Now())
		results := make(chan Result, 100)
		o := options(t, s, clock)
		o.OnResult = func(r Result) { results <- r }
		stop := running(t, New(o))
		var due time.Time
		for n, want := range []time.Duration{5, 10, 20, 40, 80, 160, 320, 640, 1280, 1440, 1440} {
			r := <-results
			f := feedOf(t, s, id)
			if r.Status != StatusError || f.Errors != n+1 {
				t.Fatalf("poll %d: %s, %d errors: %v", n, r.Status, f.Errors, r.Err)
			}
			due = f.Schedule.NextPoll
			if got := due.Sub(clock.Now()); got != want*time.Minute || !due.Equal(r.Next) {
				t.Fatalf("after %d failures the next try is in %v (%v), want %v", n+1, got, r.Next.Sub(clock.Now()), want*time.Minute)
			}
			if want == 1440 {
				site.page("/feed", status(503, "Retry-After", "90"))
			}
			clock.set(due.Add(5 * time.Second)) // the scheduler's step
		}
		if r := <-results; r.Status != StatusError {
			t.Fatalf("%s", r.Status)
		}
		site.serve("/feed", rss("", "", stories(0, 3)))
		clock.advance(24*time.Hour + time.Minute)
		if r := <-results; r.Status != StatusNew || r.Err != nil {
			t.Fatalf("%s: %v", r.Status, r.Err)
		}
		stop()
		if f := feedOf(t, s, id); f.Error != "" || f.Errors != 0 {
			t.Errorf("error %q, %d in a row", f.Error, f.Errors)
		}
	})
}

func TestErrorIsClearedByAnUnchangedPoll(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		site, clock := newPublisher(t), newClock()
		p := New(options(t, s, clock))
		id := addFeed(t, s, site.URL+"/feed", clock.Now())
		good := document(rss("", "", stories(0, 3)), `"1"`)
		site.page("/feed", good)
		poll(t, p, id)
		site.page("/feed", status(500))
		if _, err := p.Poll(context.Background(), id); err == nil {
			t.Fatal("no error")
		}
		if f := feedOf(t, s, id); f.Error == "" {
			t.Fatal("no error recorded")
		}
		if d := docOf(t, s, id); d.ETag != `"1"` {
			t.Errorf("a failed poll changed the validators to %q", d.ETag)
		}
		site.page("/feed", good)
		if r := poll(t, p, id); r.Status != StatusNotModified {
			t.Fatalf("%s", r.Status)
		}
		if f := feedOf(t, s, id); f.Error != "" || f.Errors != 0 {
			t.Errorf("error %q, %d in a row", f.Error, f.Errors)
		}
	})
}

// The journal says that the process ended three times while it read this feed.
func TestFeedThatEndsTheProcessIsPaused(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		site, clock := newPublisher(t), newClock()
		site.serve("/feed", rss("", "", stories(0, 3)))
		id := addFeed(t, s, site.URL+"/feed", clock.Now())
		// A journal as it stands after that: the feed, its strikes, and that it was being read.
		path := filepath.Join(t.TempDir(), "reading")
		var slot [16]byte
		binary.LittleEndian.PutUint64(slot[:], uint64(id))
		binary.LittleEndian.PutUint32(slot[8:], ingest.MaxStrikes-1)
		binary.LittleEndian.PutUint32(slot[12:], 1)
		if err := os.WriteFile(path, slot[:], 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := ingest.OpenJournal(path)
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		o := options(t, s, clock)
		o.Journal = j
		p := New(o)
		_, err = p.Poll(context.Background(), id)
		var strikes *ingest.StrikesError
		if f := feedOf(t, s, id); !errors.As(err, &strikes) || f.State != feedonce.FeedPaused || !strings.Contains(f.Error, "ended 3 times") {
			t.Fatalf("the feed is %s: %s (%v)", f.State, f.Error, err)
		}
		// A person resumes it, and it goes well.
		update(t, s, func(tx *store.Tx) error { return tx.SetFeedState(id, feedonce.FeedActive) })
		if r := poll(t, p, id); r.Status != StatusNew || j.Strikes(id) != 0 {
			t.Errorf("%s with %d strikes", r.Status, j.Strikes(id))
		}
	})
}

func TestPollOfNoFeed(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		_, err := New(options(t, s, newClock())).Poll(context.Background(), 77)
		if !errors.Is(err, feedonce.ErrNotFound) || !strings.Contains(err.Error(), "feed 77") {
			t.Errorf("got %v", err)
		}
	})
}
