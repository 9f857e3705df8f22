package format

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// feedparserNames maps the paths of feedparser's result to places of the model, "*" for a number.
var feedparserNames = map[string]string{
	"feed.title": "title", "feed.title_detail.value": "title",
	"feed.description": "description", "feed.subtitle": "description", "feed.tagline": "description", "feed.info": "description",
	"feed.subtitle_detail.value": "description", "feed.tagline_detail.value": "description", "feed.info_detail.value": "description",
	"feed.link": "site", "feed.language": "lang", "feed.generator": "generator", "feed.generator_detail.name": "generator",
	"feed.updated": "updated", "feed.updated_parsed": "updated time", "feed.newlocation": "moved", "feed.ttl": "ttl",
	"entries.*.id": "items.guid", "entries.*.guid": "items.guid", "entries.*.link": "items.link",
	"entries.*.title": "items.title", "entries.*.title_detail.value": "items.title",
	"entries.*.description": "items.text", "entries.*.summary": "items.summary", "entries.*.summary_detail.value": "items.summary",
	"entries.*.content.*.value": "items.content",
	"entries.*.author":          "items.author", "entries.*.author_detail.name": "items.author", "entries.*.authors.*.name": "items.authors",
	"entries.*.published": "items.published", "entries.*.published_parsed": "items.published time",
	"entries.*.updated": "items.updated", "entries.*.updated_parsed": "items.updated time",
	"entries.*.created": "items.published", "entries.*.created_parsed": "items.published time",
	"entries.*.category": "items.categories", "entries.*.tags.*.term": "items.categories",
	"entries.*.enclosures.*.href": "items.enclosures.url", "entries.*.enclosures.*.url": "items.enclosures.url",
	"entries.*.enclosures.*.type": "items.enclosures.type", "entries.*.enclosures.*.length": "items.enclosures.length",
	"entries.*.links.*.href": "items.links.href", "entries.*.links.*.rel": "items.links.rel", "entries.*.links.*.type": "items.links.type",
	"entries.*.links.*.title": "items.links.title", "entries.*.links.*.hreflang": "items.links.lang",
	"entries.*.comments": "items.comments", "entries.*.source.href": "items.source",
	"entries.*.language": "items.lang", "entries.*.content.*.base": "items.base",
	"version": "format",
}

// feedparserFormats are its names for what we call otherwise.
var feedparserFormats = map[string]string{
	"atom10": "atom 1.0", "atom03": "atom 0.3", "atom": "atom 1.0", "rss": "rss 2.0", "rss10": "rss 1.0", "rss090": "rss 0.90",
	"rss20": "rss 2.0", "rss091u": "rss 0.91", "rss091n": "rss 0.91", "rss092": "rss 0.92", "rss093": "rss 0.93", "rss094": "rss 0.94",
}

// feedparserURL is where feedparser's tests are served.
const feedparserURL = "http://127.0.0.1:8097/"

// mailSuffix is what feedparser adds to a name.
var mailSuffix = regexp.MustCompile(` \([^ ()]+@[^ ()]+\)$`)

// scoreFeedparser runs the expectations of feedparser's own tests. Those of the sanitiser compare its way to write
// HTML; of these files only the items must be found.
func scoreFeedparser(t *testing.T, dir string) *score {
	s := newScore("feedparser")
	lines := bufio.NewScanner(bytes.NewReader(read(t, dir, "feedparser_expect.jsonl")))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e struct {
			File, Cat string
			Headers   map[string]string
			Clauses   [][3]any
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		opts := Options{URL: feedparserURL}
		for k, v := range e.Headers {
			switch strings.ToLower(k) {
			case "content-type":
				opts.ContentType = v
			case "content-location":
				if u := resolve(feedparserURL, v); web(u) {
					opts.URL = u
				}
			}
		}
		d, faults := readable(read(t, dir, e.File), opts)
		s.base = opts.URL
		name := strings.TrimPrefix(e.File, "kurtmckee+feedparser/tests/")
		for _, c := range e.Clauses {
			parts, _ := c[0].([]any)
			p, index := flatten(parts)
			if c[1] != "==" || strings.HasPrefix(e.Cat, "wellformed/sanit") {
				s.skipped[p]++
				continue
			}
			if text, ok := c[2].(string); ok && p == "entries.*.author" {
				c[2] = mailSuffix.ReplaceAllString(text, "")
			}
			faults = append(faults, s.check(d, feedparserNames[p], p, index, c[2])...)
		}
		s.add(name, faults)
	}
	return s
}

