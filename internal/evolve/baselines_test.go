package evolve

import (
	"testing"
	"time"

	"feedonce/dedup"
)

// polled gives a strategy one-item documents in turn, and returns the outcomes.
func polled(s Strategy, items ...dedup.Item) []dedup.Outcome {
	var got []dedup.Outcome
	for i, it := range items {
		doc := dedup.Document{Fetched: start.Add(time.Duration(i) * time.Hour), Items: []dedup.Item{it}}
		got = append(got, s.Document(1, &doc)[0].Outcome)
	}
	return got
}

// TestBaselines checks that the simpler strategies do what their authors say, faults included: a baseline that fails
// by a mistake of ours would prove nothing.
func TestBaselines(t *testing.T) {
	at := func(hours int) time.Time { return start.Add(time.Duration(hours) * time.Hour) }
	base := dedup.Item{GUID: "g1", URL: "https://example.org/a", Title: "Title", Content: "<p>Text</p>", Published: at(0)}
	with := func(change func(*dedup.Item)) dedup.Item {
		it := base
		change(&it)
		return it
	}
	otherGUID := with(func(it *dedup.Item) { it.GUID = "g2" })
	for _, tc := range []struct {
		name  string
		make  func() Strategy
		items []dedup.Item
		want  dedup.Outcome // of the last item
	}{
		{"same guid, same content", NewGUIDOnly, []dedup.Item{base, base}, dedup.Unchanged},
		{"same guid, edited", NewGUIDOnly, []dedup.Item{base, with(func(it *dedup.Item) { it.Content = "<p>Texts</p>" })}, dedup.Updated},
		{"new guid", NewGUIDOnly, []dedup.Item{base, otherGUID}, dedup.New},
		{"no guid: the link counts", NewGUIDOnly, []dedup.Item{
			with(func(it *dedup.Item) { it.GUID = "" }), with(func(it *dedup.Item) { it.GUID, it.Title = "", "Other" })}, dedup.Updated},
		{"new guid, known link", NewGUIDOrLink, []dedup.Item{base, otherGUID}, dedup.Duplicate},
		{"new guid, known title", NewGUIDOrTitle, []dedup.Item{base, with(func(it *dedup.Item) { it.GUID, it.URL = "g2", "x" })}, dedup.Duplicate},
		{"known guid, new title", NewGUIDAndTitle, []dedup.Item{base, with(func(it *dedup.Item) { it.Title = "Titles" })}, dedup.New},

		{"unchanged", NewSlashFeed, []dedup.Item{base, base}, dedup.Unchanged},
		{"edited in place", NewSlashFeed, []dedup.Item{base, with(func(it *dedup.Item) { it.Title = "Titles" })}, dedup.Updated},
		{"new guid, same content", NewSlashFeed, []dedup.Item{base, otherGUID}, dedup.Duplicate},
		{"new guid, one letter edited", NewSlashFeed, []dedup.Item{base, with(func(it *dedup.Item) { it.GUID, it.Title = "g2", "Titel" })}, dedup.New},
		{"the case of a path does not count", NewSlashFeed, []dedup.Item{
			base, with(func(it *dedup.Item) { it.GUID, it.URL = "g2", "https://example.org/A" })}, dedup.Duplicate},
		{"pipes are ambiguous", NewSlashFeed, []dedup.Item{
			with(func(it *dedup.Item) { it.Title, it.Content = "A|B", "C" }),
			with(func(it *dedup.Item) { it.GUID, it.Title, it.Content = "g2", "A", "B|C" })}, dedup.Duplicate},
		{"neither guid nor link", NewSlashFeed, []dedup.Item{with(func(it *dedup.Item) { it.GUID, it.URL = "", "" })}, dedup.Invalid},
		{"no guid: made of the link", NewSlashFeed, []dedup.Item{
			with(func(it *dedup.Item) { it.GUID = "" }), with(func(it *dedup.Item) { it.GUID, it.Title = "", "Other" })}, dedup.Updated},
		{"edited into another article", NewSlashFeed, []dedup.Item{
			base, with(func(it *dedup.Item) { it.GUID, it.Title = "g2", "Other" }), otherGUID}, dedup.Duplicate},

		{"same hash", NewDevNews, []dedup.Item{base, with(func(it *dedup.Item) { it.GUID, it.URL, it.Title = "g2", "", " TITLE " })}, dedup.Duplicate},
		{"an edit is lost", NewDevNews, []dedup.Item{base, with(func(it *dedup.Item) { it.Title = "Titles" })}, dedup.Duplicate},
		{"same link within 12 hours", NewDevNews, []dedup.Item{base, with(func(it *dedup.Item) {
			it.GUID, it.Title, it.URL, it.Published = "g2", "Other", "http://www.example.org/a/?utm_source=x", at(12)
		})}, dedup.Duplicate},
		{"same link and guid after 13 hours", NewDevNews, []dedup.Item{base, with(func(it *dedup.Item) { it.Published = at(13) })}, dedup.New},
		{"no date: null is between nothing", NewDevNews, []dedup.Item{
			with(func(it *dedup.Item) { it.Published = time.Time{} }),
			with(func(it *dedup.Item) { it.Published, it.Title = time.Time{}, "Titles" })}, dedup.New},
	} {
		s := tc.make()
		t.Run(s.Name()+": "+tc.name, func(t *testing.T) {
			got := polled(s, tc.items...)
			if last := got[len(got)-1]; last != tc.want || len(got) > 1 && got[0] != dedup.New {
				t.Errorf("outcomes %v, want the last to be %s", got, tc.want)
			}
		})
	}
}
