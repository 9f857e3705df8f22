package web

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"feedonce"
	"feedonce/internal/opml"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

const rss = `<?xml version="1.0"?><rss version="2.0"><channel><title>The %s feed</title><link>https://s.example/</link>
<item><guid isPermaLink="false">1</guid><title>First article</title><link>https://s.example/1</link><description>&lt;p&gt;Text &lt;img src="/a.png"&gt;&lt;/p&gt;</description></item>
<item><guid isPermaLink="false">2</guid><title>Second article</title><link>https://s.example/2</link></item></channel></rss>`

// publisher serves feeds at /NAME.xml, a page that names two at /, and one without any at /none.
func publisher(t *testing.T) *httptest.Server {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, isFeed := strings.CutSuffix(r.URL.Path[1:], ".xml")
		switch {
		case isFeed && slices.Contains([]string{"a", "news", "blog", "only"}, name):
			w.Header().Set("Content-Type", "application/rss+xml")
			fmt.Fprintf(w, rss, name)
		case name == "":
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, `<title>Site</title><link rel=alternate type="application/rss+xml" title="News &lt;b&gt;" href="/news.xml"><link rel=alternate type="application/rss+xml" title="Blog" href="/blog.xml">`) //nolint:errcheck
		case name == "one":
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, `<link rel=alternate type="application/rss+xml" title="Only" href="/only.xml">`) //nolint:errcheck
		case name == "none":
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, `<title>No feed here</title>`) //nolint:errcheck
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(srv.Close)
	return srv
}

// mustSay fails unless the page has all texts, as they are or escaped.
func mustSay(t *testing.T, where, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(page, text) && !strings.Contains(page, html.EscapeString(text)) {
			t.Errorf("%s does not say %q:\n%s", where, text, page)
		}
	}
}

func TestFirstPage(t *testing.T) {
	s := newSite(t, storetest.Open(t, storetest.SQLite(t)))
	mustSay(t, "the first page", s.get("/", http.StatusOK), "Add a feed", `action="/add"`, "Import OPML", "feedonce demo")
	mustSay(t, "the page of feeds", s.get("/feeds", http.StatusOK), "No feeds yet")
	mustSay(t, "the page of decisions", s.get("/decisions", http.StatusOK), "None yet")
}

func TestAddFeed(t *testing.T) {
	s, p := newSite(t, storetest.Open(t, storetest.SQLite(t))), publisher(t)
	at, page := s.post("/add", url.Values{"url": {p.URL + "/a.xml"}, "folder": {" News / World "}}, http.StatusSeeOther)
	if !strings.HasPrefix(at, "/feeds/1?") {
		t.Fatalf("added, then sent to %q: %s", at, page)
	}
	page = s.get(at, http.StatusOK)
	mustSay(t, "the page of the feed", page, "The feed was added. 2 new articles.", "The a feed", "First article", "Second article", "News/World")

	at, _ = s.post("/add", url.Values{"url": {p.URL + "/a.xml?utm_source=x"}}, http.StatusSeeOther)
	mustSay(t, "the page of a feed that was there", s.get(at, http.StatusOK), "was there already", "The a feed")

	at, _ = s.post("/add", url.Values{"url": {p.URL + "/one"}}, http.StatusSeeOther)
	mustSay(t, "the page of the feed that a site names", s.get(at, http.StatusOK), "The only feed")

	_, page = s.post("/add", url.Values{"url": {p.URL}, "folder": {"F"}}, http.StatusOK)
	mustSay(t, "the choice", page, "Which one?", "News &lt;b&gt;", "Blog", `name="feed" value="`+p.URL+`/blog.xml"`, `name="folder" value="F"`)
	at, _ = s.post("/add", url.Values{"feed": {p.URL + "/blog.xml"}, "title": {"Blog"}, "folder": {"F"}}, http.StatusSeeOther)
	mustSay(t, "the page of the feed that was chosen", s.get(at, http.StatusOK), "The blog feed", ">F<")
	if got := feedCount(s); got != 3 {
		t.Errorf("%d feeds, want 3", got)
	}

	for typed, want := range map[string]string{
		"": "is empty", "  ": "is empty", "ftp://example.com/": "must be that of a web site", "javascript:alert(1)": "must be that of a web site", "not an address": "must be that of a web site",
		p.URL + "/none": "No feed was found", p.URL + "/missing": "404", "http://[::1": "must be that of a web site", "http://10.1.2.3/feed": "10.1.2.3",
	} {
		_, page := s.post("/add", url.Values{"url": {typed}, "folder": {"Kept"}}, http.StatusBadRequest)
		mustSay(t, "adding "+typed, page, want, `value="Kept"`)
	}
	for _, feed := range []string{"javascript:alert(1)", "file:///etc/passwd", "x"} {
		s.post("/add", url.Values{"feed": {feed}}, http.StatusBadRequest)
	}
	if got := feedCount(s); got != 3 {
		t.Errorf("%d feeds after refused addresses, want 3", got)
	}
}

func TestAddressWithoutScheme(t *testing.T) {
	s, p := newSite(t, storetest.Open(t, storetest.SQLite(t))), publisher(t)
	at, _ := s.post("/add", url.Values{"url": {strings.TrimPrefix(p.URL, "http://") + "/a.xml"}}, http.StatusSeeOther)
	mustSay(t, "the page of the feed", s.get(at, http.StatusOK), "The a feed")
}