// flatten writes a path with "*" for its numbers.
func flatten(parts []any) (string, []int) {
	var names []string
	var index []int
	for _, p := range parts {
		switch v := p.(type) {
		case float64:
			names, index = append(names, "*"), append(index, int(v))
		default:
			names = append(names, fmt.Sprint(v))
		}
	}
	return strings.Join(names, "."), index
}

// check compares one expectation, or counts it as skipped where the model has no such place.
func (s *score) check(d *Document, name, p string, index []int, want any) []string {
	if name == "" {
		s.skipped[p]++
		return nil
	}
	if d == nil {
		return []string{p + ": it is taken for no feed"}
	}
	switch want.(type) {
	case map[string]any, nil:
		s.skipped[p]++
		return nil
	}
	v, ok := look(d, name, index)
	if !ok {
		s.skipped[p]++
		return nil
	}
	if name == "format" {
		if f := feedparserFormats[fmt.Sprint(want)]; f != "" {
			want = f
		}
	}
	s.checked++
	if v.base == "" {
		v.base = s.base
	}
	if fault := v.equals(want); fault != "" {
		return []string{fmt.Sprintf("%s %v: %s", p, index, fault)}
	}
	return nil
}

// scoreDates runs feedparser's odd dates. Its parsers are tried in turn, so "none" of one parser is not none of all;
// those that name no time are only counted when they look like no date to us either.
func scoreDates(t *testing.T, dir string) *score {
	s := newScore("feedparser_dates.tsv")
	for i, line := range strings.Split(strings.TrimSpace(string(read(t, dir, "feedparser_dates.tsv"))), "\n") {
		f := strings.Split(line, "\t")
		if i == 0 || len(f) != 3 {
			continue
		}
		var text string
		if err := json.Unmarshal([]byte(f[1]), &text); err != nil {
			t.Fatal(err)
		}
		s.checked++
		got := "none"
		if d, ok := parseDate(text); ok {
			got = strconv.FormatInt(d.Unix(), 10)
		}
		var faults []string
		if got != f[2] {
			faults = []string{fmt.Sprintf("%s %q: %s, expected %s", f[0], text, got, f[2])}
		}
		s.add("line "+strconv.Itoa(i+1), faults)
	}
	return s
}

// gofeedNames maps the paths of gofeed's three models (universal, RSS, Atom) and of JSON Feed.
var gofeedNames = map[string]string{
	"title": "title", "description": "description", "subtitle": "description", "link": "site", "home_page_url": "site",
	"feedLink": "self", "feed_url": "self", "language": "lang", "generator": "generator", "generator.value": "generator",
	"updated": "updated", "updatedParsed": "updated time", "lastBuildDate": "updated", "lastBuildDateParsed": "updated time",
	"items.*.guid": "items.guid", "items.*.guid.value": "items.guid", "items.*.id": "items.guid",
	"items.*.link": "items.link", "items.*.url": "items.link", "items.*.title": "items.title",
	"items.*.description": "items.summary", "items.*.summary": "items.summary",
	"items.*.content": "items.content", "items.*.content.value": "items.content", "items.*.content_html": "items.content",
	"items.*.author": "items.author", "items.*.author.name": "items.authors", "items.*.authors.*.name": "items.authors",
	"items.*.published": "items.published", "items.*.publishedParsed": "items.published time", "items.*.pubDate": "items.published",
	"items.*.pubDateParsed": "items.published time", "items.*.date_published": "items.published",
	"items.*.updated": "items.updated", "items.*.updatedParsed": "items.updated time", "items.*.date_modified": "items.updated",
	"items.*.comments": "items.comments", "items.*.source.url": "items.source",
	"items.*.categories.*": "items.categories", "items.*.categories.*.value": "items.categories", "items.*.categories.*.term": "items.categories",
	"items.*.tags.*":           "items.categories",
	"items.*.enclosures.*.url": "items.enclosures.url", "items.*.enclosures.*.type": "items.enclosures.type",
	"items.*.enclosures.*.length": "items.enclosures.length", "items.*.attachments.*.url": "items.enclosures.url",
	"items.*.links.*.href": "items.links.href", "items.*.links.*.rel": "items.links.rel", "items.*.links.*.type": "items.links.type",
	"items.*.links.*.title": "items.links.title", "items.*.links.*.hreflang": "items.links.lang", "items.*.links.*": "items.links.href",
}

