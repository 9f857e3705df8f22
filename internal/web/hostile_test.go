package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/amend"
	"feedonce/internal/dest"
	"feedonce/internal/outfeed"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

const (
	hostileText = `"'></bdi></main></body><script>alert(1)</script><img src=x onerror=alert(1)><style>*{}</style>{{.}}` + "\u202e\u2066" + `</title></textarea>--><svg onload=alert(1)>`
	hostileURL  = `javascript:alert(1)//"'><script>alert(2)</script>`
	hostileHTML = `<script>alert(1)</script><img src=x onerror=alert(1)><a href="javascript:alert(1)">x</a></div></article></main></body>` +
		`<iframe src=x></iframe><form action=/feeds/1/remove method=post><button>x</button></form><style>*{}</style><h1 id=main class=top style="x">y</h1><base href=//evil.example/>`
)

// hostileSite has something hostile in every field that comes from a feed, and returns the addresses of all pages.
func hostileSite(t *testing.T, st *store.Store) (*site, []string) {
	s := newSite(t, st)
	long := hostileText + strings.Repeat("W", 3000)
	f := s.addFeed(store.NewFeed{URL: "http://127.0.0.1:1/" + hostileText, Title: long, SiteURL: hostileURL, Folder: long})
	item := dedup.Item{
		GUID: hostileURL, URL: hostileURL, Title: long, Content: hostileHTML, Summary: hostileHTML, Author: long, Lang: `en" onload="x`,
		Published: now, Updated: now, Enclosures: []dedup.Enclosure{
			{URL: hostileURL, Type: `audio/"><script>`, Length: 5},
			{URL: `https://e.example/"><script>alert(1)</script>.mp3`, Type: "audio/mpeg", Length: 123456},
			{URL: "https://e.example/x.mp4", Type: "video/mp4"}, {URL: "https://e.example/x.png", Type: "image/png"}, {URL: "data:text/html,x", Type: "text/html"},
		},
	}
	untitled := dedup.Item{GUID: "2", Content: hostileHTML, Published: now}
	in := store.Ingest{
		Feed: f.ID, Title: long, SiteURL: hostileURL, Format: long, Warning: long,
		Items: []store.IngestItem{{Item: item, Title: long, Categories: []string{long, hostileURL}}, {Item: untitled}},
	}
	first := newEntry(0, item, now)
	first.Quiet, first.Tell = long, false
	first.Keys = append(first.Keys, dedup.Key{Kind: 77, Hash: hash("x"), Text: long})
	s.apply(in, []dedup.Decision{first, newEntry(1, untitled, now)})

	var e feedonce.Entry
	s.view(func(tx *store.Tx) error {
		list, err := tx.Entries(store.EntryFilter{})
		for _, x := range list {
			if x.Title != "" {
				e = x
			}
		}
		return err
	})
	evidence := dedup.Evidence{
		Facts:   []dedup.Fact{{Name: long, Is: long, Have: long, Want: hostileURL}, {Name: "guid", Is: "differs by" + long, Have: hostileURL}},
		Changed: []string{long}, Note: long, Others: []dedup.Other{{Entry: dedup.EntryID(e.ID), Why: long}},
	}
	updated := newEntry(0, item, now)
	updated.Outcome, updated.Rule, updated.Entry, updated.Evidence, updated.Keys = dedup.Updated, "G2", dedup.EntryID(e.ID), evidence, nil
	updated.Write.Entry.ID, updated.Write.Version = dedup.EntryID(e.ID), true
	decisions := []dedup.Decision{updated}
	for i, outcome := range []dedup.Outcome{dedup.Duplicate, dedup.Quarantined, dedup.Invalid} {
		d := dedup.Decision{Item: i + 1, Outcome: outcome, Rule: dedup.RuleID(hostileText), Evidence: evidence}
		if outcome == dedup.Duplicate {
			d.Entry = dedup.EntryID(e.ID)
		}
		decisions = append(decisions, d)
	}
	bad := item
	bad.Invalid = long
	in.Items = []store.IngestItem{{Item: item, Title: long}, {Item: item, Title: long}, {Item: bad, Title: long}, {Item: bad, Title: long}}
	s.apply(in, decisions)
	s.update(func(tx *store.Tx) error {
		if err := tx.SetMoved(f.ID, hostileURL, 2); err != nil {
			return err
		}
		return tx.Failed(f.ID, 0, now, long, now)
	})
	pages := hostileChanges(s, f.ID, e.ID)
	q := "q=" + queryEscape(hostileText)
	paths := []string{
		"/", "/?" + q, "/?q=W", "/feeds", "/feeds?" + q, "/feeds?show=" + queryEscape(hostileText), "/feeds?show=failing&q=w", feedPath(f.ID), feedPath(f.ID) + "/remove",
		"/dashboard", "/dashboard?range=" + queryEscape(hostileText), "/feeds?sort=" + queryEscape(hostileText), "/feeds?sort=copies&show=silent&" + q,
		"/decisions", "/decisions?" + q, "/decisions?rule=" + queryEscape(hostileText), "/decisions?outcome=duplicate&outcome=new&feed=1", "/decisions?outcome=" + queryEscape(hostileText),
		"/add", "/add?url=" + queryEscape(hostileURL), feedPath(f.ID) + "?done=" + queryEscape(hostileText) + "&new=" + queryEscape(hostileText),
		fmt.Sprintf("/entries/%d", e.ID), fmt.Sprintf("/entries/%d", e.ID+1), fmt.Sprintf("/entries/%d", max(1, e.ID-1)), fmt.Sprintf("/entries/%d/versions/1", e.ID),
		"/missing/" + queryEscape(hostileText), "/entries/0", "/feeds/" + queryEscape(hostileText), "/decisions?feed=" + queryEscape(hostileText), "/?before=" + queryEscape(hostileText),
	}
	return s, append(append(paths, pages...), s.hostileSending(t, f.ID, e.ID)...)
}

