package amend_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/amend"
	"feedonce/internal/ingest"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// seeded adds a feed that has had its first document, so that what comes next is told.
func (r *reader) seeded(url string, n int) feedonce.FeedID {
	r.t.Helper()
	id := r.feed(url)
	r.poll(id, 0, own(url, n))
	return id
}

// own is an article of a feed that no other feed has.
func own(url string, n int) item {
	sum := sha256.Sum256([]byte(url))
	it := news(1_000_000 + 100*int(binary.BigEndian.Uint16(sum[:])) + n)
	it.date = hours(-n)
	it.link = fmt.Sprintf("%s/own/%d-%s", url, n, strings.ReplaceAll(prose(uint64(n)+5000, 3), " ", "-"))
	return it
}

// last is the latest decision of a feed that is new.
func (r *reader) last(feed feedonce.FeedID) feedonce.Decision {
	r.t.Helper()
	return r.decisions(feed, "new")[0]
}

func (r *reader) stories() (all []store.Story) {
	r.t.Helper()
	r.view(func(tx *store.Tx) (err error) {
		all, err = tx.Stories(store.StoryFilter{})
		return err
	})
	return all
}

func TestStories(t *testing.T) {
	const wire, mirror, blog, evil = "https://wire.example.org/feed", "https://mirror.example.net/feed", "https://blog.example.com/feed", "https://evil.example.info/feed"
	wired := news(1)
	wired.date = hours(1)
	copied := wired // a planet: the same link and text, a guid of its own
	copied.guid = "copy-1"
	reprinted := wired // an agency's text under a link of its own
	reprinted.guid, reprinted.link = "reprint-1", "https://mirror.example.net/2026/reprint-of-it-all"
	pointing := wired // a link blog
	pointing.guid, pointing.title, pointing.text = "link-1", "Look what "+prose(31, 4), prose(32, 60)
	hostile := wired // guid, link and title, and a text of its own
	hostile.text = prose(66, 60)
	other := news(2)
	other.date = hours(1)

	tests := []struct {
		name          string
		first, second string // feeds
		a, b          item
		rule          string // that joins them; "" if they are no story
		told          bool   // the second one is told
	}{
		{"a copy", wire, mirror, wired, copied, "S2", false},
		{"a reprint", wire, mirror, wired, reprinted, "S3", false},
		{"a link blog", wire, blog, wired, pointing, "S4", true},
		{"a hostile feed comes second", wire, evil, wired, hostile, "S4", true},
		{"a hostile feed comes first", evil, wire, hostile, wired, "S4", true},
		{"another feed of the publisher", wire, "https://wire.example.org/sport", func() item { w := wired; w.link = "https://wire.example.org/2026/one-two-three"; return w }(),
			func() item {
				w := hostile
				w.link = "https://wire.example.org/2026/one-two-three"
				return w
			}(), "S1", false},
		{"another article", wire, mirror, wired, other, "", true},
	}
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		for i, tt := range tests {
			r := newReader(t, s)
			for _, f := range []string{tt.first, tt.second} {
				r.seeded(f, i)
			}
			var ids [2]feedonce.FeedID
			r.view(func(tx *store.Tx) error {
				for n, url := range []string{tt.first, tt.second} {
					f, err := tx.FeedByURL(url)
					if err != nil {
						return err
					}
					ids[n] = f.ID
				}
				return nil
			})
			a := r.poll(ids[0], 1, tt.a, own(tt.first, i)).New[0]
			rep := r.poll(ids[1], 2, tt.b, own(tt.second, i))
			b := rep.New[0]
			if d := r.last(ids[0]); !d.Told {
				t.Errorf("%s: the first one is not told: %q", tt.name, d.Quiet)
			}
			d := r.last(ids[1])
			if d.Told != tt.told || d.Entry != b || rep.Result.Decisions[0].Tell != tt.told {
				t.Errorf("%s: the second one is told: %v, want %v (%q)", tt.name, d.Told, tt.told, d.Quiet)
			}
			if want := "told already as part of a story: News"; !tt.told && d.Quiet != want {
				t.Errorf("%s: it is not told because %q, want %q", tt.name, d.Quiet, want)
			}
			stories := r.stories()
			if tt.rule == "" {
				if len(stories) > 0 {
					t.Errorf("%s: %+v", tt.name, stories)
				}
			} else if len(stories) != 1 || len(stories[0].Members) != 2 {
				t.Errorf("%s: %+v", tt.name, stories)
			} else {
				m := stories[0].Members
				if m[0].Entry.ID != a || m[0].Rule != "" || !m[0].Told || m[0].About || m[0].FeedName != "News" ||
					m[1].Entry.ID != b || m[1].Rule != tt.rule || m[1].Joined != a || m[1].About != (tt.rule == "S4") || m[1].Told != tt.told ||
					!m[1].At.Equal(hours(2)) || m[1].Entry.URL != tt.b.link || len(m[1].Evidence) == 0 {
					t.Errorf("%s: members %+v", tt.name, m)
				}
				if stories[0].Lead != 0 {
					t.Errorf("%s: member %d leads", tt.name, stories[0].Lead)
				}
			}
			for n, doc := range [][]item{{tt.a, own(tt.first, i)}, {tt.b, own(tt.second, i)}} {
				before := storetest.Rows(t, s)
				r.same(ids[n], 3, tt.name, doc...)
				if diff := cmp.Diff(before, storetest.Rows(t, s)); diff != "" {
					t.Errorf("%s: an unchanged document writes (-before +after):\n%s", tt.name, diff)
				}
			}
			r.update(func(tx *store.Tx) error {
				if err := tx.RemoveFeed(ids[1]); err != nil {
					return err
				}
				return tx.RemoveFeed(ids[0])
			})
			if left := storetest.Rows(t, s); left["stories"] != 0 || left["story_members"] != 0 || left["entries"] != 0 {
				t.Fatalf("%s: left of removed feeds: %v", tt.name, left)
			}
			r.update(func(tx *store.Tx) error {
				_, err := tx.PurgeStoryMarks(hours(1000))
				return err
			})
		}
	})
}

