package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// killsEnv is the environment variable that says how often the kill test kills, for a longer run than the default.
const killsEnv = "FEEDONCE_TEST_KILLS"

// TestKill kills the real program with SIGKILL again and again while it polls feeds that publish at every poll, and starts
// it again on the same database: `serve` on SQLite, `worker` on PostgreSQL. In the end every article that was published
// must be there exactly once.
func TestKill(t *testing.T) {
	kills := killsFromEnv(t, 15)
	program := buildProgram(t)
	storetest.EachDSN(t, func(t *testing.T, dsn string) {
		seed := rand.Uint64()
		t.Logf("%d kills, seed %d", kills, seed)
		r := rand.New(rand.NewPCG(seed, 0))
		stand := newStand(24)
		srv := httptest.NewServer(stand)
		defer srv.Close()
		feeds := stand.follow(t, dsn, srv.URL)
		run := &runner{program: program, dsn: dsn, home: t.TempDir()}
		for range kills {
			run.untilKilled(t, stand, 1+r.IntN(3*len(feeds)), time.Duration(r.Int64N(int64(30*time.Millisecond))))
		}
		stand.stop()
		names := []string{"poll"}
		for _, id := range feeds {
			names = append(names, fmt.Sprint(id))
		}
		run.command(t, names...)
		run.command(t, "doctor")
		stand.check(t, dsn, feeds)
	})
}

// killsFromEnv is how often to kill; usual, where nobody says otherwise.
func killsFromEnv(t *testing.T, usual int) int {
	v := os.Getenv(killsEnv)
	if v == "" {
		return usual
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q, and must be a number", killsEnv, v)
	}
	return n
}

func buildProgram(t *testing.T) string {
	program := filepath.Join(t.TempDir(), "feedonce")
	build := exec.Command("go", "build", "-o", program, "feedonce/cmd/feedonce")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the program: %v\n%s", err, out)
	}
	return program
}

// A stand sells newspapers: every request for a feed publishes one more article of it. Some of its feeds have bad guids.
type stand struct {
	mu        sync.Mutex
	presses   []newsroom
	published []int // articles of each feed so far
	stopped   bool
	requests  int
	notify    func(requests int) // called with the lock held
}

func newStand(n int) *stand {
	s := &stand{published: make([]int, n)}
	start := time.Now() // a feed that was silent for a while would be polled less often
	for i := range n {
		name := "press-" + letters(i)
		s.presses = append(s.presses, newsroom{name: name, host: name + ".example", start: start, step: time.Second})
		s.published[i] = 5
	}
	return s
}

// listed is how many articles a document lists: many more than are published between two kills, so that what was not
// stored when the program was killed is there to be read again.
const listed = 400

func (s *stand) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i, err := strconv.Atoi(strings.Trim(r.URL.Path, "/"))
	if err != nil || i < 0 || i >= len(s.presses) {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	if !s.stopped {
		s.published[i]++
	}
	n := s.published[i]
	s.requests++
	requests := s.requests
	if s.notify != nil {
		s.notify(requests)
	}
	s.mu.Unlock()
	nr := s.presses[i]
	items := nr.window(max(0, n-listed), min(n, listed), func(a *article) {
		switch i % 3 {
		case 0:
			a.guid = nr.name + "-" + letters(a.number)
		case 1: // another guid in every document
			a.guid = letters(a.number) + "-at-" + letters(requests)
		} // and no guid
	})
	Edition{Body: rss(channel{title: nr.name, site: "https://" + nr.host + "/"}, items)}.Answer(w, r)
}

// after has f called, once, when n more requests have come.
func (s *stand) after(n int, f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	until := s.requests + n
	s.notify = func(requests int) {
		if requests >= until {
			s.notify = nil
			f()
		}
	}
}

func (s *stand) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped, s.notify = true, nil
}

// follow adds the stand's feeds to a database.
func (s *stand) follow(t *testing.T, dsn, base string) (ids []feedonce.FeedID) {
	t.Helper()
	st := storetest.Open(t, dsn)
	err := st.Update(t.Context(), func(tx *store.Tx) error {
		ids = nil
		for i := range s.presses {
			f, err := tx.AddFeed(store.NewFeed{URL: fmt.Sprintf("%s/%d", base, i), Added: time.Now()})
			if err != nil {
				return err
			}
			// What a killed program was polling is due again after the feed's interval.
			f.Schedule.Interval = 50 * time.Millisecond
			if err := tx.SetSchedule(f.ID, f.Schedule); err != nil {
				return err
			}
			ids = append(ids, f.ID)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// check compares what is stored with what was published.
func (s *stand) check(t *testing.T, dsn string, ids []feedonce.FeedID) {
	t.Helper()
	st := storetest.Open(t, dsn)
	total := 0
	for i, id := range ids {
		var got, want []string
		err := st.View(t.Context(), func(tx *store.Tx) error {
			entries, err := tx.Entries(store.EntryFilter{Feed: id, Limit: 1_000_000})
			got = nil
			for _, e := range entries {
				got = append(got, e.Title)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for k := range s.published[i] {
			want = append(want, s.presses[i].title(k))
		}
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("feed %d: %d articles were published and %d are stored (-lost +repeated):\n%s", id, len(want), len(got), diff)
		}
		total += len(want)
	}
	if !t.Failed() {
		t.Logf("%d articles of %d feeds, each there once", total, len(ids))
	}
}

// A runner runs the program on one database.
type runner struct {
	program, dsn, home string
	env                []string
}

func (r *runner) prepare(ctx context.Context, args ...string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.CommandContext(ctx, r.program, args...)
	cmd.Env = []string{"HOME=" + r.home, "PATH=" + os.Getenv("PATH"), "FEEDONCE_DB=" + r.dsn, "FEEDONCE_ALLOW_NET=127.0.0.0/8"}
	cmd.Env = append(cmd.Env, r.env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	return cmd, &out
}

// command runs a command to its end.
func (r *runner) command(t *testing.T, args ...string) {
	t.Helper()
	cmd, out := r.prepare(t.Context(), args...)
	if err := cmd.Run(); err != nil {
		t.Errorf("feedonce %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// untilKilled runs the program that polls until so many requests have come from it, and a moment longer.
func (r *runner) untilKilled(t *testing.T, s *stand, requests int, moment time.Duration) {
	t.Helper()
	args := []string{"worker"}
	if !strings.HasPrefix(r.dsn, "postgres") {
		args = []string{"serve", "--listen", "127.0.0.1:0"}
	}
	// The times are short so that a feed which was leased when the program was killed is polled again soon.
	args = append(args, "--timeout", "500ms", "--lease", "1500ms", "--min-interval", "50ms", "--max-interval", "50ms", "--step", "20ms",
		"--per-host", "16", "--log-level", "warn")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd, out := r.prepare(ctx, args...)
	enough := make(chan struct{})
	s.after(requests, func() { close(enough) })
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case <-enough:
		<-time.After(moment) // so that it is not always killed in the middle of a fetch
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		<-done
	case err := <-done:
		t.Fatalf("feedonce %s ended by itself, before it made %d requests: %v\n%s", strings.Join(args, " "), requests, err, out)
	}
}
