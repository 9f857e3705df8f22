package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// full is an item with every field set.
func full(name string) dedup.Item {
	return dedup.Item{
		GUID: "guid of " + name, Permalink: true, URL: "https://example.com/" + name, OrigURL: "https://orig.example.com/" + name,
		Title: "  <b>Title</b> of\n " + name + " ", Content: "<p>Content of " + name + " — \u2028 \"quoted\" \\ </p>", Summary: "<i>Summary</i> of " + name,
		Author: "Author & Co", Lang: "pt-BR",
		Published: time.Date(1999, 12, 31, 23, 59, 59, 123456000, time.UTC), Updated: time.Date(2026, 2, 28, 1, 2, 3, 4000, time.UTC),
		Enclosures: []dedup.Enclosure{{URL: "https://example.com/a.mp3", Type: "audio/mpeg", Length: 1<<53 + 1}, {URL: "https://example.com/b.jpg"}},
		Invalid:    "a reason",
	}
}

func TestEntryComesBackAsWritten(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed := addFeed(t, s, "https://example.com/feed")
		d := newDocument(t, s, feed.ID, start)
		d.create(full("one"))
		d.create(dedup.Item{})
		e := &d.in.Result.Decisions[0].Write.Entry
		e.Ring = []uint64{1, 1<<64 - 1, 3, 4, 5, 6, 7, 8}
		e.Streak, e.Changed, e.Purged = 7, start.Add(time.Microsecond), true
		d.mustApply(s)

		for i := range d.in.Result.Decisions {
			want := d.in.Result.Decisions[i].Write.Entry
			if want.ID <= 0 {
				t.Fatalf("entry %d was not bound: ID %d", i, want.ID)
			}
			if diff := cmp.Diff(want, known(t, s, feed.ID, want.ID)[want.ID]); diff != "" {
				t.Errorf("entry %d came back different (-written +read):\n%s", i, diff)
			}
			if got := d.in.Result.State.Manifest[i].Entry; got != want.ID {
				t.Errorf("manifest row %d: entry %d, want %d", i, got, want.ID)
			}
		}
	})
}

func TestUpdateKeepsTheVersionBefore(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed := addFeed(t, s, "https://example.com/feed")
		d := newDocument(t, s, feed.ID, start)
		d.create(full("v1"), 1)
		d.mustApply(s)
		e := d.in.Result.Decisions[0].Write.Entry
		const updates = 25
		for i := range updates {
			item := full(fmt.Sprintf("v%d", i+2))
			d = newDocument(t, s, feed.ID, start.Add(time.Duration(i+1)*time.Hour))
			d.change(e, item, 1)
			d.mustApply(s)
			e = d.in.Result.Decisions[0].Write.Entry
		}
		got := read(t, s, func(tx *store.Tx) (feedonce.Entry, error) { return tx.Entry(feedonce.EntryID(e.ID)) })
		last := full("v26")
		want := feedonce.Entry{ID: feedonce.EntryID(e.ID), Feed: feed.ID, GUID: "guid of v1", URL: last.URL, Title: "<b>Title</b> of v26",
			Author: last.Author, Summary: last.Summary, Content: last.Content, Lang: last.Lang,
			Enclosures: []feedonce.Enclosure{{URL: "https://example.com/a.mp3", Type: "audio/mpeg", Length: 1<<53 + 1}, {URL: "https://example.com/b.jpg"}},
			Published:  last.Published, Updated: last.Updated, FirstSeen: start, Changed: start.Add(updates * time.Hour), Revision: updates + 1}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("entry (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(last, known(t, s, feed.ID, e.ID)[e.ID].Item); diff != "" {
			t.Errorf("item (-want +got):\n%s", diff)
		}
		versions := read(t, s, func(tx *store.Tx) ([]feedonce.Version, error) { return tx.Versions(feedonce.EntryID(e.ID)) })
		if len(versions) != 20 {
			t.Fatalf("%d versions, want the latest 20", len(versions))
		}
		v25 := full("v25")
		wantVersion := feedonce.Version{Entry: feedonce.EntryID(e.ID), Revision: 25, Replaced: start.Add(updates * time.Hour), URL: v25.URL,
			Title: "<b>Title</b> of v25", Author: v25.Author, Summary: v25.Summary, Content: v25.Content, Enclosures: want.Enclosures}
		if diff := cmp.Diff(wantVersion, versions[0]); diff != "" {
			t.Errorf("latest version (-want +got):\n%s", diff)
		}
		if r := versions[19].Revision; r != 6 {
			t.Errorf("oldest version kept is revision %d, want 6", r)
		}
	})
}

