package outfeed

import (
	"encoding/xml"
	"fmt"
	"time"
)

// The Atom form: RFC 4287, with paging (RFC 5005 section 3) and deleted entries (RFC 6721).

const (
	nsAtom    = "http://www.w3.org/2005/Atom"
	nsDeleted = "http://purl.org/atompub/tombstones/1.0"
)

type atomFeed struct {
	XMLName   xml.Name    `xml:"feed"`
	NS        string      `xml:"xmlns,attr"`
	NSDeleted string      `xml:"xmlns:at,attr"`
	ID        string      `xml:"id"`
	Title     string      `xml:"title"`
	Updated   string      `xml:"updated"`
	Author    atomPerson  `xml:"author"` // of every entry without one: RFC 4287 4.1.1 wants it
	Generator string      `xml:"generator"`
	Links     []atomLink  `xml:"link"`
	Deleted   []atomGone  `xml:"at:deleted-entry"` // before the entries, as the schema of RFC 4287 has extensions
	Entries   []atomEntry `xml:"entry"`
}

type atomPerson struct {
	Name string `xml:"name"`
}

type atomLink struct {
	Rel    string `xml:"rel,attr"`
	Type   string `xml:"type,attr,omitempty"`
	Href   string `xml:"href,attr"`
	Length int64  `xml:"length,attr,omitempty"`
}

type atomEntry struct {
	Lang       string         `xml:"xml:lang,attr,omitempty"`
	ID         string         `xml:"id"`
	Title      string         `xml:"title"`
	Published  string         `xml:"published"`
	Updated    string         `xml:"updated"`
	Author     atomPerson     `xml:"author"`
	Links      []atomLink     `xml:"link"`
	Categories []atomCategory `xml:"category"`
	Source     *atomSource    `xml:"source"`
	Content    atomText       `xml:"content"`
}

type atomCategory struct {
	Term string `xml:"term,attr"`
}

type atomText struct {
	Type string `xml:"type,attr"`
	Text string `xml:",chardata"`
}

type atomSource struct {
	ID      string     `xml:"id"`
	Title   string     `xml:"title"`
	Updated string     `xml:"updated"`
	Links   []atomLink `xml:"link"`
}

type atomGone struct {
	Ref     string `xml:"ref,attr"`
	When    string `xml:"when,attr"`
	Comment string `xml:"at:comment,omitempty"`
}

func (p *page) atom() ([]byte, error) {
	const kind = "application/atom+xml"
	f := atomFeed{
		NS: nsAtom, NSDeleted: nsDeleted, ID: p.id(), Title: p.name(), Updated: date(p.updated),
		Author: atomPerson{p.name()}, Generator: "feedonce",
		Links: []atomLink{{Rel: "self", Type: kind, Href: p.self(Atom)}, {Rel: "alternate", Type: "text/html", Href: p.home},
			{Rel: "first", Type: kind, Href: p.address(Atom)}},
	}
	if next := p.nextAddress(Atom); next != "" {
		f.Links = append(f.Links, atomLink{Rel: "next", Type: kind, Href: next})
	}
	for _, g := range p.gone {
		d := atomGone{Ref: g.Entry.URN(p.instance), When: date(g.At), Comment: "Its feed is not followed any more."}
		if g.Into != 0 {
			d.Comment = fmt.Sprintf("A person said that it is the same article as %s.", g.Into.URN(p.instance))
		}
		f.Deleted = append(f.Deleted, d)
	}
	for i := range p.articles {
		a := &p.articles[i]
		e := atomEntry{Lang: a.lang, ID: a.id, Title: a.heading(), Published: date(a.published), Updated: date(a.updated),
			Author: atomPerson{a.by()}, Content: atomText{"html", a.html}}
		if a.url != "" {
			e.Links = append(e.Links, atomLink{Rel: "alternate", Type: "text/html", Href: a.url})
		}
		for _, enc := range a.enclosures {
			e.Links = append(e.Links, atomLink{Rel: "enclosure", Type: enc.kind, Href: enc.url, Length: enc.length})
		}
		for _, c := range a.categories {
			e.Categories = append(e.Categories, atomCategory{c})
		}
		if a.feed.url != "" {
			e.Source = &atomSource{ID: a.feed.url, Title: a.feed.name, Updated: date(a.updated), Links: []atomLink{{Rel: "self", Href: a.feed.url}}}
			if a.feed.site != "" {
				e.Source.Links = append(e.Source.Links, atomLink{Rel: "alternate", Type: "text/html", Href: a.feed.site})
			}
		}
		f.Entries = append(f.Entries, e)
	}
	return marshal(f)
}

func marshal(v any) ([]byte, error) {
	b, err := xml.Marshal(v)
	if err != nil {
		return nil, err
	}
	return append([]byte(xml.Header), b...), nil
}

func date(t time.Time) string { return t.UTC().Format(time.RFC3339) }
