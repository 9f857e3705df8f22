package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"feedonce/internal/shape"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

func TestFeeds(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, st)
		s.pub.feed("/a.xml", "https://town.example/", item{"1", "https://town.example/1", "One", "First."})
		var f Feed
		s.call("POST", "feeds", `{"url":"`+s.pub.URL+`/a.xml","folder":" News "}`, 201, &f)
		if f.ID != 1 || f.Title != "Feed /a.xml" || f.Articles != 1 || f.Counts.New != 1 || f.Folder != "News" || f.State != "active" || f.LastPoll == nil {
			t.Errorf("added %+v", f)
		}
		mustSay(t, "a second time", s.problem("POST", "feeds", `{"url":"`+s.pub.URL+`/a.xml?utm_source=x"}`, 409), "followed already, as feed 1")

		// By the address of a site.
		s.pub.page("/", `<link rel=alternate type="application/rss+xml" href="/b.xml">`)
		s.pub.feed("/b.xml", "https://town.example/")
		s.call("POST", "feeds", `{"url":"`+s.pub.URL+`/","poll":false}`, 201, &f)
		if f.URL != s.pub.URL+"/b.xml" || f.LastPoll != nil {
			t.Errorf("added by site: %+v", f)
		}
		s.pub.page("/many", `<link rel=alternate type="application/rss+xml" href="/c.xml"><link rel=alternate type="application/rss+xml" href="/d.xml">`)
		mustSay(t, "a page of several feeds", s.problem("POST", "feeds", `{"url":"`+s.pub.URL+`/many"}`, 422), "names several feeds", "/c.xml", "/d.xml")
		mustSay(t, "a page without feed", s.problem("POST", "feeds", `{"url":"`+s.pub.URL+`/many.html"}`, 502), "404")
		mustSay(t, "no address", s.problem("POST", "feeds", `{"url":"gopher://example.org/"}`, 422), "start with http:// or https://")
		mustSay(t, "a private address", s.problem("POST", "feeds", `{"url":"http://10.0.0.1/feed"}`, 422), "cannot be polled")

		var p Poll
		s.pub.feed("/a.xml", "https://town.example/", item{"2", "https://town.example/2", "Two", "Second."})
		s.call("POST", "feeds/1/poll", "", 200, &p)
		if p.Status != "new" || p.Items != 1 || p.Counts.New != 1 || len(p.New) != 1 {
			t.Errorf("poll: %+v", p)
		}
		s.pub.page("/a.xml", "no feed any more")
		s.call("POST", "feeds/1/poll", "", 200, &p)
		if p.Status != "error" || p.Error == "" {
			t.Errorf("poll of what is no feed: %+v", p)
		}
		s.call("GET", "feeds/1", "", 200, &f)
		if f.Errors != 1 || f.Error == "" {
			t.Errorf("after a poll that failed: %+v", f)
		}

		var page feedList
		s.call("GET", "feeds?limit=1", "", 200, &page)
		if len(page.Feeds) != 1 || page.Feeds[0].ID != 1 || page.Next != "1" {
			t.Errorf("first page: %+v", page)
		}
		s.call("GET", "feeds?limit=1&after="+page.Next, "", 200, &page)
		if len(page.Feeds) != 1 || page.Feeds[0].ID != 2 {
			t.Errorf("second page: %+v", page)
		}

		s.call("DELETE", "feeds/1", "", 204, nil)
		mustSay(t, "a feed that was removed", s.problem("GET", "feeds/1", "", 404), "There is no feed 1.")
		s.problem("DELETE", "feeds/1", "", 404)
	})
}

func TestWithoutPoller(t *testing.T) {
	s := newSite(t, storetest.Open(t, storetest.SQLite(t)))
	s.fill()
	s.handler = newServer(Options{Store: s.store, Accounts: s.server.Accounts, Version: "test"}).handler()
	mustSay(t, "polling where another process polls", s.problem("POST", "feeds/1/poll", "", 503), "another process")
	var f Feed
	s.call("POST", "feeds", `{"url":"never.example/feed"}`, 201, &f)
	if f.URL != "https://never.example/feed" || f.LastPoll != nil {
		t.Errorf("added without client: %+v", f)
	}
}