func TestStoriesAndPolicies(t *testing.T) {
	it := news(1)
	it.date = hours(1)
	for name, p := range map[string][2]dedup.Policy{
		"off in the first":  {{Stories: dedup.StoriesOff}, {}},
		"off in the second": {{}, {Stories: dedup.StoriesOff}},
		"apart":             {{Group: "left"}, {Apart: []string{"left"}}},
		"one group":         {{Group: "press"}, {Group: "press"}},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, s *store.Store) {
				r := newReader(t, s)
				a, b := r.seeded("https://a.example.org/feed", 1), r.seeded("https://b.example.net/feed", 2)
				r.policy(a, 0, p[0])
				r.policy(b, 0, p[1])
				r.poll(a, 1, it)
				second := it
				if name == "one group" {
					second.text = prose(77, 60) // the same link is enough among friends
				}
				r.poll(b, 2, second)
				if told := r.last(b).Told; told == (name == "one group") || (len(r.stories()) == 0) == (name == "one group") {
					t.Errorf("told %v, stories %+v", told, r.stories())
				}
			})
		})
	}
}

// What was stored without being told has not been told: the next one is.
func TestStoryThatWasNotToldIsTold(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		it := news(1)
		it.date = hours(1)
		first := r.feed("https://a.example.org/feed")
		r.poll(first, 1, it) // its first document is quiet
		second, third := r.seeded("https://b.example.net/feed", 2), r.seeded("https://c.example.com/feed", 3)
		r.poll(second, 2, it)
		r.poll(third, 3, it)
		if r.last(first).Told || !r.last(second).Told || r.last(third).Told {
			t.Errorf("told: %v, %v, %v; want the second only", r.last(first).Told, r.last(second).Told, r.last(third).Told)
		}
		if stories := r.stories(); len(stories) != 1 || len(stories[0].Members) != 3 {
			t.Errorf("stories: %+v", stories)
		}
	})
}

