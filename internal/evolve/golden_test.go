package evolve

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite golden files")

const goldenFile = "testdata/accuracy.txt"

// small is the run whose figures are kept: one feed of each archetype, and some chaos.
func small(kinds []*Archetype) Config {
	return Config{Seed: 1001, Archetypes: kinds, Feeds: 1, Polls: 60, Strategies: Contenders()}
}

// TestGoldenAccuracy keeps the figures of a small run, so that a change of how articles are told apart shows as a
// difference. Under the race detector, which makes the run many times slower, it looks at some archetypes only.
func TestGoldenAccuracy(t *testing.T) {
	kinds := everyKind()
	if raceEnabled && !*update {
		var some []*Archetype
		for i := 0; i < len(kinds); i += 12 {
			some = append(some, kinds[i])
		}
		kinds = some
	}
	rep := Run(small(kinds))
	var got bytes.Buffer
	if err := rep.WriteTable(&got, false); err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	if err := rep.WriteTotals(&got, false); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.MkdirAll(filepath.Dir(goldenFile), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(goldenFile, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	raw, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatalf("%v; `go test ./internal/evolve -update` writes it", err)
	}
	want, have := lines(string(raw)), lines(got.String())
	if raceEnabled { // only the archetypes that ran
		names := map[string]bool{}
		for _, a := range kinds {
			names[a.Name] = true
		}
		other := func(s string) bool { return !names[strings.SplitN(s, " ", 2)[0]] }
		want, have = slices.DeleteFunc(want, other), slices.DeleteFunc(have, other)
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("accuracy changed (-golden +now); if for the better, `go test ./internal/evolve -update`; to see why, "+
			"`go run ./cmd/feedonce-accuracy -seed 1001 -feeds 1 -polls 60 -v 3`:\n%s", diff)
	}
}

// lines are the lines of a table with single spaces between cells, so that a wider column changes no other line.
func lines(s string) []string {
	var out []string
	for line := range strings.Lines(s) {
		out = append(out, strings.Join(strings.Fields(line), " "))
	}
	return out
}

// TestBaselinesFail guards the simulator's teeth: none of the simpler strategies may pass.
func TestBaselinesFail(t *testing.T) {
	polls := 60
	if raceEnabled {
		polls = 20
	}
	rep := Run(Config{Seed: 7, Feeds: 1, Polls: polls, Strategies: Baselines()})
	for i, name := range rep.Strategies {
		missed := Normal.Missed(&rep.Total[i])
		if len(missed) == 0 {
			t.Errorf("%s passes every gate", name)
		}
		t.Logf("%s misses the gates for %s", name, strings.Join(missed, ", "))
	}
}

// TestWorkersDoNotMatter makes sure that figures and examples do not depend on how many feeds run at once.
func TestWorkersDoNotMatter(t *testing.T) {
	cfg := small(Archetypes()[:8])
	cfg.Polls, cfg.Examples, cfg.Workers = 20, 2, 1
	one := Run(cfg)
	cfg.Workers = 5
	five := Run(cfg)
	for _, rep := range []*Report{one, five} {
		for _, row := range rep.Rows {
			for i := range row.Scores {
				row.Scores[i].Took = 0
			}
		}
	}
	if diff := cmp.Diff(one.Rows, five.Rows, cmp.Comparer(func(a, b *Archetype) bool { return a.Name == b.Name })); diff != "" {
		t.Errorf("one worker and five disagree:\n%s", diff)
	}
	if diff := cmp.Diff(one.Examples, five.Examples, cmp.AllowUnexported(Example{})); diff != "" {
		t.Errorf("one worker and five give other examples:\n%s", diff)
	}
}

func TestVerdict(t *testing.T) {
	good := Score{Arrivals: 2_000_000, New: 40_000, Duplicates: 60_000, Updates: 2_000, Unchanged: 1_800_000, Took: time.Second}
	bad := good
	bad.Drops = 1
	for _, tc := range []struct {
		name  string
		total []Score
		whole bool
		want  string
	}{
		{"all well", []Score{good, bad}, true, ""},
		{"product fails", []Score{bad, bad}, true, "feedonce misses the gate for false drops"},
		{"baseline passes", []Score{good, good}, true, "the baseline other passes every gate: the simulator has lost its teeth"},
		{"too small", []Score{{Arrivals: 10, New: 10}, bad}, true, "the run is too small to prove anything"},
		{"small on purpose", []Score{{Arrivals: 10, New: 10}, bad}, false, ""},
		{"easy on purpose", []Score{good, good}, false, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := Normal.Verdict(&Report{Strategies: []string{ProductName, "other"}, Total: tc.total}, tc.whole)
			if text := strings.Join(got, "; "); !strings.HasPrefix(text, tc.want) || tc.want == "" && text != "" {
				t.Errorf("verdict %q, want %q", text, tc.want)
			}
		})
	}
}
