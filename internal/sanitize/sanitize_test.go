package sanitize

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	xhtml "golang.org/x/net/html"
)

func TestHTML(t *testing.T) {
	const img = ` loading="lazy" decoding="async" referrerpolicy="no-referrer">`
	const rel = ` rel="noopener noreferrer nofollow" referrerpolicy="no-referrer">`
	for _, c := range []struct{ name, in, want string }{
		{"plain", "a & b\n\nc\nd &lt;b&gt;", "<p>a &amp; b</p><p>c<br>d &lt;b&gt;</p>"},
		{"empty", " \n ", ""},
		{"formatting", "<p>a <b>b</b> <i>c</i></p>", "<p>a <b>b</b> <i>c</i></p>"},
		{"ids and classes", `<p id="x" class="y" style="color:red" data-x="1" name=z>a</p>`, "<p>a</p>"},
		{"headings", "<h1>a</h1><h2>b</h2>", "<h2>a</h2><h2>b</h2>"},
		{"relative link", `<a href="../b?c=1&amp;d=2#e">x</a>`, `<a href="https://example.com/b?c=1&amp;d=2#e"` + rel + `x</a>`},
		{"link without scheme", `<a href="//h.example/x">x</a>`, `<a href="https://h.example/x"` + rel + `x</a>`},
		{"mail", `<a href="mailto:a@example.com">x</a>`, `<a href="mailto:a@example.com"` + rel + `x</a>`},
		{"link with a space", `<a href="/a b">x</a>`, `<a href="https://example.com/a%20b"` + rel + `x</a>`},
		{"link of no use", `<a name="x">x</a><a>y</a><a href="">z</a>`, "xyz"},
		{"image", `<img src=/a.png alt="A&quot;" width=10 height="20px" onload=x srcset="b 2x">`, `<img src="https://example.com/a.png" alt="A&#34;" width="10"` + img},
		{"image loaded by script", `<img src="data:image/gif;base64,R0" data-src="/a.png">`, `<img src="https://example.com/a.png" alt=""` + img},
		{"pixel", `a<img src=/p.gif width=1 height=1>b<img src=/p.gif width="0">c<img src="https://pixel.wp.com/b.gif?x">d`, "abcd"},
		{"audio", `<audio src=/a.mp3 autoplay onplay=x></audio>`, `<audio src="https://example.com/a.mp3" controls preload="none"></audio>`},
		{"video", `<video autoplay><source src=/a.mp4 type=video/mp4><source src=javascript:x></video>`, `<video controls preload="none"><source src="https://example.com/a.mp4" type="video/mp4"></video>`},
		{"stray source", `<source src=/a.mp4>x`, "x"},
		{"figure", `<figure><img src=/a.png><figcaption>c</figcaption></figure>`, `<figure><img src="https://example.com/a.png" alt=""` + img + `<figcaption>c</figcaption></figure>`},
		{"code", "<pre><code class=go>a\n\t&lt;b&gt;</code></pre>", `<pre tabindex="0"><code>` + "a\n\t&lt;b&gt;</code></pre>"},
		{"direction", `<p dir=RTL lang=ar>x</p><p dir=x lang='"x'>y</p>`, `<p dir="rtl" lang="ar">x</p><p>y</p>`},
		{"frames", `<iframe src=https://example.com/x></iframe><frame src=x><object data=x>kept</object><embed src=x>`, "kept"},
		{"forms", `<form action=/x><input name=a><button>b</button><textarea>c</textarea><select><option>d</select></form>`, "bcd"},

		{"unclosed", "<p>a<b>b<i>c", "<p>a<b>b<i>c</i></b></p>"},
		{"stray closing tags", "</div></article></body></html>a</p></td></main>", "a"},
		{"crossed", "<b><i>a</b>b</i>", "<b><i>a</i></b>b"},
		{"paragraph ended by block", "<p>a<div>b</div>c</p>", "<p>a</p><div>b</div>c"},
		{"list without closing tags", "<ul><li>a<li>b<ul><li>c</ul><li>d</ul>e", "<ul><li>a</li><li>b<ul><li>c</li></ul></li><li>d</li></ul>e"},
		{"stray item", "a<li>b", "a<br>b"},
		{"table without closing tags", "<table><tr><td>a<td>b<tr><th>c</table>d", `<table tabindex="0"><tr><td>a</td><td>b</td></tr><tr><th>c</th></tr></table>d`},
		{"table with rows left out", "<table>x<td>a</table>", `<table tabindex="0"><tr><td>x</td><td>a</td></tr></table>`},
		{"cells without table", "<tr><td>a</td><td>b</td></tr>", "a<br>b"},
		{"table in a cell", "<table><tr><td><table><tr><td>a</table>b</td></tr></table>", `<table tabindex="0"><tr><td><table><tr><td>a</td></tr></table>b</td></tr></table>`},
		{"cell does not close what is outside", "<div><table><tr><td></div>a</table>b</div>c", `<div><table tabindex="0"><tr><td>a</td></tr></table>b</div>c`},
		{"link in link", `<a href=/a>x<a href=/b>y</a>`, `<a href="https://example.com/a"` + rel + `x</a><a href="https://example.com/b"` + rel + `y</a>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, HTML(c.in, "https://example.com/a/")); diff != "" {
				t.Errorf("HTML(%q) (-want +got):\n%s", c.in, diff)
			}
		})
	}
}

// hostile are attempts to run something, to restyle the page or to break out of the place where an article stands.
var hostile = []string{
	`<script>alert(1)</script>`, `<script src=//evil.example/x.js></script>`, `<SCRIPT/>alert(1)</SCRIPT/>`, `<scr<script>ipt>alert(1)</script>`,
	`<script>alert(1)`, `<noscript><p title="</noscript><img src=x onerror=alert(1)>">`, `<style>@import 'x';</style>`, `<link rel=stylesheet href=x>`,
	`<img src=x onerror=alert(1)>`, `<img src=x:x onerror=alert(1)//`, `<img """><script>alert(1)</script>">`, `<p onclick='alert(1)' ONMOUSEOVER=x>a</p>`,
	`<a href="javascript:alert(1)">x</a>`, `<a href=" &#14; javascript:alert(1)">x</a>`, `<a href="jav&#x09;ascript:alert(1)">x</a>`,
	`<a href="jav&NewLine;ascript&colon;alert(1)">x</a>`, `<a href="&#106;&#97;vascript:alert(1)">x</a>`, `<a href="JaVaScRiPt:alert(1)">x</a>`,
	"<a href=\"java\x00script:alert(1)\">x</a>", "<a href=\"\u00a0javascript:alert(1)\">x</a>", `<a href="vbscript:x">x</a>`,
	`<a href="data:text/html;base64,PHNjcmlwdD4=">x</a>`, `<a href="view-source:javascript:1">x</a>`, `<a href="feed:javascript:1">x</a>`, `<a href="file:///etc/passwd">x</a>`,
	`<img src="javascript:alert(1)">`, `<img src="data:image/svg+xml,<svg onload=alert(1)>">`, `<video poster="javascript:alert(1)">`, `<audio src=data:x>`,
	`<blockquote cite="javascript:alert(1)">x</blockquote>`, `<svg onload=alert(1)><script>alert(1)</script><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>`,
	`<svg><style><img src=x onerror=alert(1)></style></svg>`, `<svg><title><img src=x onerror=alert(1)></title></svg>`,
	`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`, `<math href="javascript:alert(1)">x</math>`,
	`<form><math><mtext></form><form><mglyph><svg><mtext><style><path id="</style><img onerror=alert(1) src>">`, `<base href="javascript:/">`,
	`<meta http-equiv=refresh content="0;url=javascript:alert(1)">`, `<iframe srcdoc="<script>alert(1)</script>">`, `<object data="javascript:1">`, `<embed src="javascript:1">`,
	`<div style="position:fixed;inset:0;background:url(javascript:1)">x</div>`, `<xmp><img src=x onerror=alert(1)></xmp>`, `<plaintext><img src=x onerror=alert(1)>`,
	`<textarea></textarea><img src=x onerror=alert(1)>`, `<template><img src=x onerror=alert(1)></template>`, `<title></title><img src=x onerror=alert(1)>`,
	`<!--><img src=x onerror=alert(1)>-->`, `<!-- --!><img src=x onerror=alert(1)>`, `<![CDATA[<img src=x onerror=alert(1)>]]>`, `<?xml <img src=x onerror=alert(1)>?>`,
	`</div></div></main></body></html><script>alert(1)</script>`, `</article><h1>Your session ended</h1>`, `<table></div></table></div>`, `<p></div>`,
	`<a href=/x><table><a href=/y>`, `<b><table><td></b></table>`, `<table><tr><td><b><table></b></td>`, `<button><p></button>`, `<select><div>`,
	`<details open ontoggle=alert(1)><summary>x`, `<input autofocus onfocus=alert(1)>`, `<marquee onstart=alert(1)>x</marquee>`, `<body onload=alert(1)>`, `<html onload=alert(1)>`,
	"\u202e<b>\u202dx\u2066", strings.Repeat("A", 10_000), strings.Repeat("<b>", 5_000) + "x", strings.Repeat("</div>", 500), strings.Repeat(`<body a=1 b=2>`, 500),
	strings.Repeat("<table><tr><td>", 300), strings.Repeat("<ul><li>", 300), strings.Repeat(`<a href=/x>`, 300), `<img ` + strings.Repeat("a=1 ", 5000) + `src=/x>`,
	"<p title='\xff\xfe'>\xc3\x28\x00\x07</p>", `<%00script>alert(1)</%00script>`, "<img\x0bsrc=x\x0bonerror=alert(1)>", `<a href="https://[::1">x</a>`, `<a href="//">x</a>`,
	`<a href='"><script>alert(1)</script>'>x</a>`, `<img src='x" onerror="alert(1)'>`, `<img alt='"><script>alert(1)</script>' src=/x>`, `&lt;script&gt;alert(1)&lt;/script&gt;`,
}

func TestHostile(t *testing.T) {
	for _, in := range hostile {
		for _, base := range []string{"", "https://example.com/a/", "javascript:alert(1)//", "data:text/html,"} {
			mustBeSafe(t, in, HTML(in, base))
		}
	}
	all := strings.Join(hostile, " ")
	mustBeSafe(t, all, HTML(all, "https://example.com/"))
}

func FuzzHTML(f *testing.F) {
	for _, in := range hostile {
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out := HTML(in, "https://example.com/a/")
		mustBeSafe(t, in, out)
		if again := balance(out, ""); again != out {
			t.Fatalf("HTML(%q) is not in order:\n%s\nin order:\n%s", in, out, again)
		}
		text := Text(in, 50)
		if n := utf8.RuneCountInString(text); n > 50 || strings.ContainsAny(text, "\n\t") {
			t.Fatalf("Text(%q, 50) = %q has %d runes, or several lines", in, text, n)
		}
	})
}

func TestTooLong(t *testing.T) {
	for _, unit := range []string{"word ", "<p>word</p>", "é", `<img src="` + strings.Repeat("x", 5000) + `">`, "<"} {
		in := strings.Repeat(unit, maxInput/len(unit)+1000)
		out, cut := bound(in)
		if !cut || len(out) > maxInput || len(out) < maxInput-6000 && unit != "<" || !utf8.ValidString(out) {
			t.Errorf("%d times %.20q: cut %v to %d bytes, ending in %q", len(in)/len(unit), unit, cut, len(out), out[max(0, len(out)-20):])
		}
		if strings.LastIndexByte(out, '<') > strings.LastIndexByte(out, '>') && unit != "<" {
			t.Errorf("%.20q: cut within a tag", unit)
		}
	}
	if out := HTML(strings.Repeat("word ", maxInput/5+1), ""); !strings.HasSuffix(out, "word</p>"+tooLong) {
		t.Errorf("cut without saying so: …%q", out[max(0, len(out)-100):])
	}
	if out := HTML(strings.Repeat("a ", 1000), ""); strings.Contains(out, "longer than") {
		t.Errorf("short text is said to be cut: %q", out)
	}
}

// TestLinear gives markup that costs a tree builder, or a writer that looks back without bound, hours: it fails by not
// ending. What comes out is never nested deeper than browsers go.
func TestLinear(t *testing.T) {
	for _, unit := range []string{"<body a=%>", "<b>", "<p><b><i><u>", "<table><tr><td>", "<a href=x>", "<ul><li>", "</b>", "<div></p>", "<svg><title>", "<frameset><frame>", "&#x26;"} {
		in := strings.Repeat(unit, 128<<10/len(unit))
		Text(in, 200)
		depth, deepest := 0, 0
		z := xhtml.NewTokenizer(strings.NewReader(HTML(in, "https://example.com/")))
		for kind := z.Next(); kind != xhtml.ErrorToken; kind = z.Next() {
			name, _ := z.TagName()
			switch {
			case kind == xhtml.StartTagToken && !elements[string(name)].void:
				depth++
				deepest = max(deepest, depth)
			case kind == xhtml.EndTagToken:
				depth--
			}
		}
		if depth != 0 || deepest > maxDepth {
			t.Errorf("%q: %d elements are left open, %d nest", unit, depth, deepest)
		}
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		in   string
		max  int
		want string
	}{
		{"<p>a</p><p>b<br>c</p> <b>d</b>e", 100, "a b c de"},
		{"  a\n\t b&nbsp;&amp; c ", 100, "a b & c"},
		{"<script>x()</script><style>y</style>a<!-- z --><noscript>n</noscript><iframe>f</iframe>", 100, "a"},
		{"<script>never closed", 100, ""},
		{"<script/>x</script>a", 100, "a"},
		{"one two three", 13, "one two three"},
		{"one two three", 12, "one two…"},
		{strings.Repeat("x", 100), 10, "xxxxxxxxx…"},
		{"日本語のテキスト", 4, "日本語…"},
		{"a\x00b\x1bc", 100, "abc"},
		{"&lt;b&gt;", 100, "<b>"},
		{"anything", 0, ""},
	} {
		if got := Text(c.in, c.max); got != c.want {
			t.Errorf("Text(%q, %d) = %q, want %q", c.in, c.max, got, c.want)
		}
	}
}

func BenchmarkHTML(b *testing.B) {
	in := strings.Repeat(`<p class="x">Some <b>text</b> with <a href="/a/b?c=d&amp;e=f">a link</a> and <img src="/i.png" width="640" height="480" alt="an image"> in it.</p>`, 20)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		HTML(in, "https://example.com/a/")
	}
}
