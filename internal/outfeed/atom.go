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
	Entries   []atomEntry `xml:"entry"`
	Deleted   []atomGone  `xml:"at:deleted-entry"`
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
	Author     *atomPerson    `xml:"author"`
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
	f := atomFeed{
		NS: nsAtom, NSDeleted: nsDeleted, ID: p.id(), Title: p.output.Name, Updated: date(p.updated),
		Author: atomPerson{p.output.Name}, Generator: "feedonce",
		Links: []atomLink{{Rel: "self", Type: "application/atom+xml", Href: p.self}, {Rel: "first", Type: "application/atom+xml", Href: p.address(Atom)}},
	}
	if next := p.nextAddress(Atom); next != "" {
		f.Links = append(f.Links, atomLink{Rel: "next", Type: "application/atom+xml", Href: next})
	}
	for i := range p.articles {
		a := &p.articles[i]
		e := atomEntry{ID: a.id, Title: a.title(), Published: date(a.created), Updated: date(a.updated), Lang: a.Entry.Lang, Content: atomText{"html", a.html}}
		if a.Entry.Author != "" {
			e.Author = &atomPerson{a.Entry.Author}
		} else {
			e.Author = &atomPerson{a.FeedName}
		}
		if u := link(a.Entry.URL); u != "" {
			e.Links = append(e.Links, atomLink{Rel: "alternate", Type: "text/html", Href: u})
		}
		for _, enc := range a.Entry.Enclosures {
			if u := link(enc.URL); u != "" {
				e.Links = append(e.Links, atomLink{Rel: "enclosure", Type: mediaType(enc.Type), Href: u, Length: max(enc.Length, 0)})
			}
		}
		for _, c := range a.Entry.Categories {
			e.Categories = append(e.Categories, atomCategory{c})
		}
		if u := link(a.FeedURL); u != "" {
			e.Source = &atomSource{ID: u, Title: a.FeedName, Updated: date(a.updated), Links: []atomLink{{Rel: "self", Href: u}}}
			if s := link(a.SiteURL); s != "" {
				e.Source.Links = append(e.Source.Links, atomLink{Rel: "alternate", Type: "text/html", Href: s})
			}
		}
		f.Entries = append(f.Entries, e)
	}
	for _, g := range p.gone {
		d := atomGone{Ref: g.Entry.URN(p.instance), When: date(g.At)}
		if g.Into != 0 {
			d.Comment = fmt.Sprintf("A person said that it is the same article as %s.", g.Into.URN(p.instance))
		}
		f.Deleted = append(f.Deleted, d)
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
