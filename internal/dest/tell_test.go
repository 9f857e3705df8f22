package dest_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"feedonce/internal/dest"
)

// What each kind says of an article, an update, a digest and a notice, as its endpoint shows it.
func TestKindsTell(t *testing.T) {
	for _, s := range sinks(t) {
		t.Run(s.kind, func(t *testing.T) {
			sender := s.open(t)
			tell := func(m dest.Message) seen {
				t.Helper()
				if res := sender.Send(t.Context(), m); res.Outcome != dest.Sent || res.Err != nil {
					t.Fatalf("%+v, error %v; refused: %q", res, res.Err, s.Refused())
				}
				return s.last(t)
			}
			has := func(what string, got seen, wants ...string) {
				t.Helper()
				for _, want := range wants {
					if !strings.Contains(got.text, want) {
						t.Errorf("%s lacks %q:\n%s", what, want, got.text)
					}
				}
				if len(got.calls) > 0 {
					t.Errorf("%s calls %q:\n%s", what, got.calls, got.raw)
				}
			}
			leads := func(what string, got seen, want string) {
				t.Helper()
				if s.kind == "webhook" {
					return // its addresses are data
				}
				for _, l := range got.links {
					if l == want {
						return
					}
				}
				t.Errorf("%s leads to %q, not to %s", what, got.links, want)
			}

			got := tell(newMessage())
			has("an article", got, "The ferry sails again", "After three weeks in the dock the ferry is back.", "Harbour News", "Jo Müller")
			leads("an article", got, "https://harbour.example/ferry?id=42&lang=en")
			if s.kind != "webpush" {
				has("an article", got, "Coast Daily", "Island Post")
			}
			if s.kind != "webpush" && s.kind != "ntfy" {
				leads("an article", got, "https://feeds.example.org/entries/7")
			}

			got = tell(updateMessage())
			if s.kind != "webhook" {
				has("an update", got, "Updated", "title, content")
			}
			has("an update", got, "The ferry sails again", "title", "content")

			got = tell(digestMessage(3))
			has("a digest", got, "Morning news", "Article 1 about", "Article 2 about", "Article 3 about ferries, tides & more")
			if s.kind != "ntfy" && s.kind != "webpush" {
				leads("a digest", got, "https://harbour.example/3")
			}
			if leavesOut.MatchString(got.text) {
				t.Errorf("a digest of three leaves some out:\n%s", got.text)
			}

			got = tell(noticeMessage())
			has("a notice", got, noticeMessage().Notice)
		})
	}
}

var leavesOut = regexp.MustCompile(`and \d+ more`)

// A digest never becomes too long: as many as fit, and how many do not. Nothing is cut in the middle of a link.
func TestLongDigests(t *testing.T) {
	for _, s := range sinks(t) {
		t.Run(s.kind, func(t *testing.T) {
			sender := s.open(t)
			for _, n := range []int{1, 30, 1000} {
				m := digestMessage(n)
				for i := range m.Articles {
					m.Articles[i].URL += "/" + strings.Repeat("a(b)|c>d&e", i%100)
					m.Articles[i].FeedName = strings.Repeat("Ünïcode & <News> ", 1+i%9)
					m.Articles[i].HTML = strings.Repeat("<p>text</p>", 500)
				}
				if res := sender.Send(t.Context(), m); res.Outcome != dest.Sent {
					t.Fatalf("%d articles: %+v, error %v; refused: %.500q", n, res, res.Err, s.Refused())
				}
				got := s.last(t)
				shown := 0
				for i := range n {
					if strings.Contains(got.text, fmt.Sprintf("Article %d about", i+1)) {
						if shown++; shown != i+1 {
							t.Fatalf("article %d is shown, and one before it is not", i+1)
						}
					}
				}
				if shown == 0 {
					t.Fatalf("%d articles: none is shown:\n%.1000s", n, got.text)
				}
				left := fmt.Sprintf("and %d more", n-shown)
				if s.kind == "webhook" {
					left = fmt.Sprintf(`"more":%d`, n-shown)
					got.text = got.raw
				}
				if says := strings.Contains(got.text, left); says != (shown < n) {
					t.Errorf("%d of %d articles are shown; that %q: %v", shown, n, left, says)
				}
				t.Logf("%s: %d of %d articles in %d bytes", s.kind, shown, n, len(got.raw))
			}
		})
	}
}

// What is missing leaves nothing behind; what is far too long is cut.
func TestStrangeArticles(t *testing.T) {
	long := strings.Repeat("Lorem ipsum & <dolor> *sit* ", 400)
	for _, s := range sinks(t) {
		sender := s.open(t)
		for name, change := range map[string]func(*dest.Article){
			"no title":          func(a *dest.Article) { a.Title = "" },
			"a title of spaces": func(a *dest.Article) { a.Title = " \t\n" },
			"no title, no text": func(a *dest.Article) { a.Title, a.Text, a.HTML = "", "", "" },
			"nothing at all":    func(a *dest.Article) { *a = dest.Article{Entry: 1, ID: "urn:x"} },
			"no address":        func(a *dest.Article) { a.URL = "" },
			"everything too long": func(a *dest.Article) {
				a.Title, a.Text, a.FeedName, a.Author, a.URL, a.Why, a.Image, a.Also = long, long, long, long, "https://e.example/"+long, "https://e.example/"+long, "https://e.example/"+long, []string{long, long, long, long, long, long, long}
			},
			"a text of emoji": func(a *dest.Article) {
				a.Title, a.Text = strings.Repeat("👩‍👩‍👧", 500), strings.Repeat("👩‍👩‍👧", 5000)
			},
			"many other feeds": func(a *dest.Article) { a.Also = strings.Split(strings.Repeat("Some feed,", 300), ",") },
		} {
			for _, m := range []dest.Message{newMessage(), updateMessage(), digestMessage(40)} {
				for i := range m.Articles {
					change(&m.Articles[i])
				}
				if res := sender.Send(t.Context(), m); res.Outcome != dest.Sent {
					t.Errorf("%s, %s: %+v, error %v; refused: %.500q", s.kind, name, res, res.Err, s.Refused())
					continue
				}
				got := s.last(t)
				switch {
				case name == "no title" && !strings.Contains(got.text, "After three weeks in the dock"):
					t.Errorf("%s, %s: the beginning of the text does not stand for it:\n%s", s.kind, name, got.text)
				case name == "no title" && !m.Digest && s.kind != "webhook" && s.kind != "slack" && strings.Count(got.text, "After three weeks in the dock") != 1:
					t.Errorf("%s, %s: the text stands there twice:\n%s", s.kind, name, got.text)
				case name == "no address" && s.kind != "webhook":
					for _, l := range got.links {
						if strings.HasPrefix(l, "https://harbour.example") {
							t.Errorf("%s, %s: leads to %s", s.kind, name, l)
						}
					}
				}
			}
		}
		m := noticeMessage()
		m.Notice = long
		if res := sender.Send(t.Context(), m); res.Outcome != dest.Sent {
			t.Errorf("%s, a long notice: %+v, error %v; refused: %.500q", s.kind, res, res.Err, s.Refused())
		}
	}
}
