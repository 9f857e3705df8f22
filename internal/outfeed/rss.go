package outfeed

import (
	"encoding/xml"
	"time"
)

// The RSS form: RSS 2.0 with dc:creator and atom:link, as the RSS Advisory Board's best practices have them.

type rssDocument struct {
	XMLName xml.Name   `xml:"rss"`
	Version string     `xml:"version,attr"`
	Atom    string     `xml:"xmlns:atom,attr"`
	DC      string     `xml:"xmlns:dc,attr"`
	Channel rssChannel `xml:"channel"`
}

type rssChannel struct {
	Title       string     `xml:"title"`
	Link        string     `xml:"link"`
	Description string     `xml:"description"`
	Built       string     `xml:"lastBuildDate"`
	Generator   string     `xml:"generator"`
	TTL         int        `xml:"ttl"` // minutes
	Links       []atomLink `xml:"atom:link"`
	Items       []rssItem  `xml:"item"`
}

type rssItem struct {
	Title      string        `xml:"title"`
	Link       string        `xml:"link,omitempty"`
	GUID       rssGUID       `xml:"guid"`
	Published  string        `xml:"pubDate"`
	Creator    string        `xml:"dc:creator,omitempty"`
	Categories []string      `xml:"category"`
	Source     *rssSource    `xml:"source"`
	Enclosure  *rssEnclosure `xml:"enclosure"` // RSS 2.0 allows one
	HTML       string        `xml:"description"`
}

type rssGUID struct {
	Permalink bool   `xml:"isPermaLink,attr"`
	ID        string `xml:",chardata"`
}

type rssSource struct {
	URL   string `xml:"url,attr"`
	Title string `xml:",chardata"`
}

type rssEnclosure struct {
	URL    string `xml:"url,attr"`
	Length int64  `xml:"length,attr"`
	Type   string `xml:"type,attr"`
}

// rssDate is RFC 822 with four digits of year and a numeric zone, which all readers understand.
func rssDate(t time.Time) string { return t.UTC().Format("Mon, 02 Jan 2006 15:04:05 +0000") }

func (p *page) rss() ([]byte, error) {
	const kind = "application/rss+xml"
	c := rssChannel{
		Title: markup(p.name()), Link: p.home, Description: "One entry for each article, by feedonce", Built: rssDate(p.updated), Generator: "feedonce", TTL: 5,
		Links: []atomLink{{Rel: "self", Type: kind, Href: p.self(RSS)}, {Rel: "first", Type: kind, Href: p.address(RSS)}},
	}
	if next := p.nextAddress(RSS); next != "" {
		c.Links = append(c.Links, atomLink{Rel: "next", Type: kind, Href: next})
	}
	for i := range p.articles {
		a := &p.articles[i]
		it := rssItem{
			Title: markup(a.heading()), Link: a.url, GUID: rssGUID{ID: a.id}, Published: rssDate(a.published), Creator: markup(a.author), HTML: a.html,
		}
		for _, c := range a.categories {
			it.Categories = append(it.Categories, markup(c))
		}
		if a.feed.url != "" {
			it.Source = &rssSource{URL: a.feed.url, Title: markup(a.feed.name)}
		}
		if len(a.enclosures) > 0 {
			enc := a.enclosures[0]
			if enc.kind == "" {
				enc.kind = unknownType // the attribute must be there
			}
			it.Enclosure = &rssEnclosure{URL: enc.url, Length: enc.length, Type: enc.kind}
		}
		c.Items = append(c.Items, it)
	}
	return marshal(rssDocument{Version: "2.0", Atom: nsAtom, DC: "http://purl.org/dc/elements/1.1/", Channel: c})
}

// unknownType is the media type of a file of which none is known.
const unknownType = "application/octet-stream"