// walk follows a list from page to page, two at a time, and returns the number of each element.
func walk[T any](s *site, path string, page func(*T) (ids []int64, next string)) (ids []int64) {
	s.t.Helper()
	for after := ""; ; {
		var v T
		sep := "?"
		if strings.Contains(path, "?") {
			sep = "&"
		}
		s.call("GET", path+sep+"limit=2&after="+after, "", 200, &v)
		got, next := page(&v)
		if len(got) > 2 || len(ids) > 1000 {
			s.t.Fatalf("%s: a page of %d after %d elements", path, len(got), len(ids))
		}
		if ids = append(ids, got...); next == "" {
			return ids
		}
		after = next
	}
}

// Every element of a list is on one page, in the order of the list.
func TestPages(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, st)
		s.fill()
		for n := range 9 {
			s.pub.feed("/a.xml", "https://town.example/", item{fmt.Sprint("n-", n), fmt.Sprintf("https://town.example/2026/%d", 1000+n), fmt.Sprint("Number ", n), "Text."})
			s.call("POST", "feeds/1/poll", "", 200, nil)
		}
		var all struct {
			entries   entryList
			decisions decisionList
		}
		s.call("GET", "entries?limit=500", "", 200, &all.entries)
		s.call("GET", "decisions?limit=500", "", 200, &all.decisions)
		var entries, decisions []int64
		for _, e := range all.entries.Entries {
			entries = append(entries, int64(e.ID))
		}
		for _, d := range all.decisions.Decisions {
			decisions = append(decisions, d.ID)
		}
		if len(entries) != 12 || len(decisions) < 15 || all.entries.Next != "" {
			t.Fatalf("%d articles, %d decisions", len(entries), len(decisions))
		}
		got := walk(s, "entries", func(l *entryList) (ids []int64, next string) {
			for _, e := range l.Entries {
				ids = append(ids, int64(e.ID))
			}
			return ids, l.Next
		})
		if !slices.Equal(got, entries) {
			t.Errorf("articles page by page: %v, want %v", got, entries)
		}
		got = walk(s, "decisions", func(l *decisionList) (ids []int64, next string) {
			for _, d := range l.Decisions {
				ids = append(ids, d.ID)
			}
			return ids, l.Next
		})
		if !slices.Equal(got, decisions) {
			t.Errorf("decisions page by page: %v, want %v", got, decisions)
		}
		held := walk(s, "quarantine", func(l *heldList) (ids []int64, next string) {
			for _, h := range l.Held {
				ids = append(ids, h.Decision.ID)
			}
			return ids, l.Next
		})
		if len(held) != 2 || held[0] < held[1] {
			t.Errorf("held items page by page: %v", held)
		}
		stories := walk(s, "stories", func(l *storyList) (ids []int64, next string) {
			for _, st := range l.Stories {
				ids = append(ids, st.ID)
			}
			return ids, l.Next
		})
		if len(stories) != 1 {
			t.Errorf("stories page by page: %v", stories)
		}
		var l decisionList
		s.call("GET", "decisions?outcome=duplicate,updated&feed=1", "", 200, &l)
		if len(l.Decisions) != 2 {
			t.Errorf("copies and updates: %+v", l)
		}
		s.call("GET", "decisions?words=h-2", "", 200, &l)
		if len(l.Decisions) != 1 || l.Decisions[0].Outcome != "duplicate" || l.Decisions[0].Arrival == nil || l.Decisions[0].Arrival.GUID != "h-2" {
			t.Errorf("the decision about guid h-2: %+v", l)
		}
	})
}

