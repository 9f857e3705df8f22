package format

import (
	"bytes"
	"strconv"
	"strings"

	"feedonce/internal/scan"
)

func itoa(n int) string { return strconv.Itoa(n) }

// magic are the beginnings of files that are no text.
var magic = []struct{ prefix, found string }{
	{"%PDF-", "a PDF file"},
	{"\x1F\x8B", "gzip-compressed data"},
	{"PK\x03\x04", "a ZIP archive"},
	{"\x89PNG", "a PNG picture"},
	{"\xFF\xD8\xFF", "a JPEG picture"},
	{"GIF8", "a GIF picture"},
	{"RIFF", "a RIFF file (sound, video or a WebP picture)"},
	{"ID3", "an MP3 file"},
	{"OggS", "an Ogg file"},
	{"\x7FELF", "a program"},
}

// binary returns what a body is that is certainly no text in any encoding, or "".
func binary(body []byte) string {
	head := body[:min(len(body), 512)]
	for _, m := range magic {
		if bytes.HasPrefix(head, []byte(m.prefix)) {
			return m.found
		}
	}
	controls := 0
	for _, c := range head {
		if c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != 0x1B {
			controls++
		}
	}
	// UTF-16 and UTF-32 are full of zeros too, but they have a mark, or a feed's "<" or "{".
	marked := bytes.HasPrefix(head, []byte("\xFF\xFE")) || bytes.HasPrefix(head, []byte("\xFE\xFF"))
	if !marked && controls*20 > len(head) && bytes.IndexByte(head, '{') < 0 && bytes.IndexByte(body, '<') < 0 {
		return "binary data"
	}
	return ""
}

func isHTMLDoctype(data []byte) bool {
	f := strings.Fields(strings.ToLower(string(data[:min(len(data), 200)])))
	return len(f) > 1 && f[0] == "doctype" && f[1] == "html"
}

// htmlElements are the elements that show that a document without root element is a web page.
var htmlElements = tagSet("html head body meta title script style div p table link a h1 h2 h3 center span img br form ul ol iframe main section noscript b i font hr pre")

// known are XML vocabularies that are no feeds, by their root element.
var known = map[string]string{
	"opml":         "an OPML subscription list",
	"urlset":       "a sitemap",
	"sitemapindex": "a sitemap index",
	"service":      "an AtomPub service document",
	"kml":          "a KML map",
	"svg":          "an SVG picture",
	"rsd":          "a description of blogging services (RSD)",
	"xsl":          "an XSL style sheet", "stylesheet": "an XSL style sheet", "transform": "an XSL style sheet",
	"error":    "an error message in XML",
	"envelope": "a SOAP message",
}

// notFeed says what a document is whose first element is first.
func notFeed(in []byte, first string, tok *scan.Tokenizer) error {
	if found, ok := known[first]; ok {
		return &NotFeedError{Found: found}
	}
	if htmlElements[first] {
		if title := htmlTitle(in); title != "" {
			return &NotFeedError{Found: "an HTML page titled “" + clip(title, 80) + "”", HTML: true}
		}
		return &NotFeedError{Found: "an HTML page without a title", HTML: true}
	}
	if at, ok := tok.Cut(); ok && first == "" {
		return &NotFeedError{Found: "XML that stops in line " + itoa(tok.Line(at)) + ": unexpected end of input"}
	}
	if first != "" {
		return &NotFeedError{Found: "an XML document with the root element <" + clip(first, 40) + ">"}
	}
	trimmed := bytes.TrimFunc(in, blank)
	if bytes.HasPrefix(trimmed, []byte("<")) {
		return &NotFeedError{Found: "XML that stops in line " + itoa(tok.Line(len(in))) + ": there is no element in it"}
	}
	return &NotFeedError{Found: "plain text: “" + clip(oneLine(string(trimmed[:min(len(trimmed), 400)])), 60) + "”"}
}

// htmlTitle returns the title of a web page, "" if it has none near its beginning.
func htmlTitle(in []byte) string {
	in = in[:min(len(in), 64<<10)]
	tok := scan.NewTokenizer(in, scan.DefaultLimits)
	var t scan.Token
	for tok.Next(&t) == nil {
		if t.Kind != scan.StartTag || !strings.EqualFold(string(t.Name), "title") {
			continue
		}
		rest := in[t.End:]
		if n := bytes.IndexByte(rest, '<'); n >= 0 {
			rest = rest[:n]
		}
		return htmlToLine(strings.ToValidUTF8(string(rest), ""))
	}
	return ""
}
