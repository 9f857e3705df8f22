package web

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// A clock ticks when a test says so.
type clock struct{ c chan time.Time }

func (c clock) ticker(time.Duration) *time.Ticker {
	t := time.NewTicker(time.Hour)
	t.C = c.c
	return t
}

// journal is a log of decisions in memory.
type journal struct {
	mu    sync.Mutex
	list  []feedonce.Decision // latest first
	asked int
	err   error
}

func (j *journal) add(feed feedonce.FeedID, outcome dedup.Outcome) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.list = append([]feedonce.Decision{{ID: int64(len(j.list)) + 1, Feed: feed, Outcome: string(outcome)}}, j.list...)
}

func (j *journal) latest(_ context.Context, _ int64) ([]feedonce.Decision, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.asked++
	return j.list, j.err
}

func TestHub(t *testing.T) {
	defer goleak.VerifyNone(t)
	j, c := &journal{}, clock{make(chan time.Time)}
	h := newHub(j.latest, c.ticker)
	must := func(heard chan news, want news) {
		t.Helper()
		if diff := cmp.Diff(want, <-heard); diff != "" {
			t.Errorf("news (-want +got):\n%s", diff)
		}
	}
	listen := func(after int64) (chan news, func()) {
		t.Helper()
		heard, leave, err := h.listen(t.Context(), 0, after)
		if err != nil {
			t.Fatal(err)
		}
		return heard, leave
	}
	j.add(7, dedup.New)
	j.add(7, dedup.Updated)
	a, leaveA := listen(1)
	must(a, news{ID: 2, Updated: map[feedonce.FeedID]int64{7: 1}})
	b, leaveB := listen(0)
	must(b, news{ID: 2, New: map[feedonce.FeedID]int64{7: 1}, Updated: map[feedonce.FeedID]int64{7: 1}})

	j.add(8, dedup.New)
	j.add(8, dedup.New)
	j.add(9, dedup.Duplicate)
	c.c <- now
	want := news{ID: 5, New: map[feedonce.FeedID]int64{8: 2}}
	must(a, want)
	must(b, want)

	j.mu.Lock()
	j.err, j.asked = errors.New("the database is away"), 0
	j.mu.Unlock()
	j.add(8, dedup.New)
	c.c <- now
	c.c <- now // the beat before is over, and nobody heard anything
	j.mu.Lock()
	j.err = nil
	j.mu.Unlock()
	c.c <- now
	must(a, news{ID: 6, New: map[feedonce.FeedID]int64{8: 1}})
	must(b, news{ID: 6, New: map[feedonce.FeedID]int64{8: 1}})
	select {
	case n := <-a:
		t.Errorf("heard more: %+v", n)
	default:
	}

	leaveA()
	leaveA()
	leaveB()
	h.mu.Lock()
	if len(h.listeners) != 0 {
		t.Errorf("%d listeners are left", len(h.listeners))
	}
	h.mu.Unlock()
	// Nobody listens: the hub's goroutine ends (goleak says so), and a new listener starts another.
	d, leaveD := listen(5)
	must(d, news{ID: 6, New: map[feedonce.FeedID]int64{8: 1}})
	j.add(1, dedup.New)
	c.c <- now
	must(d, news{ID: 7, New: map[feedonce.FeedID]int64{1: 1}})
	leaveD()
}

// TestHubDropsTheSlow has a listener that does not read: the others go on, and its channel is closed.
func TestHubDropsTheSlow(t *testing.T) {
	defer goleak.VerifyNone(t)
	j, c := &journal{}, clock{make(chan time.Time)}
	h := newHub(j.latest, c.ticker)
	slow, leaveSlow, err := h.listen(t.Context(), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer leaveSlow()
	quick, leaveQuick, err := h.listen(t.Context(), 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer leaveQuick()
	<-quick
	for range cap(slow) + 1 {
		j.add(1, dedup.New)
		c.c <- now
		<-quick
	}
	n := 0
	for range slow {
		n++
	}
	if n != cap(slow) {
		t.Errorf("the slow listener got %d news before it was dropped, want %d", n, cap(slow))
	}
}

// TestEvents reads the stream over HTTP while articles are stored by somebody else, breaks off, and comes back.
func TestEvents(t *testing.T) {
	st := storetest.Open(t, storetest.SQLite(t))
	s := newSite(t, st)
	c := clock{make(chan time.Time)}
	web := &server{Options: Options{Store: st, Now: func() time.Time { return now }, Location: time.UTC}, pages: pages()}
	web.live = newHub(web.latest, c.ticker)
	srv := httptest.NewServer(web.guard(web.adapt(func(w http.ResponseWriter, r *http.Request) error {
		return web.events(w, r.WithContext(context.WithValue(r.Context(), userKey{}, feedonce.User{ID: 1})))
	})))
	defer srv.Close()
	f := s.addFeed(store.NewFeed{URL: "https://a.example/feed"})
	n := 0
	arrive := func() {
		n++
		item := dedup.Item{GUID: fmt.Sprint(n), Title: "x"}
		s.apply(store.Ingest{Feed: f.ID, Items: []store.IngestItem{{Item: item}}}, []dedup.Decision{newEntry(0, item, now)})
	}
	arrive()
	open := func(path, last string) (*bufio.Scanner, func()) {
		t.Helper()
		r, err := http.NewRequest(http.MethodGet, srv.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if last != "" {
			r.Header.Set("Last-Event-ID", last)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if got := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK || got != "text/event-stream" {
			t.Fatalf("status %d, Content-Type %q", res.StatusCode, got)
		}
		return bufio.NewScanner(res.Body), func() { res.Body.Close() }
	}
	next := func(in *bufio.Scanner, want string) {
		t.Helper()
		var id, data string
		for in.Scan() && in.Text() != "" {
			if v, ok := strings.CutPrefix(in.Text(), "id: "); ok {
				id = v
			}
			if v, ok := strings.CutPrefix(in.Text(), "data: "); ok {
				data = v
			}
		}
		var got news
		if err := json.Unmarshal([]byte(data), &got); err != nil || id != "" && id != fmt.Sprint(got.ID) || id == "" && got.ID != 0 || data != want {
			t.Fatalf("event id %q, data %s, %v; want %s", id, data, err, want)
		}
	}
	in, end := open("/events?after=1", "")
	next(in, `{"id":1}`)
	arrive()
	arrive()
	c.c <- now
	next(in, `{"id":3,"new":{"1":2}}`)
	web.live.touch(2)
	web.live.touch(1)
	next(in, `{"read":true}`)
	// What is not followed is not heard of, but time goes on.
	s.update(func(tx *store.Tx) error { return tx.Unfollow(1, f.ID) })
	arrive()
	c.c <- now
	next(in, `{"id":4}`)
	s.update(func(tx *store.Tx) error { return tx.FollowAll(f.ID, "", now) })
	end()
	arrive()
	in, end = open("/events?after=1", "4")
	next(in, `{"id":5,"new":{"1":1}}`)
	end()
}