func TestFeedForms(t *testing.T) {
	s, p := newSite(t, storetest.Open(t, storetest.SQLite(t))), publisher(t)
	s.addFeed(store.NewFeed{URL: p.URL + "/a.xml"})
	s.addFeed(store.NewFeed{URL: p.URL + "/missing"})
	state := func() (state feedonce.FeedState) {
		s.view(func(tx *store.Tx) error {
			f, err := tx.Feed(1)
			state = f.State
			return err
		})
		return state
	}

	at, _ := s.post("/feeds/1/poll", nil, http.StatusSeeOther)
	mustSay(t, "after a poll", s.get(at, http.StatusOK), "2 new articles.", "First article")
	at, _ = s.post("/feeds/1/poll", nil, http.StatusSeeOther)
	mustSay(t, "after a second poll", s.get(at, http.StatusOK), "every article was known already")
	at, _ = s.post("/feeds/2/poll", nil, http.StatusSeeOther)
	mustSay(t, "after a poll that failed", s.get(at, http.StatusOK), "it did not work", "The last poll failed.", "404")
	page := s.get("/feeds?show=failing", http.StatusOK)
	mustSay(t, "the list of failing feeds", page, "/missing", "1 failing")
	if strings.Contains(page, "The a feed") {
		t.Error("the list of failing feeds has one that is fine")
	}

	at, _ = s.post("/feeds/1/pause", nil, http.StatusSeeOther)
	mustSay(t, "after pausing", s.get(at, http.StatusOK), "is paused", `action="/feeds/1/resume"`)
	if got := state(); got != feedonce.FeedPaused {
		t.Errorf("state %q after pausing", got)
	}
	at, _ = s.post("/feeds/1/resume", nil, http.StatusSeeOther)
	mustSay(t, "after resuming", s.get(at, http.StatusOK), "polled again", `action="/feeds/1/pause"`)
	if got := state(); got != feedonce.FeedActive {
		t.Errorf("state %q after resuming", got)
	}

	mustSay(t, "the question before removing", s.get("/feeds/1/remove", http.StatusOK), "2 articles", "cannot be undone", `action="/feeds/1/remove"`)
	at, _ = s.post("/feeds/1/remove", nil, http.StatusSeeOther)
	mustSay(t, "after removing", s.get(at, http.StatusOK), "were removed")
	for _, path := range []string{"/feeds/1", "/feeds/1/remove", "/entries/1", "/decisions?feed=1"} {
		mustSay(t, path, s.get(path, http.StatusNotFound), "Not found")
	}
	for _, action := range []string{"poll", "pause", "resume", "remove"} {
		s.post("/feeds/1/"+action, nil, http.StatusNotFound)
	}
	if s.log.String() != "" {
		t.Errorf("what visitors do wrong is in the log of faults: %s", s.log)
	}
}

// upload sends a file by the import form.
func (s *site) upload(content string, status int) string {
	s.t.Helper()
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	f, err := m.CreateFormFile("file", "list <b>.opml")
	if err != nil {
		s.t.Fatal(err)
	}
	io.WriteString(f, content) //nolint:errcheck // into memory
	m.Close()                  //nolint:errcheck // into memory
	r := httptest.NewRequest(http.MethodPost, "/import", &b)
	r.Header.Set("Content-Type", m.FormDataContentType())
	return s.body(s.do(r), "/import", status)
}

func TestImportAndExport(t *testing.T) {
	s := newSite(t, storetest.Open(t, storetest.SQLite(t)))
	s.addFeed(store.NewFeed{URL: "https://there.example/feed", Title: "There"})
	var list strings.Builder
	list.WriteString("<opml version='2.0'><body>\n<outline text='Folder &amp; more'>\n")
	for i := range 600 { // more than one transaction
		fmt.Fprintf(&list, "<outline text='Feed %d' xmlUrl='https://%d.example/feed'/>\n", i, i)
	}
	list.WriteString("</outline><outline xmlUrl='http://www.there.example/feed/'/><outline text='Bad' type='rss'/></body></opml>")

	page := s.upload(list.String(), http.StatusOK)
	mustSay(t, "the result", page, "600 added", "1 there already", "1 not understood", "line 603: “Bad” has no feed address", "list &lt;b&gt;.opml")
	page = s.upload(list.String(), http.StatusOK)
	mustSay(t, "the second result", page, "0 added", "601 there already")
	mustSay(t, "a broken list", s.upload("<opml><body><outline xmlUrl='https://last.example/'/>", http.StatusOK), "1 added", "only in part", "unexpected EOF")
	for name, content := range map[string]string{"no list": "hello", "a web page": "<html></html>", "nothing": ""} {
		mustSay(t, name, s.upload(content, http.StatusBadRequest), "could not be imported")
	}
	mustSay(t, "no file", s.body(s.do(httptest.NewRequest(http.MethodPost, "/import", nil)), "/import", http.StatusBadRequest), "No file was chosen")
	mustSay(t, "a file that is too large", s.upload(strings.Repeat("<outline/>", 2<<20), http.StatusRequestEntityTooLarge), "longer than 16 MB")

	res := s.do(httptest.NewRequest(http.MethodGet, "/feeds.opml", nil))
	if got := res.Header.Get("Content-Disposition"); got != `attachment; filename="feedonce.opml"` {
		t.Errorf("Content-Disposition %q", got)
	}
	subs, skipped, err := opml.Read(res.Body)
	if err != nil || len(skipped) > 0 || len(subs) != 602 {
		t.Errorf("exported %d subscriptions, skipped %q, %v; want 602", len(subs), skipped, err)
	}
	folders := map[string]int{}
	for _, sub := range subs {
		folders[sub.Folder]++
	}
	if folders["Folder & more"] != 600 {
		t.Errorf("exported folders %v", folders)
	}
}
