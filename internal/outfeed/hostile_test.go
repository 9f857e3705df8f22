package outfeed

import (
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/store"
)

// hostile are texts that break documents whose writer does not look.
var hostile = map[string]string{
	"end of CDATA":        "]]>]]&gt;<![CDATA[ x ]]>",
	"control characters":  "a\x00b\x01c\x08d\x0be\x1bf\x7fg\u0080h\u009fi",
	"no characters":       "a\ufffeb\uffffc",
	"unpaired surrogates": "a\xed\xa0\x80b\xed\xbf\xbfc",
	"broken UTF-8":        "a\xffb\xc3",
	"beyond Unicode":      "a\xf7\xbf\xbf\xbfb",
	"script":              `<script>alert(1)</script><img src=x onerror=alert(1)><a href="javascript:alert(1)">x</a>`,
	"a document's end":    `"/></title></entry></feed></channel></rss>"}]}`,
	"entities":            "&lt;script&gt;alert(1)&lt;/script&gt; &amp;amp; &unknown; &#0; &#xD800; AT&T",
	"right to left":       "שלום \u202eevil\u2067 עולם",
	"a document type":     `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>&a;`,
	"white space":         " \r\n\t\u2028\u00a0 ",
	"nothing":             "",
	"a megabyte":          strings.Repeat("ü&<", 1<<18),
	"blanks":              strings.Repeat(" ", 1<<20) + "x",
}

// hostilePage is a page on which a text stands in every place there is.
func hostilePage(s string) *page {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	p := &page{
		output: feedonce.Output{ID: 3, Name: "x" + s, Created: noon, Selection: feedonce.Selection{Also: true}}, instance: "i", token: "t",
		base: "https://once.example", home: "https://once.example/", gone: []store.Tombstone{{Entry: 9, Into: 8, At: noon}},
	}
	e := feedonce.Entry{ID: 1, Feed: 2, GUID: s, URL: "https://a.example/" + s, Title: s, Author: s, Summary: s, Content: s, Lang: s, Categories: []string{s, "x"},
		Enclosures: []feedonce.Enclosure{{URL: "https://a.example/" + s, Type: s, Length: -1}, {URL: s, Type: "audio/mpeg"}, {URL: "https://a.example/x?" + s + "#" + s, Type: "audio/mpeg; x=y", Length: 5}},
		Published:  time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC), FirstSeen: noon, Changed: noon, Revision: 1}
	bare := feedonce.Entry{ID: 2, URL: s, FirstSeen: noon, Changed: noon}
	p.fill([]store.Selected{
		{Entry: e, FeedName: "x" + s, FeedURL: "https://a.example/" + s, SiteURL: s, Also: []string{s, "x" + s}},
		{Entry: bare, FeedName: "x", FeedURL: s, SiteURL: "https://a.example/" + s},
	})
	return p
}

// HostileDocuments renders a page of every hostile text for the rules, which are outside of this package.
func HostileDocuments(t *testing.T) map[string]map[Form]string {
	t.Helper()
	all := map[string]map[Form]string{}
	for name, text := range hostile {
		all[name] = map[Form]string{}
		p := hostilePage(text)
		for _, form := range Forms {
			body, err := p.render(form)
			if err != nil {
				t.Fatalf("%s as %s: %v", name, form, err)
			}
			all[name][form] = string(body)
		}
	}
	return all
}

func TestHostileTexts(t *testing.T) {
	attribute := regexp.MustCompile(`<[^>]*(\sonerror=|="javascript:)`)
	for name, text := range hostile {
		if len(text) > 1000 {
			continue // long, and nothing else
		}
		p := hostilePage(text)
		for _, a := range p.articles {
			if strings.Contains(a.html, "<script") || attribute.MatchString(a.html) {
				t.Errorf("%s: content %.500q", name, a.html)
			}
		}
		for _, form := range Forms {
			body, err := p.render(form)
			if err != nil {
				t.Fatalf("%s as %s: %v", name, form, err)
			}
			for _, bad := range []string{"<script", "<!DOCTYPE", "]]>", "<![CDATA["} {
				if form != JSON && strings.Contains(string(body), bad) {
					t.Errorf("%s as %s has %s:\n%.3000s", name, form, bad, body)
				}
			}
			if !utf8.Valid(body) {
				t.Errorf("%s as %s is no UTF-8", name, form)
			}
			if again, err := hostilePage(text).render(form); err != nil || string(again) != string(body) {
				t.Errorf("%s as %s: rendered again it is another document (%v)", name, form, err)
			}
		}
	}
}

func TestTexts(t *testing.T) {
	for _, c := range []struct {
		what string
		got  string
		want string
	}{
		{"control characters go", line("a\x00b\x1b[31mc\u0085d", 100), "abcd"[:2] + "[31mcd"},
		{"white space is one blank", line(" a\r\n\tb\u2028c ", 100), "a b c"},
		{"a long text is cut", line(strings.Repeat("ü", 20), 10), strings.Repeat("ü", 9) + "…"},
		{"a text of the longest length is not", line(strings.Repeat("ü", 10), 10), strings.Repeat("ü", 10)},
		{"what is no character goes", line("a\ufffe\uffffb", 100), "ab"},
		{"broken bytes are shown as such", line("a\xffb", 100), "a\ufffdb"},
		{"Hebrew is as it was", line("שלום עולם", 100), "שלום עולם"},
		{"an override ends with the text", line("a\u202eb", 100), "a\u202eb\u202c"},
		{"an isolate ends with the text", line("a\u2067b", 100), "a\u2067b\u2069"},
		{"in the order in which they were opened", line("\u2067a\u202eb", 100), "\u2067a\u202eb\u202c\u2069"},
		{"what was ended needs no end", line("\u2067a\u202eb\u2069", 100), "\u2067a\u202eb\u2069"},
		{"plain text is what it is", markup("AT&T, R&D: 3 > 2"), "AT&T, R&D: 3 > 2"},
		{"a tag is shown", markup("the <b> of AT&T"), "the &lt;b> of AT&amp;T"},
		{"so is an entity", markup("what is &lt;b&gt;"), "what is &amp;lt;b&amp;gt;"},
		{"an address", link("https://a.example/x?y=1&z=%20#f"), "https://a.example/x?y=1&z=%20#f"},
		{"blanks and quotes", link(" https://a.example/a b\"<c>?d e\n "), "https://a.example/a%20b%22%3Cc%3E?d%20e"},
		{"letters of the world", link("https://bücher.example:8080/straße?ü#ß"), "https://xn--bcher-kva.example:8080/stra%C3%9Fe?%C3%BC#%C3%9F"},
		{"a scheme in capitals", link("HTTP://a.example"), "http://a.example"},
		{"no address", link("javascript:alert(1)") + link("/x") + link("https:///x") + link("https://a b/") + link("http://[::1") + link("mailto:x@y") + link("https://a.example/%zz"), ""},
		{"a media type", mediaType("Audio/MPEG; charset=x"), "audio/mpeg"},
		{"no media type", mediaType("audio") + mediaType("") + mediaType("a b/c"), ""},
		{"a language", language(" en-GB "), "en-GB"},
		{"no language", language("en_GB") + language("englishlanguage") + language("-"), ""},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, diff)
		}
	}
}
