package deliver_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/jobs"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

func each(t *testing.T, f func(t *testing.T, b *bench)) {
	storetest.Each(t, func(t *testing.T, s *store.Store) { f(t, newBench(t, s)) })
}

func TestMessagesAreSentInOrder(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		end := newEndpoint(t)
		d := b.destination(end.URL, feedonce.Route{})
		b.tell(d, b.entries(5)...)
		b.drain(d)
		want := []string{"Article 0", "Article 1", "Article 2", "Article 3", "Article 4"}
		if diff := cmp.Diff(want, end.titles()); diff != "" {
			t.Error("the endpoint was told (-want +got):\n" + diff)
		}
		if got := b.states(d); got[feedonce.DeliverySent] != 5 || len(got) != 1 {
			t.Errorf("states %v, want 5 sent", got)
		}
		b.drain(d)
		if end.requests != 5 {
			t.Errorf("%d requests for 5 messages", end.requests)
		}
		m := end.messages[0].Data.(map[string]any)
		if m["why"] != fmt.Sprint("https://reader.example.org/entries/", m["entry"]) || m["html"] != "<p>Text <b>0</b></p>" || m["text"] != "Text 0" {
			t.Errorf("message: %v", m)
		}
		if r := b.reload(d); r.LastOK.IsZero() || r.Error != "" {
			t.Errorf("health: %+v", r)
		}
	})
}

// An endpoint that is down for a day: nothing is lost, nothing given up, hardly anything asked, and then all of it is sent
// once, in an order that begins with what waited longest.
func TestEndpointIsDownForADay(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		end := newEndpoint(t)
		end.set(func(w http.ResponseWriter, _ int) (bool, bool) {
			w.WriteHeader(http.StatusBadGateway)
			return false, true
		})
		d := b.destination(end.URL, feedonce.Route{})
		until := b.clock.Now().Add(24 * time.Hour)
		for b.clock.Now().Before(until) {
			b.tell(d, b.entries(1)...)
			b.drain(d)
			b.clock.add(10 * time.Minute)
		}
		down := end.requests
		if down > 150 {
			t.Errorf("%d requests to an endpoint that was down for a day", down)
		}
		if got := b.states(d); got[feedonce.DeliveryDead] != 0 || got[feedonce.DeliverySent] != 0 {
			t.Errorf("states %v", got)
		}
		if r := b.reload(d); r.Errors < 5 || !r.OpenUntil.After(b.clock.Now().Add(-time.Hour)) || r.Error == "" {
			t.Errorf("health: %+v", r)
		}
		end.set(nil)
		for range 400 {
			b.drain(d)
			b.clock.add(15 * time.Minute)
		}
		if got := b.states(d); got[feedonce.DeliverySent] != int64(b.n) || len(got) != 1 {
			t.Errorf("states %v, want %d sent", got, b.n)
		}
		if got := end.titles(); len(got) != b.n {
			t.Errorf("%d messages arrived, of %d", len(got), b.n)
		}
		t.Logf("%d articles, %d requests while it was down", b.n, down)
	})
}

func TestWhatEndpointsAnswer(t *testing.T) {
	status := func(code int, header ...string) func(w http.ResponseWriter, n int) (bool, bool) {
		return func(w http.ResponseWriter, _ int) (bool, bool) {
			for i := 0; i+1 < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(code)
			return false, true
		}
	}
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter, n int) (bool, bool)
		state  feedonce.DeliveryState
		is     feedonce.DestinationState
		wait   time.Duration // at least, until the next attempt
	}{
		"accepted":        {nil, feedonce.DeliverySent, feedonce.DestinationActive, 0},
		"server error":    {status(500), feedonce.DeliveryRetry, feedonce.DestinationActive, 5 * time.Second},
		"too many":        {status(429, "Retry-After", "3600"), feedonce.DeliveryRetry, feedonce.DestinationActive, time.Hour},
		"bad request":     {status(400), feedonce.DeliveryDead, feedonce.DestinationActive, 0},
		"gone":            {status(410), feedonce.DeliveryPending, feedonce.DestinationDisabled, 0},
		"leads elsewhere": {status(302, "Location", "https://elsewhere.example.org/"), feedonce.DeliveryPending, feedonce.DestinationDisabled, 0},
		"lost after it was written": {func(w http.ResponseWriter, n int) (bool, bool) {
			panic(http.ErrAbortHandler)
		}, feedonce.DeliveryRetry, feedonce.DestinationActive, 5 * time.Second}, // a webhook drops copies
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, b *bench) {
				end := newEndpoint(t)
				end.Config.ErrorLog = nil
				end.answer = c.answer
				if name == "lost after it was written" {
					end.answer = nil
					end.Config.Handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
				}
				d := b.destination(end.URL, feedonce.Route{})
				b.tell(d, b.entries(1)...)
				b.drain(d)
				if got := b.states(d); got[c.state] != 1 {
					t.Errorf("states %v, want %s", got, c.state)
				}
				if r := b.reload(d); r.State != c.is {
					t.Errorf("the destination is %s, want %s", r.State, c.is)
				}
				var row feedonce.Delivery
				var attempts []feedonce.Attempt
				b.update(func(tx *store.Tx) error {
					rows, err := tx.Deliveries(store.DeliveryFilter{Destination: d.ID})
					if err != nil {
						return err
					}
					row = rows[0]
					attempts, err = tx.Attempts(row.ID)
					return err
				})
				if len(attempts) != 1 || (attempts[0].Error == "") != (c.state == feedonce.DeliverySent) {
					t.Errorf("attempts: %+v", attempts)
				}
				if c.wait > 0 && row.Due.Sub(b.clock.Now()) < c.wait {
					t.Errorf("tried again in %v, want at least %v", row.Due.Sub(b.clock.Now()), c.wait)
				}
			})
		})
	}
}