func TestStoriesAtTheSameMoment(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		const feeds, articles = 6, 4
		var ids []feedonce.FeedID
		for i := range feeds {
			ids = append(ids, r.seeded(fmt.Sprintf("https://f%d.example%d.org/feed", i, i), i))
		}
		var items []item
		for n := range articles {
			it := news(n + 1)
			it.date = hours(1)
			items = append(items, it)
		}
		for n := range items { // one at a time, each from all feeds at once
			var wg sync.WaitGroup
			for i, id := range ids {
				wg.Go(func() {
					doc := slices.Concat(items[:n+1], []item{own(fmt.Sprintf("https://f%d.example%d.org/feed", i, i), i)})
					in := &ingest.Ingester{Store: s}
					if _, err := in.Document(context.Background(), ingest.Fetched{Feed: id, Body: rss(fmt.Sprint(n), doc...), Received: hours(2 + n)}); err != nil {
						t.Errorf("feed %d: %v", i, err)
					}
				})
			}
			wg.Wait()
		}
		stories := r.stories()
		if len(stories) != articles {
			t.Errorf("%d stories, want %d", len(stories), articles)
		}
		for _, st := range stories {
			told := 0
			for _, m := range st.Members {
				if m.Told {
					told++
				}
			}
			if len(st.Members) != feeds || told != 1 {
				t.Errorf("story %d has %d members, %d of them told; want %d, one told", st.ID, len(st.Members), told, feeds)
			}
		}
		told := 0
		for _, id := range ids {
			for _, d := range r.decisions(id, "new") {
				if d.Told {
					told++
				}
			}
		}
		if told != articles {
			t.Errorf("%d articles are told, want %d", told, articles)
		}
	})
}

