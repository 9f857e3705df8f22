package format

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mmcdole/gofeed"
)

// TestOracle compares items with what gofeed makes of them, on feeds that publishers really sent. Each kind of
// difference was looked at, and is named in because; it fails at a difference of no known kind.
func TestOracle(t *testing.T) {
	dir := corpusDir(t)
	paths, err := filepath.Glob(filepath.Join(dir, "histories", "*", "*.xml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no histories in %s: %v", dir, err)
	}
	for _, set := range []string{"feed-rs+feed-rs", "rbren+rss-parser/test/input", "danmactough+node-feedparser", "miniflux_inline",
		"feedjira+feedjira", "rometools+rome", "kurtmckee+feedparser/tests/wellformed/rss", "kurtmckee+feedparser/tests/wellformed/atom10"} {
		for _, f := range files(t, filepath.Join(dir, "conformance"), set, ".xml", ".rss", ".atom") {
			paths = append(paths, filepath.Join(dir, "conformance", f))
		}
	}
	agree, differ := map[string]int{}, map[string]map[string]int{}
	for i, path := range paths {
		if strings.Contains(path, "histories") && i%20 != 0 {
			continue // gofeed is slow, and neighbours are alike
		}
		body := read(t, path)
		count := func(field, ours, theirs, because string) {
			switch {
			case ours == theirs:
				agree[field]++
				return
			case because == "":
				t.Errorf("%s: %s: ours %q, gofeed's %q", path, field, clip(ours, 200), clip(theirs, 200))
			}
			if differ[field] == nil {
				differ[field] = map[string]int{}
			}
			differ[field][because]++
		}
		d, err := Parse(body, Options{})
		if err != nil {
			continue
		}
		g, err := gofeed.NewParser().Parse(bytes.NewReader(body))
		if err != nil {
			count("document", "read", "", "gofeed gives up")
			continue
		}
		if len(g.Items) != len(d.Items) {
			because := ""
			if len(d.Items) > len(g.Items) {
				because = "gofeed misses items"
			}
			count("document", fmt.Sprint(len(d.Items), " items"), fmt.Sprint(len(g.Items), " items"), because)
			continue
		}
		agree["document"]++
		for i, it := range d.Items {
			o := g.Items[i]
			count("guid", it.GUID, o.GUID, guidDiffers(d, &it, o))
			count("link", it.Link, o.Link, linkDiffers(&it, o))
			title := ""
			if it.Title == htmlToLine(o.Title) {
				title = "gofeed leaves references, tags and white space"
			} else if o.Title == "" {
				title = "gofeed does not know dc:title and the like"
			}
			count("title", it.Title, o.Title, title)
			var theirs time.Time
			if o.PublishedParsed != nil {
				theirs = o.PublishedParsed.UTC()
			}
			count("date", it.Published.Time.Format(time.RFC3339), theirs.Format(time.RFC3339), dateDiffers(&it, theirs))
		}
	}
	for _, field := range []string{"document", "guid", "link", "title", "date"} {
		t.Logf("%-8s %6d agree", field, agree[field])
		for because, n := range differ[field] {
			t.Logf("         %6d differ: %s", n, because)
		}
	}
}

func guidDiffers(d *Document, it *Item, o *gofeed.Item) string {
	switch {
	case o.GUID == "" && (d.Format == "rss 1.0" || d.Format == "rss 0.90"):
		return "gofeed loses rdf:about"
	case o.GUID == "":
		return "gofeed does not know the element"
	case strings.Contains(o.GUID, "%5B"), strings.EqualFold(o.GUID, it.GUID):
		return "gofeed treats ids as if they were links"
	case strings.Contains(o.GUID, "&"):
		return "gofeed does not expand a declared entity"
	case strings.TrimSpace(o.GUID) == it.GUID:
		return "gofeed does not trim"
	}
	return ""
}

func linkDiffers(it *Item, o *gofeed.Item) string {
	switch {
	case o.Link == "" && it.Permalink:
		return "gofeed does not take a permalink for the link"
	case o.Link == "":
		return "gofeed finds no link"
	case !web(o.Link) && web(it.Link):
		return "gofeed does not resolve"
	case strings.Contains(o.Link, "%5B"):
		return "gofeed escapes what is published"
	case resolve(it.Base, strings.TrimPrefix(o.Link, it.Base)) == it.Link, strings.HasSuffix(o.Link, it.Link[strings.LastIndexByte(it.Link, '/'):]):
		return "gofeed appends to a base instead of resolving by RFC 3986"
	}
	for _, l := range it.Links {
		if l.Href == o.Link {
			return "gofeed takes another of several links"
		}
	}
	return ""
}

func dateDiffers(it *Item, theirs time.Time) string {
	switch {
	case it.Published.Text == "" && it.Updated.Time.Equal(theirs):
		return "gofeed takes the date of the update"
	case theirs.IsZero():
		return "gofeed cannot read it"
	case it.Published.Time.IsZero():
		return ""
	}
	return ""
}
