package evolve

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"time"
)

// A Config says what to simulate.
type Config struct {
	Seed       uint64
	Archetypes []*Archetype // nil for Archetypes()
	Feeds      int          // of each archetype
	Feed       int          // if positive, only this one of the feeds, which are counted from 1
	Polls      int          // of each feed
	Dense      bool         // publishers have many times more to say
	// Strategies make the strategies to compare, a new one for each feed: the product first.
	Strategies []func() Strategy
	// Examples is how many examples to keep of each mistake of the first strategy.
	Examples int
	Workers  int // 0 for one a processor
}

// Contenders are the product's engine and the six baselines.
func Contenders() []func() Strategy {
	return append([]func() Strategy{NewProduct}, Baselines()...)
}

// Baselines are what others do: each must fail the gates, or the simulator has lost its teeth.
func Baselines() []func() Strategy {
	return []func() Strategy{NewGUIDOnly, NewGUIDOrLink, NewGUIDOrTitle, NewGUIDAndTitle, NewSlashFeed, NewDevNews}
}

// A Report is the outcome of a run.
type Report struct {
	Config     Config
	Strategies []string
	Rows       []Row // by archetype, in the order of the configuration
	Total      []Score
	Examples   []Example // empty unless the configuration asks for examples, as are
	Causes     []Cause
}

// A Row is what came of one archetype.
type Row struct {
	Archetype *Archetype
	Scores    []Score // by strategy
}

// Run simulates. All but the times in the report depends on nothing but the configuration.
func Run(cfg Config) *Report {
	if cfg.Archetypes == nil {
		cfg.Archetypes = Archetypes()
	}
	if cfg.Workers <= 0 {
		cfg.Workers = runtime.GOMAXPROCS(0)
	}
	jobs := make(chan *feedRun)
	all := cfg.all()
	var wait sync.WaitGroup
	for range cfg.Workers {
		wait.Go(func() {
			for f := range jobs {
				f.run()
			}
		})
	}
	for _, f := range all {
		jobs <- f
	}
	close(jobs)
	wait.Wait()
	return gather(cfg, all)
}

// all are the feeds of the run, by number.
func (cfg *Config) all() []*feedRun {
	kinds := cfg.Archetypes
	if kinds == nil {
		kinds = Archetypes()
	}
	var all []*feedRun
	for _, kind := range kinds {
		for n := 1; n <= cfg.Feeds; n++ {
			if cfg.Feed == 0 || cfg.Feed == n {
				all = append(all, &feedRun{cfg: cfg, kind: kind, n: n, id: len(all) + 1})
			}
		}
	}
	return all
}

// Whose returns the archetype of the feed that strategies get under a number, and which of the archetype's feeds it is.
func (cfg Config) Whose(feed int) (kind *Archetype, n int) {
	f := cfg.all()[feed-1]
	return f.kind, f.n
}

func gather(cfg Config, all []*feedRun) *Report {
	rep := &Report{Config: cfg, Total: make([]Score, len(cfg.Strategies))}
	for _, make := range cfg.Strategies {
		rep.Strategies = append(rep.Strategies, make().Name())
	}
	for _, kind := range cfg.Archetypes {
		rep.Rows = append(rep.Rows, Row{kind, make([]Score, len(cfg.Strategies))})
	}
	for _, f := range all {
		row := &rep.Rows[slices.Index(cfg.Archetypes, f.kind)]
		for i, s := range f.scores {
			row.Scores[i].Add(s)
			rep.Total[i].Add(s)
		}
		rep.Examples = append(rep.Examples, f.examples...)
		rep.Causes = append(rep.Causes, f.causes...)
	}
	rep.Causes = merged(rep.Causes)
	rep.Examples = firstOfEach(rep.Examples, cfg.Examples)
	return rep
}

// firstOfEach keeps n examples of each mistake, of as many archetypes as possible, worst mistakes first.
func firstOfEach(examples []Example, n int) []Example {
	var kept []Example
	for _, m := range Mistakes() {
		var these []Example
		nth := map[string]int{}
		for _, e := range examples {
			if e.Mistake == m {
				e.nth = nth[e.Archetype]
				nth[e.Archetype]++
				these = append(these, e)
			}
		}
		slices.SortStableFunc(these, func(a, b Example) int { return cmp.Compare(a.nth, b.nth) })
		kept = append(kept, these[:min(n, len(these))]...)
	}
	return kept
}

// A feedRun is one feed, judged by every strategy.
type feedRun struct {
	cfg      *Config
	kind     *Archetype
	n        int // of the feeds of its archetype
	id       int // of all feeds of the run
	scores   []Score
	examples []Example
	causes   []Cause
}

func (f *feedRun) run() {
	p := NewPublisher(f.kind, f.cfg.Seed, f.n, f.cfg.Polls, f.cfg.Dense)
	ledger := NewLedger()
	strategies := make([]Strategy, len(f.cfg.Strategies))
	referees := make([]*referee, len(strategies))
	for i, make := range f.cfg.Strategies {
		strategies[i], referees[i] = make(), newReferee()
	}
	var story history
	for range f.cfg.Polls {
		for _, d := range p.Next() {
			truths := ledger.Enter(&d)
			for i, s := range strategies {
				began := time.Now()
				answers := s.Document(f.id, &d.Document)
				referees[i].Took += time.Since(began)
				referees[i].judge(&d, truths, answers)
				if i == 0 && f.cfg.Examples > 0 {
					story = append(story, chapter{p.Poll, d, truths, answers})
				}
			}
		}
	}
	for _, r := range referees {
		r.end(p.Now)
		f.scores = append(f.scores, r.Score)
	}
	if f.cfg.Examples > 0 {
		causes := story.causes(referees[0].faults)
		f.examples = story.examples(p, f.n, causes, f.cfg.Examples)
		f.causes = story.kinds(p, f.n, causes)
	}
}