func TestLeaveAndJoinStories(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		ctx := context.Background()
		it, elsewhere := news(1), news(2)
		it.date, elsewhere.date = hours(1), hours(1)
		var ids []feedonce.FeedID
		var entries []feedonce.EntryID
		for i, url := range []string{"https://a.example.org/feed", "https://b.example.net/feed", "https://c.example.com/feed"} {
			ids = append(ids, r.seeded(url, i))
			entries = append(entries, r.poll(ids[i], 1+i, it, own(url, i)).New[0])
		}
		alone := r.seeded("https://d.example.info/feed", 9)
		single := r.poll(alone, 5, elsewhere).New[0]
		three := r.everything()

		if am, err := amend.Leave(ctx, s, entries[1], by(6)); err != nil || am.A != entries[1] || am.Kind != store.AmendLeave {
			t.Errorf("leave: %+v, %v", am, err)
		}
		if st := r.stories(); len(st) != 1 || len(st[0].Members) != 2 {
			t.Errorf("after one left: %+v", st)
		}
		if _, err := amend.Leave(ctx, s, entries[1], by(6)); !errors.Is(err, feedonce.ErrNotFound) {
			t.Errorf("leaving twice: %v", err)
		}
		r.same(ids[1], 7, "the one that left", it, own("https://b.example.net/feed", 1))
		if st := r.stories(); len(st) != 1 || len(st[0].Members) != 2 {
			t.Errorf("it came back: %+v", st)
		}
		two := r.everything()
		if _, err := amend.Leave(ctx, s, entries[2], by(8)); err != nil {
			t.Error(err)
		}
		if st := r.stories(); len(st) != 0 {
			t.Errorf("a story of one: %+v", st)
		}
		r.undo(9)
		r.want("undone once", two)
		r.undo(9)
		r.want("undone twice", three)

		// A person says that another article is the same story.
		if am := r.merge(single, entries[0], 10); am.Kind != store.AmendJoin || am.A != entries[0] || am.B != single {
			t.Errorf("join: %+v", am)
		}
		st := r.stories()
		if len(st) != 1 || len(st[0].Members) != 4 || st[0].Members[3].Entry.ID != single || st[0].Members[3].Rule != "U2" || st[0].Members[3].Joined != entries[0] {
			t.Errorf("joined: %+v", st)
		}
		var wrong *feedonce.InvalidError
		if _, err := amend.Merge(ctx, s, single, entries[1], by(11)); !errors.As(err, &wrong) {
			t.Errorf("joining what is one story: %v", err)
		}
		r.undo(12)
		r.want("join undone", three)

		// Two articles of no story, and then two stories.
		lonely := r.seeded("https://e.example.dev/feed", 10)
		other := r.poll(lonely, 13, news(3)).New[0]
		r.merge(single, other, 14)
		if st := r.stories(); len(st) != 2 {
			t.Errorf("stories: %+v", st)
		}
		pair := r.everything()
		r.merge(other, entries[2], 15)
		if st := r.stories(); len(st) != 1 || len(st[0].Members) != 5 {
			t.Errorf("two stories are one: %+v", st)
		}
		r.undo(16)
		r.want("two stories again", pair)
		r.view(func(tx *store.Tx) error {
			id, err := tx.StoryOf(single)
			if err != nil {
				return err
			}
			st, err := tx.Story(id, store.Lead{Preferred: []feedonce.FeedID{lonely}})
			if err == nil && (len(st.Members) != 2 || st.Members[st.Lead].Entry.Feed != lonely) {
				t.Errorf("story with the lead of a preferred feed: %+v", st)
			}
			if _, err := tx.StoryOf(999_999); !errors.Is(err, feedonce.ErrNotFound) {
				t.Errorf("the story of nothing: %v", err)
			}
			if _, err := tx.Story(999_999, store.Lead{}); !errors.Is(err, feedonce.ErrNotFound) {
				t.Errorf("no story: %v", err)
			}
			return err
		})
	})
}

// Merging two entries of a feed leaves the one that stays in the story.
func TestMergeKeepsTheStory(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		feed, _, a, b := twins(r)
		mirror := r.seeded("https://mirror.example.net/feed", 1)
		it := news(60)
		it.date = hours(1)
		r.poll(mirror, 3, it)
		if st := r.stories(); len(st) != 1 || st[0].Members[0].Entry.ID != b {
			t.Fatalf("stories: %+v", st)
		}
		before := r.everything()
		r.merge(a, b, 4)
		if st := r.stories(); len(st) != 1 || len(st[0].Members) != 2 || st[0].Members[0].Entry.ID != a {
			t.Errorf("merged: %+v", st)
		}
		r.undo(5)
		r.want("undone", before)
		_ = feed
	})
}

func TestStoryLeads(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		it := news(1)
		it.date = hours(1)
		long := it
		long.text += " And one more sentence at its end."
		a, b := r.seeded("https://a.example.org/feed", 1), r.seeded("https://b.example.net/feed", 2)
		r.poll(a, 1, it)
		r.poll(b, 2, long)
		for lead, want := range map[*store.Lead]int{{}: 0, {By: dedup.LeadLongest}: 1, {Preferred: []feedonce.FeedID{b}}: 1, {By: dedup.LeadLongest, Preferred: []feedonce.FeedID{a}}: 0} {
			r.view(func(tx *store.Tx) error {
				st, err := tx.Stories(store.StoryFilter{Lead: *lead, Feed: b})
				if err == nil && (len(st) != 1 || st[0].Lead != want) {
					t.Errorf("lead %+v: %+v", lead, st)
				}
				return err
			})
		}
	})
}

