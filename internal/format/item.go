package format

import (
	"strconv"
	"strings"
)

// nothingIdentifies is the reason for an item in which nothing says what it is.
const nothingIdentifies = "nothing in it identifies an article"

// A pick is the best value of a field so far: the lowest rank wins, and the first not empty within a rank.
type pick struct {
	value string
	rank  int
}

func (f *pick) offer(rank int, value string) {
	if value != "" && (f.value == "" || rank < f.rank) {
		f.value, f.rank = value, rank
	}
}

// A datePick is a pick of dates: one that can be read beats one that cannot.
type datePick struct {
	date Date
	rank int
}

func (f *datePick) offer(rank int, text string) {
	if text == "" {
		return
	}
	if f.date.Text != "" && (rank >= f.rank && !f.date.Time.IsZero()) {
		return
	}
	d := readDate(text)
	if f.date.Text == "" || !d.Time.IsZero() {
		f.date, f.rank = d, rank
	}
}

// An itemBuilder collects the fields of one item from its child elements. The same code reads all XML formats: where
// a vocabulary says the same in other words, the rank of a field says who is believed.
type itemBuilder struct {
	p    *parser
	item Item

	guid, orig, title, summary, content, comments, source pick
	published, updated                                    datePick
	permalink                                             bool // of the guid picked
	contentBase, summaryBase                              string
	people, creators, podcasters, sourcePeople            []string
	media, thumbnails                                     []Enclosure
	lang                                                  string
	had                                                   uint16 // which of single were there
}

// buildItem makes an item of an item's or entry's node.
func (p *parser) buildItem(id int32) Item {
	b := itemBuilder{p: p}
	n := p.nodes[id]
	b.item.Base, b.item.Lang = n.base, n.lang
	if p.root == rootRDF {
		b.offerGUID(2, p.attr(id, "about"), true)
	}
	for c := n.first; c != 0; c = p.nodes[c].next {
		b.child(c)
	}
	return b.finish()
}

func (b *itemBuilder) child(c int32) {
	p := b.p
	n := &p.nodes[c]
	switch n.ns {
	case nsCore, nsAtom:
		b.core(c, n)
	case nsDC, nsDCTerms:
		b.dublinCore(c, n)
	case nsContent:
		if n.name == "encoded" {
			b.offerContent(0, c)
		}
	case nsXHTML:
		b.offerContent(1, c)
	case nsITunes:
		switch n.name {
		case "summary":
			b.summary.offer(3, p.plainOrHTML(c))
		case "subtitle":
			b.summary.offer(5, p.plainOrHTML(c))
		case "author":
			b.podcasters = addName(b.podcasters, oneLine(p.value(c)))
		case "title":
			b.title.offer(4, p.title(c))
		case "category":
			b.podcastCategory(c)
		case "keywords":
			for k := range strings.SplitSeq(p.value(c), ",") {
				b.category(k)
			}
		}
	case nsFeedburner:
		if n.name == "origlink" {
			b.orig.offer(0, cleanURL(p.value(c)))
		}
	case nsMedia:
		b.mediaElement(c, n, 0)
	}
}

// core reads the elements of RSS and Atom.
func (b *itemBuilder) core(c int32, n *node) {
	p := b.p
	foreign := 0 // Atom in an RSS item says it second
	if n.ns == nsAtom && p.root != rootAtom {
		foreign = 1
	}
	b.noteRepeated(c, n)
	switch n.name {
	case "guid":
		b.offerGUID(0, p.value(c), !strings.EqualFold(p.attr(c, "ispermalink"), "false"))
	case "id":
		b.offerGUID(foreign, p.value(c), true)
	case "link":
		b.linkElement(c, n)
	case "title":
		b.title.offer(foreign, p.title(c))
	case "description":
		b.offerSummary(0, c)
	case "summary", "abstract":
		b.offerSummary(foreign, c)
	case "content":
		b.contentElement(c)
	case "body", "fullitem":
		b.offerContent(2, c)
	case "author":
		name := p.person(c)
		if name == "" {
			name = mailboxName(p.value(c))
		}
		b.people = addName(b.people, name)
	case "category":
		v := p.attr(c, "term")
		if v == "" {
			v = p.value(c)
		}
		if v == "" {
			v = p.attr(c, "label")
		}
		b.category(v)
	case "enclosure":
		b.enclosure(&b.item.Enclosures, resolve(n.base, cleanURL(p.attr(c, "url"))), p.attr(c, "type"), p.attr(c, "length"))
	case "pubdate":
		b.published.offer(0, p.value(c))
	case "published", "issued":
		b.published.offer(foreign, p.value(c))
	case "created", "date", "publicationdate":
		b.published.offer(2, p.value(c))
	case "updated", "modified":
		b.updated.offer(foreign, p.value(c))
	case "lastbuilddate":
		b.updated.offer(2, p.value(c))
	case "comments":
		b.comments.offer(0, resolve(n.base, cleanURL(p.value(c))))
	case "source":
		b.sourceElement(c, n)
	case "origlink":
		b.orig.offer(1, cleanURL(p.value(c)))
	}
}

// single are the elements an item should have once.
var single = map[string]uint16{
	"guid": 1, "id": 2, "title": 4, "pubdate": 8, "published": 16, "updated": 32, "description": 64, "summary": 128,
	"content": 256, "issued": 512, "modified": 1024, "link": 2048,
}