// hostileChanges has people change what is hostile, and returns the addresses of the pages that ask and say so.
func hostileChanges(s *site, feed feedonce.FeedID, entry feedonce.EntryID) (paths []string) {
	s.t.Helper()
	other := s.addFeed(store.NewFeed{URL: "http://127.0.0.1:1/other", Title: hostileText + "2"})
	item := dedup.Item{GUID: hostileText, URL: hostileURL, Title: hostileText, Content: hostileHTML + "<p>" + hostileText, Author: hostileText, Published: now}
	s.apply(store.Ingest{Feed: other.ID, Items: []store.IngestItem{{Item: item, Title: hostileText}}}, []dedup.Decision{newEntry(0, item, now)})
	twin := item
	twin.GUID += "2"
	doubtful := newEntry(0, twin, now)
	doubtful.Evidence = dedup.Evidence{Others: []dedup.Other{{Why: hostileText}}}
	s.view(func(tx *store.Tx) error {
		list, err := tx.Entries(store.EntryFilter{Feed: other.ID})
		doubtful.Evidence.Others[0].Entry = dedup.EntryID(list[0].ID)
		return err
	})
	s.apply(store.Ingest{Feed: other.ID, Items: []store.IngestItem{{Item: twin, Title: hostileText}}}, []dedup.Decision{doubtful})
	if page := s.get("/review", http.StatusOK); !strings.Contains(page, `class="answers"`) {
		s.t.Error("nothing hostile is doubtful")
	}
	s.update(func(tx *store.Tx) error {
		policy, err := json.Marshal(dedup.Policy{Group: hostileText, Apart: []string{hostileText, hostileURL}})
		if err != nil {
			return err
		}
		return tx.SetFeedPolicy(feed, string(policy))
	})
	var theirs feedonce.EntryID
	s.view(func(tx *store.Tx) error {
		list, err := tx.Entries(store.EntryFilter{Feed: other.ID})
		theirs = list[0].ID
		return err
	})
	by := amend.By{Who: hostileText, At: now}
	joined, err := amend.Merge(context.Background(), s.store, entry, theirs, by)
	if err != nil {
		s.t.Fatal(err)
	}
	e, a := entryPath(entry), entryPath(theirs)
	paths = []string{
		e + "?change=" + fmt.Sprint(joined.ID), e + "?change=" + queryEscape(hostileText), e + "?done=lead&was=" + queryEscape(hostileText), changePath(joined.ID) + "/undo",
		e + "/same", e + "/same?q=" + queryEscape(hostileText), e + "/same?q=W", e + "/same?with=" + fmt.Sprint(theirs), e + "/same?with=" + queryEscape(hostileText), a + "/leave", a + "/lead", a,
		comparePath(entry, theirs), "/compare?a=" + queryEscape(hostileText) + "&b=1", "/compare?a=W&b=" + queryEscape(hostileURL), "/review", "/review?all=yes", "/review?from=" + queryEscape(hostileText),
		"/review?done=different&a=1&b=2&from=" + queryEscape(hostileText), "/quarantine", "/quarantine?state=" + queryEscape(hostileText), "/quarantine?feed=" + fmt.Sprint(feed),
		feedPath(feed) + "/policy", feedPath(feed) + "/policy?try=yes&missing-guid=reject&group=" + queryEscape(hostileText) + "&apart=" + queryEscape(hostileText),
		feedPath(feed) + "/policy?try=yes&identity=" + queryEscape(hostileText), feedPath(feed) + "/accept-always", "/decisions?day=2026-05-14", "/decisions?day=" + queryEscape(hostileText),
	}
	for _, d := range s.decisionsOf(store.DecisionFilter{}) {
		paths = append(paths, decisionPath(d.ID), decisionPath(d.ID)+"/split", fmt.Sprintf("/quarantine/%d/reject", d.ID))
	}
	s.view(func(tx *store.Tx) error {
		held, err := tx.HeldItems(store.HeldFilter{})
		if len(held) == 0 {
			s.t.Error("nothing hostile is held")
		}
		return err
	})
	return paths
}

