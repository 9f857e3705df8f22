package format

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"feedonce/internal/scan"
)

// textType is what the text of a node is.
type textType uint8

const (
	textPlain textType = iota // characters
	textHTML                  // HTML
	textOther                 // of no use: pictures in base64, foreign XML
)

// construct returns the text of a title, summary, content or the like, and what it is: Atom says it in attributes
// (RFC 4287 section 3.1, Atom 0.3 section 3.1), RSS means HTML.
func (p *parser) construct(id int32) (string, textType) {
	n := &p.nodes[id]
	text := p.value(id)
	if n.markup {
		return text, textHTML
	}
	typ := strings.ToLower(p.attr(id, "type"))
	if strings.EqualFold(p.attr(id, "mode"), "base64") {
		return decodedText(text, typ)
	}
	if i := strings.IndexByte(typ, ';'); i >= 0 {
		typ = strings.TrimSpace(typ[:i])
	}
	switch typ {
	case "text", "text/plain":
		return text, textPlain
	case "html", "text/html", "xhtml", "application/xhtml+xml":
		return text, textHTML
	case "":
		if n.ns == nsAtom || n.ns == nsCore && p.root == rootAtom {
			return text, textPlain
		}
		return text, textHTML
	}
	switch {
	case isMedia(typ):
		return "", textOther
	case typ == "application/octet-stream": // RFC 4287 section 4.1.3.3: any other type is base64
		return decodedText(text, typ)
	}
	return text, textPlain
}

// decodedText decodes base64 that is a text.
func decodedText(text, typ string) (string, textType) {
	out := decodeBase64(text)
	if len(out) == 0 || !utf8.Valid(out) || isMedia(typ) {
		return "", textOther
	}
	s := strings.TrimFunc(string(scan.Decode(out, "").Bytes), blank)
	if strings.Contains(typ, "html") {
		return s, textHTML
	}
	return s, textPlain
}

// html returns the text of a node as HTML. Plain text that has tags in it is taken for the HTML it was meant to be:
// publishers forget to say so more often than they write about tags.
func (p *parser) html(id int32) string {
	text, typ := p.construct(id)
	switch {
	case typ == textOther:
		return ""
	case typ == textHTML || looksHTML(text):
		return text
	}
	return plainToHTML(text)
}

// plainOrHTML returns as HTML a text that is defined as plain, such as media:description.
func (p *parser) plainOrHTML(id int32) string {
	text := p.value(id)
	if p.nodes[id].markup || p.attr(id, "type") == "html" || looksHTML(text) {
		return text
	}
	return plainToHTML(text)
}

// title returns the text of a node as one line of plain text.
func (p *parser) title(id int32) string {
	text, typ := p.construct(id)
	switch {
	case typ == textOther:
		return ""
	case typ == textHTML || looksHTML(text), p.attr(id, "type") == "":
		// Without a type, Atom means plain text, and publishers mean what they do in RSS: "AT&amp;amp;T".
		return htmlToLine(text)
	}
	return oneLine(text)
}

func xhtmlType(typ string) bool { return typ == "xhtml" || typ == "application/xhtml+xml" }

// xmlMedia reports whether a media type is XML other than XHTML.
func xmlMedia(typ string) bool {
	return (strings.HasSuffix(typ, "+xml") || strings.HasSuffix(typ, "/xml")) && !xhtmlType(typ)
}

func isMedia(typ string) bool {
	return strings.HasPrefix(typ, "audio/") || strings.HasPrefix(typ, "video/") || strings.HasPrefix(typ, "image/")
}

// decodeBase64 decodes what Atom says is base64; nil if it is not.
func decodeBase64(s string) []byte {
	s = strings.Join(strings.Fields(s), "")
	out, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		out, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	}
	if err != nil {
		return nil
	}
	return out
}
