package dest

import (
	"time"

	"feedonce"
)

// Payload is a message as programs get it: by webhook, command, file and NATS. Its fields are described in
// docs/destinations.md; they are only ever added to.
type Payload struct {
	Type      string    `json:"type"`            // as of messageType
	ID        string    `json:"id"`              // the message's key: the same for every attempt
	First     string    `json:"first,omitempty"` // of an update: the ID of the message that told of the article
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
	HTML        string               `json:"html,omitempty"`      // sanitised
	Truncated   bool                 `json:"truncated,omitempty"` // something of the article had no room
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

// DigestPayload is several articles.
type DigestPayload struct {
	Title    string           `json:"title"`
	Articles []ArticlePayload `json:"articles"`
	More     int              `json:"more,omitempty"` // articles that had no room; they count as told
}

// NoticePayload is what the operator should know.
type NoticePayload struct {
	Text string `json:"text"`
}

// FeedPayload is the feed of an article.
type FeedPayload struct {
	ID      feedonce.FeedID `json:"id"`
	Title   string          `json:"title"`
	URL     string          `json:"url"`
	SiteURL string          `json:"site_url,omitempty"`
}

// messageType names what a message is, for programs.
func messageType(m Message) string {
	switch {
	case m.Kind == feedonce.DeliverNotice:
		return "notice"
	case m.Digest:
		return "digest"
	case m.Kind == feedonce.DeliverUpdate:
		return "article.updated"
	}
	return "article.new"
}

// payload makes a message for programs, of at most maxPayload bytes.
func payload(m Message) Payload {
	p := Payload{Type: messageType(m), ID: m.Key, First: m.First, Timestamp: m.Created.UTC(), From: oneLine(m.From, maxSubject)}
	if m.Kind == feedonce.DeliverNotice {
		p.Data = NoticePayload{cut(m.Notice, 4000)}
		return p
	}
	articles := make([]ArticlePayload, len(m.Articles))
	for i, a := range m.Articles {
		articles[i] = articlePayload(a)
	}
	d := DigestPayload{Title: oneLine(m.Title, maxSubject), Articles: []ArticlePayload{}}
	p.Data = d
	d.Articles, d.More = fit(articles, jsonSize(p)+len(`,"more":1000`))
	if p.Data = d; !m.Digest {
		p.Data = d.Articles[0]
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
	return p
}
