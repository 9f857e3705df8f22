package dedup_test

import (
	"testing"
	"time"

	"feedonce/dedup"
)

func TestStory(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	body, other := someWords(1, 90), someWords(2, 90)
	item := func(entry, feed int, site, link, title, text string) dedup.StoryItem {
		return dedup.StoryItem{Entry: dedup.EntryID(entry), Feed: int64(feed), Site: site, Seen: at.Add(time.Duration(entry) * time.Minute),
			Item: dedup.Item{GUID: "post-42", URL: link, Title: title, Content: text}}
	}
	a := item(1, 1, "https://news.example.com/", "https://news.example.com/a/one-two-three", "Four words make a title", body)
	tests := []struct {
		name string
		b    dedup.StoryItem
		rule dedup.RuleID
	}{
		{"the same link in another feed of the publisher, cut to a line", item(2, 2, "https://sport.example.com/", a.Item.URL, "Another title of it", "A line."), "S1"},
		{"agency text under a stranger's link", item(2, 2, "https://other.example.net/", "https://other.example.net/x-y-z", a.Item.Title, body), "S3"},
		{"a planet that copies link and text", item(2, 2, "https://planet.example.net/", a.Item.URL, a.Item.Title, body), "S2"},
		{"a link blog with words of its own", item(2, 2, "https://blog.example.net/", a.Item.URL, "Look at this", other), "S4"},
		{"a hostile feed copies guid, link and title, not the text", item(2, 2, "https://evil.example.net/", a.Item.URL, a.Item.Title, other), "S4"},
		{"a hostile feed claims the other's site, too", item(2, 2, "https://evil.example.net/", "https://evil.example.net/a-b-c", a.Item.Title, other), ""},
		{"the same guid of another publisher", item(2, 2, "https://other.example.net/", "https://other.example.net/a-b-c", "Nothing in common with it", other), ""},
		{"the same feed", item(2, 1, "https://news.example.com/", a.Item.URL, a.Item.Title, body), ""},
	}
	for _, tt := range tests {
		m, ok := dedup.Story(tt.b, []dedup.StoryItem{a})
		if m.Rule != tt.rule || ok != (tt.rule != "") {
			t.Errorf("%s: rule %q, want %q\n%+v", tt.name, m.Rule, tt.rule, m.Evidence)
		}
		if tt.rule == "S4" && !m.About {
			t.Errorf("%s: would not be told", tt.name)
		}
	}
	late := tests[1].b
	late.Seen = at.Add(8 * 24 * time.Hour)
	if m, ok := dedup.Story(late, []dedup.StoryItem{a}); ok {
		t.Errorf("eight days later: %s", m.Rule)
	}
	kept := tests[1].b
	kept.Group, a.Apart = "wires", []string{"wires"}
	if m, ok := dedup.Story(kept, []dedup.StoryItem{a}); ok {
		t.Errorf("feeds that must stay apart share a story by %s", m.Rule)
	}
}

func TestStoryMarksFindEdits(t *testing.T) {
	a := dedup.Item{URL: "https://example.org/a-b-c", Title: "Four words make a title", Content: someWords(3, 120)}
	b := dedup.Item{URL: "https://example.net/x-y-z", Title: "Another title for all that", Content: "A first word. " + someWords(3, 120) + " And a last one."}
	_, x := dedup.StoryMarks(&a)
	_, y := dedup.StoryMarks(&b)
	shared := 0
	for _, m := range x {
		for _, n := range y {
			if m == n {
				shared++
			}
		}
	}
	if shared < dedup.SketchShared {
		t.Errorf("an edited text shares %d of %d marks; %d are needed to find it", shared, len(x), dedup.SketchShared)
	}
	c := dedup.Item{Content: someWords(4, 120)}
	_, z := dedup.StoryMarks(&c)
	for _, m := range x {
		for _, n := range z {
			if m == n {
				t.Errorf("different texts share a mark")
			}
		}
	}
}
