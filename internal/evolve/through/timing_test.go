package through

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/evolve"
	"feedonce/internal/store"
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

// TestDocumentsOfOneFeedAtOnce offers two documents of a feed at the same moment, again and again: the next two polls, or
// one document twice, as when a hub pushes what is being polled. Whatever came first, the decisions must be those of a
// memory that got the documents one after the other, in one of the two orders.
func TestDocumentsOfOneFeedAtOnce(t *testing.T) {
	feeds := sources(some(size(12, 40)), 47, size(8, 6))
	eachServer(t, func(t *testing.T, open func() []*Database) {
		for seed := range uint64(size(3, 2)) {
			dbs := open()
			var mu sync.Mutex
			conflicts := 0
			for _, d := range dbs {
				d.ingest.Conflict = func(feedonce.FeedID) { mu.Lock(); conflicts++; mu.Unlock() }
			}
			next, worlds := make([]int, len(feeds)), make([][]*world, len(feeds))
			for i := range worlds {
				worlds[i] = []*world{{memory: dedup.NewMemory(dedup.Policy{}), pairing: newPairing()}}
			}
			inRandomOrder(seed, len(feeds), workers, func(feed, worker int) bool {
				f := feeds[feed]
				pair := []*dedup.Document{f.docs[next[feed]], f.docs[next[feed]]}
				next[feed]++
				if worker%2 == 0 && next[feed] < len(f.docs) {
					pair[1] = f.docs[next[feed]]
					next[feed]++
				}
				answers, err := atOnce([]*Database{dbs[worker], dbs[(worker+2)%workers]}, feed, pair)
				if err != nil {
					t.Errorf("seed %d, %s: %v", seed, f.name, err)
					return false
				}
				after, why := explainPair(worlds[feed], pair, answers)
				if why != "" {
					t.Errorf("seed %d, %s, documents up to %d: the answers to two documents at once are not those to one after the other, in either order:%s",
						seed, f.name, next[feed]-1, why)
					return false
				}
				worlds[feed] = after
				return next[feed] < len(f.docs)
			})
			t.Logf("seed %d: %d times a document was decided again", seed, conflicts)
		}
	})
}

// atOnce ingests two documents of a feed at the same moment.
func atOnce(dbs []*Database, feed int, pair []*dedup.Document) (answers [2][]evolve.Answer, err error) {
	var errs [2]error
	var both sync.WaitGroup
	start := make(chan struct{})
	for i := range pair {
		both.Go(func() {
			<-start
			answers[i], errs[i] = dbs[i].Ingest(context.Background(), feed, pair[i])
		})
	}
	close(start)
	both.Wait()
	for _, e := range errs {
		if e != nil {
			return answers, e
		}
	}
	return answers, nil
}

// A world is one order of a feed's documents that explains all answers so far.
type world struct {
	memory  *dedup.Memory
	pairing *pairing
}

// maxWorlds bounds the orders that are kept: when both orders of two documents explain the answers, they rarely differ.
const maxWorlds = 8

// explainPair returns the worlds in which two documents that were ingested at once, one after the other, are answered so;
// where there are none it says why.
func explainPair(before []*world, pair []*dedup.Document, answers [2][]evolve.Answer) (after []*world, why string) {
	seen := map[string]bool{}
	for _, w := range before {
		for _, first := range []int{0, 1} {
			next, err := w.clone()
			if err != nil {
				return nil, err.Error()
			}
			what := ""
			for _, i := range []int{first, 1 - first} {
				if what = next.enter(pair[i], answers[i]); what != "" {
					why += fmt.Sprintf("\n if number %d came first: document of %s: %s", first, pair[i].Fetched.Format("15:04:05"), what)
					break
				}
			}
			if what != "" {
				continue
			}
			raw, err := next.memory.MarshalJSON()
			if err != nil {
				return nil, err.Error()
			}
			if !seen[string(raw)] {
				seen[string(raw)] = true
				after = append(after, next)
			}
		}
	}
	if len(after) == 0 {
		return nil, why
	}
	return after[:min(len(after), maxWorlds)], ""
}

func (w *world) clone() (*world, error) {
	raw, err := w.memory.MarshalJSON()
	if err != nil {
		return nil, err
	}
	c := &world{memory: &dedup.Memory{}, pairing: &pairing{theirs: maps.Clone(w.pairing.theirs), mine: maps.Clone(w.pairing.mine)}}
	return c, json.Unmarshal(raw, c.memory)
}

