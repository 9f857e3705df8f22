package through

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"sync"
	"testing"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/evolve"
)

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