// What was decided can be asked about, contradicted, and that taken back.
func TestExplainSplitMergeUndo(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, st)
		s.fill()
		var found Found
		s.call("GET", "find?q=h-2", "", 200, &found)
		if len(found.Entries) != 1 || len(found.Arrivals) != 1 {
			t.Fatalf("found by guid: %+v", found)
		}
		entry, copied := found.Entries[0].ID, found.Arrivals[0]
		var x shape.Explanation
		s.call("GET", fmt.Sprintf("entries/%d/explain?check=true", entry), "", 200, &x)
		mustSay(t, "the summary", strings.Join(x.Summary, " "), "This article was shown on 2026-05-14T15:", "One other copy came on", "under another guid", "It stands in other feeds, too")
		last := x.Decisions[len(x.Decisions)-1]
		if last.ID != copied.ID || last.Rule != "R1" || last.Headline == "" || len(last.Findings) == 0 || last.Check == nil || !last.Check.Same || x.Story == nil {
			t.Errorf("explanation: %+v", x)
		}

		var m shape.Amendment
		s.call("POST", fmt.Sprintf("decisions/%d/split", copied.ID), "", 200, &m)
		if m.Kind != "split" || m.A != entry || m.B == 0 || m.Note == "" || m.Who != "keeper" {
			t.Errorf("split: %+v", m)
		}
		s.problem("POST", fmt.Sprintf("decisions/%d/split", copied.ID), "", 409)
		mustSay(t, "splitting what was new", s.problem("POST", "decisions/1/split", "", 422), ".")
		s.call("GET", fmt.Sprintf("entries/%d/explain", m.B), "", 200, &x)
		mustSay(t, "the summary of what was split off", strings.Join(x.Summary, " "), "not the same as")
		if len(x.Verdicts) != 1 || x.Verdicts[0].Same {
			t.Errorf("verdicts: %+v", x.Verdicts)
		}
		// Nothing is new, and nothing folds again.
		s.wait()
		var p Poll
		s.call("POST", "feeds/1/poll", "", 200, &p)
		if p.Counts.New != 0 || p.Counts.Duplicate != 0 {
			t.Errorf("poll after the split: %+v", p)
		}

		var undone shape.Amendment
		s.call("POST", fmt.Sprintf("amendments/%d/undo", m.ID), "", 200, &undone)
		if undone.ID != m.ID || undone.Undone == nil {
			t.Errorf("undone: %+v", undone)
		}
		s.problem("POST", fmt.Sprintf("amendments/%d/undo", m.ID), "", 422)
		s.call("POST", fmt.Sprintf("entries/%d/merge", entry), fmt.Sprintf(`{"with":%d}`, entry+1), 200, &m)
		if m.Kind != "merge" || m.A != entry {
			t.Errorf("merge: %+v", m)
		}
		var e fullEntry
		s.call("GET", fmt.Sprintf("entries/%d", entry+1), "", 200, &e)
		if e.MergedInto != entry {
			t.Errorf("what was merged: %+v", e)
		}
		mustSay(t, "merging one with itself", s.problem("POST", fmt.Sprintf("entries/%d/merge", entry), fmt.Sprintf(`{"with":%d}`, entry), 422), ".")
		mustSay(t, "merging with what is not there", s.problem("POST", fmt.Sprintf("entries/%d/merge", entry), `{"with":987}`, 404), "There is no entry 987.")
		var l amendmentList
		s.call("GET", "amendments?holds=true", "", 200, &l)
		if len(l.Amendments) != 2 || l.Amendments[0].ID != m.ID { // and the change of policy
			t.Errorf("what holds: %+v", l)
		}
	})
}

