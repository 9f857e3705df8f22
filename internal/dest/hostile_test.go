package dest_test

import (
	"net/url"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"feedonce/internal/dest"
)

// Titles, names and addresses come from strangers. Whatever they are, a message calls nobody, leads only where its article
// does, and shows the words as they are.
func TestHostileWords(t *testing.T) {
	for _, c := range []struct{ name, words string }{
		{"calls in Slack", "<!channel> <!here|here> <!everyone> <@U012AB3CD> <#C012AB3CD> <!subteam^SAZ94GDB8>"},
		{"calls in Discord", "@everyone @here <@80351110224678912> <@&165511591545143296> <#103735883630395392>"},
		{"calls in Teams", "<at>Everyone</at> @Team"},
		{"a link in Slack", "<https://evil.example|Click> <mailto:x@evil.example|Mail>"},
		{"the end of a link in Slack", "x>|<https://evil.example|y"},
		{"a link in Markdown", "[Click](https://evil.example) ![p](https://evil.example/p.png) <https://evil.example>"},
		{"the end of a link in Markdown", "x](https://evil.example) [y"},
		{"the end of a link in Discord", "x](<https://evil.example>) [y"},
		{"emphasis", "*bold* _italic_ ~gone~ **bold** __under__ ~~gone~~ ||spoiler|| `code`"},
		{"code blocks", "```\nrm -rf /\n```"},
		{"headings, quotes and lists", "# Big\n> quote\n>>> all\n- list\n1. one\n-# small"},
		{"backslashes", `\ \\ \*x\* \<@1\> \`},
		{"entities", "&lt;!channel&gt; &amp; &#60;"},
		{"functions of cards", "{{DATE(2026-01-01T00:00:00Z, SHORT)}} ${title} @{triggerBody()}"},
		{"emoji and times in Discord", "<:a:1> <a:b:2> <t:1618953630:R> :skull:"},
		{"headers", "News\r\nX-Evil: 1\r\n\r\nbody"},
		{"control characters", "a\x00b\x1b[31mc\x07\u0085\u009b d"},
		{"turned around", "\u202egpj.exe\u202c \u2066x\u2069"},
		{"not UTF-8", "caf\xe9 \xff\xfe"},
		{"JSON", `","blocks":[],"x":"` + "\u2028\u2029</script>"},
	} {
		for _, s := range sinks(t) {
			sender := s.open(t)
			for _, m := range []dest.Message{newMessage(), updateMessage(), digestMessage(2), noticeMessage()} {
				m.Title, m.From, m.Notice = c.words, c.words, c.words
				for i := range m.Articles {
					a := &m.Articles[i]
					a.Title, a.FeedName, a.Author, a.Text, a.Lang, a.GUID = c.words, c.words, c.words, c.words, c.words, c.words
					a.Also, a.Changed, a.Categories, a.HTML = []string{c.words}, []string{c.words}, []string{c.words}, ""
				}
				if res := sender.Send(t.Context(), m); res.Outcome != dest.Sent {
					t.Errorf("%s, %s: %+v, error %v; refused: %q", s.kind, c.name, res, res.Err, s.Refused())
					continue
				}
				got := s.last(t)
				if len(got.calls) > 0 {
					t.Errorf("%s, %s: calls %q (or words are read as markup):\n%s", s.kind, c.name, got.calls, got.raw)
				}
				for _, l := range got.links {
					u, err := url.Parse(l)
					if err != nil || u.Host != "harbour.example" && u.Host != "feeds.example.org" {
						t.Errorf("%s, %s: leads to %q:\n%s", s.kind, c.name, l, got.raw)
					}
				}
				if strings.Contains(got.text, "{a sign that means something") {
					t.Errorf("%s, %s: Markdown is left:\n%s", s.kind, c.name, got.text)
				}
				for _, h := range s.Accepted() {
					if h.Header.Get("X-Evil") != "" {
						t.Errorf("%s, %s: a header that nobody made", s.kind, c.name)
					}
				}
				if !utf8.ValidString(got.raw) || strings.Contains(got.raw, "\x00") {
					t.Errorf("%s, %s: the body is no text: %q", s.kind, c.name, got.raw)
				}
				if s.kind == "webhook" {
					continue // data, as they came
				}
				if i := strings.IndexFunc(got.text, func(r rune) bool {
					return r != '\n' && unicode.Is(unicode.Cc, r) || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
				}); i >= 0 {
					t.Errorf("%s, %s: shows a control character: %q", s.kind, c.name, got.text)
				}
			}
		}
	}
}

// The same for words of all the signs that mean something anywhere, in any order.
func TestRandomHostileWords(t *testing.T) {
	all := sinks(t)
	senders := make([]dest.Sender, len(all))
	for i, s := range all {
		senders[i] = s.open(t)
	}
	part := rapid.SampledFrom([]string{"<", ">", "&", "!", "@", "#", "|", "*", "_", "~", "`", "\\", "[", "]", "(", ")", "{{", "}}", ":", "-", "+", "/", "?", "=", "%", "^", ";", " ", "\n", "\r", "\x00",
		"\u200b", "\u202e", "é", "👩‍👩‍👧", "a", "word", "1", "channel", "everyone", "here", "U012", "https://evil.example", "http://", "lt;", "amp;", "DATE(2026-01-01T00:00:00Z)", "\""})
	rapid.Check(t, func(rt *rapid.T) {
		words := strings.Join(rapid.SliceOfN(part, 1, 12).Draw(rt, "words"), "")
		for i, s := range all {
			m := newMessage()
			if rapid.Bool().Draw(rt, "digest") {
				m = digestMessage(2)
			}
			m.Title, m.From = words, words
			for i := range m.Articles {
				a := &m.Articles[i]
				a.Title, a.FeedName, a.Author, a.Text, a.Also = words, words, words, words, []string{words}
				a.URL = "https://harbour.example/" + words
			}
			if res := senders[i].Send(t.Context(), m); res.Outcome != dest.Sent {
				rt.Fatalf("%s, %q: %+v, error %v; refused: %q", s.kind, words, res, res.Err, s.Refused())
			}
			got := s.last(t)
			if len(got.calls) > 0 || strings.Contains(got.text, "{a sign that means something") {
				rt.Fatalf("%s, %q: calls, or has markup, %q:\n%s\n%s", s.kind, words, got.calls, got.text, got.raw)
			}
			for _, l := range got.links {
				if u, err := url.Parse(l); err != nil || u.Host != "harbour.example" && u.Host != "feeds.example.org" || strings.ContainsAny(l, " <>|\"\\\r\n") {
					rt.Fatalf("%s, %q: leads to %q:\n%s", s.kind, words, l, got.raw)
				}
			}
		}
	})
}

