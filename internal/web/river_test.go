package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// odd is the name of a folder that means something to URLs, HTML, SQL and scripts.
const odd = `a&b=c "d" 'e' <script>alert(1)</script> 100% +/?#é`

// A library has two feeds, A in the folder odd and B in none, with two articles each; the second ones are one story. ann follows
// both, bob follows B.
type library struct {
	*site
	a, b     feedonce.Feed
	ann, bob *site
}

func newLibrary(t *testing.T, st *store.Store) *library {
	t.Helper()
	l := &library{site: newSite(t, st)}
	l.a = l.addFeed(store.NewFeed{URL: "https://a.example/feed", Title: "Feed A"})
	l.b = l.addFeed(store.NewFeed{URL: "https://b.example/feed", Title: "Feed B"})
	l.ann, l.bob = l.as(l.join("ann", feedonce.RoleReader)), l.as(l.join("bob", feedonce.RoleReader))
	l.update(func(tx *store.Tx) error {
		ann, err := tx.UserByName("ann")
		if err != nil {
			return err
		}
		bob, err := tx.UserByName("bob")
		if err != nil {
			return err
		}
		return tx.Follow(feedonce.Subscription{User: ann.ID, Feed: l.a.ID, Folder: odd, Added: now.Add(-time.Hour)},
			feedonce.Subscription{User: ann.ID, Feed: l.b.ID, Title: "Hers", Added: now.Add(-time.Hour)}, feedonce.Subscription{User: bob.ID, Feed: l.b.ID, Added: now.Add(-time.Hour)})
	})
	for i, f := range []feedonce.Feed{l.a, l.b} {
		in := store.Ingest{Feed: f.ID}
		var decisions []dedup.Decision
		for n, title := range []string{fmt.Sprintf("Only in %c", 'A'+i), "In both"} {
			item := dedup.Item{GUID: fmt.Sprint(i, n), URL: fmt.Sprintf("https://%d.example/%d", i, n), Title: title, Content: "<p>" + title + ".</p>", Published: now.Add(-time.Duration(10*n+i) * time.Minute)}
			in.Items = append(in.Items, store.IngestItem{Item: item})
			decisions = append(decisions, newEntry(n, item, now))
		}
		l.apply(in, decisions)
	}
	l.update(func(tx *store.Tx) error {
		if err := tx.LockStories(); err != nil {
			return err
		}
		if err := tx.AddMemberships([]store.Membership{{Story: -1, Entry: 2, Feed: l.a.ID, At: now}, {Story: -1, Entry: 4, Feed: l.b.ID, At: now, Rule: "C1", Joined: 2}}, now); err != nil {
			return err
		}
		return tx.SettleStory(2, 4)
	})
	return l
}

var rowTitle = regexp.MustCompile(`<h3>(<span class="unseen unread-word">(Unread: )?</span>)<a href="([^"]*)" data-key="o"><bdi>([^<]*)</bdi>`)

// rows are the titles of a list, with "*" where they are unread.
func (s *site) rows(path string) (titles []string) {
	s.t.Helper()
	for _, m := range rowTitle.FindAllStringSubmatch(s.get(path, http.StatusOK), -1) {
		if m[2] != "" {
			m[4] = "*" + m[4]
		}
		titles = append(titles, m[4])
	}
	return titles
}

func (s *site) wantRows(when, path string, want ...string) {
	s.t.Helper()
	if diff := cmp.Diff(want, s.rows(path)); diff != "" {
		s.t.Errorf("%s: %s (-want +got):\n%s", when, path, diff)
	}
}

func (s *site) mark(id feedonce.EntryID, as string) {
	s.t.Helper()
	s.post(entryPath(id)+"/mark", url.Values{"as": {as}}, http.StatusSeeOther)
}

