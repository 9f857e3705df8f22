package format

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"feedonce/internal/scan"
)

// TestBounds feeds documents of 2 to 10 MiB that are made to cost memory or time. Each is refused, or read with memory
// (everything ever allocated) below a multiple of its size and a fixed part for the 5,000 items and 20,000 elements
// that are kept at most.
func TestBounds(t *testing.T) {
	const size, fixed = 2 << 20, 10 << 20
	fill := func(unit string) string { return strings.Repeat(unit, size/len(unit)) }
	fill10 := func(unit string) string { return strings.Repeat(unit, 10<<20/len(unit)) }
	rss := func(s string) string { return `<rss version="2.0"><channel><title>T</title>` + s + `</channel></rss>` }
	const atom = `<feed xmlns="http://www.w3.org/2005/Atom">`
	for _, tt := range []struct {
		name, doc string
		limit     string // the bound that refuses it; "" where it is read
		items     int
		factor    uint64 // bytes allocated a byte of input
	}{
		{"attributes of one element", `<rss ` + fill10(`a="1" `) + `>`, "attributes of one element", 0, 1},
		{"attributes of items", rss(fill10(`<item a="1" b="2" c="3" d="4" e="5"></item>`)), "", 5000, 2},
		{"empty items", rss(fill10(`<item></item>`)), "", 5000, 2},
		{"self-closed items", rss(fill10(`<item/>`)), "", 5000, 2},
		{"2 million nested elements", `<rss><channel><item>` + strings.Repeat("<a>", 2_000_000), "nesting depth", 0, 1},
		{"nested in a text", `<rss><channel><item><description>` + fill("<b>"), "nesting depth", 0, 1},
		{"nested items", `<rss><channel>` + fill10("<item>"), "elements", 0, 2},
		{"items of guids", rss(fill(`<item><guid>1</guid></item>`)), "", 5000, 2},
		{"one item of elements", rss(`<item>` + fill(`<x>1</x>`) + `</item>`), "", 1, 3},
		{"one item of categories", rss(`<item>` + fill(`<category>1</category>`) + `</item>`), "", 1, 3},
		{"one item of links", rss(`<item>` + fill(`<link>http://x/</link>`) + `</item>`), "", 1, 3},
		{"one item of enclosures", rss(`<item>` + fill(`<enclosure url="http://x/1"/>`) + `</item>`), "", 1, 5},
		{"channel of elements", rss(fill(`<x/>`)), "", 0, 8},
		{"one title", rss(`<item><title>` + fill("a b ") + `</title></item>`), "", 1, 12},
		{"title of tags", rss(`<item><title>` + fill("&lt;b ") + `</title></item>`), "", 1, 12},
		{"title of tags closed once", rss(`<item><title>` + fill("&lt;foo &lt;b=") + `&gt;</title></item>`), "", 1, 16},
		{"title of comments", rss(`<item><title>` + fill("&lt;!--") + `&gt;</title></item>`), "", 1, 12},
		{"one description", rss(`<item><description>` + fill("&amp;lt;") + `</description></item>`), "", 1, 8},
		{"stray end tags", rss(`<item>` + fill("</x>") + `</item>`), "", 1, 2},
		{"name spaces", rss(fill(`<item xmlns="a" xmlns:b="c"></item>`)), "", 5000, 4},
		{"bases", `<rss xml:base="http://x/"><channel>` + fill(`<a xml:base="a/">`), "nesting depth", 0, 2},
		{"long bases", `<rss><channel>` + strings.Repeat(`<a xml:base="`+strings.Repeat("a/", 4000)+`">`, 500), "", 0, 4},
		{"xhtml", atom + `<entry><content type="xhtml"><div>` + fill(`<p a="1">x</p>`) + `</div></content></entry></feed>`, "", 1, 8},
		{"void elements", atom + `<entry><content type="xhtml"><div>` + fill(`<br><img src="x">`) + `</div></content></entry></feed>`, "", 1, 8},
		{"unclosed paragraphs", rss(`<item><description>` + fill(`<p>x`) + `</description></item>`), "", 1, 16},
		{"quotes", `<rss><channel><item><title>` + fill(`<a b="`), "", 0, 6},
		{"ampersands", rss(`<item><title>` + fill(`&`) + `</title></item>`), "", 1, 16},
		{"different names", `<rss><channel>` + names(size), "", 0, 8},
		{"json objects", `{"version":"https://jsonfeed.org/version/1.1","items":[` + strings.Repeat(`{},`, 200_000) + `{}]}`, "", 5000, 32},
		{"json numbers", `{"version":"https://jsonfeed.org/version/1.1","items":[` + fill(`1,`) + `1]}`, "values", 0, 1},
		{"json tags", `{"version":"https://jsonfeed.org/version/1.1","items":[{"tags":[` + strings.Repeat(`"a",`, 200_000) + `1]}]}`, "", 1, 48},
		{"json nested", fill(`{"a":`), "nesting depth", 0, 1},
		{"json string", `{"version":"https://jsonfeed.org/version/1.1","items":[{"title":"` + fill(`\u0041`) + `"}]}`, "", 1, 16},
		{"html", `<!DOCTYPE html><html>` + fill(`<p>x</p>`), "not a feed", 0, 1},
		{"text", fill("text "), "not a feed", 0, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc := []byte(tt.doc)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			d, err := Parse(doc, Options{})
			runtime.ReadMemStats(&after)
			used := after.TotalAlloc - before.TotalAlloc
			var limit *scan.LimitError
			var notFeed *NotFeedError
			switch {
			case errors.As(err, &limit):
				if limit.What != tt.limit {
					t.Errorf("refused: %v, want a limit for %q", err, tt.limit)
				}
			case errors.As(err, &notFeed):
				if tt.limit != "not a feed" {
					t.Errorf("%v", err)
				}
			case err != nil:
				t.Fatal(err)
			case tt.limit != "" || len(d.Items) != tt.items:
				t.Errorf("%d items, dropped %d, partial %q; want %d items or a limit for %q", len(d.Items), d.Dropped, d.Partial, tt.items, tt.limit)
			}
			if most := fixed + tt.factor*uint64(len(doc)); used > most {
				t.Errorf("%d bytes allocated for %d, more than %d and %d a byte", used, len(doc), fixed, tt.factor)
			}
		})
	}
}

// names are elements that all have other names.
func names(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "<n%d:e%d/>", i, i)
	}
	return b.String()
}

// TestManyItems reads 100,000 real items: 5,000 are kept, the rest is counted.
func TestManyItems(t *testing.T) {
	var b strings.Builder
	b.WriteString(`<rss version="2.0"><channel><title>T</title>`)
	for i := range 100_000 {
		fmt.Fprintf(&b, "<item><guid>%d</guid><title>Item %d</title></item>\n", i, i)
	}
	b.WriteString(`</channel></rss>`)
	d, err := Parse([]byte(b.String()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Items) != 5000 || d.Dropped != 95_000 || len(d.Warnings) != 1 {
		t.Errorf("%d items, %d dropped, warnings %q; want 5000, 95000 and one warning", len(d.Items), d.Dropped, d.Warnings)
	}
}
