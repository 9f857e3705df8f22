package opml

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Limits. A list of 10,000 feeds has about 3 MB.
const (
	maxSize  = 16 << 20
	maxDepth = 50
	// maxTag bounds the attributes of one element, of which encoding/xml makes objects many times their size.
	maxTag = 256 << 10
)

// An Error says where and why a list cannot be read further.
type Error struct {
	Line   int // 0 where the list as a whole is meant
	Reason string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Reason
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
}

// Read reads OPML 1.0 and 2.0. Outlines without a feed's URL are folders, or are reported in skipped, in words with
// their line: links, inclusions of other lists, addresses that are not http(s). Feeds that are there twice are returned
// twice. Attribute names may be in any case; the character encoding is what it turns out to be, whatever the document
// says. Entities that the document defines are not expanded.
//
// On a *Error (broken XML, no OPML, longer than 16 MiB, deeper than 50 folders) what was read so far is returned too.
func Read(r io.Reader) (subs []Subscription, skipped []string, err error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	if err != nil {
		return nil, nil, err
	}
	if len(raw) > maxSize {
		return nil, nil, &Error{Reason: "the list is longer than 16 MB; split it and import the parts"}
	}
	text := decode(raw)
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil, &Error{Reason: "the list is empty"}
	}
	if line := longTag(text); line > 0 {
		return nil, nil, &Error{line, "an element is longer than 256 KB; this is no subscription list"}
	}
	d := xml.NewDecoder(bytes.NewReader(text))
	d.Strict = false // "&" in addresses is often not escaped
	d.Entity = xml.HTMLEntity
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }

	var p parser
	for {
		line, _ := d.InputPos()
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return p.subs, p.skipped, broken(err, line)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if err := p.start(t, line); err != nil {
				return p.subs, p.skipped, err
			}
		case xml.EndElement:
			p.end()
		}
	}
	if !p.opml {
		return nil, nil, &Error{Reason: "this is no OPML: it has no <opml> element"}
	}
	return p.subs, p.skipped, nil
}

func broken(err error, line int) error {
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		return &Error{syntax.Line, "the XML is broken: " + syntax.Msg}
	}
	return &Error{line, "the XML is broken: " + err.Error()}
}

// parser holds one entry of folders for each open element; "" for those that are no folder.
type parser struct {
	subs    []Subscription
	skipped []string
	folders []string
	opml    bool
	// leaf is the last outline without feed address, until an outline follows in it and makes it a folder.
	leaf *leaf
}

type leaf struct {
	line, depth int
	name        string
}

func (p *parser) start(t xml.StartElement, line int) error {
	name := strings.ToLower(t.Name.Local)
	if len(p.folders) == 0 && !p.opml {
		if name != "opml" {
			return &Error{line, fmt.Sprintf("this is no OPML: it starts with <%s>", shorten(t.Name.Local))}
		}
		p.opml = true
	}
	if len(p.folders) >= maxDepth {
		return &Error{line, fmt.Sprintf("folders are nested more than %d deep", maxDepth)}
	}
	folder := ""
	if name == "outline" {
		p.leaf = nil
		folder = p.outline(t, line)
	}
	p.folders = append(p.folders, folder)
	return nil
}

func (p *parser) end() {
	if l := p.leaf; l != nil && l.depth == len(p.folders) {
		p.skip(l.line, "%s has no feed address", l.name)
		p.leaf = nil
	}
	if n := len(p.folders); n > 0 {
		p.folders = p.folders[:n-1]
	}
}

// outline reads an outline and returns the name of the folder it is for those within it.
func (p *parser) outline(t xml.StartElement, line int) string {
	attr := func(name string) string {
		for _, a := range t.Attr {
			if strings.EqualFold(a.Name.Local, name) {
				if v := strings.Join(strings.Fields(a.Value), " "); v != "" {
					return v
				}
			}
		}
		return ""
	}
	title, kind := attr("title"), strings.ToLower(attr("type"))
	if title == "" {
		title = attr("text")
	}
	url := attr("xmlUrl")
	if url == "" {
		switch kind {
		case "link", "include":
			p.skip(line, "%s is a link to a page or another list, not a feed", called(title, attr("url")))
			return title
		}
		url = attr("url")
	}
	switch {
	case url == "" && kind == "" && attr("htmlUrl") == "":
		p.leaf = &leaf{line: line, depth: len(p.folders) + 1, name: called(title, "an outline")}
	case url == "":
		p.skip(line, "%s has no feed address (xmlUrl)", called(title, attr("htmlUrl")))
	default:
		address, ok := webAddress(url)
		if !ok {
			p.skip(line, "%s has the address %q, which does not start with http:// or https://", called(title, "a feed"), shorten(url))
			break
		}
		site, _ := webAddress(attr("htmlUrl"))
		p.subs = append(p.subs, Subscription{URL: address, Title: title, SiteURL: site, Folder: p.path()})
	}
	return title
}

func (p *parser) path() string {
	var names []string
	for _, name := range p.folders {
		if name = cleanPath(name); name != "" {
			names = append(names, name)
		}
	}
	return strings.Join(names, "/")
}

func (p *parser) skip(line int, format string, args ...any) {
	p.skipped = append(p.skipped, fmt.Sprintf("line %d: ", line)+fmt.Sprintf(format, args...))
}

func called(title, otherwise string) string {
	if title == "" {
		return shorten(otherwise)
	}
	return "“" + shorten(title) + "”"
}

func shorten(s string) string {
	if runes := []rune(s); len(runes) > 80 {
		return string(runes[:79]) + "…"
	}
	return s
}

// webAddress returns an http(s) URL, also from the "feed:" spellings of some readers.
func webAddress(s string) (string, bool) {
	lower := strings.ToLower(s)
	switch {
	case strings.HasPrefix(lower, "feed://"):
		return "http://" + s[len("feed://"):], true
	case strings.HasPrefix(lower, "feed:http"):
		s, lower = s[len("feed:"):], lower[len("feed:"):]
	}
	if !strings.HasPrefix(lower, "http://") && !strings.HasPrefix(lower, "https://") {
		return "", false
	}
	return s, true
}

// longTag returns the line of the first stretch from one "<" to the next that is too long, or 0.
func longTag(text []byte) int {
	last := 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && text[i] != '<' {
			continue
		}
		if i-last > maxTag {
			return bytes.Count(text[:last], []byte("\n")) + 1
		}
		last = i
	}
	return 0
}
