package jobs_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"feedonce/internal/jobs"
	"feedonce/internal/sqldb"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// patience is for what happens in a second on a machine that has nothing else to do.
const patience = time.Minute

// killedDSN makes this test's program a process that is killed while it runs a job.
const killedDSN = "FEEDONCE_TEST_KILLED_DSN"

func TestMain(m *testing.M) {
	if dsn := os.Getenv(killedDSN); dsn != "" {
		if err := runForEver(dsn); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// A queue is a client in a database, and what runs its jobs.
type queue struct {
	t    *testing.T
	db   *sqldb.DB
	c    *jobs.Client
	ran  chan int64 // destinations, as their handlers are called
	stop func()
}

func newQueue(t *testing.T, s *store.Store) *queue {
	t.Helper()
	c, err := jobs.New(s.DB(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return &queue{t: t, db: s.DB(), c: c, ran: make(chan int64, 1000)}
}

var quick = jobs.Options{Poll: 20 * time.Millisecond, Sweep: 20 * time.Millisecond}

func nothing(context.Context) error { return nil }

// run runs jobs until stop is called or the test ends.
func (q *queue) run(o jobs.Options, sweep func(context.Context) error, drain func(ctx context.Context, id int64) error) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- q.c.Run(ctx, jobs.Handlers{
			Drain: func(ctx context.Context, j jobs.Drain) error {
				q.ran <- j.Destination
				return drain(ctx, j.Destination)
			},
			Sweep: sweep,
		}, o)
	}()
	q.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			q.t.Errorf("the end of running jobs: %v", err)
		}
	})
	q.t.Cleanup(q.stop)
}

func (q *queue) insert(id int64, at time.Time) {
	q.t.Helper()
	if err := q.db.Update(context.Background(), func(tx *sqldb.Tx) error { return q.c.Insert(tx, jobs.Drain{Destination: id}, at) }); err != nil {
		q.t.Fatal(err)
	}
}

// next waits for a job to run.
func (q *queue) next() int64 {
	q.t.Helper()
	select {
	case id := <-q.ran:
		return id
	case <-time.After(patience):
		q.t.Fatalf("no job ran for %v; the queue has %s", patience, q.rows())
		return 0
	}
}

// rows are the jobs that are known, for messages and for comparing: destination, state, attempts.
func (q *queue) rows() string {
	q.t.Helper()
	var all []string
	query := `select args ->> 'destination', state, attempt from river_job order by id`
	if q.db.Dialect() == sqldb.SQLite {
		query = `select json(args) ->> 'destination', state, attempt from river_job order by id`
	}
	err := q.db.View(context.Background(), func(tx *sqldb.Tx) (err error) {
		all, err = sqldb.All(tx, func(row sqldb.Scanner) (string, error) {
			var id, state, attempt string
			err := row.Scan(&id, &state, &attempt)
			return id + " " + state + " " + attempt, err
		}, query)
		return err
	})
	if err != nil {
		q.t.Fatal(err)
	}
	return strings.Join(all, ", ")
}

// becomes waits for the queue to have these rows.
func (q *queue) becomes(want string) {
	q.t.Helper()
	until(q.t, func() string {
		if got := q.rows(); got != want {
			return "the queue has " + got + ", want " + want
		}
		return ""
	})
}

// until waits until nothing is wrong any more.
func until(t *testing.T, wrong func() string) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(patience); ; {
		w := wrong()
		if w == "" {
			return
		}
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("after %v: %s", patience, w)
		}
	}
}

func each(t *testing.T, f func(t *testing.T, q *queue)) {
	storetest.Each(t, func(t *testing.T, s *store.Store) { f(t, newQueue(t, s)) })
}

