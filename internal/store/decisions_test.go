package store_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

func decisions(t testing.TB, s *store.Store, f store.DecisionFilter) []feedonce.Decision {
	t.Helper()
	return read(t, s, func(tx *store.Tx) ([]feedonce.Decision, error) { return tx.Decisions(f) })
}

func TestDecisionsKeepWhatWasSuppressed(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed := addFeed(t, s, "https://example.com/feed")
		d := newDocument(t, s, feed.ID, start)
		d.create(full("a"))
		for _, o := range []dedup.Outcome{dedup.Duplicate, dedup.Quarantined, dedup.Invalid, dedup.Unchanged} {
			entry := dedup.EntryID(0)
			if o == dedup.Duplicate || o == dedup.Unchanged {
				entry = -1
			}
			d.add(full(string(o)), dedup.Decision{Outcome: o, Rule: dedup.RuleID("rule " + o), Entry: entry,
				Evidence: dedup.Evidence{Facts: []dedup.Fact{{Name: "title", Is: "equal", Have: "<a> \x00 \u2028", Want: "5"}}}})
		}
		created := &d.in.Result.Decisions[0]
		created.Tell, created.Quiet = false, "first document"
		created.Evidence = dedup.Evidence{Others: []dedup.Other{{Entry: -1, Why: "itself"}}, Note: "n"}
		d.mustApply(s)
		a := feedonce.EntryID(created.Entry)
		got := decisions(t, s, store.DecisionFilter{})
		if len(got) != 4 {
			t.Fatalf("%d decisions, want 4: none for what is unchanged", len(got))
		}
		for i, want := range []struct {
			outcome string
			entry   feedonce.EntryID
			kept    bool
		}{{"invalid", 0, true}, {"quarantined", 0, true}, {"duplicate", a, true}, {"new", a, false}} {
			g := got[i]
			name := want.outcome
			if want.outcome == "new" {
				name = "a"
			}
			item := full(name)
			if g.Outcome != want.outcome || g.Entry != want.entry || !g.At.Equal(start) || g.Feed != feed.ID ||
				g.GUID != item.GUID || g.URL != item.URL || g.Title != "<b>Title</b> of "+name || g.Told {
				t.Errorf("decision %d: %+v", i, g)
			}
			var arrival dedup.Item
			if want.kept {
				if err := json.Unmarshal(g.Arrival, &arrival); err != nil {
					t.Errorf("%s: arrival: %v", want.outcome, err)
				} else if diff := cmp.Diff(item, arrival); diff != "" {
					t.Errorf("%s: arrival (-want +got):\n%s", want.outcome, diff)
				}
			} else if len(g.Arrival) != 0 {
				t.Errorf("%s keeps the arrival: %s", want.outcome, g.Arrival)
			}
			var evidence dedup.Evidence
			if err := json.Unmarshal(g.Evidence, &evidence); err != nil {
				t.Errorf("%s: evidence: %v", want.outcome, err)
			}
			for _, dec := range d.in.Result.Decisions {
				if string(dec.Outcome) == want.outcome {
					if diff := cmp.Diff(dec.Evidence, evidence); diff != "" {
						t.Errorf("%s: evidence (-want +got):\n%s", want.outcome, diff)
					}
				}
			}
		}
		if g := got[3]; g.Quiet != "first document" || !strings.Contains(string(g.Evidence), fmt.Sprintf(`"entry":%d`, a)) {
			t.Errorf("the new article's decision: %+v, evidence %s", g, g.Evidence)
		}
	})
}

func TestSuppressedArrivalIsRecordedOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed := addFeed(t, s, "https://example.com/feed")
		d := newDocument(t, s, feed.ID, start)
		d.create(full("a"))
		d.create(full("b"))
		d.mustApply(s)
		a, b := d.in.Result.Decisions[0].Entry, d.in.Result.Decisions[1].Entry
		for i := range 3 {
			d = newDocument(t, s, feed.ID, start.Add(time.Duration(i)*time.Hour))
			for range 2 { // in one document too
				d.add(full("x"), dedup.Decision{Outcome: dedup.Duplicate, Rule: "test", Entry: a})
				d.add(full("x"), dedup.Decision{Outcome: dedup.Duplicate, Rule: "test", Entry: b})
				d.add(full("x"), dedup.Decision{Outcome: dedup.Invalid, Rule: "test"})
			}
			d.mustApply(s)
		}
		if got := decisions(t, s, store.DecisionFilter{Outcomes: []string{"duplicate", "invalid"}}); len(got) != 3 {
			t.Errorf("%d decisions, want one for each entry and one that is invalid", len(got))
		}
		// A change that comes again is another change.
		for i := range 2 {
			d = newDocument(t, s, feed.ID, start.Add(time.Duration(i)*time.Hour))
			d.change(dedup.Entry{ID: a, FirstSeen: start}, full("a2"))
			d.mustApply(s)
		}
		if got := decisions(t, s, store.DecisionFilter{Outcomes: []string{"updated"}}); len(got) != 2 {
			t.Errorf("%d updates recorded, want 2", len(got))
		}
	})
}

