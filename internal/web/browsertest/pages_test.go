package browsertest

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/account"
	"feedonce/internal/browser"
	"feedonce/internal/store"
	"feedonce/internal/web"
)

// notPages are routes that answer with something else than a page.
var notPages = map[string]bool{
	"GET /decisions.csv": true, "GET /decisions.ndjson": true, "GET /feeds.opml": true, "GET /events": true,
	"GET /counts.json": true, "GET /badge.svg": true, "GET /manifest.webmanifest": true,
	"GET /metrics": true, "GET /healthz": true, "GET /readyz": true, "GET /assets/{file}": true, "GET /favicon.ico": true,
}

// guestPages are routes for who is not signed in; TestGuestPages looks at them.
var guestPages = map[string]bool{"GET /signin": true, "GET /signin/{secret}": true, "GET /setup/{secret}": true}

// addresses returns the addresses of all pages: for each route those that do it justice.
func (s *site) addresses() []string {
	s.t.Helper()
	var first, folded, held, update int64
	decided := map[string]bool{}
	var decisions []string
	s.view(func(tx *store.Tx) error {
		list, err := tx.Decisions(store.DecisionFilter{Limit: 1000})
		for _, d := range list {
			switch id := d.ID; {
			case d.Outcome == string(dedup.Duplicate):
				folded, first = id, int64(d.Entry)
			case d.Outcome == string(dedup.Updated):
				update = id
			}
			if !decided[d.Outcome] { // one of each outcome
				decided[d.Outcome] = true
				decisions = append(decisions, fmt.Sprint(d.ID))
			}
		}
		if err != nil {
			return err
		}
		items, err := tx.HeldItems(store.HeldFilter{})
		if len(items) > 0 {
			held = items[0].Decision.ID
		}
		return err
	})
	if folded == 0 || held == 0 || update == 0 {
		s.t.Fatalf("the town lacks a duplicate (%d), an update (%d) or a held item (%d)", folded, update, held)
	}
	var articles []string
	var edited, longest, untitled int64
	for _, e := range s.entries(store.EntryFilter{Limit: 500}) {
		switch {
		case e.Title == "":
			untitled = int64(e.ID)
		case len(e.Title) > 400 || strings.HasPrefix(e.Title, "An article that has") || strings.HasPrefix(e.Title, "خبر"):
			articles = append(articles, fmt.Sprint(e.ID))
		case e.Revision > 1:
			edited = int64(e.ID)
		}
		if len(e.Title) > 400 {
			longest = int64(e.ID)
		}
	}
	if edited == 0 || longest == 0 || untitled == 0 || len(articles) < 4 {
		s.t.Fatalf("the town lacks an article that was edited (%d), one without title (%d), or odd ones %v", edited, untitled, articles)
	}
	var told int64 // in two feeds
	s.view(func(tx *store.Tx) error {
		list, err := tx.Entries(store.EntryFilter{Limit: 500})
		for _, e := range list {
			story, err := tx.StoryOf(e.ID)
			if err != nil {
				continue // it is in none
			}
			if members, err := tx.Memberships(story); err == nil && len(members) > 1 {
				told = int64(e.ID)
				break
			}
		}
		return err
	})
	if told == 0 {
		s.t.Fatal("the town lacks an article that stands in two feeds")
	}
	articles = append(articles, fmt.Sprint(told), fmt.Sprint(first), fmt.Sprint(edited), fmt.Sprint(untitled))
	n := func(ids ...int64) []string { return strings.Fields(strings.Trim(fmt.Sprint(ids), "[]")) }
	feeds := s.feedNumbers()
	examples := map[string][]string{ // by route: what stands in the place of {id}
		"GET /entries/{id}":                     articles,
		"GET /entries/{id}/versions/{revision}": {fmt.Sprint(edited) + "/versions/1"},
		"GET /entries/{id}/same":                n(first), "GET /entries/{id}/leave": n(told), "GET /entries/{id}/lead": n(told),
		"GET /feeds/{id}":        {feeds["The Calm Courier"], feeds["The Broken Bugle"], feeds["The Late Ledger"], feeds["hostile"]},
		"GET /feeds/{id}/remove": {feeds["The Calm Courier"]}, "GET /feeds/{id}/policy": {feeds["The Calm Courier"], feeds["hostile"]}, "GET /feeds/{id}/accept-always": {feeds["The Nameless News"]},
		"GET /decisions/{id}":       decisions,
		"GET /decisions/{id}/split": n(folded, update), "GET /changes/{id}/undo": n(1), "GET /quarantine/{id}/reject": n(held),
		"GET /destinations/{id}": n(1, 2), "GET /destinations/{id}/edit": n(1, 2), "GET /destinations/{id}/preview": n(1), "GET /destinations/{id}/remove": n(1),
		"GET /outputs/{id}/edit": n(1), "GET /outputs/{id}/renew": n(1), "GET /outputs/{id}/remove": n(1), "GET /users/{id}/remove": n(1),
	}
	var list []string
	for _, pattern := range web.Patterns() {
		method, path, _ := strings.Cut(pattern, " ")
		if method != "GET" || notPages[pattern] || guestPages[pattern] {
			continue
		}
		path = strings.TrimSuffix(path, "{$}")
		if !strings.Contains(path, "{") {
			list = append(list, path)
			continue
		}
		if len(examples[pattern]) == 0 {
			s.t.Errorf("%s: no example of this page: add one to examples, or the route to notPages", pattern)
		}
		for _, id := range examples[pattern] {
			before, after, _ := strings.Cut(path, "{id}")
			if strings.Contains(id, "/") { // of the rest, too
				after = ""
			}
			list = append(list, before+id+after)
		}
	}
	calm := "/feeds/" + feeds["The Calm Courier"]
	return append(list,
		"/folder?name=News", "/folder?name=News%2FLocal&view=all", "/folder?name=none", "/all?before=1_1", calm+"?view=unread", fmt.Sprintf("/entries/%d?in=all", told), fmt.Sprintf("/entries/%d?in=unread&folder=News", first),
		"/?q=harbour", "/?q=nothing+has+this+word", "/feeds?show=failing", "/feeds?show=paused&q=nobody",
		"/decisions?outcome=duplicate", "/decisions?outcome=quarantined&day=2026-05-14", "/decisions?q=nothing+like+this",
		"/review?all=yes", "/quarantine?state=accepted", "/quarantine?state=rejected",
		fmt.Sprintf("/compare?a=%d&b=%d", first, edited), fmt.Sprintf("/compare?a=%d&b=%d", first, longest), "/compare?a="+url.QueryEscape(markup)+"&b=1",
		fmt.Sprintf("/entries/%d/same?q=harbour", first), fmt.Sprintf("/entries/%d/same?with=%d", first, edited),
		calm+"/policy?try=yes&identity=title%2Bdate", "/feeds/"+feeds["The Nameless News"]+"/policy?try=yes&missing-guid=reject",
		"/destinations/add?kind=webhook", "/destinations/add?kind=email", "/deliveries?state=retry", "/deliveries?state=sent&dest=1",
	)
}

