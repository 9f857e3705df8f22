package amend_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/amend"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

func TestDifferent(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		r := newReader(t, s)
		feed, items, a, b := twins(r)
		verdicts := func(id feedonce.EntryID) (all []store.Verdict) {
			r.view(func(tx *store.Tx) (err error) {
				all, err = tx.Verdicts(id)
				return err
			})
			return all
		}
		before := r.everything()
		if err := amend.Different(ctx, s, b, a, by(3)); err != nil {
			t.Fatal(err)
		}
		if v := verdicts(a); len(v) != 1 || v[0].A != a || v[0].B != b || v[0].Same || v[0].Who != "Ada" || !v[0].At.Equal(hours(3)) {
			t.Errorf("verdicts: %+v", v)
		}
		if err := amend.Different(ctx, s, a, b, by(4)); !errors.Is(err, feedonce.ErrExists) {
			t.Errorf("said twice: %v", err)
		}
		r.same(feed, 4, "after saying that they differ", items...)
		if err := amend.Doubt(ctx, s, a, b); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, r.everything()); diff != "" {
			t.Errorf("taken back, something is left (-before +after):\n%s", diff)
		}
		if err := amend.Doubt(ctx, s, a, b); !errors.Is(err, feedonce.ErrNotFound) {
			t.Errorf("taken back twice: %v", err)
		}

		other := r.feed("https://other.example.org/feed")
		third := r.poll(other, 5, news(70)).New[0]
		var invalid *feedonce.InvalidError
		for _, pair := range [][2]feedonce.EntryID{{a, a}, {a, third}} {
			if err := amend.Different(ctx, s, pair[0], pair[1], by(5)); !errors.As(err, &invalid) {
				t.Errorf("of %v: %v", pair, err)
			}
		}
		if err := amend.Different(ctx, s, a, 999, by(5)); !errors.Is(err, feedonce.ErrNotFound) {
			t.Errorf("of nothing: %v", err)
		}
		// What was said before is there again when a merge is undone; and what is one cannot be told to be two.
		if err := amend.Different(ctx, s, a, b, by(6)); err != nil {
			t.Fatal(err)
		}
		am := r.merge(a, b, 7)
		if err := amend.Different(ctx, s, a, b, by(8)); !errors.As(err, &invalid) {
			t.Errorf("of one article: %v", err)
		}
		if err := amend.Doubt(ctx, s, a, b); !errors.Is(err, feedonce.ErrNotFound) {
			t.Errorf("of one article: %v", err)
		}
		if _, err := amend.Undo(ctx, s, am.ID, by(9)); err != nil {
			t.Fatal(err)
		}
		if v := verdicts(b); len(v) != 1 || v[0].Same {
			t.Errorf("verdicts after the merge was undone: %+v", v)
		}
	})
}

// TestDoubtIsNoUndo leaves what was split to Undo.
func TestDoubtIsNoUndo(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		feed := r.feed("https://news.example.org/feed")
		items := articles(6, nil)
		r.poll(feed, 1, items...)
		items[2].guid += "-again"
		r.poll(feed, 2, items...)
		folded := r.decisions(feed, "duplicate")
		if len(folded) != 1 {
			t.Fatalf("%d duplicates, want 1", len(folded))
		}
		am, err := amend.Split(context.Background(), s, folded[0].ID, by(3))
		if err != nil {
			t.Fatal(err)
		}
		var invalid *feedonce.InvalidError
		if err := amend.Doubt(context.Background(), s, am.A, am.B); !errors.As(err, &invalid) {
			t.Errorf("of what was split: %v", err)
		}
	})
}
