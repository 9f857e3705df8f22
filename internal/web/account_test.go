package web

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"feedonce"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

const goodPassword = "correct horse battery"

// TestAccountPages sets and changes a password, makes and removes tokens, and ends sessions.
func TestAccountPages(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, st)
		phone := s.join("keeper", feedonce.RoleAdmin)
		// There is no password yet, so none is asked for.
		if page := s.get("/account", 200); strings.Contains(page, `name="current"`) || !strings.Contains(page, "Set a password") {
			t.Errorf("an account without a password:\n%s", page)
		}
		s.post("/account/password", url.Values{"password": {"short"}, "again": {"short"}}, http.StatusBadRequest)
		s.post("/account/password", url.Values{"password": {goodPassword}, "again": {goodPassword + "x"}}, http.StatusBadRequest)
		to, _ := s.post("/account/password", url.Values{"password": {goodPassword}, "again": {goodPassword}}, http.StatusSeeOther)
		if to != "/account?done=password-set" {
			t.Errorf("leads to %s", to)
		}
		mustSay(t, "the page after", s.get(to, 200), "signed out everywhere else", "Change the password", `name="current"`)
		s.as(phone).get("/account", http.StatusSeeOther)
		// From now on what matters asks for it.
		next := url.Values{"password": {"another password"}, "again": {"another password"}}
		_, page := s.post("/account/password", next, http.StatusForbidden)
		mustSay(t, "without the old one", page, "Your password is another one")
		token := url.Values{"name": {"script"}, "kind": {"token"}, "write": {"1"}}
		s.post("/account/tokens", token, http.StatusForbidden)
		token.Set("current", goodPassword)
		_, page = s.post("/account/tokens", token, http.StatusOK)
		secret := regexp.MustCompile(`fo_[A-Z0-9]+`).FindString(page)
		if secret == "" {
			t.Fatalf("the secret is not shown:\n%s", page)
		}
		page = s.get("/account", 200)
		mustSay(t, "the tokens", page, "script", "may write", "never used")
		if strings.Contains(page, secret) || strings.Contains(s.log.String(), secret) {
			t.Error("the secret is shown again")
		}
		token.Set("kind", "app")
		_, page = s.post("/account/tokens", token, http.StatusOK)
		mustSay(t, "the app password", page, "app password", `value="keeper"`)
		token.Set("kind", "other")
		s.post("/account/tokens", token, http.StatusBadRequest)
		metrics := func() int {
			r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
			r.Header.Set("Authorization", "Bearer "+secret)
			return s.as(nil).do(r).StatusCode
		}
		if got := metrics(); got != http.StatusOK {
			t.Errorf("by the token: %d", got)
		}
		s.post("/account/tokens/1/remove", nil, http.StatusSeeOther)
		s.post("/account/tokens/1/remove", nil, http.StatusNotFound)
		if got := metrics(); got != http.StatusSeeOther {
			t.Errorf("by a token that was removed: %d", got)
		}
		next.Set("current", goodPassword)
		s.post("/account/password", next, http.StatusSeeOther)
		// Sessions.
		one, two := s.join("keeper", feedonce.RoleAdmin), s.join("keeper", feedonce.RoleAdmin)
		hash := regexp.MustCompile(`name="session" value="([^"]+)"`).FindStringSubmatch(s.as(two).get("/account", 200))
		if hash == nil {
			t.Fatal("no session can be ended")
		}
		s.as(two).post("/account/sessions", url.Values{"session": {hash[1]}}, http.StatusSeeOther)
		s.post("/account/sessions", nil, http.StatusSeeOther)
		s.as(one).get("/account", http.StatusSeeOther)
		s.as(two).get("/account", http.StatusSeeOther)
	})
}

// TestPeople adds somebody and changes what they may. The last administrator stays one.
func TestPeople(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, st)
		s.post("/account/password", url.Values{"password": {goodPassword}, "again": {goodPassword}}, http.StatusSeeOther)
		s.post("/users", url.Values{"name": {"ann"}}, http.StatusForbidden)
		with := func(more ...string) url.Values {
			v := url.Values{"current": {goodPassword}}
			for i := 0; i < len(more); i += 2 {
				v.Set(more[i], more[i+1])
			}
			return v
		}
		_, page := s.post("/users", with("name", "ann"), http.StatusOK)
		link := regexp.MustCompile(`http://localhost:8470(/signin/[A-Z0-9]+)`).FindStringSubmatch(page)
		if link == nil {
			t.Fatalf("no address is shown:\n%s", page)
		}
		if strings.Contains(s.get("/users", 200), link[1]) {
			t.Error("the address is shown twice")
		}
		s.post("/users", with("name", "ANN"), http.StatusBadRequest)
		s.post("/users", with("name", "a:b"), http.StatusBadRequest)
		// She signs in by it, once.
		var ann *http.Cookie
		r := httptest.NewRequest(http.MethodPost, link[1], nil)
		for _, c := range s.as(nil).do(r).Cookies() {
			ann = c
		}
		s.as(nil).post(link[1], nil, http.StatusBadRequest)
		s.as(ann).get("/users", http.StatusForbidden)
		s.post("/users/2", with("do", "admin"), http.StatusSeeOther)
		s.as(ann).get("/users", http.StatusOK)
		s.post("/users/2", with("do", "reader"), http.StatusSeeOther)
		s.as(ann).get("/users", http.StatusForbidden)
		_, page = s.post("/users/1", with("do", "reader"), http.StatusBadRequest)
		mustSay(t, "the last administrator", page, "The last administrator must stay one")
		s.post("/users/1", with("do", "forbid"), http.StatusBadRequest)
		s.post("/users/1/remove", with(), http.StatusBadRequest)
		s.post("/users/2", with("do", "nonsense"), http.StatusBadRequest)
		s.post("/users/2", url.Values{"do": {"forbid"}}, http.StatusForbidden)
		s.as(ann).get("/account", http.StatusOK)
		s.post("/users/2", with("do", "forbid"), http.StatusSeeOther)
		s.as(ann).get("/account", http.StatusSeeOther)
		s.post("/users/2", with("do", "link"), http.StatusBadRequest)
		s.post("/users/2", with("do", "allow"), http.StatusSeeOther)
		mustSay(t, "the question", s.get("/users/2/remove", 200), "ann", "cannot be undone")
		s.post("/users/2/remove", url.Values{}, http.StatusForbidden)
		s.post("/users/2/remove", with(), http.StatusSeeOther)
		s.get("/users/2/remove", http.StatusNotFound)
		s.post("/users/2", with("do", "link"), http.StatusNotFound)
	})
}

