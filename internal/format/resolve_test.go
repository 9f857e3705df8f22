package format

import "testing"

// TestResolve has the examples of RFC 3986 section 5.4, and what publishers do.
func TestResolve(t *testing.T) {
	const base = "http://a/b/c/d;p?q"
	for _, tt := range []struct{ base, ref, want string }{
		{base, "g:h", "g:h"}, {base, "g", "http://a/b/c/g"}, {base, "./g", "http://a/b/c/g"}, {base, "g/", "http://a/b/c/g/"},
		{base, "/g", "http://a/g"}, {base, "//g", "http://g"}, {base, "?y", "http://a/b/c/d;p?y"}, {base, "g?y", "http://a/b/c/g?y"},
		{base, "#s", "http://a/b/c/d;p?q#s"}, {base, "g#s", "http://a/b/c/g#s"}, {base, "g?y#s", "http://a/b/c/g?y#s"},
		{base, ";x", "http://a/b/c/;x"}, {base, "g;x?y#s", "http://a/b/c/g;x?y#s"}, {base, "", base},
		{base, ".", "http://a/b/c/"}, {base, "./", "http://a/b/c/"}, {base, "..", "http://a/b/"}, {base, "../g", "http://a/b/g"},
		{base, "../..", "http://a/"}, {base, "../../g", "http://a/g"}, {base, "../../../g", "http://a/g"}, {base, "/./g", "http://a/g"},
		{base, "/../g", "http://a/g"}, {base, "g.", "http://a/b/c/g."}, {base, "..g", "http://a/b/c/..g"}, {base, "./../g", "http://a/b/g"},
		{base, "g/./h", "http://a/b/c/g/h"}, {base, "g/../h", "http://a/b/c/h"}, {base, "g?y/../x", "http://a/b/c/g?y/../x"},
		{"http://a", "g", "http://a/g"}, {"http://a?q", "g", "http://a/g"}, {"", "g", "g"}, {"x/y", "z", "x/z"}, {"/x/y", "z", "/x/z"},
		{"http://a/ü/", "é%7e A", "http://a/ü/é%7e A"}, {"mailto:a@b", "g", "g"}, {"urn:a:b", "#c", "urn:a:b#c"},
		{base, "tag:example.org,2003:1", "tag:example.org,2003:1"}, {base, "HTTP://X/../y", "HTTP://X/../y"},
	} {
		if got := resolve(tt.base, tt.ref); got != tt.want {
			t.Errorf("%q against %q: %q, want %q", tt.ref, tt.base, got, tt.want)
		}
	}
}

func TestResolveLink(t *testing.T) {
	for _, tt := range []struct{ base, ref, want string }{
		{"https://example.org/feed.xml", "example.org/post/1", "https://example.org/post/1"},
		{"https://www.example.org/feed.xml", "example.org", "https://example.org"},
		{"http://elsewhere.example/feed.xml", "example.org/post/1", "http://example.org/post/1"},
		{"https://example.org/feed.xml", "post.html", "https://example.org/post.html"},
		{"https://example.org/feed.xml", "node.js/1", "https://example.org/node.js/1"},
		{"https://example.org/feed.xml", "v1.0/1", "https://example.org/v1.0/1"},
		{"https://example.org/feed.xml", "?u=example.org", "https://example.org/feed.xml?u=example.org"},
		{"", "example.org/post/1", "example.org/post/1"},
	} {
		if got := resolveLink(tt.base, tt.ref); got != tt.want {
			t.Errorf("%q against %q: %q, want %q", tt.ref, tt.base, got, tt.want)
		}
	}
}

func TestPage(t *testing.T) {
	for _, tt := range []struct {
		name  string
		links []Link
		lang  string
		want  string
	}{
		{"none", nil, "", ""},
		{"no alternate", []Link{{Rel: "self", Href: "http://a"}}, "", ""},
		{"first of two", []Link{{Rel: "alternate", Href: "http://a"}, {Rel: "alternate", Href: "http://b"}}, "", "http://a"},
		{"html over json", []Link{{Rel: "alternate", Href: "http://a", Type: "application/json"}, {Rel: "alternate", Href: "http://b", Type: "text/html"}}, "", "http://b"},
		{"no type over feed", []Link{{Rel: "alternate", Href: "http://a", Type: "application/atom+xml"}, {Rel: "alternate", Href: "http://b"}}, "", "http://b"},
		{"json alone", []Link{{Rel: "alternate", Href: "http://a", Type: "application/json"}}, "", "http://a"},
		{"language", []Link{{Rel: "alternate", Href: "http://a", Lang: "de"}, {Rel: "alternate", Href: "http://b", Lang: "en-GB"}}, "en", "http://b"},
		{"any language over another", []Link{{Rel: "alternate", Href: "http://a", Lang: "de"}, {Rel: "alternate", Href: "http://b"}}, "en", "http://b"},
		{"web over mail", []Link{{Rel: "alternate", Href: "mailto:a@b"}, {Rel: "alternate", Href: "https://b"}}, "", "https://b"},
		{"never a script", []Link{{Rel: "alternate", Href: "javascript:x"}}, "", ""},
	} {
		if got := page(tt.links, tt.lang); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
