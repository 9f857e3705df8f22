package format

import (
	"bytes"
	"strings"

	"feedonce/internal/scan"
)

// voidElements have no end tag in HTML (WHATWG HTML 13.1.2), and often none in feeds.
var voidElements = map[string]bool{
	"area": true, "base": true, "br": true, "col": true, "embed": true, "hr": true, "img": true, "input": true,
	"param": true, "track": true, "wbr": true,
}

// impliedEnd are elements that end where another of them begins.
var impliedEnd = map[string]bool{"p": true, "li": true, "dt": true, "dd": true, "tr": true, "td": true, "th": true, "option": true}

// startMarkup serialises a start tag into the text of the node it is in.
func (p *parser) startMarkup(t *scan.Token, f frame, ns namespace, q qname) {
	top := &p.stack[len(p.stack)-1]
	if impliedEnd[q.local] && top.close != "" && bytes.EqualFold(top.name, t.Name) {
		p.pop(len(p.stack) - 1)
		p.start(t)
		return
	}
	n := &p.nodes[f.node]
	if top.close == "" && !n.markup {
		n.markup = true
		if q.local == "div" && len(bytes.TrimSpace(p.raw(f.node))) == 0 {
			// The div of an XHTML construct is not part of the content (RFC 4287 section 3.1.1.3). Some put
			// escaped HTML into one.
			if typ := p.attr(f.node, "type"); typ == "xhtml" || typ == "html" {
				f.close, f.escape = wrapper, typ == "xhtml"
				p.push(t, f)
				return
			}
		}
	}
	name := string(t.Name)
	if ns == nsXHTML { // or SVG or MathML, which HTML knows without prefix
		name = name[strings.IndexByte(name, ':')+1:]
	}
	p.open(f.node)
	b := append(append(p.text, '<'), name...)
	for _, a := range t.Attrs {
		if bytes.HasPrefix(a.Name, []byte("xmlns")) {
			continue
		}
		b = append(append(append(b, ' '), a.Name...), '=', '"')
		start := len(b)
		var err error
		if b, err = p.tok.AppendText(b, a.Value); err != nil && p.err == nil {
			p.err = err
		}
		b = append(escapeFrom(b, start), '"')
	}
	void := voidElements[q.local]
	if void {
		b = append(b, '/')
	}
	p.text = append(b, '>')
	p.tree.close(f.node)
	if void {
		p.bindings = p.bindings[:f.bindings]
		return
	}
	f.close, f.escape = "</"+name+">", true
	p.push(t, f)
}

// wrapper marks a frame in markup that is not serialised.
const wrapper = "-"

// endsText returns the stack index of the text element that a start tag ends, or -1. A field of an item or channel
// within an RSS title or description is no markup: the end tag was forgotten.
func (p *parser) endsText(q qname, ns namespace) int {
	if p.root == rootAtom {
		return -1
	}
	i := p.textFrame()
	n := &p.nodes[p.stack[i].node]
	field := p.item >= 0 && i == p.item+1 || p.item < 0 && i > 0 && p.stack[i-1].node == p.feed
	if n.ns != nsCore || !field {
		return -1
	}
	switch ns {
	case nsCore:
		switch q.local {
		case "guid", "pubdate", "description", "enclosure", "comments", "language", "lastbuilddate":
			return i
		case "link":
			if n.name == "title" {
				return i
			}
		}
	case nsContent, nsDC, nsITunes, nsMedia, nsFeedburner:
		return i
	}
	return -1
}

// escapeFrom escapes the characters of b from start on that mean something in HTML.
func escapeFrom(b []byte, start int) []byte {
	if !bytes.ContainsAny(b[start:], `&<>"`) {
		return b
	}
	s := string(b[start:])
	return append(b[:start], escaper.Replace(s)...)
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
