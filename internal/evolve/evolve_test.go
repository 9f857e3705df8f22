package evolve

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"feedonce/dedup"
)

// everyKind is every archetype and chaos.
func everyKind() []*Archetype { return append(Archetypes(), Chaos) }

// documents are all documents of one feed.
func documents(p *Publisher, polls int) []Document {
	var docs []Document
	for range polls {
		docs = append(docs, p.Next()...)
	}
	return docs
}

func TestArchetypes(t *testing.T) {
	names := map[string]bool{}
	for _, a := range everyKind() {
		if names[a.Name] {
			t.Errorf("two archetypes are called %q", a.Name)
		}
		names[a.Name] = true
		if a.Name == "" || strings.ToLower(a.Name) != a.Name || strings.ContainsAny(a.Name, " ,") {
			t.Errorf("the name %q does not fit -only", a.Name)
		}
		if !strings.HasSuffix(a.About, ".") || a.Family == "" {
			t.Errorf("%s: About %q must be a sentence, and Family %q not empty", a.Name, a.About, a.Family)
		}
	}
	if len(names) < 71+10 {
		t.Errorf("%d archetypes; the benchmark promises at least 71, and the kinds seen in histories", len(names))
	}
}

// TestFeedsAreDeterministic makes sure that a feed is the same whenever it is made, and another for another seed.
func TestFeedsAreDeterministic(t *testing.T) {
	for _, kind := range everyKind() {
		one, two := documents(NewPublisher(kind, 5, 1, 30, false), 30), documents(NewPublisher(kind, 5, 1, 30, false), 30)
		if !reflect.DeepEqual(one, two) {
			t.Fatalf("%s: made twice, the feed differs:\n%.2000s", kind.Name, cmp.Diff(one, two))
		}
		if other := documents(NewPublisher(kind, 6, 1, 30, false), 30); reflect.DeepEqual(one, other) {
			t.Errorf("%s: seeds 5 and 6 make the same feed", kind.Name)
		}
	}
}

// TestArticlesDiffer makes sure that truth can be known: no two articles of a feed ever look the same to a reader in
// all that identifies them.
func TestArticlesDiffer(t *testing.T) {
	for _, kind := range everyKind() {
		for n := range 2 {
			owner := map[string]int{}
			for _, d := range documents(NewPublisher(kind, 77, n, 60, n%2 == 1), 60) {
				for i := range d.Items {
					it, article := &d.Items[i], d.Origins[i].Article
					all := strings.Join([]string{it.GUID, it.URL, it.Title, it.Content, it.Lang, it.Published.String()}, "\n")
					for _, e := range it.Enclosures {
						all += "\n" + e.URL
					}
					if had, ok := owner[all]; ok && had != article {
						t.Fatalf("%s, feed %d: articles %d and %d are both\n%s", kind.Name, n, had, article, all)
					}
					owner[all] = article
				}
			}
		}
	}
}

// TestArchetypesDoWhatTheySay checks for each archetype with a fault that its feeds show the trouble it is there for.
func TestArchetypesDoWhatTheySay(t *testing.T) {
	const polls = 100
	for _, kind := range everyKind() {
		var sum Score
		var items, variants int
		for n := range 2 {
			p, ledger := NewPublisher(kind, 3, n, polls, false), NewLedger()
			for range polls {
				for _, d := range p.Next() {
					for _, truth := range ledger.Enter(&d) {
						r := referee{}
						r.count(truth)
						sum.Add(r.Score)
						items++
						if truth.Updated {
							sum.Updates++
						}
						if truth.Open {
							variants++
						}
					}
				}
			}
		}
		if items == 0 || sum.New == 0 || sum.Unchanged == 0 {
			t.Errorf("%s: of %d items %d are new and %d unchanged", kind.Name, items, sum.New, sum.Unchanged)
		}
		changesIdentity := slices.Contains([]Family{Links, Migrating}, kind.Family) && kind.Name != "utm-links"
		if changesIdentity && sum.Duplicates == 0 {
			t.Errorf("%s: no article ever comes under another identity", kind.Name)
		}
		if kind.Edits >= 0 && kind.Edits == 0 && kind.Pace != Busy && sum.Updates == 0 {
			t.Errorf("%s: no article is ever edited", kind.Name)
		}
		if slices.Contains([]string{"node-footer", "headline-test", "mirrors"}, kind.Name) && variants == 0 {
			t.Errorf("%s: no second rendering was seen", kind.Name)
		}
	}
}

// TestTruthIsHidden makes sure that nothing a strategy gets has to do with the truth but through what is published.
func TestTruthIsHidden(t *testing.T) {
	docs := documents(NewPublisher(Archetypes()[0], 1, 1, 5, false), 5)
	raw, err := json.Marshal(docs[0].Document)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(raw, &fields); err != nil {
		t.Fatal(err)
	}
	for name := range fields {
		if !slices.Contains([]string{"fetched", "site", "generator", "partial", "items"}, name) {
			t.Errorf("strategies get a field %q", name)
		}
	}
	if docs[0].Site == "" || docs[0].Items[0].GUID == "" {
		t.Errorf("the document lacks what a feed has: %s", raw)
	}
}

// oracle is a strategy that is told the truth: what a perfect engine would answer.
type oracle struct {
	truths  []Truth
	origins []Origin
}

func (*oracle) Name() string { return "oracle" }

func (o *oracle) Document(_ int, doc *dedup.Document) []Answer {
	answers := make([]Answer, len(doc.Items))
	for i, truth := range o.truths {
		a := Answer{Outcome: dedup.Unchanged, Entry: int64(o.origins[i].Article), Tell: truth.New}
		switch {
		case truth.New:
			a.Outcome = dedup.New
		case truth.Updated:
			a.Outcome = dedup.Updated
		case truth.Duplicate:
			a.Outcome = dedup.Duplicate
		}
		answers[i] = a
	}
	return answers
}

// TestTheTruthPasses makes sure that the gates can be passed: whoever knows the truth makes no mistake, in any course.
func TestTheTruthPasses(t *testing.T) {
	for _, course := range Courses() {
		total := Score{}
		for _, kind := range course.Archetypes() {
			p, ledger, ref, who := NewPublisher(kind, 2, 1, 60, course.Dense), NewLedger(), newReferee(), &oracle{}
			for range 60 {
				for _, d := range p.Next() {
					who.truths, who.origins = ledger.Enter(&d), d.Origins
					ref.judge(&d, who.truths, who.Document(1, &d.Document))
				}
			}
			ref.end(p.Now)
			if len(ref.faults) > 0 {
				t.Errorf("%s, %s: the truth was judged wrong: %+v", course.Name, kind.Name, ref.faults[0])
			}
			total.Add(ref.Score)
		}
		if missed := course.Missed(&total); len(missed) > 0 {
			t.Errorf("%s: the truth misses the gates for %v", course.Name, missed)
		}
	}
}
