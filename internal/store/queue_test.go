package store_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"feedonce"
	"feedonce/internal/jobs"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

const leaseTime = 2 * time.Minute

func leaseDestination(t testing.TB, s *store.Store, id feedonce.DestinationID, now time.Time) store.Lease {
	t.Helper()
	var l store.Lease
	update(t, s, func(tx *store.Tx) (err error) {
		l, err = tx.LeaseDestination(id, now, now.Add(leaseTime))
		return err
	})
	return l
}

func release(t testing.TB, s *store.Store, l store.Lease) {
	t.Helper()
	update(t, s, func(tx *store.Tx) error { return tx.ReleaseDestination(l.Destination.ID, l.Fence) })
}

func wake(t testing.TB, s *store.Store, id feedonce.DestinationID, due time.Time) bool {
	t.Helper()
	var woken bool
	update(t, s, func(tx *store.Tx) (err error) {
		woken, err = tx.Wake(id, due)
		return err
	})
	return woken
}

// woken returns when a job is queued for; the zero time: none is.
func woken(t testing.TB, s *store.Store, id feedonce.DestinationID) time.Time {
	t.Helper()
	us := read(t, s, func(tx *store.Tx) (us int64, err error) {
		err = tx.QueryRow(`select coalesce(wake_at, 0) from destinations where id = $1`, int64(id)).Scan(&us)
		return us, err
	})
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

// queued returns the number of jobs that wait.
func queued(t testing.TB, s *store.Store) int {
	t.Helper()
	return read(t, s, func(tx *store.Tx) (n int, err error) {
		err = tx.QueryRow(`select count(*) from river_job where state in ('available', 'scheduled')`).Scan(&n)
		return n, err
	})
}

func TestOneJobForADestination(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		id := addDestination(t, s, "d")
		later, now := start.Add(time.Hour), start
		steps := []struct {
			what  string
			due   time.Time
			woken bool
			at    time.Time
			jobs  int
		}{
			{"the first", later, true, later, 1},
			{"the same again", later, false, later, 1},
			{"later still", later.Add(time.Hour), false, later, 1},
			{"earlier", now, true, now, 2},
			{"later again", later, false, now, 2},
		}
		for _, step := range steps {
			if got := wake(t, s, id, step.due); got != step.woken {
				t.Errorf("%s: woken %v, want %v", step.what, got, step.woken)
			}
			if got := woken(t, s, id); !got.Equal(step.at) {
				t.Errorf("%s: for %v, want %v", step.what, got, step.at)
			}
			if n := queued(t, s); n != step.jobs {
				t.Errorf("%s: %d jobs, want %d", step.what, n, step.jobs)
			}
		}
		// Where a job is queued, nothing is written at all.
		w := storetest.Measure(t, s, func() { wake(t, s, id, later) })
		if w.Total() != 0 {
			t.Errorf("a second wake-up wrote %v", w)
		}
		// What is rolled back wakes nobody.
		undone := errors.New("undone")
		other := addDestination(t, s, "other")
		err := fails(t, s, func(tx *store.Tx) error {
			if _, err := tx.Wake(other, now); err != nil {
				return err
			}
			return undone
		})
		if !errors.Is(err, undone) || !woken(t, s, other).IsZero() || queued(t, s) != 2 {
			t.Errorf("rolled back: %v, for %v, %d jobs", err, woken(t, s, other), queued(t, s))
		}
	})
}

func TestWhoIsNotWoken(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		broken, paused := addDestination(t, s, "broken"), addDestination(t, s, "paused")
		open := start.Add(10 * time.Minute)
		l := leaseDestination(t, s, broken, start)
		update(t, s, func(tx *store.Tx) error {
			return errors.Join(
				tx.SetHealth(broken, l.Fence, store.Health{Error: "500", At: start, OpenUntil: open}),
				tx.SetDestinationState(paused, feedonce.DestinationPaused, "", start))
		})
		if !wake(t, s, broken, start) || !woken(t, s, broken).Equal(open) {
			t.Errorf("woken for %v, and its breaker closes at %v", woken(t, s, broken), open)
		}
		for range 100 { // while an endpoint is down, articles come in
			wake(t, s, broken, start)
		}
		if n := queued(t, s); n != 1 {
			t.Errorf("%d jobs wait for an endpoint that is down", n)
		}
		if wake(t, s, paused, start) || !woken(t, s, paused).IsZero() || wake(t, s, 4711, start) || queued(t, s) != 1 {
			t.Errorf("a destination that is paused, or is not there, was woken: %d jobs", queued(t, s))
		}
	})
}

