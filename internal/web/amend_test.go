package web

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"feedonce"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// A paper is a feed whose items a test sets.
type paper struct {
	*httptest.Server
	mu    sync.Mutex
	items string
}

func newPaper(t *testing.T) *paper {
	p := &paper{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		w.Header().Set("Content-Type", "application/rss+xml")
		fmt.Fprintf(w, `<rss version="2.0"><channel><title>Paper</title><link>https://paper.example/</link>%s</channel></rss>`, p.items)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *paper) set(items ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.items = strings.Join(items, "")
}

// piece is an item; guid may be empty.
func piece(guid, slug, title, text string) string {
	if guid != "" {
		guid = `<guid isPermaLink="false">` + guid + `</guid>`
	}
	return fmt.Sprintf(`<item>%s<link>https://paper.example/stories/%s</link><title>%s</title><description>%s</description></item>`, guid, slug, title, text)
}

const (
	ferryText = "The ferry that leaves the quay at noon is late again, because of fog on the river and a rope that nobody could find in the morning."
	breadText = "A baker at the market sells bread that is baked in an oven of clay, and everybody who passes asks him how he keeps it so warm."
)

// printed is a site with one feed that was polled once.
func printed(t *testing.T, st *store.Store, items ...string) (*site, *paper) {
	s, p := newSite(t, st), newPaper(t)
	p.set(items...)
	s.addFeed(store.NewFeed{URL: p.URL + "/feed", Title: "Paper"})
	s.post("/feeds/1/poll", nil, http.StatusSeeOther)
	return s, p
}

// press follows a question: the page that asks must say the texts, and its button leads to the page that is returned.
func (s *site) press(path string, form url.Values, texts ...string) string {
	s.t.Helper()
	page := s.get(path, http.StatusOK)
	mustSay(s.t, path, page, texts...)
	action, _, _ := strings.Cut(path, "?")
	mustSay(s.t, path, page, `method="post" action="`+action+`"`)
	at, _ := s.post(action, form, http.StatusSeeOther)
	return s.get(at, http.StatusOK)
}

var undoForm = regexp.MustCompile(`<form method="post" action="([^"]+)">((?:<input type="hidden"[^>]*>)*)<button data-key="u"`)
var hiddenField = regexp.MustCompile(`name="([^"]*)" value="([^"]*)"`)

// undo presses the undo button of the notice.
func (s *site) undo(page string) string {
	s.t.Helper()
	m := undoForm.FindStringSubmatch(page)
	if m == nil {
		s.t.Fatalf("there is no button to undo it:\n%s", page)
	}
	form := url.Values{}
	for _, f := range hiddenField.FindAllStringSubmatch(m[2], -1) {
		form.Set(f[1], f[2])
	}
	at, _ := s.post(m[1], form, http.StatusSeeOther)
	return s.get(at, http.StatusOK)
}

func (s *site) decisionsOf(f store.DecisionFilter) (list []feedonce.Decision) {
	s.t.Helper()
	s.view(func(tx *store.Tx) (err error) {
		list, err = tx.Decisions(f)
		return err
	})
	return list
}

// mustNotSay fails if the page has one of the texts.
func mustNotSay(t *testing.T, where, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(page, text) {
			t.Errorf("%s says %q:\n%s", where, text, page)
		}
	}
}

