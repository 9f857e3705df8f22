package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"feedonce"
	"feedonce/internal/demo"
	"feedonce/internal/fetch"
	"feedonce/internal/poll"
	"feedonce/internal/store"
	"feedonce/internal/web"
)

func (a *app) demoCommand() *cobra.Command {
	var rounds int
	var every time.Duration
	var listenAt string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Watch it deal with misbehaving publishers; works offline",
		Long: `Serve a score of publishers that misbehave, each in its own way, poll them at high speed into a temporary database, and
show what becomes of their articles: here, and as pages in a browser. Nothing of it leaves this machine, and nothing is
left behind.

The column GUID ONLY is what a reader shows that knows articles by their guid alone.

With --json, a line for each publisher at the end: name, title, habit, polls, articles (there really were), shown (by
feedonce), guid_only.`,
		Args: args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if rounds < 0 || every <= 0 {
				return usagef("--rounds must not be negative, and --every must be more than nothing")
			}
			if local, err := loopback(listenAt); err != nil {
				return err
			} else if !local {
				return usagef("the demo is for this machine: --listen must be a loopback address, such as 127.0.0.1:8470")
			}
			return a.demo(cmd.Context(), listenAt, rounds, every)
		},
	}
	cmd.Flags().IntVar(&rounds, "rounds", 0, "end after so many polls of each publisher; 0 goes on until Ctrl-C")
	cmd.Flags().DurationVar(&every, "every", time.Second, "how often to poll each publisher")
	cmd.Flags().StringVar(&listenAt, "listen", "127.0.0.1:8470", "where to serve the pages; another port is taken where this one is in use")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) demo(ctx context.Context, listenAt string, rounds int, every time.Duration) (err error) {
	dir, err := os.MkdirTemp("", "feedonce-demo-")
	if err != nil {
		return fmt.Errorf("there is no room for the temporary database: %w", err)
	}
	defer func() {
		if rerr := os.RemoveAll(dir); err == nil {
			err = rerr
		}
	}()
	s, err := store.Open(ctx, filepath.Join(dir, "demo.db"))
	if err != nil {
		return err
	}
	defer func() {
		if cerr := s.Close(); err == nil {
			err = cerr
		}
	}()
	town, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("the publishers cannot be served: %w", err)
	}
	pages, err := net.Listen("tcp", listenAt)
	if err != nil {
		if pages, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return fmt.Errorf("the pages cannot be served: %w", err)
		}
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	site := demo.NewSite(demo.Publishers(time.Now().Add(-time.Minute), time.Second))
	account := newAccount(site, rounds, end)
	if err := account.follow(ctx, s, "http://"+town.Addr().String(), every); err != nil {
		return err
	}
	c := fetch.New(fetch.Options{Version: programVersion(), AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	defer c.Close()
	p := poll.New(poll.Options{
		Store: s, Client: c, Log: quiet(), OnResult: account.result,
		Workers: 4, PerHost: 4, Step: every / 10, Min: every, Max: every, Lease: 2 * time.Minute,
	})
	if !a.json {
		fmt.Fprintf(a.out, "%s, served at http://%s/ and polled every %v.\nWatch at http://%s/; end it with Ctrl-C.\n\n",
			count(len(site.Publishers), "misbehaving publisher"), town.Addr(), every, pages.Addr())
	}
	group, gctx := errgroup.WithContext(ctx)
	group.Go(func() error { return serveHTTP(gctx, town, site) })
	group.Go(func() error {
		return serveHTTP(gctx, pages, web.Handler(web.Options{Store: s, Poller: p, Client: c, Log: quiet(), Version: programVersion()}))
	})
	group.Go(func() error { return p.Run(gctx) })
	group.Go(func() error { return a.runningAccount(gctx, account) })
	if err := group.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return a.finalAccount(account)
}

// An account is what a demo has shown so far. It is safe for concurrent use.
type account struct {
	site   *demo.Site
	rounds int
	end    func() // called when all publishers had their rounds

	mu    sync.Mutex
	names map[feedonce.FeedID]string
	lines map[string]*accountLine
	rival demo.Rival
	seen  map[string]map[int]bool // true articles by publisher
}

type accountLine struct {
	Name     string `json:"name"`
	Title    string `json:"title"`
	Habit    string `json:"habit"`
	Polls    int    `json:"polls"`
	Articles int    `json:"articles"`
	Shown    int    `json:"shown"`
	GUIDOnly int    `json:"guid_only"`
}

func newAccount(site *demo.Site, rounds int, end func()) *account {
	acc := &account{site: site, rounds: rounds, end: end, names: map[feedonce.FeedID]string{}, lines: map[string]*accountLine{}, seen: map[string]map[int]bool{}}
	for _, p := range site.Publishers {
		acc.lines[p.Name] = &accountLine{Name: p.Name, Title: p.Title, Habit: p.Habit}
	}
	return acc
}

// follow adds the publishers' feeds.
func (acc *account) follow(ctx context.Context, s *store.Store, base string, every time.Duration) error {
	names := map[feedonce.FeedID]string{}
	err := s.Update(ctx, func(tx *store.Tx) error {
		clear(names)
		for _, p := range acc.site.Publishers {
			f, err := tx.AddFeed(store.NewFeed{URL: base + demo.Path(p.Name), Title: p.Title, Added: time.Now()})
			if err != nil {
				return err
			}
			names[f.ID] = p.Name
			f.Schedule.Interval = every
			if err := tx.SetSchedule(f.ID, f.Schedule); err != nil {
				return err
			}
		}
		return nil
	})
	acc.mu.Lock()
	defer acc.mu.Unlock()
	acc.names = names
	return err
}

// result takes in the result of a poll.
func (acc *account) result(r poll.Result) {
	acc.mu.Lock()
	defer acc.mu.Unlock()
	name := acc.names[r.Feed.ID]
	line := acc.lines[name]
	if line == nil || acc.rounds > 0 && line.Polls >= acc.rounds {
		return
	}
	line.Articles = acc.read(name, line.Polls)
	line.Polls++
	line.Shown += int(r.Report.Counts.New)
	if r.Report.Document != nil {
		acc.rival.Read(name, r.Report.Document)
	}
	line.GUIDOnly = acc.rival.Shown(name)
	if acc.rounds > 0 && acc.done() {
		acc.end()
	}
}

// read takes in the truth of a publisher's next poll, and returns how many articles there were so far.
func (acc *account) read(name string, n int) int {
	if acc.seen[name] == nil {
		acc.seen[name] = map[int]bool{}
	}
	for _, p := range acc.site.Publishers {
		if p.Name == name {
			for k := range p.Edition(n).Articles {
				acc.seen[name][k] = true
			}
		}
	}
	return len(acc.seen[name])
}

func (acc *account) done() bool {
	for _, l := range acc.lines {
		if l.Polls < acc.rounds {
			return false
		}
	}
	return true
}

// table returns the account of all publishers, and the sum of them.
func (acc *account) table() (t table, sum accountLine) {
	acc.mu.Lock()
	defer acc.mu.Unlock()
	t = table{header: []string{"PUBLISHER", "POLLS", "ARTICLES", "FEEDONCE", "GUID ONLY", "HABIT"}, wide: 5}
	for _, p := range acc.site.Publishers {
		l := acc.lines[p.Name]
		t.add(l.Name, fmt.Sprint(l.Polls), fmt.Sprint(l.Articles), against(l.Shown, l.Articles), against(l.GUIDOnly, l.Articles), l.Habit)
		sum.Polls += l.Polls
		sum.Articles += l.Articles
		sum.Shown += l.Shown
		sum.GUIDOnly += l.GUIDOnly
	}
	t.add("all", fmt.Sprint(sum.Polls), fmt.Sprint(sum.Articles), fmt.Sprint(sum.Shown), fmt.Sprint(sum.GUIDOnly), "")
	return t, sum
}

// against is how many articles were shown, and how many that is beside the truth.
func against(shown, articles int) string {
	if shown == articles {
		return fmt.Sprint(shown)
	}
	return fmt.Sprintf("%d (%+d)", shown, shown-articles)
}

// runningAccount prints the account again and again: on a terminal in place, else a line at a time.
func (a *app) runningAccount(ctx context.Context, acc *account) error {
	_, tty := terminal(a.out)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	drawn := 0
	for {
		select {
		case <-ctx.Done():
			if drawn > 0 { // the final account takes its place
				fmt.Fprintf(a.out, "\x1b[%dA\x1b[J", drawn)
			}
			return nil
		case <-tick.C:
		}
		t, sum := acc.table()
		switch {
		case a.json:
		case tty:
			columns, _ := terminal(a.out)
			var b strings.Builder
			t.aligned(&b, columns)
			if drawn > 0 {
				fmt.Fprintf(a.out, "\x1b[%dA\x1b[J", drawn)
			}
			drawn = strings.Count(b.String(), "\n")
			fmt.Fprint(a.out, b.String())
		default:
			fmt.Fprintf(a.out, "%d polls, %d articles: feedonce shows %d, by guid alone it would be %d\n", sum.Polls, sum.Articles, sum.Shown, sum.GUIDOnly)
		}
	}
}

func (a *app) finalAccount(acc *account) error {
	t, sum := acc.table()
	if a.json {
		lines := newJSONLines(a.out)
		for _, p := range acc.site.Publishers {
			if err := lines.write(acc.lines[p.Name]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := t.print(a.out); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.out, "\nThere were %d articles. feedonce showed %d. A reader that goes by guids would have shown %d.\n",
		sum.Articles, sum.Shown, sum.GUIDOnly)
	return err
}
