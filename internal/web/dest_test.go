package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/dest"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

func (s *site) destination(id feedonce.DestinationID) (d feedonce.Destination) {
	s.t.Helper()
	s.view(func(tx *store.Tx) (err error) {
		d, err = tx.Destination(id)
		return err
	})
	return d
}

// TestDestination adds one, edits it, tries it, pauses and removes it, and looks for its secrets on every page.
func TestDestination(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, st)
		ok := hook(t, http.StatusOK, "thank you")
		address := ok.URL + "/top-secret"
		pages := []string{}
		see := func(page string) string {
			pages = append(pages, page)
			return page
		}
		mustSay(t, "no destinations", see(s.get("/destinations", http.StatusOK)), "No destinations yet", `href="/destinations/add"`)
		mustSay(t, "the kinds", see(s.get("/destinations/add", http.StatusOK)), `href="/destinations/add?kind=slack"`, dest.Email.About)
		s.get("/destinations/add?kind=pigeon", http.StatusNotFound)
		s.post("/destinations/add", url.Values{"kind": {"pigeon"}}, http.StatusBadRequest)
		for _, k := range dest.Kinds() {
			page := see(s.get("/destinations/add?kind="+k.Name, http.StatusOK))
			for _, f := range k.Fields {
				mustSay(t, "the form of "+k.Name, page, `name="set.`+f.Name+`"`, f.About[1:])
			}
		}

		form := formOf(t, s.get("/destinations/add?kind=webhook", http.StatusOK), "/destinations/add")
		form.Set("name", "My hook")
		form.Set("set.url", "no address "+address)
		_, page := s.post("/destinations/add", form, http.StatusBadRequest)
		mustSay(t, "a wrong address", see(page), `value="My hook"`, "Secrets are to be entered again")
		form.Set("set.url", address)
		form.Set("set.secret", "whsec_"+strings.Repeat("QUJD", 8))
		at, page := s.post("/destinations/add", form, http.StatusSeeOther)
		see(page)
		mustSay(t, "after adding", see(s.get(at, http.StatusOK)), "The destination was added", "My hook", "nothing sent yet", "New articles of all feeds", "URL", ok.URL+"/••••", "None yet")
		_, page = s.post("/destinations/add", form, http.StatusBadRequest)
		mustSay(t, "a name that is taken", see(page), "My hook")

		// Left empty, secrets stay; the optional one can be taken away.
		edit := see(s.get("/destinations/1/edit", http.StatusOK))
		mustSay(t, "the form", edit, "Set; leave empty to keep it.", `name="drop" value="secret"`)
		form = formOf(t, edit, "/destinations/1/edit")
		form.Set("name", "Our hook")
		at, _ = s.post("/destinations/1/edit", form, http.StatusSeeOther)
		mustSay(t, "after editing", see(s.get(at, http.StatusOK)), "Saved.", "Our hook")
		mustHave := func(want dest.Settings) {
			t.Helper()
			got, err := s.engine.Settings(s.destination(1))
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("settings: %v (-want +got):\n%s", err, diff)
			}
		}
		mustHave(dest.Settings{"url": address, "secret": "whsec_" + strings.Repeat("QUJD", 8)})
		form.Set("drop", "secret")
		s.post("/destinations/1/edit", form, http.StatusSeeOther)
		mustHave(dest.Settings{"url": address})
		form.Set("name", "")
		_, page = s.post("/destinations/1/edit", form, http.StatusBadRequest)
		mustSay(t, "no name", see(page), "must be a name")

		// What it would be sent, and what the endpoint says to it.
		mustSay(t, "the preview", see(s.get("/destinations/1/preview", http.StatusOK)), "What would be sent", "webhook-id", "This is what a new article looks like", `action="/destinations/1/test"`)
		mustSay(t, "the preview of no article", see(s.get("/destinations/1/preview?entry=77", http.StatusOK)), "no article with this number")
		s.get("/destinations/1/preview?entry=x", http.StatusBadRequest)
		_, page = s.post("/destinations/1/test", nil, http.StatusOK)
		mustSay(t, "the test", see(page), "It was accepted (answer 200)", "What was sent")
		bad := hook(t, http.StatusBadRequest, "not <b>so</b>")
		form.Set("name", "Our hook")
		form.Set("set.url", bad.URL+"/top-secret")
		form.Del("drop")
		s.post("/destinations/1/edit", form, http.StatusSeeOther)
		_, page = s.post("/destinations/1/test", nil, http.StatusOK)
		mustSay(t, "the test that fails", see(page), "It was not accepted (answer 400)", "not &lt;b&gt;so&lt;/b&gt;")

		at, _ = s.post("/destinations/1/pause", nil, http.StatusSeeOther)
		mustSay(t, "paused", see(s.get(at, http.StatusOK)), "is paused", `action="/destinations/1/resume"`)
		mustSay(t, "the list", see(s.get("/destinations", http.StatusOK)), "Our hook", "paused")
		at, _ = s.post("/destinations/1/resume", nil, http.StatusSeeOther)
		mustSay(t, "resumed", see(s.get(at, http.StatusOK)), "sent to again", `action="/destinations/1/pause"`)
		mustSay(t, "the question", see(s.get("/destinations/1/remove", http.StatusOK)), "Remove this destination?", "Our hook")
		at, _ = s.post("/destinations/1/remove", nil, http.StatusSeeOther)
		mustSay(t, "removed", see(s.get(at, http.StatusOK)), "was removed", "No destinations yet")
		for _, path := range []string{"/destinations/1", "/destinations/1/edit", "/destinations/1/preview", "/destinations/1/remove"} {
			s.get(path, http.StatusNotFound)
		}
		for _, action := range []string{"edit", "test", "pause", "resume", "remove"} {
			s.post("/destinations/1/"+action, nil, http.StatusNotFound)
		}
		for _, page := range pages {
			if strings.Contains(page, "top-secret") || strings.Contains(page, "QUJDQUJD") {
				t.Errorf("a page shows a secret:\n%s", page)
			}
		}
		if s.log.String() != "" {
			t.Errorf("what visitors do wrong is in the log of faults: %s", s.log)
		}
	})
}

