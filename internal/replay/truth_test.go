package replay

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"feedonce/dedup"
	"feedonce/internal/evolve"
)

// TestTruthIsComplete demands that every item of every history is some article's by the truth, not by default, and that
// every correction names a history that exists, and another article than the proposal does.
func TestTruthIsComplete(t *testing.T) {
	hs := load(t, "")
	for _, h := range hs {
		n := 0
		h.Replay(evolve.NewGUIDOnly(), mode(t, "every"), func(f Fault) {
			if f.Kind == Unknown {
				if n++; n <= 5 {
					t.Errorf("%s, version %d: the truth has no key for %s; add it to testdata/truth.tsv", h.Name, f.Version, brief(f.Item))
				}
			}
		})
	}
	dir, err := Corpus("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range parseTable(checked) {
		rows, err := readTable(filepath.Join(dir, r["history"], "articles.tsv"))
		if err != nil {
			t.Errorf("truth.tsv: %v", err)
			continue
		}
		if r["why"] == "" {
			t.Errorf("truth.tsv: %s, %s: no reason", r["history"], r["key"])
		}
		proposed := slices.ContainsFunc(rows, func(p map[string]string) bool {
			return p["key"] == r["key"] && "a"+p["article"] == r["article"]
		})
		named := strings.HasPrefix(r["article"], "b ") || slices.ContainsFunc(rows, func(p map[string]string) bool { return "a"+p["article"] == r["article"] })
		if proposed || !named {
			t.Errorf("truth.tsv: %s, %s: article %q is what was proposed, or no article of the history; new ones are called \"b …\"", r["history"], r["key"], r["article"])
		}
	}
}

// A truth is looked up by guid and title, guid, title and date, link, or a title that is one article's.
func TestTruthArticle(t *testing.T) {
	file := filepath.Join(t.TempDir(), "articles.tsv")
	table := "article\tkey\tguid\tlink\ttitle\tdate\n" +
		"1\tg1\tg1\thttps://example.org/one\tOne\t\n" +
		"1\tg1-again\tg1-again\thttps://example.org/uno\tOne\t\n" +
		"2\tshared | Two\tshared\t\tTwo\t\n" +
		"3\tshared | Three\tshared\t\tThree\t\n" +
		"4\thttps://example.org/four\t\thttps://example.org/four\tFour\t\n" +
		"5\tT:Five|Monday\t\t\tFive\tMonday\n" +
		"6\tT:Five|Tuesday\t\t\tFive\tTuesday\n"
	if err := os.WriteFile(file, []byte(table), 0o666); err != nil {
		t.Fatal(err)
	}
	truth, err := loadTruth(file, "none of those in the corpus")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		item dedup.Item
		date string
		want string
		ok   bool
	}{
		{dedup.Item{GUID: "g1", Title: "Renamed"}, "", "a1", true},
		{dedup.Item{GUID: " g1-again\n", Title: "One"}, "", "a1", true},
		{dedup.Item{GUID: "unheard of", Title: "One"}, "", "a1", true},
		{dedup.Item{GUID: "shared", Title: "Two"}, "", "a2", true},
		{dedup.Item{GUID: "shared", Title: "Three"}, "", "a3", true},
		{dedup.Item{GUID: "unheard of", Title: "Five"}, "Monday", "guid unheard of", false},
		{dedup.Item{URL: "https://example.org/four", Title: "Renamed"}, "", "a4", true},
		{dedup.Item{Title: "Five"}, "Tuesday", "a6", true},
		{dedup.Item{Title: "Five"}, " Monday ", "a5", true},
		{dedup.Item{Title: "Four"}, "", "a4", true},
		{dedup.Item{Title: "Six"}, "Sunday", "item  Six Sunday", false},
	} {
		if got, ok := truth.Article(&tt.item, tt.date); got != tt.want || ok != tt.ok {
			t.Errorf("article of %s, %q: %q, %v; want %q, %v", brief(&tt.item), tt.date, got, ok, tt.want, tt.ok)
		}
	}
}
