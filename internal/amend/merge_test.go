package amend_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/amend"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// twins is a feed with an article that stands there under two identities which nothing connects.
func twins(r *reader) (feed feedonce.FeedID, items []item, a, b feedonce.EntryID) {
	feed = r.feed("https://news.example.org/feed")
	items = articles(6, nil)
	rep := r.poll(feed, 1, items...)
	a = rep.New[0]
	other := news(60)
	other.date = hours(1)
	items = append([]item{other}, items...)
	rep = r.poll(feed, 2, items...)
	return feed, items, a, rep.New[0]
}

func TestMerge(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		feed, items, a, b := twins(r)
		items[0].text += " An edit of the younger one."
		r.poll(feed, 3, items...)
		before := r.everything()

		am := r.merge(b, a, 4)
		if am.A != a || am.B != b || am.Kind != store.AmendMerge {
			t.Errorf("amendment: %+v", am)
		}
		if e := r.entry(a); e.Title != items[0].title || e.Summary != items[0].text || e.GUID != items[1].guid || e.Revision != 3 {
			t.Errorf("merged: %+v", e)
		}
		if e := r.entry(b); e.MergedInto != a {
			t.Errorf("the younger one: %+v", e)
		}
		r.view(func(tx *store.Tx) error {
			entries, err := tx.Entries(store.EntryFilter{Feed: feed})
			if slices.ContainsFunc(entries, func(e feedonce.Entry) bool { return e.ID == b }) || len(entries) != 6 {
				t.Errorf("the list has %d entries, and %d; %v", len(entries), b, err)
			}
			if n, err := tx.EntryCount(feed); n != 6 || err != nil {
				t.Errorf("%d entries are counted, %v", n, err)
			}
			if d, err := tx.Decisions(store.DecisionFilter{Entry: a}); len(d) != 3 {
				t.Errorf("decisions: %+v, %v; want new, new and updated", d, err)
			}
			if v, err := tx.Versions(a); len(v) != 2 {
				t.Errorf("versions: %+v, %v; want the old text of each", v, err)
			}
			if keys, err := tx.Keys(a); len(keys) != 2 {
				t.Errorf("keys: %+v, %v", keys, err)
			}
			found, err := tx.FindEntries(items[0].guid)
			if len(found) != 1 || found[0].ID != a {
				t.Errorf("by the younger one's guid is found %+v", found)
			}
			return err
		})
		r.same(feed, 5, "merged, both", items...)
		r.same(feed, 6, "merged, the older one", items[1:]...)
		r.same(feed, 7, "merged, the younger one", slices.Concat(items[:1], items[2:])...)
		r.same(feed, 8, "merged, both", items...)

		r.undo(9)
		now := r.everything()
		for _, m := range []map[string][]string{before, now} {
			delete(m, "state") // documents came
		}
		if diff := cmp.Diff(before, now); diff != "" {
			t.Errorf("undone (-before +after):\n%s", diff)
		}
		r.same(feed, 10, "undone", items...)
	})
}

func TestMergeAndLaterEdits(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		feed, items, a, b := twins(r)
		r.merge(a, b, 3)
		// The younger one alone, rewritten altogether: still the same article, as a person said so.
		alone := slices.Concat(items[:1], items[2:])
		r.poll(feed, 4, alone...)
		alone[0].title, alone[0].text, alone[0].date, alone[0].link = "The "+prose(300, 5), prose(301, 60), hours(5), "https://news.example.org/x/"+prose(302, 1)
		rep := r.poll(feed, 5, alone...)
		if rep.Counts != (feedonce.Counts{Updated: 1, Unchanged: 5}) || r.entry(a).Title != alone[0].title {
			t.Errorf("rewritten: %+v\n%s", rep.Counts, explain(rep))
		}
		r.same(feed, 6, "rewritten", alone...)

		// Undone, the edit goes with the one it was of.
		r.undo(7)
		if e := r.entry(b); e.Title != alone[0].title || e.Revision != 2 || e.MergedInto != 0 {
			t.Errorf("the younger one: %+v", e)
		}
		if e := r.entry(a); e.Title != items[1].title || e.Revision != 1 {
			t.Errorf("the older one: %+v", e)
		}
		r.view(func(tx *store.Tx) error {
			if v, err := tx.Versions(b); err != nil || len(v) != 1 || v[0].Title != items[0].title {
				t.Errorf("versions of the younger one: %+v, %v", v, err)
			}
			v, err := tx.Versions(a)
			if len(v) != 0 {
				t.Errorf("versions of the older one: %+v", v)
			}
			return err
		})
		r.same(feed, 8, "undone", alone...)
		r.same(feed, 9, "undone, with the older one", slices.Concat(alone[:1], items[1:])...)

		// An edit of the older one stays with that.
		r.merge(a, b, 10)
		old := slices.Clone(items[1:])
		r.poll(feed, 11, old...)
		old[0].text += " The older one is edited, too."
		if rep := r.poll(feed, 12, old...); rep.Counts.Updated != 1 || r.entry(a).Summary != old[0].text {
			t.Errorf("an edit of the older one: %+v\n%s", rep.Counts, explain(rep))
		}
		r.undo(13)
		if r.entry(a).Summary != old[0].text || r.entry(b).Title != alone[0].title {
			t.Errorf("undone: %+v and %+v", r.entry(a), r.entry(b))
		}
		r.same(feed, 14, "undone again", slices.Concat(alone[:1], old)...)
	})
}

