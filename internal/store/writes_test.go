package store_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// maxStatements is what one document may take, whatever is in it.
const maxStatements = 20

// stored returns a feed with n entries.
func stored(t testing.TB, s *store.Store, n int) (feedonce.Feed, []dedup.Entry) {
	t.Helper()
	feed := addFeed(t, s, "https://example.com/feed")
	d := newDocument(t, s, feed.ID, start)
	for i := range n {
		d.create(full(fmt.Sprint(i)), dedup.Mark(i), dedup.Mark(-i))
	}
	d.mustApply(s)
	var entries []dedup.Entry
	for _, dec := range d.in.Result.Decisions {
		entries = append(entries, dec.Write.Entry)
	}
	return feed, entries
}

func TestUnchangedDocumentWritesNothing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed, entries := stored(t, s, 30)
		d := newDocument(t, s, feed.ID, start.Add(time.Hour))
		for _, e := range entries {
			d.add(e.Item, dedup.Decision{Outcome: dedup.Unchanged, Rule: "test", Entry: e.ID})
		}
		d.in.Result.StateChanged = false
		if d.in.Result.Writes() {
			t.Fatal("a result of unchanged items asks to be written")
		}
		// What ingest does then: look up, decide, and at most record the validators. The second time these are known.
		seq := d.in.Seq
		for i, want := range []int64{1, 0} {
			w := storetest.Measure(t, s, func() {
				ids := []dedup.EntryID{entries[0].ID}
				known(t, s, feed.ID, ids...)
				update(t, s, func(tx *store.Tx) error { return tx.Touch(feed.ID, seq, `"new etag"`, "today", []byte("hash")) })
			})
			if w.Total() != want {
				t.Errorf("poll %d wrote %v; want %d row", i+1, w, want)
			}
			if s.Dialect() == "postgres" && w.Rows["feed_docs"].Updated != want {
				t.Errorf("poll %d wrote %v; want %d row of feed_docs", i+1, w, want)
			}
			if want == 0 && w.WAL > 100 {
				t.Errorf("poll %d wrote %d B of WAL", i+1, w.WAL)
			}
		}
		doc := read(t, s, func(tx *store.Tx) (store.FeedDoc, error) { return tx.FeedDoc(feed.ID) })
		if doc.Seq != seq || doc.ETag != `"new etag"` || doc.LastModified != "today" || string(doc.BodyHash) != "hash" {
			t.Errorf("document after: %+v", doc)
		}
		// What is older than the last document is ignored.
		update(t, s, func(tx *store.Tx) error { return tx.Touch(feed.ID, seq-1, "old", "old", nil) })
		if again := read(t, s, func(tx *store.Tx) (store.FeedDoc, error) { return tx.FeedDoc(feed.ID) }); !cmp.Equal(doc, again) {
			t.Errorf("an old document's validators were taken: %+v", again)
		}
	})
}

// TestGuardedUpsert stores entries that were decided to be updated though they are what is stored already.
func TestGuardedUpsert(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed, entries := stored(t, s, 30)
		d := newDocument(t, s, feed.ID, start.Add(time.Hour))
		for i, e := range entries {
			d.add(e.Item, dedup.Decision{Outcome: dedup.Unchanged, Rule: "test", Entry: e.ID, Keys: []dedup.Key{guidKey(e.Item.GUID)},
				Write: &dedup.Write{Entry: e, Marks: []dedup.Mark{dedup.Mark(i), dedup.Mark(-i)}}})
		}
		w := storetest.Measure(t, s, func() { d.mustApply(s) })
		// The document's own rows: number, state, feed, counts by hour and by day.
		if s.Dialect() == "sqlite" && w.Total() > 5 {
			t.Errorf("wrote %v, want at most 5 rows", w)
		}
		if n := w.Total("entries", "entry_bodies", "entry_keys", "entry_marks", "entry_versions", "decisions"); s.Dialect() == "postgres" && n != 0 {
			t.Errorf("wrote %v, want no row of entries, keys and decisions", w)
		}
	})
}

