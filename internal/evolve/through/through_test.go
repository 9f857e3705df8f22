package through

import (
	"slices"
	"testing"

	"feedonce/internal/evolve"
	"feedonce/internal/store/storetest"
)

// TestDecisionsAreTheSameEverywhere holds a dedup.Memory, ingest on SQLite and ingest on PostgreSQL against each other:
// every arrival has the same outcome by the same rule with the same evidence, is told or kept quiet alike, and belongs to
// the entry of the same arrivals. Each archetype has a feed, and chaos several; one goes on for days, as what it publishes is
// put off for hours.
func TestDecisionsAreTheSameEverywhere(t *testing.T) {
	for name, cfg := range map[string]evolve.Config{
		"archetypes": {Seed: 2001, Feeds: 1, Polls: size(12, 4)},
		"long":       {Seed: 9001, Feeds: 1, Polls: 90, Archetypes: named("live-blog")},
		"chaos":      {Seed: 2002, Feeds: size(12, 4), Polls: 12, Archetypes: []*evolve.Archetype{evolve.Chaos}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			databases := []*Database{
				New("feedonce on SQLite", storetest.Open(t, storetest.SQLite(t))),
				New("feedonce on PostgreSQL", storetest.Open(t, storetest.Postgres(t))),
			}
			comparison, strategies := Compare([]func() evolve.Strategy{evolve.NewProduct, databases[0].Strategy, databases[1].Strategy})
			cfg.Strategies = strategies
			evolve.Run(cfg)
			for _, d := range databases {
				if err := d.Err(); err != nil {
					t.Fatal(err)
				}
			}
			for _, diff := range comparison.Differences() {
				kind, n := cfg.Whose(diff.Feed)
				t.Errorf("seed %d, %s, feed %d, %s", cfg.Seed, kind.Name, n, diff.Text)
			}
			t.Logf("%d arrivals were compared", comparison.Arrivals())
		})
	}
}

// size is n, or few under the race detector, which makes everything ten times slower.
func size(n, few int) int {
	if raceEnabled {
		return few
	}
	return n
}

// named are the archetypes with these names.
func named(names ...string) []*evolve.Archetype {
	return slices.DeleteFunc(evolve.Archetypes(), func(a *evolve.Archetype) bool { return !slices.Contains(names, a.Name) })
}
