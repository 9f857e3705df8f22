package web

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/account"
	"feedonce/internal/fetch"
	"feedonce/internal/poll"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// rowsOf returns the rows of a table by its caption, each as its texts with single spaces.
func rowsOf(t *testing.T, page, caption string) []string {
	t.Helper()
	_, rest, ok := strings.Cut(page, `<caption class="unseen">`+caption+`</caption>`)
	if !ok {
		t.Fatalf("there is no table %q in\n%s", caption, page)
	}
	table, _, _ := strings.Cut(rest, "</table>")
	_, body, _ := strings.Cut(table, "<tbody>")
	var rows []string
	for _, row := range strings.Split(body, "<tr")[1:] {
		words := strings.Fields(tags.ReplaceAllString("<tr"+row, " "))
		rows = append(rows, strings.Join(words, " "))
	}
	return rows
}

var tags = regexp.MustCompile(`<[^>]*>`)

func mustRows(t *testing.T, page, caption string, want ...string) {
	t.Helper()
	got := rowsOf(t, page, caption)
	if len(got) != len(want) {
		t.Errorf("%s has %d rows, want %d:\n%s", caption, len(got), len(want), strings.Join(got, "\n"))
		return
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s, row %d:\n got %s\nwant %s", caption, i+1, got[i], want[i])
		}
	}
}

// fillFigures stores a known day: feed 1 had 4 new articles and 2 copies, 1 update, 90 unchanged; feed 2 had 4 new articles,
// of which 1 is in a story with one of feed 1; polls and delays as counted.
func fillFigures(s *site) {
	a, b := s.addFeed(store.NewFeed{URL: "https://a.example/feed", Title: "Alpha & Co"}), s.addFeed(store.NewFeed{URL: "https://b.example/feed", Title: "Beta"})
	documents := func(feed feedonce.FeedID, copies int) {
		var items []store.IngestItem
		var decisions []dedup.Decision
		for i := range 4 {
			item := dedup.Item{GUID: fmt.Sprint(feed, i), Title: fmt.Sprint("Article ", i), Content: fmt.Sprint("text ", feed, i)}
			items = append(items, store.IngestItem{Item: item})
			decisions = append(decisions, newEntry(i, item, now))
		}
		for i := range copies {
			item := dedup.Item{GUID: fmt.Sprint("copy", i), Title: "Article 0"}
			items = append(items, store.IngestItem{Item: item})
			decisions = append(decisions, dedup.Decision{Item: 4 + i, Outcome: dedup.Duplicate, Rule: []dedup.RuleID{"R1", "R0"}[i%2], Entry: -1})
		}
		s.apply(store.Ingest{Feed: feed, Items: items}, decisions)
	}
	documents(a.ID, 2)
	documents(b.ID, 0)
	s.update(func(tx *store.Tx) error {
		if err := tx.LockStories(); err != nil {
			return err
		}
		if err := tx.AddCounts(now, map[feedonce.FeedID]feedonce.Counts{a.ID: {Unchanged: 90, Updated: 1}}); err != nil {
			return err
		}
		// Of another day, and of one that no range has.
		if err := tx.AddCounts(now.AddDate(0, 0, -10), map[feedonce.FeedID]feedonce.Counts{b.ID: {Unchanged: 5}}); err != nil {
			return err
		}
		if err := tx.AddCounts(now.AddDate(-1, 0, 0), map[feedonce.FeedID]feedonce.Counts{b.ID: {Invalid: 1000}}); err != nil {
			return err
		}
		if err := tx.AddHourCounts(now, store.HourCounts{
			store.PollsNotModified: 6, store.PollsSameBytes: 1, store.PollsUnchanged: 1, store.PollsNew: 2, store.PollsFailed: 10,
			"late: 10 s": 15, "late: more": 5, "lag: 15 min": 3, "lag: more": 1,
		}); err != nil {
			return err
		}
		// Article 5 is the first of feed 2, and article 6 is only about the others.
		return tx.AddMemberships([]store.Membership{
			{Story: -1, Entry: 1, Feed: a.ID, At: now}, {Story: -1, Entry: 5, Feed: b.ID, At: now, Rule: "C1", Joined: 1},
			{Story: -1, Entry: 6, Feed: b.ID, At: now, Rule: "C5", Joined: 1, About: true},
		}, now)
	})
}

