// Package format reads RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0 and JSON Feed 1.0 and 1.1 into one Document.
//
// It has its own parser, on the tokenizer of package scan, because it keeps what the identity of an article is judged
// by: the guid as published and whether it may be a page, every link with its relation, dates with their text. It reads
// what is well-formed by the book and what is not as people meant it: an end tag closes what was left open, an item
// ends where the next begins, and a document that was cut off still gives the items before the cut.
//
// The XML is read once, into a small tree of the prologue and of one item at a time; the same code takes an item's
// fields from all XML formats, ranked by how much a vocabulary is to be believed.
package format

import (
	"bytes"
	"io"
	"strings"

	"feedonce/internal/scan"
)

// Options are what is known of a document from how it was fetched.
type Options struct {
	ContentType string // the HTTP header, for its charset; may be empty
	URL         string // where it was fetched, to resolve relative URLs; may be empty
	MaxItems    int    // items beyond it are counted, not parsed; 0 is 5,000
}

// A NotFeedError says that a document is no feed, and what it is instead.
type NotFeedError struct {
	// Found is what was found, as a noun phrase or sentence for a person: "an HTML page titled “Home”", "an empty
	// body", "XML that stops in line 12: unexpected end of input", "a PDF file".
	Found string
	// HTML says that it is a web page, in which a feed may be discovered.
	HTML bool
}

func (e *NotFeedError) Error() string { return "not a feed: found " + e.Found }

// Parse reads a document. It bounds the document while it reads (see package scan), never panics, and takes time and
// memory linear in the input. One bad item is returned with Invalid set and costs no other. It returns a
// *NotFeedError for what is no feed and a *scan.LimitError for what exceeds a bound.
func Parse(body []byte, opts Options) (*Document, error) {
	if opts.MaxItems <= 0 {
		opts.MaxItems = defaultMaxItems
	}
	if found := binary(body); found != "" {
		return nil, &NotFeedError{Found: found}
	}
	text := scan.Decode(body, opts.ContentType)
	in := bytes.TrimFunc(text.Bytes, blank)
	var d *Document
	var err error
	switch {
	case len(in) == 0:
		return nil, &NotFeedError{Found: "an empty body"}
	case in[0] == '{' || in[0] == '[':
		d, err = parseJSON(in, opts)
	default:
		d, err = parseXML(text.Bytes, opts)
	}
	if err != nil {
		return nil, err
	}
	d.Warnings = append(text.Warnings, d.Warnings...)
	return d, nil
}

func parseXML(in []byte, opts Options) (*Document, error) {
	p := &parser{
		tok:      scan.NewTokenizer(in, scan.DefaultLimits),
		doc:      &Document{},
		names:    map[string]qname{},
		maxItems: opts.MaxItems,
		feed:     -1,
		item:     -1,
	}
	if err := p.findRoot(in); err != nil {
		return nil, err
	}
	if err := p.read(); err != nil {
		return nil, err
	}
	if p.root == rootRDF && !p.rss && p.feed < 0 && len(p.doc.Items) == 0 {
		return nil, &NotFeedError{Found: "an RDF document that is no feed"}
	}
	p.partial()
	p.buildFeed()
	if p.err != nil {
		return nil, p.err
	}
	p.doc.finish(opts, p.root == rootAtom)
	return p.doc, nil
}

// findRoot reads up to the root element and opens it. What stands before it, such as an error message of the server,
// is passed over.
func (p *parser) findRoot(in []byte) error {
	var t scan.Token
	first := "" // the first element
	page := false
	for elements := 0; elements < 200; {
		err := p.tok.Next(&t)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if t.Kind == scan.Doctype && isHTMLDoctype(t.Data) {
			page = true
		}
		if t.Kind != scan.StartTag {
			continue
		}
		elements++
		q := p.qname(t.Name)
		if first == "" {
			first = q.local
		}
		page = page || q.local == "html"
		if !p.recognise(&t, q, elements == 1) {
			continue
		}
		if elements > 1 {
			p.doc.warn("there is something else before the feed")
		}
		p.start(&t)
		return p.err
	}
	if page && first != "rss" {
		first = "html"
	}
	return notFeed(in, first, p.tok)
}

