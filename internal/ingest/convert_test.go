package ingest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce/dedup"
	"feedonce/internal/format"
)

func TestItems(t *testing.T) {
	day := time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)
	doc := &format.Document{
		Format: "rss 2.0", Generator: "Hugo", Lang: "de",
		Items: []format.Item{
			{
				GUID: "g1", Permalink: true, Link: "https://a.example/1", OrigLink: "https://o.example/1", Title: "T", Summary: "S",
				Content: "C", Author: "A", Lang: "fr", Categories: []string{"x"},
				Enclosures: []format.Enclosure{{URL: "https://a.example/1.mp3", Type: "audio/mpeg", Length: 9}, {URL: "https://a.example/1.png"}},
				Published:  format.Date{Time: day, Text: "yesterday"}, Updated: format.Date{Time: day.Add(time.Hour)},
			},
			{GUID: "https://a.example/2", Permalink: true},
			{GUID: "https://a.example/3", Permalink: false},
			{GUID: "urn:4", Permalink: true},
			{Invalid: "nothing in it"},
		},
	}
	want := &dedup.Document{
		Fetched: day, Site: "https://a.example/feed", Generator: "Hugo",
		Items: []dedup.Item{
			{
				GUID: "g1", Permalink: true, URL: "https://a.example/1", OrigURL: "https://o.example/1", Title: "T", Summary: "S",
				Content: "C", Author: "A", Lang: "fr", Published: day, Updated: day.Add(time.Hour),
				Enclosures: []dedup.Enclosure{{URL: "https://a.example/1.mp3", Type: "audio/mpeg", Length: 9}, {URL: "https://a.example/1.png"}},
			},
			{GUID: "https://a.example/2", Permalink: true, URL: "https://a.example/2", Lang: "de"},
			{GUID: "https://a.example/3", Lang: "de"},
			{GUID: "urn:4", Permalink: true, Lang: "de"},
			{Invalid: "nothing in it", Lang: "de"},
		},
	}
	if diff := cmp.Diff(want, Items(doc, "https://a.example/feed", day)); diff != "" {
		t.Error(diff)
	}
	if Items(doc, "", day).Partial {
		t.Error("a whole document counts as partial")
	}
	for _, partial := range []format.Document{{Partial: "after item 3"}, {Dropped: 1}} {
		if !Items(&partial, "", day).Partial {
			t.Errorf("%+v does not count as partial", partial)
		}
	}
	doc.SiteURL = "https://a.example/"
	if got := Items(doc, "https://a.example/feed", day).Site; got != "https://a.example/" {
		t.Errorf("site is %q, not the document's own", got)
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{{"short", 10, "short"}, {"exactly ten", 10, "exactly…"}, {"ünüsüal", 6, "ün…"}} {
		if got := cut(c.in, c.n); got != c.want {
			t.Errorf("cut(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}
