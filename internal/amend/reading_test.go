package amend_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/amend"
	"feedonce/internal/sqldb"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// user adds somebody who follows feeds from the start.
func (r *reader) user(name string, feeds ...feedonce.FeedID) feedonce.UserID {
	r.t.Helper()
	var u feedonce.User
	r.update(func(tx *store.Tx) (err error) {
		if u, err = tx.AddUser(feedonce.User{Name: name, Role: feedonce.RoleReader, Created: noon}); err != nil {
			return err
		}
		for _, f := range feeds {
			if err := tx.Follow(feedonce.Subscription{User: u.ID, Feed: f, Added: noon}); err != nil {
				return err
			}
		}
		return nil
	})
	return u.ID
}

// unread is what a user has not read: of a feed (0: of all, each story once), the newest first, as titles.
func (r *reader) unread(user feedonce.UserID, feed feedonce.FeedID) (ids []feedonce.EntryID) {
	r.t.Helper()
	r.view(func(tx *store.Tx) error {
		ids = nil
		rows, err := tx.River(store.RiverFilter{User: user, Scope: store.Scope{Feed: feed}})
		for _, row := range rows {
			ids = append(ids, row.Entry.ID)
			if !row.State.Unread {
				r.t.Errorf("entry %d is in the list of what is unread, and its state says that it is not", row.Entry.ID)
			}
		}
		return err
	})
	return ids
}

// agrees fails unless what is unread agrees with itself and with the stories: each group has the entry it is named after, and
// is exactly what the user has unread of one story, or one entry.
func (r *reader) agrees(when string) {
	r.t.Helper()
	type row struct{ User, Entry, Group, Story int64 }
	var rows []row
	r.view(func(tx *store.Tx) (err error) {
		rows, err = sqldb.All(tx.Tx, func(s sqldb.Scanner) (row, error) {
			var x row
			return x, s.Scan(&x.User, &x.Entry, &x.Group, &x.Story)
		}, `select u.user_id, u.entry_id, u.group_id, coalesce(m.story_id, 0) from unread u left join story_members m on m.entry_id = u.entry_id and m.kind = 'member'`)
		return err
	})
	for _, x := range rows {
		if !slices.ContainsFunc(rows, func(o row) bool { return o.User == x.User && o.Entry == x.Group && o.Group == o.Entry }) {
			r.t.Errorf("%s: %+v is of a group that nothing stands for", when, x)
		}
		for _, o := range rows {
			if o.User == x.User && o != x && (o.Group == x.Group) != (x.Story != 0 && o.Story == x.Story) {
				r.t.Errorf("%s: %+v and %+v are one group or one story, and not both", when, x, o)
			}
		}
	}
}

func (r *reader) markRead(user feedonce.UserID, hour int, ids ...feedonce.EntryID) {
	r.t.Helper()
	r.update(func(tx *store.Tx) error {
		_, err := tx.MarkRead(user, hours(hour), ids...)
		return err
	})
}

// wantUnread fails unless a user has exactly these articles unread, each story once.
func (r *reader) wantUnread(when string, user feedonce.UserID, feed feedonce.FeedID, want ...feedonce.EntryID) {
	r.t.Helper()
	got := r.unread(user, feed)
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		r.t.Errorf("%s: unread of feed %d for user %d (-want +got):\n%s", when, feed, user, diff)
	}
	r.agrees(when)
}

func (r *reader) newest(feed feedonce.FeedID) feedonce.EntryID {
	r.t.Helper()
	return r.last(feed).Entry
}