func TestSplitMergeUndo(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s, p := printed(t, st, piece("a", "ferry", "The ferry is late", ferryText), piece("b", "bread", "Bread of clay", breadText))
		p.set(piece("a2", "ferry", "The ferry is late", ferryText), piece("b", "bread", "Bread of clay", breadText))
		s.post("/feeds/1/poll", nil, http.StatusSeeOther)
		copies := s.decisionsOf(store.DecisionFilter{Outcomes: []string{"duplicate"}})
		if len(copies) != 1 {
			t.Fatalf("%d duplicates, want 1", len(copies))
		}
		a, split := entryPath(copies[0].Entry), decisionPath(copies[0].ID)+"/split"
		mustSay(t, "the article", s.get(a, http.StatusOK), "Not a duplicate…", split, "One other copy came", "under another guid")
		mustSay(t, "the log", s.get("/decisions", http.StatusOK), split, a+"#why")

		page := s.press(split, nil, "becomes an article of its own", "destinations are told of it", "No destination was told of article", "remembered for good")
		mustSay(t, "after the split", page, "are two from now on", "a2", "said on")
		s.post(split, nil, http.StatusBadRequest)
		mustSay(t, "after undoing it", s.undo(page), "Taken back", "that was taken back on")

		// Undone, it can be done again, and merged by the other way.
		s.press(split, nil)
		b := copies[0].Entry + 1
		s.view(func(tx *store.Tx) error {
			list, err := tx.Amendments(store.AmendmentFilter{Limit: 1})
			b = list[0].B
			return err
		})
		mustSay(t, "the choice", s.get(a+"/same?q="+fmt.Sprint(b), http.StatusOK), fmt.Sprintf("%s/same?with=%d", a, b))
		mustSay(t, "the choice by title", s.get(a+"/same?q=ferry", http.StatusOK), fmt.Sprintf("with=%d", b))
		mustSay(t, "no such article", s.get(a+"/same?q=nobody+wrote+this", http.StatusOK), "No other article has")
		page = s.press(fmt.Sprintf("%s/same?with=%d", a, b), url.Values{"with": {fmt.Sprint(b)}}, "becomes part of article", "not sent any more", "You can undo it")
		mustSay(t, "after the merge", page, fmt.Sprintf("Article %d is part of", b))
		mustSay(t, "what was merged", s.get(entryPath(b), http.StatusOK), "shown in its place")
		mustSay(t, "after undoing the merge", s.undo(page), "are two again")

		s.get(a+"/same?with=x", http.StatusBadRequest)
		s.get(a+"/same?with=9999", http.StatusNotFound)
		s.post(a+"/same", url.Values{"with": {"0"}}, http.StatusBadRequest)
		s.get("/changes/9999/undo", http.StatusNotFound)
		s.get("/changes/1/undo", http.StatusBadRequest) // undone already
		s.get("/decisions/1/split", http.StatusBadRequest)
		mustSay(t, "a made-up change", s.get(a+"?change=9999", http.StatusOK), "The ferry is late")
	})
}

func TestStory(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s, _ := printed(t, st, piece("a", "ferry", "The ferry is late", ferryText))
		other := newPaper(t)
		other.set(piece("z", "bread", "Bread of clay", breadText))
		s.addFeed(store.NewFeed{URL: other.URL + "/feed", Title: "Other paper"})
		s.post("/feeds/2/poll", nil, http.StatusSeeOther)
		page := s.press("/entries/1/same?with=2", url.Values{"with": {"2"}}, "of two feeds", "one story")
		mustSay(t, "the story", page, "are one story from now on", "Its story", "/entries/1/leave", "/entries/1/lead", "shown first")
		page = s.press("/entries/2/lead", nil, "in the place of article 1")
		mustSay(t, "the lead", page, "shown first of its story", "as a person chose", "Take back the choice")
		mustNotSay(t, "after undoing it", s.undo(page), "as a person chose")
		s.press("/entries/1/lead", nil, "shown first already")
		page = s.press("/entries/2/lead", nil)
		mustSay(t, "the former lead again", s.undo(page), "as a person chose")
		page = s.get("/entries/1", http.StatusOK)
		mustSay(t, "the former lead", page, "shown first, as a person chose")
		page = s.press("/entries/2/leave", nil, "stands by itself from now on", "the story is no more")
		mustSay(t, "after leaving", page, "left its story")
		mustNotSay(t, "after leaving", page, "Its story")
		mustSay(t, "after undoing that", s.undo(page), "in its story again", "Its story")
		s.press("/entries/2/leave", nil)
		s.get("/entries/2/leave", http.StatusNotFound)
		s.post("/entries/2/lead", nil, http.StatusNotFound)
	})
}