func TestApplyConflicts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed := addFeed(t, s, "https://example.com/feed")
		first, second := newDocument(t, s, feed.ID, start), newDocument(t, s, feed.ID, start)
		first.create(full("a"))
		second.create(full("b"))
		first.mustApply(s)
		before := storetest.Rows(t, s)
		if err := second.apply(s); !errors.Is(err, feedonce.ErrConflict) {
			t.Errorf("second document on the same number: %v, want ErrConflict", err)
		}
		// A result that was bound is of no more use, also with the right number.
		second.in.Seq++
		if err := second.apply(s); !errors.Is(err, feedonce.ErrConflict) {
			t.Errorf("bound result once more: %v, want ErrConflict", err)
		}
		if diff := cmp.Diff(before, storetest.Rows(t, s)); diff != "" {
			t.Errorf("rows were left (-before +after):\n%s", diff)
		}
	})
}

func TestApplyRefusesNonsense(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed := addFeed(t, s, "https://example.com/feed")
		before := storetest.Rows(t, s)
		for name, f := range map[string]func(*document){
			"no result":                  func(d *document) { d.in.Result = nil },
			"no state":                   func(d *document) { d.in.Result.State = nil },
			"an item that is not there":  func(d *document) { d.in.Items = nil },
			"an unknown outcome":         func(d *document) { d.in.Result.Decisions[0].Outcome = "?" },
			"an entry that is not there": func(d *document) { d.change(dedup.Entry{ID: 999}, full("b")) },
			"an entry without ID":        func(d *document) { d.change(dedup.Entry{}, full("b")) },
		} {
			d := newDocument(t, s, feed.ID, start)
			d.create(full("a"))
			f(d)
			if err := d.apply(s); err == nil || errors.Is(err, feedonce.ErrConflict) {
				t.Errorf("%s: %v, want an error that is no conflict", name, err)
			}
		}
		if diff := cmp.Diff(before, storetest.Rows(t, s)); diff != "" {
			t.Errorf("rows were left (-before +after):\n%s", diff)
		}
	})
}

func TestKeyIsRepointed(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed := addFeed(t, s, "https://example.com/feed")
		d := newDocument(t, s, feed.ID, start)
		d.create(full("a"))
		d.create(full("b"))
		d.mustApply(s)
		a, b := d.in.Result.Decisions[0].Entry, d.in.Result.Decisions[1].Entry
		// The guid of a now stands on b, and b is known by another one besides; twice in the document, as items repeat.
		d = newDocument(t, s, feed.ID, start.Add(time.Hour))
		for range 2 {
			d.add(full("b"), dedup.Decision{Outcome: dedup.Duplicate, Rule: "test", Entry: b, Keys: []dedup.Key{guidKey("guid of a"), guidKey("alias")}})
		}
		d.mustApply(s)
		if keys := read(t, s, func(tx *store.Tx) ([]dedup.Key, error) { return tx.Keys(feedonce.EntryID(a)) }); len(keys) != 0 {
			t.Errorf("entry %d still has keys %v", a, keys)
		}
		keys := read(t, s, func(tx *store.Tx) ([]dedup.Key, error) { return tx.Keys(feedonce.EntryID(b)) })
		var texts []string
		for _, k := range keys {
			if k.Kind != dedup.KeyGUID || k.Hash != hash(k.Text) {
				t.Errorf("key %+v came back different", k)
			}
			texts = append(texts, k.Text)
		}
		slices.Sort(texts)
		if diff := cmp.Diff([]string{"alias", "guid of a", "guid of b"}, texts); diff != "" {
			t.Errorf("keys of entry %d (-want +got):\n%s", b, diff)
		}
		if n := storetest.Rows(t, s)["entry_keys"]; n != 3 {
			t.Errorf("%d rows of keys, want 3", n)
		}
	})
}

// TestContentKeysNeverCostAnArticle: entries may swap their contents, one may take another's, and one that collides is
// stored without its key.
func TestContentKeysNeverCostAnArticle(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed := addFeed(t, s, "https://example.com/feed")
		d := newDocument(t, s, feed.ID, start)
		for _, name := range []string{"a", "b", "c"} {
			d.create(full(name))
		}
		d.mustApply(s)
		var e []dedup.Entry
		for _, dec := range d.in.Result.Decisions {
			e = append(e, dec.Write.Entry)
		}
		keys := func() (keys []dedup.Hash) {
			k := known(t, s, feed.ID, e[0].ID, e[1].ID, e[2].ID)
			for i := range e {
				keys = append(keys, k[e[i].ID].ContentKey)
			}
			return keys
		}
		key := func(name string) dedup.Hash { return hash(full(name).Content) }
		step := func(name string, contents [3]string, want [3]dedup.Hash) {
			d := newDocument(t, s, feed.ID, start)
			for i, c := range contents {
				if c != "" {
					d.change(e[i], full(c))
				}
			}
			if err := d.apply(s); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if diff := cmp.Diff(want[:], keys()); diff != "" {
				t.Errorf("%s: content keys (-want +got):\n%s", name, diff)
			}
		}
		none := dedup.Hash{}
		step("rotate all", [3]string{"b", "c", "a"}, [3]dedup.Hash{key("b"), key("c"), key("a")})
		step("take one that is handed on", [3]string{"c", "x", ""}, [3]dedup.Hash{key("c"), key("x"), key("a")})
		step("both claim one", [3]string{"y", "y", ""}, [3]dedup.Hash{key("y"), none, key("a")})
		step("an outsider has it", [3]string{"a", "", ""}, [3]dedup.Hash{none, none, key("a")})
		step("all back", [3]string{"a", "b", "c"}, [3]dedup.Hash{key("a"), key("b"), key("c")})
	})
}

