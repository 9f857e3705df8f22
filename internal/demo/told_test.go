package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/deliver"
	"feedonce/internal/dest"
	"feedonce/internal/secret"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// TestKillTold kills the program while it polls and sends, against an endpoint that fails half of the time: before or after
// it has taken the message, by an error or by hanging up. The endpoint drops copies by the message's ID, as the Standard
// Webhooks specification asks of it. In the end every article that was to be told has been told exactly once.
func TestKillTold(t *testing.T) {
	kills := killsFromEnv(t, 8)
	program := buildProgram(t)
	storetest.EachDSN(t, func(t *testing.T, dsn string) {
		seed := rand.Uint64()
		r := rand.New(rand.NewPCG(seed, 0))
		stand := newStand(24)
		srv := httptest.NewServer(stand)
		defer srv.Close()
		sink := newSink(seed)
		end := httptest.NewServer(sink)
		defer end.Close()
		feeds := stand.follow(t, dsn, srv.URL)

		key := [secret.KeySize]byte{1, 2, 3}
		st := storetest.Open(t, dsn)
		engine := deliver.New(deliver.Options{Store: st, Box: secret.New(key, "the test"),
			Env: dest.Env{Client: http.DefaultClient, Dial: (&net.Dialer{}).DialContext}})
		d, _, err := engine.Add(t.Context(), feedonce.Destination{Name: "sink", Kind: "webhook", Route: feedonce.Route{Scope: feedonce.ScopeFeed, Rate: feedonce.Rate{PerMinute: 600_000, Burst: 1000}}},
			dest.Settings{"url": end.URL})
		if err != nil {
			t.Fatal(err)
		}
		run := &runner{program: program, dsn: dsn, home: t.TempDir(), env: []string{fmt.Sprintf("FEEDONCE_SECRET_KEY=%x", key)}}
		for range kills {
			run.untilKilled(t, stand, 1+r.IntN(3*len(feeds)), time.Duration(r.Int64N(int64(150*time.Millisecond))))
			hurry(t, st, d.ID)
		}
		stand.stop()
		names := []string{"poll"}
		for _, id := range feeds {
			names = append(names, fmt.Sprint(id))
		}
		run.command(t, names...)
		during := sink.accepted()
		sink.heal()
		for range 10 {
			hurry(t, st, d.ID)
			revive(t, st, engine, d.ID)
			waiting, err := engine.Once(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if waiting == 0 {
				break
			}
		}
		stand.check(t, dsn, feeds)
		sink.check(t, st, d.ID)
		t.Logf("%d kills, seed %d: %d messages with %d articles, %d of them before the end; %d requests, %d copies dropped, %d failed on purpose",
			kills, seed, sink.accepted(), len(sink.titles), during, sink.requests, sink.copies, sink.failed)
	})
}

// hurry lets the time pass that is waited after a failure or a killed process: what is to be tried again is due, the lease of
// the process that was killed is over, and the breaker is closed.
func hurry(t *testing.T, st *store.Store, id feedonce.DestinationID) {
	t.Helper()
	err := st.Update(context.Background(), func(tx *store.Tx) error {
		now := time.Now()
		for _, q := range []string{
			`update destinations set lease_until = 0, open_until = null, errors = 0 where id = $1`,
			`update deliveries set due_at = 0 where destination_id = $1 and state = 'retry'`,
		} {
			if _, err := tx.Exec(q, int64(id)); err != nil {
				return err
			}
		}
		return tx.Rouse(id, now)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// revive sends again what was given up: an endpoint that fails half of the time uses up all attempts of some messages.
func revive(t *testing.T, st *store.Store, engine *deliver.Engine, id feedonce.DestinationID) {
	t.Helper()
	var dead []feedonce.DeliveryID
	err := st.View(t.Context(), func(tx *store.Tx) error {
		rows, err := tx.Deliveries(store.DeliveryFilter{Destination: id, State: feedonce.DeliveryDead, Limit: 1_000_000})
		dead = nil
		for _, r := range rows {
			dead = append(dead, r.ID)
		}
		return err
	})
	if err == nil {
		_, err = engine.Retry(t.Context(), dead)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A sink takes messages and drops copies.
type sink struct {
	mu       sync.Mutex
	r        *rand.Rand
	healthy  bool
	seen     map[string]bool
	titles   []string
	requests int
	copies   int
	failed   int
}

func newSink(seed uint64) *sink {
	return &sink{r: rand.New(rand.NewPCG(seed, 1)), seen: map[string]bool{}}
}

func (s *sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // it was killed while it wrote
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	how := s.r.IntN(6)
	if s.healthy {
		how = 5
	}
	if how < 3 {
		s.failed++
	}
	if how == 0 {
		http.Error(w, "not today", http.StatusInternalServerError)
		return
	}
	id := r.Header.Get("webhook-id")
	if s.seen[id] {
		s.copies++
	} else {
		s.seen[id] = true
		s.take(body)
	}
	switch how {
	case 1: // taken, and not said so
		http.Error(w, "it was taken, but who knows", http.StatusInternalServerError)
	case 2:
		panic(http.ErrAbortHandler)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

// take notes the titles of a message.
func (s *sink) take(body []byte) {
	var p struct {
		Type string
		Data struct {
			Title    string
			Feed     struct{ ID int64 }
			Articles []struct {
				Title string
				Feed  struct{ ID int64 }
			}
		}
	}
	if err := json.Unmarshal(body, &p); err != nil {
		s.titles = append(s.titles, "no JSON: "+string(body[:min(80, len(body))]))
		return
	}
	if p.Type != "digest" {
		s.titles = append(s.titles, fmt.Sprint(p.Data.Feed.ID, " ", p.Data.Title))
	}
	for _, a := range p.Data.Articles {
		s.titles = append(s.titles, fmt.Sprint(a.Feed.ID, " ", a.Title))
	}
}

func (s *sink) heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.healthy = true
}

func (s *sink) accepted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.seen)
}

// check compares what arrived with what was decided.
func (s *sink) check(t *testing.T, st *store.Store, id feedonce.DestinationID) {
	t.Helper()
	var want []string
	var counts map[feedonce.DeliveryState]int64
	err := st.View(t.Context(), func(tx *store.Tx) error {
		all, err := tx.Decisions(store.DecisionFilter{Outcomes: []string{string(dedup.New)}, Limit: 1_000_000})
		if err != nil {
			return err
		}
		want = nil
		for _, d := range all {
			if d.Told || d.Quiet == dedup.QuietMany {
				want = append(want, fmt.Sprint(d.Feed, " ", d.Title))
			}
		}
		of, err := tx.DeliveryCounts()
		counts = of[id]
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	got := slices.Sorted(slices.Values(s.titles))
	slices.Sort(want)
	if len(counts) != 1 || counts[feedonce.DeliverySent] != int64(len(want)) {
		t.Errorf("deliveries by state: %v, want %d sent", counts, len(want))
	}
	if slices.Equal(got, want) {
		return
	}
	for i, x := range got {
		if i > 0 && got[i-1] == x {
			t.Errorf("told twice: %s", x)
		}
		if _, ok := slices.BinarySearch(want, x); !ok {
			t.Errorf("told, though it was not to be: %s", x)
		}
	}
	for _, x := range want {
		if _, ok := slices.BinarySearch(got, x); !ok {
			t.Errorf("lost: %s", x)
		}
	}
}
