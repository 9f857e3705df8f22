package store_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/sqldb"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

func TestAmendments(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed := addFeed(t, s, "https://example.org/feed")
		var ids []int64
		add := func(a store.Amendment) {
			a.Feed, a.At, a.Who, a.Before = feed.ID, start, "Ada", []byte(`{}`)
			update(t, s, func(tx *store.Tx) error {
				id, err := tx.AddAmendment(a)
				ids = append(ids, id)
				return err
			})
		}
		add(store.Amendment{Kind: store.AmendSplit, A: 1, B: 2, Decision: 7, Rule: "R1", Note: "a note"})
		add(store.Amendment{Kind: store.AmendMerge, A: 3, B: 4, Rule: "U2"})
		add(store.Amendment{Kind: store.AmendSplit, A: 1, B: 5, Decision: 8, Rule: "R4"})
		add(store.Amendment{Kind: store.AmendPolicy})
		update(t, s, func(tx *store.Tx) error { return tx.MarkUndone(ids[0], "Bob", start) })
		for i, tt := range []struct {
			f    store.AmendmentFilter
			want []int
		}{
			{store.AmendmentFilter{}, []int{3, 2, 1, 0}},
			{store.AmendmentFilter{Feed: feed.ID + 1}, nil},
			{store.AmendmentFilter{Entry: 1}, []int{2, 0}},
			{store.AmendmentFilter{Entry: 4, Feed: feed.ID}, []int{1}},
			{store.AmendmentFilter{Entry: 1, Holds: true}, []int{2}},
			{store.AmendmentFilter{Kinds: []store.AmendmentKind{store.AmendSplit, store.AmendPolicy}}, []int{3, 2, 0}},
			{store.AmendmentFilter{Rule: "R4"}, []int{2}},
			{store.AmendmentFilter{Decision: 7}, []int{0}},
			{store.AmendmentFilter{Limit: 1, Before: ids[3]}, []int{2}},
		} {
			got := read(t, s, func(tx *store.Tx) ([]store.Amendment, error) { return tx.Amendments(tt.f) })
			var places []int
			for _, a := range got {
				for n, id := range ids {
					if a.ID == id {
						places = append(places, n)
					}
				}
			}
			if diff := cmp.Diff(tt.want, places); diff != "" {
				t.Errorf("filter %d (-want +got):\n%s", i, diff)
			}
		}
		a := read(t, s, func(tx *store.Tx) (store.Amendment, error) { return tx.Amendment(ids[0]) })
		want := store.Amendment{ID: ids[0], At: start, Who: "Ada", Kind: store.AmendSplit, Feed: feed.ID, A: 1, B: 2, Decision: 7, Rule: "R1", Note: "a note",
			Before: []byte(`{}`), Undone: start, UndoneBy: "Bob"}
		if diff := cmp.Diff(want, a); diff != "" {
			t.Errorf("amendment (-want +got):\n%s", diff)
		}
		err := s.Update(context.Background(), func(tx *store.Tx) error { return tx.MarkUndone(ids[0], "Bob", start) })
		if !errors.Is(err, feedonce.ErrConflict) {
			t.Errorf("undone twice: %v", err)
		}
		err = s.View(context.Background(), func(tx *store.Tx) error {
			_, err := tx.Amendment(999)
			return err
		})
		if !errors.Is(err, feedonce.ErrNotFound) {
			t.Errorf("no amendment: %v", err)
		}
	})
}

