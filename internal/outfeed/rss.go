package outfeed

import (
	"encoding/xml"
	"mime"
	"time"
)

// The RSS form: RSS 2.0 with content:encoded, dc:creator and atom:link (the RSS Advisory Board's best practices).

type rssDocument struct {
	XMLName xml.Name   `xml:"rss"`
	Version string     `xml:"version,attr"`
	Atom    string     `xml:"xmlns:atom,attr"`
	Content string     `xml:"xmlns:content,attr"`
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
	Summary    string        `xml:"description"`
	HTML       string        `xml:"content:encoded,omitempty"`
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
	c := rssChannel{
		Title: p.output.Name, Link: p.base + "/", Description: "One entry for each article, by feedonce", Built: rssDate(p.updated), Generator: "feedonce", TTL: 5,
		Links: []atomLink{{Rel: "self", Type: "application/rss+xml", Href: p.self}, {Rel: "first", Type: "application/rss+xml", Href: p.address(RSS)}},
	}
	if next := p.nextAddress(RSS); next != "" {
		c.Links = append(c.Links, atomLink{Rel: "next", Type: "application/rss+xml", Href: next})
	}
	for i := range p.articles {
		a := &p.articles[i]
		it := rssItem{
			Title: a.title(), Link: link(a.Entry.URL), GUID: rssGUID{ID: a.id}, Published: rssDate(a.created), Creator: a.Entry.Author,
			Categories: a.Entry.Categories, Summary: a.html,
		}
		if u := link(a.FeedURL); u != "" {
			it.Source = &rssSource{URL: u, Title: a.FeedName}
		}
		for _, enc := range a.Entry.Enclosures {
			if u := link(enc.URL); u != "" {
				kind := mediaType(enc.Type)
				if kind == "" {
					kind = "application/octet-stream" // the attribute must be there
				}
				it.Enclosure = &rssEnclosure{URL: u, Length: max(enc.Length, 0), Type: kind}
				break
			}
		}
		c.Items = append(c.Items, it)
	}
	return marshal(rssDocument{
		Version: "2.0", Atom: nsAtom, Content: "http://purl.org/rss/1.0/modules/content/", DC: "http://purl.org/dc/elements/1.1/", Channel: c,
	})
}

// mediaType is a type that is one, or "".
func mediaType(s string) string {
	t, _, err := mime.ParseMediaType(s)
	if err != nil {
		return ""
	}
	return t
}
