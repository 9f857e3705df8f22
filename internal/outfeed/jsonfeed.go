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
	HTML        string           `json:"content_html,omitempty"`
	Text        string           `json:"content_text,omitempty"`
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
	f := jsonFeed{Version: "https://jsonfeed.org/version/1.1", Title: p.name(), Home: p.home, Self: p.self(JSON), Next: p.nextAddress(JSON), Items: []jsonItem{}}
	for i := range p.articles {
		a := &p.articles[i]
		it := jsonItem{ID: a.id, URL: a.url, Title: a.title, HTML: a.html, Published: second(a.published), Tags: a.categories, Language: a.lang,
			Source: &jsonSource{About: "the feed it came from, and others that have it", Title: a.feed.name, URL: a.feed.url, AlsoIn: a.also}}
		if it.HTML == "" {
			it.Text = a.heading() // one of the two must be there
		}
		if m := second(a.updated); m.After(it.Published) {
			it.Modified = &m
		}
		if a.author != "" {
			it.Authors = []jsonAuthor{{a.author}}
		}
		for _, enc := range a.enclosures {
			if enc.kind == "" {
				enc.kind = unknownType // the type must be there
			}
			it.Attachments = append(it.Attachments, jsonAttachment{URL: enc.url, Type: enc.kind, Size: enc.length})
		}
		f.Items = append(f.Items, it)
	}
	return json.Marshal(f)
}

func second(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }
