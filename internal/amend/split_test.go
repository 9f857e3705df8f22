package amend_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/amend"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// again is an article under another guid.
func again(it item, guid string) item {
	it.guid = guid
	return it
}

// everything reads all that undoing must put back: entries, versions, keys, marks, verdicts, states, policies and stories
// of all feeds, by their columns. What only grows is left out: decisions, amendments, and entries that are part of others.
func (r *reader) everything() map[string][]string {
	r.t.Helper()
	all := map[string][]string{}
	r.view(func(tx *store.Tx) error {
		feeds, err := tx.Feeds()
		if err != nil {
			return err
		}
		for _, f := range feeds {
			add := func(kind string, v any) {
				b, err := json.Marshal(v)
				if err != nil {
					r.t.Fatal(err)
				}
				all[kind] = append(all[kind], string(b))
			}
			doc, err := tx.FeedDoc(f.ID)
			if err != nil {
				return err
			}
			add("state", string(doc.State))
			add("policy", doc.Policy)
			entries, err := tx.Entries(store.EntryFilter{Feed: f.ID, Limit: 1000})
			if err != nil {
				return err
			}
			for _, e := range entries {
				w, err := tx.Whole(e.ID)
				if err != nil {
					return err
				}
				w.Entry.ContentKey = dedup.Hash{} // a guard of the database, which may be missing
				add("entry", w)
				versions, err := tx.OldVersions(e.ID)
				if err != nil {
					return err
				}
				add("versions", versions)
				keys, err := tx.Keys(e.ID)
				if err != nil {
					return err
				}
				add("keys", keys)
				verdicts, err := tx.Verdicts(e.ID)
				if err != nil {
					return err
				}
				add("verdicts", verdicts)
				known, err := tx.Known(f.ID, dedup.Query{Marks: w.Marks})
				if err != nil {
					return err
				}
				var found []dedup.EntryID
				for _, k := range known.Entries {
					found = append(found, k.ID)
				}
				slices.Sort(found)
				add("found by marks", found)
			}
		}
		stories, err := tx.Stories(store.StoryFilter{})
		for _, s := range stories {
			m, err := tx.Memberships(s.ID)
			if err != nil {
				return err
			}
			for _, row := range m {
				b, _ := json.Marshal(row)
				all["story"] = append(all["story"], string(b))
			}
		}
		return err
	})
	return all
}

func (r *reader) split(decision int64, hour int) store.Amendment {
	r.t.Helper()
	am, err := amend.Split(context.Background(), r.s, decision, by(hour))
	if err != nil {
		r.t.Fatalf("split: %v", err)
	}
	return am
}

func (r *reader) merge(a, b feedonce.EntryID, hour int) store.Amendment {
	r.t.Helper()
	am, err := amend.Merge(context.Background(), r.s, a, b, by(hour))
	if err != nil {
		r.t.Fatalf("merge: %v", err)
	}
	return am
}

func (r *reader) undo(hour int) store.Amendment {
	r.t.Helper()
	am, err := amend.Undo(context.Background(), r.s, 0, by(hour))
	if err != nil {
		r.t.Fatalf("undo: %v", err)
	}
	return am
}

func (r *reader) want(what string, before map[string][]string) {
	r.t.Helper()
	if diff := cmp.Diff(before, r.everything()); diff != "" {
		r.t.Errorf("%s (-before +after):\n%s", what, diff)
	}
}