func TestJobsBelongToTheirTransaction(t *testing.T) {
	each(t, func(t *testing.T, q *queue) {
		undone := errors.New("undone")
		err := q.db.Update(context.Background(), func(tx *sqldb.Tx) error {
			if err := q.c.Insert(tx, jobs.Drain{Destination: 1}, time.Time{}); err != nil {
				return err
			}
			return undone
		})
		if !errors.Is(err, undone) {
			t.Fatal(err)
		}
		if got := q.rows(); got != "" {
			t.Errorf("a transaction that was rolled back left jobs: %s", got)
		}
		q.insert(2, time.Time{})
		q.insert(3, time.Now().Add(-time.Hour))
		q.run(quick, nothing, func(context.Context, int64) error { return nil })
		q.becomes("2 completed 1, 3 completed 1")
		q.stop()
		close(q.ran)
		count := map[int64]int{}
		for id := range q.ran {
			count[id]++
		}
		if len(count) != 2 || count[2] != 1 || count[3] != 1 {
			t.Errorf("runs by job: %v, want 2 and 3 once each", count)
		}
	})
}

// A job for later waits for its time, though River makes it available before.
func TestJobsWaitForTheirTime(t *testing.T) {
	each(t, func(t *testing.T, q *queue) {
		due := time.Now().Add(2 * time.Second)
		q.insert(1, due)
		q.insert(2, time.Now().Add(-time.Second))
		var ranAt atomic.Int64
		q.run(quick, nothing, func(_ context.Context, id int64) error {
			if id == 1 {
				ranAt.Store(time.Now().UnixMicro())
			}
			return nil
		})
		if first, second := q.next(), q.next(); first != 2 || second != 1 {
			t.Errorf("ran %d, then %d", first, second)
		}
		q.becomes("1 completed 1, 2 completed 1")
		// SQLite's times are rounded to milliseconds.
		if early := time.Duration(due.UnixMicro()-ranAt.Load()) * time.Microsecond; early > time.Millisecond {
			t.Errorf("the job ran %v before its time", early)
		}
	})
}

func TestSnoozedAndFailedJobsComeAgain(t *testing.T) {
	each(t, func(t *testing.T, q *queue) {
		calls := map[int64]*atomic.Int64{1: {}, 2: {}, 3: {}}
		for id := range int64(3) {
			q.insert(id+1, time.Time{})
		}
		q.run(quick, nothing, func(_ context.Context, id int64) error {
			n := calls[id].Add(1)
			switch {
			case id == 1 && n <= 3:
				return fmt.Errorf("busy: %w", &jobs.Snooze{For: 10 * time.Millisecond})
			case id == 2 && n == 1:
				return errors.New("failed on purpose")
			case id == 3 && n == 1:
				panic("on purpose")
			}
			return nil
		})
		// A snooze is no attempt; a failure is.
		q.becomes("1 completed 1, 2 completed 2, 3 completed 2")
		for id, want := range map[int64]int64{1: 4, 2: 2, 3: 2} {
			if n := calls[id].Load(); n != want {
				t.Errorf("job %d ran %d times, want %d", id, n, want)
			}
		}
	})
}