// enter decides a document and says what in the answers differs, or "". Answers that are nil say that all is as it was, and
// that nothing was learned of the document, as it was not even parsed.
func (w *world) enter(doc *dedup.Document, answers []evolve.Answer) string {
	if answers == nil {
		aside, err := w.clone()
		if err != nil {
			return err.Error()
		}
		for _, dec := range aside.memory.Process(doc).Decisions {
			if dec.Outcome != dedup.Unchanged && !dec.Again {
				return fmt.Sprintf("item %d was taken for unchanged, but is %s", dec.Item, dec.Outcome)
			}
		}
		return ""
	}
	res := w.memory.Process(doc)
	for i := range res.Decisions {
		dec := &res.Decisions[i]
		mine := evolve.Answer{Outcome: dec.Outcome, Entry: int64(dec.Entry), Rule: string(dec.Rule), Tell: dec.Outcome == dedup.New && dec.Tell, Decision: dec}
		if what := w.pairing.differ(mine, answers[i]); what != "" {
			return fmt.Sprintf("item %d: another %s\n  want %s\n  got %s", i, what, said(mine), said(answers[i]))
		}
	}
	return ""
}

// TestTimingOfStories polls publishers under three addresses each, by several workers at once: whatever comes first, the
// decisions in each feed are the same, the same articles make a story, and each story is told once.
//
// This holds because here sameness is transitive: articles of one publisher with one link. Stories of texts that are only
// alike depend on the order of arrival, by design: an article joins the best story there is, and none is joined to another
// afterwards.
func TestTimingOfStories(t *testing.T) {
	const mirrors = 3
	var feeds []source
	for _, s := range sources(evolve.Archetypes()[:2], 59, size(10, 4)) {
		for range mirrors {
			feeds = append(feeds, s)
		}
	}
	place := func(feed int) (string, dedup.Policy) {
		at := fmt.Sprintf("%s?publisher=%d&mirror=%d", feeds[feed].docs[0].Site, feed/mirrors, feed%mirrors)
		return at, dedup.Policy{}
	}
	eachServer(t, func(t *testing.T, open func() []*Database) {
		course := func(seed uint64, goroutines int) ([][][]evolve.Answer, []string) {
			dbs := open()
			for _, d := range dbs {
				d.Place = place
			}
			answers := run(t, dbs, feeds, seed, goroutines)
			return answers, stories(t, dbs[0].ingest.Store, answers)
		}
		want, wantStories := course(0, 1)
		if len(wantStories) == 0 {
			t.Fatal("there are no stories")
		}
		for seed := range uint64(size(3, 2)) {
			got, gotStories := course(1+seed, workers)
			for i, f := range feeds {
				if where := firstDifference(f.docs, want[i], got[i], false); where != "" {
					t.Errorf("seed %d, %s, mirror %d: one worker and %d decide differently: %s", 1+seed, f.name, i%mirrors, workers, where)
				}
			}
			if !slices.Equal(wantStories, gotStories) {
				t.Errorf("seed %d: other stories\n want %d:\n%s\n got %d:\n%s", 1+seed, len(wantStories), strings.Join(wantStories, "\n"),
					len(gotStories), strings.Join(gotStories, "\n"))
			}
		}
	})
}

// stories describes all stories by their members, each as a feed and the how manyth new article of it it is, and by how many
// members were told.
func stories(t *testing.T, s *store.Store, answers [][][]evolve.Answer) []string {
	t.Helper()
	name := map[int64]string{}
	for feed := range answers {
		n := 0
		for _, doc := range answers[feed] {
			for _, a := range doc {
				if a.Outcome == dedup.New {
					name[a.Entry] = fmt.Sprintf("%d.%d", feed, n)
					n++
				}
			}
		}
	}
	var found []string
	err := s.View(context.Background(), func(tx *store.Tx) error {
		found = nil
		all, err := tx.Stories(store.StoryFilter{Limit: 10_000})
		for _, story := range all {
			var members []string
			told := 0
			for _, m := range story.Members {
				members = append(members, name[int64(m.Entry.ID)])
				if m.Told {
					told++
				}
			}
			slices.Sort(members)
			found = append(found, fmt.Sprintf("%s: %d told", strings.Join(members, " "), told))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	return found
}
