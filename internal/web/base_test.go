package web

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"feedonce/internal/account"
	"feedonce/internal/store/storetest"
)

// TestBelowAPath serves the pages below a path: every address of every page begins with it, and leads somewhere. The path is one
// that is also a page, so that it is not taken for that.
func TestBelowAPath(t *testing.T) {
	const base = "/feeds"
	s := filledOn(t, storetest.Open(t, storetest.SQLite(t)))
	s.handler = Handler(Options{
		Store: s.store, Accounts: account.New(account.Options{Store: s.store, Secure: true, Path: base + "/"}), Engine: s.engine, Box: s.box, Version: "test",
		URL: "https://reader.example" + base, Hosts: []string{"reader.example"},
	})
	ask := func(method, path string, form url.Values) *http.Response {
		r := httptest.NewRequest(method, path, strings.NewReader(form.Encode()))
		r.Host = "reader.example"
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		if form != nil {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		return s.do(r)
	}
	// Signing in sets a cookie for the path, and for https only.
	var found []string
	guest := s.as(nil)
	link, err := account.SignInLink(t.Context(), s.store, 1)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, base+link, nil)
	r.Host = "reader.example"
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	res := guest.do(r)
	if to := res.Header.Get("Location"); to != base+"/account?done=password" {
		t.Errorf("signing in leads to %q", to)
	}
	for _, c := range res.Cookies() {
		if c.Name == account.CookieName && (c.Path != base+"/" || !c.Secure) {
			t.Errorf("the cookie is %+v", c)
		}
		s.cookie = c
	}
	r = httptest.NewRequest(http.MethodGet, base+"/feeds?q=x", nil)
	r.Host = "reader.example"
	if to := guest.do(r).Header.Get("Location"); to != base+"/signin?next="+url.QueryEscape("/feeds?q=x") {
		t.Errorf("a guest is sent to %q", to)
	}
	if to := ask(http.MethodGet, base, nil).Header.Get("Location"); to != base+"/" {
		t.Errorf("%s leads to %q", base, to)
	}
	seen := map[string]bool{}
	for _, r := range everyRoute(s) {
		if r.Method != http.MethodGet {
			continue
		}
		res := ask(http.MethodGet, base+r.URL.Path, nil)
		if res.StatusCode == http.StatusNotFound && r.URL.Path != "/no/such/page" || res.StatusCode >= 500 {
			if !strings.Contains(r.URL.Path, "1") && !strings.Contains(r.URL.Path, "{") { // there may be no such thing
				t.Errorf("%s%s: %d", base, r.URL.Path, res.StatusCode)
			}
		}
		if to := res.Header.Get("Location"); to != "" && !strings.HasPrefix(to, base+"/") {
			t.Errorf("%s leads to %q", r.URL.Path, to)
		}
		if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") || res.StatusCode/100 == 3 {
			continue
		}
		for node := range parsePage(t, s.body(res, r.URL.Path, res.StatusCode)).Descendants() {
			for _, a := range node.Attr {
				switch a.Key {
				case "href", "src", "action", "formaction", "data-at", "poster":
					if !strings.HasPrefix(a.Val, "/") {
						continue
					}
					if !strings.HasPrefix(a.Val, base+"/") {
						t.Errorf("%s: <%s %s=%q> leads out of %s", r.URL.Path, node.Data, a.Key, a.Val, base)
					} else if a.Key == "href" || a.Key == "src" {
						found = append(found, a.Val)
					}
				}
			}
		}
	}
	if len(found) < 100 {
		t.Errorf("only %d addresses were found", len(found))
	}
	for _, address := range found {
		address, _, _ = strings.Cut(address, "#")
		if seen[address] || strings.HasPrefix(address, base+"/out/") || strings.HasPrefix(address, base+"/api/") { // other doors
			continue
		}
		seen[address] = true
		if res := ask(http.MethodGet, address, nil); res.StatusCode >= 400 {
			t.Errorf("%s: %d", address, res.StatusCode)
		}
	}
	// Forms lead there, too.
	res = ask(http.MethodPost, base+"/settings", url.Values{"theme": {"dark"}, "size": {"20"}})
	if to := res.Header.Get("Location"); to != base+"/settings?done=settings" {
		t.Errorf("a form leads to %q (%d)", to, res.StatusCode)
	}
	// A proxy that takes the path off by itself is served as well.
	if res := ask(http.MethodGet, "/dashboard", nil); res.StatusCode != http.StatusOK {
		t.Errorf("without the path: %d", res.StatusCode)
	}
}

func parsePage(t *testing.T, page string) *html.Node {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
