package deliver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/deliver"
	"feedonce/internal/dest"
	"feedonce/internal/secret"
	"feedonce/internal/store"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// A clock is moved by hand; who waits for it moves it.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *clock) After(d time.Duration) <-chan time.Time {
	c.add(d)
	ch := make(chan time.Time, 1)
	ch <- c.Now()
	return ch
}

// An endpoint is a real HTTP server that records what it accepts, by the ID of the message.
type endpoint struct {
	*httptest.Server
	mu       sync.Mutex
	messages []dest.Payload
	requests int
	times    map[string]int // by message ID
	// answer, if set, answers instead of accepting; it returns true where the message counts as accepted all the same.
	answer func(w http.ResponseWriter, n int) (accepted, answered bool)
}

func newEndpoint(t *testing.T) *endpoint {
	e := &endpoint{times: map[string]int{}}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		var p dest.Payload
		if err := json.Unmarshal(body, &p); err != nil {
			t.Errorf("the endpoint got no JSON: %v in %.200q", err, body)
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		e.requests++
		accepted, answered := true, false
		if e.answer != nil {
			accepted, answered = e.answer(w, e.requests)
		}
		if accepted {
			if e.times[p.ID]++; e.times[p.ID] == 1 {
				e.messages = append(e.messages, p)
			}
		}
		if !answered {
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	t.Cleanup(e.Close)
	return e
}

// titles are the titles of what was accepted, in its order.
func (e *endpoint) titles() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var all []string
	for _, m := range e.messages {
		data := m.Data.(map[string]any)
		if m.Type != "digest" {
			all = append(all, fmt.Sprint(data["title"]))
			continue
		}
		for _, a := range data["articles"].([]any) {
			all = append(all, fmt.Sprint(a.(map[string]any)["title"]))
		}
	}
	return all
}

func (e *endpoint) set(answer func(w http.ResponseWriter, n int) (accepted, answered bool)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answer = answer
}

// A bench is an engine on a real database, with a feed whose articles are told by hand.
type bench struct {
	t     *testing.T
	s     *store.Store
	e     *deliver.Engine
	clock *clock
	feed  feedonce.Feed
	n     int
}

func newBench(t *testing.T, s *store.Store) *bench {
	b := &bench{t: t, s: s, clock: &clock{now: noon}}
	b.e = b.engine()
	b.update(func(tx *store.Tx) (err error) {
		b.feed, err = tx.AddFeed(store.NewFeed{URL: "https://news.example.org/feed", Title: "News", Added: noon})
		return err
	})
	return b
}

func (b *bench) engine() *deliver.Engine {
	return deliver.New(deliver.Options{
		Store: b.s, Box: secret.New([secret.KeySize]byte{7}, "a test"), URL: "https://reader.example.org/",
		Env: dest.Env{Client: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
			Dial: (&net.Dialer{}).DialContext, Exec: true},
		Now: b.clock.Now, After: b.clock.After, Rand: func() float64 { return 0 },
	})
}

func (b *bench) update(f func(tx *store.Tx) error) {
	b.t.Helper()
	if err := b.s.Update(context.Background(), f); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) destination(url string, r feedonce.Route) feedonce.Destination {
	b.t.Helper()
	d, _, err := b.e.Add(context.Background(), feedonce.Destination{Name: "test " + fmt.Sprint(b.clock.Now().UnixNano()), Kind: "webhook", Route: r}, dest.Settings{"url": url})
	if err != nil {
		b.t.Fatal(err)
	}
	return d
}

// entries stores new articles.
func (b *bench) entries(n int) []feedonce.EntryID {
	b.t.Helper()
	var ids []feedonce.EntryID
	b.update(func(tx *store.Tx) error {
		ids = nil
		for i := range n {
			k := b.n + i
			item := dedup.Item{GUID: fmt.Sprintf("post-%d", k), URL: fmt.Sprintf("https://news.example.org/%d", k), Title: fmt.Sprintf("Article %d", k), Content: fmt.Sprintf("<p>Text <b>%d</b></p>", k)}
			a := dedup.Admit(item, b.clock.Now(), nil, dedup.Policy{})
			id, err := tx.PutWhole(store.Whole{Feed: b.feed.ID, Entry: a.Entry, GUID: item.GUID, Title: item.Title, Marks: a.Marks, Revision: 1})
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return nil
	})
	b.n += n
	return ids
}

// tell queues messages about new articles.
func (b *bench) tell(d feedonce.Destination, ids ...feedonce.EntryID) {
	b.t.Helper()
	b.update(func(tx *store.Tx) error {
		var rows []feedonce.Delivery
		for _, id := range ids {
			rows = append(rows, feedonce.Delivery{Destination: d.ID, Kind: feedonce.DeliverNew, Entry: id, Feed: b.feed.ID, State: feedonce.DeliveryPending,
				Created: b.clock.Now(), Due: b.clock.Now()})
		}
		if _, err := tx.PutDeliveries(rows); err != nil {
			return err
		}
		_, err := tx.Wake(d.ID, b.clock.Now())
		return err
	})
}

func (b *bench) drain(d feedonce.Destination) {
	b.t.Helper()
	if err := b.e.Drain(context.Background(), d.ID); err != nil {
		b.t.Fatal(err)
	}
}

// states counts the deliveries of a destination by state.
func (b *bench) states(d feedonce.Destination) map[feedonce.DeliveryState]int64 {
	b.t.Helper()
	var of map[feedonce.DeliveryState]int64
	b.update(func(tx *store.Tx) error {
		counts, err := tx.DeliveryCounts()
		of = counts[d.ID]
		return err
	})
	return of
}

func (b *bench) reload(d feedonce.Destination) feedonce.Destination {
	b.t.Helper()
	b.update(func(tx *store.Tx) (err error) {
		d, err = tx.Destination(d.ID)
		return err
	})
	return d
}