func TestCompare(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s, _ := printed(t, st, piece("a", "ferry", "The ferry is late", ferryText), piece("b", "ferries", "The ferry is late", strings.Replace(ferryText, "noon", "midnight", 1)), piece("c", "bread", "Bread of clay", breadText))
		ids := map[string]feedonce.EntryID{}
		s.view(func(tx *store.Tx) error {
			list, err := tx.Entries(store.EntryFilter{})
			for _, e := range list {
				ids[e.GUID] = e.ID
			}
			return err
		})
		path := comparePath(ids["b"], ids["a"])
		page := s.get(path, http.StatusOK)
		mustSay(t, "the pair", page, "<del>noon</del>", "<ins>midnight</ins>", "Would they be taken for one?", "while the older one stands in the feed, too", "just as the older one leaves the feed", "They are two articles of one feed", "They are two</button>")
		mustSay(t, "by words", s.get("/compare?a=bread&b="+fmt.Sprint(ids["a"]), http.StatusOK), "Bread of clay", "They are two articles of one feed")
		for query, want := range map[string]string{"?a=1&b=1": "Both are article 1", "?a=1": "Give two articles", "?a=ferry&b=1": "may be several articles", "?a=nobody&b=1": "No article is known by", "": "Compare"} {
			mustSay(t, query, s.get("/compare"+query, http.StatusOK), want)
		}
		at, _ := s.post("/review", url.Values{"a": {fmt.Sprint(ids["a"])}, "b": {fmt.Sprint(ids["b"])}, "answer": {"different"}, "back": {"compare"}}, http.StatusSeeOther)
		page = s.get(at, http.StatusOK)
		mustSay(t, "after saying that they differ", page, "stay two, whatever the rules find", "said on", "that they are two articles")
		mustNotSay(t, "after undoing it", s.undo(page), "that they are two articles")
	})
}

func TestReview(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s, p := printed(t, st, piece("a", "ferry", "The ferry is late", ferryText), piece("b", "bread", "Bread of clay", breadText))
		// The whole list under other guids, in a feed whose links have proved nothing yet.
		p.set(piece("a2", "ferry", "The ferry is late", ferryText), piece("b2", "bread", "Bread of clay", breadText))
		s.post("/feeds/1/poll", nil, http.StatusSeeOther)
		if got := len(s.decisionsOf(store.DecisionFilter{Outcomes: []string{"new"}})); got != 4 {
			t.Fatalf("%d new articles, want 4", got)
		}
		page := s.get("/review", http.StatusOK)
		mustSay(t, "the queue", page, "2 pairs from here on", "the link is no evidence", `value="same" data-key="="`, `value="different" data-key="x"`, `value="skip" data-key="s"`)
		answer := func(page, say string) string {
			t.Helper()
			_, form, _ := strings.Cut(page, `<form class="answers"`)
			form, _, _ = strings.Cut(form, "</form>")
			values := url.Values{"answer": {say}}
			for _, f := range hiddenField.FindAllStringSubmatch(form, -1) {
				if !strings.Contains(f[0], `name="answer"`) {
					values.Set(f[1], f[2])
				}
			}
			at, _ := s.post("/review", values, http.StatusSeeOther)
			return s.get(at, http.StatusOK)
		}
		skipped := answer(page, "skip")
		mustSay(t, "after skipping one", skipped, "1 pair from here on")
		done := answer(skipped, "skip")
		mustSay(t, "after skipping both", done, "No doubtful pair is left", "Begin anew")
		page = answer(page, "different")
		mustSay(t, "after the first answer", page, "stay two, whatever", "1 pair from here on")
		page = s.undo(page)
		mustSay(t, "after undoing it", page, "Taken back", "2 pairs from here on")
		page = answer(page, "same")
		mustSay(t, "after merging", page, "is part of", "1 pair from here on")
		page = s.undo(page)
		mustSay(t, "after undoing that", page, "are two again", "2 pairs from here on")
		page = answer(page, "same")
		page = answer(page, "different")
		mustSay(t, "after the last answer", page, "No doubtful pair is left")
		mustSay(t, "the queue", s.get("/review", http.StatusOK), "No pair is doubtful")

		for _, from := range []string{"x", "1", "0.1", "1.-1", "1.x"} {
			s.get("/review?from="+from, http.StatusBadRequest)
		}
		s.post("/review", url.Values{"answer": {"perhaps"}, "a": {"1"}, "b": {"2"}}, http.StatusBadRequest)
		s.post("/review", url.Values{"answer": {"same"}}, http.StatusBadRequest)
		s.post("/review", url.Values{"answer": {"skip"}, "next": {"//evil.example"}}, http.StatusBadRequest)
	})
}

