package fetch

import (
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// hops serves redirects by path: "STATUS LOCATION"; other paths give a feed.
func hops(paths map[string]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		hop, ok := paths[r.URL.RequestURI()]
		if !ok {
			_, _ = io.WriteString(w, feedXML)
			return
		}
		status, loc, _ := strings.Cut(hop, " ")
		if loc != "" {
			w.Header()["Location"] = []string{loc}
		}
		n, _ := strconv.Atoi(status)
		w.WriteHeader(n)
	}
}

func TestRedirects(t *testing.T) {
	s := serve(t, hops(map[string]string{
		"/301": "301 /feed", "/302": "302 /feed", "/303": "303 /feed", "/307": "307 /feed", "/308": "308 /feed",
		"/a": "301 /b", "/b": "308 /c", "/c": "302 /d", "/d": "301 /e",
		"/t": "302 /301", "/dir/rel": "301 other/x.xml", "/dir/up": "308 ../y?q=1#frag",
		"/query": "301 ?page=2", "/space": "302  /with space ", "/bytes": "302 /caf\xc3\xa9",
	}))
	c := newClient(t, Options{})
	for _, tt := range []struct{ from, url, moved string }{
		{"/feed", "/feed", ""},
		{"/301", "/feed", "/feed"},
		{"/308", "/feed", "/feed"},
		{"/302", "/feed", ""},
		{"/303", "/feed", ""},
		{"/307", "/feed", ""},
		{"/a", "/e", "/c"}, // permanent up to /c, which is elsewhere only for now
		{"/b", "/e", "/c"},
		{"/t", "/feed", ""},
		{"/dir/rel", "/dir/other/x.xml", "/dir/other/x.xml"},
		{"/dir/up", "/y?q=1", "/y?q=1"},
		{"/query", "/query?page=2", "/query?page=2"},
		{"/space", "/with%20space", ""},
		{"/bytes", "/caf%C3%A9", ""},
	} {
		resp := mustGet(t, c, Request{URL: s.URL + tt.from})
		moved := strings.TrimPrefix(resp.MovedTo, s.URL)
		if got := strings.TrimPrefix(resp.URL, s.URL); got != tt.url || moved != tt.moved {
			t.Errorf("%s: came from %q, moved to %q; want %q, %q", tt.from, got, moved, tt.url, tt.moved)
		}
	}
}

func TestRedirectsThatLeadNowhere(t *testing.T) {
	var asked atomic.Int32
	paths := hops(map[string]string{
		"/self": "301 /self", "/x": "302 /y", "/y": "302 /x#again", "/none": "302", "/ftp": "302 ftp://example.org/",
		"/js": "301 javascript:alert(1)", "/bad": "302 http://[::1/", "/nohost": "302 http:///x", "/port": "302 http://127.0.0.1:99999/",
		"/smtp": "302 http://127.0.0.1:25/",
	})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if n, ok := strings.CutPrefix(r.URL.Path, "/count/"); ok {
			asked.Add(1)
			i, _ := strconv.Atoi(n)
			http.Redirect(w, r, fmt.Sprintf("/count/%d", i+1), http.StatusFound)
			return
		}
		if r.URL.Path == "/ten" || strings.HasPrefix(r.URL.Path, "/ten/") {
			if i := strings.Count(r.URL.Path, "/x"); i < 10 {
				http.Redirect(w, r, "/ten"+strings.Repeat("/x", i+1), http.StatusMovedPermanently)
				return
			}
		}
		paths(w, r)
	})
	c := newClient(t, Options{})
	e := wantError(t, c, Request{URL: s.URL + "/self"}, KindRedirect, "in a circle")
	if e.Status != 301 || e.URL != s.URL+"/self" {
		t.Errorf("status %d, URL %q", e.Status, e.URL)
	}
	wantError(t, c, Request{URL: s.URL + "/x"}, KindRedirect, "in a circle", "/y leads back to ")
	wantError(t, c, Request{URL: s.URL + "/none"}, KindRedirect, "302 Found without saying where to")
	wantError(t, c, Request{URL: s.URL + "/ftp"}, KindRedirect, "no web address (ftp://example.org/)")
	wantError(t, c, Request{URL: s.URL + "/js"}, KindRedirect, "no web address")
	wantError(t, c, Request{URL: s.URL + "/bad"}, KindRedirect, "no web address")
	wantError(t, c, Request{URL: s.URL + "/nohost"}, KindRedirect, "no web address")
	wantError(t, c, Request{URL: s.URL + "/port"}, KindRedirect, "no web address")
	wantError(t, c, Request{URL: s.URL + "/smtp"}, KindForbidden, "port 25", s.URL+"/smtp redirected there")
	wantError(t, c, Request{URL: s.URL + "/count/0"}, KindRedirect, "more than 10 times")
	if n := asked.Load(); n != 11 {
		t.Errorf("the endless chain was asked %d times, want the first and 10 redirects", n)
	}
	if resp := mustGet(t, c, Request{URL: s.URL + "/ten"}); !strings.HasSuffix(resp.MovedTo, strings.Repeat("/x", 10)) {
		t.Errorf("10 redirects moved to %q", resp.MovedTo)
	}
}

