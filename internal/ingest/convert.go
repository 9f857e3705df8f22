package ingest

import (
	"strings"
	"time"

	"feedonce/dedup"
	"feedonce/internal/format"
	"feedonce/internal/store"
)

// Items turns a parsed document into what dedup judges: the same items in the same order, invalid ones included.
// feedURL stands in for the site where the document names none.
//
// An item without a link whose guid is declared to be its page (RSS 2.0, guid isPermaLink) gets the guid as its URL.
// A document with items beyond the limit counts as partial: what is absent from it proves nothing.
func Items(d *format.Document, feedURL string, fetched time.Time) *dedup.Document {
	doc := &dedup.Document{
		Fetched:   fetched.UTC(),
		Site:      d.SiteURL,
		Generator: d.Generator,
		Partial:   d.Partial != "" || d.Dropped > 0,
		Items:     make([]dedup.Item, len(d.Items)),
	}
	if doc.Site == "" {
		doc.Site = feedURL
	}
	for i := range d.Items {
		it := &d.Items[i]
		item := dedup.Item{
			GUID:      it.GUID,
			Permalink: it.Permalink,
			URL:       it.Link,
			OrigURL:   it.OrigLink,
			Title:     it.Title,
			Content:   it.Content,
			Summary:   it.Summary,
			Author:    it.Author,
			Lang:      it.Lang,
			Published: it.Published.Time,
			Updated:   it.Updated.Time,
			Invalid:   it.Invalid,
		}
		if item.Lang == "" {
			item.Lang = d.Lang
		}
		if item.URL == "" && it.Permalink && isWebURL(it.GUID) {
			item.URL = it.GUID
		}
		for _, e := range it.Enclosures {
			item.Enclosures = append(item.Enclosures, dedup.Enclosure{URL: e.URL, Type: e.Type, Length: e.Length})
		}
		doc.Items[i] = item
	}
	return doc
}

// arrivals returns, for each item, what the store needs beside its decision.
func arrivals(d *format.Document, doc *dedup.Document) []store.IngestItem {
	items := make([]store.IngestItem, len(d.Items))
	for i := range d.Items {
		items[i] = store.IngestItem{Item: doc.Items[i], Title: d.Items[i].Title, Categories: d.Items[i].Categories}
	}
	return items
}

func isWebURL(s string) bool {
	return len(s) > 8 && (strings.EqualFold(s[:7], "http://") || strings.EqualFold(s[:8], "https://"))
}