// A lead that a person chose holds, whatever is asked for, until its article leaves the story, and is there again when that
// is undone.
func TestChosenLead(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		ctx := context.Background()
		it := news(1)
		it.date = hours(1)
		var feeds []feedonce.FeedID
		var e []feedonce.EntryID
		for i, url := range []string{"https://a.example.org/feed", "https://b.example.net/feed", "https://c.example.com/feed"} {
			feeds = append(feeds, r.seeded(url, i))
			one := it
			one.text += strings.Repeat(" More.", 2-i) // the first is the longest
			e = append(e, r.poll(feeds[i], 1+i, one, own(url, i)).New[0])
		}
		story := r.stories()[0].ID
		longest := store.Lead{By: dedup.LeadLongest}
		wants := func(what string, l store.Lead, want feedonce.EntryID, chosen bool) {
			t.Helper()
			r.view(func(tx *store.Tx) error {
				id, err := tx.StoryOf(want)
				if err != nil {
					return err
				}
				st, err := tx.Story(id, l)
				if err == nil && (st.Members[st.Lead].Entry.ID != want || st.Chosen.IsZero() == chosen) {
					t.Errorf("%s: article %d leads, chosen at %v; want %d, chosen %v", what, st.Members[st.Lead].Entry.ID, st.Chosen, want, chosen)
				}
				return err
			})
		}
		choose := func(hour int, id feedonce.EntryID) {
			t.Helper()
			if err := amend.Lead(ctx, s, story, id, by(hour)); err != nil {
				t.Fatalf("choose %d: %v", id, err)
			}
		}
		wants("nobody chose", store.Lead{}, e[0], false)

		choose(10, e[1])
		for _, l := range []store.Lead{{}, longest, {Preferred: feeds[2:]}} {
			wants(fmt.Sprintf("chosen, asked for %+v", l), l, e[1], true)
		}
		wants("as if nobody had chosen", store.Lead{Anew: true, Preferred: feeds[2:]}, e[2], false)
		choose(11, e[2])
		wants("another was chosen", longest, e[2], true)
		r.same(feeds[2], 12, "what is chosen", it, own("https://c.example.com/feed", 2))
		wants("the feed was read again", longest, e[2], true)

		// It leaves, and comes back.
		three := r.everything()
		if _, err := amend.Leave(ctx, s, e[2], by(13)); err != nil {
			t.Fatal(err)
		}
		wants("it left", store.Lead{}, e[0], false)
		r.undo(14)
		r.want("leaving undone", three)
		wants("it is back", store.Lead{}, e[2], true)
		if _, err := amend.Leave(ctx, s, e[2], by(15)); err != nil {
			t.Fatal(err)
		}
		choose(16, e[1])
		r.undo(17)
		wants("another was chosen meanwhile", store.Lead{}, e[1], true)
		choose(18, 0)
		wants("nobody's choice any more", store.Lead{}, e[0], false)

		// Two stories become one, and two again: what was chosen meanwhile is kept.
		d, f := r.seeded("https://d.example.info/feed", 7), r.seeded("https://e.example.dev/feed", 8)
		far := news(2)
		far.date = hours(1)
		x, y := r.poll(d, 19, far).New[0], r.poll(f, 20, far).New[0]
		other := r.stories()[0].ID
		if err := amend.Lead(ctx, s, other, y, by(21)); err != nil {
			t.Fatal(err)
		}
		choose(22, e[1])
		r.merge(e[0], x, 23)
		wants("joined, and the latest choice leads", store.Lead{}, e[1], true)
		choose(24, x)
		wants("chosen in the joined story", store.Lead{}, x, true)
		r.undo(25)
		wants("apart again, and the choice since", store.Lead{}, x, true)
		wants("apart again, the rest", store.Lead{}, e[0], false)

		var wrong *feedonce.InvalidError
		if err := amend.Lead(ctx, s, story, x, by(26)); !errors.As(err, &wrong) {
			t.Errorf("an article of another story: %v", err)
		}
		if err := amend.Lead(ctx, s, 999_999, x, by(26)); !errors.Is(err, feedonce.ErrNotFound) {
			t.Errorf("no story: %v", err)
		}
	})
}