// TestRouteForm edits destinations with all kinds of routes and saves them as they are: nothing may change.
func TestRouteForm(t *testing.T) {
	s := newSite(t, storetest.Open(t, storetest.SQLite(t)))
	s.addFeed(store.NewFeed{URL: "https://a.example/feed", Title: "A", Folder: "News/Local"})
	s.addFeed(store.NewFeed{URL: "https://b.example/feed", Title: "B"})
	for i, want := range []feedonce.Route{
		{},
		{Feeds: []feedonce.FeedID{2}, Folders: []string{"Elsewhere", "News"}},
		{Include: []feedonce.Filter{{Text: " spaced "}, {In: "title", RE: `^(a|b)\b`}}, Exclude: []feedonce.Filter{{In: "author", Text: "Bot"}, {In: "url", RE: "/ads/"}, {In: "category", Text: "x"}}},
		{Scope: feedonce.ScopeFeed, Updates: true, Notices: true, Unknown: feedonce.UnknownSkip},
		{Unknown: feedonce.UnknownResend, Backlog: feedonce.Backlog{Latest: 12}},
		{Backlog: feedonce.Backlog{Since: time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)}, Digest: &feedonce.Digest{Every: "hour"}},
		{Digest: &feedonce.Digest{Every: "monday", At: "09:30", Zone: "Europe/Berlin", Title: "The week"}},
		{Quiet: []feedonce.Hours{{From: "22:00", To: "07:00", Zone: "Asia/Tokyo"}, {From: "12:00", To: "13:00"}}, Rate: feedonce.Rate{PerMinute: 2.5, Burst: 4}},
	} {
		d, _, err := s.engine.Add(t.Context(), feedonce.Destination{Name: strconv.Itoa(i), Kind: "discord", Route: want}, dest.Settings{"url": "https://discord.com/api/webhooks/1/x"})
		if err != nil {
			t.Fatal(err)
		}
		path := destinationPath(d.ID) + "/edit"
		s.post(path, formOf(t, s.get(path, http.StatusOK), path), http.StatusSeeOther)
		if diff := cmp.Diff(want, s.destination(d.ID).Route); diff != "" {
			t.Errorf("route %d after saving it as it was (-want +got):\n%s", i, diff)
		}
		if page := s.get(destinationPath(d.ID), http.StatusOK); strings.Contains(page, "%!") {
			t.Errorf("route %d in words:\n%s", i, page)
		}
	}
}

// TestRouteFaults sends what makes no sense: the form comes back with what was typed, and says what is wrong in its own words.
func TestRouteFaults(t *testing.T) {
	s := newSite(t, storetest.Open(t, storetest.SQLite(t)))
	s.addFeed(store.NewFeed{URL: "https://a.example/feed", Title: "A"})
	whole := formOf(t, s.get("/destinations/add?kind=slack", http.StatusOK), "/destinations/add")
	whole.Set("name", "S")
	whole.Set("set.url", "https://hooks.slack.com/services/T/B/x")
	for _, c := range []struct {
		set  url.Values
		says []string
	}{
		{url.Values{"of": {"some"}}, []string{"needs at least one of them to be ticked", `value="some" checked`}},
		{url.Values{"of": {"some"}, "feed": {"x"}}, []string{"The feeds must be chosen"}},
		{url.Values{"include_in": {"", ""}, "include_how": {"words", "re"}, "include_words": {"fine", "a("}}, []string{"“Only articles with”, line 2: the expression must be", `value="a("`}},
		{url.Values{"backlog": {"latest"}, "latest": {"many"}}, []string{"must be from 1 to 500"}},
		{url.Values{"backlog": {"latest"}, "latest": {"501"}}, []string{"The number of articles that are there already must be between", `value="501"`}},
		{url.Values{"backlog": {"since"}, "since": {"yesterday"}}, []string{"must be a date"}},
		{url.Values{"every": {"day"}, "zone": {"Mars/Base"}}, []string{"The time zone of the digest must be", `value="Mars/Base"`}},
		{url.Values{"quiet_from": {"22:00"}, "quiet_to": {""}, "quiet_zone": {""}}, []string{"“Quiet hours”, line 1: the end must be", `value="22:00"`}},
		{url.Values{"per_minute": {"lots"}}, []string{"The number of messages a minute must be a number"}},
		{url.Values{"per_minute": {"-1"}}, []string{"The number of messages a minute must be between"}},
		{url.Values{"unknown": {"perhaps"}}, []string{"must be"}},
	} {
		form := url.Values{}
		for k, v := range whole {
			form[k] = v
		}
		for k, v := range c.set {
			form[k] = v
		}
		_, page := s.post("/destinations/add", form, http.StatusBadRequest)
		mustSay(t, c.set.Encode(), page, append(c.says, `value="S"`)...)
	}
	s.view(func(tx *store.Tx) error {
		all, err := tx.Destinations()
		if len(all) > 0 {
			t.Errorf("added %d destinations that make no sense", len(all))
		}
		return err
	})
}
