package outfeed_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/amend"
	"feedonce/internal/outfeed"
	"feedonce/internal/secret"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

func asInvalid(err error, to **feedonce.InvalidError) bool { return errors.As(err, to) }

func isNotFound(err error) bool { return errors.Is(err, feedonce.ErrNotFound) }

func by(n int) amend.By { return amend.By{Who: "Ada", At: hours(n)} }

// ids returns the ids of entries by their titles.
func ids(d document) map[string]string {
	m := map[string]string{}
	for _, e := range d.entries {
		m[e.title] = e.id
	}
	return m
}

// TestIDs: an article keeps its id whatever its publisher, a person or the server does, and what is gone is said to be.
func TestIDs(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		feed := w.feed("https://a.example/feed", "")
		one, two, three := news("a.example", 1), news("a.example", 2), news("a.example", 3)
		w.poll(feed, 0, three, two, one)
		o := w.output("All", feedonce.Selection{})
		first := w.read(o)
		want := ids(first)
		if len(want) != 3 || len(first.deleted) != 0 {
			t.Fatalf("%v, deleted %v", want, first.deleted)
		}
		check := func(what string, gone []string, renamed map[string]string) {
			t.Helper()
			w.serve()
			d := w.read(o)
			expect := map[string]string{}
			for title, id := range want {
				if now, ok := renamed[title]; ok {
					title = now
				}
				if !slices.Contains(gone, id) {
					expect[title] = id
				}
			}
			if diff := cmp.Diff(expect, ids(d)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
			if diff := cmp.Diff(gone, d.deleted); diff != "" {
				t.Errorf("%s: deleted (-want +got):\n%s", what, diff)
			}
		}
		edited := one
		edited.title, edited.text, edited.link = "Another headline", one.text+"<p>"+prose(77, 20)+"</p>", "https://www.a.example/moved"
		renamed := map[string]string{one.title: edited.title}
		w.poll(feed, 1, three, two, edited)
		check("an edited article", nil, renamed)
		again := two
		again.guid = "a new guid for the same"
		w.poll(feed, 2, three, again, edited)
		check("a repeated article", nil, renamed)

		numbers := map[string]feedonce.EntryID{}
		w.view(func(tx *store.Tx) error {
			all, err := tx.Entries(store.EntryFilter{})
			for _, e := range all {
				numbers[e.Title] = e.ID
			}
			return err
		})
		am, err := amend.Merge(t.Context(), s, numbers[two.title], numbers[three.title], by(3))
		if err != nil {
			t.Fatal(err)
		}
		younger, stays := three.title, two.title
		if numbers[two.title] > numbers[three.title] {
			younger, stays = stays, younger
		}
		gone := w.read(o)
		if diff := cmp.Diff([]string{want[younger]}, gone.deleted); diff != "" {
			t.Errorf("a merged article (-want +got):\n%s", diff)
		}
		if _, ok := ids(gone)[younger]; ok && ids(gone)[younger] == want[younger] {
			t.Error("a merged article is there still")
		}
		if !slices.ContainsFunc(gone.entries, func(e entry) bool { return e.id == want[stays] }) {
			t.Error("the article that another was merged into is not there")
		}
		if _, err := amend.Undo(t.Context(), s, am.ID, by(4)); err != nil {
			t.Fatal(err)
		}
		check("a merge that was undone", nil, renamed)
		if _, err := amend.Merge(t.Context(), s, numbers[two.title], numbers[three.title], by(5)); err != nil {
			t.Fatal(err)
		}
		if d := w.read(o); !slices.Equal(d.deleted, []string{want[younger]}) {
			t.Errorf("merged again: deleted %v, want %s once", d.deleted, want[younger])
		}

		w.now = hours(24 * 40)
		if d := w.read(o); len(d.deleted) != 0 {
			t.Errorf("40 days later it still says that %v are deleted", d.deleted)
		}
		w.now = hours(6)
		single, folder := w.output("One", feedonce.Selection{Feed: feed}), w.output("Folder", feedonce.Selection{Folder: "F"})
		if err := amend.RemoveFeeds(t.Context(), s, by(6), feed); err != nil {
			t.Fatal(err)
		}
		for _, o := range []feedonce.Output{o, single, folder} {
			d := w.read(o)
			slices.Sort(d.deleted)
			all := []string{want[one.title], want[two.title], want[three.title]}
			slices.Sort(all)
			if len(d.entries) != 0 || !slices.Equal(d.deleted, all) {
				t.Errorf("%s, with its feed removed: %v, deleted %v", o.Name, titles(d), d.deleted)
			}
		}
	})
}