// Where the article that leads becomes part of another one of its feed, that leads in its place.
func TestMergeKeepsTheLead(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		for _, inStory := range []bool{false, true} {
			r := newReader(t, s)
			_, _, a, b := twins(r)
			mirror := r.seeded(fmt.Sprintf("https://mirror%v.example.net/feed", inStory), 1)
			it := news(60)
			it.date = hours(1)
			r.poll(mirror, 3, it)
			st := r.stories()[0]
			m := st.Members[1].Entry.ID
			if inStory {
				r.merge(a, m, 4)
			}
			if err := amend.Lead(context.Background(), s, st.ID, b, by(5)); err != nil {
				t.Fatal(err)
			}
			before := r.everything()
			r.merge(a, b, 6)
			st = r.stories()[0]
			if lead := st.Members[st.Lead].Entry.ID; lead != a || st.Chosen.IsZero() {
				t.Errorf("a in the story %v: %d leads, chosen at %v; want %d", inStory, lead, st.Chosen, a)
			}
			r.undo(7)
			r.want("undone", before)
			for _, f := range []feedonce.FeedID{mirror, st.Members[st.Lead].Entry.Feed} {
				r.update(func(tx *store.Tx) error { return tx.RemoveFeed(f) })
			}
		}
	})
}

// Pages of stories, the last changed first, and marks that are too common or too old.
func TestStoryListAndMarks(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		a, b := r.seeded("https://a.example.org/feed", 1), r.seeded("https://b.example.net/feed", 2)
		var as, bs []item
		for n := range 5 {
			it := news(n + 1)
			it.date = hours(n + 1)
			as, bs = append([]item{it}, as...), append([]item{it}, bs...)
			r.poll(a, 2*n+1, as...)
			r.poll(b, 2*n+2, bs...)
		}
		r.view(func(tx *store.Tx) error {
			var seen []int64
			var before store.Cursor
			for range 4 {
				page, err := tx.Stories(store.StoryFilter{Limit: 2, Before: before})
				if err != nil {
					return err
				}
				for _, st := range page {
					seen = append(seen, st.ID)
					before = store.Cursor{Time: st.Changed, ID: st.ID}
					if len(st.Members) != 2 {
						t.Errorf("story %+v", st)
					}
				}
			}
			if len(seen) != 5 || !slices.IsSortedFunc(seen, func(x, y int64) int { return int(y - x) }) {
				t.Errorf("pages: %v", seen)
			}
			return nil
		})
		rows := storetest.Rows(t, s)["story_marks"]
		var purged int64
		r.update(func(tx *store.Tx) (err error) {
			purged, err = tx.PurgeStoryMarks(hours(3))
			return err
		})
		if left := storetest.Rows(t, s)["story_marks"]; purged == 0 || left == 0 || rows != left+purged {
			t.Errorf("of %d marks %d were purged, %d are left", rows, purged, left)
		}

		// Older than a week: another story.
		c := r.seeded("https://c.example.com/feed", 3)
		r.poll(c, 5*2+8*24, as[0])
		if !r.last(c).Told || len(r.stories()[0].Members) != 2 {
			t.Errorf("eight days later: %+v", r.last(c))
		}
	})
}

