package format

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"feedonce/internal/scan"
)

var update = flag.Bool("update", false, "rewrite the files of testdata that say what is expected")

// failuresFile lists the corpus files that do not give what their authors expect, one a line: what is known not to
// work, or where we decided otherwise.
const failuresFile = "testdata/corpus_failures.txt"

// corpusDir returns the folder of corpora, which is no part of the repository.
func corpusDir(t testing.TB) string {
	dir := os.Getenv("FEEDONCE_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "corpus")
	}
	if _, err := os.Stat(filepath.Join(dir, "conformance")); err != nil {
		t.Skipf("no corpus: set FEEDONCE_CORPUS to its folder (looked in %s)", dir)
	}
	return dir
}

// A score counts the files of one set that give what is expected.
type score struct {
	set     string
	passed  int
	failed  []string       // names
	skipped map[string]int // expectations that the model has no place for, by what they are about
	checked int            // expectations
	details map[string]string
	base    string // where the document at hand came from
}

func newScore(set string) *score {
	return &score{set: set, skipped: map[string]int{}, details: map[string]string{}}
}

func (s *score) add(name string, faults []string) {
	if len(faults) == 0 {
		s.passed++
		return
	}
	name = s.set + ": " + name
	s.failed = append(s.failed, name)
	s.details[name] = strings.Join(faults, "\n\t")
}

func (s *score) log(t *testing.T) {
	n := 0
	var what []string
	for k, v := range s.skipped {
		n += v
		what = append(what, k)
	}
	sort.Slice(what, func(i, j int) bool { return s.skipped[what[i]] > s.skipped[what[j]] })
	t.Logf("%-24s %4d of %4d files, %4d expectations checked, %d skipped", s.set, s.passed, s.passed+len(s.failed), s.checked, n)
	if len(what) > 0 {
		t.Logf("%-24s skipped: %s", "", clip(strings.Join(what, " "), 300))
	}
}

// TestCorpus measures the parser against feeds and expectations that nobody here wrote. It fails when a file fails
// that is not in the list of known failures, and when one in the list passes; -update rewrites the list.
func TestCorpus(t *testing.T) {
	dir := filepath.Join(corpusDir(t), "conformance")
	scores := []*score{
		scoreFeedparser(t, dir), scoreDates(t, dir), scoreGofeed(t, dir), scoreFeedRS(t, dir), scoreValidator(t, dir), scoreRobustness(t, dir),
	}
	var failed []string
	details := map[string]string{}
	for _, s := range scores {
		s.log(t)
		failed = append(failed, s.failed...)
		for k, v := range s.details {
			details[k] = v
		}
	}
	slices.Sort(failed)
	if *update {
		if err := os.WriteFile(failuresFile, []byte(strings.Join(failed, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list, err := os.ReadFile(failuresFile)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for l := range strings.Lines(string(list)) {
		if l = strings.TrimSpace(l); l != "" {
			known[l] = true
		}
	}
	for _, f := range failed {
		if !known[f] {
			t.Errorf("%s\n\t%s", f, details[f])
		} else if testing.Verbose() && os.Getenv("CORPUS_DETAILS") != "" {
			t.Logf("known failure %s\n\t%s", f, details[f])
		}
		delete(known, f)
	}
	for f := range known {
		t.Errorf("%s is listed in %s but passes: run the test with -update", f, failuresFile)
	}
}

// itemTags finds the start of what should be an item, to know whether a document has any.
var itemTags = regexp.MustCompile(`<(?:[A-Za-z0-9]+:)?(?:item|entry)(?:\s[^>]*)?>`)

// hasItems reports whether a document of unknown quality has items that should be found.
func hasItems(body []byte) bool {
	text := scan.Decode(body, "").Bytes
	text = regexp.MustCompile(`(?s)<!--.*?-->|<!\[CDATA\[.*?\]\]>`).ReplaceAll(text, nil)
	return itemTags.Match(text) && regexp.MustCompile(`(?i)<(?:[a-z0-9]+:)?(?:rss|rdf|feed)[\s>]`).Match(text)
}

// readable checks what must hold of every document, and returns what does not.
func readable(body []byte, opts Options) (*Document, []string) {
	d, err := Parse(body, opts)
	if err != nil {
		var notFeed *NotFeedError
		var limit *scan.LimitError
		if !errors.As(err, &notFeed) && !errors.As(err, &limit) {
			return nil, []string{"an error of another kind: " + err.Error()}
		}
		if hasItems(body) {
			return nil, []string{"there are items, but: " + err.Error()}
		}
		return nil, nil
	}
	faults := invalid(d)
	if len(d.Items) == 0 && d.Partial == "" && hasItems(body) {
		faults = append(faults, "there are items, but none was found")
	}
	return d, faults
}

// files returns the files below dir with one of the extensions, relative to base.
func files(t testing.TB, base, dir string, extensions ...string) []string {
	var out []string
	err := filepath.WalkDir(filepath.Join(base, dir), func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if slices.Contains(extensions, filepath.Ext(path)) {
			rel, err := filepath.Rel(base, path)
			if err != nil {
				return err
			}
			out = append(out, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) == 0 {
		t.Fatalf("no files in %s", filepath.Join(base, dir))
	}
	return out
}

func read(t testing.TB, elem ...string) []byte {
	b, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func readIf(elem ...string) ([]byte, bool) {
	b, err := os.ReadFile(filepath.Join(elem...))
	return b, err == nil
}