func TestReading(t *testing.T) {
	const wire, mirror = "https://wire.example.org/feed", "https://mirror.example.net/feed"
	story := news(1)
	story.date = hours(1)
	copied := story
	copied.guid = "copy-1"

	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		a, b := r.feed(wire), r.feed(mirror)
		one, other := r.user("one", a, b), r.user("other", b)
		r.poll(a, 0, own(wire, 1))
		r.poll(b, 0, own(mirror, 1))
		first, second := r.newest(a), r.newest(b)
		r.wantUnread("at first", one, 0, first, second)
		r.wantUnread("at first", other, 0, second)

		r.poll(a, 1, own(wire, 1), story)
		lead := r.newest(a)
		r.wantUnread("with the story", one, 0, first, second, lead)
		r.poll(b, 2, own(mirror, 1), copied)
		copy := r.newest(b)
		r.wantUnread("with a copy: the story is there once", one, 0, first, second, lead)
		r.wantUnread("the feed of the copy has it", one, b, second, copy)
		r.wantUnread("who follows one feed has its copy", other, 0, second, copy)
		r.view(func(tx *store.Tx) error {
			c, err := tx.UnreadCounts(one)
			if want := (store.Counts{All: 3, Feeds: map[feedonce.FeedID]int64{a: 2, b: 2}, Folders: map[string]int64{}}); err == nil {
				if diff := cmp.Diff(want, c); diff != "" {
					t.Errorf("counts (-want +got):\n%s", diff)
				}
			}
			return err
		})

		r.markRead(one, 3, copy)
		r.wantUnread("reading one copy reads all", one, 0, first, second)
		r.wantUnread("reading one copy reads all, in every feed", one, a, first)
		r.wantUnread("nobody else's", other, 0, second, copy)

		r.update(func(tx *store.Tx) error { return tx.MarkUnread(one, lead) })
		r.wantUnread("marked as unread", one, 0, first, second, lead)
		r.wantUnread("marked as unread", one, b, second, copy)
		r.update(func(tx *store.Tx) error {
			seen, err := tx.LastChange()
			if err != nil {
				return err
			}
			if got, err := tx.MarkAllRead(one, store.Scope{Feed: b}, 0); err != nil || len(got) != 0 {
				t.Errorf("before anything was seen, %v became read, %v", got, err)
			}
			got, err := tx.MarkAllRead(one, store.Scope{Feed: b}, seen)
			if want := []feedonce.EntryID{second, lead}; !cmp.Equal(got, want) {
				t.Errorf("of stories %v became read, want %v", got, want)
			}
			return err
		})
		r.wantUnread("all of a feed marked as read, with the copies elsewhere", one, 0, first)

		// A copy of what was read comes later.
		third := r.feed("https://planet.example.com/feed")
		r.update(func(tx *store.Tx) error {
			return tx.Follow(feedonce.Subscription{User: one, Feed: third, Added: noon}, feedonce.Subscription{User: other, Feed: third, Added: noon})
		})
		late := copied
		late.guid = "copy-2"
		r.poll(third, 4, own("https://planet.example.com/feed", 1))
		planet := r.newest(third)
		r.poll(third, 5, own("https://planet.example.com/feed", 1), late)
		r.wantUnread("a copy of what was read is read", one, 0, first, planet)
		r.wantUnread("and joins what is not", other, 0, second, copy, planet)
		r.wantUnread("in its own feed, too", other, third, planet, r.newest(third))

		// Leaving the story makes it another article, which nobody has read.
		lateID := r.newest(third)
		am := must(amend.Leave(context.Background(), s, lateID, by(6)))(t)
		r.wantUnread("what left the story is unread", one, 0, first, planet, lateID)
		r.wantUnread("what left the story stands by itself", other, 0, second, copy, planet, lateID)
		must(amend.Undo(context.Background(), s, am.ID, by(7)))(t)
		r.wantUnread("undone, it is read", one, 0, first, planet)
		r.wantUnread("undone, it is one", other, 0, second, copy, planet)

		// Following no more.
		r.update(func(tx *store.Tx) error { return tx.Unfollow(other, b) })
		r.wantUnread("the copy elsewhere stays", other, 0, planet, lateID)

		// A feed that is followed later begins with what is in it.
		r.update(func(tx *store.Tx) error {
			return tx.Follow(feedonce.Subscription{User: other, Feed: a, Added: hours(8)})
		})
		r.wantUnread("a feed that is followed later", other, a, append(r.unread(other, a), first)[:1]...)
	})
}