func TestReadingLists(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		l := newLibrary(t, st)
		folder := "/folder?name=" + queryEscape(odd)
		l.ann.wantRows("at first", "/", "*Only in A", "*Only in B", "*In both")
		l.ann.wantRows("at first", folder, "*Only in A", "*In both")
		l.ann.wantRows("at first", "/folder?name=", "*Only in B", "*In both")
		l.ann.wantRows("at first", "/feeds/2?view=unread", "*Only in B", "*In both")
		l.bob.wantRows("at first", "/", "*Only in B", "*In both")
		page := l.ann.get("/", http.StatusOK)
		mustSay(t, "the first page", page, "(3) Unread · feedonce", `href="/badge.svg?n=3"`, "+1<span", "Hers", `data-count="feed 1">2<`, `data-count="feed 2">2<`, "a&amp;b=c &#34;d&#34;")
		mustSay(t, "the first page, read as HTML", htmlText(page), `href="/folder?name=`+queryEscape(odd)+`"`)
		mustBeOurs(t, "/", page)
		mustBeOurs(t, folder, l.ann.get(folder, http.StatusOK))
		if page := l.bob.get("/", http.StatusOK); strings.Contains(page, "Feed A") || strings.Contains(page, "Hers") || strings.Contains(page, "+1<span") {
			t.Errorf("bob sees what is ann's, or a copy in a feed that he does not follow:\n%s", page)
		}

		// A story is read once, in every feed; and by whom it is read.
		l.ann.mark(4, "read")
		l.ann.wantRows("the story is read", "/", "*Only in A", "*Only in B")
		l.ann.wantRows("the story is read", folder, "*Only in A")
		l.ann.wantRows("the story is read", folder+"&view=all", "*Only in A", "In both")
		l.ann.wantRows("the story is read", "/all", "*Only in A", "*Only in B", "In both")
		l.ann.wantRows("the story is read", "/feeds/1", "*Only in A", "In both")
		l.ann.wantRows("the story is read", "/history", "In both")
		l.bob.wantRows("ann read the story", "/", "*Only in B", "*In both")
		l.bob.wantRows("ann read the story", "/history")

		l.ann.mark(1, "star")
		l.ann.wantRows("starred", "/starred", "*Only in A")
		l.bob.wantRows("ann starred one", "/starred")
		l.bob.post("/entries/1/mark", url.Values{"as": {"read"}}, http.StatusNotFound)
		l.ann.post("/entries/1/mark", url.Values{"as": {"burn"}}, http.StatusBadRequest)
		l.ann.post("/entries/99/mark", url.Values{"as": {"read"}}, http.StatusNotFound)

		// Where a form leads is on this site, whatever it says.
		for back, want := range map[string]string{"/all?before=1_1": "/all?before=1_1&done=unread", "/starred": "/starred?done=unread", "//evil.example": "/?done=unread", "https://evil.example/": "/?done=unread", "": "/?done=unread"} {
			if got, _ := l.ann.post("/entries/1/mark", url.Values{"as": {"unread"}, "back": {back}}, http.StatusSeeOther); got != want {
				t.Errorf("back to %q leads to %s, want %s", back, got, want)
			}
		}
		// What is marked as read says so, and how to take it back.
		to, _ := l.ann.post("/entries/1/mark", url.Values{"as": {"read"}, "back": {folder}}, http.StatusSeeOther)
		mustSay(t, "after a mark", l.ann.get(to, http.StatusOK), "Marked as read.", `action="/entries/1/mark"`, `name="as" value="unread"`, "Nothing is unread here")
		l.ann.mark(1, "unread")

		// What is starred stays when its feed goes.
		l.ann.post("/feeds/1/unfollow", nil, http.StatusSeeOther)
		l.ann.get("/entries/2", http.StatusNotFound)
		mustSay(t, "what was starred", l.ann.get("/entries/1?in=starred", http.StatusOK), "Only in A.")
		l.ann.wantRows("the feed is followed no more", "/starred", "Only in A")
		l.ann.mark(1, "unstar")
		l.ann.get("/entries/1", http.StatusNotFound)
	})
}

func TestReadAll(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		l := newLibrary(t, st)
		form := func(s *site, path string) url.Values {
			t.Helper()
			page := s.get(path, http.StatusOK)
			block := regexp.MustCompile(`(?s)action="/read-all">(.*?)</form>`).FindStringSubmatch(page)
			if block == nil {
				t.Fatalf("%s has no form to mark all:\n%s", path, page)
			}
			f := url.Values{}
			for _, m := range regexp.MustCompile(`name="([^"]*)" value="([^"]*)"`).FindAllStringSubmatch(block[1], -1) {
				f.Add(m[1], htmlText(m[2]))
			}
			return f
		}
		folder := "/folder?name=" + queryEscape(odd)
		seen := form(l.ann, folder)
		late := dedup.Item{GUID: "late", Title: "Late", Published: now.Add(-48 * time.Hour)} // an old article that comes now
		l.apply(store.Ingest{Feed: l.a.ID, Items: []store.IngestItem{{Item: late}}}, []dedup.Decision{newEntry(0, late, now)})
		to, _ := l.ann.post("/read-all", seen, http.StatusSeeOther)
		page := l.ann.get(to, http.StatusOK)
		mustSay(t, "all of a folder", page, "2 articles are marked as read. What came meanwhile is not.", `action="/unread-again"`)
		l.ann.wantRows("a folder is read", "/", "*Only in B", "*Late")
		l.bob.wantRows("ann read a folder", "/", "*Only in B", "*In both")
		l.bob.post("/unread-again", nil, http.StatusBadRequest)
		l.ann.post("/unread-again", url.Values{"back": {folder}}, http.StatusSeeOther)
		l.ann.wantRows("taken back", folder, "*Only in A", "*In both", "*Late")
		l.ann.post("/unread-again", nil, http.StatusBadRequest)

		l.ann.post("/read-all", form(l.ann, "/feeds/2?view=unread"), http.StatusSeeOther)
		l.ann.wantRows("a feed is read", "/", "*Only in A", "*Late")
		l.ann.post("/read-all", form(l.ann, "/"), http.StatusSeeOther)
		l.ann.wantRows("all is read", "/")
		for _, bad := range []url.Values{{}, {"seen": {"x"}}, {"seen": {"-1"}}} {
			l.bob.post("/read-all", bad, http.StatusBadRequest)
		}
		l.bob.wantRows("bob's stays", "/", "*Only in B", "*In both")
	})
}

