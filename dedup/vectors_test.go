package dedup_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"feedonce/dedup"
)

var update = flag.Bool("update", false, "rewrite the test vectors in vectors/")

// A vector is a case file in a form that any language reads: vectors/README.md explains the fields.
type vector struct {
	Name   string        `json:"name"`
	About  string        `json:"about"`
	Policy *dedup.Policy `json:"policy,omitempty"`
	Items  []dedup.Item  `json:"items"` // every different item once
	Steps  []vectorStep  `json:"steps"`
}

// A vectorStep is a document and what is to be decided of its items, or articles that lose texts or everything.
type vectorStep struct {
	Name      string           `json:"name,omitempty"`
	Document  *vectorDocument  `json:"document,omitempty"`
	Decisions []vectorDecision `json:"decisions,omitempty"`
	Purge     []string         `json:"purge,omitempty"`
	Forget    []string         `json:"forget,omitempty"`
}

// A vectorDocument is a dedup.Document whose items are numbers of the vector's items.
type vectorDocument struct {
	Fetched time.Time `json:"fetched"`
	Site    string    `json:"site,omitempty"`
	Partial bool      `json:"partial,omitempty"`
	Items   []int     `json:"items"`
}

type vectorDecision struct {
	Outcome dedup.Outcome   `json:"outcome"`
	Or      []dedup.Outcome `json:"or,omitempty"`      // as good
	Article string          `json:"article,omitempty"` // the case's name for the entry
	Rule    dedup.RuleID    `json:"rule"`
	Tell    bool            `json:"tell"`
}

// TestVectors keeps vectors/*.json what the case files are, and demands that an engine which knows nothing but the JSON
// decides as they say.
func TestVectors(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no case files in testdata: %v", err)
	}
	current := map[string]bool{}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".txtar")
		t.Run(name, func(t *testing.T) {
			want := export(t, f, name).layout(t)
			out := filepath.Join("vectors", name+".json")
			current[out] = true
			if *update {
				if err := os.WriteFile(out, want, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			have, err := os.ReadFile(out)
			if err != nil {
				t.Fatalf("%v; `make vectors` writes it", err)
			}
			if !bytes.Equal(have, want) {
				t.Fatalf("%s is not what its case file says now; `make vectors` writes it:\n%s", out, cmp.Diff(strings.Split(string(have), "\n"), strings.Split(string(want), "\n")))
			}
			runVector(t, have)
		})
	}
	stored, err := filepath.Glob("vectors/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range stored {
		if current[f] {
			continue
		}
		if !*update {
			t.Errorf("%s has no case file any more; `make vectors` removes it", f)
		} else if err := os.Remove(f); err != nil {
			t.Error(err)
		}
	}
}

// layout writes a vector as JSON with a line for each item and each decision.
func (v *vector) layout(t *testing.T) []byte {
	var b bytes.Buffer
	put := func(before string, x any, after string) {
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		b.WriteString(before)
		if err := enc.Encode(x); err != nil {
			t.Fatal(err)
		}
		b.Truncate(b.Len() - 1) // the encoder's line feed
		b.WriteString(after)
	}
	comma := func(i, n int) string {
		if i < n-1 {
			return ","
		}
		return ""
	}
	put("{\"name\":", v.Name, ",\n")
	put(" \"about\":", v.About, ",\n")
	if v.Policy != nil {
		put(" \"policy\":", v.Policy, ",\n")
	}
	b.WriteString(" \"items\":[")
	for i, it := range v.Items {
		put("\n  ", it, comma(i, len(v.Items)))
	}
	b.WriteString("],\n \"steps\":[\n")
	for i, s := range v.Steps {
		end := comma(i, len(v.Steps)) + "\n"
		if s.Document == nil {
			put("  ", s, end)
			continue
		}
		put("  {\"name\":", s.Name, ",\n")
		put("   \"document\":", s.Document, ",\n   \"decisions\":[")
		for k, d := range s.Decisions {
			put("\n    ", d, comma(k, len(s.Decisions)))
		}
		b.WriteString("]}" + end)
	}
	b.WriteString(" ]}\n")
	return b.Bytes()
}

// number returns the place of an item among the vector's items; it adds what is not there.
func (v *vector) number(it dedup.Item) int {
	for i := range v.Items {
		if reflect.DeepEqual(v.Items[i], it) {
			return i
		}
	}
	v.Items = append(v.Items, it)
	return len(v.Items) - 1
}