func TestDashboard(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, st)
		mustSay(t, "an empty dashboard", s.get("/dashboard", http.StatusOK), "Nothing was polled in this time")
		fillFigures(s)
		for _, path := range []string{"/dashboard", "/dashboard?range=today", "/dashboard?range=nonsense"} {
			page := s.get(path, http.StatusOK)
			mustSay(t, path, page, "101 items came in, 7 articles went out.", "90 arrivals were as stored", "7 polls of 20 (35 %) brought nothing to parse")
			mustRows(t, page, "Items in, articles out",
				"Items arrived in the documents of all polls 101 100 %", "− unchanged as they are stored 90 89 %", "− updates of articles that are there 1 1.0 %",
				"− copies folded into their article 2 2.0 %", "− held until a person accepts them 0 0 %", "− unreadable with nothing to know them by 0 0 %",
				"= new articles in their feed 8 7.9 %", "− had by another feed the same article, in one story 1 1.0 %", "= articles out each once 7 6.9 %")
			mustRows(t, page, "Copies by rule", "R0 "+dedup.RuleByID("R0").Sentence+" 1", "R1 "+dedup.RuleByID("R1").Sentence+" 1")
			mustRows(t, page, "Copies by feed", "Alpha &amp; Co 33 % of what was not there yet 2")
			mustRows(t, page, "Articles shared by two feeds", "Alpha &amp; Co and Beta 1")
			mustRows(t, page, "Polls by what became of them", "Not modified the server said so (304) 6 30 %", "Same bytes not parsed 1 5.0 %",
				"Unchanged every article as it is stored 1 5.0 %", "New articles 2 10 %", "Changed an update or a copy 0 0 %", "Error 10 50 %")
			mustRows(t, page, "How late feeds were polled", "Up to 10 seconds 15 75 %", "Up to 1 minute 0 0 %", "Up to 5 minutes 0 0 %", "Up to 30 minutes 0 0 %", "More than 30 minutes 5 25 %")
			mustRows(t, page, "How long after it was published an article came",
				"Up to 5 minutes 0 0 %", "Up to 15 minutes 3 75 %", "Up to 1 hour 0 0 %", "Up to 6 hours 0 0 %", "Up to 24 hours 0 0 %", "More than 24 hours 1 25 %")
		}
		page := s.get("/dashboard?range=7", http.StatusOK)
		days := rowsOf(t, page, "Arrivals that were not as stored")
		if want := "14 May 8 2 1 0 0 90"; len(days) != 7 || days[6] != want || days[5] != "13 May 0 0 0 0 0 0" {
			t.Errorf("arrivals by day are %q, want 7 days, the last %q", days, want)
		}
		mustSay(t, "the charts", page, `role="img" aria-labelledby="arrivals-t arrivals-d"`, `<title id="arrivals-t">Arrivals that were not as stored by day</title>`,
			"In all, new: 8, copies: 2, updates: 1, held: 0, unreadable: 0.", `<title>14 May: 8 new, 2 copies, 1 updates, 0 held, 0 unreadable</title>`, `<title>14 May: 20 %</title>`)
		hours := rowsOf(t, s.get("/dashboard?range=today", http.StatusOK), "Polls")
		if want := "15:00 6 1 1 2 0 10"; len(hours) != 16 || hours[15] != want {
			t.Errorf("polls by hour are %q, want 16 hours, the last %q", hours, want)
		}
		mustSay(t, "30 days", s.get("/dashboard?range=30", http.StatusOK), "106 items came in, 7 articles went out.", "95 arrivals")
		for path, want := range map[string]int{"/dashboard?range=7": 7, "/dashboard?range=30": 30, "/dashboard?range=90": 90} {
			if n := len(rowsOf(t, s.get(path, http.StatusOK), "Share of copies")); n != want {
				t.Errorf("%s has %d days, want %d", path, n, want)
			}
		}
	})
}

// What the poller has counted and not stored yet is on the page, and is not counted twice when it is stored.
func TestDashboardHasWhatIsNotStoredYet(t *testing.T) {
	st := storetest.Open(t, storetest.SQLite(t))
	s := newSite(t, st)
	clock := func() time.Time { return now }
	client := fetch.New(fetch.Options{AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Version: "test"})
	t.Cleanup(client.Close)
	p := poll.New(poll.Options{Store: st, Client: client, Now: clock, Spacing: -1})
	s.handler = Handler(Options{Accounts: account.New(account.Options{Store: st}), Store: st, Poller: p, Client: client, Version: "test", Now: clock, Location: time.UTC})
	f := s.addFeed(store.NewFeed{URL: closedPort(t), Title: "Nobody there"})
	if _, err := p.Poll(context.Background(), f.ID); err == nil {
		t.Fatal("a feed where nobody listens was polled")
	}
	for _, when := range []string{"counted", "stored"} {
		mustRows(t, s.get("/dashboard", http.StatusOK), "Polls by what became of them", "Not modified the server said so (304) 0 0 %", "Same bytes not parsed 0 0 %",
			"Unchanged every article as it is stored 0 0 %", "New articles 0 0 %", "Changed an update or a copy 0 0 %", "Error 1 100 %")
		if err := p.Flush(context.Background()); err != nil {
			t.Fatal(when, err)
		}
	}
}

// The figures take as many statements for many feeds as for two.
func TestStatementsOfDashboard(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, st)
		fillFigures(s)
		count := func() int64 {
			before := st.DB().Statements()
			s.get("/dashboard?range=30", http.StatusOK)
			return st.DB().Statements() - before
		}
		few := count()
		for i := range 50 {
			f := s.addFeed(store.NewFeed{URL: fmt.Sprintf("https://%d.example/feed", i)})
			s.update(func(tx *store.Tx) error {
				return tx.AddCounts(now.Add(-time.Hour), map[feedonce.FeedID]feedonce.Counts{f.ID: {New: 1, Duplicate: int64(i)}})
			})
		}
		if many := count(); many != few {
			t.Errorf("%d statements for 2 feeds, %d for 52", few, many)
		}
	})
}
