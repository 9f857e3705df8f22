package dedup_test

import (
	"fmt"
	"testing"
	"time"

	"feedonce/dedup"
)

// While links are the identity, guids count for nothing and are not remembered; when the policy changes, the guids that
// stand in the feed are those of the articles that stand in it.
func TestChangeOfPolicyFindsGUIDsThatDidNotCount(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	doc := func(hour int, guid string) *dedup.Document {
		d := &dedup.Document{Fetched: at.Add(time.Duration(hour) * time.Hour), Site: "https://example.org/"}
		for i := range 6 {
			d.Items = append(d.Items, dedup.Item{GUID: fmt.Sprintf("%s-%d", guid, i), URL: fmt.Sprintf("https://example.org/p/%d-one-two", 100+i),
				Title: fmt.Sprintf("Title of number %d", i), Content: someWords(i, 40), Published: at.Add(-time.Duration(i) * time.Hour)})
		}
		return d
	}
	m := dedup.NewMemory(dedup.Policy{Identity: dedup.IdentityLink})
	m.Process(doc(0, "a"))
	m.Process(doc(1, "b"))
	m.Change(dedup.Policy{Identity: dedup.IdentityGUID})
	for hour := 2; hour < 4; hour++ {
		if res := m.Process(doc(hour, "b")); res.Counts()[dedup.Unchanged] != 6 {
			t.Errorf("document %d: %v", hour, res.Counts())
		}
	}
	edited := doc(5, "b")
	edited.Items[0].Title = "Another title altogether"
	edited.Items[0].Content = someWords(99, 40)
	if res := m.Process(edited); res.Decisions[0].Outcome != dedup.Updated || res.Decisions[0].Entry != 1 {
		t.Errorf("an edit under the guid: %+v", res.Decisions[0])
	}
}

func TestAdmitKnowsWhatADocumentWouldLookFor(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	body := someWords(1, 40)
	for name, it := range map[string]dedup.Item{
		"guid":                {GUID: "one", Title: "Something or other", Content: body},
		"link, title, date":   {URL: "https://example.org/p/4711-one-two", Title: "Something or other", Content: body, Published: at.Add(-time.Hour)},
		"title and date":      {Title: "Something or other", Published: at.Add(-time.Hour)},
		"title and a day":     {Title: "Something or other", Published: at.Truncate(24 * time.Hour)},
		"title and text":      {Title: "Something or other", Content: body},
		"an enclosure":        {Enclosures: []dedup.Enclosure{{URL: "https://example.org/a.mp3", Type: "audio/mpeg"}}},
		"the site for a link": {URL: "https://example.org/", Title: "Something or other", Content: body},
	} {
		a := dedup.Admit(it, at, nil, dedup.Policy{})
		every := map[dedup.Hash]bool{}
		for _, k := range dedup.EveryKey(it, at, nil) {
			every[k.Hash] = true
		}
		known := map[dedup.Hash]bool{}
		for _, k := range a.Keys {
			known[k.Hash] = true
			if !every[k.Hash] {
				t.Errorf("%s: %v is a key, and not among every key", name, k)
			}
		}
		// Alone, with another item, and with one that has the same title and date.
		twin := it
		twin.GUID, twin.URL, twin.Content = it.GUID+"2", "", someWords(2, 40)
		for _, items := range [][]dedup.Item{{it}, {it, {GUID: "x", Title: "Other"}}, {it, twin}} {
			q := dedup.Prepare(&dedup.Document{Fetched: at, Items: items}, nil, dedup.Policy{}).Query()
			if !known[q.Keys[0].Hash] {
				t.Errorf("%s, among %d: is looked for by %v, and known by %v", name, len(items), q.Keys[0], a.Keys)
			}
		}
		if a.Identity() == (dedup.Hash{}) || a.Entry.Strict == (dedup.Hash{}) {
			t.Errorf("%s: no identity or no hash: %+v", name, a)
		}
	}
	if a := dedup.Admit(dedup.Item{}, at, nil, dedup.Policy{}); len(a.Keys) != 0 || a.Identity() != (dedup.Hash{}) {
		t.Errorf("an empty item is known by %v", a.Keys)
	}
}

// An article that stands in a document twice, under two identities: an edit of either is an edit of it.
func TestEditBesideAnotherIdentity(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	item := func(guid, text string) dedup.Item {
		return dedup.Item{GUID: guid, URL: "https://example.org/p/4711-one-two", Title: "A title of some words", Content: text, Published: at}
	}
	other := dedup.Item{GUID: "z", URL: "https://example.org/p/4712-three-four", Title: "Something else", Content: someWords(9, 40), Published: at}
	m := dedup.NewMemory(dedup.Policy{})
	poll := func(day int, a, b string) *dedup.Result {
		return m.Process(&dedup.Document{Fetched: at.AddDate(0, 0, day), Site: "https://example.org/", Items: []dedup.Item{item("a", a), item("b", b), other}})
	}
	text := someWords(1, 40)
	m.Process(&dedup.Document{Fetched: at, Site: "https://example.org/", Items: []dedup.Item{item("a", text), other}})
	if res := poll(1, text, text); res.Decisions[1].Outcome != dedup.Duplicate {
		t.Fatalf("under another guid: %+v", res.Decisions[1])
	}
	first, second := text+" An edit of the first one.", text+" An edit of the second one."
	if res := poll(2, first, text); res.Decisions[0].Outcome != dedup.Updated || res.Decisions[1].Outcome != dedup.Unchanged {
		t.Errorf("an edit of the first: %v", res.Counts())
	}
	if res := poll(3, first, second); res.Decisions[1].Outcome != dedup.Updated || res.Decisions[0].Outcome != dedup.Unchanged {
		t.Errorf("an edit of the second: %v", res.Counts())
	}
	if res := poll(4, first, second); res.Counts()[dedup.Unchanged] != 3 {
		t.Errorf("and no edit: %v", res.Counts())
	}
}