// A wake-up that comes while the queue is being worked is not lost: the lease forgets the one before, so that this one queues
// a job.
func TestWakeUpDuringADrain(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		id := addDestination(t, s, "d")
		wake(t, s, id, start)
		l := leaseDestination(t, s, id, start)
		if at := woken(t, s, id); !at.IsZero() {
			t.Fatalf("the lease left a wake-up for %v", at)
		}
		if !wake(t, s, id, start.Add(time.Second)) || queued(t, s) != 2 {
			t.Errorf("a wake-up during a drain queued no job: %d", queued(t, s))
		}
		release(t, s, l)
		if at := woken(t, s, id); !at.Equal(start.Add(time.Second)) {
			t.Errorf("after the drain a job is expected for %v", at)
		}
	})
}

// Jobs whose wake-up somebody answered are not run, those of others are: whatever is queued, each article is sent once.
func TestJobsThatWereAnsweredDoNotRun(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		now := time.Now()
		one, two, gone := addDestination(t, s, "one"), addDestination(t, s, "two"), addDestination(t, s, "gone")
		// Three jobs for one; the last wake-up counts. Two's was answered by somebody without a job.
		for i := range 3 {
			wake(t, s, one, now.Add(-time.Duration(i+1)*time.Second))
		}
		wake(t, s, two, now)
		release(t, s, leaseDestination(t, s, two, now))
		wake(t, s, gone, now)
		update(t, s, func(tx *store.Tx) error { return tx.RemoveDestination(gone) })
		if n := queued(t, s); n != 5 {
			t.Fatalf("%d jobs, want 5", n)
		}
		ctx, cancel := context.WithCancel(context.Background())
		ran := make(chan feedonce.DestinationID, 10)
		ended := make(chan error, 1)
		go func() {
			ended <- s.Jobs().Run(ctx, jobs.Handlers{
				Drain: func(ctx context.Context, j jobs.Drain) error {
					id := feedonce.DestinationID(j.Destination)
					if err := s.Update(ctx, func(tx *store.Tx) error {
						l, err := tx.LeaseDestination(id, now, now.Add(leaseTime))
						if errors.Is(err, feedonce.ErrConflict) {
							return &jobs.Snooze{For: 10 * time.Millisecond}
						}
						if err != nil {
							return err
						}
						return tx.ReleaseDestination(id, l.Fence)
					}); err != nil {
						return err
					}
					ran <- id
					return nil
				},
				Sweep: func(context.Context) error { return nil },
			}, jobs.Options{Poll: 20 * time.Millisecond, Workers: 1})
		}()
		for end, tick := time.After(time.Minute), time.NewTicker(20*time.Millisecond); ; {
			left := read(t, s, func(tx *store.Tx) (n int, err error) {
				err = tx.QueryRow(`select count(*) from river_job where state <> 'completed'`).Scan(&n)
				return n, err
			})
			if left == 0 {
				tick.Stop()
				break
			}
			select {
			case <-tick.C:
			case <-end:
				t.Fatalf("%d jobs are not completed", left)
			}
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		close(ran)
		var all []feedonce.DestinationID
		for id := range ran {
			all = append(all, id)
		}
		if !slices.Equal(all, []feedonce.DestinationID{one}) {
			t.Errorf("ran for %v, want once for %d", all, one)
		}
	})
}

func TestFence(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		id := addDestination(t, s, "d")
		rows := putDeliveries(t, s, delivery(id, 1), delivery(id, 2))
		old := leaseDestination(t, s, id, start)
		err := fails(t, s, func(tx *store.Tx) error {
			_, err := tx.LeaseDestination(id, start.Add(time.Minute), start.Add(time.Hour))
			return err
		})
		if !errors.Is(err, feedonce.ErrConflict) {
			t.Errorf("a lease that another has: %v", err)
		}
		startAttempt(t, s, id, old.Fence, false, rows[0])

		late := start.Add(leaseTime)
		l := leaseDestination(t, s, id, late)
		if l.Fence <= old.Fence {
			t.Errorf("fence %d after %d", l.Fence, old.Fence)
		}
		before := deliveryOf(t, s, rows[0])
		for name, f := range map[string]func(*store.Tx) error{
			"start": func(tx *store.Tx) error {
				_, err := tx.StartAttempt(id, old.Fence, rows[1:], false, late)
				return err
			},
			"finish": func(tx *store.Tx) error {
				return tx.FinishAttempt(finished(id, old.Fence, feedonce.DeliverySent, late, rows[0]))
			},
			"health":  func(tx *store.Tx) error { return tx.SetHealth(id, old.Fence, store.Health{OK: true, At: late}) },
			"extend":  func(tx *store.Tx) error { return tx.ExtendLease(id, old.Fence, late.Add(time.Hour)) },
			"release": func(tx *store.Tx) error { return tx.ReleaseDestination(id, old.Fence) },
		} {
			if err := fails(t, s, f); !errors.Is(err, feedonce.ErrFenced) {
				t.Errorf("%s under an old lease: %v", name, err)
			}
		}
		if after := deliveryOf(t, s, rows[0]); after != before {
			t.Errorf("changed under an old lease: %+v, was %+v", after, before)
		}
		// The owner goes on.
		stale := read(t, s, func(tx *store.Tx) ([]feedonce.Delivery, error) { return tx.Stale(id) })
		if len(stale) != 1 || stale[0].ID != rows[0] {
			t.Errorf("left by the old owner: %+v", stale)
		}
		update(t, s, func(tx *store.Tx) error { return tx.ExtendLease(id, l.Fence, late.Add(time.Hour)) })
		update(t, s, func(tx *store.Tx) error {
			return tx.FinishAttempt(finished(id, l.Fence, feedonce.DeliverySent, late, rows[0]))
		})
		if err := fails(t, s, func(tx *store.Tx) error {
			_, err := tx.LeaseDestination(id, late.Add(30*time.Minute), late.Add(2*time.Hour))
			return err
		}); !errors.Is(err, feedonce.ErrConflict) {
			t.Errorf("a lease that was extended: %v", err)
		}
	})
}

