// Package outbox decides who is told of what a document brought, and writes it down in the transaction that stores the
// document: one row for each destination and article, which the database keeps unique. Sending is for internal/deliver.
//
//   - Put is the last thing of every transaction that creates or changes articles: it writes the change log, what is unread
//     for whom, and the deliveries. tell.go has its rules, flood.go the brake (docs/decisions/0005-flood.md).
//   - route.go and filter.go: what a destination's route selects. due.go: when it is told.
//   - backlog.go: what a new destination is told of that was there before it. notice.go: what the operator should know.
//
// Nothing here is worth a statement where nothing is new or updated; a document that is new to no destination costs the
// rows of the change log, and one statement that says so.
package outbox

import (
	"maps"
	"slices"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
)

// An Event is what became of an article.
type Event struct {
	// Kind is DeliverNew or DeliverUpdate; "" tells nobody, and is for the change log only.
	Kind feedonce.DeliveryKind
	// Entry is the article as it is stored now. Events that are told need its texts, the others ID and Revision.
	Entry feedonce.Entry
	// Tell says that a new article is to be told, seen by itself; whether its story was told is found out for each
	// destination. Where Quiet is dedup.QuietMany, it is told as well, but not one by one.
	Tell  bool
	Quiet string // why a new article, or an update, is not told; "" for an update that is
	// Material says that more than the form of an updated article changed.
	Material bool
	// Story says that a new article is one of a story: it is not told where another one of it was.
	Story bool
	// Repeats are articles that only point to a story's, and that this one is a copy of: it is not told where one of them was.
	Repeats []feedonce.EntryID
	// Change is what the change log says; "" is ChangeCreated for DeliverNew, and ChangeUpdated for DeliverUpdate.
	Change feedonce.ChangeKind
	Other  feedonce.EntryID // of the change
}

// A Document is what one transaction brought of one feed.
type Document struct {
	Feed   feedonce.Feed
	At     time.Time
	Events []Event
	// First says that it is the feed's first document, which is told where a route asks for a backlog.
	First bool
	// Usual is how many new articles a document of this feed has that has any, as learned before this one.
	Usual float64
	// ByHand says that a person made these articles: no brake holds them.
	ByHand bool
}

// Put writes the change log, what is unread for whom, and the deliveries for what became of articles. It is the last of the transaction that locks
// anything: it takes store's LockOrder, so that the log is in the order of commits and every destination is told either by
// this document or by its own backlog.
func Put(tx *store.Tx, d Document) error {
	if len(d.Events) == 0 {
		return nil
	}
	if err := tx.LockOrder(); err != nil {
		return err
	}
	changes := d.changes()
	if err := tx.AddChanges(changes); err != nil {
		return err
	}
	if err := unread(tx, changes); err != nil {
		return err
	}
	if !slices.ContainsFunc(d.Events, func(ev Event) bool { return ev.tellsNew() || ev.tellsUpdate() || d.First }) {
		return nil
	}
	routes, err := tx.ActiveRoutes()
	if err != nil || len(routes) == 0 {
		return err
	}
	// What a feed has first in its list came last, as a rule, and what has the same date follows from that.
	events := slices.Clone(d.Events)
	slices.Reverse(events)
	slices.SortStableFunc(events, func(a, b Event) int { return a.Entry.Time().Compare(b.Entry.Time()) })
	d.Events = events
	t := telling{tx: tx, doc: &d}
	t.choose(routes)
	for _, step := range []func() error{t.stories, t.updates, t.brake} {
		if err := step(); err != nil {
			return err
		}
	}
	return t.write()
}

// tellsNew says that destinations are to be told of a new article, alone or with others.
func (ev *Event) tellsNew() bool {
	return ev.Kind == feedonce.DeliverNew && (ev.Tell || ev.Quiet == dedup.QuietMany)
}

// tellsUpdate says that an update is to be told where updates are told.
func (ev *Event) tellsUpdate() bool {
	return ev.Kind == feedonce.DeliverUpdate && ev.Material && ev.Quiet == ""
}

// unread makes what is unread follow the changes.
func unread(tx *store.Tx, changes []feedonce.Change) error {
	var fresh []feedonce.EntryID
	for _, c := range changes {
		switch c.Kind {
		case feedonce.ChangeCreated, feedonce.ChangeSplit:
			fresh = append(fresh, c.Entry)
		case feedonce.ChangeMerged:
			if err := tx.ReadMerged(c.Entry, c.Other); err != nil {
				return err
			}
		}
	}
	return tx.UnreadNew(fresh)
}

func (d *Document) changes() []feedonce.Change {
	changes := make([]feedonce.Change, 0, len(d.Events))
	for i := range d.Events {
		ev := &d.Events[i]
		kind := ev.Change
		if kind == "" {
			kind = feedonce.ChangeCreated
			if ev.Kind == feedonce.DeliverUpdate {
				kind = feedonce.ChangeUpdated
			}
		}
		changes = append(changes, feedonce.Change{At: d.At, Kind: kind, Feed: d.Feed.ID, Entry: ev.Entry.ID, Other: ev.Other, Revision: ev.Entry.Revision})
	}
	return changes
}

// wake wakes the destinations that have rows to be sent, each for the earliest; those that are not sent to now sleep on.
func wake(tx *store.Tx, rows []feedonce.Delivery, asleep map[feedonce.DestinationID]bool) error {
	due := map[feedonce.DestinationID]time.Time{}
	for i := range rows {
		r := &rows[i]
		if r.State != feedonce.DeliveryPending || asleep[r.Destination] {
			continue
		}
		if at, ok := due[r.Destination]; !ok || r.Due.Before(at) {
			due[r.Destination] = r.Due
		}
	}
	for _, id := range slices.Sorted(maps.Keys(due)) {
		if _, err := tx.Wake(id, due[id]); err != nil {
			return err
		}
	}
	return nil
}