func htmlText(s string) string {
	return strings.NewReplacer("&amp;", "&", "&#34;", `"`, "&#39;", "'", "&lt;", "<", "&gt;", ">", "&#43;", "+").Replace(s)
}

func TestCounts(t *testing.T) {
	l := newLibrary(t, storetest.Open(t, storetest.SQLite(t)))
	counts := func(s *site, query string) (c countsAnswer) {
		t.Helper()
		if err := json.Unmarshal([]byte(s.get("/counts.json"+query, http.StatusOK)), &c); err != nil {
			t.Fatal(err)
		}
		return c
	}
	want := countsAnswer{Unread: 3, Feeds: map[feedonce.FeedID]int64{1: 2, 2: 2}, Folders: map[string]int64{odd: 2}}
	if diff := cmp.Diff(want, counts(l.ann, "")); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	for query, fresh := range map[string]int64{"?seen=0": 3, "?seen=4": 0, "?seen=2": 1, "?seen=0&feed=2": 2, "?seen=0&feed=1": 2, "?seen=0&feed=9": 0, "?seen=0&folder=" + queryEscape(odd): 2, "?seen=0&folder=": 2, "?seen=x": 0} {
		if got := counts(l.ann, query).Fresh; got != fresh {
			t.Errorf("%s: %d came, want %d", query, got, fresh)
		}
	}
	// A script gets the counts that a mark leads to.
	r := httptest.NewRequest(http.MethodPost, "/entries/3/mark", strings.NewReader("as=read"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Accept", "application/json")
	var c countsAnswer
	if err := json.NewDecoder(l.ann.do(r).Body).Decode(&c); err != nil || c.Unread != 2 || c.Feeds[2] != 1 {
		t.Errorf("after a mark: %+v, %v", c, err)
	}
}

// TestBeside walks a list by the links of its articles.
func TestBeside(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		l := newLibrary(t, st)
		link := func(page, rel string) string {
			m := regexp.MustCompile(`<a href="([^"]*)" rel="` + rel + `"`).FindStringSubmatch(page)
			if m == nil {
				return ""
			}
			return htmlText(m[1])
		}
		walk := func(path, rel string) (titles []string) {
			t.Helper()
			for path != "" && len(titles) < 9 {
				page := l.ann.get(path, http.StatusOK)
				titles = append(titles, regexp.MustCompile(`<h1[^>]*>([^<]*)</h1>`).FindStringSubmatch(page)[1])
				path = link(page, rel)
			}
			return titles
		}
		inFolder := "in=unread&folder=" + queryEscape(odd)
		for _, c := range []struct {
			path, rel string
			want      []string
		}{
			{"/entries/1?in=unread", "next", []string{"Only in A", "Only in B", "In both"}},
			{"/entries/2?in=all", "prev", []string{"In both", "Only in B", "Only in A"}},
			{"/entries/1?" + inFolder, "next", []string{"Only in A", "In both"}},
			{"/entries/3?in=all&feed=2", "next", []string{"Only in B", "In both"}},
			{"/entries/1?in=starred", "next", []string{"Only in A"}},
			{"/entries/1", "next", []string{"Only in A"}},
			{"/entries/1?in=nonsense", "next", []string{"Only in A"}},
		} {
			if got := walk(c.path, c.rel); !slices.Equal(got, c.want) {
				t.Errorf("%s, %s: %q, want %q", c.path, c.rel, got, c.want)
			}
		}
		mustSay(t, "the way back", htmlText(l.ann.get("/entries/1?"+inFolder, http.StatusOK)), `href="/folder?name=`+queryEscape(odd)+`#e1"`)
		l.ann.post("/settings", url.Values{"oldest": {"1"}}, http.StatusSeeOther)
		l.ann.wantRows("the oldest first", "/", "*In both", "*Only in B", "*Only in A")
		if got := walk("/entries/2?in=unread", "next"); !slices.Equal(got, []string{"In both", "Only in B", "Only in A"}) {
			t.Errorf("the oldest first: %q", got)
		}
	})
}

