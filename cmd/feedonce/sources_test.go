package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFindSources(t *testing.T) {
	t.Chdir(t.TempDir())
	at := time.Date(2026, 3, 2, 6, 0, 0, 0, time.UTC)
	for _, f := range []string{"a/feed-9.xml", "a/feed-10.xml", "a/feed-011.xml", "a/other.rss", "a/notes.txt", "b/feed-1.xml", "b/.hidden/x.xml", "c/1.json", "c/2.atom"} {
		if err := os.MkdirAll(filepath.Dir(f), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(f, at, at); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name                string
		args                []string
		snapshots, separate bool
		want                []string
	}{
		{"folder", []string{"a"}, false, false, []string{"a/feed-9.xml a/feed-10.xml a/feed-011.xml", "a/other.rss"}},
		{"folders in a folder", []string{"."}, false, false,
			[]string{"a/feed-9.xml a/feed-10.xml a/feed-011.xml", "a/other.rss", "b/feed-1.xml", "c/1.json", "c/2.atom"}},
		{"files in no order", []string{"a/feed-10.xml", "a/feed-9.xml"}, false, false, []string{"a/feed-9.xml a/feed-10.xml"}},
		{"other folders are other feeds", []string{"a/feed-9.xml", "b/feed-1.xml"}, false, false, []string{"a/feed-9.xml", "b/feed-1.xml"}},
		{"separate", []string{"a/feed-9.xml", "a/feed-10.xml"}, false, true, []string{"a/feed-9.xml", "a/feed-10.xml"}},
		{"snapshots in the order given", []string{"c/2.atom", "c/1.json", "https://example.org/"}, true, false, []string{"c/2.atom c/1.json https://example.org/"}},
		{"addresses are never snapshots", []string{"https://example.org/1", "https://example.org/2"}, false, false, []string{"https://example.org/1", "https://example.org/2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sources, err := findSources(tt.args, tt.snapshots, tt.separate)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range sources {
				var names []string
				for i, p := range s.parts {
					names = append(names, filepath.ToSlash(p.name))
					if i > 0 && !p.at.After(s.parts[i-1].at) {
						t.Errorf("%s is not later than the snapshot before it", p.name)
					}
				}
				got = append(got, strings.Join(names, " "))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("sources (-want +got):\n%s", diff)
			}
		})
	}
}

// The real histories of the corpus, each snapshot in order: none is unreadable, and every item is accounted for.
func TestTryHistories(t *testing.T) {
	corpus := os.Getenv("FEEDONCE_CORPUS")
	if corpus == "" {
		corpus = "../../../shared/corpus"
	}
	histories := filepath.Join(corpus, "histories")
	folders, err := os.ReadDir(histories)
	if err != nil {
		t.Skipf("there is no corpus at %s (set FEEDONCE_CORPUS to where it is)", corpus)
	}
	// The program as it is shipped: with the race detector in it, this takes minutes.
	program := filepath.Join(t.TempDir(), "feedonce")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the program: %v\n%s", err, out)
	}
	var out, errs bytes.Buffer
	try := exec.CommandContext(t.Context(), program, "try", "--json", "--verbose", histories)
	try.Env = []string{"HOME=/nowhere"}
	try.Stdout, try.Stderr = &out, &errs
	err = try.Run()
	if code := try.ProcessState.ExitCode(); code != exitFound {
		t.Errorf("exit code %d, want %d, as these feeds repeat themselves: %v\n%s", code, exitFound, err, errs.String())
	}
	decisions := map[string]int{} // by source and outcome
	sources, items, articles := 0, 0, 0
	for dec := json.NewDecoder(&out); dec.More(); {
		var line struct {
			verdict
			Outcome string `json:"outcome"`
		}
		if err := dec.Decode(&line); err != nil {
			t.Fatal(err)
		}
		if line.Type == "decision" {
			decisions[line.Source+" "+line.Outcome]++
			continue
		}
		v := line.verdict
		sources++
		items += v.Items
		articles += v.Articles
		files, err := filepath.Glob(filepath.Join(filepath.Dir(v.Source[:strings.Index(v.Source, " to ")]), "*.xml"))
		if err != nil {
			t.Fatal(err)
		}
		if len(v.Errors) > 0 || v.Documents != len(files) {
			t.Errorf("%s: %d documents of %d snapshots were read: %v", v.Source, v.Documents, len(files), v.Errors)
		}
		if sum := v.New + v.Updated + v.Unchanged + v.Duplicate + v.Quarantined + v.Invalid; sum != int64(v.Items) {
			t.Errorf("%s: %d items, and outcomes for %d", v.Source, v.Items, sum)
		}
		for outcome, n := range map[string]int64{"new": v.New, "updated": v.Updated, "unchanged": v.Unchanged, "duplicate": v.Duplicate, "invalid": v.Invalid} {
			if got := decisions[v.Source+" "+outcome]; got != int(n) {
				t.Errorf("%s: %d decisions are %s, and %d are counted", v.Source, got, outcome, n)
			}
		}
	}
	if sources != len(folders) {
		t.Errorf("%d sources were tried of %d folders", sources, len(folders))
	}
	t.Logf("%d feeds, %d items, %d articles", sources, items, articles)
}
