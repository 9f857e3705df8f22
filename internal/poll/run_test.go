package poll

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"feedonce"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// A host that answers nothing has more feeds due than there are workers; the other hosts' feeds are polled all the same.
func TestSlowHostDoesNotKeepTheWorkers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		slow, quick, clock := newPublisher(t), newPublisher(t), newClock()
		answer, let := gate(t)
		for i := range 40 { // added first, so due first
			path := fmt.Sprintf("/%d", i)
			slow.page(path, func(w http.ResponseWriter, r *http.Request) {
				<-answer
				document(rss("", "", stories(i, i+1)), "")(w, r)
			})
			addFeed(t, s, slow.URL+path, clock.Now().Add(-time.Hour))
		}
		for i := range 20 {
			path := fmt.Sprintf("/%d", i)
			quick.serve(path, rss("", "", stories(i, i+1)))
			addFeed(t, s, quick.URL+path, clock.Now())
		}
		results := make(chan Result, 100)
		o := options(t, s, clock)
		o.Workers, o.PerHost = 4, 2
		o.OnResult = func(r Result) { results <- r }
		running(t, New(o))
		for range 20 {
			if r := <-results; r.Err != nil || !strings.HasPrefix(r.Feed.URL, quick.URL) {
				t.Errorf("%s: %v", r.Feed.URL, r.Err)
			}
		}
		let()
		for range 40 {
			if r := <-results; r.Err != nil || !strings.HasPrefix(r.Feed.URL, slow.URL) {
				t.Errorf("%s: %v", r.Feed.URL, r.Err)
			}
		}
	})
}

// Claims that wait for half their lease are given back, and polled when the host is well again.
func TestClaimsOfASlowHostAreGivenBack(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		slow, quick, clock := newPublisher(t), newPublisher(t), newClock()
		asked := make(chan struct{}, 10)
		answer, let := gate(t)
		for i := range 3 {
			path := fmt.Sprintf("/%d", i)
			slow.page(path, func(w http.ResponseWriter, r *http.Request) {
				asked <- struct{}{}
				<-answer
				document(rss("", "", stories(i, i+1)), "")(w, r)
			})
			addFeed(t, s, slow.URL+path, clock.Now())
		}
		quick.serve("/", rss("", "", stories(7, 8)))
		results := make(chan Result, 10)
		o := options(t, s, clock)
		o.PerHost = 1
		o.OnResult = func(r Result) { results <- r }
		p := New(o)
		running(t, p)
		<-asked
		// A feed that is due just then shows that the dispatcher has been round.
		const later = 61 * time.Second // than half the default lease
		addFeed(t, s, quick.URL+"/", clock.Now().Add(later))
		clock.advance(later)
		if r := <-results; r.Err != nil || r.Feed.URL != quick.URL+"/" {
			t.Fatalf("%s: %v", r.Feed.URL, r.Err)
		}
		if n := counter(t, p, "feedonce_claims_returned_total"); n != 2 {
			t.Errorf("%v claims were given back, want 2", n)
		}
		let()
		if r := <-results; r.Err != nil {
			t.Fatal(r.Err)
		}
		// Both are due, claimed together and polled one after the other: the clock must not run away from the second.
		clock.advance(10 * time.Minute)
		for range 2 {
			if r := <-results; r.Err != nil || r.Status != StatusNew {
				t.Fatalf("%s: %s, %v", r.Feed.URL, r.Status, r.Err)
			}
		}
	})
}

// gate is a channel that handlers wait for, and how to let them through; a test that fails does so as well.
func gate(t *testing.T) (<-chan struct{}, func()) {
	c := make(chan struct{})
	let := sync.OnceFunc(func() { close(c) })
	t.Cleanup(let)
	return c, let
}

// counter reads a counter or gauge without labels as a scrape would.
func counter(t *testing.T, c prometheus.Collector, name string) float64 {
	t.Helper()
	r := prometheus.NewPedanticRegistry()
	if err := r.Register(c); err != nil {
		t.Fatal(err)
	}
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			m := f.GetMetric()[0]
			return m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	t.Fatalf("there is no %s", name)
	return 0
}

// At the end of Run the polls under way are finished, and nothing is claimed any more.
func TestCleanEnd(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		site, clock := newPublisher(t), newClock()
		asked := make(chan struct{})
		answer, let := gate(t)
		site.page("/1", func(w http.ResponseWriter, r *http.Request) {
			close(asked)
			<-answer
			document(rss("", "", stories(0, 3)), "")(w, r)
		})
		site.serve("/2", rss("", "", stories(0, 3)))
		one := addFeed(t, s, site.URL+"/1", clock.Now())
		two := addFeed(t, s, site.URL+"/2", clock.Now())
		o := options(t, s, clock)
		o.PerHost = 1 // so that the second feed is claimed and waits
		p := New(o)
		ctx, end := context.WithCancel(context.Background())
		done := make(chan error)
		go func() { done <- p.Run(ctx) }()
		<-asked
		end()
		let()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if got := len(titles(t, s, one)); got != 3 {
			t.Errorf("the poll under way stored %d articles, want 3", got)
		}
		if n := site.requests("/2"); n != 0 {
			t.Errorf("the waiting feed was asked for %d times", n)
		}
		// It is due, and nobody has a lease on it.
		var claims []store.Claim
		update(t, s, func(tx *store.Tx) (err error) {
			claims, err = tx.Claim(clock.Now(), 10, time.Minute)
			return err
		})
		if len(claims) != 1 || claims[0].Feed.ID != two {
			t.Errorf("claimed after the end: %+v", claims)
		}
	})
}

