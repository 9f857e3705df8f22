package store_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
)

// start is when tests begin; nothing reads a clock.
var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func update(t testing.TB, s *store.Store, f func(*store.Tx) error) {
	t.Helper()
	if err := s.Update(context.Background(), f); err != nil {
		t.Fatalf("update: %v", err)
	}
}

// read returns what f reads.
func read[T any](t testing.TB, s *store.Store, f func(*store.Tx) (T, error)) T {
	t.Helper()
	var v T
	if err := s.View(context.Background(), func(tx *store.Tx) (err error) {
		v, err = f(tx)
		return err
	}); err != nil {
		t.Fatalf("view: %v", err)
	}
	return v
}

func addFeed(t testing.TB, s *store.Store, url string) feedonce.Feed {
	t.Helper()
	var f feedonce.Feed
	update(t, s, func(tx *store.Tx) (err error) {
		f, err = tx.AddFeed(store.NewFeed{URL: url, Added: start})
		return err
	})
	return f
}

func hash(s string) dedup.Hash {
	sum := sha256.Sum256([]byte(s))
	return dedup.Hash(sum[:16])
}

func guidKey(guid string) dedup.Key {
	return dedup.Key{Kind: dedup.KeyGUID, Hash: hash(guid), Text: guid}
}

// A document builds an Ingest by hand, as if decided.
type document struct {
	in store.Ingest
	t  testing.TB
}

func newDocument(t testing.TB, s *store.Store, feed feedonce.FeedID, at time.Time) *document {
	t.Helper()
	d := read(t, s, func(tx *store.Tx) (store.FeedDoc, error) { return tx.FeedDoc(feed) })
	state := &dedup.State{}
	if err := state.UnmarshalBinary(d.State); err != nil {
		t.Fatalf("state: %v", err)
	}
	return &document{t: t, in: store.Ingest{Feed: feed, Seq: d.Seq, At: at, Result: &dedup.Result{State: state, StateChanged: true}}}
}

// add adds an item and its decision.
func (d *document) add(item dedup.Item, dec dedup.Decision) {
	dec.Item = len(d.in.Items)
	d.in.Items = append(d.in.Items, store.IngestItem{Item: item})
	d.in.Result.Decisions = append(d.in.Result.Decisions, dec)
}

// create adds an item that is a new entry, with a key of its guid, marks, and a content key where it has content.
func (d *document) create(item dedup.Item, marks ...dedup.Mark) {
	id := dedup.EntryID(-1 - len(d.in.Items))
	d.add(item, dedup.Decision{Outcome: dedup.New, Rule: "test", Entry: id, Tell: true,
		Keys:  []dedup.Key{guidKey(item.GUID)},
		Write: &dedup.Write{Entry: entryOf(id, item, d.in.At), Marks: marks}})
	d.in.Result.State.Manifest = append(d.in.Result.State.Manifest, dedup.ManifestRow{Key: hash(item.GUID), Entry: id})
}

// change adds an item that is a new version of an entry.
func (d *document) change(old dedup.Entry, item dedup.Item, marks ...dedup.Mark) {
	e := entryOf(old.ID, item, old.FirstSeen)
	e.Changed = d.in.At
	d.add(item, dedup.Decision{Outcome: dedup.Updated, Rule: "test", Entry: old.ID, Write: &dedup.Write{Entry: e, Marks: marks, Version: true}})
}

func entryOf(id dedup.EntryID, item dedup.Item, seen time.Time) dedup.Entry {
	e := dedup.Entry{ID: id, Item: item, Strict: hash(fmt.Sprint(item)), FirstSeen: seen, Changed: seen}
	if item.Content != "" {
		e.ContentKey = hash(item.Content)
	}
	return e
}

func (d *document) apply(s *store.Store) error {
	return s.Update(context.Background(), func(tx *store.Tx) error { return tx.Apply(d.in) })
}

func (d *document) mustApply(s *store.Store) {
	d.t.Helper()
	if err := d.apply(s); err != nil {
		d.t.Fatalf("apply: %v", err)
	}
}

// known looks entries up by ID.
func known(t testing.TB, s *store.Store, feed feedonce.FeedID, ids ...dedup.EntryID) map[dedup.EntryID]dedup.Entry {
	t.Helper()
	k := read(t, s, func(tx *store.Tx) (*dedup.Known, error) { return tx.Known(feed, dedup.Query{Entries: ids}) })
	m := map[dedup.EntryID]dedup.Entry{}
	for _, e := range k.Entries {
		m[e.ID] = e
	}
	return m
}

func emptyResult() *dedup.Result { return &dedup.Result{State: &dedup.State{}} }

func feedOf(t testing.TB, s *store.Store, id feedonce.FeedID) feedonce.Feed {
	t.Helper()
	return read(t, s, func(tx *store.Tx) (feedonce.Feed, error) { return tx.Feed(id) })
}

func claim(t testing.TB, s *store.Store, at time.Time, limit int, lease time.Duration) []store.Claim {
	t.Helper()
	var claims []store.Claim
	update(t, s, func(tx *store.Tx) (err error) {
		claims, err = tx.Claim(at, limit, lease)
		return err
	})
	return claims
}
