package dedup_test

import (
	"fmt"
	"testing"
	"time"

	"feedonce/dedup"
)

// TestUnchangedTextsAreNotRead makes sure that the texts of unchanged items are not taken apart into words, which is
// most of what deciding costs: neither in a document that is as it was nor beside a new and an edited item.
func TestUnchangedTextsAreNotRead(t *testing.T) {
	at := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	article := func(i int) dedup.Item {
		return dedup.Item{
			GUID: fmt.Sprintf("urn:example:%d", i), URL: fmt.Sprintf("https://example.org/some-words-of-%d", i), Title: "Title of " + someWords(i, 5),
			Content: "<p>" + someWords(i+1000, 60) + "</p>", Published: at.Add(-time.Duration(i) * time.Hour),
		}
	}
	for _, tc := range []struct {
		name   string
		policy dedup.Policy
		change func(*dedup.Item)
		titles bool // those of unchanged items may be read beside new ones: here they tell items apart
		always bool // and in an unchanged document: versions under one guid are told apart first
		texts  bool // their texts, too: a new item is compared with all that have its link
	}{
		{name: "usual", change: func(*dedup.Item) {}},
		{name: "without guids", change: func(it *dedup.Item) { it.GUID = "" }},
		{name: "without guids and links", change: func(it *dedup.Item) { it.GUID, it.URL = "", "" }},
		{name: "without dates", change: func(it *dedup.Item) { it.Published = time.Time{} }},
		{name: "one date", change: func(it *dedup.Item) { it.GUID, it.Published = "", at }, titles: true},
		{name: "one link", change: func(it *dedup.Item) { it.URL = "https://example.org/" }, titles: true, texts: true},
		{name: "one link, without dates", change: func(it *dedup.Item) { it.URL, it.Published = "https://example.org/", time.Time{} }, titles: true, texts: true},
		{name: "one guid", change: func(it *dedup.Item) { it.GUID = "everybody's" }, always: true},
		{name: "by title and date", policy: dedup.Policy{Identity: dedup.IdentityTitleDate}, change: func(*dedup.Item) {}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			items := make([]dedup.Item, 14)
			for i := range items {
				items[i] = article(i)
				tc.change(&items[i])
			}
			m := dedup.NewMemory(tc.policy)
			doc := func(hour int, items ...dedup.Item) *dedup.Document {
				return &dedup.Document{Fetched: at.Add(time.Duration(hour) * time.Hour), Site: "https://example.org/", Items: items}
			}
			check := func(what string, d *dedup.Document, moved int) {
				alone := moved == 0 // no item beside which unchanged ones could be read
				t.Helper()
				res, titles, texts := m.Texts(d)
				read := 0
				for i := range d.Items {
					if res.Decisions[i].Outcome == dedup.Unchanged {
						if texts[i] && (alone || !tc.texts) {
							t.Errorf("%s: item %d is unchanged, but its text was read", what, i)
						}
						if titles[i] && !tc.always && (alone || !tc.titles) {
							t.Errorf("%s: item %d is unchanged, but its title was read", what, i)
						}
					} else if texts[i] {
						read++
					}
				}
				if read != moved { // or the check sees nothing
					t.Errorf("%s: the texts of %d new and edited items were read, want %d; outcomes %v", what, read, moved, outcomes(res))
				}
			}
			check("first document", doc(0, items[2:]...), 12)
			check("as it was", doc(1, items[2:]...), 0)
			edited := items[4]
			edited.Content += "<p>Correction: " + someWords(7, 8) + "</p>"
			check("one new, one edited, one gone", doc(2, append([]dedup.Item{items[1], items[2], items[3], edited}, items[5:13]...)...), 2)
			check("two new", doc(3, append([]dedup.Item{items[0], items[1], items[2], items[3], edited}, items[5:12]...)...), 1)
		})
	}
}