func TestReadingWhatPeopleChange(t *testing.T) {
	const wire = "https://wire.example.org/feed"
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		a := r.feed(wire)
		one, other := r.user("one", a), r.user("other", a)
		x, y := news(1), news(2)
		r.poll(a, 0, x, y)
		ids := r.unread(one, 0)
		if len(ids) != 2 {
			t.Fatalf("%d articles are unread, want 2", len(ids))
		}
		r.markRead(one, 1, ids[0])
		r.update(func(tx *store.Tx) error { return tx.Star(one, ids[1], true, hours(1)) })
		am := must(amend.Merge(context.Background(), s, ids[0], ids[1], by(2)))(t)
		r.wantUnread("merged with one that was read", one, 0)
		r.wantUnread("merged, nothing of it read", other, 0, min(ids[0], ids[1]))
		r.view(func(tx *store.Tx) error {
			states, err := tx.States(one, ids)
			if states[min(ids[0], ids[1])].Starred.IsZero() {
				t.Errorf("the star is gone: %+v", states)
			}
			return err
		})
		must(amend.Undo(context.Background(), s, am.ID, by(3)))(t)
		if got := r.unread(other, 0); len(got) != 2 {
			t.Errorf("after undoing the merge, %v are unread for who read nothing, want both", got)
		}
		r.agrees("after undoing the merge")

		// A duplicate that is split off was read by nobody.
		again := x
		again.guid = "regenerated"
		r.poll(a, 4, again, y)
		dup := r.decisions(a, "duplicate")
		if len(dup) != 1 {
			t.Fatalf("%d duplicates, want 1", len(dup))
		}
		for _, u := range []feedonce.UserID{one, other} {
			r.markRead(u, 5, r.unread(u, 0)...)
		}
		am = must(amend.Split(context.Background(), s, dup[0].ID, by(6)))(t)
		r.wantUnread("split off", one, 0, am.B)
		r.wantUnread("split off", other, 0, am.B)
		r.markRead(one, 7, am.B)
		must(amend.Undo(context.Background(), s, am.ID, by(8)))(t)
		r.wantUnread("undone", one, 0)
		r.wantUnread("undone: it was read as the other", other, 0)
	})
}

// TestRiver walks all lists, and finds each story once.
func TestRiver(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		var feeds []feedonce.FeedID
		for i := range 3 {
			feeds = append(feeds, r.feed(fmt.Sprintf("https://feed%d.example.org/feed", i)))
		}
		one := r.user("one")
		r.update(func(tx *store.Tx) error {
			for i, f := range feeds {
				if err := tx.Follow(feedonce.Subscription{User: one, Feed: f, Folder: []string{"news", "news", ""}[i], Added: noon}); err != nil {
					return err
				}
			}
			return nil
		})
		stories := 0
		for hour := 1; hour <= 6; hour++ {
			it := news(hour)
			it.date = hours(hour)
			for i, f := range feeds {
				copied := it
				copied.guid = fmt.Sprintf("%d-%d", hour, i)
				r.poll(f, hour, own(fmt.Sprintf("https://feed%d.example.org", i), hour), copied)
			}
			stories += 4
		}
		news := "news"
		for name, c := range map[string]struct {
			filter store.RiverFilter
			want   int
		}{
			"unread":         {store.RiverFilter{}, stories},
			"unread, oldest": {store.RiverFilter{Oldest: true}, stories},
			"all":            {store.RiverFilter{View: store.ViewAll}, stories},
			"folder":         {store.RiverFilter{Scope: store.Scope{Folder: &news}}, 6 * 3},
			"all of folder":  {store.RiverFilter{View: store.ViewAll, Scope: store.Scope{Folder: &news}}, 6 * 3},
			"no folder":      {store.RiverFilter{Scope: store.Scope{Folder: new(string)}}, 6 * 2},
			"feed":           {store.RiverFilter{Scope: store.Scope{Feed: feeds[1]}}, 6 * 2},
			"all of feed":    {store.RiverFilter{View: store.ViewAll, Scope: store.Scope{Feed: feeds[1]}}, 6 * 2},
			"history":        {store.RiverFilter{View: store.ViewHistory}, 0},
			"starred":        {store.RiverFilter{View: store.ViewStarred}, 0},
		} {
			c.filter.User, c.filter.Limit = one, 5
			var titles []string
			for range 100 {
				var page []store.RiverRow
				r.view(func(tx *store.Tx) (err error) {
					page, err = tx.River(c.filter)
					return err
				})
				for _, row := range page {
					titles = append(titles, row.Entry.Title)
				}
				if len(page) < 5 {
					break
				}
				c.filter.Before = store.Cursor{Time: page[4].At, ID: int64(page[4].Entry.ID)}
			}
			unique := slices.Compact(slices.Sorted(slices.Values(titles)))
			if len(titles) != c.want || len(unique) != c.want {
				t.Errorf("%s: %d articles, %d of them different, want %d:\n%s", name, len(titles), len(unique), c.want, strings.Join(titles, "\n"))
			}
		}
		r.agrees("at the end")

		// Who follows them later has each story once, too.
		late := r.user("late")
		r.update(func(tx *store.Tx) error {
			for _, f := range feeds {
				if err := tx.Follow(feedonce.Subscription{User: late, Feed: f, Added: hours(9)}); err != nil {
					return err
				}
			}
			return nil
		})
		if got := r.unread(late, 0); len(got) != stories {
			t.Errorf("who follows all later has %d unread, want %d: each story once", len(got), stories)
		}
		r.agrees("after following later")
	})
}
