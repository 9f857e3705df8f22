package poll

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"feedonce"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// Two workers, and two people who poll by hand at the same moment, on one feed whose document is another one at every
// request: each brings a new article and drops the oldest of twenty, and every fifth is edited. Every article is stored
// once, told as new once, and none is lost.
func TestManyPollOneFeed(t *testing.T) {
	t.Run("postgres", func(t *testing.T) {
		dsn := storetest.Postgres(t)
		manyPollOneFeed(t, 300, storetest.Open(t, dsn), storetest.Open(t, dsn))
	})
	t.Run("sqlite", func(t *testing.T) {
		s := storetest.Open(t, storetest.SQLite(t))
		manyPollOneFeed(t, 50, s, s)
	})
	// A server and a command line on one file wait for each other, for tenths of seconds.
	t.Run("sqlite twice", func(t *testing.T) {
		dsn := storetest.SQLite(t)
		manyPollOneFeed(t, 15, storetest.Open(t, dsn), storetest.Open(t, dsn))
	})
}

func manyPollOneFeed(t *testing.T, rounds int, stores ...*store.Store) {
	site, clock := newPublisher(t), newClock()
	var requests atomic.Int64
	site.page("/feed", func(w http.ResponseWriter, r *http.Request) {
		n := int(requests.Add(1))
		list := stories(max(0, n-20), n)
		for i := range list {
			if n%5 == 0 && i == len(list)/2 {
				list[i].text += fmt.Sprintf("<p>Put right in edition %d.</p>", n)
			}
		}
		document(rss(fmt.Sprint(n), "", list), fmt.Sprintf("%q", fmt.Sprint(n)))(w, r)
	})
	var mu sync.Mutex
	var counted feedonce.Counts
	told := map[feedonce.EntryID]int{}
	var faults []string
	polls := map[string]int{}
	onResult := func(r Result) {
		mu.Lock()
		defer mu.Unlock()
		polls[r.Status]++
		counted.Add(r.Report.Counts)
		for _, id := range r.Report.New {
			told[id]++
		}
		if r.Err != nil {
			faults = append(faults, fmt.Sprintf("%v (%v)", r.Err, errors.Unwrap(r.Err)))
		}
	}
	var pollers []*Poller
	for _, s := range stores {
		o := options(t, s, clock)
		o.Min, o.Max = 5*time.Minute, 5*time.Minute
		o.Lease = 1000 * time.Hour // the clock goes on while polls are under way: leases end when they are given back
		o.OnResult = onResult
		pollers = append(pollers, New(o))
	}
	id := addFeed(t, stores[0], site.URL+"/feed", clock.Now())
	var stops []func()
	for _, p := range pollers {
		stops = append(stops, running(t, p))
	}
	for range rounds {
		var people sync.WaitGroup
		for _, p := range pollers {
			people.Go(func() { p.Poll(context.Background(), id) })
		}
		people.Wait()
		clock.advance(6 * time.Minute)
	}
	for _, stop := range stops {
		stop()
	}
	poll(t, pollers[0], id)

	mu.Lock()
	defer mu.Unlock()
	for _, f := range faults {
		t.Errorf("a poll failed: %s", f)
	}
	n := int(requests.Load())
	t.Logf("%d requests; polls %v; %+v; decided again %v and %v times", n, polls, counted,
		counter(t, pollers[0], "feedonce_document_conflicts_total"), counter(t, pollers[1], "feedonce_document_conflicts_total"))
	if n < 2*rounds {
		t.Errorf("the feed was asked for %d times in %d rounds", n, rounds)
	}
	got := titles(t, stores[0], id)
	for i := range n {
		if k := got[story(i).title]; k != 1 {
			t.Errorf("%q is there %d times", story(i).title, k)
		}
		delete(got, story(i).title)
	}
	if len(got) > 0 {
		t.Errorf("there are articles that were never published: %v", got)
	}
	if int(counted.New) != n || len(told) != n {
		t.Errorf("%d articles were counted as new and %d told, want %d", counted.New, len(told), n)
	}
	for id, k := range told {
		if k != 1 {
			t.Errorf("entry %d was told %d times", id, k)
		}
	}
}