func TestPreferences(t *testing.T) {
	s := filled(t)
	s.post("/settings", url.Values{"theme": {"dark"}, "size": {"20"}, "oldest": {"1"}, "keep": {"1"}}, http.StatusSeeOther)
	mustSay(t, "the page", s.get("/settings", 200), `data-theme="dark"`, `content="dark"`, `value="20" selected`)
	s.view(func(tx *store.Tx) error {
		u, err := tx.User(1)
		if want := (feedonce.Settings{Theme: "dark", PageSize: 20, Oldest: true, KeepRead: true}); u.Settings != want {
			t.Errorf("settings %+v, want %+v", u.Settings, want)
		}
		return err
	})
	s.post("/settings", url.Values{"theme": {`"><script>`}}, http.StatusBadRequest)
	s.post("/settings", url.Values{"size": {"1000000"}}, http.StatusBadRequest)
	s.post("/settings", url.Values{"theme": {""}, "size": {"50"}}, http.StatusSeeOther)
	if page := s.get("/settings", 200); strings.Contains(page, "data-theme") {
		t.Error("a theme is set that is the device's")
	}
	mustSay(t, "how to connect", s.get("/connect", 200), "http://localhost:8470/api/v1/me/entries", "/api/v1/openapi.json", "/feeds.opml", "/outputs")
}

// TestFollowing follows a feed under a name and in a folder of one's own, which nobody else sees.
func TestFollowing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := filledOn(t, st)
		s.post("/feeds/1/unfollow", nil, http.StatusSeeOther)
		mustSay(t, "a feed", s.get("/feeds/1", 200), "You do not follow it")
		s.post("/feeds/1/follow", url.Values{"title": {"My title"}, "folder": {" News / Local "}}, http.StatusSeeOther)
		mustSay(t, "a feed that is followed", s.get("/feeds/1", 200), "You follow it", `value="News/Local"`, "Nobody else follows it")
		mustSay(t, "the list", s.get("/feeds.opml", 200), `text="My title"`, "News", `xmlUrl="https://a.example/feed"`)
		ann := s.as(s.join("ann", feedonce.RoleReader))
		ann.get("/feeds/1", http.StatusNotFound)
		ann.post("/feeds/1/follow", nil, http.StatusNotFound)
		// By its address she may, and it is the same feed.
		to, _ := ann.post("/add", url.Values{"feed": {"https://a.example/feed"}, "folder": {"Hers"}}, http.StatusSeeOther)
		if to != "/feeds/1?done=exists" {
			t.Errorf("leads to %s", to)
		}
		page := ann.get("/feeds/1", 200)
		mustSay(t, "her page", page, "Hers", "1 other person follows it")
		if strings.Contains(page, "My title") || strings.Contains(page, "Local") {
			t.Errorf("she sees how another calls it:\n%s", page)
		}
		if list := ann.get("/feeds.opml", 200); strings.Contains(list, "My title") || !strings.Contains(list, "Hers") {
			t.Errorf("her list:\n%s", list)
		}
		// What is decided in it is no longer hers alone.
		ann.post("/feeds/1/pause", nil, http.StatusForbidden)
		s.post("/feeds/1/unfollow", nil, http.StatusSeeOther)
		s.post("/feeds/1/unfollow", nil, http.StatusNotFound)
		ann.post("/feeds/1/pause", nil, http.StatusSeeOther)
		ann.post("/feeds/1/unfollow", nil, http.StatusSeeOther)
		ann.get("/feeds/1", http.StatusNotFound)
		if got := feedCount(s); got != 1 {
			t.Errorf("%d feeds", got)
		}
	})
}

// A reader's folder is not that of the feed, which everybody sees.
func TestReadersFolder(t *testing.T) {
	s := newSite(t, storetest.Open(t, storetest.SQLite(t)))
	ann := s.as(s.join("ann", feedonce.RoleReader))
	ann.post("/add", url.Values{"feed": {"http://127.0.0.1:1/feed"}, "folder": {"Secret"}}, http.StatusSeeOther)
	s.view(func(tx *store.Tx) error {
		f, err := tx.Feed(1)
		if f.Folder != "" {
			t.Errorf("the feed's folder is %q", f.Folder)
		}
		return err
	})
	mustSay(t, "her list", ann.get("/feeds", 200), "Secret")
}