func TestHeldAndPolicy(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s, p := printed(t, st, piece("a", "ferry", "The ferry is late", ferryText))
		mustSay(t, "no held items", s.get("/quarantine", http.StatusOK), "Nothing is held")
		page := s.get("/feeds/1/policy?try=yes&missing-guid=quarantine", http.StatusOK)
		mustSay(t, "the trial", page, "What would change", "An item without a guid is held until a person accepts it.", "Nothing that came so far would be judged otherwise", `name="missing-guid" value="quarantine"`, "Judge it so from now on")
		mustSay(t, "the same again", s.get("/feeds/1/policy?try=yes", http.StatusOK), "It is judged so already")
		if f := s.feed(1); f.Policy != "" {
			t.Fatalf("a trial changed the policy to %s", f.Policy)
		}
		at, _ := s.post("/feeds/1/policy", url.Values{"missing-guid": {"quarantine"}}, http.StatusSeeOther)
		mustSay(t, "after saving", s.get(at, http.StatusOK), "judged so from now on", "held until a person accepts it")

		p.set(piece("", "bread", "Bread of clay", breadText), piece("", "soup", "Soup of stone", breadText+" Soup."), piece("", "salt", "Salt of the earth", ferryText+" Salt."), piece("a", "ferry", "The ferry is late", ferryText))
		s.post("/feeds/1/poll", nil, http.StatusSeeOther)
		page = s.get("/quarantine", http.StatusOK)
		mustSay(t, "what is held", page, "3 held", "Bread of clay", "Soup of stone", "lets no item without a guid through", "Accept always for this feed…")
		mustSay(t, "the feed", s.get("/feeds/1", http.StatusOK), "3 items are held")
		held := s.decisionsOf(store.DecisionFilter{Outcomes: []string{"quarantined"}})
		id := map[string]int64{}
		for _, d := range held {
			id[d.Title] = d.ID
		}
		mustSay(t, "a held arrival", s.get(decisionPath(id["Soup of stone"]), http.StatusOK), "Held: not shown until a person accepts it", fmt.Sprintf("/quarantine/%d/accept", id["Soup of stone"]))
		at, _ = s.post(fmt.Sprintf("/quarantine/%d/accept", id["Bread of clay"]), nil, http.StatusSeeOther)
		mustSay(t, "after accepting", s.get(at, http.StatusOK), "Accepted: article 2", "2 held")
		page = s.press(fmt.Sprintf("/quarantine/%d/reject", id["Soup of stone"]), nil, "does not become an article", "cannot be undone")
		mustSay(t, "after leaving out", page, "Left out", "1 held")
		mustSay(t, "what was left out", s.get("/quarantine?state=rejected", http.StatusOK), "Soup of stone")
		mustSay(t, "what was accepted", s.get("/quarantine?state=accepted&feed=1", http.StatusOK), "Bread of clay", "/entries/2")
		s.post(fmt.Sprintf("/quarantine/%d/accept", id["Soup of stone"]), nil, http.StatusBadRequest)
		page = s.press("/feeds/1/accept-always", nil, "no longer held", "1 item that is held becomes an article now")
		mustSay(t, "after accepting always", page, "Accepted 1 item.", "Nothing is held")
		if f := s.feed(1); strings.Contains(f.Policy, "quarantine") {
			t.Errorf("the policy is %s after accepting always", f.Policy)
		}
		page = s.get("/feeds/1/policy?try=yes&missing-guid=reject", http.StatusOK)
		mustSay(t, "a trial with differences", page, "3 items would be refused", "would be refused", "/entries/2")

		s.get("/quarantine?state=nonsense", http.StatusBadRequest)
		s.get("/feeds/1/policy?try=yes&identity=nonsense", http.StatusBadRequest)
		s.post("/feeds/1/policy", url.Values{"suspect": {"nonsense"}}, http.StatusBadRequest)
		s.post("/feeds/1/policy", url.Values{"group": {strings.Repeat("x", 1001)}}, http.StatusBadRequest)
		s.get("/feeds/9/policy", http.StatusNotFound)
		s.post("/feeds/9/policy", nil, http.StatusNotFound)
		at, _ = s.post("/feeds/1/policy", url.Values{"identity": {"link"}, "near": {"off"}, "stories": {"off"}, "permanent": {"yes"}, "suspect": {"R4"}, "group": {"ours"}, "apart": {"x, y"}}, http.StatusSeeOther)
		mustSay(t, "all settings", s.get(at, http.StatusOK), `value="link" checked`, `name="near" value="off" checked`, `name="stories" value="off" checked`, `name="permanent" value="yes" checked`, `value="R4" checked`, `value="ours"`, `value="x, y"`)
	})
}