// A destination that is gone is switched off, and whoever wants notices is told; its messages wait, and go out when a person
// has put it right.
func TestGoneDestinationWaitsForAPerson(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		end, operator := newEndpoint(t), newEndpoint(t)
		end.set(func(w http.ResponseWriter, _ int) (bool, bool) {
			w.WriteHeader(http.StatusGone)
			return false, true
		})
		d := b.destination(end.URL, feedonce.Route{})
		b.clock.add(time.Second)
		o := b.destination(operator.URL, feedonce.Route{Notices: true, Include: []feedonce.Filter{{Text: "nothing has this"}}})
		b.tell(d, b.entries(3)...)
		b.drain(d)
		b.drain(d)
		if end.requests != 1 {
			t.Errorf("%d requests to an endpoint that is gone", end.requests)
		}
		b.drain(o)
		if len(operator.messages) != 1 || operator.messages[0].Type != "notice" {
			t.Errorf("the operator was told %+v", operator.messages)
		}
		end.set(nil)
		if err := b.e.Resume(context.Background(), d.ID); err != nil {
			t.Fatal(err)
		}
		b.drain(d)
		if got := end.titles(); len(got) != 3 {
			t.Errorf("sent after it was put right: %q", got)
		}
	})
}

// A process that was stopped for longer than its lease changes nothing when it goes on; what it was sending is settled by
// the next one.
func TestStoppedProcessIsFencedOff(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		end := newEndpoint(t)
		d := b.destination(end.URL, feedonce.Route{})
		b.tell(d, b.entries(2)...)
		other := b.engine()
		end.set(func(_ http.ResponseWriter, n int) (bool, bool) {
			if n == 1 { // the first message is on its way, and its process is stopped: another one takes over
				end.mu.Unlock()
				b.clock.add(10 * time.Minute)
				if err := other.Drain(context.Background(), d.ID); err != nil {
					t.Error(err)
				}
				b.clock.add(time.Minute)
				if err := other.Drain(context.Background(), d.ID); err != nil {
					t.Error(err)
				}
				end.mu.Lock()
			}
			return true, false
		})
		b.drain(d)
		b.clock.add(time.Hour)
		b.drain(d)
		if got := b.states(d); got[feedonce.DeliverySent] != 2 || len(got) != 1 {
			t.Errorf("states %v, want 2 sent", got)
		}
		if got := end.titles(); len(got) != 2 {
			t.Errorf("the endpoint accepted %q", got)
		}
	})
}

func TestTwoProcessesShareOneQueue(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		end := newEndpoint(t)
		d := b.destination(end.URL, feedonce.Route{})
		b.tell(d, b.entries(1)...)
		busy := 0
		end.set(func(http.ResponseWriter, int) (bool, bool) {
			var s *jobs.Snooze
			if err := b.e.Drain(context.Background(), d.ID); errors.As(err, &s) {
				busy++
			}
			return true, false
		})
		b.drain(d)
		if busy != 1 || end.requests != 1 {
			t.Errorf("%d times busy, %d requests", busy, end.requests)
		}
	})
}