func TestSplitDuplicate(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		feed := r.feed("https://news.example.org/feed")
		items := articles(6, nil)
		r.poll(feed, 1, items...)
		r.poll(feed, 2, append([]item{again(items[0], "again")}, items[1:]...)...)
		second := append([]item{again(items[0], "again")}, items...) // both stand there now
		r.poll(feed, 3, second...)
		duplicates := r.decisions(feed, "duplicate")
		if len(duplicates) != 1 {
			t.Fatalf("duplicates: %+v", duplicates)
		}
		d := duplicates[0]
		before := r.everything()

		am := r.split(d.ID, 4)
		if am.A != d.Entry || am.B == 0 || am.B == am.A || am.Rule != d.Rule || am.Decision != d.ID || am.Who != "Ada" || !strings.Contains(am.Note, "Ada said that entry") {
			t.Errorf("amendment: %+v", am)
		}
		if e := r.entry(am.B); e.GUID != "again" || e.Title != items[0].title || e.Summary != items[0].text || e.Revision != 1 {
			t.Errorf("split off: %+v", e)
		}
		news := r.decisions(feed, "new")
		if n := news[0]; n.Entry != am.B || n.Rule != "U1" || !n.Told || n.Quiet != "" {
			t.Errorf("its decision: %+v", n)
		}
		r.view(func(tx *store.Tx) error {
			v, err := tx.Verdicts(am.A)
			if len(v) != 1 || v[0].A != am.A || v[0].B != am.B || v[0].Same || v[0].Who != "Ada" || v[0].Rule != d.Rule || !v[0].At.Equal(hours(4)) {
				t.Errorf("verdicts: %+v", v)
			}
			for _, id := range []feedonce.EntryID{am.A, am.B} {
				if w, err := tx.Whole(id); err != nil || w.Entry.ContentKey != (dedup.Hash{}) || len(w.Marks) == 0 {
					t.Errorf("entry %d: %+v, %v", id, w, err)
				}
			}
			return err
		})
		if _, err := amend.Split(context.Background(), s, d.ID, by(4)); !errors.Is(err, feedonce.ErrExists) {
			t.Errorf("splitting twice: %v", err)
		}

		// Known for ever, under both identities, together and alone.
		r.same(feed, 5, "both", second...)
		r.same(feed, 6, "the old one", items...)
		r.same(feed, 7, "the other one", append([]item{again(items[0], "again")}, items[1:]...)...)
		r.same(feed, 8, "both again", second...)

		// Exactly undone.
		r.undo(9)
		r.poll(feed, 10, second...)
		now := r.everything()
		delete(before, "state")
		delete(now, "state")
		if diff := cmp.Diff(before, now); diff != "" {
			t.Errorf("undone (-before +after):\n%s", diff)
		}
		if e := r.entry(am.B); e.MergedInto != am.A {
			t.Errorf("entry %d is part of %d, want %d", am.B, e.MergedInto, am.A)
		}
		r.same(feed, 11, "undone, both", second...)
		r.same(feed, 12, "undone, the other one", append([]item{again(items[0], "again")}, items[1:]...)...)
		var wrong *feedonce.InvalidError
		if _, err := amend.Undo(context.Background(), s, am.ID, by(13)); !errors.As(err, &wrong) {
			t.Errorf("undone twice: %v", err)
		}
		if _, err := amend.Undo(context.Background(), s, 0, by(13)); !errors.Is(err, feedonce.ErrNotFound) {
			t.Errorf("nothing to undo: %v", err)
		}
		// And it can be split again.
		if am := r.split(d.ID, 14); am.B == 0 {
			t.Errorf("split again: %+v", am)
		}
		r.same(feed, 15, "split again", second...)
	})
}

func TestSplitDuplicateThatIsEditedLater(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		feed := r.feed("https://news.example.org/feed")
		items := articles(6, nil)
		r.poll(feed, 1, items...)
		both := append([]item{again(items[0], "again")}, items...)
		r.poll(feed, 2, both...)
		d := r.decisions(feed, "duplicate")
		if len(d) != 1 {
			t.Fatalf("duplicates: %+v", d)
		}
		am := r.split(d[0].ID, 3)
		both[0].title, both[0].text = "The "+prose(4711, 5), prose(4712, 60)
		rep := r.poll(feed, 4, both...)
		if rep.Counts != (feedonce.Counts{Updated: 1, Unchanged: 6}) || r.entry(am.B).Title != both[0].title || r.entry(am.A).Title != items[0].title {
			t.Errorf("an edit of what was split off: %+v\n%s", rep.Counts, explain(rep))
		}
		both[1].text += " An addition."
		rep = r.poll(feed, 5, both...)
		if rep.Counts != (feedonce.Counts{Updated: 1, Unchanged: 6}) || r.entry(am.A).Summary != both[1].text {
			t.Errorf("an edit of the old one: %+v\n%s", rep.Counts, explain(rep))
		}
		r.same(feed, 6, "after both edits", both...)

		// Undone now, the older one has the texts of both.
		r.undo(7)
		r.view(func(tx *store.Tx) error {
			versions, err := tx.OldVersions(am.A)
			texts := map[string]bool{r.entry(am.A).Summary: true}
			for _, v := range versions {
				texts[v.Item.Summary] = true
			}
			for _, text := range []string{items[0].text, both[0].text, both[1].text} {
				if !texts[text] {
					t.Errorf("a text is lost: %.40q…", text)
				}
			}
			return err
		})
		r.same(feed, 8, "undone", both...)
	})
}

// A publisher uses a guid again for an article that the rules took for an edit of the old one.
func TestSplitUpdate(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		feed := r.feed("https://news.example.org/feed")
		items := articles(6, nil)
		r.poll(feed, 1, items...)
		old := items[0]
		edited := old
		edited.text += " With a first addition."
		items[0] = edited
		r.poll(feed, 2, items...)
		items[0].title, items[0].text, items[0].date = "The "+prose(500, 5), prose(501, 60), hours(2)
		rep := r.poll(feed, 3, items...)
		if rep.Counts != (feedonce.Counts{Updated: 1, Unchanged: 5}) {
			t.Fatalf("the guid again: %+v\n%s", rep.Counts, explain(rep))
		}
		d := r.decisions(feed, "updated")[0]
		items[0].text += " Edited later."
		r.poll(feed, 4, items...)
		before := r.everything()
		a := r.entry(d.Entry)
		if a.Revision != 4 {
			t.Fatalf("revision %d", a.Revision)
		}

		am := r.split(d.ID, 5)
		if e := r.entry(am.A); e.Title != old.title || e.Summary != edited.text || e.Revision != 2 || !e.Published.Equal(old.date) {
			t.Errorf("the old article: %+v", e)
		}
		if e := r.entry(am.B); e.Title != items[0].title || e.Summary != items[0].text || e.Revision != 2 || !e.Published.Equal(items[0].date) || !e.FirstSeen.Equal(hours(3)) {
			t.Errorf("the new article: %+v", e)
		}
		r.view(func(tx *store.Tx) error {
			for id, text := range map[feedonce.EntryID]string{am.A: old.text, am.B: strings.TrimSuffix(items[0].text, " Edited later.")} {
				v, err := tx.Versions(id)
				if err != nil || len(v) != 1 || v[0].Summary != text || v[0].Revision != 1 {
					t.Errorf("versions of %d: %+v, %v", id, v, err)
				}
			}
			return nil
		})
		r.same(feed, 6, "split", items...)
		// A cache that still shows the old article brings nothing.
		stale := append([]item{edited}, items[1:]...)
		for hour, doc := range [][]item{stale, items, stale, items} {
			if rep := r.poll(feed, 7+hour, doc...); rep.Counts.New != 0 || rep.Counts.Total() != 6 {
				t.Errorf("a stale copy, document %d: %+v\n%s", hour, rep.Counts, explain(rep))
			}
		}
		if r.entry(am.A).Summary != edited.text || r.entry(am.B).Summary != items[0].text {
			t.Errorf("after a stale copy the old article is %q, the new one %q", r.entry(am.A).Summary, r.entry(am.B).Summary)
		}

		r.undo(20)
		now := r.everything()
		for _, m := range []map[string][]string{before, now} {
			delete(m, "state")
			delete(m, "keys") // of the stale copies
		}
		if diff := cmp.Diff(before, now); diff != "" {
			t.Errorf("undone (-before +after):\n%s", diff)
		}
		r.same(feed, 21, "undone", items...)

		am = r.split(d.ID, 22)
		items[0].text += " And edited again."
		if rep := r.poll(feed, 23, items...); rep.Counts.Updated != 1 || r.entry(am.B).Summary != items[0].text {
			t.Errorf("a later edit: %+v\n%s", rep.Counts, explain(rep))
		}
		r.undo(24)
		if e := r.entry(am.A); e.Summary != items[0].text || e.Revision != 5 {
			t.Errorf("undone after a later edit: %+v", e)
		}
		r.same(feed, 25, "undone after a later edit", items...)
	})
}

func TestSplitOfWhatIsNoFold(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		feed := r.feed("https://news.example.org/feed")
		r.poll(feed, 1, news(1))
		var wrong *feedonce.InvalidError
		if _, err := amend.Split(context.Background(), s, r.decisions(feed, "new")[0].ID, by(2)); !errors.As(err, &wrong) || wrong.Field != "decision" {
			t.Errorf("splitting what is new: %v", err)
		}
		if _, err := amend.Split(context.Background(), s, 999_999, by(2)); !errors.Is(err, feedonce.ErrNotFound) {
			t.Errorf("splitting nothing: %v", err)
		}
	})
}

