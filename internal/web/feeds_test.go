package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// fillFeeds stores one feed of each kind: fine (with copies), failing, paused, silent, and one that was never polled.
func fillFeeds(s *site) {
	for i, name := range []string{"Fine", "Broken", "Resting", "Quiet", "Waiting"} {
		s.addFeed(store.NewFeed{URL: fmt.Sprintf("https://%d.example/feed", i+1), Title: name})
	}
	s.update(func(tx *store.Tx) error {
		if err := tx.AddCounts(now.AddDate(0, 0, -3), map[feedonce.FeedID]feedonce.Counts{1: {New: 30, Duplicate: 10}, 2: {New: 1, Duplicate: 3}, 4: {Unchanged: 7}}); err != nil {
			return err
		}
		// Older than what the list is about.
		if err := tx.AddCounts(now.AddDate(0, 0, -40), map[feedonce.FeedID]feedonce.Counts{1: {New: 1000, Duplicate: 1000}, 4: {New: 5}}); err != nil {
			return err
		}
		for _, step := range []struct {
			feed    feedonce.FeedID
			outcome store.PollOutcome
			age     time.Duration // of the last article
		}{{1, store.PollNew, time.Hour}, {1, 0, 0}, {1, store.PollChanged, time.Hour}, {2, store.PollNew, 48 * time.Hour}, {3, 0, 0}, {4, store.PollNew, 40 * 24 * time.Hour}} {
			if _, err := tx.ClaimFeed(now, step.feed); err != nil {
				return err
			}
			if step.outcome == 0 {
				continue
			}
			if err := tx.Polled(step.feed, feedonce.Schedule{LastNew: now.Add(-step.age)}, step.outcome); err != nil {
				return err
			}
		}
		if _, err := tx.ClaimFeed(now, 2); err != nil {
			return err
		}
		if err := tx.Failed(2, 0, now, "the document was refused: it is too deep", now.Add(time.Hour)); err != nil {
			return err
		}
		if err := tx.AddPoll(2, store.Poll{At: now, Outcome: store.PollFailed, Status: 200, Took: 1500 * time.Millisecond, ErrorKind: "limit", Error: "the document was refused: it is too deep"}); err != nil {
			return err
		}
		if err := tx.AddPoll(2, store.Poll{At: now.Add(-time.Hour), Outcome: store.PollNew, Status: 200, Wire: 12_345, Took: 20 * time.Millisecond, Counts: feedonce.Counts{New: 1, Duplicate: 3}}); err != nil {
			return err
		}
		return tx.SetFeedState(3, feedonce.FeedPaused)
	})
}

// names returns the feeds that a list has, in its order.
func names(t *testing.T, page string) string {
	t.Helper()
	if !strings.Contains(page, "Feeds and how they are") {
		return ""
	}
	var all []string
	for _, row := range rowsOf(t, page, "Feeds and how they are") {
		all = append(all, strings.Fields(row)[0])
	}
	return strings.Join(all, " ")
}