func TestStories(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, st)
		s.fill()
		var l storyList
		s.call("GET", "stories?feed=2", "", 200, &l)
		if len(l.Stories) != 1 || len(l.Stories[0].Members) != 2 {
			t.Fatalf("stories: %+v", l)
		}
		story := l.Stories[0]
		first, second := story.Members[0], story.Members[1]
		if story.Lead != first.Entry.ID || first.Entry.Feed != 1 || second.Entry.Feed != 2 || second.Rule == "" || second.Sentence == "" || second.Joined != first.Entry.ID {
			t.Errorf("story: %+v", story)
		}
		s.call("GET", fmt.Sprintf("stories/%d?prefer=2", story.ID), "", 200, &story)
		if story.Lead != second.Entry.ID {
			t.Errorf("the lead where feed 2 is preferred: %d, want %d", story.Lead, second.Entry.ID)
		}
		// A person chooses, and that holds.
		lead := fmt.Sprintf("stories/%d/lead", story.ID)
		s.call("PUT", lead, fmt.Sprintf(`{"entry":%d}`, second.Entry.ID), 200, &story)
		if story.Lead != second.Entry.ID || story.Chosen == nil {
			t.Errorf("the chosen lead: %d, at %v; want %d", story.Lead, story.Chosen, second.Entry.ID)
		}
		s.call("GET", "stories?prefer=1&lead=longest", "", 200, &l)
		if l.Stories[0].Lead != second.Entry.ID {
			t.Errorf("the chosen lead where feed 1 is preferred: %d, want %d", l.Stories[0].Lead, second.Entry.ID)
		}
		mustSay(t, "choosing what is not in the story", s.problem("PUT", lead, `{"entry":2}`, 422), "2 is not in story")
		s.problem("PUT", "stories/987/lead", `{"entry":1}`, 404)
		s.problem("PUT", lead, `{"entry":0}`, 422)
		for range 2 { // the second time, nobody had chosen
			s.call("DELETE", lead, "", 200, &story)
			if story.Lead != first.Entry.ID || story.Chosen != nil {
				t.Errorf("the lead when the choice is taken back: %d, at %v; want %d", story.Lead, story.Chosen, first.Entry.ID)
			}
		}
		var m shape.Amendment
		s.call("POST", fmt.Sprintf("entries/%d/leave", second.Entry.ID), "", 200, &m)
		if m.Kind != "leave" {
			t.Errorf("leave: %+v", m)
		}
		s.call("GET", "stories?feed=2", "", 200, &l)
		if len(l.Stories) != 0 {
			t.Errorf("stories after one article left: %+v", l)
		}
		s.problem("POST", fmt.Sprintf("entries/%d/leave", second.Entry.ID), "", 404)
	})
}

// An arrival that is no article is explained, too, and one that the policy refuses is not said to be held.
func TestExplainDecision(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, st)
		s.fill()
		s.call("PUT", "feeds/1/policy", `{"missingGuid":"reject"}`, 200, nil)
		s.pub.feed("/a.xml", "https://town.example/", item{"", "https://town.example/2026/refused-for-want-of-a-guid", "Refused for want of a guid", school})
		s.wait()
		s.call("POST", "feeds/1/poll", "", 200, nil)
		for outcome, want := range map[string][3]string{
			"quarantined": {"Held: not shown until a person accepts it", "held for want of a guid", "lets no item without a guid through"},
			"invalid":     {"Refused, as the feed's policy wants it", "refused for want of a guid", "refuses items without a guid"},
		} {
			var l decisionList
			s.call("GET", "decisions?outcome="+outcome, "", 200, &l)
			if len(l.Decisions) == 0 {
				t.Fatalf("nothing is %s", outcome)
			}
			var x shape.Explained
			s.call("GET", fmt.Sprintf("decisions/%d/explain", l.Decisions[0].ID), "", 200, &x)
			if x.Headline != want[0] || x.Name != want[1] || x.Arrival == nil {
				t.Errorf("%s: %+v", outcome, x)
			}
			mustSay(t, outcome, x.Sentence, want[2])
			mustSay(t, outcome, l.Decisions[0].Sentence, want[2])
		}
		s.problem("GET", "decisions/987/explain", "", 404)
	})
}

