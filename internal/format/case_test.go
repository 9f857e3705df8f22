package format

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"feedonce/internal/scan"
)

// TestCase runs the case files: each is a document, perhaps with options in the lines above it, and the model expected
// of it as text. -update rewrites what is expected; read the diff.
func TestCase(t *testing.T) {
	for _, c := range cases(t) {
		t.Run(c.name, func(t *testing.T) {
			got := dump(Parse(c.doc, c.opts))
			if *update {
				c.archive.Files = []txtar.File{c.archive.Files[0], {Name: "want", Data: []byte(got)}}
				if err := os.WriteFile(c.path, txtar.Format(c.archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s\n%s(-want +got)\n%s", c.path, c.archive.Comment, diff)
			}
		})
	}
}

type caseFile struct {
	name, path string
	archive    *txtar.Archive
	doc        []byte
	opts       Options
	want       string
}

// cases reads the case files: a comment with optional lines "url:", "content-type:" and "max-items:", the document,
// and "want".
func cases(t testing.TB) []caseFile {
	paths, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no case files: %v", err)
	}
	var out []caseFile
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Files) == 0 {
			t.Fatalf("%s has no document", path)
		}
		c := caseFile{name: strings.TrimSuffix(filepath.Base(path), ".txtar"), path: path, archive: a, doc: a.Files[0].Data}
		for line := range strings.Lines(string(a.Comment)) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			switch key {
			case "url":
				c.opts.URL = value
			case "content-type":
				c.opts.ContentType = value
			case "max-items":
				if _, err := fmt.Sscan(value, &c.opts.MaxItems); err != nil {
					t.Fatalf("%s: max-items: %v", path, err)
				}
			}
		}
		if len(a.Files) > 1 {
			c.want = string(a.Files[1].Data)
		}
		out = append(out, c)
	}
	return out
}

// dump writes a document as text, without what is empty.
func dump(d *Document, err error) string {
	var b strings.Builder
	line := func(indent, name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s%s: %s\n", indent, name, strings.ReplaceAll(value, "\n", "\\n"))
		}
	}
	date := func(d Date) string {
		switch {
		case d.Text == "":
			return ""
		case d.Time.IsZero():
			return "? (" + d.Text + ")"
		}
		return d.Time.Format("2006-01-02T15:04:05.999Z") + " (" + d.Text + ")"
	}
	var notFeed *NotFeedError
	var limit *scan.LimitError
	switch {
	case errors.As(err, &notFeed):
		return fmt.Sprintf("no feed: %s\nhtml: %v\n", notFeed.Found, notFeed.HTML)
	case errors.As(err, &limit):
		return "limit: " + err.Error() + "\n"
	case err != nil:
		return "error: " + err.Error() + "\n"
	}
	line("", "format", d.Format)
	line("", "title", d.Title)
	line("", "description", d.Description)
	line("", "site", d.SiteURL)
	line("", "self", d.SelfURL)
	line("", "hub", d.HubURL)
	line("", "moved", d.NewURL)
	line("", "generator", d.Generator)
	line("", "lang", d.Lang)
	line("", "updated", date(d.Updated))
	if d.TTL > 0 {
		line("", "ttl", d.TTL.String())
	}
	if len(d.SkipHours)+len(d.SkipDays) > 0 {
		line("", "skip", fmt.Sprint(d.SkipHours, " ", d.SkipDays))
	}
	line("", "partial", d.Partial)
	for _, w := range d.Warnings {
		line("", "warning", w)
	}
	if d.Dropped > 0 {
		line("", "dropped", fmt.Sprint(d.Dropped))
	}
	for _, it := range d.Items {
		b.WriteString("item\n")
		line("  ", "invalid", it.Invalid)
		guid := it.GUID
		if it.Permalink {
			guid += " (permalink)"
		}
		line("  ", "guid", guid)
		line("  ", "link", it.Link)
		line("  ", "orig", it.OrigLink)
		for _, l := range it.Links {
			if l != (Link{Rel: "alternate", Href: it.Link}) {
				line("  ", "link", strings.TrimRight(strings.Join([]string{l.Rel, l.Href, l.Type, l.Title, l.Lang}, " | "), " |"))
			}
		}
		line("  ", "title", it.Title)
		line("  ", "summary", it.Summary)
		line("  ", "content", it.Content)
		line("  ", "author", it.Author)
		line("  ", "categories", strings.Join(it.Categories, " | "))
		for _, e := range it.Enclosures {
			line("  ", "enclosure", fmt.Sprintf("%s %s %d", e.URL, e.Type, e.Length))
		}
		line("  ", "published", date(it.Published))
		line("  ", "updated", date(it.Updated))
		line("  ", "comments", it.Comments)
		line("  ", "source", it.Source)
		if it.Base != d.SiteURL {
			line("  ", "base", it.Base)
		}
		if it.Lang != d.Lang {
			line("  ", "lang", it.Lang)
		}
	}
	return b.String()
}