// TestStories: an article of several feeds is one entry, that of the feed that had it first among those of the output.
func TestStories(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		a, b, c := w.feed("https://a.example/feed", "News"), w.feed("https://b.example/feed", "News/Local"), w.feed("https://c.example/feed", "Newsreel")
		shared, mine, yours, theirs := news("wire.example", 1), news("a.example", 2), news("b.example", 3), news("c.example", 4)
		shared.text += "<p>Only here: <b>quokka</b></p>"
		w.poll(b, 0)
		w.poll(a, 1, mine, shared)
		w.poll(c, 2, theirs, shared)
		w.poll(b, 3, yours, shared)
		name := func(id feedonce.FeedID, name string) {
			w.update(func(tx *store.Tx) error {
				_, err := tx.Exec(`update feeds set title = $2 where id = $1`, int64(id), name)
				return err
			})
		}
		name(a, "Alpha & Co")
		name(b, "Beta")
		name(c, "Gamma")
		sorted := func(s []string) []string { slices.Sort(s); return s }
		for _, tc := range []struct {
			name string
			sel  feedonce.Selection
			want []string
		}{
			{"all", feedonce.Selection{}, wants(shared, mine, yours, theirs)},
			{"all of each feed", feedonce.Selection{Scope: feedonce.ScopeFeed}, wants(shared, shared, shared, mine, yours, theirs)},
			{"a folder has those within it, and not those that only begin alike", feedonce.Selection{Folder: "News"}, wants(shared, mine, yours)},
			{"a folder within", feedonce.Selection{Folder: "News/Local"}, wants(shared, yours)},
			{"a folder that is none", feedonce.Selection{Folder: "news"}, nil},
			{"a feed", feedonce.Selection{Feed: c}, wants(shared, theirs)},
			{"a word of the text", feedonce.Selection{Search: "QUOKKA"}, wants(shared)},
			{"words of title and text", feedonce.Selection{Search: "quokka " + strings.Fields(shared.title)[1]}, wants(shared)},
			{"a word in a folder", feedonce.Selection{Search: "quokka", Folder: "Newsreel"}, wants(shared)},
			{"no word", feedonce.Selection{Search: "quokka wombat"}, nil},
			{"no pattern", feedonce.Selection{Search: "quo_ka"}, nil},
		} {
			d := w.read(w.output(tc.name, tc.sel))
			if diff := cmp.Diff(sorted(append([]string{}, tc.want...)), sorted(titles(d))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.name, diff)
			}
		}
		also := w.read(w.output("with feeds", feedonce.Selection{Also: true}))
		for _, e := range also.entries {
			line := `<p><small>Also in Gamma, Beta · <a href="https://once.example/entries/`
			if has := strings.Contains(e.html, line); has != (e.title == shared.title) {
				t.Errorf("%s ends in %s", e.title, e.html[max(0, len(e.html)-200):])
			}
		}
		if d := w.read(w.output("with feeds, from one", feedonce.Selection{Also: true, Feed: c})); !strings.Contains(d.entries[0].html+d.entries[1].html, "Also in Alpha &amp; Co, Beta ·") {
			t.Errorf("also: %+v", d.entries)
		}
		// A search finds the second article of a story where the first has not the words.
		long := shared
		long.title, long.guid = shared.title+"!", "other"
		long.text += "<p>wallaby</p>"
		d4 := w.feed("https://d.example/feed", "")
		w.poll(d4, 4, long)
		if d := w.read(w.output("second", feedonce.Selection{Search: "wallaby"})); !slices.Equal(titles(d), []string{long.title}) {
			t.Errorf("a word that only a later article of the story has finds %v", titles(d))
		}
	})
}