func TestRecordedDuplicatesWriteNoRow(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed, entries := stored(t, s, 30)
		for i, want := range []int64{30, 0} {
			d := newDocument(t, s, feed.ID, start.Add(time.Hour))
			for n, e := range entries {
				d.add(full(fmt.Sprint("copy of ", n)), dedup.Decision{Outcome: dedup.Duplicate, Rule: "test", Entry: e.ID, Keys: []dedup.Key{guidKey(fmt.Sprint("alias ", n))}})
			}
			before := storetest.Rows(t, s)
			w := storetest.Measure(t, s, func() { d.mustApply(s) })
			after := storetest.Rows(t, s)
			if n := after["decisions"] - before["decisions"]; n != want {
				t.Errorf("document %d: %d decisions recorded, want %d", i+1, n, want)
			}
			if n := after["entry_keys"] - before["entry_keys"]; n != want {
				t.Errorf("document %d: %d keys stored, want %d", i+1, n, want)
			}
			if s.Dialect() == "postgres" && w.Total("entries", "entry_bodies", "entry_marks") != 0 {
				t.Errorf("document %d wrote %v", i+1, w)
			}
			if want == 0 && s.Dialect() == "sqlite" && w.Total() > 5 {
				t.Errorf("document %d wrote %v, want at most number, state, feed, and counts by hour and day", i+1, w)
			}
		}
	})
}

func TestStatementsDoNotDependOnItems(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed, entries := stored(t, s, 200)
		statements := map[int]int64{}
		for _, n := range []int{2, 150} {
			d := newDocument(t, s, feed.ID, start.Add(time.Duration(n)*time.Hour))
			var q dedup.Query
			for i := range n {
				item := full(fmt.Sprint(n, " changed ", i))
				q.Keys = append(q.Keys, guidKey(item.GUID))
				d.change(entries[i], item, dedup.Mark(1000*n+i))
				d.create(full(fmt.Sprint(n, " new ", i)), dedup.Mark(i))
				d.add(full(fmt.Sprint(n, " copy ", i)), dedup.Decision{Outcome: dedup.Duplicate, Rule: "test", Entry: entries[i].ID, Keys: []dedup.Key{guidKey(fmt.Sprint(n, " alias ", i))}})
				d.add(dedup.Item{Title: fmt.Sprint(n, i)}, dedup.Decision{Outcome: dedup.Invalid, Rule: "test"})
			}
			w := storetest.Measure(t, s, func() {
				read(t, s, func(tx *store.Tx) (*dedup.Known, error) { return tx.Known(feed.ID, q) })
				d.mustApply(s)
			})
			statements[n] = w.Statements
		}
		if statements[2] != statements[150] || statements[150] > maxStatements {
			t.Errorf("statements by number of items: %v; want the same, and at most %d", statements, maxStatements)
		}
	})
}