// Polls that go on for longer than the grace are cut off: no error for the feed, and due again.
func TestPollsAreCutOffAfterTheGrace(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		site, clock := newPublisher(t), newClock()
		asked := make(chan struct{})
		site.page("/", func(w http.ResponseWriter, r *http.Request) {
			close(asked)
			<-r.Context().Done()
		})
		id := addFeed(t, s, site.URL+"/", clock.Now())
		results := make(chan Result, 1)
		o := options(t, s, clock)
		o.After = soon // the grace is over at once
		o.OnResult = func(r Result) { results <- r }
		stop := running(t, New(o))
		<-asked
		stop()
		r := <-results
		if f := feedOf(t, s, id); r.Status != StatusError || !errors.Is(r.Err, context.Canceled) || f.Error != "" || f.Errors != 0 || !f.Schedule.NextPoll.Equal(clock.Now()) {
			t.Errorf("%s: %v; the feed's error is %q, %d in a row, next poll %v", r.Status, r.Err, f.Error, f.Errors, f.Schedule.NextPoll)
		}
	})
}

// What is counted of unchanged polls is stored when the hour is over.
func TestCountsAreStoredByTheHour(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		site, clock := newPublisher(t), newClock()
		site.serve("/", rss("", "", stories(0, 10)))
		id := addFeed(t, s, site.URL+"/", clock.Now())
		results := make(chan Result, 100)
		o := options(t, s, clock)
		o.OnResult = func(r Result) { results <- r }
		p := New(o)
		stop := running(t, p)
		<-results
		stored := func() feedonce.Counts {
			var c map[feedonce.FeedID]feedonce.Counts
			view(t, s, func(tx *store.Tx) (err error) {
				c, err = tx.FeedCounts(monday)
				return err
			})
			return c[id]
		}
		for range 3 {
			poll := make(chan struct{})
			go func() { p.Poll(context.Background(), id); close(poll) }()
			<-results
			<-poll
		}
		if diff := cmp.Diff(feedonce.Counts{New: 10}, stored()); diff != "" {
			t.Errorf("within the hour (-want +got):\n%s", diff)
		}
		clock.advance(25 * time.Hour)
		<-results // due again; the dispatcher has seen the new hour
		if diff := cmp.Diff(feedonce.Counts{New: 10, Unchanged: 30}, stored()); diff != "" {
			t.Errorf("after the hour (-want +got):\n%s", diff)
		}
		stop()
		if diff := cmp.Diff(feedonce.Counts{New: 10, Unchanged: 40}, stored()); diff != "" {
			t.Errorf("at the end (-want +got):\n%s", diff)
		}
	})
}

// A feed whose interval is shorter than the lease is not kept by it.
func TestShortIntervals(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		site, clock := newPublisher(t), newClock()
		var n int
		var mu sync.Mutex
		site.page("/", func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			n++
			body := rss("", "", stories(0, n))
			mu.Unlock()
			document(body, "")(w, r)
		})
		id := addFeed(t, s, site.URL+"/", clock.Now())
		results := make(chan Result, 100)
		o := options(t, s, clock)
		o.Step, o.Min, o.Max = 100*time.Millisecond, time.Second, time.Second
		o.OnResult = func(r Result) { results <- r }
		running(t, New(o))
		for range 10 {
			if r := <-results; r.Status != StatusNew || r.Err != nil {
				t.Fatalf("%s: %v", r.Status, r.Err)
			}
			clock.advance(2 * time.Second)
		}
		if got := len(titles(t, s, id)); got < 10 {
			t.Errorf("%d articles after 10 polls in 20 seconds", got)
		}
	})
}

func TestMetricsAreWellFormed(t *testing.T) {
	r := prometheus.NewPedanticRegistry()
	if err := r.Register(New(Options{})); err != nil {
		t.Fatal(err)
	}
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range families {
		names = append(names, f.GetName())
		if f.GetHelp() == "" {
			t.Errorf("%s has no help", f.GetName())
		}
	}
	for _, want := range []string{"feedonce_polls_total", "feedonce_arrivals_total", "feedonce_poll_late_seconds", "feedonce_accounting_violations_total"} {
		if !slices.Contains(names, want) {
			t.Errorf("there is no %s in %v", want, names)
		}
	}
}