func TestFeedList(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, st)
		fillFeeds(s)
		for path, want := range map[string]string{
			"/feeds": "Broken Fine Quiet Resting Waiting", "/feeds?show=failing": "Broken", "/feeds?show=paused": "Resting", "/feeds?show=silent": "Quiet", "/feeds?show=nonsense": "Broken Fine Quiet Resting Waiting",
			"/feeds?sort=copies": "Broken Fine Quiet Resting Waiting", "/feeds?sort=articles": "Fine Broken Quiet Resting Waiting", "/feeds?sort=last": "Fine Broken Quiet Resting Waiting",
			"/feeds?q=quIEt": "Quiet", "/feeds?q=2.example": "Broken", "/feeds?q=none": "", "/feeds?page=2": "", "/feeds?page=-1": "Broken Fine Quiet Resting Waiting", "/feeds?show=paused&q=fine": "",
		} {
			if got := names(t, s.get(path, http.StatusOK)); got != want {
				t.Errorf("%s lists %q, want %q", path, got, want)
			}
		}
		if got := names(t, s.get("/feeds?sort=next", http.StatusOK)); !strings.HasSuffix(got, "Resting") {
			t.Errorf("by their next poll: %q, want the one that is not polled last", got)
		}
		page := s.get("/feeds?sort=copies&show=failing&q=b", http.StatusOK)
		mustSay(t, "the list", page, "5 feeds", "1 failing", "1 paused", "1 silent", `href="/feeds?q=b&amp;show=paused&amp;sort=copies"`, `<option value="copies" selected>`)
		mustRows(t, page, "Feeds and how they are",
			"Broken failing The document was refused: it is too deep. Ask the publisher for a feed with fewer or shorter items. "+
				"Last 2 polls: 1 brought new articles, 1 failed; the latest failed 1 3 75 % not known yet every 30 minutes, next in 60 minutes Poll")
		fine := rowsOf(t, s.get("/feeds?q=fine", http.StatusOK), "Feeds and how they are")
		if want := "Fine Last 3 polls: 1 brought new articles, 1 changed something, 1 found nothing; the latest changed something 30 10 25 % not known yet"; !strings.HasPrefix(fine[0], want) {
			t.Errorf("the row of a feed is %q, want %q", fine[0], want)
		}

		page = s.get("/feeds/2", http.StatusOK)
		mustRows(t, page, "Polls that stored something or failed",
			"just now Failed. 200 1.5 s The document was refused: it is too deep.", "60 minutes ago Brought new articles. 200 12 kB 20 ms 1 new, 3 copies")
		mustSay(t, "the feed", page, "The last poll failed.", "Ask the publisher", "75 % of what was not there yet", "No document with items came yet.", "Last 2 polls")
	})
}

// A list of thousands takes as many statements as one of two feeds, and shows each of them once.
func TestManyFeeds(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, st)
		add := func(from, to int) {
			s.update(func(tx *store.Tx) error {
				counts := map[feedonce.FeedID]feedonce.Counts{}
				for i := from; i < to; i++ {
					f, err := tx.AddFeed(store.NewFeed{URL: fmt.Sprintf("https://%d.example/feed", i), Title: fmt.Sprintf("Feed%03d", i), Added: now})
					if err != nil {
						return err
					}
					counts[f.ID] = feedonce.Counts{New: int64(i), Duplicate: 1}
				}
				return tx.AddCounts(now, counts)
			})
		}
		count := func(path string) int64 {
			before := st.DB().Statements()
			s.get(path, http.StatusOK)
			return st.DB().Statements() - before
		}
		add(0, 2)
		paths := []string{"/feeds", "/feeds?sort=copies"}
		few := []int64{count(paths[0]), count(paths[1])}
		add(2, 250)
		for i, path := range paths {
			if n := count(path); n != few[i] {
				t.Errorf("%s: %d statements for 2 feeds, %d for 250", path, few[i], n)
			}
		}
		seen := map[string]int{}
		path := "/feeds"
		for n := 0; path != ""; n++ {
			page := s.get(path, http.StatusOK)
			for _, name := range strings.Fields(names(t, page)) {
				seen[name]++
			}
			_, after, more := strings.Cut(page, `class="next" href="`)
			if path = ""; more {
				path, _, _ = strings.Cut(after, `"`)
			}
			if n > 3 {
				t.Fatal("there is always another page")
			}
		}
		if len(seen) != 250 {
			t.Errorf("the pages have %d feeds, want 250", len(seen))
		}
		for name, n := range seen {
			if n != 1 {
				t.Errorf("%s is listed %d times", name, n)
			}
		}
		if first := strings.Fields(names(t, s.get("/feeds?sort=articles", http.StatusOK)))[0]; first != "Feed249" {
			t.Errorf("the feed with the most articles is %s, want Feed249", first)
		}
	})
}