func TestQuarantine(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, st)
		s.fill()
		var l heldList
		s.call("GET", "quarantine", "", 200, &l)
		if len(l.Held) != 2 || l.Held[0].State != "open" || l.Held[0].Decision.Arrival == nil {
			t.Fatalf("held: %+v", l)
		}
		first, second := l.Held[1].Decision.ID, l.Held[0].Decision.ID
		var done accepted
		s.call("POST", fmt.Sprintf("quarantine/%d/accept", first), "", 200, &done)
		if len(done.Entries) != 1 {
			t.Fatalf("accepted: %+v", done)
		}
		var e fullEntry
		s.call("GET", fmt.Sprintf("entries/%d", done.Entries[0]), "", 200, &e)
		if e.Title != "Held for want of a guid" {
			t.Errorf("accepted: %+v", e)
		}
		mustSay(t, "accepting a second time", s.problem("POST", fmt.Sprintf("quarantine/%d/accept", first), "", 422), "accepted already")
		s.call("POST", fmt.Sprintf("quarantine/%d/reject", second), "", 204, nil)
		s.problem("POST", fmt.Sprintf("quarantine/%d/reject", second), "", 422)
		s.problem("POST", "quarantine/1/accept", "", 404)
		s.call("GET", "quarantine?state=rejected", "", 200, &l)
		if len(l.Held) != 1 || l.Held[0].Who != "keeper" || l.Held[0].Closed == nil {
			t.Errorf("rejected: %+v", l)
		}

		s.wait()
		s.pub.feed("/a.xml", "https://town.example/", item{"", "https://town.example/2026/held-once-more", "Held once more", "Short."})
		s.call("POST", "feeds/1/poll", "", 200, nil)
		s.call("GET", "quarantine", "", 200, &l)
		s.call("POST", fmt.Sprintf("quarantine/%d/accept?always=true", l.Held[0].Decision.ID), "", 200, &done)
		var p policyAnswer
		s.call("GET", "feeds/1/policy", "", 200, &p)
		if len(done.Entries) != 1 || p.Policy.MissingGUID != "" {
			t.Errorf("accepted always: %+v, policy %+v", done, p)
		}
	})
}

func TestPolicy(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, st)
		s.fill()
		var p policyAnswer
		s.call("PUT", "feeds/1/policy", `{"identity":"guid","near":"on","group":"town"}`, 200, &p)
		if p.Policy.Identity != "guid" || p.Policy.MissingGUID != "" || p.Policy.Near != "" || p.Policy.Group != "town" {
			t.Errorf("policy: %+v", p)
		}
		mustSay(t, "the sentences", strings.Join(p.Sentences, " "), "only when its guid is the same")
		s.wait()
		var poll Poll
		s.call("POST", "feeds/1/poll", "", 200, &poll)
		if poll.Counts.New != 2 { // the two that were held; no article is new by the policy
			t.Errorf("poll after the change: %+v", poll)
		}
		var sim Simulation
		s.call("POST", "feeds/1/policy/simulate", `{"missingGuid":"reject"}`, 200, &sim)
		if sim.Arrivals == 0 || !slices.ContainsFunc(sim.Differences, func(d Difference) bool { return d.Kind == "refused" && d.Title == "Held for want of a guid" }) {
			t.Errorf("simulation: %+v", sim)
		}
		s.call("GET", "feeds/1/policy", "", 200, &p)
		if p.Policy.Identity != "guid" {
			t.Errorf("the simulation changed the policy: %+v", p)
		}
		for body, say := range map[string]string{
			`{"identity":"sometimes"}`:  "auto, guid, link, title+date",
			`{"suspectOnly":["R99"]}`:   "R99",
			`{"colour":"red"}`:          "colour",
			`{"apart":"town"}`:          "apart",
			`{"missing_guid":"reject"}`: "missing_guid",
		} {
			mustSay(t, body, s.problem("PUT", "feeds/1/policy", body, 422), say)
		}
	})
}

func TestGuard(t *testing.T) {
	s := newSite(t, storetest.Open(t, storetest.SQLite(t)))
	s.fill()
	r := request("GET", Prefix+"feeds", "")
	r.Host = "rebound.example"
	res, b := s.do(r)
	if res.StatusCode != http.StatusMisdirectedRequest || res.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("under a foreign name: %d %s", res.StatusCode, b)
	}
	r = request("DELETE", Prefix+"feeds/1", "")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	res, b = s.do(r)
	if res.StatusCode != http.StatusForbidden || res.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("from a page of another site: %d %s", res.StatusCode, b)
	}
	var f Feed
	s.call("GET", "feeds/1", "", 200, &f)
	r = request("GET", Prefix+"feeds/1", "")
	res, _ = s.do(r)
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'"} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	mustSay(t, "no route", s.problem("GET", "nothing", "", 404), "openapi.json")
	mustSay(t, "no method", s.problem("PATCH", "feeds/1", "", 405), "GET, DELETE")
}
