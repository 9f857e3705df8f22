package outfeed_test

import (
	"strings"
	"testing"

	"feedonce"
	"feedonce/internal/outfeed"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// TestHostile: whatever a publisher writes, all three documents keep their rules and say the same.
func TestHostile(t *testing.T) {
	for name, bodies := range outfeed.HostileDocuments(t) {
		t.Run(name, func(t *testing.T) {
			docs := map[outfeed.Form]document{}
			for form, body := range bodies {
				docs[form] = parsers[form](t, body)
			}
			same(t, docs)
			if n := len(docs[outfeed.Atom].entries); n != 2 {
				t.Errorf("%d entries, want 2", n)
			}
		})
	}
}

// TestHostilePublisher: the same, from a publisher's document to the reader.
func TestHostilePublisher(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		feed := w.feed("https://a.example/feed", "")
		w.poll(feed, 0,
			item{guid: "1", link: "https://a.example/ä ö?\"x", title: "]]> <script>alert(1)</script> &lt;b&gt;", text: `<script>alert(1)</script><p onclick="x">]]&gt; text</p>`, author: "<b>Ada</b>", audio: "https://a.example/ü.mp3"},
			item{guid: "2", link: "javascript:alert(1)", title: strings.Repeat("long ", 200_000), text: "\u202e" + prose(1, 30)},
			item{guid: "3", text: "שלום עולם"},
		)
		d := w.read(w.output("]]> & <All>", feedonce.Selection{}))
		if len(d.entries) != 3 || d.title != "]]> & <All>" {
			t.Fatalf("%q has %d entries", d.title, len(d.entries))
		}
		for _, e := range d.entries {
			if strings.Contains(e.html, "<script") || strings.Contains(e.html, "onclick") || strings.HasPrefix(e.url, "java") {
				t.Errorf("%+v", e)
			}
		}
	})
}