// feedNumbers returns the numbers of feeds by title; the hostile one has a name here.
func (s *site) feedNumbers() map[string]string {
	s.t.Helper()
	m := map[string]string{}
	s.view(func(tx *store.Tx) error {
		list, err := tx.Feeds()
		for _, f := range list {
			name := f.Title
			if strings.HasPrefix(name, `"'>`) {
				name = "hostile"
			}
			m[name] = fmt.Sprint(f.ID)
		}
		return err
	})
	return m
}

// TestEveryPage visits all pages as four people do, and wants nothing wrong with any.
func TestEveryPage(t *testing.T) {
	s := town(t)
	v := s.visitors("")
	for _, path := range s.addresses() {
		v.visit(path, 200)
	}
	for path, status := range map[string]int{"/missing": 404, "/entries/999999": 404, "/decisions?feed=x": 400, "/deliveries?state=nonsense": 400} {
		v.visit(path, status)
	}
}

// TestEmptyPages does so where nothing is there yet.
func TestEmptyPages(t *testing.T) {
	v := start(t).visitors("empty")
	for _, path := range []string{"/", "/feeds", "/decisions", "/review", "/quarantine", "/destinations", "/deliveries", "/outputs"} {
		v.visit(path, 200)
	}
}

// TestGuestPages looks at what is there for who is not signed in, before and after there is anybody.
func TestGuestPages(t *testing.T) {
	s := start(t)
	p := browser.NewProfile(t, s.url).Page()
	setUp, err := account.SetUpLink(t.Context(), s.store)
	if err != nil {
		t.Fatal(err)
	}
	see := func(path string) {
		t.Helper()
		p.Size(browser.Desktop)
		p.Media(browser.Light)
		p.Open(path)
		look(p, "guest"+path[:strings.LastIndex(path, "/")+1]+p.Text(browser.CSS("h1")))
	}
	see("/signin")
	see(setUp)
	s.signIn(browser.NewProfile(t, s.url).Page())
	see("/signin?next=/feeds")
	keeper := feedonce.UserID(1)
	link, err := account.SignInLink(t.Context(), s.store, keeper)
	if err != nil {
		t.Fatal(err)
	}
	see(link)
}

// visitors are two pages of one person, that look at pages side by side.
type visitors struct {
	*site
	prefix string // of the names of pictures
	free   chan *browser.Page
}

func (s *site) visitors(prefix string) visitors {
	s.t.Helper()
	v := visitors{s, prefix, make(chan *browser.Page, 2)}
	profile := browser.NewProfile(s.t, s.url)
	for i := range cap(v.free) {
		p := profile.Page()
		if i == 0 {
			s.signIn(p)
		}
		v.free <- p
	}
	return v
}

func (v visitors) visit(path string, status int) {
	v.t.Run(strings.ReplaceAll(path, "/", "|"), func(t *testing.T) {
		t.Parallel()
		p := <-v.free
		p.For(t)
		defer func() {
			p.For(v.t)
			v.free <- p
		}()
		p.Size(browser.Desktop)
		p.Media(browser.Light)
		p.OpenStatus(path, status)
		look(p, v.prefix+path)
	})
}

// look looks at a page in both sizes and both schemes. Everything is looked at in both sizes, as tables change their form; what
// differs by scheme alone are colours. Lists are looked
// at as far as 16 rows: more of the same show nothing else, and take long. The first details are looked into.
func look(p *browser.Page, name string) {
	const open = `document.querySelectorAll(':is(ol, ul, tbody) > :nth-child(n+17)').forEach(e => e.remove()),
		[...document.querySelectorAll('details')].slice(0, 6).forEach(d => { d.open = true }), true`
	p.Shot(name + ".desktop.light")
	browser.Eval[bool](p, open)
	p.Axe()
	p.Wide()
	p.Media(browser.Dark)
	p.Shot(name + ".desktop.dark")
	p.Axe("color-contrast")
	p.Size(browser.Phone)
	p.Wide()
	p.Shot(name + ".phone.dark")
	p.Axe()
	p.Media(browser.Light)
	p.Shot(name + ".phone.light")
	p.Axe("color-contrast")
}