// Handlers write, others write, and River does: on SQLite all by the one connection.
func TestJobsShareTheWriter(t *testing.T) {
	each(t, func(t *testing.T, q *queue) {
		const n = 40
		add := func(tx *sqldb.Tx) error {
			_, err := tx.Exec(`insert into facts (name, value) values ('runs', '1') on conflict (name) do update set value = cast(cast(facts.value as integer) + 1 as text)`)
			return err
		}
		q.run(quick, nothing, func(ctx context.Context, _ int64) error { return q.db.Update(ctx, add) })
		for id := range int64(n) {
			err := q.db.Update(context.Background(), func(tx *sqldb.Tx) error {
				if err := add(tx); err != nil {
					return err
				}
				return q.c.Insert(tx, jobs.Drain{Destination: id}, time.Time{})
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		until(t, func() string {
			var got string
			if err := q.db.View(context.Background(), func(tx *sqldb.Tx) error {
				return tx.QueryRow(`select value from facts where name = 'runs'`).Scan(&got)
			}); err != nil {
				t.Fatal(err)
			}
			if got != fmt.Sprint(2*n) {
				return fmt.Sprintf("%s transactions, want %d", got, 2*n)
			}
			return ""
		})
	})
}

// River rests while there is nothing to do: nothing is written, and a job wakes it.
func TestRestWritesNothing(t *testing.T) {
	each(t, func(t *testing.T, q *queue) {
		o := quick
		o.Rest = 100 * time.Millisecond
		sweeps := make(chan struct{})
		q.run(o, func(ctx context.Context) error {
			select {
			case sweeps <- struct{}{}:
			case <-ctx.Done():
			}
			return nil
		}, func(context.Context, int64) error { return nil })
		pass := func(n int) {
			for range n {
				select {
				case <-sweeps:
				case <-time.After(patience):
					t.Fatalf("no sweep for %v", patience)
				}
			}
		}
		count := func(query string) (n int64) {
			t.Helper()
			if err := q.db.Writer().QueryRow(query).Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		q.insert(1, time.Now().Add(time.Hour)) // far away is nothing to do
		for round := range int64(2) {
			q.insert(2, time.Time{})
			q.next()
			leaders := int64(-1)
			until(t, func() string {
				pass(1)
				if leaders = count(`select count(*) from river_leader`); leaders != 0 {
					return "River does not rest"
				}
				if got := q.rows(); !strings.HasSuffix(got, "2 completed 1") {
					return "the queue has " + got
				}
				return ""
			})
			if q.db.Dialect() == sqldb.SQLite {
				before := count(`select total_changes()`)
				pass(50)
				if n := count(`select total_changes()`) - before; n != 0 {
					t.Errorf("round %d: %d rows were written with nothing to do", round, n)
				}
			}
		}
	})
}

// Whoever stops running jobs has no handler left behind.
func TestRunWaitsForHandlers(t *testing.T) {
	each(t, func(t *testing.T, q *queue) {
		var ended atomic.Bool
		q.run(quick, nothing, func(ctx context.Context, _ int64) error {
			<-ctx.Done()
			ended.Store(true)
			return ctx.Err()
		})
		q.insert(1, time.Time{})
		q.next()
		q.stop()
		if !ended.Load() {
			t.Error("Run returned before its handler did")
		}
	})
}

// A job whose process was killed runs again elsewhere.
func TestJobsOfAKilledProcessRunAgain(t *testing.T) {
	storetest.EachDSN(t, func(t *testing.T, dsn string) {
		q := newQueue(t, storetest.Open(t, dsn))
		q.insert(1, time.Time{})
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), killedDSN+"="+dsn)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		said, err := bufio.NewReader(out).ReadString('\n')
		if kerr := cmd.Process.Kill(); kerr != nil {
			t.Fatal(kerr)
		}
		if werr := cmd.Wait(); werr == nil {
			t.Error("the process ended by itself")
		}
		if err != nil || said != "running 1\n" {
			t.Fatalf("the process said %q, %v", said, err)
		}
		q.becomes("1 running 1")
		// The dead process leads for another 15 seconds; they pass here.
		if _, err := q.db.Writer().Exec(`delete from river_leader`); err != nil {
			t.Fatal(err)
		}
		o := quick
		o.Timeout, o.Rescue = 200*time.Millisecond, 200*time.Millisecond
		q.run(o, nothing, func(context.Context, int64) error { return nil })
		if id := q.next(); id != 1 {
			t.Errorf("job %d ran", id)
		}
		q.becomes("1 completed 2")
	})
}

// runForEver is the process that is killed.
func runForEver(dsn string) error {
	s, err := store.Open(context.Background(), dsn)
	if err != nil {
		return err
	}
	c, err := jobs.New(s.DB(), nil)
	if err != nil {
		return err
	}
	return c.Run(context.Background(), jobs.Handlers{
		Drain: func(_ context.Context, j jobs.Drain) error {
			fmt.Println("running", j.Destination)
			select {}
		},
		Sweep: nothing,
	}, quick)
}