// noteRepeated warns of an element that should not be repeated: whoever compares two versions of an item must know
// that another parser may take the other one.
func (b *itemBuilder) noteRepeated(c int32, n *node) {
	bit := single[n.name]
	if bit == 0 || n.name == "link" && (n.ns == nsAtom || b.p.attr(c, "href") != "") {
		return
	}
	if n.ns == nsAtom && b.p.root != rootAtom {
		return // says in Atom what RSS says as well
	}
	if b.had&bit != 0 {
		b.p.doc.warn("an item has several <%s>: the first that is not empty counts", n.name)
	}
	b.had |= bit
}

func (b *itemBuilder) dublinCore(c int32, n *node) {
	p := b.p
	switch n.name {
	case "title":
		b.title.offer(2, p.title(c))
	case "description", "abstract":
		b.summary.offer(2, p.html(c))
	case "creator", "author":
		b.creators = addName(b.creators, mailboxName(htmlToLine(p.value(c))))
	case "subject":
		b.category(p.value(c))
	case "date", "issued":
		b.published.offer(1, p.value(c))
	case "created", "available":
		b.published.offer(3, p.value(c))
	case "modified":
		b.updated.offer(1, p.value(c))
	case "identifier":
		b.offerGUID(3, p.value(c), true)
	case "language":
		b.lang = p.value(c)
	}
}

// offerGUID offers an identity. permalink says that it may be the item's page if it has the shape of one.
func (b *itemBuilder) offerGUID(rank int, value string, permalink bool) {
	before := b.guid
	if b.guid.offer(rank, value); b.guid != before {
		b.permalink = permalink && web(value)
	}
}

func (b *itemBuilder) offerContent(rank int, c int32) {
	before := b.content
	if b.content.offer(rank, b.p.html(c)); b.content != before {
		b.contentBase = b.p.nodes[c].base
	}
}

func (b *itemBuilder) offerSummary(rank int, c int32) {
	before := b.summary
	if b.summary.offer(rank, b.p.html(c)); b.summary != before {
		b.summaryBase = b.p.nodes[c].base
	}
}

// linkElement reads a link of RSS (text) or Atom (attributes), wherever it stands.
func (b *itemBuilder) linkElement(c int32, n *node) {
	p := b.p
	l, ok := p.link(c)
	if !ok || len(b.item.Links) >= maxValues {
		return
	}
	if l.Rel == "enclosure" {
		b.enclosure(&b.item.Enclosures, l.Href, l.Type, p.attr(c, "length"))
	}
	b.item.Links = append(b.item.Links, l)
}

// contentElement reads Atom's content, which may be elsewhere.
func (b *itemBuilder) contentElement(c int32) {
	p := b.p
	src := cleanURL(p.attr(c, "src"))
	if src == "" {
		b.offerContent(1, c)
		return
	}
	typ := p.attr(c, "type")
	src = resolve(p.nodes[c].base, src)
	if isMedia(typ) {
		b.enclosure(&b.item.Enclosures, src, typ, "")
	}
	if len(b.item.Links) < maxValues {
		b.item.Links = append(b.item.Links, Link{Rel: "content", Href: src, Type: typ})
	}
}

// sourceElement reads where an item was copied from: RSS has a URL, Atom the head of a feed.
func (b *itemBuilder) sourceElement(c int32, n *node) {
	p := b.p
	if u := cleanURL(p.attr(c, "url")); u != "" {
		b.source.offer(0, resolve(n.base, u))
	}
	for k := n.first; k != 0; k = p.nodes[k].next {
		switch p.nodes[k].name {
		case "id":
			if v := p.value(k); web(v) {
				b.source.offer(2, v)
			}
		case "link":
			if l, ok := p.link(k); ok && l.Rel == "self" {
				b.source.offer(0, l.Href)
			} else if ok && l.Rel == "alternate" {
				b.source.offer(3, l.Href)
			}
		case "author":
			b.sourcePeople = addName(b.sourcePeople, p.person(k))
		}
	}
}

// podcastCategory reads a category of iTunes, which may have others in it.
func (b *itemBuilder) podcastCategory(c int32) {
	p := b.p
	b.category(p.attr(c, "text"))
	for k := p.nodes[c].first; k != 0; k = p.nodes[k].next {
		b.category(p.attr(k, "text"))
	}
}

func (b *itemBuilder) category(v string) {
	v = oneLine(v)
	if v == "" || len(b.item.Categories) >= maxValues {
		return
	}
	b.item.Categories = addName(b.item.Categories, v)
}

// finish decides between what was collected.
func (b *itemBuilder) finish() Item {
	it := b.item
	it.GUID, it.Permalink = b.guid.value, b.guid.value != "" && b.permalink
	it.OrigLink, it.Comments, it.Source = b.orig.value, b.comments.value, b.source.value
	it.Title, it.Summary, it.Content = b.title.value, b.summary.value, b.content.value
	for _, base := range []string{b.contentBase, b.summaryBase} {
		if base != "" {
			it.Base = base
			break
		}
	}
	if b.lang != "" {
		it.Lang = b.lang
	}
	it.Published, it.Updated = b.published.date, b.updated.date
	for _, e := range b.media {
		b.enclosure(&it.Enclosures, e.URL, e.Type, strconv.FormatInt(e.Length, 10))
	}
	if len(it.Enclosures) == 0 {
		it.Enclosures = b.thumbnails
	}
	for _, names := range [][]string{b.creators, b.people, b.podcasters, b.sourcePeople} {
		if len(names) > 0 {
			it.Author = strings.Join(names, ", ")
			break
		}
	}
	if it.Comments == "" {
		for _, l := range it.Links {
			if l.Rel == "replies" && (l.Type == "" || strings.Contains(l.Type, "html")) {
				it.Comments = l.Href
				break
			}
		}
	}
	return it
}