// TestWritesPastTheSwap shows that the constraint itself holds where somebody writes without the compare-and-swap: while
// Apply waits for the other transaction, it sees nothing of it, and the unique index decides.
func TestWritesPastTheSwap(t *testing.T) {
	ctx := context.Background()
	s := storetest.Open(t, storetest.Postgres(t))
	feed := addFeed(t, s, "https://example.com/feed")
	d := newDocument(t, s, feed.ID, start)
	d.create(full("a"))
	d.mustApply(s)

	// Another transaction gives the article's copy the content key that the next document needs.
	other, err := s.DB().Writer().BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Rollback()
	key := hash(full("b").Content)
	if _, err := other.ExecContext(ctx, `update entries set content_key = $1`, key[:]); err != nil {
		t.Fatal(err)
	}
	d = newDocument(t, s, feed.ID, start)
	d.create(full("b"))
	done := make(chan error, 1)
	go func() { done <- d.apply(s) }()
	for waiting := 0; waiting == 0; {
		select {
		case err := <-done:
			t.Fatalf("Apply did not wait for the other transaction: %v", err)
		default:
		}
		if err := s.DB().Writer().QueryRowContext(ctx, `select count(*) from pg_stat_activity
			where datname = current_database() and wait_event_type = 'Lock'`).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
	}
	if err := other.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, feedonce.ErrConflict) {
		t.Errorf("Apply of a content key that another transaction took: %v, want ErrConflict", err)
	}
	if n := storetest.Rows(t, s)["entries"]; n != 1 {
		t.Errorf("%d entries, want 1", n)
	}
}

// TestOneFeedManyWriters lets workers with their own connections read, decide and store the same articles at once.
func TestOneFeedManyWriters(t *testing.T) {
	storetest.EachDSN(t, func(t *testing.T, dsn string) {
		const workers, rounds = 4, 25
		s := storetest.Open(t, dsn)
		feed := addFeed(t, s, "https://example.com/feed")
		var stored, conflicts atomic.Int64
		var wg sync.WaitGroup
		for w := range workers {
			own := storetest.Open(t, dsn)
			wg.Go(func() {
				for round := range rounds {
					for {
						d := newDocument(t, own, feed.ID, start)
						keys := []dedup.Key{guidKey(fmt.Sprint(round, " a")), guidKey(fmt.Sprint(round, " b"))}
						k := read(t, own, func(tx *store.Tx) (*dedup.Known, error) { return tx.Known(feed.ID, dedup.Query{Keys: keys}) })
						if len(k.Keys) == 2 {
							break // another worker was faster
						}
						d.create(dedup.Item{GUID: keys[0].Text, Content: keys[0].Text}, dedup.Mark(w))
						d.create(dedup.Item{GUID: keys[1].Text, Content: keys[1].Text}, dedup.Mark(w))
						err := d.apply(own)
						if err == nil {
							stored.Add(1)
							break
						}
						if !errors.Is(err, feedonce.ErrConflict) {
							t.Errorf("worker %d, round %d: %v", w, round, err)
							return
						}
						conflicts.Add(1)
					}
				}
			})
		}
		wg.Wait()
		rows := storetest.Rows(t, s)
		if stored.Load() != rounds || rows["entries"] != 2*rounds || rows["entry_keys"] != 2*rounds || rows["decisions"] != 2*rounds {
			t.Errorf("%d documents stored (%d conflicts), rows %v; want %d documents, and 2 entries, keys and decisions for each",
				stored.Load(), conflicts.Load(), rows, rounds)
		}
		if doc := read(t, s, func(tx *store.Tx) (store.FeedDoc, error) { return tx.FeedDoc(feed.ID) }); doc.Seq != rounds {
			t.Errorf("document number %d, want %d", doc.Seq, rounds)
		}
	})
}
