package replay

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden file")

const goldenFile = "testdata/histories.txt"

// TestGoldenHistories keeps what the engine and the baselines make of every history, in numbers, and that the engine
// passes its gates. Under the race detector, which makes it many times slower, two modes are looked at.
func TestGoldenHistories(t *testing.T) {
	hs := load(t, "")
	modes := Modes
	if raceEnabled && !*update {
		modes = []Mode{mode(t, "fifth")}
	}
	rep := Run(hs, modes)
	for _, c := range rep.Complaints() {
		t.Error(c)
	}
	var b bytes.Buffer
	if err := rep.WriteTables(&b); err != nil {
		t.Fatal(err)
	}
	b.WriteString("\n" + Legend)
	if !raceEnabled || *update {
		checkManual(t, rep)
	}
	if *update {
		if err := os.WriteFile(goldenFile, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	raw, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatalf("%v; `go test ./internal/replay -update` writes it", err)
	}
	want, got := sections(string(raw)), sections(b.String())
	for title, have := range got {
		w := want[title]
		if raceEnabled { // only the lines of the modes that ran
			w = only(w, have)
		}
		if diff := cmp.Diff(w, have); diff != "" {
			t.Errorf("%s changed (-golden +now); if for the better, `go test ./internal/replay -update`; to see why, "+
				"`go run ./cmd/feedonce-histories -look -only NAME`:\n%s", title, diff)
		}
	}
}

// checkManual demands that every duplicate that is left is explained, and that docs/dedup.md says what was measured.
func checkManual(t *testing.T, rep *Report) {
	list, stale := rep.Remaining()
	for _, r := range list {
		if r.Why == "" {
			t.Errorf("%s, article %s is shown again (%s), and testdata/remaining.tsv does not say why; look with `go run ./cmd/feedonce-histories -look -only %s`",
				r.History, r.Article, strings.Join(r.Modes, ", "), r.History)
		}
	}
	for _, s := range stale {
		t.Errorf("testdata/remaining.tsv explains %s, which is shown once now: take the line out", s)
	}
	const file = "../../docs/dedup.md"
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	for name, want := range rep.Manual() {
		begin, end := "<!-- generated: "+name+" -->\n", "<!-- end -->"
		head, rest, ok := strings.Cut(text, begin)
		have, tail, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Fatalf("%s has no part %q with an end", file, strings.TrimSpace(begin))
		}
		if diff := cmp.Diff(strings.Split(have, "\n"), strings.Split(want, "\n")); diff != "" && !*update {
			t.Errorf("%s, %s: not what was measured now; `go test ./internal/replay -update` writes it (-manual +now):\n%s", file, name, diff)
		}
		text = head + begin + want + end + tail
	}
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func mode(t *testing.T, name string) Mode {
	t.Helper()
	for _, m := range Modes {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("there is no mode %q", name)
	return Mode{}
}

// sections splits tables, which are separated by blank lines, by their titles, into lines with single spaces between the cells, so
// that a wider column changes no other line.
func sections(s string) map[string][]string {
	out := map[string][]string{}
	for part := range strings.SplitSeq(s, "\n\n") {
		title, rest, _ := strings.Cut(strings.TrimLeft(part, "\n"), "\n")
		for line := range strings.Lines(rest) {
			out[title] = append(out[title], strings.Join(strings.Fields(line), " "))
		}
	}
	return out
}

// only returns the lines that begin as one of the others does, with history and mode.
func only(lines, others []string) (out []string) {
	begin := func(l string) string { return strings.Join(strings.Fields(l + " - - - -")[:4], " ") }
	has := map[string]bool{}
	for _, l := range others {
		has[begin(l)] = true
	}
	for _, l := range lines {
		if has[begin(l)] {
			out = append(out, l)
		}
	}
	return out
}
