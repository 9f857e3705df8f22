package outfeed_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"feedonce/internal/outfeed"
)

// What each form must be by its own rules, and what a reader makes of it. Nothing here is shared with what writes them.

// A document is an output as a reader sees it.
type document struct {
	title, self, next string
	entries           []entry
	deleted           []string // ids
}

type entry struct {
	id, url, title, html string
	published            time.Time
}

var parsers = map[outfeed.Form]func(*testing.T, string) document{outfeed.Atom: readAtom, outfeed.RSS: readRSS, outfeed.JSON: readJSON}

// same fails where the forms do not say the same.
func same(t *testing.T, docs map[outfeed.Form]document) {
	t.Helper()
	a := docs[outfeed.Atom]
	for _, form := range []outfeed.Form{outfeed.RSS, outfeed.JSON} {
		d := docs[form]
		if d.title != a.title || len(d.entries) != len(a.entries) || (d.next == "") != (a.next == "") {
			t.Fatalf("%s has %q with %d entries, next %q; Atom %q with %d, next %q", form, d.title, len(d.entries), d.next, a.title, len(a.entries), a.next)
		}
		for i, e := range d.entries {
			if want := a.entries[i]; e.id != want.id || e.url != want.url || e.html != want.html || !e.published.Equal(want.published) ||
				e.title != want.title && form != outfeed.JSON { // titles that stand for none are left out there
				t.Errorf("entry %d of %s is\n%+v\nand of Atom\n%+v", i, form, e, want)
			}
		}
	}
}

var (
	noURI    = regexp.MustCompile(`[^!#$%&'()*+,\-./0-9:;=?@A-Z\[\]_a-z~]`)
	noEscape = regexp.MustCompile(`%([^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)`)
)

// address fails unless s is an absolute http(s) URI: RFC 3986 in ASCII.
func address(t *testing.T, what, s string) {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || noURI.MatchString(s) || noEscape.MatchString(s) {
		t.Errorf("%s is no absolute http address: %q (%v)", what, s, err)
	}
}

// identifiers fails unless all ids are URNs, and no two the same.
func identifiers(t *testing.T, entries []entry) {
	t.Helper()
	seen := map[string]bool{}
	for _, e := range entries {
		if !regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(e.id) {
			t.Errorf("id %q is no URN of a UUID of version 5", e.id)
		}
		if seen[e.id] {
			t.Errorf("id %s stands in one document twice", e.id)
		}
		seen[e.id] = true
	}
}

func limits(t *testing.T, what, s string, runes int) {
	t.Helper()
	if n := utf8.RuneCountInString(s); n > runes || strings.ContainsAny(s, "\n\r\t\x00\x1b") || !utf8.ValidString(s) {
		t.Errorf("%s has %d characters, or such as are none: %.200q", what, n, s)
	}
}

type link struct {
	Rel    string `xml:"rel,attr"`
	Type   string `xml:"type,attr"`
	Href   string `xml:"href,attr"`
	Length string `xml:"length,attr"`
}

func rel(links []link, name string) string {
	for _, l := range links {
		if l.Rel == name {
			return l.Href
		}
	}
	return ""
}

