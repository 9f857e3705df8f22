package outfeed

import (
	"encoding/json"
	"time"
)

// The JSON form: JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/).

type jsonFeed struct {
	Version string     `json:"version"`
	Title   string     `json:"title"`
	Home    string     `json:"home_page_url"`
	Self    string     `json:"feed_url"`
	Next    string     `json:"next_url,omitempty"`
	Items   []jsonItem `json:"items"`
}

type jsonItem struct {
	ID          string           `json:"id"`
	URL         string           `json:"url,omitempty"`
	Title       string           `json:"title,omitempty"`
	HTML        string           `json:"content_html"`
	Image       string           `json:"image,omitempty"`
	Published   time.Time        `json:"date_published"`
	Modified    *time.Time       `json:"date_modified,omitempty"`
	Authors     []jsonAuthor     `json:"authors,omitempty"`
	Tags        []string         `json:"tags,omitempty"`
	Language    string           `json:"language,omitempty"`
	Attachments []jsonAttachment `json:"attachments,omitempty"`
	Source      *jsonSource      `json:"_source,omitempty"` // an extension, as section "Extensions" allows
}

type jsonAuthor struct {
	Name string `json:"name"`
}

type jsonAttachment struct {
	URL  string `json:"url"`
	Type string `json:"mime_type"`
	Size int64  `json:"size_in_bytes,omitempty"`
}

type jsonSource struct {
	About  string   `json:"about"`
	Title  string   `json:"title"`
	URL    string   `json:"feed_url"`
	AlsoIn []string `json:"also_in,omitempty"`
}

func (p *page) json() ([]byte, error) {
	f := jsonFeed{Version: "https://jsonfeed.org/version/1.1", Title: p.output.Name, Home: p.base + "/", Self: p.self, Next: p.nextAddress(JSON), Items: []jsonItem{}}
	for i := range p.articles {
		a := &p.articles[i]
		it := jsonItem{
			ID: a.id, URL: link(a.Entry.URL), Title: a.Entry.Title, HTML: a.html, Published: a.created.Truncate(time.Second), Tags: a.Entry.Categories, Language: a.Entry.Lang,
			Source: &jsonSource{About: "the feed it came from, and others that have it", Title: a.FeedName, URL: link(a.FeedURL), AlsoIn: a.Also},
		}
		if a.updated.After(a.created) {
			m := a.updated.Truncate(time.Second)
			it.Modified = &m
		}
		if a.Entry.Author != "" {
			it.Authors = []jsonAuthor{{a.Entry.Author}}
		}
		for _, enc := range a.Entry.Enclosures {
			if u, t := link(enc.URL), mediaType(enc.Type); u != "" && t != "" {
				it.Attachments = append(it.Attachments, jsonAttachment{URL: u, Type: t, Size: max(enc.Length, 0)})
			}
		}
		f.Items = append(f.Items, it)
	}
	return json.Marshal(f)
}
