package format

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"feedonce/internal/scan"
)

const (
	defaultMaxItems = 5000
	// maxNodes bounds the elements of one item, or of the prologue, that are looked at.
	maxNodes = 20_000
	// maxValues bounds each list of an item: links, categories, enclosures.
	maxValues = 500
	// maxWarnings bounds the list of warnings.
	maxWarnings = 20
)

// A parser reads one XML document. It keeps the stack of open elements, and so knows what an end tag closes, whatever
// else was forgotten: an end tag closes the innermost open element of its name and all in it, or nothing if there is
// none; a new item closes an item that is still open.
type parser struct {
	tree
	tok      *scan.Tokenizer
	doc      *Document
	stack    []frame
	bindings []binding
	names    map[string]qname
	maxItems int
	root     rootKind
	rss      bool  // an RDF document says it is RSS
	feed     int32 // the node of the channel or feed; -1 before
	item     int   // stack index of the open item; -1 outside
	itemMark mark
	closed   bool   // the root was closed
	tooMany  bool   // elements of an item were left out
	unclosed []byte // the first element whose end tag is missing
	err      error
}

type rootKind uint8

const (
	rootNone rootKind = iota
	rootRSS
	rootRDF
	rootAtom
)

type mode uint8

const (
	inTree   mode = iota // child elements become nodes
	inMarkup             // child elements are serialised into the text of the node
	inSkip               // nothing of it is kept
)

// A frame is an open element.
type frame struct {
	name     []byte // as written
	node     int32  // the node it is, or whose text it is serialised into
	mode     mode
	close    string // the end tag to serialise; "" for a node's own element
	escape   bool   // character data is serialised as well
	xml      bool   // in content of another XML vocabulary, where "entry" is no item
	bindings int    // how many bindings were in force outside
	base     string
	lang     string
}

// A qname is an element's name, taken apart.
type qname struct {
	prefix string
	local  string // lower case
}

func (p *parser) qname(raw []byte) qname {
	if q, ok := p.names[string(raw)]; ok {
		return q
	}
	prefix, local, ok := strings.Cut(strings.ToLower(string(raw)), ":")
	if !ok {
		prefix, local = "", prefix
	}
	q := qname{prefix, local}
	if len(p.names) < 1000 {
		p.names[string(raw)] = q
	}
	return q
}

// warn notes a fault, once, up to a limit.
func (d *Document) warn(format string, args ...any) {
	if len(d.Warnings) >= maxWarnings {
		return
	}
	if s := fmt.Sprintf(format, args...); !slices.Contains(d.Warnings, s) {
		d.Warnings = append(d.Warnings, s)
	}
}

// read reads the document from its root on.
func (p *parser) read() error {
	var t scan.Token
	for !p.closed && p.err == nil {
		err := p.tok.Next(&t)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		switch t.Kind {
		case scan.StartTag:
			p.start(&t)
		case scan.EndTag:
			p.end(t.Name)
		case scan.TextToken:
			p.chars(t.Data, true)
		case scan.CDATA:
			p.chars(t.Data, false)
		}
	}
	return p.err
}

// start handles a start tag.
func (p *parser) start(t *scan.Token) {
	q := p.qname(t.Name)
	outer := frame{node: -1}
	if n := len(p.stack); n > 0 {
		outer = p.stack[n-1]
	}
	f := frame{name: t.Name, node: outer.node, mode: outer.mode, xml: outer.xml, bindings: len(p.bindings), base: outer.base, lang: outer.lang}
	if len(t.Attrs) > 0 {
		p.declare(t, &f)
	}
	ns := lookup(p.bindings, q.prefix)
	if p.item >= 0 && !outer.xml && !t.SelfClosed && p.endsItem(q, ns, t.Name) {
		p.pop(p.item)
		p.start(t)
		return
	}
	if p.item < 0 && (itemName(q, ns, p.root) || len(p.stack) == 0 && q.local == "entry") {
		if outer.mode == inMarkup { // the end tag of the feed's title or description was forgotten
			p.pop(p.textFrame())
			p.start(t)
			return
		}
		p.startItem(t, f, ns, q)
		return
	}
	if p.endsField(q, ns) {
		p.pop(p.item + 1)
		p.start(t)
		return
	}
	switch outer.mode {
	case inMarkup:
		if i := p.endsText(q, ns); i >= 0 {
			p.pop(i)
			p.start(t)
			return
		}
		p.startMarkup(t, f, ns, q)
		return
	case inTree:
		if len(p.nodes)-p.itemMark.nodes >= maxNodes {
			p.tooMany = true
			f.mode = inSkip
			break
		}
		n := node{ns: ns, name: q.local, base: f.base, lang: f.lang}
		f.node = p.add(n, outer.node, t.Attrs)
		f.mode = modeOf(ns, q.local)
		if f.mode == inMarkup {
			typ := strings.ToLower(p.attr(f.node, "type"))
			f.xml = q.local == "content" && xmlMedia(typ)
			f.escape = xhtmlType(typ)
		}
		if p.feed < 0 && (q.local == "channel" || q.local == "feed") {
			p.feed = f.node
		}
	}
	p.push(t, f)
}

func (p *parser) push(t *scan.Token, f frame) {
	p.stack = append(p.stack, f)
	if err := p.tok.CheckDepth(len(p.stack), t.Start); err != nil && p.err == nil {
		p.err = err
	}
	if t.SelfClosed {
		p.pop(len(p.stack) - 1)
	}
}

