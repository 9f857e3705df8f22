package dedup_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"feedonce/dedup"
)

// What the sentences of identity say is what happens: an item under the guid "again", beside the one that is known.
func TestIdentitySentencesAreTrue(t *testing.T) {
	day := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	const harbour = "The harbour of the town was closed on Monday morning, after a ship had lost its cargo in the narrow channel that leads to it."
	const bakery = "The oldest bakery of this place celebrates its hundredth year with some bread weighing as much as our mayor and his dog."
	known := dedup.Item{GUID: "known", URL: "https://example.org/2026/the-harbour-is-closed", Title: "Harbour closed", Content: harbour, Published: day}
	with := func(change func(*dedup.Item)) dedup.Item {
		it := known
		it.GUID = "again"
		change(&it)
		return it
	}
	otherText := func(it *dedup.Item) {
		it.Title, it.Content, it.Published = "A bread for the mayor", bakery, day.Add(30*time.Hour)
	}
	front := known
	front.URL = "https://example.org/"
	for _, c := range []struct {
		name     string
		identity dedup.Identity
		known    dedup.Item
		item     dedup.Item
		same     bool
	}{
		{"link: the same link, all else another", dedup.IdentityLink, known, with(otherText), true},
		{"link: the same link, which is a front page", dedup.IdentityLink, front, with(func(it *dedup.Item) { otherText(it); it.URL = front.URL }), false},
		{"link: a front page, and title, date and text are the same", dedup.IdentityLink, front, with(func(it *dedup.Item) { it.URL = front.URL }), true},
		{"link: another link, and title and date are the same, and the text", dedup.IdentityLink, known, with(func(it *dedup.Item) { it.URL += "-anew" }), true},
		{"link: all is another", dedup.IdentityLink, known, with(func(it *dedup.Item) { otherText(it); it.URL = "https://example.org/2026/bread-for-the-mayor" }), false},
		{"title+date: another link, the text edited", dedup.IdentityTitleDate, known, with(func(it *dedup.Item) {
			it.URL, it.Content = "https://example.org/other", harbour+" Divers looked for it."
		}), true},
		{"title+date: the same link, another text", dedup.IdentityTitleDate, known, with(func(it *dedup.Item) { it.Content = bakery }), true},
		{"title+date: another link and another text", dedup.IdentityTitleDate, known, with(func(it *dedup.Item) { it.URL, it.Content = "https://example.org/other", bakery }), false},
		{"guid: all the same but the guid", dedup.IdentityGUID, known, with(func(*dedup.Item) {}), false},
		{"guid: the same guid, all else edited", dedup.IdentityGUID, known, with(func(it *dedup.Item) { it.GUID, it.Title = "known", "Harbour closed for a week" }), true},
	} {
		m := dedup.NewMemory(dedup.Policy{Identity: c.identity})
		document := func(it dedup.Item, at time.Time) dedup.Decision {
			return m.Process(&dedup.Document{Items: []dedup.Item{it}, Site: "https://example.org/", Fetched: at}).Decisions[0]
		}
		first := document(c.known, day.Add(time.Hour))
		second := document(c.item, day.Add(48*time.Hour))
		if same := second.Entry == first.Entry; same != c.same {
			t.Errorf("%s: taken for the same %v, want %v (%s by %s, %+v)", c.name, same, c.same, second.Outcome, second.Rule, second.Evidence)
		}
	}
}

// Every setting that differs from the default has a sentence that the default has not.
func TestEverySettingHasASentence(t *testing.T) {
	usual := dedup.Policy{}.Sentences()
	for _, p := range []dedup.Policy{
		{Identity: dedup.IdentityGUID}, {Identity: dedup.IdentityLink}, {Identity: dedup.IdentityTitleDate},
		{MissingGUID: dedup.MissingQuarantine}, {MissingGUID: dedup.MissingReject},
		{Near: dedup.NearSuspect}, {Near: dedup.NearOff}, {Stories: dedup.StoriesOff},
		{Permanent: true}, {SuspectOnly: []dedup.RuleID{"R6"}}, {Group: "press"}, {Apart: []string{"left"}},
	} {
		var own []string
		for _, s := range p.Sentences() {
			if !slices.Contains(usual, s) {
				own = append(own, s)
			}
		}
		if len(own) != 1 || !strings.HasSuffix(own[0], ".") {
			t.Errorf("policy %+v says of itself: %q", p, own)
		}
		for _, name := range append(p.Apart, p.Group) {
			if name != "" && !strings.Contains(fmt.Sprint(own), name) {
				t.Errorf("policy %+v does not name %q: %q", p, name, own)
			}
		}
	}
	both := dedup.Policy{Apart: []string{"left", "right"}}.Sentences()
	if got, want := both[len(both)-1], `It shares no story with the feeds of the groups "left" and "right".`; got != want {
		t.Errorf("two groups: %q, want %q", got, want)
	}
	// Where a feed takes part in no story, groups say nothing.
	off := dedup.Policy{Stories: dedup.StoriesOff}
	grouped := off
	grouped.Group, grouped.Apart = "press", []string{"left"}
	if !slices.Equal(grouped.Sentences(), off.Sentences()) {
		t.Errorf("without stories, a group says: %q", grouped.Sentences())
	}
}