// scoreGofeed compares with gofeed's own expectations.
func scoreGofeed(t *testing.T, dir string) *score {
	s := newScore("gofeed")
	for _, file := range files(t, dir, "mmcdole+gofeed", ".xml", ".json") {
		body := read(t, dir, file)
		stem := strings.TrimSuffix(file, path.Ext(file))
		want := stem + ".json"
		if path.Ext(file) == ".json" {
			if strings.HasSuffix(stem, "_expected") || !strings.Contains(file, "/json/") && !strings.Contains(file, "/universal/") {
				continue // what is expected of another file
			}
			if strings.Contains(file, "translator/") {
				want = stem + "_expected.json"
			}
		}
		d, faults := readable(body, Options{})
		if exp, ok := readIf(dir, want); ok {
			var model any
			if json.Unmarshal(exp, &model) == nil {
				walk("", nil, model, func(p string, index []int, v any) {
					p = strings.Replace(p, "entries.*", "items.*", 1)
					if n, ok := v.(string); ok && strings.TrimSpace(n) == "" || !strings.Contains(string(exp), "href") && strings.Contains(p, "links.*.") {
						return // nothing, or a link to nowhere
					}
					faults = append(faults, s.check(d, gofeedNames[p], p, index, v)...)
				})
			}
		}
		s.add(strings.TrimPrefix(file, "mmcdole+gofeed/testdata/"), faults)
	}
	return s
}

// walk calls f for every leaf of a JSON value.
func walk(p string, index []int, v any, f func(p string, index []int, v any)) {
	join := func(name string) string {
		if p == "" {
			return name
		}
		return p + "." + name
	}
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			walk(join(k), index, e, f)
		}
	case []any:
		for i, e := range v {
			walk(join("*"), append(index[:len(index):len(index)], i), e, f)
		}
	default:
		f(p, index, v)
	}
}

var feedRSNames = map[string]string{
	"title.content": "title", "description.content": "description", "language": "lang", "generator.content": "generator",
	"updated":                 "updated time",
	"entries.*.id":            "items.guid",
	"entries.*.title.content": "items.title", "entries.*.summary.content": "items.summary",
	"entries.*.published": "items.published time", "entries.*.updated": "items.updated time",
	"entries.*.content.body": "items.content", "entries.*.authors.*.name": "items.authors", "entries.*.categories.*.term": "items.categories",
	"entries.*.links.*.href": "items.links.address",
}

var synthesised = regexp.MustCompile(`^[0-9a-f]{31,32}$|^[0-9a-f]{8}-[0-9a-f-]{27}$`)