// hostileSending has something hostile wherever a publisher, an endpoint or who fills in a form can put it on the pages of what
// is sent, and returns their addresses.
func (s *site) hostileSending(t *testing.T, feed feedonce.FeedID, entry feedonce.EntryID) []string {
	t.Helper()
	long := hostileText + strings.Repeat("W", 3000)
	d, _, err := s.engine.Add(t.Context(), feedonce.Destination{Name: hostileText[:60], Kind: "webhook", Route: feedonce.Route{
		Feeds: []feedonce.FeedID{feed}, Folders: []string{long}, Include: []feedonce.Filter{{Text: hostileText}}, Exclude: []feedonce.Filter{{In: "title", RE: "<script>"}},
		Digest: &feedonce.Digest{Every: "day", Title: hostileText[:60]},
	}}, dest.Settings{"url": hook(t, http.StatusBadRequest, long).URL})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := outfeed.Add(t.Context(), s.store, s.box, feedonce.Output{Name: hostileText[:60], Created: now, Selection: feedonce.Selection{Feed: feed, Search: hostileText[:60]}}); err != nil {
		t.Fatal(err)
	}
	s.update(func(tx *store.Tx) error {
		brake, err := tx.AddBrake(feedonce.Brake{Feed: feed, At: now, Count: 40, Usual: 2, State: feedonce.BrakeOpen})
		if err != nil {
			return err
		}
		notice, err := tx.AddNotice(feedonce.Notice{At: now, Kind: long, Feed: feed, Destination: d.ID, Text: long})
		if err != nil {
			return err
		}
		if err := tx.SetDestinationState(d.ID, feedonce.DestinationDisabled, long, now); err != nil {
			return err
		}
		rows := []feedonce.Delivery{{Destination: d.ID, Kind: feedonce.DeliverNotice, Revision: int(notice), Feed: feed, State: feedonce.DeliveryDead, Note: long, Created: now, Due: now}}
		for i, st := range stateWords {
			rows = append(rows, feedonce.Delivery{Destination: d.ID, Kind: feedonce.DeliverUpdate, Revision: i + 1, Entry: entry, Feed: feed, State: st.state, Brake: brake, Created: now, Due: now, Note: long})
		}
		ids, err := tx.PutDeliveries(rows)
		if err != nil {
			return err
		}
		lease, err := tx.LeaseDestination(d.ID, now, now.Add(time.Hour))
		if err != nil {
			return err
		}
		tried := ids[4:5] // the one that waits for another attempt
		if _, err := tx.StartAttempt(d.ID, lease.Fence, tried, false, now); err != nil {
			return err
		}
		return tx.FinishAttempt(store.FinishedAttempt{Destination: d.ID, Fence: lease.Fence, IDs: tried, At: now, Excerpt: long, Error: long, State: feedonce.DeliveryRetry, Due: now, Note: long})
	})
	q := queryEscape(hostileText)
	path := destinationPath(d.ID)
	return []string{
		"/destinations", "/destinations/add", "/destinations/add?kind=email", "/destinations/add?kind=" + q, path, path + "/edit", path + "/preview", path + "/preview?entry=" + q,
		path + "/preview?entry=" + fmt.Sprint(entry), path + "/remove", path + "?done=" + q, "/deliveries", "/deliveries?state=dead", "/deliveries?state=" + q, "/deliveries?dest=1&feed=1&entry=1",
		"/deliveries?brake=1", "/deliveries?dest=" + q, "/deliveries?done=" + q + "&n=" + q, "/outputs", "/outputs/1/renew", "/outputs/1/remove", "/outputs?done=" + q,
	}
}

