package replay

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"feedonce/dedup"
	"feedonce/internal/evolve"
)

// invented makes a history of a feed whose documents list guids, a day apart. A guid is "ARTICLE" or "ARTICLE/n": another
// guid of it. The text of an article is its own.
func invented(documents ...string) *History {
	h := &History{Name: "invented", Truth: &Truth{article: map[string]string{}, byLink: map[string][]string{}, byTitle: map[string][]string{}, links: map[string][]string{}}}
	at := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	for n, d := range documents {
		v := Version{N: n + 1, Time: at.AddDate(0, 0, n)}
		v.Doc = &dedup.Document{Fetched: v.Time, Site: "https://example.org/"}
		for _, guid := range strings.Fields(d) {
			art, _, _ := strings.Cut(guid, "/")
			h.Truth.article[guid] = art
			link := "https://example.org/posts/" + guid
			h.Truth.links[art] = append(h.Truth.links[art], guid, link)
			v.Doc.Items = append(v.Doc.Items, dedup.Item{GUID: guid, URL: link, Title: "A few words about " + art, Content: strings.Repeat("words of "+art+" and more ", 12),
				Published: at.Add(-time.Duration(art[0]) * time.Hour)})
			v.Dates = append(v.Dates, "")
		}
		h.Versions = append(h.Versions, v)
	}
	return h
}

func TestReplayCounts(t *testing.T) {
	h := invented("A B", "A/2 B C", "A/2 B/2 C D")
	got := h.Replay(evolve.NewGUIDOnly(), mode(t, "every"), nil)
	want := Score{Versions: 3, Items: 9, True: 4, Shown: 6, Duplicates: 2, Told: 2}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("guid only (-want +got):\n%s", diff)
	}
	if got := h.Replay(evolve.NewProduct(), mode(t, "every"), nil); got.Duplicates+got.Lost+got.Wrong != 0 || got.Shown != 4 {
		t.Errorf("engine: %+v; want each of four articles once", got)
	}
	// What stands twice in a first document is shown twice, but nobody is told.
	if got := invented("A A/2 B").Replay(evolve.NewGUIDOnly(), mode(t, "every"), nil); got.Duplicates != 1 || got.Told != 0 {
		t.Errorf("duplicate in a first document: %+v", got)
	}
}

func TestReplayFindsWhatIsLostOrTakenWrongly(t *testing.T) {
	h := invented("A B", "A B C")
	for i := range h.Versions { // the truth knows two articles under guid A, by title
		h.Truth.article["A | A few words about Z"] = "Z"
		h.Versions[i].Doc.Items = append(h.Versions[i].Doc.Items, dedup.Item{GUID: "A", Title: "A few words about Z", Content: "something else"})
		h.Versions[i].Dates = append(h.Versions[i].Dates, "")
	}
	var kinds []FaultKind
	got := h.Replay(evolve.NewGUIDOnly(), mode(t, "every"), func(f Fault) {
		kinds = append(kinds, f.Kind)
		if f.Kind == Wrong && (f.Article != "Z" || f.Taken != "A") || f.String() == "" {
			t.Errorf("fault: %v", f)
		}
	})
	if got.Lost != 1 || got.Wrong != 2 {
		t.Errorf("guid only: %+v; want one article lost, two items taken for another", got)
	}
	if diff := cmp.Diff([]FaultKind{Wrong, Wrong, Lost}, kinds); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestModes(t *testing.T) {
	h := invented("A", "B", "C", "D", "E", "F", "G")
	for name, want := range map[string]Score{
		"every":  {Versions: 7, Items: 7, True: 7, Shown: 7},
		"second": {Versions: 4, Items: 4, True: 4, Shown: 4},
		"fifth":  {Versions: 2, Items: 2, True: 2, Shown: 2},
		"middle": {Versions: 4, Items: 4, True: 4, Shown: 4},
		"twice":  {Versions: 14, Items: 14, True: 7, Shown: 7},
	} {
		got := h.Replay(evolve.NewGUIDOnly(), mode(t, name), nil)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestTogether(t *testing.T) {
	a, b := invented("A", "A B", "A B C"), invented("A", "A B X", "A B X C/2")
	h := a.Truth
	h.links["C"] = append(h.links["C"], "https://example.org/posts/C/2") // the same article at another address
	got := Together(a, b, mode(t, "every"))
	want := PairScore{A: "invented", B: "invented", Items: 14, True: 4, Both: 3, Entries: 7, Stories: 4, Told: 3, GUIDOnly: 2}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(PairScore{}, "Mode")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestComplaints(t *testing.T) {
	m := mode(t, "every")
	row := func(history string, engine, guidOnly Score) Row {
		return Row{Mode: m, History: history, Scores: []Score{engine, guidOnly}}
	}
	names := []string{evolve.ProductName, "guid only"}
	for _, tt := range []struct {
		name string
		rep  Report
		want string // in the only complaint; "" for none
	}{
		{"passes", Report{Rows: []Row{row("x", Score{Told: 2}, Score{Told: 100})}}, ""},
		{"loses", Report{Rows: []Row{row("x", Score{Lost: 1, True: 9}, Score{})}}, "1 of 9 articles lost"},
		{"tells too much", Report{Rows: []Row{row("x", Score{Told: 3}, Score{Told: 100})}}, "3 duplicates told, more than 2 % of the 100"},
		{"tells of a calm one", Report{Rows: []Row{row(calm[0], Score{Told: 1}, Score{Told: 100})}}, "told of a calm feed"},
		{"silences", Report{Pairs: []PairScore{{A: "a", B: "b", Mode: m, Silenced: 1}}}, "nobody is told of"},
	} {
		tt.rep.Strategies = names
		got := tt.rep.Complaints()
		if tt.want == "" && len(got) > 0 || tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)) {
			t.Errorf("%s: complaints %q, want one with %q", tt.name, got, tt.want)
		}
	}
}
