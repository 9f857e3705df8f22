package urls

import (
	"strings"
	"testing"
)

func TestKey(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{"http://example.com", "https://example.com"},
		{"HTTPS://WWW.Example.COM:443/", "https://example.com"},
		{" \n http://example.com/a\r\n/b\t ", "https://example.com/a/b"},
		{"https:example.com/a", "https://example.com/a"},
		{`http:\\example.com\a\b?x=\`, "https://example.com/a/b?x=%5C"},
		{"http://example.com:8080/", "https://example.com:8080"},
		{"http://example.com:0080/", "https://example.com"},
		{"https://example.com:80/", "https://example.com"},
		{"https://example.com:/a", "https://example.com/a"},
		{"https://example.com./a", "https://example.com/a"},
		{"http://user:pa%73s@example.com/a", "https://user:pass@example.com/a"},

		{"https://www.m.example.co.uk/a", "https://example.co.uk/a"},
		{"https://amp.example.com/a", "https://example.com/a"},
		{"https://m.co.uk/a", "https://m.co.uk/a"},
		{"https://amp.dev/a", "https://amp.dev/a"},
		{"https://www.com/a", "https://www.com/a"},
		{"https://wwww.example.com/a", "https://wwww.example.com/a"},
		{"https://bücher.example/Ä?ö", "https://xn--bcher-kva.example/%C3%84?%C3%B6"},
		{"https://xn--bcher-kva.example/%c3%84?%c3%b6", "https://xn--bcher-kva.example/%C3%84?%C3%B6"},
		{"http://[2001:DB8:0:0::1]:80/a", "https://[2001:db8::1]/a"},
		{"http://127.1/a", "https://127.0.0.1/a"},
		{"http://0x7f.0.0.1/a", "https://127.0.0.1/a"},
		{"http://ex%61mple.com/a", "https://example.com/a"},
		{"http://a_b.example.com/", "https://a_b.example.com"},

		{"https://example.com/a/./b/../c/", "https://example.com/a/c"},
		{"https://example.com/a/%2E%2e/c", "https://example.com/c"},
		{"https://example.com/../../c", "https://example.com/c"},
		{"https://example.com/a//b", "https://example.com/a//b"},
		{"https://example.com/%7euser/%2f%3f", "https://example.com/~user/%2F%3F"},
		{"https://example.com/100%", "https://example.com/100%25"},
		{"https://example.com/a b{c}", "https://example.com/a%20b%7Bc%7D"},
		{"https://example.com/a;jsessionid=ABC?x=1", "https://example.com/a?x=1"},
		{"https://example.com/a;JSESSIONID=ABC/b", "https://example.com/a/b"},
		{"https://example.com/a/index.html", "https://example.com/a"},
		{"https://example.com/index.htm", "https://example.com"},
		{"https://example.com/a/amp/", "https://example.com/a"},
		{"https://example.com/amp", "https://example.com/amp"},
		{"https://youtu.be/AbC", "https://youtu.be/AbC"},

		{"https://example.com/a?b=2&a=1", "https://example.com/a?a=1&b=2"},
		{"https://example.com/a?x[]=2&x[]=1", "https://example.com/a?x%5B%5D=2&x%5B%5D=1"},
		{"https://example.com/a?", "https://example.com/a"},
		{"https://example.com/a?&&", "https://example.com/a"},
		{"https://example.com/a?q=a+b%20c d", "https://example.com/a?q=a+b+c+d"},
		{"https://example.com/?p=12&utm_source=rss&UTM_Medium=feed&fbclid=x", "https://example.com?p=12"},
		{"https://example.com/a?amp=1", "https://example.com/a"},
		{"https://example.com/a?amp", "https://example.com/a"},
		{"https://example.com/a?amp=12", "https://example.com/a?amp=12"},
		{"https://example.com/a?id=1&p=2&v=3&ref=4&page=5&sid=6", "https://example.com/a?id=1&p=2&page=5&ref=4&sid=6&v=3"},
		{"https://example.com/a?t=3&sid=0123456789abcdef0123456789ABCDEF", "https://example.com/a?t=3"},
		{"https://www.theguardian.com/a?INTCMP=1&x=2", "https://theguardian.com/a?x=2"},
		{"https://example.com/a?INTCMP=1&x=2", "https://example.com/a?INTCMP=1&x=2"},
		{"https://www.youtube.com/watch?v=Abc&feature=youtu.be", "https://youtube.com/watch?v=Abc"},
		{"https://www.pixiv.net/member.php?p=1&i=2", "https://pixiv.net/member.php?i=2&p=1"},

		{"https://example.com/a?x=1&amp;y=2", "https://example.com/a?x=1&y=2"},
		{"https://example.com/a?x=1&amp;amp;y=2", "https://example.com/a?x=1&y=2"},
		{"https://example.com/a?x=1&#038;y=2#z", "https://example.com/a?x=1&y=2#z"},
		{"https://example.com/a?x=1&%61mp;y=2", "https://example.com/a?x=1&y=2"},

		{"https://example.com/a#comment-501", "https://example.com/a#comment-501"},
		{"https://example.com/a#", "https://example.com/a"},
		{"https://example.com/a#:~:text=hello", "https://example.com/a"},
		{"https://example.com/a#b:~:text=hello", "https://example.com/a#b"},
		{"https://example.com/a#xtor=RSS-1", "https://example.com/a"},
		{"https://example.com/a#ref=rss", "https://example.com/a"},
		{"https://example.com/a#utm_source=x", "https://example.com/a"},
		{"https://example.com/#/spa/route", "https://example.com#/spa/route"},
	} {
		got, ok := Key(c.raw, nil)
		if !ok || got != c.want {
			t.Errorf("Key(%q) = %q, %v, want %q", c.raw, got, ok, c.want)
		}
		if again, ok := Key(got, nil); !ok || again != got {
			t.Errorf("Key(Key(%q)) = %q, %v, want %q", c.raw, again, ok, got)
		}
	}
}

func TestKeyOfWhatIsNoURL(t *testing.T) {
	for _, raw := range []string{
		"", " ", "example.com", "//example.com/a", "/a", "ftp://example.com/", "mailto:a@example.com", "urn:uuid:1",
		"tag:example.com,2024:1", "javascript:alert(1)", "data:text/html,x", "http://", "http:///", "https://?a", "https",
		"http://exa mple.com/", "http://example.com:99999/", "http://example.com:x/", "http://example.com:+80/",
		"http://[::1", "http://[::1]x/", "http://[fe80::1%25eth0]/", "http://256.1.1.1/", "http://1.2.3.4.5/",
		"http://example.com%00/", "http://a<b/", "http://\xff\xfe/", "http://./", "http://@/",
	} {
		if got, ok := Key(raw, nil); ok {
			t.Errorf("Key(%q) = %q, want none", raw, got)
		}
		if got, ok := PathKey(raw, nil); ok {
			t.Errorf("PathKey(%q) = %q, want none", raw, got)
		}
		if got := Host(raw); got != "" {
			t.Errorf("Host(%q) = %q, want none", raw, got)
		}
	}
}

func TestKeyDrops(t *testing.T) {
	var asked []string
	got, ok := Key("https://example.com/a?section=2&id=7&a%5B0%5D=x+y&utm_source=z", func(name string) bool {
		asked = append(asked, name)
		return name == "section"
	})
	if want := "https://example.com/a?a%5B0%5D=x+y&id=7"; !ok || got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if want := "section id a[0]"; strings.Join(asked, " ") != want {
		t.Errorf("asked for %q, want %q: decoded, and not for what is dropped anyway", asked, want)
	}
}

func TestPathKey(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{"http://localhost:8080/2024/05/slug/?utm_source=x", "/2024/05/slug"},
		{"https://example.com/2024/05/slug", "/2024/05/slug"},
		{"https://example.com/?p=12", "?p=12"},
		{"https://example.com/a#b", "/a#b"},
		{"https://example.com", ""},
		{"https://www.example.com/index.html?utm_source=x", ""},
		{"https://example.com/#top", ""},
	} {
		got, ok := PathKey(c.raw, nil)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("PathKey(%q) = %q, %v, want %q", c.raw, got, ok, c.want)
		}
	}
}

func TestHost(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{"https://blog.example.co.uk:8080/a", "example.co.uk"},
		{"http://someone.github.io/a", "someone.github.io"},
		{"https://www.BÜCHER.example/", "xn--bcher-kva.example"},
		{"http://localhost:1234/", "localhost"},
		{"http://127.0.0.1:1234/", "127.0.0.1"},
		{"http://[::1]/", "[::1]"},
		{"https://github.io/", "github.io"},
	} {
		if got := Host(c.raw); got != c.want {
			t.Errorf("Host(%q) = %q, want %q", c.raw, got, c.want)
		}
	}
}

// TestTrackingIsNoIdentity guards the generated table against the names that sites identify pages by.
func TestTrackingIsNoIdentity(t *testing.T) {
	for _, name := range []string{
		"id", "p", "v", "ref", "page", "page_id", "post", "story", "article", "item", "objectid", "newsid", "t", "q", "s",
		"aid", "nid", "tid", "uid", "key", "slug", "date", "lang", "mbid", "source", "src", "from", "c", "cat", "u", "url",
	} {
		a, _ := Key("https://example.com/x?"+name+"=1", nil)
		b, _ := Key("https://example.com/x?"+name+"=2", nil)
		if a == b {
			t.Errorf("parameter %q does not tell pages apart: both give %q", name, a)
		}
	}
}