func TestDigestIsOneMessage(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		end := newEndpoint(t)
		fail := true
		end.set(func(w http.ResponseWriter, _ int) (bool, bool) {
			if fail { // it was accepted, and nobody knows
				w.WriteHeader(http.StatusInternalServerError)
				return true, true
			}
			return true, false
		})
		d := b.destination(end.URL, feedonce.Route{Digest: &feedonce.Digest{Every: "day", Title: "The day"}})
		ids := b.entries(250)
		b.tell(d, ids...)
		b.drain(d)
		b.tell(d, b.entries(3)...) // come meanwhile, and belong to the next
		fail = false
		for range 4 {
			b.clock.add(10 * time.Minute)
			b.drain(d)
		}
		if len(end.messages) != 3 || end.requests < 4 {
			t.Fatalf("%d messages in %d requests", len(end.messages), end.requests)
		}
		if got := end.titles(); len(got) != 253 || len(slices.Compact(slices.Sorted(slices.Values(got)))) != 253 {
			t.Errorf("%d titles", len(got))
		}
		if data := end.messages[0].Data.(map[string]any); data["title"] != "The day" {
			t.Errorf("digest %v", data["title"])
		}
		if got := b.states(d); got[feedonce.DeliverySent] != 253 {
			t.Errorf("states %v", got)
		}
	})
}

// What became pointless while it waited is not sent.
func TestMergedArticlesAreNotTold(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		end := newEndpoint(t)
		d := b.destination(end.URL, feedonce.Route{})
		ids := b.entries(2)
		b.tell(d, ids...)
		b.update(func(tx *store.Tx) error { return tx.SetMerged(ids[1:], ids[0]) })
		b.drain(d)
		if got := b.states(d); got[feedonce.DeliverySent] != 1 || got[feedonce.DeliverySkipped] != 1 {
			t.Errorf("states %v", got)
		}
	})
}

func TestQuietHoursAndPace(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		end := newEndpoint(t)
		d := b.destination(end.URL, feedonce.Route{Quiet: []feedonce.Hours{{From: "11:00", To: "13:30"}}, Rate: feedonce.Rate{PerMinute: 30, Burst: 2}})
		b.tell(d, b.entries(4)...)
		b.drain(d)
		if end.requests != 0 {
			t.Error("sent in quiet hours")
		}
		b.clock.add(91 * time.Minute)
		start := b.clock.Now()
		b.drain(d)
		if end.requests != 4 || b.clock.Now().Sub(start) < 4*time.Second {
			t.Errorf("%d sent in %v, want 4, two of them 2 s apart", end.requests, b.clock.Now().Sub(start))
		}
	})
}

// Jobs do it all: what is queued in a transaction is sent without anybody calling Drain, also after a job was lost.
func TestJobsSendWhatIsQueued(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		b := newBench(t, s)
		b.clock = &clock{now: time.Now()}
		b.e = b.engine()
		end := newEndpoint(t)
		d := b.destination(end.URL, feedonce.Route{})
		arrived := make(chan struct{}, 10)
		end.set(func(http.ResponseWriter, int) (bool, bool) {
			arrived <- struct{}{}
			return true, false
		})
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- b.e.Run(ctx, jobs.Options{Poll: 50 * time.Millisecond}) }()
		wait := func(what string) {
			select {
			case <-arrived:
			case <-time.After(30 * time.Second):
				t.Fatalf("%s was not sent", what)
			}
		}
		b.tell(d, b.entries(1)...)
		wait("the first message")
		// A message that nobody was woken for.
		id := b.entries(1)[0]
		b.update(func(tx *store.Tx) error {
			_, err := tx.PutDeliveries([]feedonce.Delivery{{Destination: d.ID, Kind: feedonce.DeliverNew, Entry: id, Feed: b.feed.ID, State: feedonce.DeliveryPending, Created: b.clock.Now(), Due: b.clock.Now()}})
			return err
		})
		if err := b.e.Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		wait("a message that was forgotten")
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("the end: %v", err)
		}
	})
}

// An update is a message of its own.
func TestUpdateIsAMessageOfItsOwn(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		var kinds []string
		end := newEndpoint(t)
		d := b.destination(end.URL, feedonce.Route{})
		id := b.entries(1)[0]
		b.tell(d, id)
		b.drain(d)
		b.update(func(tx *store.Tx) error {
			if _, err := tx.PutDeliveries([]feedonce.Delivery{{Destination: d.ID, Kind: feedonce.DeliverUpdate, Entry: id, Feed: b.feed.ID, Revision: 2,
				State: feedonce.DeliveryPending, Created: b.clock.Now(), Due: b.clock.Now()}}); err != nil {
				return err
			}
			_, err := tx.Wake(d.ID, b.clock.Now())
			return err
		})
		b.drain(d)
		for _, m := range end.messages {
			kinds = append(kinds, m.Type)
		}
		if diff := cmp.Diff([]string{"article.new", "article.updated"}, kinds); diff != "" {
			t.Error(diff)
		}
	})
}