// export runs a case and writes down what was decided.
func export(t *testing.T, file, name string) *vector {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ar := txtar.Parse(data)
	v := &vector{Name: name, About: strings.Join(strings.Fields(string(ar.Comment)), " ")}
	texts := builtinTexts()
	var policy dedup.Policy
	for _, f := range ar.Files {
		if name, ok := strings.CutPrefix(f.Name, "text "); ok {
			texts[name] = strings.TrimSpace(string(f.Data))
		} else if f.Name == "policy" {
			policy = parsePolicy(t, string(f.Data))
			v.Policy = &policy
		}
	}
	m := dedup.NewMemory(policy)
	latest := map[string]dedup.Item{}
	articles := newNaming()
	now := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	for _, f := range ar.Files {
		verb, list, isVerb := strings.Cut(f.Name, ": ")
		switch {
		case f.Name == "policy" || strings.HasPrefix(f.Name, "text "):
		case isVerb && verb == "purge":
			v.Steps = append(v.Steps, vectorStep{Purge: strings.Fields(list)})
			for _, n := range strings.Fields(list) {
				m.Purge(articles.entry[n])
			}
		case isVerb && verb == "forget":
			v.Steps = append(v.Steps, vectorStep{Forget: strings.Fields(list)})
			for _, n := range strings.Fields(list) {
				m.Forget(articles.entry[n])
			}
		default:
			doc := &dedup.Document{Site: "https://example.org/"}
			sectionWords(t, f.Name, doc, &now)
			items := parseItems(t, string(f.Data), texts, latest)
			step := vectorStep{Name: f.Name, Document: &vectorDocument{Fetched: doc.Fetched, Site: doc.Site, Partial: doc.Partial, Items: []int{}}}
			for _, it := range items {
				doc.Items = append(doc.Items, it.Item)
				step.Document.Items = append(step.Document.Items, v.number(it.Item))
			}
			for i, d := range m.Process(doc).Decisions {
				name := wantName(items[i].want)
				if name != "" {
					latest[name] = items[i].Item
				}
				e := vectorDecision{Outcome: d.Outcome, Article: articles.of(d.Entry, name), Rule: d.Rule, Tell: d.Tell}
				for o := range strings.SplitSeq(strings.Fields(items[i].want)[0], "|") {
					if dedup.Outcome(o) != d.Outcome {
						e.Or = append(e.Or, dedup.Outcome(o))
					}
				}
				step.Decisions = append(step.Decisions, e)
			}
			v.Steps = append(v.Steps, step)
		}
	}
	return v
}

// sectionWords applies the words of a document's name to it and to the clock.
func sectionWords(t *testing.T, name string, doc *dedup.Document, now *time.Time) {
	next := now.Add(time.Hour)
	for w := range strings.FieldsSeq(name) {
		switch {
		case strings.HasPrefix(w, "+"):
			next = now.Add(duration(t, w[1:]))
		case w == "partial":
			doc.Partial = true
		case strings.HasPrefix(w, "at="):
			next = date(t, w[3:])
		case strings.HasPrefix(w, "site="):
			doc.Site = w[5:]
		}
	}
	*now = next
	doc.Fetched = next
}

// naming gives entries the names that the case has for its articles; what it does not name is "unnamed 1" and so on.
type naming struct {
	entry map[string]dedup.EntryID
	name  map[dedup.EntryID]string
}

func newNaming() *naming {
	return &naming{map[string]dedup.EntryID{}, map[dedup.EntryID]string{}}
}

func (n *naming) of(id dedup.EntryID, name string) string {
	if id == 0 {
		return ""
	}
	if n.name[id] == "" {
		if name == "" {
			name = fmt.Sprintf("unnamed %d", len(n.name)+1)
		}
		n.name[id], n.entry[name] = name, id
	}
	return n.name[id]
}

// runVector is what an implementation in another language does with a vector.
func runVector(t *testing.T, data []byte) {
	var v vector
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	var policy dedup.Policy
	if v.Policy != nil {
		policy = *v.Policy
	}
	m := dedup.NewMemory(policy)
	entry, taken := map[string]dedup.EntryID{"": 0}, map[dedup.EntryID]bool{}
	for _, s := range v.Steps {
		for _, n := range s.Purge {
			m.Purge(entry[n])
		}
		for _, n := range s.Forget {
			m.Forget(entry[n])
		}
		if s.Document == nil {
			continue
		}
		doc := &dedup.Document{Fetched: s.Document.Fetched, Site: s.Document.Site, Partial: s.Document.Partial}
		for _, n := range s.Document.Items {
			doc.Items = append(doc.Items, v.Items[n])
		}
		res := m.Process(doc)
		if len(res.Decisions) != len(s.Decisions) {
			t.Fatalf("%s: %d decisions, want %d", s.Name, len(res.Decisions), len(s.Decisions))
		}
		for i, want := range s.Decisions {
			got := res.Decisions[i]
			if _, named := entry[want.Article]; !named && !taken[got.Entry] {
				entry[want.Article], taken[got.Entry] = got.Entry, true
			}
			if got.Outcome != want.Outcome && !slices.Contains(want.Or, got.Outcome) || got.Entry != entry[want.Article] || got.Rule != want.Rule || got.Tell != want.Tell {
				t.Errorf("%s, item %d: %s of entry %d by %s, tell %v; want %+v (entry %d)", s.Name, i, got.Outcome, got.Entry, got.Rule, got.Tell, want, entry[want.Article])
			}
		}
	}
}