// readAtom checks a document against the grammar of RFC 4287 and RFC 6721 with xmllint, and what they say beside it.
func readAtom(t *testing.T, body string) document {
	t.Helper()
	cmd := exec.Command("xmllint", "--huge", "--noout", "--relaxng", "testdata/atom.rng", "-")
	cmd.Stdin = strings.NewReader(body)
	if out, err := cmd.CombinedOutput(); err != nil {
		if _, lookErr := exec.LookPath("xmllint"); lookErr != nil {
			t.Fatalf("Debian's libxml2-utils is needed to validate Atom (scripts/test-tools installs it): %v", lookErr)
		}
		t.Fatalf("not valid by RFC 4287: %v\n%.2000s\n%.3000s", err, out, body)
	}
	var f struct {
		XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
		ID      string   `xml:"id"`
		Title   string   `xml:"title"`
		Updated string   `xml:"updated"`
		Author  []string `xml:"author>name"`
		Links   []link   `xml:"link"`
		Deleted []struct {
			Ref  string `xml:"ref,attr"`
			When string `xml:"when,attr"`
		} `xml:"http://purl.org/atompub/tombstones/1.0 deleted-entry"`
		Entries []struct {
			ID        string   `xml:"id"`
			Title     string   `xml:"title"`
			Published string   `xml:"published"`
			Updated   string   `xml:"updated"`
			Author    []string `xml:"author>name"`
			Links     []link   `xml:"link"`
			Content   struct {
				Type string `xml:"type,attr"`
				Text string `xml:",chardata"`
			} `xml:"content"`
			Source *struct {
				ID    string `xml:"id"`
				Title string `xml:"title"`
			} `xml:"source"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal([]byte(body), &f); err != nil {
		t.Fatalf("Atom: %v\n%.3000s", err, body)
	}
	d := document{title: f.Title, self: rel(f.Links, "self"), next: rel(f.Links, "next")}
	address(t, "self", d.self)
	updated := moment(t, "updated", f.Updated, time.RFC3339)
	for _, e := range f.Entries {
		if len(e.Author) != 1 || e.Author[0] == "" {
			t.Errorf("entry %s has the authors %q, want one", e.ID, e.Author)
		}
		limits(t, "title", e.Title, 1010)
		limits(t, "author", e.Author[0], 210)
		if e.Title == "" || e.Content.Type != "html" {
			t.Errorf("entry %s has title %q and content of type %q", e.ID, e.Title, e.Content.Type)
		}
		alternates := 0
		for _, l := range e.Links {
			address(t, "link", l.Href)
			if l.Rel == "alternate" {
				alternates++ // RFC 4287 4.1.2: one of a type at most
			}
		}
		if alternates > 1 {
			t.Errorf("entry %s has %d alternate links", e.ID, alternates)
		}
		published := moment(t, "published", e.Published, time.RFC3339)
		if u := moment(t, "updated", e.Updated, time.RFC3339); u.Before(published) || u.After(updated) {
			t.Errorf("entry %s was published %s and updated %s, the feed %s", e.ID, published, u, updated)
		}
		d.entries = append(d.entries, entry{e.ID, rel(e.Links, "alternate"), e.Title, e.Content.Text, published})
	}
	for _, g := range f.Deleted {
		if moment(t, "when", g.When, time.RFC3339).After(updated) {
			t.Errorf("%s is deleted later than the feed was updated", g.Ref)
		}
		d.deleted = append(d.deleted, g.Ref)
	}
	identifiers(t, append(d.entries, entry{id: f.ID}))
	return d
}

func moment(t *testing.T, what, s, layout string) time.Time {
	t.Helper()
	m, err := time.Parse(layout, s)
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
	return m
}

// readRSS checks a document by the RSS 2.0 specification and the best practices of the RSS Advisory Board.
func readRSS(t *testing.T, body string) document {
	t.Helper()
	var doc struct {
		XMLName xml.Name `xml:"rss"`
		Version string   `xml:"version,attr"`
		Channel []struct {
			Title []string `xml:"title"`
			Links []struct {
				XMLName xml.Name
				link
				Text string `xml:",chardata"`
			} `xml:"link"`
			Description []string `xml:"description"`
			Built       string   `xml:"lastBuildDate"`
			TTL         int      `xml:"ttl"`
			Items       []struct {
				Title       []string `xml:"title"`
				Link        []string `xml:"link"`
				Description []string `xml:"description"`
				GUID        []struct {
					Permalink string `xml:"isPermaLink,attr"`
					ID        string `xml:",chardata"`
				} `xml:"guid"`
				Published []string `xml:"pubDate"`
				Author    []string `xml:"author"` // an e-mail address, by the specification: nobody has one
				Creator   []string `xml:"http://purl.org/dc/elements/1.1/ creator"`
				Source    []struct {
					URL   string `xml:"url,attr"`
					Title string `xml:",chardata"`
				} `xml:"source"`
				Enclosure []struct {
					URL    string `xml:"url,attr"`
					Length string `xml:"length,attr"`
					Type   string `xml:"type,attr"`
				} `xml:"enclosure"`
			} `xml:"item"`
		} `xml:"channel"`
	}
	if err := xml.Unmarshal([]byte(body), &doc); err != nil {
		t.Fatalf("RSS: %v\n%.3000s", err, body)
	}
	if doc.Version != "2.0" || len(doc.Channel) != 1 {
		t.Fatalf("version %q with %d channels", doc.Version, len(doc.Channel))
	}
	c := doc.Channel[0]
	plain := 0
	var atom []link
	for _, l := range c.Links {
		if l.XMLName.Space == "http://www.w3.org/2005/Atom" {
			atom = append(atom, l.link)
			continue
		}
		address(t, "link of the channel", l.Text)
		plain++
	}
	if len(c.Title) != 1 || plain != 1 || len(c.Description) != 1 || c.Title[0] == "" || c.Description[0] == "" || c.TTL < 1 {
		t.Errorf("the channel needs one title, link and description, and has %q, %+v, %q and a ttl of %d", c.Title, c.Links, c.Description, c.TTL)
	}
	date := func(what, s string) time.Time {
		t.Helper()
		// RFC 822 with the year in four digits, as the specification prefers it, and a zone that all know.
		if !regexp.MustCompile(`^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d \+0000$`).MatchString(s) {
			t.Errorf("%s is %q", what, s)
		}
		return moment(t, what, s, time.RFC1123Z)
	}
	date("lastBuildDate", c.Built)
	d := document{title: outOfHTML(c.Title[0]), self: rel(atom, "self"), next: rel(atom, "next")}
	address(t, "self", d.self)
	for _, it := range c.Items {
		if len(it.Title) != 1 || len(it.Description) != 1 || len(it.GUID) != 1 || len(it.Published) != 1 || len(it.Link) > 1 || len(it.Enclosure) > 1 || len(it.Source) > 1 || len(it.Author) > 0 {
			t.Fatalf("an item has elements too many or too few: %+v", it)
		}
		limits(t, "title", outOfHTML(it.Title[0]), 1010)
		if strings.Contains(it.Title[0], "<") {
			t.Errorf("some readers take the title for HTML: %q", it.Title[0])
		}
		if it.GUID[0].Permalink != "false" {
			t.Errorf("isPermaLink of a guid that is no link is %q, and true where it is not there", it.GUID[0].Permalink)
		}
		e := entry{id: it.GUID[0].ID, title: outOfHTML(it.Title[0]), html: it.Description[0], published: date("pubDate", it.Published[0])}
		if len(it.Link) == 1 {
			e.url = it.Link[0]
			address(t, "link of an item", e.url)
		}
		for _, s := range it.Source {
			address(t, "source", s.URL)
		}
		for _, enc := range it.Enclosure {
			address(t, "enclosure", enc.URL)
			if !regexp.MustCompile(`^\d+$`).MatchString(enc.Length) || !strings.Contains(enc.Type, "/") {
				t.Errorf("an enclosure needs a length and type, and has %q and %q", enc.Length, enc.Type)
			}
		}
		d.entries = append(d.entries, e)
	}
	identifiers(t, d.entries)
	return d
}

// outOfHTML is what a reader shows that takes a title for HTML.
func outOfHTML(s string) string {
	return strings.NewReplacer("&lt;", "<", "&amp;", "&").Replace(s)
}

// readJSON checks a document by https://www.jsonfeed.org/version/1.1/.
func readJSON(t *testing.T, body string) document {
	t.Helper()
	var f struct {
		Version string  `json:"version"`
		Title   *string `json:"title"`
		Home    string  `json:"home_page_url"`
		Self    string  `json:"feed_url"`
		Next    *string `json:"next_url"`
		Items   []struct {
			ID          string              `json:"id"`
			URL         *string             `json:"url"`
			Title       *string             `json:"title"`
			HTML        *string             `json:"content_html"`
			Text        *string             `json:"content_text"`
			Published   string              `json:"date_published"`
			Modified    *string             `json:"date_modified"`
			Authors     []map[string]string `json:"authors"`
			Tags        []string            `json:"tags"`
			Language    *string             `json:"language"`
			Attachments []struct {
				URL  string `json:"url"`
				Type string `json:"mime_type"`
				Size *int64 `json:"size_in_bytes"`
			} `json:"attachments"`
			Source struct {
				About  string   `json:"about"`
				Title  string   `json:"title"`
				URL    string   `json:"feed_url"`
				AlsoIn []string `json:"also_in"`
			} `json:"_source"`
		} `json:"items"`
	}
	dec := json.NewDecoder(bytes.NewReader([]byte(body)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		t.Fatalf("JSON Feed: %v\n%.3000s", err, body)
	}
	if f.Version != "https://jsonfeed.org/version/1.1" || f.Title == nil || *f.Title == "" || f.Items == nil {
		t.Fatalf("version %q, title %v, items there: %v", f.Version, f.Title, f.Items != nil)
	}
	d := document{title: *f.Title, self: f.Self}
	address(t, "home_page_url", f.Home)
	address(t, "feed_url", f.Self)
	if f.Next != nil {
		d.next = *f.Next
		address(t, "next_url", d.next)
		if d.next == f.Self {
			t.Error("next_url is the address of the same page")
		}
	}
	for _, it := range f.Items {
		e := entry{id: it.ID, published: moment(t, "date_published", it.Published, time.RFC3339)}
		if it.HTML == nil && it.Text == nil {
			t.Errorf("item %s has neither content_html nor content_text", it.ID)
		}
		for _, v := range []struct {
			name string
			p    *string
			to   *string
		}{{"url", it.URL, &e.url}, {"title", it.Title, &e.title}, {"content_html", it.HTML, &e.html}} {
			if v.p != nil {
				*v.to = *v.p
				if *v.p == "" {
					t.Errorf("%s of %s is there and empty", v.name, it.ID)
				}
			}
		}
		limits(t, "title", e.title, 1010)
		if e.url != "" {
			address(t, "url", e.url)
		}
		if it.Modified != nil && !moment(t, "date_modified", *it.Modified, time.RFC3339).After(e.published) {
			t.Errorf("item %s was modified before it was published", it.ID)
		}
		if it.Language != nil && !regexp.MustCompile(`^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$`).MatchString(*it.Language) {
			t.Errorf("language %q", *it.Language)
		}
		for _, a := range it.Authors {
			if a["name"] == "" {
				t.Errorf("an author of %s has no name: %v", it.ID, a)
			}
		}
		for _, a := range it.Attachments {
			address(t, "attachment", a.URL)
			if !strings.Contains(a.Type, "/") || a.Size != nil && *a.Size <= 0 {
				t.Errorf("attachment of %s: %+v", it.ID, a)
			}
		}
		d.entries = append(d.entries, e)
	}
	identifiers(t, d.entries)
	return d
}

// TestRules holds the rules against documents that break them: a check that cannot fail is none.
func TestRules(t *testing.T) {
	good := `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:at="http://purl.org/atompub/tombstones/1.0"><id>urn:uuid:00000000-0000-5000-8000-000000000000</id><title>t</title><updated>2026-01-01T00:00:00Z</updated>` +
		`<link rel="self" href="https://a.example/"/><at:deleted-entry ref="x" when="2026-01-01T00:00:00Z"><at:comment>x</at:comment></at:deleted-entry>` +
		`<entry xml:lang="en"><id>urn:uuid:00000000-0000-5000-8000-000000000001</id><title>t</title><published>2026-01-01T00:00:00Z</published><updated>2026-01-01T00:00:00Z</updated>` +
		`<author><name>a</name></author><content type="html">x</content></entry></feed>`
	if d := readAtom(t, good); len(d.entries) != 1 || len(d.deleted) != 1 {
		t.Fatalf("read %+v", d)
	}
	for _, c := range []struct{ old, new string }{
		{"<title>t</title><published>", "<published>"}, {`xml:lang="en"`, `xml:lang="e_n"`}, {"2026-01-01T00:00:00Z</published>", "2026-01-01</published>"},
		{` ref="x"`, ""}, {"at:comment", "at:other"}, {"</feed>", `<link href="x"/></feed>`}, {`type="html"`, `type="htm"`}, {"<id>", "<guid>"},
	} {
		bad := strings.ReplaceAll(good, c.old, c.new)
		cmd := exec.Command("xmllint", "--noout", "--relaxng", "testdata/atom.rng", "-")
		cmd.Stdin = strings.NewReader(bad)
		out, err := cmd.CombinedOutput()
		if err == nil {
			t.Errorf("valid, with %q for %q:\n%s", c.new, c.old, out)
		}
	}
}
