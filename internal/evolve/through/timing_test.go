package through

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"feedonce/dedup"
	"feedonce/internal/evolve"
	"feedonce/internal/store/storetest"
)

// workers are how many documents are under way at once, in two processes as far as a database can tell.
const workers = 4

// eachServer runs f on both databases with a function that opens an empty one twice, for two workers each.
func eachServer(t *testing.T, f func(t *testing.T, open func() []*Database)) {
	for name, dsn := range map[string]func(testing.TB) string{"sqlite": storetest.SQLite, "postgres": storetest.Postgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, func() []*Database {
				dsn := dsn(t)
				one := New(name, storetest.Open(t, dsn))
				other := one.Beside(storetest.Open(t, dsn))
				return []*Database{one, one, other, other}
			})
		})
	}
}

// A source is a simulated feed with all of its documents.
type source struct {
	name string
	docs []*dedup.Document
}

// sources simulates a feed of each archetype.
func sources(kinds []*evolve.Archetype, seed uint64, polls int) []source {
	var all []source
	for _, kind := range kinds {
		s := source{name: kind.Name}
		p := evolve.NewPublisher(kind, seed, 1, polls, true)
		for range polls {
			for _, d := range p.Next() {
				s.docs = append(s.docs, &d.Document)
			}
		}
		all = append(all, s)
	}
	return all
}

// some are every nth archetype, and chaos.
func some(n int) []*evolve.Archetype {
	kinds := []*evolve.Archetype{evolve.Chaos}
	for i := 0; i < len(evolve.Archetypes()); i += n {
		kinds = append(kinds, evolve.Archetypes()[i])
	}
	return kinds
}

// inRandomOrder lets goroutines do the turns of feeds, each turn of a random feed by a random worker; those of one feed come
// one after the other, and turn returns whether there are more.
func inRandomOrder(seed uint64, feeds, goroutines int, turn func(feed, worker int) (more bool)) {
	rng := rand.New(rand.NewPCG(seed, 1))
	var mu sync.Mutex
	back := sync.NewCond(&mu)
	free, out := make([]int, feeds), 0
	for i := range free {
		free[i] = i
	}
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			for {
				for len(free) == 0 && out > 0 {
					back.Wait()
				}
				if len(free) == 0 {
					return
				}
				i := rng.IntN(len(free))
				feed, worker := free[i], rng.IntN(workers)
				free = slices.Delete(free, i, i+1)
				out++
				mu.Unlock()
				more := turn(feed, worker)
				mu.Lock()
				out--
				if more {
					free = append(free, feed)
				}
				back.Broadcast()
			}
		})
	}
	all.Wait()
}

// run ingests the documents of all feeds, several feeds at once, and returns the answers by feed and document.
func run(t *testing.T, dbs []*Database, feeds []source, seed uint64, goroutines int) [][][]evolve.Answer {
	t.Helper()
	answers, strategies := make([][][]evolve.Answer, len(feeds)), make([]*strategy, len(feeds))
	for i := range strategies {
		strategies[i] = &strategy{nil, map[document][]evolve.Answer{}}
	}
	inRandomOrder(seed, len(feeds), goroutines, func(feed, worker int) bool {
		s, docs := strategies[feed], feeds[feed].docs
		s.Database = dbs[worker]
		answers[feed] = append(answers[feed], s.Document(feed, docs[len(answers[feed])]))
		return len(answers[feed]) < len(docs)
	})
	for _, d := range dbs {
		if err := d.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return answers
}

// TestTimingOfWorkersDoesNotMatter lets several workers ingest the documents of many feeds at once, each feed's in their
// order as leases guarantee, and wants the decisions of one worker that takes one document after the other.
func TestTimingOfWorkersDoesNotMatter(t *testing.T) {
	feeds := sources(some(size(6, 24)), 31, size(8, 5))
	eachServer(t, func(t *testing.T, open func() []*Database) {
		want := run(t, open(), feeds, 0, 1)
		for seed := range uint64(size(3, 2)) {
			got := run(t, open(), feeds, 1+seed, workers)
			for i, f := range feeds {
				if where := firstDifference(f.docs, want[i], got[i], true); where != "" {
					t.Errorf("seed %d, %s: one worker and %d decide differently: %s", 1+seed, f.name, workers, where)
				}
			}
		}
	})
}

// firstDifference says where two courses of one feed differ first, or "". What is told is compared only where it is the
// feed's own affair.
func firstDifference(docs []*dedup.Document, want, got [][]evolve.Answer, told bool) string {
	p := newPairing()
	for n := range docs {
		for i := range want[n] {
			a, b := want[n][i], got[n][i]
			if a.Rule == sameBytes { // whether a document is parsed depends on what the worker remembers
				a.Rule, b.Rule = b.Rule, sameBytes
			}
			if !told {
				a.Tell, b.Tell = false, false
				a.Decision, b.Decision = nil, nil
			}
			if what := p.differ(a, b); what != "" {
				return fmt.Sprintf("document %d, item %d: another %s\n  guid %q, link %q, title %q\n  want %s\n  got %s", n, i, what,
					docs[n].Items[i].GUID, docs[n].Items[i].URL, docs[n].Items[i].Title, said(want[n][i]), said(got[n][i]))
			}
		}
	}
	return ""
}