func (s *site) feed(id feedonce.FeedID) (f feedonce.Feed) {
	s.t.Helper()
	s.view(func(tx *store.Tx) (err error) {
		f, err = tx.Feed(id)
		return err
	})
	return f
}

func TestExport(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s, p := printed(t, st, piece("a", "ferry", "The ferry is late", ferryText), piece("b", "bread", "Bread of clay", breadText))
		p.set(piece("a2", "ferry", "The ferry is late", ferryText), piece("b", "bread", "Bread of clay", breadText))
		s.post("/feeds/1/poll", nil, http.StatusSeeOther)
		p.set(piece("a2", "ferry", "=The ferry is late", ferryText), piece("=1+1", "bread", "Bread of clay", breadText))
		s.post("/feeds/1/poll", nil, http.StatusSeeOther)
		res := s.do(httptest.NewRequest(http.MethodGet, "/decisions.csv?outcome=new&outcome=duplicate&outcome=updated&feed=1", nil))
		if got := res.Header.Get("Content-Disposition"); got != `attachment; filename="decisions.csv"` {
			t.Errorf("Content-Disposition %q", got)
		}
		rows, err := csv.NewReader(res.Body).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		want := s.decisionsOf(store.DecisionFilter{})
		if len(rows) != len(want)+1 || len(want) < 4 {
			t.Fatalf("%d rows for %d decisions: %q", len(rows), len(want), rows)
		}
		for i, d := range want {
			row := rows[i+1]
			if row[0] != fmt.Sprint(d.ID) || row[5] != d.Outcome || row[6] != d.Rule || row[8] != cell(d.Title) || row[9] != cell(d.GUID) {
				t.Errorf("row %q of decision %+v", row, d)
			}
			if strings.HasPrefix(row[8], "=") || strings.HasPrefix(row[9], "=") {
				t.Errorf("a formula: %q", row)
			}
		}
		var ids []int64
		dec := json.NewDecoder(strings.NewReader(s.get("/decisions.ndjson?outcome=duplicate", http.StatusOK)))
		for dec.More() {
			var d struct {
				ID      int64
				Outcome string
			}
			if err := dec.Decode(&d); err != nil {
				t.Fatal(err)
			}
			if d.Outcome != "duplicate" {
				t.Errorf("a %s among the duplicates", d.Outcome)
			}
			ids = append(ids, d.ID)
		}
		if got := len(s.decisionsOf(store.DecisionFilter{Outcomes: []string{"duplicate"}})); len(ids) != got || got == 0 {
			t.Errorf("exported duplicates %v, want %d", ids, got)
		}
		for _, path := range []string{"/decisions.csv?day=x", "/decisions.ndjson?feed=x"} {
			s.get(path, http.StatusBadRequest)
		}
		s.get("/decisions.csv?feed=99", http.StatusNotFound)
	})
}