// A phrase that everybody uses finds nobody, and many candidates are bounded.
func TestStoryMarksThatAreCommon(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		a, b := r.feed("https://a.example.org/feed"), r.feed("https://b.example.net/feed")
		seek := func(id feedonce.EntryID, marks ...dedup.Mark) []store.StorySeek {
			return []store.StorySeek{{Entry: id, Exact: marks[:1], Sketch: marks[1:]}}
		}
		count := func(seeks []store.StorySeek) (n int) {
			r.view(func(tx *store.Tx) error {
				found, err := tx.StoryCandidates(b, seeks, hours(2))
				n = len(found[seeks[0].Entry])
				return err
			})
			return n
		}
		var items []item
		for n := range dedup.SketchStop + 1 {
			items = append(items, news(n))
		}
		ids := r.poll(a, 0, items...).New
		add := func(n int, marks ...dedup.Mark) {
			r.update(func(tx *store.Tx) error { return tx.AddStoryMarks(a, seek(ids[n], marks...), hours(1)) })
		}
		for n := range dedup.SketchStop {
			add(n, 1, dedup.Mark(1000+n), 2)
		}
		if n := count(seek(9999, 1)); n != 40 {
			t.Errorf("%d candidates, want 40", n)
		}
		if n := count(seek(9999, 77, 2)); n != 0 {
			t.Errorf("one shared of a sketch finds %d", n)
		}
		if n := count(seek(9999, 77, 2, 1007)); n != 1 {
			t.Errorf("two shared of a sketch find %d", n)
		}
		add(dedup.SketchStop, 1)
		if n := count(seek(9999, 1)); n != 0 {
			t.Errorf("a mark of %d articles finds %d", dedup.SketchStop+1, n)
		}
		r.view(func(tx *store.Tx) error {
			found, err := tx.StoryCandidates(a, seek(9999, 77, 2, 1007), hours(2))
			if len(found) != 0 {
				t.Errorf("articles of the feed itself are candidates: %v", found)
			}
			return err
		})
	})
}

// Only new articles are looked up, in one statement whatever their number; what joins nothing costs no more.
func TestStoryStatements(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		const url = "https://a.example.org/feed"
		a := r.seeded(url, 1)
		measure := func(hour int, items ...item) storetest.Writes {
			r.edition++
			body := rss(fmt.Sprint(r.edition), items...)
			return storetest.Measure(t, s, func() {
				if _, err := r.in.Document(context.Background(), ingest.Fetched{Feed: a, Body: body, Received: hours(hour)}); err != nil {
					t.Errorf("document: %v", err)
				}
			})
		}
		one := measure(1, news(1))
		many := measure(2, news(2), news(3), news(4), news(5), news(1))
		if one.Statements != many.Statements {
			t.Errorf("one new article takes %d statements, four %d", one.Statements, many.Statements)
		}
		unchanged := measure(3, news(5), news(4), news(3), news(2), news(1))
		if n := unchanged.Total("story_marks", "story_members", "stories", "quarantine", "amendments", "verdicts"); s.Dialect() == "postgres" && n != 0 || unchanged.Total() > 1 {
			t.Errorf("an unchanged document writes %v", unchanged)
		}
		edited := news(5)
		edited.text += " Edited."
		if w := measure(4, edited, news(4)); s.Dialect() == "postgres" && w.Total("story_marks", "story_members", "stories") != 0 {
			t.Errorf("an edit writes %v", w)
		}
	})
}

// A feed that claims to be of another one's site is judged by where it is polled.
func TestHostileFeedThatClaimsTheSite(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		const wire, evil = "https://wire.example.org/feed", "https://evil.example.info/feed"
		a, b := r.seeded(wire, 1), r.seeded(evil, 2)
		theirs := own("https://wire.example.org", 3)
		theirs.date = hours(1)
		hostile := theirs
		hostile.text = prose(66, 60)
		body := strings.Replace(string(rss("1", hostile, own(evil, 2))), "<title>News</title>", "<title>Wire</title><link>https://wire.example.org/</link>", 1)
		if _, err := r.in.Document(context.Background(), ingest.Fetched{Feed: b, Body: []byte(body), Received: hours(1)}); err != nil {
			t.Fatal(err)
		}
		r.poll(a, 2, theirs, own(wire, 1))
		if !r.last(a).Told || !r.last(b).Told {
			t.Errorf("told: %v, and the hostile one %v; want both", r.last(a).Told, r.last(b).Told)
		}
	})
}