func TestCredentialsStayAtTheirOrigin(t *testing.T) {
	type asked struct{ auth, cookie, referer string }
	seen := map[string]asked{}
	note := func(name string, r *http.Request) {
		a := r.Header.Get("Authorization")
		if b64, ok := strings.CutPrefix(a, "Basic "); ok {
			b, _ := base64.StdEncoding.DecodeString(b64)
			a = string(b)
		}
		seen[name+r.URL.Path] = asked{a, r.Header.Get("Cookie"), r.Referer()}
	}
	var home *httptest.Server
	other := serve(t, func(w http.ResponseWriter, r *http.Request) {
		note("other", r)
		if r.URL.Path == "/back" {
			http.Redirect(w, r, home.URL+"/feed", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, feedXML)
	})
	homeHandler := func(name string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			note(name, r)
			http.SetCookie(w, &http.Cookie{Name: "session", Value: "1", Domain: "127.0.0.1"})
			to := map[string]string{
				"/away": other.URL + "/feed", "/same": "/feed", "/return": other.URL + "/back",
				"/userinfo": strings.Replace(other.URL, "//", "//evil:pw@", 1) + "/feed", "/plain": "http://" + r.Host + "/feed",
			}[r.URL.Path]
			if to != "" {
				http.Redirect(w, r, to, http.StatusMovedPermanently)
				return
			}
			_, _ = io.WriteString(w, feedXML)
		}
	}
	home = serve(t, homeHandler("home"))
	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note("secure", r)
		http.Redirect(w, r, home.URL+"/feed", http.StatusFound)
	}))
	t.Cleanup(secure.Close)

	me := asked{auth: "me:p:w"}
	for _, tt := range []struct {
		name, url string
		want      map[string]asked
	}{
		{"same origin", home.URL + "/same", map[string]asked{"home/same": me, "home/feed": {"me:p:w", "session=1", ""}}},
		{"another port", home.URL + "/away", map[string]asked{"home/away": me, "other/feed": {}}},
		{"away and back", home.URL + "/return", map[string]asked{"home/return": me, "other/back": {}, "home/feed": {"", "session=1", ""}}},
		{"user info in Location", home.URL + "/userinfo", map[string]asked{"home/userinfo": me, "other/feed": {}}},
		{"https to http", secure.URL + "/x", map[string]asked{"secure/x": me, "home/feed": {}}},
	} {
		for _, how := range []string{"request", "URL"} {
			clear(seen)
			r := Request{URL: tt.url, User: "me", Password: "p:w"}
			if how == "URL" {
				r = Request{URL: strings.Replace(tt.url, "://", "://me:p%3Aw@", 1)}
			}
			resp := mustGet(t, newClient(t, Options{RootCAs: rootsOf(secure)}), r)
			if d := cmp.Diff(tt.want, seen, cmp.AllowUnexported(asked{})); d != "" {
				t.Errorf("%s, credentials in the %s: what servers saw (-want +got):\n%s", tt.name, how, d)
			}
			if strings.Contains(resp.URL, "@") {
				t.Errorf("%s: Response.URL has user info: %s", tt.name, resp.URL)
			}
			if moved, err := url.Parse(resp.MovedTo); err != nil || (moved.User != nil) != (how == "URL" && tt.name == "same origin") {
				t.Errorf("%s, credentials in the %s: moved to %s", tt.name, how, resp.MovedTo)
			}
		}
	}
}

func TestUnauthorizedAfterLeavingTheOrigin(t *testing.T) {
	other := serve(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, other.URL, http.StatusFound)
			return
		}
		w.WriteHeader(http.StatusUnauthorized)
	})
	c := newClient(t, Options{})
	wantError(t, c, Request{URL: s.URL + "/away", User: "me"}, KindStatus, "were not sent along")
	wantError(t, c, Request{URL: s.URL, User: "me"}, KindStatus, "user name or password are wrong")
	wantError(t, c, Request{URL: s.URL}, KindStatus, "needs a user name")
}

// TestCookieWall is a publisher who sends visitors in a circle until they come with a cookie.
func TestCookieWall(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if c, err := r.Cookie("seen"); err != nil || c.Value != "yes" {
			http.SetCookie(w, &http.Cookie{Name: "seen", Value: "yes"})
			http.SetCookie(w, &http.Cookie{Name: "huge", Value: strings.Repeat("x", 5000)})
			http.SetCookie(w, &http.Cookie{Name: "gone", MaxAge: -1})
			http.Redirect(w, r, r.URL.String(), http.StatusFound)
			return
		}
		if h := r.Header.Get("Cookie"); h != "seen=yes" {
			t.Errorf("cookies are %.100q", h)
		}
		_, _ = io.WriteString(w, feedXML)
	})
	c := newClient(t, Options{})
	mustGet(t, c, Request{URL: s.URL + "/feed"})
}

func TestRedirectToAPrivateAddress(t *testing.T) {
	var asked atomic.Int32
	l := serveRaw(t, "127.0.0.2", func(c net.Conn) { asked.Add(1); _, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n"+feedXML) })
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+l+"/feed", http.StatusMovedPermanently)
	})
	c := newClient(t, Options{AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	e := wantError(t, c, Request{URL: s.URL + "/feed"}, KindForbidden, "127.0.0.2 is a loopback address", s.URL+"/feed redirected there")
	if e.URL != "http://"+l+"/feed" {
		t.Errorf("the error is about %s", e.URL)
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the private server was asked %d times, want never", n)
	}
	mustGet(t, newClient(t, Options{}), Request{URL: s.URL + "/feed"})
	if n := asked.Load(); n != 1 {
		t.Errorf("the server was asked %d times when allowed, want once", n)
	}
}
