package fetch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// named is what a page names itself, without the guesses.
func named(cs []Candidate) []Candidate {
	var out []Candidate
	for _, c := range cs {
		if !c.Guess {
			out = append(out, c)
		}
	}
	return out
}

func TestDiscover(t *testing.T) {
	const rss, atom, json = "application/rss+xml", "application/atom+xml", "application/feed+json"
	for _, tt := range []struct {
		name, base, page string
		want             []Candidate
	}{
		{"WordPress", "https://example.org/2025/post/", `<!doctype html><html><head>
			<link rel='stylesheet' href='/style.css' type='text/css'>
			<link rel="alternate" type="application/rss+xml" title="Site &raquo; Feed" href="https://example.org/feed/" />
			<link rel="alternate" type="application/rss+xml" title="Site  &raquo;
				Comments Feed" href="/comments/feed/" />
			<link rel="alternate" title="JSON" type="application/json" href="https://example.org/wp-json/wp/v2/posts/1" />
			<link rel="alternate" title="oEmbed (JSON)" type="application/json+oembed" href="https://example.org/wp-json/oembed/1.0/embed?url=x" />
			<link rel="alternate" hreflang="de" href="/de/">`,
			[]Candidate{
				{URL: "https://example.org/feed/", Title: "Site » Feed", Type: rss},
				{URL: "https://example.org/comments/feed/", Title: "Site » Comments Feed", Type: rss},
			}},
		{"all types", "http://h/", `<link rel=alternate type="application/atom+xml;charset=utf-8" href=a><link REL="Home  ALTERNATE" TYPE=Application/RDF+XML HREF=b>
			<link rel="alternate" type="application/feed+json" href="c"><link rel="alternate" type="text/xml" href="/feeds/all.atom">
			<link rel=alternate type=application/json title="JSON Feed" href=d><link rel="feed" href="e">
			<link rel="alternate stylesheet" type="application/rss+xml" href="no"><link rel=alternate type=text/xml href=sitemap.xml>
			<link rel="alternate" type="application/rss+xml" href=" "><link rel="alternate" type="application/rss+xml">`,
			[]Candidate{
				{URL: "http://h/a", Type: atom}, {URL: "http://h/b", Type: "application/rdf+xml"}, {URL: "http://h/c", Type: json},
				{URL: "http://h/feeds/all.atom", Type: "text/xml"}, {URL: "http://h/d", Title: "JSON Feed", Type: "application/json"}, {URL: "http://h/e"},
			}},
		{"base counts for all", "http://h/x/y", `<link rel=alternate type=application/rss+xml href=feed.xml><base href="//cdn.example/z/"><base href="/no/"><link rel=alternate type=application/atom+xml href=/a>`,
			[]Candidate{{URL: "http://cdn.example/z/feed.xml", Type: rss}, {URL: "http://cdn.example/a", Type: atom}}},
		{"base that is no web address", "http://h/x/", `<base href="javascript:x"><base target=_top><base href="mailto:a@b"><base href="sub/"><link rel=alternate type=application/rss+xml href=f>`,
			[]Candidate{{URL: "http://h/x/sub/f", Type: rss}}},
		{"no repeats", "http://h/", `<link rel=alternate type=application/rss+xml href=/feed/ title=One><link rel=alternate type=application/rss+xml href="http://H:80/feed#x" title=Two><a href=/feed>RSS</a>`,
			[]Candidate{{URL: "http://h/feed/", Title: "One", Type: rss}}},
		{"anchors", "http://h/blog/", `<body><a href="rss.xml"> Subscribe <b>by</b> RSS</a> <a href="/about/feed-reader">no</a> <a href="/tag/go/feed/">go</a>
			<a href="?feed=atom" title="Atom">x</a> <a href="feed:https://o.example/x">f</a> <a href="feed://o.example/y">g</a>
			<a type="application/rss+xml" href="/weird">w</a> <a href="https://feeds.example/site">burner</a> <a href="https://feeds.example/">no</a>
			<a href="mailto:feed@h">no</a> <a href="javascript:feed()">no</a> <a href="http://[::1/feed">no</a> <a href="/feedback">no</a> <a href=index.xml>unclosed`,
			[]Candidate{
				{URL: "http://h/blog/rss.xml", Title: "Subscribe by RSS"}, {URL: "http://h/tag/go/feed/", Title: "go"},
				{URL: "http://h/blog/?feed=atom", Title: "Atom"}, {URL: "https://o.example/x", Title: "f"}, {URL: "http://o.example/y", Title: "g"},
				{URL: "http://h/weird", Title: "w", Type: rss}, {URL: "https://feeds.example/site", Title: "burner"}, {URL: "http://h/blog/index.xml", Title: "unclosed"},
			}},
		{"comments and scripts", "http://h/", `<!-- <link rel=alternate type=application/rss+xml href=a> --><script>"<link rel=alternate type=application/rss+xml href=b>"</script>
			<textarea><link rel=alternate type=application/rss+xml href=c></textarea><link rel=alternate type=application/rss+xml href=d>`,
			[]Candidate{{URL: "http://h/d", Type: rss}}},
		{"Latin-1 title", "http://h/", "<meta charset=iso-8859-1><link rel=alternate type=application/rss+xml href=f title='Gr\xfc\xdfe'>",
			[]Candidate{{URL: "http://h/f", Title: "Grüße", Type: rss}}},
		{"UTF-8 that is late and not said", "http://h/", strings.Repeat("<meta name=x content=y>", 100) + "<link rel=alternate type=application/rss+xml href=f title='Grüße'>",
			[]Candidate{{URL: "http://h/f", Title: "Grüße", Type: rss}}},
		{"UTF-16", "http://h/", utf16le("\ufeff<link rel=alternate type=application/rss+xml href=f title='Grüße'>"),
			[]Candidate{{URL: "http://h/f", Title: "Grüße", Type: rss}}},
		{"YouTube with a link", "https://www.youtube.com/@x", `<link rel="alternate" type="application/rss+xml" title="RSS" href="https://www.youtube.com/feeds/videos.xml?channel_id=UCabcdefghijklmnopqrstuv"><link rel=canonical href="https://www.youtube.com/channel/UCabcdefghijklmnopqrstuv">`,
			[]Candidate{{URL: "https://www.youtube.com/feeds/videos.xml?channel_id=UCabcdefghijklmnopqrstuv", Title: "RSS", Type: rss}}},
		{"YouTube by its channel", "https://m.youtube.com/watch?v=1", `<meta itemprop="identifier" content="UCabcdefghijklmnopqrst-_">`,
			[]Candidate{{URL: "https://www.youtube.com/feeds/videos.xml?channel_id=UCabcdefghijklmnopqrst-_", Type: atom}}},
		{"not YouTube", "https://h/", `<link rel=canonical href="https://www.youtube.com/channel/UCabcdefghijklmnopqrstuv"><meta itemprop=channelId content=UCabcdefghijklmnopqrstuv>`, nil},
		{"repeated attribute", "http://h/", `<link rel=alternate href=a href=b type=application/rss+xml>`, []Candidate{{URL: "http://h/a", Type: rss}}},
		{"nothing", "http://h/", ``, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, named(Discover([]byte(tt.page), tt.base))); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestGuesses(t *testing.T) {
	urls := func(base string) (out []string) {
		for _, c := range Discover(nil, base) {
			if !c.Guess {
				t.Errorf("%s: %+v is no guess", base, c)
			}
			out = append(out, strings.TrimPrefix(c.URL, "http://h"))
		}
		return out
	}
	if d := cmp.Diff([]string{"/feed", "/rss", "/feed.xml", "/rss.xml", "/atom.xml", "/index.xml", "/feed.json", "/index.rdf", "/feeds/posts/default"},
		urls("http://h/?q=1")); d != "" {
		t.Errorf("at the root (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"/blog/feed", "/feed", "/blog/rss", "/rss"}, urls("http://h/blog")[:4]); d != "" {
		t.Errorf("in a directory (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"/blog/feed", "/feed"}, urls("http://h/blog/post.html")[:2]); d != "" {
		t.Errorf("beside a file (-want +got):\n%s", d)
	}
	// What the page names is not guessed again.
	for _, c := range Discover([]byte(`<link rel=alternate type=application/rss+xml href=/feed/>`), "http://h/") {
		if c.Guess && c.URL == "http://h/feed" {
			t.Error("/feed is guessed, though the page names it")
		}
	}
	for _, base := range []string{"", "::", "/x"} {
		if cs := Discover([]byte(`<link rel=alternate type=application/rss+xml href=http://h/feed>`), base); cs != nil {
			t.Errorf("base %q: found %v", base, cs)
		}
	}
}

func TestDiscoverIsBounded(t *testing.T) {
	link := func(i int) string {
		return fmt.Sprintf("<link rel=alternate type=application/rss+xml href=/%d>", i)
	}
	var many strings.Builder
	for i := range 5000 {
		many.WriteString(link(i))
	}
	if n := len(named(Discover([]byte(many.String()), "http://h/"))); n != maxCandidates {
		t.Errorf("%d candidates, want %d", n, maxCandidates)
	}
	far := strings.Repeat(" ", maxPage) + link(1)
	if cs := named(Discover([]byte(far), "http://h/")); len(cs) != 0 {
		t.Errorf("found %v past the first MiB", cs)
	}
	for name, page := range map[string]string{
		"attributes":   "<link " + strings.Repeat("a=b ", 200_000) + ">" + link(1),
		"open tags":    strings.Repeat("<a href=/feed>", 60_000) + link(1),
		"one tag":      "<link href='" + strings.Repeat("x", 900_000) + "'>" + link(1),
		"unclosed tag": strings.Repeat("<", 900_000) + link(1),
	} {
		found := false
		for _, c := range named(Discover([]byte(page), "http://h/")) {
			found = found || c.URL == "http://h/1"
		}
		if !found {
			t.Errorf("%s: the link after them was not found", name)
		}
	}
}

func FuzzDiscover(f *testing.F) {
	f.Add([]byte(`<base href=//x/><link rel=alternate type=application/rss+xml href=f><a href="feed:x">y`), "http://h/x")
	f.Fuzz(func(t *testing.T, page []byte, base string) {
		seen := map[string]bool{}
		for _, c := range Discover(page, base) {
			if _, _, err := parseTarget(c.URL); err != nil {
				t.Errorf("candidate %q cannot be fetched: %v", c.URL, err)
			}
			if seen[c.URL] {
				t.Errorf("candidate %q is there twice", c.URL)
			}
			seen[c.URL] = true
		}
	})
}
