package dedup_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"feedonce/dedup"
)

// aFeed draws a history of documents with every kind of fault at once: few values for every field, so that they collide.
func aFeed(t *rapid.T) []*dedup.Document {
	n := rapid.IntRange(1, 6).Draw(t, "documents")
	at := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	var out []*dedup.Document
	for range n {
		at = at.Add(time.Duration(rapid.IntRange(1, 30).Draw(t, "hours")) * time.Hour)
		doc := &dedup.Document{Fetched: at, Site: "https://example.org/", Partial: rapid.IntRange(0, 9).Draw(t, "partial") == 0}
		for range rapid.IntRange(0, 9).Draw(t, "items") {
			doc.Items = append(doc.Items, anItem(t, at))
		}
		out = append(out, doc)
	}
	return out
}

func anItem(t *rapid.T, at time.Time) dedup.Item {
	k := rapid.IntRange(0, 7).Draw(t, "article")
	pick := func(name string, values ...string) string { return rapid.SampledFrom(values).Draw(t, name) }
	it := dedup.Item{
		GUID:  pick("guid", "", fmt.Sprint("g", k), fmt.Sprint("g", k, "-", rapid.IntRange(0, 2).Draw(t, "again")), "same", fmt.Sprintf("http://example.org/%d", k), fmt.Sprintf("https://example.org/%d", k)),
		URL:   pick("link", "", "https://example.org/", fmt.Sprintf("https://example.org/a-b-c-%d", k), fmt.Sprintf("https://example.org/a-b-c-%d?t=%d", k, rapid.IntRange(0, 3).Draw(t, "token"))),
		Title: pick("title", "", "Daily weather", fmt.Sprint("Title number ", k), fmt.Sprint("Title numbre ", k), "日本語の題", fmt.Sprint("Title number ", k, " (Updated)")),
		Content: pick("text", "", "Short.", someWords(k, 40), someWords(k, 40)+" and more", someWords(k, 18), someWords(99, 40),
			fmt.Sprintf("<p>%s</p><p>Posted %d hours ago</p>", someWords(k, 40), rapid.IntRange(1, 9).Draw(t, "ago"))),
		Author: pick("author", "", "someone"),
		Lang:   pick("lang", "", "en", "de"),
	}
	switch rapid.IntRange(0, 3).Draw(t, "date") {
	case 1:
		it.Published = time.Date(2026, 1, 1+k, 9, 30, k, 0, time.UTC)
	case 2:
		it.Published = time.Date(2026, 1, 1+k, 0, 0, 0, 0, time.UTC)
	case 3:
		it.Published = at
	}
	if rapid.IntRange(0, 4).Draw(t, "enclosure") == 0 {
		it.Enclosures = []dedup.Enclosure{{URL: fmt.Sprintf("https://example.org/%d.mp3", k), Type: "audio/mpeg"}}
	}
	return it
}

func outcomes(r *dedup.Result) (out []string) {
	for _, d := range r.Decisions {
		out = append(out, fmt.Sprintf("%s %s %d", d.Outcome, d.Rule, d.Entry))
	}
	return out
}

// Every item is accounted for, entries exist, and the same document a minute later adds nothing.
func TestPropertyTwiceAddsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := dedup.NewMemory(dedup.Policy{})
		for _, doc := range aFeed(t) {
			res := m.Process(doc)
			if len(res.Decisions) != len(doc.Items) {
				t.Fatalf("%d decisions for %d items", len(res.Decisions), len(doc.Items))
			}
			for i, d := range res.Decisions {
				if d.Item != i {
					t.Fatalf("decision %d is for item %d", i, d.Item)
				}
				switch d.Outcome {
				case dedup.New, dedup.Updated, dedup.Unchanged, dedup.Duplicate:
					if _, ok := m.Entry(d.Entry); !ok {
						t.Fatalf("decision %+v names no entry", d)
					}
				case dedup.Quarantined, dedup.Invalid:
				default:
					t.Fatalf("outcome %q", d.Outcome)
				}
			}
			again := *doc
			again.Fetched = doc.Fetched.Add(time.Minute)
			before := m.Len()
			r2 := m.Process(&again)
			for i, d := range r2.Decisions {
				if d.Outcome == dedup.New || d.Outcome == dedup.Duplicate || d.Outcome == dedup.Updated {
					t.Fatalf("the same document again: item %d is %s by %s\nfirst: %v\nagain: %v\nitem %+v", i, d.Outcome, d.Rule, outcomes(res), outcomes(r2), doc.Items[i])
				}
			}
			if m.Len() != before {
				t.Fatalf("the same document again made %d entries", m.Len()-before)
			}
		}
	})
}

// The order of items changes nothing but which of several equals comes first.
func TestPropertyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs := aFeed(t)
		a, b := dedup.NewMemory(dedup.Policy{}), dedup.NewMemory(dedup.Policy{})
		r := rand.New(rand.NewPCG(uint64(rapid.IntRange(0, 1<<30).Draw(t, "seed")), 1))
		for _, doc := range docs[:1] {
			shuffled := *doc
			shuffled.Items = append([]dedup.Item(nil), doc.Items...)
			r.Shuffle(len(shuffled.Items), func(i, j int) {
				shuffled.Items[i], shuffled.Items[j] = shuffled.Items[j], shuffled.Items[i]
			})
			x, y := a.Process(doc).Counts(), b.Process(&shuffled).Counts()
			if diff := cmp.Diff(x, y); diff != "" {
				t.Fatalf("in another order (-first +shuffled): %s\n%+v", diff, doc.Items)
			}
		}
	})
}

// An item that has nothing in common with the others changes no other outcome. (It has no link: that a feed has one more
// link is something the feed's links are graded by.)
func TestPropertyUnrelatedItem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs := aFeed(t)
		last := docs[len(docs)-1]
		a, b := dedup.NewMemory(dedup.Policy{}), dedup.NewMemory(dedup.Policy{})
		for _, d := range docs[:len(docs)-1] {
			a.Process(d)
			b.Process(d)
		}
		more := *last
		more.Items = append(append([]dedup.Item(nil), last.Items...), dedup.Item{
			GUID: "urn:unrelated", Title: "Nothing like it", Content: someWords(77777, 50),
		})
		x, y := outcomes(a.Process(last)), outcomes(b.Process(&more))
		// What is compared is what readers see: new or not.
		for i := range x {
			if (x[i][:3] == "new") != (y[i][:3] == "new") {
				t.Fatalf("item %d: %s alone, %s beside an unrelated item\n%v\n%v", i, x[i], y[i], x, y)
			}
		}
	})
}

// A memory that is written to a file and read again decides the same.
func TestPropertyExport(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs := aFeed(t)
		a, b := dedup.NewMemory(dedup.Policy{}), dedup.NewMemory(dedup.Policy{})
		for _, d := range docs {
			x := outcomes(a.Process(d))
			y := outcomes(b.Process(d))
			if diff := cmp.Diff(x, y); diff != "" {
				t.Fatalf("after export and import (-kept +imported): %s", diff)
			}
			data, err := json.Marshal(b)
			if err != nil {
				t.Fatal(err)
			}
			b = &dedup.Memory{}
			if err := json.Unmarshal(data, b); err != nil {
				t.Fatal(err)
			}
		}
	})
}