// Whoever checked a fence keeps it until the transaction ends.
func TestLeaseWaitsForTransactionsUnderIt(t *testing.T) {
	s := storetest.Open(t, storetest.Postgres(t)) // SQLite has one writer
	id := addDestination(t, s, "d")
	rows := putDeliveries(t, s, delivery(id, 1))
	old := leaseDestination(t, s, id, start)
	leased := make(chan error, 1)
	update(t, s, func(tx *store.Tx) error {
		if _, err := tx.StartAttempt(id, old.Fence, rows, false, start); err != nil {
			return err
		}
		go func() {
			leased <- s.Update(context.Background(), func(tx *store.Tx) error {
				_, err := tx.LeaseDestination(id, start.Add(leaseTime), start.Add(2*leaseTime))
				return err
			})
		}()
		waitForLock(t, s)
		// New deliveries do not wait for it.
		putDeliveries(t, s, delivery(id, 2))
		return nil
	})
	if err := <-leased; err != nil {
		t.Fatal(err)
	}
	if d := deliveryOf(t, s, rows[0]); d.State != feedonce.DeliverySending {
		t.Errorf("the attempt that was under way is %s", d.State)
	}
}

// waitForLock waits until some transaction of the database waits for another.
func waitForLock(t testing.TB, s *store.Store) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; {
		waiting := read(t, s, func(tx *store.Tx) (n int, err error) {
			err = tx.QueryRow(`select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).Scan(&n)
			return n, err
		})
		if waiting > 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatal("no transaction waits for another")
		}
	}
}

func TestNeglectedDestinations(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		const patience = 2 * time.Minute
		now := start.Add(time.Hour)
		neglected := func() []feedonce.DestinationID {
			t.Helper()
			return read(t, s, func(tx *store.Tx) ([]feedonce.DestinationID, error) { return tx.Neglected(now, patience) })
		}
		never := addDestination(t, s, "never woken")
		lost := addDestination(t, s, "its job was lost")
		fresh := addDestination(t, s, "its job comes")
		leased := addDestination(t, s, "somebody sends")
		paused := addDestination(t, s, "paused")
		later := addDestination(t, s, "nothing is due")
		died := addDestination(t, s, "its process died")
		for _, id := range []feedonce.DestinationID{never, lost, fresh, leased, paused, died} {
			putDeliveries(t, s, delivery(id, 1))
		}
		wake(t, s, lost, now.Add(-patience))
		wake(t, s, fresh, now.Add(-patience+time.Second))
		leaseDestination(t, s, leased, now.Add(-time.Minute))
		update(t, s, func(tx *store.Tx) error { return tx.SetDestinationState(paused, feedonce.DestinationPaused, "", now) })
		d := delivery(later, 1)
		d.Due = now.Add(time.Second)
		putDeliveries(t, s, d)
		l := leaseDestination(t, s, died, start)
		startAttempt(t, s, died, l.Fence, false, read(t, s, func(tx *store.Tx) ([]feedonce.Delivery, error) { return tx.DueDeliveries(died, now, 10) })[0].ID)

		got := neglected()
		slices.Sort(got)
		if want := []feedonce.DestinationID{never, lost, died}; !slices.Equal(got, want) {
			t.Errorf("neglected %v, want %v", got, want)
		}
		before := queued(t, s)
		update(t, s, func(tx *store.Tx) error {
			for _, id := range got {
				if err := tx.Rouse(id, now); err != nil {
					return err
				}
			}
			return nil
		})
		if n := queued(t, s) - before; n != len(got) || len(neglected()) != 0 {
			t.Errorf("%d jobs for %v, and %v are neglected still", n, got, neglected())
		}
	})
}