// An entry with everything in it comes back as it was, also by way of JSON, and so do its versions.
func TestWholeEntries(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed := addFeed(t, s, "https://example.org/feed")
		item := dedup.Item{GUID: "later", Permalink: true, URL: "https://example.org/a", OrigURL: "https://example.org/b", Title: "A &amp; B", Content: "<p>text</p>",
			Summary: "sum", Author: "Ada", Lang: "en", Published: start, Updated: start.Add(1e9), Enclosures: []dedup.Enclosure{{URL: "https://example.org/a.mp3", Type: "audio/mpeg", Length: 7}}}
		w := store.Whole{Feed: feed.ID, GUID: "first", Title: "A & B", Categories: []string{"c"}, Marks: []dedup.Mark{-5, 7}, Revision: 3,
			Entry: dedup.Entry{Item: item, Strict: hash("strict"), Ring: []uint64{1, 1 << 63}, ContentKey: hash("key"), FirstSeen: start, Changed: start.Add(2e9), Streak: 2}}
		var id feedonce.EntryID
		update(t, s, func(tx *store.Tx) (err error) {
			id, err = tx.PutWhole(w)
			return err
		})
		w.Entry.ID = dedup.EntryID(id)
		whole := func(id feedonce.EntryID) store.Whole {
			return read(t, s, func(tx *store.Tx) (store.Whole, error) { return tx.Whole(id) })
		}
		if diff := cmp.Diff(w, whole(id)); diff != "" {
			t.Errorf("entry (-want +got):\n%s", diff)
		}
		// Another one cannot have its content key, and shares a mark; then it is part of the first, and found no more.
		other := w
		other.Entry.ID = 0
		var second feedonce.EntryID
		update(t, s, func(tx *store.Tx) (err error) {
			second, err = tx.PutWhole(other)
			return err
		})
		if got := whole(second); got.Entry.ContentKey != (dedup.Hash{}) {
			t.Errorf("two entries have the content key %x", got.Entry.ContentKey)
		}
		found := func() int {
			return len(read(t, s, func(tx *store.Tx) (*dedup.Known, error) {
				return tx.Known(feed.ID, dedup.Query{Marks: []dedup.Mark{7}})
			}).Entries)
		}
		if n := found(); n != 2 {
			t.Errorf("%d entries have the mark", n)
		}
		other.Entry.ID, other.MergedInto, other.Entry.ContentKey = dedup.EntryID(second), id, dedup.Hash{}
		update(t, s, func(tx *store.Tx) error {
			_, err := tx.PutWhole(other)
			return err
		})
		if diff := cmp.Diff(other, whole(second)); diff != "" || found() != 1 {
			t.Errorf("merged: %d are found (-want +got):\n%s", found(), diff)
		}
		if rows := storetest.Rows(t, s)["entry_marks"]; rows != 2 {
			t.Errorf("%d marks", rows)
		}

		v := store.OldVersion{Revision: 1, Replaced: start.Add(5e9), Title: "A & B", Item: item}
		update(t, s, func(tx *store.Tx) error {
			for _, revision := range []int{1, 2, 2} {
				v.Revision = revision
				if err := tx.PutVersion(id, v); err != nil {
					return err
				}
			}
			return tx.DropVersions(id, 1, 1)
		})
		got := read(t, s, func(tx *store.Tx) ([]store.OldVersion, error) { return tx.OldVersions(id) })
		if diff := cmp.Diff([]store.OldVersion{v}, got); diff != "" {
			t.Errorf("versions (-want +got):\n%s", diff)
		}
		err := s.Update(context.Background(), func(tx *store.Tx) error {
			_, err := tx.PutWhole(store.Whole{Feed: feed.ID, Entry: dedup.Entry{ID: 999}})
			return err
		})
		if !errors.Is(err, feedonce.ErrNotFound) {
			t.Errorf("an entry that is not there: %v", err)
		}
	})
}