// TestStoryOrder: of a story the article stands that was there first, whatever its number, and one that only points to the others
// stands for itself.
func TestStoryOrder(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		var rows []store.Membership
		for i, m := range []store.Membership{{Rule: "S1", Joined: 2}, {}, {Rule: "S4", Joined: 2, About: true}, {Rule: "S1", Joined: 1}} {
			site := string(rune('a'+i)) + ".example"
			m.Feed, m.At, m.Story = w.feed("https://"+site+"/feed", "Folder "+site), hours(1), -1
			w.poll(m.Feed, 0, news(site, i))
			w.update(func(tx *store.Tx) error {
				_, err := tx.Exec(`update feeds set title = $2 where id = $1`, int64(m.Feed), site)
				return err
			})
			m.Entry = feedonce.EntryID(i + 1)
			rows = append(rows, m)
		}
		w.update(func(tx *store.Tx) error {
			if err := tx.LockStories(); err != nil {
				return err
			}
			return tx.AddMemberships(rows, hours(1))
		})
		d := w.read(w.output("All", feedonce.Selection{Also: true}))
		if diff := cmp.Diff(wants(news("c.example", 2), news("b.example", 1)), titles(d)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		for _, e := range d.entries {
			if e.title == news("b.example", 1).title && !strings.Contains(e.html, "Also in a.example, d.example ·") || e.title == news("c.example", 2).title && strings.Contains(e.html, "Also in") {
				t.Errorf("%s ends in %s", e.title, e.html[max(0, len(e.html)-200):])
			}
		}
		if d := w.read(w.output("One", feedonce.Selection{Feed: rows[3].Feed})); len(d.entries) != 1 {
			t.Errorf("the output of the last feed has %v", titles(d))
		}
	})
}

