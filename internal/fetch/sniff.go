package fetch

import (
	"bytes"
	"strings"
)

// sniffLen is how many bytes tell text from compressed data.
const sniffLen = 64

// LooksLikeFeed says whether a document begins like RSS, RDF, Atom or a JSON Feed. It looks at the first element
// after declarations and comments, past byte order marks, in UTF-8 and UTF-16, and parses nothing; a true answer is
// a reason to parse, no promise.
func LooksLikeFeed(doc []byte) bool {
	doc = narrow(doc)
	if bytes.HasPrefix(doc, []byte("{")) {
		return bytes.Contains(doc, []byte("jsonfeed.org/version")) || bytes.Contains(doc, []byte(`jsonfeed.org\/version`))
	}
	switch name := rootElement(doc); name {
	case "rss", "feed", "rdf":
		return true
	case "html", "head", "body":
		return false
	default:
		// Warnings of the publisher's software may stand before the feed.
		return name != "" && bytes.Contains(doc[:min(len(doc), 4<<10)], []byte("<rss "))
	}
}

// rootElement is the local name of the first element, in lower case; "" where there is none.
func rootElement(doc []byte) string {
	for {
		doc = bytes.TrimLeft(doc, " \t\r\n\x00")
		if !bytes.HasPrefix(doc, []byte("<")) {
			// Text before the first element: ill-formed, and yet met with.
			i := bytes.IndexByte(doc[:min(len(doc), 1<<10)], '<')
			if i < 0 {
				return ""
			}
			doc = doc[i:]
		}
		var end string
		switch {
		case bytes.HasPrefix(doc, []byte("<!--")):
			end = "-->"
		case bytes.HasPrefix(doc, []byte("<?")):
			end = "?>"
		case bytes.HasPrefix(doc, []byte("<!")):
			if name := doc[2:min(len(doc), 40)]; len(name) >= 12 && strings.EqualFold(string(name[:7]), "doctype") {
				root, _, _ := bytes.Cut(bytes.TrimLeft(name[7:], " \t\r\n"), []byte(">"))
				if root = bytes.TrimRight(root, " \t\r\n"); len(root) >= 4 && strings.EqualFold(string(root[:4]), "html") {
					return "html"
				}
			}
			end = ">"
			if open, gt := bytes.IndexByte(doc, '['), bytes.IndexByte(doc, '>'); open >= 0 && open < gt {
				end = "]>"
			}
		default:
			name := doc[1:min(len(doc), 100)]
			if i := bytes.IndexAny(name, " \t\r\n/>"); i >= 0 {
				name = name[:i]
			}
			if i := bytes.IndexByte(name, ':'); i >= 0 {
				name = name[i+1:]
			}
			return strings.ToLower(string(name))
		}
		i := bytes.Index(doc, []byte(end))
		if i < 0 {
			return ""
		}
		doc = doc[i+len(end):]
	}
}

// narrow drops a byte order mark and white space, and makes UTF-16 of ASCII characters readable as bytes.
func narrow(doc []byte) []byte {
	if n := len(doc); n >= 4 && (doc[0] == 0xff && doc[1] == 0xfe || doc[0] == 0xfe && doc[1] == 0xff ||
		doc[0] == '<' && doc[1] == 0 || doc[0] == 0 && doc[1] == '<') {
		doc = bytes.ReplaceAll(doc[:min(n, 8<<10)], []byte{0}, nil)
		doc = bytes.TrimLeft(doc, "\xff\xfe")
	}
	doc = bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf"))
	return bytes.TrimLeft(doc, " \t\r\n")
}

// looksLikeText says whether a body begins like markup or JSON. No compressed stream begins with these, but by an
// accident less likely than a wrong label.
func looksLikeText(head []byte) bool {
	head = narrow(head[:min(len(head), sniffLen)])
	for _, p := range []string{"<?xml", "<rss", "<feed", "<rdf:", "<html", "<!doctype", "<!--"} {
		if len(head) >= len(p) && strings.EqualFold(string(head[:len(p)]), p) {
			return true
		}
	}
	if bytes.HasPrefix(head, []byte("{")) {
		return bytes.HasPrefix(bytes.TrimLeft(head[1:], " \t\r\n"), []byte(`"`))
	}
	return false
}