// A database of the first version, with articles, versions and verdicts in it, is brought up to date, and what was not
// kept of its versions is the article's own.
func TestMigrateFromTheFirstVersion(t *testing.T) {
	for _, dsn := range []string{storetest.SQLite(t), storetest.EmptyPostgres(t)} {
		first := fstest.MapFS{}
		for _, name := range []string{"sqlite", "postgres"} {
			data, err := fs.ReadFile(os.DirFS("migrations"), name+"/00001_articles.sql")
			if err != nil {
				t.Fatal(err)
			}
			first[name+"/00001_articles.sql"] = &fstest.MapFile{Data: data}
		}
		ctx := context.Background()
		db, err := sqldb.Open(ctx, dsn)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Migrate(ctx, first); err != nil {
			t.Fatal(err)
		}
		zero, no := "zeroblob(16)", "0"
		if db.Dialect() == sqldb.PostgreSQL {
			zero, no = `'\x00000000000000000000000000000000'::bytea`, "false"
		}
		err = db.Update(ctx, func(tx *sqldb.Tx) error {
			for _, statement := range []string{
				`insert into feeds (id, url, url_key, url_hash, added_at) values (1, 'https://example.org/feed', 'example.org/feed', ZERO, 1)`,
				`insert into feed_schedule (feed_id, interval_us) values (1, 1)`,
				`insert into feed_docs (feed_id) values (1)`,
				`insert into entries (id, feed_id, guid, url, title, author, lang, published_at, first_seen_at, changed_at, sort_at, strict, ring, marks, revision)
					select n.n, 1, 'g', 'https://example.org/new', 'New', '', 'en', 7, 5, 6, 5, ZERO, EMPTY, EMPTY, 2 from (select 1 as n union select 2) n`,
				`insert into entry_bodies (entry_id, permalink, orig_url, invalid, summary, content) values (1, NO, '', '', '', 'new'), (2, NO, '', '', '', 'new')`,
				`insert into entry_versions (entry_id, revision, replaced_at, url, title, author, summary, content) values (1, 1, 6, 'https://example.org/old', 'Old', '', '', 'old')`,
				`insert into verdicts (a, b, same, at) values (1, 2, NO, 9)`,
			} {
				empty := strings.Replace(strings.Replace(zero, "16", "0", 1), strings.Repeat("0", 32), "", 1)
				if _, err := tx.Exec(strings.NewReplacer("ZERO", zero, "EMPTY", empty, "NO", no).Replace(statement)); err != nil {
					t.Fatalf("%s: %v", statement, err)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		s := storetest.Open(t, dsn)
		v := read(t, s, func(tx *store.Tx) ([]store.OldVersion, error) { return tx.OldVersions(1) })
		if len(v) != 1 || v[0].Item.GUID != "g" || v[0].Item.Lang != "en" || v[0].Item.Published.UnixMicro() != 7 || v[0].Item.Title != "Old" || v[0].Item.Content != "old" {
			t.Errorf("%s: versions %+v", s.Dialect(), v)
		}
		verdicts := read(t, s, func(tx *store.Tx) ([]store.Verdict, error) { return tx.Verdicts(2) })
		if len(verdicts) != 1 || verdicts[0].Same || verdicts[0].Who != "" {
			t.Errorf("%s: verdicts %+v", s.Dialect(), verdicts)
		}
		if n := read(t, s, func(tx *store.Tx) (int64, error) { return tx.EntryCount(1) }); n != 2 {
			t.Errorf("%s: %d entries", s.Dialect(), n)
		}
	}
}

func TestHeldFilter(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed := addFeed(t, s, "https://example.org/feed")
		d := newDocument(t, s, feed.ID, start)
		for _, title := range []string{"one", "two", "three", "three"} { // the last two are one question
			item := dedup.Item{Title: title, Content: title}
			d.add(item, dedup.Decision{Outcome: dedup.Quarantined, Rule: "Q2"})
			d.in.Items[len(d.in.Items)-1].Identity = hash(title)
		}
		d.mustApply(s)
		held := func(f store.HeldFilter) []store.Held {
			return read(t, s, func(tx *store.Tx) ([]store.Held, error) { return tx.HeldItems(f) })
		}
		all := held(store.HeldFilter{})
		if len(all) != 3 || all[0].Decision.Title != "three" || all[0].FeedName != feed.URL {
			t.Fatalf("held: %+v", all)
		}
		if page := held(store.HeldFilter{Limit: 1, Before: all[0].Decision.ID}); len(page) != 1 || page[0].Decision.Title != "two" {
			t.Errorf("page: %+v", page)
		}
		update(t, s, func(tx *store.Tx) error { return tx.CloseHeld(all[1].Decision.ID, store.HeldRejected, 0, "Ada", start) })
		if n := len(held(store.HeldFilter{Feed: feed.ID})); n != 2 {
			t.Errorf("%d are open", n)
		}
		err := s.Update(context.Background(), func(tx *store.Tx) error {
			return tx.CloseHeld(all[1].Decision.ID, store.HeldAccepted, 1, "Ada", start)
		})
		if !errors.Is(err, feedonce.ErrConflict) {
			t.Errorf("closed twice: %v", err)
		}
		var wrong *feedonce.InvalidError
		err = s.View(context.Background(), func(tx *store.Tx) error {
			_, err := tx.HeldItems(store.HeldFilter{State: "moon"})
			return err
		})
		if !errors.As(err, &wrong) {
			t.Errorf("a state that is none: %v", err)
		}
		update(t, s, func(tx *store.Tx) error { return tx.RemoveFeed(feed.ID) })
		if n := storetest.Rows(t, s)["quarantine"]; n != 0 {
			t.Errorf("%d rows are left of a removed feed", n)
		}
	})
}