// TestOpening looks at what the page of an article offers the script, and who is told of what.
func TestOpening(t *testing.T) {
	l := newLibrary(t, storetest.Open(t, storetest.SQLite(t)))
	page := l.ann.get("/entries/2", http.StatusOK)
	mustSay(t, "an unread article", page, "data-open", `value="read" aria-pressed="false"`, `aria-label="The same story elsewhere"`, "Feed A", `<a href="/entries/4">`)
	l.ann.get("/entries/2", http.StatusOK)
	l.ann.wantRows("after it was only asked for", "/", "*Only in A", "*Only in B", "*In both")
	if page := l.bob.get("/entries/4", http.StatusOK); strings.Contains(page, "Feed A") || strings.Contains(page, "The same story") || strings.Contains(page, "/entries/2") {
		t.Errorf("bob sees a feed that he does not follow:\n%s", page)
	}
	l.ann.mark(2, "read")
	if page := l.ann.get("/entries/2", http.StatusOK); strings.Contains(page, "data-open") {
		t.Error("an article that was read is marked again")
	}

	// It is edited, and says so to who read it.
	item := dedup.Item{GUID: "0 1", URL: "https://0.example/1", Title: "In both", Content: "<p>In neither.</p>", Published: now}
	update := newEntry(0, item, now)
	update.Outcome, update.Rule, update.Entry, update.Keys = dedup.Updated, "G2", 2, nil
	update.Write.Entry.ID, update.Write.Version = 2, true
	l.apply(store.Ingest{Feed: l.a.ID, Items: []store.IngestItem{{Item: item}}}, []dedup.Decision{update})
	mustSay(t, "the list", l.ann.get("/all", http.StatusOK), "updated since you read it")
	mustSay(t, "the article", l.ann.get("/entries/2", http.StatusOK), "It was edited since you read it", "data-open", "<del>both.</del>", "<ins>neither.</ins>", `href="/entries/2/versions/1"`)
	l.ann.mark(2, "read")
	if page := l.ann.get("/all", http.StatusOK); strings.Contains(page, "updated since you read it") {
		t.Error("what was read again is still said to be new")
	}
	l.ann.post("/settings", url.Values{"keep": {"1"}}, http.StatusSeeOther)
	if page := l.ann.get("/entries/1", http.StatusOK); strings.Contains(page, "data-open") {
		t.Error("an article is marked when it is opened, though ann marks them herself")
	}
	// Why nobody was told names no feed to who does not follow it.
	quiet := newEntry(0, dedup.Item{GUID: "q", Title: "Quiet"}, now)
	quiet.Quiet = "told already as part of a story: Feed A"
	l.apply(store.Ingest{Feed: l.b.ID, Items: []store.IngestItem{{Item: dedup.Item{GUID: "q", Title: "Quiet"}}}}, []dedup.Decision{quiet})
	for _, path := range []string{"/entries/5", "/decisions?outcome=new", "/decisions.csv?outcome=new", "/decisions.ndjson?outcome=new"} {
		if page := l.bob.get(path, http.StatusOK); strings.Contains(page, "Feed A") || !strings.Contains(page, "Quiet") {
			t.Errorf("%s says why nobody was told with the name of a feed that bob does not follow, or nothing of it:\n%s", path, page)
		}
	}
	for _, path := range []string{"/entries/5", "/decisions.csv?outcome=new", "/decisions.ndjson?outcome=new"} {
		mustSay(t, path, l.bob.get(path, http.StatusOK), "told already as part of a story")
		mustSay(t, path+" for an administrator", l.get(path, http.StatusOK), "told already as part of a story: Feed A")
	}
}

func TestManifest(t *testing.T) {
	l := filled(t)
	for base, s := range map[string]*server{"": {}, "/reader": {Options: Options{URL: "https://home.example/reader/"}}} {
		w := httptest.NewRecorder()
		if err := s.manifest(w, nil); err != nil {
			t.Fatal(err)
		}
		var m webManifest
		if err := json.Unmarshal(w.Body.Bytes(), &m); err != nil || m.StartURL != base+"/" || m.Scope != base+"/" || w.Header().Get("Content-Type") != "application/manifest+json" {
			t.Errorf("below %q: %+v, %v", base, m, err)
		}
		for _, icon := range m.Icons {
			res := l.do(httptest.NewRequest(http.MethodGet, strings.TrimPrefix(icon.Src, base), nil))
			if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != icon.Type {
				t.Errorf("icon %+v: status %d, type %s", icon, res.StatusCode, res.Header.Get("Content-Type"))
			}
		}
	}
	for n, want := range map[string]string{"1": ">1<", "12": ">12<", "100": ">99+<", "0": "<circle", "x": "<circle", "-5": "<circle"} {
		if got := l.get("/badge.svg?n="+n, http.StatusOK); !strings.Contains(got, want) || !strings.HasPrefix(got, "<svg") {
			t.Errorf("badge %s: %s", n, got)
		}
	}
}
