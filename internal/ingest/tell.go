package ingest

import (
	"strings"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/outbox"
	"feedonce/internal/store"
)

// quietRestored is why nothing is told of the first document after the database was restored: what came between the backup
// and the loss was told then.
const quietRestored = "the database was restored from a backup"

// quieten keeps all new articles of a document quiet.
func quieten(r *dedup.Result) {
	for i := range r.Decisions {
		if d := &r.Decisions[i]; d.Outcome == dedup.New {
			d.Tell, d.Quiet = false, quietRestored
		}
	}
}

// tell hands what became of the document's articles to the outbox.
func (d *decider) tell(tx *store.Tx, r *dedup.Result, items []store.IngestItem, revisions map[feedonce.EntryID]int) error {
	doc := outbox.Document{Feed: d.f.Claim.Feed, At: d.f.Received, First: d.first && !d.restored, Usual: d.usual}
	if d.doc.Title != "" {
		doc.Feed.Title = d.doc.Title
	}
	at := map[feedonce.EntryID]int{}
	for i := range r.Decisions {
		dec := &r.Decisions[i]
		if dec.Outcome != dedup.New && dec.Outcome != dedup.Updated || dec.Write == nil {
			continue
		}
		id := feedonce.EntryID(dec.Entry)
		ev := outbox.Event{Kind: feedonce.DeliverNew, Tell: dec.Tell, Quiet: dec.Quiet, Material: dec.Evidence.Material,
			Entry: Entry(d.f.Feed, &dec.Write.Entry, items[dec.Item].Title, items[dec.Item].Categories)}
		ev.Entry.Revision = revisions[id]
		if dec.Outcome == dedup.Updated {
			ev.Kind, ev.Tell = feedonce.DeliverUpdate, false
			if d.restored {
				ev.Quiet = quietRestored
			}
		}
		if place, ok := d.places[id]; ok {
			ev.Story, ev.Repeats = place.Story, place.Repeats
			if place.Quiet != "" { // that is for each destination to say
				ev.Tell, ev.Quiet = true, ""
			}
		}
		if before, ok := at[id]; ok { // several items write one entry: the last one is what it is
			doc.Events[before].Entry = ev.Entry
			doc.Events[before].Material = doc.Events[before].Material || ev.Material
			continue
		}
		at[id] = len(doc.Events)
		doc.Events = append(doc.Events, ev)
	}
	return outbox.Put(tx, doc)
}

// Entry returns an entry as outbox wants it, with its texts.
func Entry(feed feedonce.FeedID, e *dedup.Entry, title string, categories []string) feedonce.Entry {
	it := &e.Item
	if title == "" {
		title = strings.Join(strings.Fields(it.Title), " ")
	}
	return feedonce.Entry{ID: feedonce.EntryID(e.ID), Feed: feed, GUID: it.GUID, URL: it.URL, Title: title, Author: it.Author,
		Summary: it.Summary, Content: it.Content, Lang: it.Lang, Categories: categories, Published: it.Published, Updated: it.Updated,
		FirstSeen: e.FirstSeen, Changed: e.Changed}
}