// A reader sees the figures of what they follow, and nothing of what they do not.
func TestFiguresOfAReader(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, st)
		fillFigures(s)
		reader := s.as(s.join("reader", feedonce.RoleReader))
		mustSay(t, "the dashboard of who follows nothing", reader.get("/dashboard", http.StatusOK), "Nothing was polled in this time")
		mustSay(t, "the feeds of who follows nothing", reader.get("/feeds", http.StatusOK), "No feeds yet")
		s.update(func(tx *store.Tx) error {
			u, err := tx.UserByName("reader")
			if err != nil {
				return err
			}
			return tx.Follow(feedonce.Subscription{User: u.ID, Feed: 2, Added: now})
		})
		page := reader.get("/dashboard?range=today", http.StatusOK)
		mustSay(t, "the dashboard of who follows one feed", page, "4 items came in, 3 articles went out", "No feed sent an article twice", "No article came from two feeds")
		if got := names(t, reader.get("/feeds", http.StatusOK)); got != "Beta" {
			t.Errorf("the feeds of who follows one are %q", got)
		}
		for _, path := range []string{"/dashboard", "/feeds", "/feeds?sort=copies"} {
			if page := reader.get(path, http.StatusOK); strings.Contains(page, "Alpha") || strings.Contains(page, "20 (35 %)") {
				t.Errorf("%s shows what the reader does not follow:\n%s", path, page)
			}
		}
	})
}

func TestIdentity(t *testing.T) {
	rows := func(guids ...uint64) (m []dedup.ManifestRow) {
		for _, g := range guids {
			m = append(m, dedup.ManifestRow{GUID: g})
		}
		return m
	}
	for _, c := range []struct {
		state dedup.State
		word  string
		says  string
	}{
		{dedup.State{}, "not known yet", "No document"},
		{dedup.State{Manifest: rows(1, 2)}, "by guid", "have held"},
		{dedup.State{Manifest: rows(1, 2), SharedGUIDs: []uint64{7}}, "guids shared", "1 guid stood"},
		{dedup.State{Manifest: rows(1, 2), GUIDVolatile: true, Links: dedup.Grade{Distinct: 9}}, "by link", "change from poll"},
		{dedup.State{Manifest: rows(1, 2), GUIDVolatile: true, Links: dedup.Grade{Distinct: 9, Shared: 2}, DatesVolatile: true}, "by content", "2 links stood on several articles. Its dates change"},
		{dedup.State{Manifest: rows(1, 0), Links: dedup.Grade{Distinct: 9}}, "by link", "Not every item"},
		{dedup.State{Manifest: rows(0, 0), Links: dedup.Grade{Distinct: 1}}, "by content", "not shown yet"},
	} {
		if got := identityOf(&c.state); got.Word != c.word || !strings.Contains(got.Why, c.says) {
			t.Errorf("%+v: %+v, want %q and %q", c.state, got, c.word, c.says)
		}
	}
}

// An error has a remedy once: in its words, or after them.
func TestRemedies(t *testing.T) {
	for _, c := range []struct{ kind, words, says string }{
		{"not a feed", "not a feed: found an HTML page", "add that page"},
		{"not a feed", "not a feed: found an HTML page. It names a feed at https://a.example/feed: add that", ""},
		{"limit", "the document was refused: it is too deep", "Ask the publisher"},
		{"fault", "polling: a fault", "report it"},
		{"dns", "the host name a.example has no address; check it for typing errors", ""},
		{"limit", "", ""},
	} {
		got := remedy(&store.FeedView{Feed: feedonce.Feed{Error: c.words}, ErrorKind: c.kind})
		if c.says == "" && got != "" || !strings.Contains(got, c.says) {
			t.Errorf("%s, %q: the remedy is %q, want %q", c.kind, c.words, got, c.says)
		}
	}
}