// recognise reports whether an element is the root of a feed, and says of which format. One that is not the first
// element, as after an error message or within a web page, must say so with more than its name.
func (p *parser) recognise(t *scan.Token, q qname, first bool) bool {
	uri := ""
	for _, a := range t.Attrs {
		name := strings.ToLower(string(a.Name))
		if name == "xmlns" && q.prefix == "" || q.prefix != "" && name == "xmlns:"+q.prefix {
			uri = p.attrValue(a.Value)
		}
	}
	d := p.doc
	if !first && uri == "" && !(q.local == "rss" && len(t.Attrs) > 0) && !(q.local == "rdf" && q.prefix != "") {
		return false
	}
	switch q.local {
	case "rss":
		p.root = rootRSS
		d.Format = "rss " + version(p, t, "2.0")
	case "rdf":
		p.root = rootRDF
		d.Format = "rss 1.0"
		for _, a := range t.Attrs {
			if bytes.Contains(a.Value, []byte("simple/0.9")) {
				d.Format = "rss 0.90"
			}
			p.rss = p.rss || len(a.Value) > 0 && bytes.HasPrefix(a.Name, []byte("xmlns")) && namespaceOf(string(a.Value)) == nsCore
		}
	case "feed", "entry":
		if q.local == "entry" && (!first || namespaceOf(uri) != nsAtom) {
			return false
		}
		p.root = rootAtom
		d.Format = "atom 1.0"
		if v := version(p, t, ""); v == "0.3" || v == "" && namespaceOf(uri) == nsAtom && !strings.Contains(strings.ToLower(uri), "2005/atom") || strings.HasPrefix(v, "0.") {
			d.Format = "atom 0.3"
		}
	case "channel":
		if !first {
			return false
		}
		p.root = rootRSS
		d.Format = "rss 2.0"
		if strings.Contains(uri, "rss1.1") {
			d.Format = "rss 1.1"
		}
	default:
		return false
	}
	return true
}

// version returns the version attribute of the root, or def where it is missing, empty or nonsense.
func version(p *parser, t *scan.Token, def string) string {
	for _, a := range t.Attrs {
		if strings.EqualFold(string(a.Name), "version") {
			v := p.attrValue(a.Value)
			if v == "" || len(v) > 5 || strings.Trim(v, "0123456789.") != "" {
				return def
			}
			if strings.HasPrefix(v, "2.") { // 2.01 and 2.1 were never more than typing errors
				return "2.0"
			}
			return v
		}
	}
	return def
}

// partial says where a document was cut off: the root was not closed. An item that was not closed either is left out.
func (p *parser) partial() {
	if at, ok := p.tok.RepeatedAttribute(); ok {
		p.doc.warn("an attribute is repeated in line %d; the first counts", p.tok.Line(at))
	}
	d := p.doc
	if p.unclosed != nil {
		d.warn("an end tag is missing: </%s>", clip(string(p.unclosed), 40))
	}
	if p.tooMany {
		d.warn("more than %d elements in one item: the rest of it was left out", maxNodes)
	}
	if d.Dropped > 0 {
		d.warn("more than %d items: %d were left out", p.maxItems, d.Dropped)
	}
	if p.closed {
		return
	}
	line := p.tok.Line(p.tok.Offset())
	if at, ok := p.tok.Cut(); ok {
		line = p.tok.Line(at)
	}
	where := "after the last item"
	if p.item >= 0 {
		where = "within an item, which is left out"
	} else if len(p.doc.Items) == 0 {
		where = "before the first item ended"
	}
	p.doc.Partial = "the document stops in line " + itoa(line) + ", " + where
	if p.item >= 0 {
		p.release(p.itemMark)
	}
}
