package web

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/account"
	"feedonce/internal/outfeed"
	"feedonce/internal/secret"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// addressOf finds the address of the first output feed on a page, in a form.
func addressOf(t *testing.T, page string, form outfeed.Form) string {
	t.Helper()
	m := regexp.MustCompile(`value="http://localhost:8470(/out/[a-z0-9]+/` + regexp.QuoteMeta(string(form)) + `)"`).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("the page shows no address of %s:\n%s", form, page)
	}
	return m[1]
}

// TestOutputs adds an output feed, reads it at each of its addresses, renews them and removes it.
func TestOutputs(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, st)
		s.addFeed(store.NewFeed{URL: "https://a.example/feed", Title: "A", Folder: "News"})
		served := outfeed.Handler(outfeed.Options{Store: st})
		status := func(path string) int {
			w := httptest.NewRecorder()
			served.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
			return w.Code
		}
		page := s.get("/outputs", http.StatusOK)
		mustSay(t, "no outputs", page, "None yet")
		form := formOf(t, page, "/outputs")
		_, page = s.post("/outputs", form, http.StatusBadRequest)
		mustSay(t, "no name", page, "Name must be")
		form.Set("name", "Clean <b>")
		form.Set("of", "folder")
		form.Set("search", "two words")
		at, _ := s.post("/outputs", form, http.StatusSeeOther)
		page = s.get(strings.Split(at, "#")[0], http.StatusOK)
		mustSay(t, "added", page, "The output feed was added", "Clean &lt;b&gt;", "of the folder “News”", "with “two words”", `href="/out/`)
		var o feedonce.Output
		s.view(func(tx *store.Tx) (err error) {
			o, err = tx.Output(1)
			return err
		})
		if diff := cmp.Diff(feedonce.Selection{Folder: "News", Search: "two words", Also: true}, o.Selection); diff != "" {
			t.Errorf("selection (-want +got):\n%s", diff)
		}
		var old []string
		for _, f := range outfeed.Forms {
			path := addressOf(t, page, f)
			old = append(old, path)
			if got := status(path); got != http.StatusOK {
				t.Errorf("%s: status %d", path, got)
			}
		}
		for _, c := range []struct {
			set  url.Values
			says string
		}{
			{url.Values{"of": {"feed"}, "feed": {"x"}}, "The feed must be chosen"},
			{url.Values{"of": {"folder"}, "folder": {""}}, "The folder must be chosen"},
			{url.Values{"limit": {"many"}}, "must be a number"},
			{url.Values{"limit": {"5000"}}, "Limit must be"},
			{url.Values{"name": {"Clean <b>"}}, "Clean"},
		} {
			again := url.Values{"name": {"Second"}, "of": {"all"}}
			for k, v := range c.set {
				again[k] = v
			}
			_, page := s.post("/outputs", again, http.StatusBadRequest)
			mustSay(t, c.set.Encode(), page, c.says)
		}

		// Changed, it has the same addresses.
		form = formOf(t, s.get("/outputs/1/edit", http.StatusOK), "/outputs/1/edit")
		if form.Get("name") != "Clean <b>" || form.Get("of") != "folder" || form.Get("folder") != "News" || form.Get("search") != "two words" || form.Get("also") == "" {
			t.Errorf("the form of what is to be changed: %v", form)
		}
		bad := url.Values{"name": {""}, "of": {"all"}}
		_, page = s.post("/outputs/1/edit", bad, http.StatusBadRequest)
		mustSay(t, "changed to no name", page, "Name must be", `action="/outputs/1/edit"`)
		form.Set("name", "Cleaner")
		form.Set("of", "all")
		form.Set("limit", "20")
		at, _ = s.post("/outputs/1/edit", form, http.StatusSeeOther)
		page = s.get(strings.Split(at, "#")[0], http.StatusOK)
		mustSay(t, "changed", page, "The output feed was changed", "Cleaner", "of all feeds")
		for i, f := range outfeed.Forms {
			if path := addressOf(t, page, f); path != old[i] {
				t.Errorf("the address of %s changed from %s to %s", f, old[i], path)
			}
		}
		s.view(func(tx *store.Tx) (err error) {
			o, err = tx.Output(1)
			return err
		})
		if diff := cmp.Diff(feedonce.Selection{Search: "two words", Also: true, Limit: 20}, o.Selection); diff != "" {
			t.Errorf("selection (-want +got):\n%s", diff)
		}
		mustSay(t, "the question before renewing", s.get("/outputs/1/renew", http.StatusOK), "new addresses?", `action="/outputs/1/renew"`)
		at, _ = s.post("/outputs/1/renew", nil, http.StatusSeeOther)
		page = s.get(strings.Split(at, "#")[0], http.StatusOK)
		for i, f := range outfeed.Forms {
			if got, gone := status(addressOf(t, page, f)), status(old[i]); got != http.StatusOK || gone != http.StatusNotFound {
				t.Errorf("%s renewed: the new address gives %d, the old one %d", f, got, gone)
			}
		}
		last := addressOf(t, page, outfeed.Atom)
		mustSay(t, "the question before removing", s.get("/outputs/1/remove", http.StatusOK), "Remove this output feed?", "Cleaner")
		at, _ = s.post("/outputs/1/remove", nil, http.StatusSeeOther)
		mustSay(t, "removed", s.get(at, http.StatusOK), "was removed", "None yet")
		if got := status(last); got != http.StatusNotFound {
			t.Errorf("the address of an output that was removed gives %d", got)
		}
		for _, path := range []string{"/outputs/1/renew", "/outputs/1/remove"} {
			s.get(path, http.StatusNotFound)
			s.post(path, nil, http.StatusNotFound)
		}
	})
}

// TestOutputsOfAnotherKey reads output feeds whose addresses were sealed with a key that is lost.
func TestOutputsOfAnotherKey(t *testing.T) {
	s := filled(t)
	s.handler = Handler(Options{Accounts: account.New(account.Options{Store: s.store}), Store: s.store, Box: secret.New([secret.KeySize]byte{9}, "a test"), Engine: s.engine, Version: "test"})
	mustSay(t, "the list", s.get("/outputs", http.StatusOK), "Clean", "cannot be opened", "renew the address", `href="/outputs/1/renew"`)
	at, _ := s.post("/outputs/1/renew", nil, http.StatusSeeOther)
	addressOf(t, s.get(strings.Split(at, "#")[0], http.StatusOK), outfeed.Atom)
}