func TestDecisionFilters(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		var firstEntry feedonce.EntryID
		var feeds []feedonce.FeedID
		for _, url := range []string{"https://one.example/feed", "https://two.example/feed"} {
			feed := addFeed(t, s, url)
			feeds = append(feeds, feed.ID)
			d := newDocument(t, s, feed.ID, start)
			d.create(full("a"))
			d.add(dedup.Item{GUID: "g?", URL: "https://example.com/u", Title: "Some Words here"}, dedup.Decision{Outcome: dedup.Duplicate, Rule: "R1", Entry: -1})
			d.add(dedup.Item{Title: "100%"}, dedup.Decision{Outcome: dedup.Invalid, Rule: "R2"})
			d.mustApply(s)
			if firstEntry == 0 {
				firstEntry = feedonce.EntryID(d.in.Result.Decisions[0].Entry)
			}
		}
		all := decisions(t, s, store.DecisionFilter{})
		if len(all) != 6 {
			t.Fatalf("%d decisions, want 6", len(all))
		}
		for _, c := range []struct {
			name   string
			filter store.DecisionFilter
			want   int
		}{
			{"feed", store.DecisionFilter{Feed: feeds[0]}, 3},
			{"entry", store.DecisionFilter{Entry: firstEntry}, 2},
			{"outcome", store.DecisionFilter{Outcomes: []string{"invalid"}}, 2},
			{"outcomes", store.DecisionFilter{Outcomes: []string{"invalid", "new"}}, 4},
			{"rule", store.DecisionFilter{Rule: "R1"}, 2},
			{"guid", store.DecisionFilter{Words: "g?"}, 2},
			{"url", store.DecisionFilter{Words: " https://example.com/u "}, 2},
			{"words", store.DecisionFilter{Words: "words SOME"}, 2},
			{"words in a feed", store.DecisionFilter{Words: "words SOME", Feed: feeds[1]}, 1},
			{"sign", store.DecisionFilter{Words: "%"}, 2},
			{"no words", store.DecisionFilter{Words: "words nowhere"}, 0},
			{"limit", store.DecisionFilter{Limit: 4}, 4},
			{"before", store.DecisionFilter{Before: all[1].ID}, 4},
			{"everything at once", store.DecisionFilter{Feed: feeds[1], Outcomes: []string{"duplicate"}, Rule: "R1", Words: "here", Limit: 5, Before: all[0].ID}, 1},
		} {
			got := decisions(t, s, c.filter)
			if len(got) != c.want {
				t.Errorf("%s: %d decisions, want %d", c.name, len(got), c.want)
			}
			for i := 1; i < len(got); i++ {
				if got[i].ID >= got[i-1].ID {
					t.Errorf("%s: decision %d after %d", c.name, got[i].ID, got[i-1].ID)
				}
			}
		}
	})
}

func TestCounts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		one, two := addFeed(t, s, "https://one.example/feed").ID, addFeed(t, s, "https://two.example/feed").ID
		d := newDocument(t, s, one, start.Add(59*time.Minute))
		d.create(full("a"))
		d.add(full("u"), dedup.Decision{Outcome: dedup.Unchanged, Rule: "test", Entry: -1})
		d.add(full("x"), dedup.Decision{Outcome: dedup.Invalid, Rule: "test"})
		d.mustApply(s)
		each := feedonce.Counts{New: 1, Updated: 2, Unchanged: 3, Duplicate: 4, Quarantined: 5, Invalid: 6}
		for _, at := range []time.Time{start.Add(30 * time.Minute), start.Add(time.Minute), start.Add(time.Hour)} {
			update(t, s, func(tx *store.Tx) error {
				return tx.AddCounts(at, map[feedonce.FeedID]feedonce.Counts{one: each, two: each, 999: each})
			})
		}
		for since, want := range map[time.Time]map[feedonce.FeedID]feedonce.Counts{
			start: {
				one: {New: 4, Updated: 6, Unchanged: 10, Duplicate: 12, Quarantined: 15, Invalid: 19},
				two: {New: 3, Updated: 6, Unchanged: 9, Duplicate: 12, Quarantined: 15, Invalid: 18},
			},
			start.Add(90 * time.Minute): {one: each, two: each},
			start.Add(2 * time.Hour):    {},
		} {
			got := read(t, s, func(tx *store.Tx) (map[feedonce.FeedID]feedonce.Counts, error) { return tx.FeedCounts(since) })
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("since %v (-want +got):\n%s", since, diff)
			}
		}
		if w := storetest.Measure(t, s, func() { update(t, s, func(tx *store.Tx) error { return tx.AddCounts(start, nil) }) }); w.Total() != 0 {
			t.Errorf("counting nothing wrote: %v", w)
		}
	})
}