// declare reads name spaces, xml:base and xml:lang of a start tag.
func (p *parser) declare(t *scan.Token, f *frame) {
	for _, a := range t.Attrs {
		if len(a.Name) < 5 || a.Name[0] != 'x' && a.Name[0] != 'X' {
			continue
		}
		switch {
		case bytes.Equal(a.Name, []byte("xmlns")):
			p.bind("", a.Value)
		case bytes.HasPrefix(a.Name, []byte("xmlns:")):
			p.bind(strings.ToLower(string(a.Name[6:])), a.Value)
		case bytes.EqualFold(a.Name, []byte("xml:base")):
			if b := cleanURL(p.attrValue(a.Value)); len(b) < maxURL {
				f.base = resolve(f.base, b)
			}
		case bytes.EqualFold(a.Name, []byte("xml:lang")):
			f.lang = p.attrValue(a.Value)
		}
	}
}

func (p *parser) bind(prefix string, uri []byte) {
	p.bindings = append(p.bindings, binding{prefix, namespaceOf(p.attrValue(uri))})
}

// itemName reports whether an element is an item.
func itemName(q qname, ns namespace, root rootKind) bool {
	switch q.local {
	case "item":
		return ns == nsCore || ns == nsAtom
	case "entry":
		return ns == nsAtom || ns == nsCore && root == rootAtom
	}
	return false
}

// endsItem reports whether a start tag within an item begins the next one: the end tag was forgotten.
func (p *parser) endsItem(q qname, ns namespace, raw []byte) bool {
	return itemName(q, ns, p.root) || (q.local == "item" || q.local == "entry") && bytes.Equal(raw, p.stack[p.item].name)
}

// endsField reports whether a start tag is the next field of an item whose field before was not closed: fields that
// are words, numbers or URLs have no elements in them.
func (p *parser) endsField(q qname, ns namespace) bool {
	if p.item < 0 || len(p.stack) != p.item+2 || p.stack[p.item+1].mode != inTree {
		return false
	}
	n := &p.nodes[p.stack[p.item+1].node]
	if n.ns != nsCore && n.ns != nsAtom {
		return false
	}
	switch n.name {
	case "guid", "id", "link", "pubdate", "published", "updated", "category", "comments", "enclosure":
	default:
		return false
	}
	switch ns {
	case nsContent, nsDC, nsITunes, nsMedia, nsFeedburner:
		return true
	case nsCore, nsAtom:
		switch q.local {
		case "title", "description", "summary", "content", "author", "guid", "id", "link", "pubdate", "published", "updated",
			"category", "comments", "enclosure", "source":
			return true
		}
	}
	return false
}

func (p *parser) startItem(t *scan.Token, f frame, ns namespace, q qname) {
	p.item = len(p.stack)
	p.itemMark = p.mark()
	if len(p.doc.Items) >= p.maxItems {
		f.mode = inSkip
	} else {
		f.mode = inTree
		f.node = p.add(node{ns: ns, name: q.local, base: f.base, lang: f.lang}, -1, t.Attrs)
	}
	p.push(t, f)
}

// modeOf says what the children of an element are.
func modeOf(ns namespace, name string) mode {
	switch ns {
	case nsCore, nsAtom:
		switch name {
		case "title", "description", "summary", "content", "tagline", "subtitle", "info", "copyright", "rights", "body":
			return inMarkup
		}
	case nsContent:
		if name == "encoded" {
			return inMarkup
		}
	case nsXHTML:
		return inMarkup
	case nsITunes:
		if name == "summary" || name == "subtitle" || name == "title" {
			return inMarkup
		}
	case nsMedia, nsDC, nsDCTerms:
		if name == "description" || name == "title" || name == "abstract" {
			return inMarkup
		}
	}
	return inTree
}

// end handles an end tag.
func (p *parser) end(name []byte) {
	for i := len(p.stack) - 1; i >= 0; i-- {
		if bytes.EqualFold(p.stack[i].name, name) {
			if top := p.stack[len(p.stack)-1]; i < len(p.stack)-1 && top.close == "" && p.unclosed == nil {
				p.unclosed = top.name
			}
			p.pop(i)
			return
		}
	}
}

// textFrame returns the stack index of the element whose text is being serialised.
func (p *parser) textFrame() int {
	i := len(p.stack) - 1
	for p.stack[i].close != "" {
		i--
	}
	return i
}

// pop closes the elements from stack index i on.
func (p *parser) pop(i int) {
	for len(p.stack) > i {
		f := &p.stack[len(p.stack)-1]
		if f.mode == inMarkup && f.close != "" && f.close != wrapper {
			p.open(f.node)
			p.text = append(p.text, f.close...)
			p.tree.close(f.node)
		}
		p.bindings = p.bindings[:f.bindings]
		p.stack = p.stack[:len(p.stack)-1]
		if len(p.stack) == p.item {
			p.endItem()
		}
	}
	if len(p.stack) == 0 {
		p.closed = true
	}
}

func (p *parser) endItem() {
	p.item = -1
	if len(p.doc.Items) >= p.maxItems {
		p.doc.Dropped++
	} else {
		p.doc.Items = append(p.doc.Items, p.buildItem(int32(p.itemMark.nodes)))
	}
	p.release(p.itemMark)
	p.itemMark = mark{}
}

// chars handles character data.
func (p *parser) chars(data []byte, references bool) {
	if len(p.stack) == 0 {
		return
	}
	f := &p.stack[len(p.stack)-1]
	if f.node < 0 || f.mode == inSkip {
		return
	}
	if f.mode == inTree && p.nodes[f.node].first != 0 {
		return // between child elements
	}
	p.open(f.node)
	start := len(p.text)
	if references {
		var err error
		if p.text, err = p.tok.AppendText(p.text, data); err != nil && p.err == nil {
			p.err = err
		}
	} else {
		p.text = scan.AppendLiteral(p.text, data)
	}
	if f.escape {
		p.text = escapeFrom(p.text, start)
	}
	p.tree.close(f.node)
}
