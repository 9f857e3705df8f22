package outbox

import (
	"errors"
	"strings"
	"testing"
	"time"

	"feedonce"
)

func TestFeed(t *testing.T) {
	feed := feedonce.Feed{ID: 7, Folder: "News/Local"}
	for _, c := range []struct {
		name  string
		route feedonce.Route
		want  bool
	}{
		{"all", feedonce.Route{}, true},
		{"the feed", feedonce.Route{Feeds: []feedonce.FeedID{3, 7}}, true},
		{"another feed", feedonce.Route{Feeds: []feedonce.FeedID{3}}, false},
		{"its folder", feedonce.Route{Folders: []string{"News/Local"}}, true},
		{"the folder above", feedonce.Route{Folders: []string{"News"}}, true},
		{"a folder that begins like it", feedonce.Route{Folders: []string{"New", "News/Loc"}}, false},
		{"a folder below", feedonce.Route{Folders: []string{"News/Local/Sport"}}, false},
		{"feed or folder", feedonce.Route{Feeds: []feedonce.FeedID{7}, Folders: []string{"Music"}}, true},
		{"neither", feedonce.Route{Feeds: []feedonce.FeedID{8}, Folders: []string{"Music"}}, false},
	} {
		choice, err := Choose(c.route)
		if err != nil {
			t.Fatal(err)
		}
		if got := choice.Feed(feed); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestFilters(t *testing.T) {
	entry := feedonce.Entry{
		Title: "Die große STRASSE von Zoe\u0308",
		URL:   "https://example.org/Sport/2026", Author: "Ada Lovelace", Categories: []string{"Roads", "Öffentlicher Verkehr"},
		Summary: `<p>A <b>bicycle</b> lane &amp; a&nbsp;tram</p><script>alert("bus")</script>`,
		Content: "<p>Line one</p><p>Line two of the <i>con</i>tent</p><p class=secret>ΣΊΣΥΦΟΣ</p>",
	}
	text := func(in, s string) []feedonce.Filter { return []feedonce.Filter{{In: in, Text: s}} }
	re := func(in, s string) []feedonce.Filter { return []feedonce.Filter{{In: in, RE: s}} }
	for _, c := range []struct {
		name  string
		route feedonce.Route
		want  bool
	}{
		{"none", feedonce.Route{}, true},
		{"a text", feedonce.Route{Include: text("", "bicycle")}, true},
		{"no such text", feedonce.Route{Include: text("", "submarine")}, false},
		{"content has the title", feedonce.Route{Include: text("content", "von")}, true},
		{"the title has no content", feedonce.Route{Include: text("title", "bicycle")}, false},
		{"case", feedonce.Route{Include: text("title", "DIE GROSSE straße")}, true},
		{"final sigma", feedonce.Route{Include: text("", "σίσυφος")}, true},
		{"another encoding of an accent", feedonce.Route{Include: text("title", "Zo\u00eb")}, true},
		{"no accent is another letter", feedonce.Route{Include: text("title", "Zoe von")}, false},
		{"entities and spaces", feedonce.Route{Include: text("", "lane &  a tram")}, true},
		{"markup within a word", feedonce.Route{Include: text("", "content")}, true},
		{"markup is no text", feedonce.Route{Include: text("", "secret")}, false},
		{"script is no text", feedonce.Route{Include: text("", "bus")}, false},
		{"paragraphs are apart", feedonce.Route{Include: text("", "one Line")}, true},
		{"not across fields", feedonce.Route{Include: text("", "tram line")}, false},
		{"author", feedonce.Route{Include: text("author", "lovelace")}, true},
		{"address", feedonce.Route{Include: text("url", "/sport/")}, true},
		{"any category", feedonce.Route{Include: text("category", "öffentlicher")}, true},
		{"expression", feedonce.Route{Include: re("url", `/\d{4}$`)}, true},
		{"expression without regard to case", feedonce.Route{Include: re("author", `^ada\b`)}, true},
		{"unless it says otherwise", feedonce.Route{Include: re("author", `(?-i)^ada\b`)}, false},
		{"expression on text", feedonce.Route{Include: re("", `^A bicycle lane & a tram$`)}, true},
		{"expression with an accent", feedonce.Route{Include: re("title", "Zo\u00eb$")}, true},
		{"one of several", feedonce.Route{Include: append(text("", "submarine"), re("title", "strasse")...)}, true},
		{"excluded", feedonce.Route{Exclude: text("", "tram")}, false},
		{"excluded though included", feedonce.Route{Include: text("", "tram"), Exclude: text("category", "roads")}, false},
		{"not excluded", feedonce.Route{Include: text("", "tram"), Exclude: text("category", "rails")}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			choice, err := Choose(c.route)
			if err != nil {
				t.Fatal(err)
			}
			if got := choice.Entry(&entry); got != c.want {
				t.Errorf("include %v, exclude %v: %v, want %v", c.route.Include, c.route.Exclude, got, c.want)
			}
		})
	}
}

func TestValidate(t *testing.T) {
	for _, r := range []feedonce.Route{
		{},
		{Scope: "feed", Unknown: "resend", Backlog: feedonce.Backlog{Latest: 500}},
		{Scope: "story", Unknown: "hold", Updates: true, Notices: true, Backlog: feedonce.Backlog{Since: time.Unix(0, 0)}},
		{Digest: &feedonce.Digest{Every: "hour"}, Rate: feedonce.Rate{PerMinute: 0.5, Burst: 3}},
		{Digest: &feedonce.Digest{Every: "Friday", At: "17:00", Zone: "America/New_York", Title: "Week"}},
		{Quiet: []feedonce.Hours{{From: "22:00", To: "07:00", Zone: "Europe/Berlin"}, {From: "12:00", To: "13:00"}}},
	} {
		if err := Validate(r); err != nil {
			t.Errorf("%+v: %v", r, err)
		}
	}
	include := func(f feedonce.Filter) feedonce.Route { return feedonce.Route{Include: []feedonce.Filter{f}} }
	digest := func(d feedonce.Digest) feedonce.Route { return feedonce.Route{Digest: &d} }
	quiet := func(h ...feedonce.Hours) feedonce.Route { return feedonce.Route{Quiet: h} }
	for _, c := range []struct {
		route         feedonce.Route
		field, reason string
	}{
		{feedonce.Route{Feeds: []feedonce.FeedID{1, 0}}, "feeds[1]", "number of a feed"},
		{feedonce.Route{Folders: []string{" "}}, "folders[0]", "empty"},
		{include(feedonce.Filter{In: "body", Text: "x"}), "include[0].in", `not "body"`},
		{include(feedonce.Filter{}), "include[0]", "a text or a regular expression"},
		{include(feedonce.Filter{Text: "a", RE: "b"}), "include[0]", "not both"},
		{include(feedonce.Filter{Text: " \t"}), "include[0].text", "besides spaces"},
		{include(feedonce.Filter{Text: strings.Repeat("x", 1001)}), "include[0].text", "at most 1000 bytes"},
		{include(feedonce.Filter{RE: "a("}), "include[0].re", "missing closing )"},
		{include(feedonce.Filter{RE: `(a)\1`}), "include[0].re", "RE2"},
		{include(feedonce.Filter{RE: strings.Repeat("x", 1001)}), "include[0].re", "at most 1000 bytes"},
		{include(feedonce.Filter{RE: strings.Repeat("(", 900) + strings.Repeat(")", 900)}), "include[0].re", "at most 1000 bytes"},
		{include(feedonce.Filter{RE: `((ab){30}){30}`}), "include[0].re", "must be simpler"},
		{include(feedonce.Filter{RE: `((a{100}){100}){100}`}), "include[0].re", "RE2"},
		{include(feedonce.Filter{RE: "a(\xff"}), "include[0].re", "RE2"},
		{feedonce.Route{Exclude: []feedonce.Filter{{Text: "x"}, {RE: "["}}}, "exclude[1].re", "RE2"},
		{feedonce.Route{Include: make([]feedonce.Filter, 101)}, "include", "at most 100"},
		{feedonce.Route{Exclude: make([]feedonce.Filter, 101)}, "exclude", "at most 100"},
		{feedonce.Route{Scope: "folder"}, "scope", `not "folder"`},
		{feedonce.Route{Backlog: feedonce.Backlog{Latest: -1}}, "backlog.latest", "between 0 and 500"},
		{feedonce.Route{Backlog: feedonce.Backlog{Latest: 501}}, "backlog.latest", "between 0 and 500"},
		{digest(feedonce.Digest{}), "digest.every", `not ""`},
		{digest(feedonce.Digest{Every: "montag"}), "digest.every", `"monday"`},
		{digest(feedonce.Digest{Every: "hour", At: "08:00"}), "digest.at", "every hour"},
		{digest(feedonce.Digest{Every: "day", At: "8:00"}), "digest.at", `not "8:00"`},
		{digest(feedonce.Digest{Every: "day", At: "24:00"}), "digest.at", "00:00 to 23:59"},
		{digest(feedonce.Digest{Every: "day", Zone: "Berlin"}), "digest.zone", `not "Berlin"`},
		{digest(feedonce.Digest{Every: "day", Zone: "Local"}), "digest.zone", "IANA"},
		{digest(feedonce.Digest{Every: "day", Zone: "../etc/passwd"}), "digest.zone", "IANA"},
		{digest(feedonce.Digest{Every: "day", Title: "a\r\nBcc: b@example.org"}), "digest.title", "one line"},
		{digest(feedonce.Digest{Every: "day", Title: strings.Repeat("x", 201)}), "digest.title", "at most 200"},
		{quiet(feedonce.Hours{From: "22", To: "07:00"}), "quiet[0].from", `not "22"`},
		{quiet(feedonce.Hours{From: "22:00"}), "quiet[0].to", `not ""`},
		{quiet(feedonce.Hours{From: "22:00", To: "22:00"}), "quiet[0].to", "pause it"},
		{quiet(feedonce.Hours{From: "22:00", To: "07:00"}, feedonce.Hours{From: "1:00", To: "02:00"}), "quiet[1].from", `not "1:00"`},
		{quiet(feedonce.Hours{From: "22:00", To: "07:00", Zone: "X"}), "quiet[0].zone", `not "X"`},
		{quiet(feedonce.Hours{From: "00:00", To: "12:00"}, feedonce.Hours{From: "12:00", To: "00:00"}), "quiet", "whole day"},
		{feedonce.Route{Rate: feedonce.Rate{PerMinute: -1}}, "rate.per_minute", "not -1"},
		{feedonce.Route{Rate: feedonce.Rate{Burst: -1}}, "rate.burst", "not -1"},
		{feedonce.Route{Unknown: "guess"}, "unknown", `not "guess"`},
	} {
		err := Validate(c.route)
		var wrong *feedonce.InvalidError
		if !errors.As(err, &wrong) || wrong.Field != c.field || !strings.Contains(wrong.Reason, c.reason) {
			t.Errorf("%+v:\n got %v\nwant an error about %s with %q", c.route, err, c.field, c.reason)
		}
	}
}

// A filter that cannot be used, stored by another version, keeps no article from being told.
func TestChooseWithoutWhatCannotBeUsed(t *testing.T) {
	c, wrong := choose(feedonce.Route{Include: []feedonce.Filter{{RE: "("}}, Exclude: []feedonce.Filter{{RE: "["}, {Text: "bus"}}})
	if wrong == nil {
		t.Error("nothing is said to be wrong")
	}
	if !c.Entry(&feedonce.Entry{Title: "A tram"}) || c.Entry(&feedonce.Entry{Title: "A bus"}) {
		t.Error("want what is not excluded by the filter that can be used")
	}
}
