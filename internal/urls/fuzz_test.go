package urls

import (
	"strings"
	"testing"
	"unicode/utf8"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"pgregory.net/rapid"
)

// FuzzKey holds Key against the rules that callers rely on, and against a parser that follows the WHATWG standard: a
// URL and what a browser makes of it have the same key.
func FuzzKey(f *testing.F) {
	for _, s := range []string{
		"http://www.example.com/a/../b/?b=1&a=2#c", "https://user:pw@[::1]:8080/;jsessionid=1?%26amp;", "http://bücher.example/ä%",
		`http:\\a\b?c`, "https://a.b/&#%338;", "http://0x7f.1/%2e%2E/%zz", "https://example.com/a?x&%61mp;amp;y#:~:", "http://a/?a b+c%20",
		"http://www.m.amp.www.example.com./index.html/amp/index.htm", "https://a:b@c@d/", "http://ﬁ.example/", "http://1e2/",
	} {
		f.Add(s)
	}
	browser := whatwg.NewParser()
	f.Fuzz(func(t *testing.T, raw string) {
		key, ok := Key(raw, nil)
		Host(raw)
		path, hasPath := PathKey(raw, nil)
		if !ok {
			if key != "" || hasPath {
				t.Fatalf("Key(%q) is none but has parts: %q %q", raw, key, path)
			}
			return
		}
		if again, ok := Key(key, nil); !ok || again != key {
			t.Fatalf("not idempotent: Key(%q) = %q, then %q, %v", raw, key, again, ok)
		}
		if !strings.HasPrefix(key, "https://") || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
			t.Fatalf("Key(%q) = %q is no printable ASCII https URL", raw, key)
		}
		if hasPath && !strings.HasSuffix(key, path) {
			t.Fatalf("PathKey(%q) = %q is no end of %q", raw, path, key)
		}
		if strings.Contains(raw, "&") || strings.Contains(raw, "\ufeff") || !utf8.ValidString(raw) {
			return // entities, byte order marks and broken text are ours
		}
		u, err := browser.Parse(raw)
		if err != nil {
			return
		}
		if p, _ := split(raw); strings.ContainsAny(p.host, "+-") {
			return // the parser takes "0+0" and "0-0" for numbers; the standard does not
		}
		if u.Protocol() != "https:" && u.Protocol() != "http:" {
			t.Fatalf("Key(%q) = %q, but for a browser its scheme is %q", raw, key, u.Protocol())
		}
		if theirs, ok := Key(u.Href(false), nil); !ok || theirs != key {
			t.Fatalf("Key(%q) = %q, but as a browser writes it, %q, it is %q, %v", raw, key, u.Href(false), theirs, ok)
		}
	})
}

func TestVariantsAgree(t *testing.T) {
	word := rapid.StringMatching(`[A-Za-z0-9_~-]{1,8}`)
	rapid.Check(t, func(t *rapid.T) {
		host := rapid.StringMatching(`[a-z]{3,8}`).Draw(t, "host") + ".example.org"
		path := "/" + strings.Join(rapid.SliceOfN(word, 1, 4).Draw(t, "path"), "/")
		params := []string{"id=" + word.Draw(t, "id"), "Page=" + word.Draw(t, "page")}
		plain := "https://" + host + path + "?" + strings.Join(params, "&")
		want, ok := Key(plain, nil)
		if !ok {
			t.Fatalf("no key for %q", plain)
		}

		query := append([]string{}, params...)
		for _, tracking := range rapid.SliceOfN(rapid.SampledFrom([]string{"utm_source", "utm_x", "fbclid", "GCLID", "mc_cid", "_hsenc", "cmpid"}), 0, 3).Draw(t, "tracking") {
			query = append(query, tracking+"="+word.Draw(t, "value"))
		}
		query = rapid.Permutation(query).Draw(t, "order")
		variant := rapid.SampledFrom([]string{"http://", "https://", "HTTP://"}).Draw(t, "scheme") +
			rapid.SampledFrom([]string{"", "www.", "m.", "amp.", "WWW."}).Draw(t, "label") +
			rapid.SampledFrom([]string{host, strings.ToUpper(host)}).Draw(t, "case") +
			rapid.SampledFrom([]string{"", ":80", ":443"}).Draw(t, "port") + path +
			rapid.SampledFrom([]string{"", "/", "/amp", "/index.html", "/./", "/x/..", ";jsessionid=1"}).Draw(t, "ending") +
			"?" + strings.Join(query, rapid.SampledFrom([]string{"&", "&amp;", "&#038;"}).Draw(t, "separator")) +
			rapid.SampledFrom([]string{"", "#", "#xtor=1", "#:~:text=a", "#utm_source=x"}).Draw(t, "fragment")
		if got, _ := Key(variant, nil); got != want {
			t.Fatalf("%q and %q are one page, but have the keys\n%q\n%q", plain, variant, want, got)
		}

		other := "https://" + host + path + "?" + params[1] + "&id=" + word.Draw(t, "other id")
		if got, _ := Key(other, nil); (got == want) != strings.HasSuffix(other, "&"+params[0]) {
			t.Fatalf("%q and %q differ only in their id, and have the keys\n%q\n%q", plain, other, want, got)
		}
		if cased := "https://" + host + strings.ToUpper(path) + "?" + strings.Join(params, "&"); strings.ToUpper(path) != path {
			if got, _ := Key(cased, nil); got == want {
				t.Fatalf("%q and %q differ in case, but have one key %q", plain, cased, got)
			}
		}
	})
}

func BenchmarkKey(b *testing.B) {
	for name, raw := range map[string]string{
		"plain":    "https://www.example.com/2024/05/some-long-article-slug-here/",
		"tracking": "https://www.example.com/2024/05/some-long-article-slug-here/?utm_source=rss&utm_medium=feed&id=1234#section",
		"idn":      "https://bücher.example/2024/05/größe",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := Key(raw, nil); !ok {
					b.Fatal("no key")
				}
			}
		})
	}
}

func BenchmarkHost(b *testing.B) {
	for b.Loop() {
		if Host("https://www.example.co.uk/a") != "example.co.uk" {
			b.Fatal("wrong host")
		}
	}
}
