package dest

import (
	"time"

	"feedonce"
)

// Payload is a message as programs get it: by webhook, command, file and NATS. Its fields are described in
// docs/destinations.md; they are only ever added to.
type Payload struct {
	Type      string    `json:"type"` // article.new, article.updated, digest, notice
	ID        string    `json:"id"`   // the message's key: the same for every attempt
	Timestamp time.Time `json:"timestamp"`
	From      string    `json:"from,omitempty"`
	Data      any       `json:"data"`
}

// ArticlePayload is an article.
type ArticlePayload struct {
	ID          string               `json:"id"` // URN
	Entry       feedonce.EntryID     `json:"entry"`
	Title       string               `json:"title"`
	URL         string               `json:"url,omitempty"`
	GUID        string               `json:"guid,omitempty"`
	Author      string               `json:"author,omitempty"`
	Text        string               `json:"text,omitempty"`
	HTML        string               `json:"html,omitempty"` // sanitised
	Truncated   bool                 `json:"truncated,omitempty"`
	Lang        string               `json:"lang,omitempty"`
	Image       string               `json:"image,omitempty"`
	Categories  []string             `json:"categories,omitempty"`
	Enclosures  []feedonce.Enclosure `json:"enclosures,omitempty"`
	PublishedAt *time.Time           `json:"published_at,omitempty"`
	FirstSeenAt time.Time            `json:"first_seen_at"`
	Revision    int                  `json:"revision"`
	Changed     []string             `json:"changed,omitempty"`
	Feed        FeedPayload          `json:"feed"`
	AlsoIn      []string             `json:"also_in,omitempty"`
	Why         string               `json:"why,omitempty"`
}

// FeedPayload is the feed of an article.
type FeedPayload struct {
	ID      feedonce.FeedID `json:"id"`
	Title   string          `json:"title"`
	URL     string          `json:"url"`
	SiteURL string          `json:"site_url,omitempty"`
}

// maxPayloadHTML bounds the HTML of one article, in bytes.
const maxPayloadHTML = 128 << 10

// payload makes a message for programs. Of more than one article only one has its HTML.
func payload(m Message) Payload {
	p := Payload{Type: "digest", ID: m.Key, Timestamp: m.Created.UTC(), From: m.From}
	switch {
	case m.Kind == feedonce.DeliverNotice:
		p.Type, p.Data = "notice", map[string]string{"text": m.Notice}
	case m.Digest:
		articles := make([]ArticlePayload, len(m.Articles))
		for i, a := range m.Articles {
			articles[i] = articlePayload(a)
			if len(m.Articles) > 1 {
				articles[i].Truncated, articles[i].HTML = articles[i].HTML != "", ""
			}
		}
		p.Data = map[string]any{"title": m.Title, "articles": articles}
	default:
		p.Type = "article.new"
		if m.Kind == feedonce.DeliverUpdate {
			p.Type = "article.updated"
		}
		p.Data = articlePayload(m.Articles[0])
	}
	return p
}

func articlePayload(a Article) ArticlePayload {
	p := ArticlePayload{
		ID: a.ID, Entry: a.Entry, Title: a.Title, URL: a.URL, GUID: a.GUID, Author: a.Author, Text: a.Text, HTML: a.HTML, Lang: a.Lang, Image: a.Image,
		Categories: a.Categories, Enclosures: a.Enclosures, FirstSeenAt: a.FirstSeen.UTC(), Revision: a.Revision, Changed: a.Changed,
		Feed:   FeedPayload{ID: a.Feed, Title: a.FeedName, URL: a.FeedURL, SiteURL: a.SiteURL},
		AlsoIn: a.Also, Why: a.Why,
	}
	if !a.Published.IsZero() {
		t := a.Published.UTC()
		p.PublishedAt = &t
	}
	if len(p.HTML) > maxPayloadHTML {
		p.HTML, p.Truncated = "", true // half of it would be no HTML
	}
	return p
}
