package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"feedonce"
	"feedonce/internal/demo"
	"feedonce/internal/poll"
	"feedonce/internal/store"
)

// A tally is what a demo has shown so far. It is safe for concurrent use.
type tally struct {
	site   *demo.Site
	rounds int
	end    func() // called when all publishers had their rounds

	mu     sync.Mutex
	names  map[feedonce.FeedID]string
	lines  map[string]*accountLine
	rival  demo.Rival
	seen   map[string]map[int]bool // true articles by publisher
	served map[string]int          // editions that are in seen
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

func newTally(site *demo.Site, rounds int, end func()) *tally {
	acc := &tally{site: site, rounds: rounds, end: end, names: map[feedonce.FeedID]string{}, lines: map[string]*accountLine{}, seen: map[string]map[int]bool{}, served: map[string]int{}}
	for _, p := range site.Publishers {
		acc.lines[p.Name] = &accountLine{Name: p.Name, Title: p.Title, Habit: p.Habit}
	}
	return acc
}

// follow adds the publishers' feeds.
func (acc *tally) follow(ctx context.Context, s *store.Store, base string, every time.Duration) error {
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
func (acc *tally) result(r poll.Result) {
	acc.mu.Lock()
	defer acc.mu.Unlock()
	name := acc.names[r.Feed.ID]
	line := acc.lines[name]
	if line == nil || acc.rounds > 0 && line.Polls >= acc.rounds {
		return
	}
	line.Articles = acc.read(name)
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

// read takes in the truth about what a publisher served since last time, to whomever, and returns how many articles there
// were so far.
func (acc *tally) read(name string) int {
	if acc.seen[name] == nil {
		acc.seen[name] = map[int]bool{}
	}
	served := acc.site.Polls(name)
	for _, p := range acc.site.Publishers {
		for ; p.Name == name && acc.served[name] < served; acc.served[name]++ {
			for k := range p.Edition(acc.served[name]).Articles {
				acc.seen[name][k] = true
			}
		}
	}
	return len(acc.seen[name])
}

func (acc *tally) done() bool {
	for _, l := range acc.lines {
		if l.Polls < acc.rounds {
			return false
		}
	}
	return true
}

// table returns the tally of all publishers, and the sum of them.
func (acc *tally) table() (t table, sum accountLine) {
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

// runningAccount prints the tally again and again: on a terminal in place, else a line at a time.
func (a *app) runningAccount(ctx context.Context, acc *tally) error {
	_, tty := terminal(a.out)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	drawn := 0
	for {
		select {
		case <-ctx.Done():
			if drawn > 0 { // the final tally takes its place
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

func (a *app) finalAccount(acc *tally) error {
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