func TestHostileTexts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		long := strings.Repeat("long ünïcode title ", 1<<20/19)
		texts := []string{
			"nul\x00nul", "\x00", "invalid \xff\xfe\x80 UTF-8", "\xed\xa0\x80 surrogate", "$1 ? :name @x %s", "'; drop table entries; --", `\u0000 \x \`,
			`{"json": [1, null]}`, "\u2028\u2029\u0085", "emoji 👩‍👩‍👧 and \U0010FFFF", "\a\b\x1b[31m", "null", "1e400", long,
		}
		feed := addFeed(t, s, "https://example.com/feed")
		d := newDocument(t, s, feed.ID, start)
		for i, text := range texts {
			item := dedup.Item{GUID: fmt.Sprint(i, text), URL: text, OrigURL: text, Title: text, Content: fmt.Sprint(i, text), Summary: text, Author: text, Lang: text,
				Invalid: text, Enclosures: []dedup.Enclosure{{URL: text, Type: text, Length: math.MaxInt64}}}
			if text == long { // in the fields that are found by, and the title
				item.OrigURL, item.Summary, item.Author, item.Lang, item.Invalid, item.Enclosures = "", "", "", "", "", nil
			}
			d.create(item, dedup.Mark(i))
			d.in.Items[i].Categories = []string{text, ""}
			d.in.Result.Decisions[i].Quiet = text
			d.in.Result.Decisions[i].Evidence.Note = text
			d.add(item, dedup.Decision{Outcome: dedup.Invalid, Rule: "test"})
			d.in.Result.Decisions[2*i].Item, d.in.Result.Decisions[2*i+1].Item = i, i
			d.in.Items = d.in.Items[:i+1]
		}
		d.in.Title, d.in.SiteURL, d.in.Format, d.in.Warning = texts[0], long, texts[2], texts[2]
		d.in.ETag, d.in.LastModified = texts[0], texts[2]
		d.mustApply(s)

		clean := func(s string) string { return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD") }
		for i, text := range texts {
			want := d.in.Result.Decisions[2*i].Write.Entry
			w := &want.Item
			for _, field := range []*string{&w.GUID, &w.URL, &w.OrigURL, &w.Title, &w.Content, &w.Summary, &w.Author, &w.Lang, &w.Invalid} {
				*field = clean(*field)
			}
			if w.Enclosures != nil {
				w.Enclosures = []dedup.Enclosure{{URL: clean(text), Type: clean(text), Length: math.MaxInt64}}
			}
			got := known(t, s, feed.ID, want.ID)[want.ID]
			if diff := cmp.Diff(collapse(want), collapse(got)); diff != "" {
				t.Errorf("text %d (-want +got):\n%.2000s", i, diff)
			}
			k := read(t, s, func(tx *store.Tx) (*dedup.Known, error) {
				return tx.Known(feed.ID, dedup.Query{Keys: []dedup.Key{guidKey(fmt.Sprint(i, text))}})
			})
			if len(k.Keys) != 1 || k.Keys[0].Entry != want.ID {
				t.Errorf("text %d: key finds %v, want entry %d", i, k.Keys, want.ID)
			}
			if e := read(t, s, func(tx *store.Tx) (feedonce.Entry, error) { return tx.Entry(feedonce.EntryID(want.ID)) }); len(e.Categories) != 2 {
				t.Errorf("text %d: categories %q", i, e.Categories)
			}
		}
		for _, dec := range decisions(t, s, store.DecisionFilter{}) {
			if n := max(len(dec.GUID), len(dec.URL), len(dec.Title)); n > 4096+3 {
				t.Errorf("decision %d shows a text of %d bytes", dec.ID, n)
			}
			if dec.Outcome == "invalid" && len(dec.Arrival) == 0 {
				t.Errorf("decision %d keeps nothing", dec.ID)
			}
		}
		entries(t, s, store.EntryFilter{Words: "\x00 \xff %"})
		decisions(t, s, store.DecisionFilter{Words: "\x00 \xff '"})
		read(t, s, func(tx *store.Tx) ([]feedonce.Entry, error) { return tx.FindEntries(long) })
		read(t, s, func(tx *store.Tx) ([]feedonce.Entry, error) { return tx.FindEntries("\x00\xff") })
	})
}

// collapse shortens what differs nowhere, so that a difference can be read.
func collapse(e dedup.Entry) dedup.Entry {
	for _, field := range []*string{&e.Item.GUID, &e.Item.URL, &e.Item.OrigURL, &e.Item.Title, &e.Item.Content, &e.Item.Summary, &e.Item.Author, &e.Item.Lang, &e.Item.Invalid} {
		if len(*field) > 1000 {
			*field = fmt.Sprintf("%.50s… %d bytes, %x", *field, len(*field), hash(*field))
		}
	}
	return e
}