func TestMergeOfEqualTextsAndUndoInOrder(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		ctx := context.Background()
		feed := r.feed("https://news.example.org/feed")
		items := articles(6, nil)
		ids := r.poll(feed, 1, items...).New
		before := r.everything()
		first := r.merge(ids[0], ids[1], 2)
		second := r.merge(ids[0], ids[2], 3)
		third := r.merge(ids[3], ids[0], 4)
		if third.A != ids[0] || third.B != ids[3] {
			t.Errorf("third: %+v", third)
		}
		r.same(feed, 5, "four are one", items...)
		var wrong *feedonce.InvalidError
		if _, err := amend.Undo(ctx, s, first.ID, by(6)); !errors.As(err, &wrong) {
			t.Errorf("undoing the first while others hold: %v", err)
		}
		if _, err := amend.Merge(ctx, s, ids[0], ids[2], by(6)); !errors.As(err, &wrong) {
			t.Errorf("merging what is merged: %v", err)
		}
		if _, err := amend.Merge(ctx, s, ids[0], ids[0], by(6)); !errors.As(err, &wrong) {
			t.Errorf("merging one with itself: %v", err)
		}
		if _, err := amend.Merge(ctx, s, ids[0], 999_999, by(6)); !errors.Is(err, feedonce.ErrNotFound) {
			t.Errorf("merging with nothing: %v", err)
		}
		for _, want := range []int64{third.ID, second.ID, first.ID} {
			if am := r.undo(7); am.ID != want || am.Undone.IsZero() || am.UndoneBy != "Ada" {
				t.Errorf("undone %+v, want %d", am, want)
			}
		}
		r.want("all undone", before)
		r.same(feed, 8, "all undone", items...)
	})
}

// Both stand in the feed, and each is edited in its turn.
func TestMergeAndEditsOfBoth(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		feed, items, a, b := twins(r)
		r.merge(a, b, 3)
		for i, hour := range []int{4, 16, 28, 40} {
			it := &items[i%2]
			it.title, it.text = "The "+prose(uint64(700+i), 5), prose(uint64(800+i), 60)
			rep := r.poll(feed, hour, items...)
			if rep.Counts.New != 0 || rep.Counts.Total() != 7 || rep.Counts.Updated != 1 {
				t.Errorf("edit %d: %+v\n%s", i, rep.Counts, explain(rep))
			}
			if e := r.entry(a); e.Summary != it.text {
				t.Errorf("edit %d is not shown", i)
			}
			r.same(feed, hour+1, "after an edit", items...)
		}
	})
}

// Merging what was split, and splitting what was merged.
func TestMergeAfterSplit(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		feed := r.feed("https://news.example.org/feed")
		items := articles(6, nil)
		r.poll(feed, 1, items...)
		both := append([]item{again(items[0], "again")}, items...)
		r.poll(feed, 2, both...)
		am := r.split(r.decisions(feed, "duplicate")[0].ID, 3)
		split := r.everything()
		r.merge(am.A, am.B, 4)
		r.same(feed, 5, "split and merged", both...)
		r.undo(6)
		r.want("split, merged, undone", split)
		r.same(feed, 7, "split, merged, undone", both...)
		r.undo(8)
		r.same(feed, 9, "all undone", both...)
	})
}