// The words are still there for people to read.
func TestWordsStayReadable(t *testing.T) {
	const words = `AT&T <b>: 2 * 3 > 5 & "quotes" [draft] (new) snake_case C# #1 a|b \o/ 50% 'x' — ends`
	for _, s := range sinks(t) {
		sender := s.open(t)
		m := newMessage()
		m.Articles[0].Title, m.Articles[0].Text = words, words
		if res := sender.Send(t.Context(), m); res.Outcome != dest.Sent {
			t.Fatalf("%s: %+v, error %v", s.kind, res, res.Err)
		}
		want := words
		if s.kind == "slack" {
			want = strings.Replace(words, "2 * 3", "2 ∗ 3", 1) // a sign that looks alike, which means nothing there
		}
		if got := s.last(t); !strings.Contains(got.text, want) {
			t.Errorf("%s shows\n%s\nwithout\n%s", s.kind, got.text, want)
		}
	}
}

// An address leads where it leads, or nowhere; and it ends nothing around it.
func TestHostileAddresses(t *testing.T) {
	for address, host := range map[string]string{ // "": no link
		"https://harbour.example/a|b>c<d":                         "harbour.example",
		"https://harbour.example/a)b(c](d":                        "harbour.example",
		"https://harbour.example/?q=a b\"c'd&e=<!channel>":        "harbour.example",
		"https://harbour.example/\r\nX-Evil: 1":                   "",
		"https://harbour.example/ünïcode/\u202ex":                 "harbour.example",
		"HTTPS://Harbour.Example/":                                "harbour.example",
		"https://hárbour.example:8443/x":                          "xn--hrbour-pta.example:8443",
		"https://harbour.example@evil.example/":                   "",
		"https://user:pass@evil.example/":                         "",
		"javascript:alert(1)":                                     "",
		"data:text/html,x":                                        "",
		"//evil.example/":                                         "",
		"https://":                                                "",
		"https://ex|ample.example/":                               "",
		"https://[::1":                                            "",
		"https://harbour.example/" + strings.Repeat("x", 100_000): "",
	} {
		for _, s := range sinks(t) {
			if s.kind == "webhook" {
				continue // data, as they came
			}
			sender := s.open(t)
			for _, m := range []dest.Message{newMessage(), digestMessage(1)} {
				a := &m.Articles[0]
				a.URL, a.Image, a.Why = address, address, ""
				if res := sender.Send(t.Context(), m); res.Outcome != dest.Sent {
					t.Errorf("%s, %.80q: %+v, error %v; refused: %.500q", s.kind, address, res, res.Err, s.Refused())
					continue
				}
				got := s.last(t)
				for _, l := range got.links {
					u, err := url.Parse(l)
					if err != nil || host == "" || !strings.EqualFold(u.Host, host) || strings.ContainsAny(l, " <>|\"\r\n") {
						t.Errorf("%s, %.80q: leads to %q", s.kind, address, l)
					}
				}
				if host != "" && len(got.links) == 0 && !(m.Digest && (s.kind == "webpush" || s.kind == "ntfy")) {
					t.Errorf("%s, %.80q: leads nowhere", s.kind, address)
				}
				if len(got.calls) > 0 {
					t.Errorf("%s, %.80q: calls %q", s.kind, address, got.calls)
				}
			}
		}
	}
}