// TestCleaned: whoever reads the outputs of all feeds has each article once, in the output in which it stood first, and for ever.
func TestCleaned(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		a, b, c := w.feed("https://a.example/feed", ""), w.feed("https://b.example/feed", ""), w.feed("https://c.example/feed", "")
		shelf := map[feedonce.FeedID][]item{}
		publish := func(feed feedonce.FeedID, hour int, items ...item) {
			shelf[feed] = append(items, shelf[feed]...)
			w.poll(feed, hour, shelf[feed]...)
		}
		old, old2 := news("wire.example", 1), news("wire.example", 2)
		publish(a, 0, old)
		publish(b, 1, old, old2)
		publish(c, 2, old2, old)
		export := func(hour int, feeds ...feedonce.FeedID) map[feedonce.FeedID]feedonce.Output {
			t.Helper()
			all, err := outfeed.Cleaned(t.Context(), s, w.box, hours(hour))
			if err != nil {
				t.Fatal(err)
			}
			m := map[feedonce.FeedID]feedonce.Output{}
			for _, x := range all {
				m[x.Feed.ID] = x.Output
			}
			if len(m) != len(feeds) {
				t.Errorf("%d outputs, want %d", len(m), len(feeds))
			}
			return m
		}
		// A reader keeps every entry that it was shown, by feed and title.
		seen := map[string]int{}
		readAll := func(outputs map[feedonce.FeedID]feedonce.Output) {
			for feed, o := range outputs {
				for _, e := range w.read(o).entries {
					key := e.title + " in feed " + string(rune('a'-1+int(feed)))
					if seen[key] == 0 {
						seen[e.title]++
					}
					seen[key]++
				}
			}
		}
		outputs := export(10, a, b, c)
		readAll(outputs)
		if diff := cmp.Diff(map[feedonce.FeedID][]string{a: wants(old), b: wants(old2), c: {}},
			map[feedonce.FeedID][]string{a: titles(w.read(outputs[a])), b: titles(w.read(outputs[b])), c: titles(w.read(outputs[c]))}); diff != "" {
			t.Errorf("each in the output of the feed that had it first (-want +got):\n%s", diff)
		}
		if again := export(11, a, b, c); again[a].ID != outputs[a].ID || w.address(again[a], outfeed.Atom) != w.address(outputs[a], outfeed.Atom) {
			t.Error("exporting again made other addresses")
		}
		// What arrives later stands where it arrived first.
		later := news("wire.example", 3)
		publish(c, 12, later)
		readAll(outputs)
		publish(a, 13, later)
		publish(b, 14, later)
		readAll(outputs)
		// A feed is followed that has had all of it before, by its own account.
		d := w.feed("https://d.example/feed", "")
		publish(d, 15, later, old, old2, news("d.example", 9))
		next := news("wire.example", 4)
		publish(d, 16, next)
		publish(a, 17, next)
		readAll(outputs) // the new feed has no output yet: its articles are in the others
		outputs = export(18, a, b, c, d)
		readAll(outputs)
		publish(d, 19, news("d.example", 10))
		last := news("wire.example", 5)
		publish(b, 20, last)
		publish(d, 21, last)
		readAll(outputs)
		for _, it := range []item{old, old2, later, next, last, news("d.example", 9), news("d.example", 10)} {
			if seen[it.title] != 1 {
				t.Errorf("%q stands in %d outputs, want 1: %v", it.title, seen[it.title], seen)
			}
		}
		if n := seen[last.title+" in feed b"]; n == 0 {
			t.Errorf("the last article is not where it came first: %v", seen)
		}
		if n := seen[next.title+" in feed a"]; n == 0 {
			t.Errorf("the article that stood in the output of feed a before feed d had one is not there: %v", seen)
		}
		// An output that was taken away gives its articles to the others: nothing is lost.
		w.update(func(tx *store.Tx) error { return tx.RemoveOutput(outputs[b].ID) })
		delete(outputs, b)
		readAll(outputs)
		if n := seen[last.title+" in feed d"]; n == 0 {
			t.Errorf("%q is in no output, now that the one of feed b is gone: %v", last.title, seen)
		}
		// With another key the addresses cannot be told, and say what to do.
		_, err := outfeed.Address("", outputs[a], outfeed.Atom, secret.New([secret.KeySize]byte{9}, "another"))
		if err == nil || !strings.Contains(err.Error(), "renew") {
			t.Errorf("with another key: %v", err)
		}
	})
}

// TestCleanedNames: outputs are called as their feeds, whatever those are called.
func TestCleanedNames(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.output("Same", feedonce.Selection{})
		for i, title := range []string{"Same", "Same", "", "a\u202eb", strings.Repeat("ü", 300), strings.Repeat("ü", 300), " x\n y "} {
			w.update(func(tx *store.Tx) error {
				_, err := tx.AddFeed(store.NewFeed{URL: "https://" + string(rune('a'+i)) + ".example/", Title: title, Added: noon})
				return err
			})
		}
		all, err := outfeed.Cleaned(t.Context(), s, w.box, noon)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, c := range all {
			names = append(names, c.Output.Name)
			if err := outfeed.Validate(c.Output); err != nil {
				t.Errorf("%q: %v", c.Output.Name, err)
			}
			w.read(c.Output)
		}
		slices.Sort(names)
		if len(slices.Compact(slices.Clone(names))) != 7 || !slices.Contains(names, "Same (1)") || !slices.Contains(names, "x y") || !slices.Contains(names, "https://c.example/") {
			t.Errorf("names %q", names)
		}
	})
}
