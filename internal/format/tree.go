package format

import (
	"bytes"
	"strings"

	"feedonce/internal/scan"
)

// A tree holds the elements of the prologue and of the item being read. Nodes of an item are dropped when it is done,
// so memory follows the largest item, not the document.
type tree struct {
	nodes []node
	attrs []scan.Attr
	text  []byte
}

// A node is an element that means something by its place. Elements inside a text (HTML that was not escaped) are no
// nodes: they are serialised into the text.
type node struct {
	ns         namespace
	name       string // local name, lower case
	first      int32  // index of the first child; 0 is none (the root is nobody's child)
	last       int32
	next       int32 // next sibling
	attr0      int32
	attr1      int32
	text0      int
	text1      int
	markup     bool   // the text has elements serialised in it, so all of it is HTML
	base, lang string // xml:base and xml:lang in force
}

// mark is a state of the tree to return to.
type mark struct{ nodes, attrs, text int }

func (t *tree) mark() mark { return mark{len(t.nodes), len(t.attrs), len(t.text)} }

func (t *tree) release(m mark) {
	t.nodes, t.attrs, t.text = t.nodes[:m.nodes], t.attrs[:m.attrs], t.text[:m.text]
}

// add appends a node, as the last child of parent, or apart from the tree if parent is negative.
func (t *tree) add(n node, parent int32, attrs []scan.Attr) int32 {
	n.attr0 = int32(len(t.attrs))
	t.attrs = append(t.attrs, attrs...)
	n.attr1 = int32(len(t.attrs))
	n.text0, n.text1 = len(t.text), len(t.text)
	id := int32(len(t.nodes))
	t.nodes = append(t.nodes, n)
	if parent >= 0 {
		p := &t.nodes[parent]
		if p.last != 0 {
			t.nodes[p.last].next = id
		} else {
			p.first = id
		}
		p.last = id
	}
	return id
}

// open makes room at the end of the text of node id, which is then appended to t.text and closed.
func (t *tree) open(id int32) {
	if n := &t.nodes[id]; n.text1 != len(t.text) {
		// Another node's text lies behind. Parents of nodes get no text after their first child, so this happens
		// once a node.
		old := t.text[n.text0:n.text1]
		n.text0 = len(t.text)
		t.text = append(t.text, old...)
	}
}

func (t *tree) close(id int32) { t.nodes[id].text1 = len(t.text) }

func (t *tree) raw(id int32) []byte {
	n := &t.nodes[id]
	return t.text[n.text0:n.text1]
}

// value returns the text of a node without the white space around it. Where there is none but an element, the text of
// that: somebody marked up what is no text.
func (t *tree) value(id int32) string {
	raw := bytes.TrimFunc(t.raw(id), blank)
	for depth := 0; len(raw) == 0 && t.nodes[id].first != 0 && depth < 5; depth++ {
		id = t.nodes[id].first
		raw = bytes.TrimFunc(t.raw(id), blank)
	}
	return string(raw)
}

// attr returns an attribute's value, decoded and trimmed. name is the local name, in lower case; the first of several
// counts, and one without prefix before one with.
func (p *parser) attr(id int32, name string) string {
	n := &p.nodes[id]
	var with []byte
	for _, a := range p.attrs[n.attr0:n.attr1] {
		local := a.Name
		if i := bytes.IndexByte(local, ':'); i >= 0 {
			if with == nil && strings.EqualFold(string(local[i+1:]), name) && !bytes.Equal(local[:i], []byte("xmlns")) {
				with = a.Value
			}
			continue
		}
		if strings.EqualFold(string(local), name) {
			return p.attrValue(a.Value)
		}
	}
	return p.attrValue(with)
}

// attrValue decodes an attribute's value; one that exceeds a bound fails the document.
func (p *parser) attrValue(raw []byte) string {
	if len(raw) == 0 {
		return ""
	}
	if bytes.IndexByte(raw, '&') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return strings.TrimFunc(string(raw), blank)
	}
	out, err := p.tok.AppendText(nil, raw)
	if err != nil && p.err == nil {
		p.err = err
	}
	return strings.TrimFunc(string(out), blank)
}
