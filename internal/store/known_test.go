package store_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"feedonce/dedup"
	"feedonce/internal/sqldb"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

func TestKnownAnswersKeysMarksEntriesAndVerdicts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed := addFeed(t, s, "https://example.com/feed")
		other := addFeed(t, s, "https://other.example/feed")
		const low, high = dedup.Mark(math.MinInt64), dedup.Mark(math.MaxInt64)
		d := newDocument(t, s, feed.ID, start)
		d.create(full("a"), low, 1)
		d.create(full("b"), high)
		d.create(full("c"), 1)
		d.create(full("d"))
		d.create(full("e"), 77)
		d.mustApply(s)
		var e []dedup.Entry
		for _, dec := range d.in.Result.Decisions {
			e = append(e, dec.Write.Entry)
		}
		// The same keys and marks in another feed are another's.
		d = newDocument(t, s, other.ID, start)
		d.create(full("a"), low, high, 1)
		d.mustApply(s)
		foreign := d.in.Result.Decisions[0].Entry
		verdict(t, s, e[0].ID, e[3].ID, true)
		verdict(t, s, e[2].ID, e[4].ID, false)

		for _, c := range []struct {
			name     string
			query    dedup.Query
			keys     []dedup.KnownKey
			entries  []dedup.Entry
			verdicts []dedup.Verdict
		}{
			{name: "nothing"},
			{name: "unknown", query: dedup.Query{Keys: []dedup.Key{guidKey("x")}, Marks: []dedup.Mark{5}, Entries: []dedup.EntryID{1 << 40, -1}}},
			{name: "key", query: dedup.Query{Keys: []dedup.Key{guidKey("guid of b"), guidKey("x")}},
				keys: []dedup.KnownKey{{Key: guidKey("guid of b"), Entry: e[1].ID}}, entries: e[1:2]},
			{name: "key of another kind", query: dedup.Query{Keys: []dedup.Key{{Kind: dedup.KeyLink, Hash: guidKey("guid of b").Hash}}}},
			{name: "marks", query: dedup.Query{Marks: []dedup.Mark{low, high}}, entries: e[0:2],
				verdicts: []dedup.Verdict{{A: e[0].ID, B: e[3].ID, Same: true}}},
			{name: "shared mark", query: dedup.Query{Marks: []dedup.Mark{1}}, entries: []dedup.Entry{e[0], e[2]},
				verdicts: []dedup.Verdict{{A: e[0].ID, B: e[3].ID, Same: true}, {A: e[2].ID, B: e[4].ID}}},
			{name: "all at once, each entry once", query: dedup.Query{Keys: []dedup.Key{guidKey("guid of a"), guidKey("guid of e")},
				Marks: []dedup.Mark{1, low, 77}, Entries: []dedup.EntryID{e[0].ID, e[3].ID, foreign}},
				keys:     []dedup.KnownKey{{Key: guidKey("guid of a"), Entry: e[0].ID}, {Key: guidKey("guid of e"), Entry: e[4].ID}},
				entries:  []dedup.Entry{e[0], e[2], e[3], e[4]},
				verdicts: []dedup.Verdict{{A: e[0].ID, B: e[3].ID, Same: true}, {A: e[2].ID, B: e[4].ID}}},
		} {
			var got *dedup.Known
			w := storetest.Measure(t, s, func() {
				got = read(t, s, func(tx *store.Tx) (*dedup.Known, error) { return tx.Known(feed.ID, c.query) })
			})
			want := int64(1)
			if c.query.Empty() {
				want = 0
			}
			if w.Statements != want || w.Total() != 0 {
				t.Errorf("%s: %v; want %d statements and no writes", c.name, w, want)
			}
			sortKnown(got)
			if diff := cmp.Diff(&dedup.Known{Keys: c.keys, Entries: c.entries, Verdicts: c.verdicts}, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.name, diff)
			}
		}
	})
}

func sortKnown(k *dedup.Known) {
	slices.SortFunc(k.Keys, func(a, b dedup.KnownKey) int { return int(a.Entry - b.Entry) })
	slices.SortFunc(k.Entries, func(a, b dedup.Entry) int { return int(a.ID - b.ID) })
	slices.SortFunc(k.Verdicts, func(a, b dedup.Verdict) int { return int(a.A - b.A) })
}

func verdict(t *testing.T, s *store.Store, a, b dedup.EntryID, same bool) {
	t.Helper()
	if err := s.DB().Update(context.Background(), func(tx *sqldb.Tx) error {
		_, err := tx.Exec("insert into verdicts (a, b, same, at) values ($1, $2, $3, $4)", int64(a), int64(b), same, start.UnixMicro())
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func TestKnownReturnsTheNewestOfAMark(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed := addFeed(t, s, "https://example.com/feed")
		const many = 3 * dedup.MaxPerMark
		d := newDocument(t, s, feed.ID, start)
		for i := range many {
			marks := []dedup.Mark{1, 1}
			if i < dedup.MaxPerMark {
				marks = append(marks, 2)
			}
			if i < 3 {
				marks = append(marks, 3)
			}
			d.create(dedup.Item{GUID: fmt.Sprint(i)}, marks...)
		}
		d.mustApply(s)
		first := d.in.Result.Decisions[0].Entry
		for mark, want := range map[dedup.Mark][2]dedup.EntryID{
			1: {first + many - dedup.MaxPerMark, first + many}, 2: {first, first + dedup.MaxPerMark}, 3: {first, first + 3},
		} {
			k := read(t, s, func(tx *store.Tx) (*dedup.Known, error) {
				return tx.Known(feed.ID, dedup.Query{Marks: []dedup.Mark{mark}})
			})
			sortKnown(k)
			if n := dedup.EntryID(len(k.Entries)); n != want[1]-want[0] || k.Entries[0].ID != want[0] {
				t.Errorf("mark %d: %d entries from %d on, want those from %d to before %d", mark, n, k.Entries[0].ID, want[0], want[1])
			}
		}
	})
}

func TestMarksFollowTheEntry(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed := addFeed(t, s, "https://example.com/feed")
		d := newDocument(t, s, feed.ID, start)
		d.create(full("a"), 1, 2, 3)
		d.mustApply(s)
		a := d.in.Result.Decisions[0].Write.Entry
		item := full("a")
		item.Title = "other"
		d = newDocument(t, s, feed.ID, start.Add(time.Hour))
		d.change(a, item, 4, 3, 3, -5)
		d.mustApply(s)
		for mark, want := range map[dedup.Mark]int{1: 0, 2: 0, 3: 1, 4: 1, -5: 1} {
			k := read(t, s, func(tx *store.Tx) (*dedup.Known, error) {
				return tx.Known(feed.ID, dedup.Query{Marks: []dedup.Mark{mark}})
			})
			if len(k.Entries) != want {
				t.Errorf("mark %d finds %d entries, want %d", mark, len(k.Entries), want)
			}
		}
		if n := storetest.Rows(t, s)["entry_marks"]; n != 3 {
			t.Errorf("%d rows of marks, want 3", n)
		}
	})
}
