package opml

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
	"pgregory.net/rapid"
)

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, in string
		subs     []Subscription
		skipped  []string
	}{
		{
			name: "nested folders, attributes in any case",
			in: `<?xml version="1.0"?><OPML version="1.0"><head><title>x</title></head><body>
<outline text="A" title="A long"><outline TEXT="B">
  <outline type="rss" text="One" XMLURL="https://one.example/feed" HtmlUrl="https://one.example/"/>
</outline></outline>
<outline text="Two" xmlurl="http://two.example/"/></body></OPML>`,
			subs: []Subscription{
				{URL: "https://one.example/feed", Title: "One", SiteURL: "https://one.example/", Folder: "A long/B"},
				{URL: "http://two.example/", Title: "Two"},
			},
		},
		{
			name: "only url, feed scheme, no title, twice",
			in: `<opml><body><outline type="rss" url="https://a.example/x"/><outline url="feed://b.example/"/>
<outline xmlUrl="feed:https://c.example/" htmlUrl="javascript:x"/><outline xmlUrl="https://a.example/x" text=" A &amp;&nbsp;a
 b "/></body></opml>`,
			subs: []Subscription{
				{URL: "https://a.example/x"}, {URL: "http://b.example/"}, {URL: "https://c.example/"}, {URL: "https://a.example/x", Title: "A & a b"},
			},
		},
		{
			name: "ampersands that are not escaped",
			in:   `<opml><body><outline xmlUrl="https://a.example/?a=1&b=2&c" text="R&D"/></body></opml>`,
			subs: []Subscription{{URL: "https://a.example/?a=1&b=2&c", Title: "R&D"}},
		},
		{
			name: "what is no feed",
			in: `<opml version="2.0"><body>
<outline text="Page" type="link" url="https://a.example/"/>
<outline text="List" type="include" url="https://a.example/x.opml"/>
<outline text="Old" type="rss"/>
<outline text="File" xmlUrl="file:///etc/passwd"/>
<outline text="Empty"></outline>
<outline text="Site" htmlUrl="https://s.example/"/>
</body></opml>`,
			skipped: []string{
				"line 2: “Page” is a link to a page or another list, not a feed",
				"line 3: “List” is a link to a page or another list, not a feed",
				"line 4: “Old” has no feed address (xmlUrl)",
				`line 5: “File” has the address "file:///etc/passwd", which does not start with http:// or https://`,
				"line 6: “Empty” has no feed address",
				"line 7: “Site” has no feed address (xmlUrl)",
			},
		},
		{
			name: "a feed that is a folder",
			in:   `<opml><body><outline text="A" xmlUrl="https://a.example/"><outline text="B" xmlUrl="https://b.example/"/></outline></body></opml>`,
			subs: []Subscription{{URL: "https://a.example/", Title: "A"}, {URL: "https://b.example/", Title: "B", Folder: "A"}},
		},
		{
			name: "entities of the document are not expanded",
			in: `<!DOCTYPE opml [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>
<opml><body><outline text="&b;&x;" xmlUrl="https://a.example/"/></body></opml>`,
			subs: []Subscription{{URL: "https://a.example/", Title: "&b;&x;"}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			subs, skipped, err := Read(strings.NewReader(c.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.subs, subs); diff != "" {
				t.Errorf("subscriptions (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.skipped, skipped); diff != "" {
				t.Errorf("skipped (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadEncodings(t *testing.T) {
	list := func(declared string) string {
		return `<?xml version="1.0" encoding="` + declared + `"?><opml><body><outline text="Größe" xmlUrl="https://a.example/ä"/></body></opml>`
	}
	latin := func(s string) string {
		out, err := charmap.ISO8859_1.NewEncoder().String(s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	wide := func(e unicode.Endianness, bom unicode.BOMPolicy, s string) string {
		out, err := unicode.UTF16(e, bom).NewEncoder().String(s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for name, in := range map[string]string{
		"utf-8":                       list("UTF-8"),
		"byte order mark":             "\xef\xbb\xbf" + list("UTF-8"),
		"latin-1":                     latin(list("ISO-8859-1")),
		"latin-1 labelled utf-8":      latin(list("utf-8")),
		"latin-1 with unknown label":  latin(list("x-mine")),
		"utf-8 labelled latin-1":      list("ISO-8859-1"),
		"utf-16 le":                   wide(unicode.LittleEndian, unicode.UseBOM, list("UTF-16")),
		"utf-16 be":                   wide(unicode.BigEndian, unicode.UseBOM, list("UTF-16")),
		"utf-16 without mark":         wide(unicode.LittleEndian, unicode.IgnoreBOM, list("UTF-16")),
		"utf-16 without label":        wide(unicode.BigEndian, unicode.UseBOM, list("utf-8")),
		"white space before the text": "\n\n  " + list("utf-8"),
	} {
		subs, _, err := Read(strings.NewReader(in))
		if err != nil || len(subs) != 1 || subs[0].Title != "Größe" || subs[0].URL != "https://a.example/ä" {
			t.Errorf("%s: got %+v, %v", name, subs, err)
		}
	}
	out, err := japanese.ISO2022JP.NewEncoder().String(`<?xml version="1.0" encoding="ISO-2022-JP"?><opml><body><outline text="日本" xmlUrl="https://a.example/"/></body></opml>`)
	if err != nil {
		t.Fatal(err)
	}
	if subs, _, err := Read(strings.NewReader(out)); err != nil || len(subs) != 1 || subs[0].Title != "日本" {
		t.Errorf("ISO-2022-JP: got %+v, %v", subs, err)
	}
}

func TestReadErrors(t *testing.T) {
	const good = "<opml><body>\n<outline xmlUrl='https://a.example/'/>\n"
	for _, c := range []struct {
		name, in, want string
		read           int // subscriptions read all the same
	}{
		{"empty", " \n", "the list is empty", 0},
		{"only a declaration", `<?xml version="1.0"?>`, "this is no OPML: it has no <opml> element", 0},
		{"text", "hello", "this is no OPML: it has no <opml> element", 0},
		{"web page", "\n<html><body>x</body></html>", "line 2: this is no OPML: it starts with <html>", 0},
		{"feed", "<rss><channel/></rss>", "line 1: this is no OPML: it starts with <rss>", 0},
		{"cut off", good + "<outline text='", "line 3: the XML is broken: unexpected EOF", 1},
		{"not closed", good, "line 3: the XML is broken: unexpected EOF", 1},
		{"broken tag", good + "<outline <a>/></body></opml>", "line 3: the XML is broken: expected attribute name in element", 1},
		{"nested too deep", "<opml>" + strings.Repeat("\n<outline text='x'>", 60), "line 51: folders are nested more than 50 deep", 0},
		{"long tag", good + "<outline " + strings.Repeat("a='1' ", 100_000) + "/>", "line 3: an element is longer than 256 KB; this is no subscription list", 0},
		{"long list", good + strings.Repeat("<outline/>", 2<<20), "the list is longer than 16 MB; split it and import the parts", 0},
	} {
		subs, _, err := Read(strings.NewReader(c.in))
		var e *Error
		if !errors.As(err, &e) || e.Error() != c.want {
			t.Errorf("%s: got error %v, want %q", c.name, err, c.want)
		}
		if len(subs) != c.read {
			t.Errorf("%s: read %d subscriptions before the error, want %d", c.name, len(subs), c.read)
		}
	}
	if _, _, err := Read(iotest.ErrReader(io.ErrClosedPipe)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error of the reader: got %v", err)
	}
}

func TestRoundTrip(t *testing.T) {
	hostile := rapid.SampledFrom([]string{`"><script>alert(1)</script>`, "]]>", "a & b &amp; &nbsp;", "'", "<!--", "日本語", "\u202eabc", "x\U0001F600", "&#0;", "a=b"})
	word := rapid.OneOf(rapid.StringMatching(`[A-Za-zé&<>"'.-]{1,9}`), hostile)
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(word, 0, 3).Draw(t, "words"), " ")
	})
	name := rapid.Map(word, func(s string) string { return strings.ReplaceAll(s, "/", "∕") })
	sub := rapid.Custom(func(t *rapid.T) Subscription {
		s := Subscription{
			URL:    "https://example.com/" + rapid.StringMatching(`[a-z?&="'<>%]{0,9}`).Draw(t, "url"),
			Title:  text.Draw(t, "title"),
			Folder: strings.Join(rapid.SliceOfN(name, 0, 3).Draw(t, "folder"), "/"),
		}
		if rapid.Bool().Draw(t, "site") {
			s.SiteURL = "http://example.com/?" + rapid.StringMatching(`[a-z&"]{0,9}`).Draw(t, "site")
		}
		return s
	})
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(sub, 0, 20).Draw(t, "subs")
		var b bytes.Buffer
		if err := Write(&b, text.Draw(t, "title"), want); err != nil {
			t.Fatal(err)
		}
		got, skipped, err := Read(bytes.NewReader(b.Bytes()))
		if err != nil || len(skipped) > 0 {
			t.Fatalf("%v, skipped %q, in\n%s", err, skipped, &b)
		}
		for i := range want {
			if want[i].Title == "" {
				want[i].Title = want[i].URL
			}
		}
		order := func(a, b Subscription) int {
			return strings.Compare(a.Folder+"\x00"+a.URL+a.Title+a.SiteURL, b.Folder+"\x00"+b.URL+b.Title+b.SiteURL)
		}
		slices.SortFunc(want, order)
		slices.SortFunc(got, order)
		if !slices.Equal(want, got) {
			t.Fatalf("(-want +got):\n%s\nin\n%s", cmp.Diff(want, got), &b)
		}
	})
}

func TestWrite(t *testing.T) {
	var b bytes.Buffer
	err := Write(&b, `My <"feeds">`, []Subscription{
		{URL: "https://a.example/?x=1&y=2", Title: "A\x00\x1b", SiteURL: "https://a.example/"},
		{URL: "https://b.example/", Folder: " News / /World"},
		{URL: "https://c.example/", Title: "C", Folder: "News"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `<?xml version="1.0" encoding="UTF-8"?>
<opml version="2.0">
  <head>
    <title>My &lt;&#34;feeds&#34;&gt;</title>
  </head>
  <body>
    <outline type="rss" text="A` + "\uFFFD\uFFFD" + `" title="A` + "\uFFFD\uFFFD" + `" xmlUrl="https://a.example/?x=1&amp;y=2" htmlUrl="https://a.example/"/>
    <outline text="News">
      <outline type="rss" text="C" title="C" xmlUrl="https://c.example/"/>
      <outline text="World">
        <outline type="rss" text="https://b.example/" xmlUrl="https://b.example/"/>
      </outline>
    </outline>
  </body>
</opml>
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := Write(failing{}, "x", nil); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error of the writer: got %v", err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func FuzzRead(f *testing.F) {
	f.Add("<opml><body><outline text='a' xmlUrl='https://a.example/'/></body></opml>")
	f.Add("<opml><outline text='a'><outline url=x>&b;</opml>")
	f.Fuzz(func(t *testing.T, in string) {
		subs, _, err := Read(strings.NewReader(in))
		if err == nil && !strings.Contains(strings.ToLower(in), "opml") && !strings.Contains(in, "\x00") {
			t.Fatalf("%q was taken for OPML", in)
		}
		for _, s := range subs {
			if _, ok := webAddress(s.URL); !ok {
				t.Fatalf("Read(%q) gives the address %q", in, s.URL)
			}
		}
	})
}

// TestCorpus reads the subscription lists of the conformance corpus: all are OPML but a few that test what is wrong.
func TestCorpus(t *testing.T) {
	root := os.Getenv("FEEDONCE_CORPUS")
	if root == "" {
		root = "../../../shared/corpus"
	}
	var files []string
	for _, pattern := range []string{"conformance/*/*/opml/*/*.opml", "conformance/*/testcases/opml/*/*.opml"} {
		found, _ := filepath.Glob(filepath.Join(root, pattern))
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Skip("no corpus: set FEEDONCE_CORPUS to its folder to run this test")
	}
	slices.Sort(files)
	for _, file := range slices.Compact(files) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		subs, skipped, err := Read(bytes.NewReader(raw))
		var e *Error
		if err != nil && !errors.As(err, &e) {
			t.Errorf("%s: %v", file, err)
		}
		if feeds := bytes.Count(bytes.ToLower(raw), []byte("xmlurl=\"http")); err == nil && len(subs)+len(skipped) < feeds {
			t.Errorf("%s: %d feeds, but %d read and %d reported", file, feeds, len(subs), len(skipped))
		}
		t.Logf("%s: %d subscriptions, %d skipped, %v", filepath.Base(file), len(subs), len(skipped), err)
	}
}