// scoreFeedRS compares with feed-rs's expectations but for the ids it makes up, and its author "author".
func scoreFeedRS(t *testing.T, dir string) *score {
	s := newScore("feed-rs")
	for _, file := range files(t, dir, "feed-rs+feed-rs", ".xml", ".json") {
		if strings.HasSuffix(file, ".serde.json") {
			continue
		}
		body := read(t, dir, file)
		d, faults := readable(body, Options{})
		if exp, ok := readIf(dir, strings.TrimSuffix(file, path.Ext(file))+".serde.json"); ok {
			var model any
			if err := json.Unmarshal(exp, &model); err != nil {
				t.Fatal(err)
			}
			walk("", nil, model, func(p string, index []int, v any) {
				if v == nil || v == "" {
					return
				}
				text, _ := v.(string)
				if p == "entries.*.id" && synthesised.MatchString(text) && !bytes.Contains(body, []byte(text)) || strings.HasSuffix(p, ".name") && text == "author" {
					s.skipped[p+" (synthesised)"]++
					return
				}
				faults = append(faults, s.check(d, feedRSNames[p], p, index, v)...)
			})
		}
		s.add(strings.TrimPrefix(file, "feed-rs+feed-rs/feed-rs/fixture/"), faults)
	}
	return s
}

// scoreValidator reads the files of the feed validator: each has one fault, and its items must be found all the same.
// Where the fault matters for identity or time, it must be noted: a repeated element warns, a valid date is read, and
// an invalid one is read, or kept as text with a warning.
func scoreValidator(t *testing.T, dir string) *score {
	s := newScore("feedvalidator")
	type expectation struct {
		File, Event, Params string
		Negated             bool
	}
	expect := map[string]expectation{}
	for line := range bytes.Lines(read(t, dir, "feedvalidator_expect.jsonl")) {
		var e expectation
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		expect[e.File] = e
	}
	for _, file := range files(t, dir, "w3c+feedvalidator", ".xml", ".html", ".rss", ".atom") {
		d, faults := readable(read(t, dir, file), Options{})
		if e, ok := expect[file]; ok && d != nil && !e.Negated {
			faults = append(faults, s.noted(d, e.Event, e.Params)...)
		}
		s.add(strings.TrimPrefix(file, "w3c+feedvalidator/"), faults)
	}
	return s
}

var (
	repeatable = regexp.MustCompile(`element:(id|guid|title|published|updated|summary|content|pubDate|link|description)(,|$)`)
	dateOf     = regexp.MustCompile(`parent:(channel|feed|entry|item),element:(pubDate|published|updated|lastBuildDate|dc:date)$`)
)

// noted returns what is missing of what a document should say about an event of the validator.
func (s *score) noted(d *Document, event, params string) []string {
	inItem := strings.Contains(params, "parent:entry") || strings.Contains(params, "parent:item")
	switch {
	case event == "DuplicateElement" && inItem && repeatable.MatchString(params):
		s.checked++
		if len(d.Warnings) == 0 {
			return []string{event + " " + params + ": no warning"}
		}
	case strings.HasSuffix(event, "Date") && dateOf.MatchString(params):
		s.checked++
		dates := []Date{d.Updated}
		if inItem {
			dates = nil
			for _, it := range d.Items {
				dates = append(dates, it.Published, it.Updated)
			}
		}
		for _, date := range dates {
			if !date.Time.IsZero() || date.Text != "" && !strings.HasPrefix(event, "Valid") && strings.Contains(strings.Join(d.Warnings, " "), "date") {
				return nil
			}
		}
		return []string{fmt.Sprintf("%s %s: %+v, warnings %q", event, params, dates, d.Warnings)}
	default:
		s.skipped[event]++
	}
	return nil
}

// scoreRobustness reads the feeds that other programs were broken by.
func scoreRobustness(t *testing.T, dir string) *score {
	s := newScore("robustness")
	for _, set := range []string{"rbren+rss-parser/test/input", "danmactough+node-feedparser", "rubys+venus", "miniflux_inline", "feedjira+feedjira", "rometools+rome"} {
		for _, file := range files(t, dir, set, ".xml", ".rss", ".atom", ".json", ".html", ".rdf", ".feed", "") {
			_, faults := readable(read(t, dir, file), Options{})
			s.add(file, faults)
		}
	}
	return s
}
