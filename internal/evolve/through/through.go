// Package through lets simulated feeds (see package evolve) be decided by the whole of the product: by internal/ingest, on
// a database, where each of them is a feed among others.
//
// What is measured with a dedup.Memory is worth something only if the product decides the same: with what it stores and
// reads again, with documents that it does not even parse because not a byte of them differs, and with several workers on
// one database. A Database answers as an evolve.Strategy does, and a Comparison holds the answers of several strategies
// against each other, arrival by arrival.
package through

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/evolve"
	"feedonce/internal/format"
	"feedonce/internal/ingest"
	"feedonce/internal/store"
)

// A Database ingests what simulated feeds publish. It is safe for concurrent use.
type Database struct {
	// Place says where the feed of a number is polled, and its policy. Nil is a host for each, and the default policy but
	// for stories, in which other feeds have a say.
	Place func(feed int) (url string, policy dedup.Policy)

	name   string
	ingest ingest.Ingester

	mu    sync.Mutex
	feeds map[int]place
	err   error
}

// A place is where a simulated feed is in the database.
type place struct {
	id  feedonce.FeedID
	url string
}

// New returns a database that knows none of the simulated feeds. The store remains the caller's to close.
func New(name string, s *store.Store) *Database {
	return &Database{name: name, ingest: ingest.Ingester{Store: s}, feeds: map[int]place{}}
}

// Beside returns another worker on the same feeds: with an Ingester of its own, as in a process of its own, and a store that
// is open on the same database.
func (d *Database) Beside(s *store.Store) *Database {
	other := New(d.name, s)
	other.Place = d.Place
	return other
}

// Ingest ingests a document and answers for its items; nil where it was not even parsed, as its bytes are those of the last
// one: everything is as it was. An Answer tells what ingest told, with stories.
func (d *Database) Ingest(ctx context.Context, feed int, doc *dedup.Document) ([]evolve.Answer, error) {
	raw, err := bytesOf(doc)
	if err != nil {
		return nil, err
	}
	return d.document(ctx, feed, doc, raw)
}

func (d *Database) document(ctx context.Context, feed int, doc *dedup.Document, raw []byte) ([]evolve.Answer, error) {
	at, err := d.place(ctx, feed, doc.Fetched)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.name, err)
	}
	rep, err := d.ingest.Document(ctx, ingest.Fetched{Feed: at.id, URL: at.url, Received: doc.Fetched, Body: raw, Parsed: parsed(doc)})
	if err != nil {
		return nil, fmt.Errorf("%s: document of %s: %w", d.name, doc.Fetched.Format(time.DateTime), err)
	}
	if rep.SameBytes {
		return nil, nil
	}
	answers := make([]evolve.Answer, len(doc.Items))
	for i := range rep.Result.Decisions {
		dec := &rep.Result.Decisions[i]
		answers[dec.Item] = evolve.Answer{
			Outcome: dec.Outcome, Entry: int64(dec.Entry), Rule: string(dec.Rule), Tell: dec.Outcome == dedup.New && dec.Tell, Decision: dec,
		}
	}
	return answers, nil
}

// place returns where a feed is, and adds it where it is new.
func (d *Database) place(ctx context.Context, feed int, now time.Time) (place, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if at, ok := d.feeds[feed]; ok {
		return at, nil
	}
	url, policy := fmt.Sprintf("https://feed%d.example/feed", feed), dedup.Policy{Stories: dedup.StoriesOff}
	if d.Place != nil {
		url, policy = d.Place(feed)
	}
	raw, err := json.Marshal(policy)
	if err != nil {
		return place{}, err
	}
	var at place
	err = d.ingest.Store.Update(ctx, func(tx *store.Tx) error {
		f, err := tx.AddFeed(store.NewFeed{URL: url, Added: now})
		if err != nil && !errors.Is(err, feedonce.ErrExists) { // another worker may know it already
			return err
		}
		at = place{f.ID, f.URL}
		return tx.SetFeedPolicy(f.ID, string(raw))
	})
	if err != nil {
		return place{}, err
	}
	d.feeds[feed] = at
	return at, nil
}

// parsed is a document as a parser would return it.
func parsed(doc *dedup.Document) *format.Document {
	d := &format.Document{Generator: doc.Generator, SiteURL: doc.Site, Items: make([]format.Item, len(doc.Items))}
	if doc.Partial {
		d.Partial = "the simulation says so"
	}
	for i := range doc.Items {
		it := &doc.Items[i]
		item := format.Item{
			GUID: it.GUID, Permalink: it.Permalink, Link: it.URL, OrigLink: it.OrigURL, Title: it.Title, Summary: it.Summary,
			Content: it.Content, Author: it.Author, Lang: it.Lang, Published: format.Date{Time: it.Published},
			Updated: format.Date{Time: it.Updated}, Invalid: it.Invalid,
		}
		for _, e := range it.Enclosures {
			item.Enclosures = append(item.Enclosures, format.Enclosure{URL: e.URL, Type: e.Type, Length: e.Length})
		}
		d.Items[i] = item
	}
	return d
}

// bytesOf stands in for a document's bytes: two documents that differ in anything but the time have other bytes.
func bytesOf(doc *dedup.Document) ([]byte, error) {
	still := *doc
	still.Fetched = time.Time{}
	return json.Marshal(&still)
}
