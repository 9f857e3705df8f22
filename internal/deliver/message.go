package deliver

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/dest"
	"feedonce/internal/sanitize"
	"feedonce/internal/store"
)

// maxText is how many characters of a text are told where a destination shows only its beginning.
const maxText = 500

// composing turns rows into what is said, in one reading transaction.
type composing struct {
	tx       *store.Tx
	url      string
	instance string
	feeds    map[feedonce.FeedID]feedonce.Feed
}

func (e *Engine) composing(tx *store.Tx) (*composing, error) {
	instance, err := tx.Instance()
	if err != nil {
		return nil, err
	}
	return &composing{tx: tx, url: strings.TrimSuffix(e.o.URL, "/"), instance: instance, feeds: map[feedonce.FeedID]feedonce.Feed{}}, nil
}

// article returns an entry as destinations tell it; *moot where there is nothing left to tell.
func (c *composing) article(d feedonce.Delivery) (dest.Article, error) {
	en, err := c.tx.Entry(d.Entry)
	switch {
	case errors.Is(err, feedonce.ErrNotFound):
		return dest.Article{}, &moot{"the article is gone"}
	case err != nil:
		return dest.Article{}, err
	case en.MergedInto != 0:
		return dest.Article{}, &moot{fmt.Sprintf("a person said that it is the same as article %d", en.MergedInto)}
	}
	feed, ok := c.feeds[en.Feed]
	if !ok {
		if feed, err = c.tx.Feed(en.Feed); err != nil {
			return dest.Article{}, err
		}
		c.feeds[en.Feed] = feed
	}
	html := en.Content
	if html == "" {
		html = en.Summary
	}
	beginning := en.Summary
	if beginning == "" {
		beginning = en.Content
	}
	a := dest.Article{
		Entry: en.ID, ID: en.ID.URN(c.instance), Feed: feed.ID, FeedName: feed.Name(), FeedURL: feed.URL, SiteURL: feed.SiteURL,
		GUID: en.GUID, URL: link(en.URL), Title: en.Title, Author: en.Author,
		Text: sanitize.Text(beginning, maxText), HTML: sanitize.HTML(html, en.URL), Lang: en.Lang, Image: image(en.Enclosures),
		Published: en.Published, FirstSeen: en.FirstSeen, Revision: en.Revision, Enclosures: en.Enclosures, Categories: en.Categories,
	}
	if c.url != "" {
		a.Why = fmt.Sprintf("%s/entries/%d", c.url, en.ID)
	}
	if a.Also, err = c.also(en); err != nil {
		return a, err
	}
	if d.Kind == feedonce.DeliverUpdate {
		a.Changed, err = c.changed(en.ID)
	}
	return a, err
}

// A moot is why a delivery has nothing left to tell.
type moot struct{ why string }

func (m *moot) Error() string { return m.why }

// also returns the names of the other feeds that have the same story, sorted.
func (c *composing) also(en feedonce.Entry) ([]string, error) {
	id, err := c.tx.StoryOf(en.ID)
	if errors.Is(err, feedonce.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	story, err := c.tx.Story(id, store.Lead{})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range story.Members {
		if m.Entry.Feed != en.Feed {
			names = append(names, m.FeedName)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// changed returns what the last update of an entry changed, in words.
func (c *composing) changed(id feedonce.EntryID) ([]string, error) {
	last, err := c.tx.Decisions(store.DecisionFilter{Entry: id, Outcomes: []string{string(dedup.Updated)}, Limit: 1})
	if err != nil || len(last) == 0 {
		return nil, err
	}
	var ev dedup.Evidence
	if err := json.Unmarshal(last[0].Evidence, &ev); err != nil {
		return nil, nil // evidence of another version of the program: what changed is not worth a failure
	}
	return ev.Changed, nil
}

// first returns the key of the message that told the same destination of an article first; "" where that was one with others.
func (c *composing) first(update feedonce.Delivery) (string, error) {
	about, err := c.tx.DeliveriesAbout([]feedonce.EntryID{update.Entry})
	for _, d := range about {
		if d.Destination == update.Destination && d.Kind == feedonce.DeliverNew && d.Batch == 0 {
			return key(c.instance, 0, d.ID), err
		}
	}
	return "", err
}

// link returns an address that may be followed, or "".
func link(u string) string {
	if l := strings.ToLower(u); strings.HasPrefix(l, "http://") || strings.HasPrefix(l, "https://") {
		return u
	}
	return ""
}

func image(enclosures []feedonce.Enclosure) string {
	for _, e := range enclosures {
		if strings.HasPrefix(strings.ToLower(e.Type), "image/") {
			return link(e.URL)
		}
	}
	return ""
}

// message puts articles together for a destination.
func (e *Engine) message(d feedonce.Destination, kind feedonce.DeliveryKind, created time.Time, articles []dest.Article, digest bool) dest.Message {
	m := dest.Message{Kind: kind, Created: created, Digest: digest, Articles: articles, From: e.o.From}
	if digest {
		m.Title = d.Name
		if d.Route.Digest != nil && d.Route.Digest.Title != "" {
			m.Title = d.Route.Digest.Title
		}
	}
	return m
}

// key is the name of a message that all its attempts share. A batch of more than window articles is several messages, each
// named by the first of them, too.
func key(instance string, batch int64, first feedonce.DeliveryID) string {
	if batch != 0 {
		return fmt.Sprintf("msg_%s_b%d_%d", instance, batch, first)
	}
	return fmt.Sprintf("msg_%s_%d", instance, first)
}