// TestHostileContent reads every page as a browser does and looks for anything that is not ours.
func TestHostileContent(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s, paths := hostileSite(t, st)
		for _, path := range paths {
			r, err := http.NewRequest(http.MethodGet, "http://localhost"+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.RequestURI = path
			res := s.do(r)
			page := s.body(res, path, res.StatusCode)
			if res.StatusCode >= 500 {
				t.Errorf("%s: status %d: %s", path, res.StatusCode, s.log)
			}
			mustBeOurs(t, path, page)
		}
		// The form comes back with what was typed.
		for _, typed := range []string{hostileURL, hostileText, "http://127.0.0.1:1/" + hostileText} {
			_, page := s.post("/add", map[string][]string{"url": {typed}, "folder": {hostileText}}, http.StatusBadRequest)
			mustBeOurs(t, "POST /add "+typed, page)
		}
		// So does the one of a destination and that of an output, and a test shows what the endpoint answered.
		long := hostileText + strings.Repeat("W", 3000)
		for _, kind := range dest.Kinds() {
			form := map[string][]string{"kind": {kind.Name}, "name": {long}, "of": {"some"}, "folder": {long}, "feed": {long}, "every": {long}, "at": {long}, "zone": {long}, "digest_title": {long},
				"quiet_from": {long}, "quiet_to": {long}, "quiet_zone": {long}, "per_minute": {long}, "burst": {long}, "unknown": {long}, "scope": {long}, "latest": {long}, "since": {long}, "backlog": {"since"}}
			for _, list := range []string{"include", "exclude"} {
				form[list+"_in"], form[list+"_how"], form[list+"_words"] = []string{long, ""}, []string{"re", long}, []string{long, long}
			}
			for _, f := range kind.Fields {
				form["set."+f.Name] = []string{long}
			}
			_, page := s.post("/destinations/add", form, http.StatusBadRequest)
			mustBeOurs(t, "POST /destinations/add as "+kind.Name, page)
		}
		_, page := s.post("/outputs", map[string][]string{"name": {long}, "of": {"feed"}, "feed": {long}, "folder": {long}, "search": {long}, "limit": {long}, "scope": {long}}, http.StatusBadRequest)
		mustBeOurs(t, "POST /outputs", page)
		_, page = s.post("/destinations/1/test", nil, http.StatusOK)
		mustSay(t, "the test", page, "It was not accepted")
		mustBeOurs(t, "POST /destinations/1/test", page)
	})
}

// mustBeOurs fails if a page has script, style, handlers, dangerous addresses or elements in places that templates do
// not put there.
func mustBeOurs(t *testing.T, path, page string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if strings.Contains(page, "ZgotmplZ") {
		t.Errorf("%s: a template was the last to stop a dangerous address; links.go is to do it", path)
	}
	if !strings.Contains(page, "<p>feedonce test: every article once, and always why.</p>") {
		t.Errorf("%s: the foot of the page is not ours", path)
	}
	count := map[string]int{}
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.ElementNode {
			if n.Namespace == "" { // an image has a title of its own
				count[n.Data]++
			}
			attr := map[string]string{}
			for _, a := range n.Attr {
				attr[a.Key] = a.Val
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "srcdoc" || a.Key == "formaction" {
					t.Errorf("%s: <%s %s=%q>", path, n.Data, a.Key, a.Val)
				}
				switch a.Key {
				case "href", "src", "action", "poster", "cite":
					if !strings.HasPrefix(a.Val, "/") && !strings.HasPrefix(a.Val, "#") && !strings.HasPrefix(a.Val, "http://") && !strings.HasPrefix(a.Val, "https://") || strings.HasPrefix(a.Val, "//") {
						t.Errorf("%s: <%s %s=%q>", path, n.Data, a.Key, a.Val)
					}
				}
			}
			switch n.Data {
			case "script":
				if !strings.HasPrefix(attr["src"], "/assets/") || n.FirstChild != nil {
					t.Errorf("%s: a script that is not ours: src=%q", path, attr["src"])
				}
			case "style", "iframe", "object", "embed", "base", "frame":
				t.Errorf("%s: <%s>", path, n.Data)
			case "svg":
				if !slices.Contains([]string{"mark", "chart", "key", "bar", "spark"}, attr["class"]) {
					t.Errorf("%s: an svg that is not ours", path)
				}
			case "form":
				if !strings.HasPrefix(attr["action"], "/") {
					t.Errorf("%s: a form that leads to %q", path, attr["action"])
				}
				for p := n.Parent; p != nil; p = p.Parent {
					for _, a := range p.Attr {
						if a.Key == "class" && a.Val == "content" {
							t.Errorf("%s: a form within an article", path)
						}
					}
				}
			case "h1":
				if attr["id"] != "" || attr["class"] != "" {
					t.Errorf("%s: a heading that is not ours: %v", path, n.Attr)
				}
			case "header", "main", "footer":
				if class := attr["class"]; (class == "top" || class == "foot" || n.Data == "main") && n.Parent.Data != "body" {
					t.Errorf("%s: <%s> is within <%s>", path, n.Data, n.Parent.Data)
				}
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(doc)
	for element, want := range map[string]int{"main": 1, "h1": 1, "footer": 1, "title": 1, "nav": count["nav"]} {
		if count[element] != want {
			t.Errorf("%s: %d <%s>, want %d", path, count[element], element, want)
		}
	}
}