func TestRuleThatIsReversedTwiceOnlyRaisesSuspicion(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		feed := r.feed("https://news.example.org/feed")
		items := articles(8, nil)
		r.poll(feed, 1, items...)
		both := append([]item{again(items[0], "again-0"), again(items[1], "again-1")}, items...)
		r.poll(feed, 2, both...)
		d := r.decisions(feed, "duplicate")
		if len(d) != 2 || d[0].Rule != d[1].Rule {
			t.Fatalf("duplicates: %+v", d)
		}
		if am := r.split(d[0].ID, 3); strings.Contains(am.Note, "second time") {
			t.Errorf("the first split says %q", am.Note)
		}
		am := r.split(d[1].ID, 3)
		if !strings.Contains(am.Note, "only raises suspicion") {
			t.Errorf("the second split says %q", am.Note)
		}
		rule := dedup.RuleID(d[0].Rule)
		both = append([]item{again(items[2], "again-2")}, both...)
		rep := r.poll(feed, 4, both...)
		if rep.Counts.New != 1 || !strings.Contains(explain(rep), "may only raise suspicion") {
			t.Errorf("the rule folds still: %+v\n%s", rep.Counts, explain(rep))
		}
		r.view(func(tx *store.Tx) error {
			f, err := tx.Feed(feed)
			if !strings.Contains(f.Warning, string(rule)+" ("+dedup.RuleByID(rule).Name+")") {
				t.Errorf("nobody sees it: warning %q", f.Warning)
			}
			return err
		})
		r.undo(5)
		r.view(func(tx *store.Tx) error {
			f, err := tx.Feed(feed)
			if f.Policy != "" {
				t.Errorf("undone, the policy is %s", f.Policy)
			}
			return err
		})
		both = append([]item{again(items[3], "again-3")}, both...)
		if rep := r.poll(feed, 6, both...); rep.Counts.Duplicate != 1 || rep.Counts.New != 0 {
			t.Errorf("undone, the rule does not fold: %+v\n%s", rep.Counts, explain(rep))
		}
	})
}

// An article that moved is a duplicate whose address and date the entry took over: the old one gets its own back.
func TestSplitOfWhatMoved(t *testing.T) {
	move := func(it *item, n int) {
		it.link = "https://moved.example.org/archive/" + prose(uint64(n)+70, 1)
		if it.guid != "" {
			it.guid += "-moved"
		}
	}
	for name, change := range map[string]func(*item, int){
		"with guids": nil,
		"no guids":   func(it *item, _ int) { it.guid = "" },
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, s *store.Store) {
				r := newReader(t, s)
				feed := r.feed("https://news.example.org/feed")
				items := articles(8, change)
				r.poll(feed, 1, items...)
				moved := slices.Clone(items)
				for i := range moved {
					move(&moved[i], i)
					if moved[i].guid == "" {
						moved[i].date = moved[i].date.Add(time.Hour) // the date was the identity
					}
				}
				rep := r.poll(feed, 2, moved...)
				r.poll(feed, 3, moved...)
				duplicates := r.decisions(feed, "duplicate")
				if len(duplicates) != 8 {
					t.Fatalf("%+v\n%s", rep.Counts, explain(rep))
				}
				d := duplicates[3]
				n := slices.IndexFunc(moved, func(it item) bool { return it.link == d.URL })
				am := r.split(d.ID, 4)
				a, b := r.entry(am.A), r.entry(am.B)
				if !strings.HasPrefix(a.URL, "https://news.example.org/") || a.GUID != items[n].guid || !a.Published.Equal(items[n].date) || b.URL != moved[n].link || b.GUID != moved[n].guid {
					t.Errorf("split into %+v\nand %+v", a, b)
				}
				r.same(feed, 5, "split", moved...)
				moved[n].text += " An edit."
				if rep := r.poll(feed, 6, moved...); rep.Counts != (feedonce.Counts{Updated: 1, Unchanged: 7}) || r.entry(am.B).Summary != moved[n].text {
					t.Errorf("an edit: %+v\n%s", rep.Counts, explain(rep))
				}
				r.same(feed, 7, "the old one comes back", slices.Concat(moved, items[n:n+1])...)
				r.undo(8)
				r.same(feed, 9, "undone", slices.Concat(moved, items[n:n+1])...)
			})
		})
	}
}