// A worker is stopped for longer than its lease, as by SIGSTOP, with a document in its hands. Another worker polls the
// feed meanwhile. The first one, when it goes on, stores nothing.
func TestStaleWorkerStoresNothing(t *testing.T) {
	storetest.EachDSN(t, func(t *testing.T, dsn string) {
		site, clock := newPublisher(t), newClock()
		asked := make(chan struct{})
		hand, let := gate(t)
		var requests atomic.Int64
		site.page("/feed", func(w http.ResponseWriter, r *http.Request) {
			if requests.Add(1) == 1 {
				asked <- struct{}{}
				<-hand
				document(rss("", "", append(stories(0, 5), article{guid: "ghost", title: "Withdrawn at once", text: "<p>Nobody should read this any more.</p>"})), `"old"`)(w, r)
				return
			}
			document(rss("", "", stories(0, 6)), `"new"`)(w, r)
		})
		start := func(results chan Result) (*store.Store, func()) {
			s := storetest.Open(t, dsn)
			o := options(t, s, clock)
			o.Workers = 1 // so that it does not poll twice at once itself
			o.OnResult = func(r Result) { results <- r }
			return s, running(t, New(o))
		}
		stopped, other := make(chan Result, 1), make(chan Result, 1)
		s, stop := start(stopped)
		id := addFeed(t, s, site.URL+"/feed", clock.Now())
		clock.advance(5 * time.Second)
		<-asked

		clock.advance(time.Hour)
		_, stopOther := start(other)
		if r := <-other; r.Status != StatusNew || r.Report.Counts.New != 6 {
			t.Fatalf("the other worker: %s, %+v, %v", r.Status, r.Report.Counts, r.Err)
		}
		stopOther()
		before, doc := storetest.Rows(t, s), docOf(t, s, id)

		let()
		r := <-stopped
		stop()
		if !errors.Is(r.Err, feedonce.ErrFenced) || len(r.Report.New) > 0 {
			t.Errorf("the stopped worker: %s, %v, stored %v", r.Status, r.Err, r.Report.New)
		}
		after := storetest.Rows(t, s)
		for _, table := range []string{"entries", "entry_keys", "entry_bodies", "decisions", "feed_hours"} {
			if before[table] != after[table] {
				t.Errorf("%s had %d rows, now %d", table, before[table], after[table])
			}
		}
		if got := titles(t, s, id); len(got) != 6 || got["Withdrawn at once"] > 0 {
			t.Errorf("articles: %v", got)
		}
		if got := docOf(t, s, id); got.Seq != doc.Seq || got.ETag != `"new"` {
			t.Errorf("the document went from %d to %d, its ETag is %s", doc.Seq, got.Seq, got.ETag)
		}
		if f := feedOf(t, s, id); f.Error != "" {
			t.Errorf("the feed has the error %q", f.Error)
		}
	})
}

// A document of 100,000 items is read as far as the limit, says so, and does not take the machine.
func TestHundredThousandItems(t *testing.T) {
	var b strings.Builder
	b.WriteString(`<rss version="2.0"><channel><title>All of them</title>`)
	for i := range 100_000 {
		fmt.Fprintf(&b, `<item><guid>%d</guid><title>Item number %d</title><link>https://all.example/%d</link></item>`, i, i, i)
	}
	b.WriteString(`</channel></rss>`)
	if b.Len() > 10<<20 {
		t.Fatalf("the document has %d bytes, more than the fetch takes", b.Len())
	}
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		site, clock := newPublisher(t), newClock()
		site.serve("/feed", b.String())
		p := New(options(t, s, clock))
		id := addFeed(t, s, site.URL+"/feed", clock.Now())
		for _, want := range []struct {
			status string
			counts feedonce.Counts
		}{{StatusNew, feedonce.Counts{New: 5000}}, {StatusUnchanged, feedonce.Counts{Unchanged: 5000}}} {
			r := poll(t, p, id)
			if r.Status != want.status || r.Report.Counts != want.counts {
				t.Errorf("%s, %+v; want %s, %+v", r.Status, r.Report.Counts, want.status, want.counts)
			}
		}
		if f := feedOf(t, s, id); !strings.Contains(f.Warning, "100000 items") || !strings.Contains(f.Warning, "first 5000") {
			t.Errorf("the warning is %q", f.Warning)
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if m.Sys > 512<<20 {
			t.Errorf("the process took %d MiB", m.Sys>>20)
		}
		t.Logf("%d MiB from the system, %d MiB of heap in use", m.Sys>>20, m.HeapInuse>>20)
	})
}
