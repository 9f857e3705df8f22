package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/account"
	"feedonce/internal/amend"
	"feedonce/internal/ingest"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// marker stands in everything that is ben's, and in nothing that ann may see.
const marker = "benmark"

// A neighbourhood has two readers: ann follows feed 1 and ben feed 2. One article stands in both, which is one story, and the two
// were once compared by an administrator.
type neighbourhood struct {
	*site
	ann, ben *http.Cookie
	hers     map[string]string   // a number of ann's, by what it is of
	his      map[string][]string // all numbers of ben's
}

func newNeighbourhood(t *testing.T, st *store.Store) *neighbourhood {
	t.Helper()
	n := &neighbourhood{site: newSite(t, st), hers: map[string]string{}, his: map[string][]string{}}
	hers := n.addFeed(store.NewFeed{URL: "https://ann.example/feed", Title: "Ann's"})
	his := n.addFeed(store.NewFeed{URL: "https://" + marker + ".example/feed", Title: marker, SiteURL: "https://" + marker + ".example/", Folder: marker})
	n.ann, n.ben = n.join("ann", feedonce.RoleReader), n.join(marker, feedonce.RoleReader)

	const shared = "The harbour of the town was closed on Monday morning, after a ship had lost its cargo in the narrow channel that leads to it. " +
		"Divers looked for the barrels all day, and found most of them before the evening came and the tide with it."
	both := `<item><guid isPermaLink="false">%s</guid><link>https://town.example/2026/harbour-closed-after-accident</link><title>Harbour closed after accident</title>` +
		`<description>` + shared + `</description></item>`
	item := func(guid, title, text string) string {
		if guid != "" {
			guid = `<guid isPermaLink="false">` + marker + guid + `</guid>`
		}
		return `<item>` + guid + `<link>https://` + marker + `.example/2026/zebra-` + title + `-of-the-town</link><title>zebra ` + marker + title + `</title><author>` + marker + `</author>` +
			`<category>` + marker + `</category><enclosure url="https://` + marker + `.example/a.mp3" type="audio/mpeg" length="1"/><description>zebra ` + marker + text + `</description></item>`
	}
	in := ingest.Ingester{Store: st}
	hour := 0
	read := func(f feedonce.Feed, items ...string) {
		t.Helper()
		hour++
		if _, err := in.Document(t.Context(), ingest.Fetched{Feed: f.ID, Received: now.Add(time.Duration(hour-20) * time.Hour), URL: f.URL,
			Body: []byte(`<rss version="2.0"><channel><title>` + f.Title + `</title><link>` + strings.TrimSuffix(f.URL, "feed") + `</link>` + strings.Join(items, "") + `</channel></rss>`)}); err != nil {
			t.Fatal(err)
		}
	}
	read(hers, fmt.Sprintf(both, "ann-1"))
	n.update(func(tx *store.Tx) error {
		a, err := tx.UserByName("ann")
		if err != nil {
			return err
		}
		b, err := tx.UserByName(marker)
		if err != nil {
			return err
		}
		for _, kind := range []feedonce.TokenKind{feedonce.TokenAPI, feedonce.TokenApp} {
			token, _, err := account.NewToken(tx, feedonce.Token{User: b.ID, Kind: kind, Name: marker, Write: true, Created: now})
			if err != nil {
				return err
			}
			n.his["token"] = append(n.his["token"], fmt.Sprint(token.ID))
		}
		sessions, err := tx.Sessions(b.ID, now)
		for _, s := range sessions {
			n.his["session"] = append(n.his["session"], s.Hash)
		}
		n.his["user"] = append(n.his["user"], fmt.Sprint(b.ID))
		return errors.Join(err, tx.Follow(feedonce.Subscription{User: a.ID, Feed: hers.ID, Folder: "Mine", Added: now},
			feedonce.Subscription{User: b.ID, Feed: his.ID, Title: marker, Folder: marker, Added: now}))
	})
	by := amend.By{Who: marker, At: now}
	if _, err := amend.SetPolicy(t.Context(), st, his.ID, dedup.Policy{MissingGUID: dedup.MissingQuarantine}, by); err != nil {
		t.Fatal(err)
	}
	bread := " bread weighs as much as the mayor, took two ovens and a night, and was eaten in an hour by the whole town and its guests"
	read(his, item("1", "one", bread))
	read(his, fmt.Sprintf(both, marker), item("1", "one", bread+", it is said"), item("2", "two", " a second text"), item("3", "three", " a third text"),
		item("", "held", " this is held"))
	read(his, item("copy", "one", bread+", it is said"), item("2", "two", " a second text"), item("3", "three", " a third text"),
		strings.Replace(item("4", "three", " a third text"), "/2026/zebra-three-of-the-town", "/", 1)) // a doubtful pair
	n.view(func(tx *store.Tx) error {
		entries, err := tx.Entries(store.EntryFilter{})
		for _, e := range entries {
			if e.Feed == his.ID {
				n.his["entry"] = append(n.his["entry"], fmt.Sprint(e.ID))
			} else {
				n.hers["entry"] = fmt.Sprint(e.ID)
			}
		}
		return err
	})
	merge := func(a, b string) {
		t.Helper()
		if _, err := amend.Merge(t.Context(), st, entryID(a), entryID(b), by); err != nil {
			t.Fatal(err)
		}
	}
	merge(n.his["entry"][0], n.his["entry"][1])
	n.his["feed"], n.hers["feed"] = []string{fmt.Sprint(his.ID)}, fmt.Sprint(hers.ID)
	n.view(func(tx *store.Tx) error {
		decisions, err := tx.Decisions(store.DecisionFilter{})
		if err != nil {
			return err
		}
		outcomes := map[string]bool{}
		for _, d := range decisions {
			if d.Feed == his.ID {
				n.his["decision"] = append(n.his["decision"], fmt.Sprint(d.ID))
				outcomes[d.Outcome] = true
			} else {
				n.hers["decision"] = fmt.Sprint(d.ID)
			}
		}
		for _, o := range []dedup.Outcome{dedup.New, dedup.Updated, dedup.Duplicate, dedup.Quarantined} {
			if !outcomes[string(o)] {
				t.Fatalf("ben has no decision that something is %s: %v", o, outcomes)
			}
		}
		held, err := tx.HeldItems(store.HeldFilter{})
		for _, h := range held {
			n.his["held"] = append(n.his["held"], fmt.Sprint(h.Decision.ID))
		}
		if err != nil {
			return err
		}
		changes, err := tx.Amendments(store.AmendmentFilter{})
		for _, a := range changes {
			n.his["change"] = append(n.his["change"], fmt.Sprint(a.ID))
		}
		if _, serr := tx.StoryOf(entryID(n.hers["entry"])); serr != nil {
			t.Fatalf("the article of both is no story: %v", serr)
		}
		return err
	})
	for _, kind := range []string{"feed", "entry", "decision", "held", "change", "token", "session", "user"} {
		if len(n.his[kind]) == 0 {
			t.Fatalf("ben has no %s", kind)
		}
	}
	n.index()
	n.addSending(closedPort(t))
	for _, kind := range []string{"destination", "output", "brake"} {
		n.his[kind] = []string{"1"}
	}
	return n
}

func number64Of(text string) (n int64) {
	fmt.Sscan(text, &n) //nolint:errcheck // 0 is none
	return n
}

func entryID(text string) feedonce.EntryID { return feedonce.EntryID(number64Of(text)) }

// numbered says of what the {id} in an address is the number, by what the address begins with. A route that is not here fails
// the tests below.
var numbered = map[string]string{
	"/entries/{id}": "entry", "/feeds/{id}": "feed", "/decisions/{id}": "decision", "/changes/{id}": "change", "/quarantine/{id}": "held",
	"/destinations/{id}": "destination", "/outputs/{id}": "output", "/brakes/{id}": "brake", "/account/tokens/{id}": "token", "/users/{id}": "user",
}

// An attempt is a request of ann's that names what is ben's.
type attempt struct {
	pattern, method, address string
	form                     url.Values
	his                      bool // the path names something of ben's, so that it must not be there
}

func (a attempt) String() string { return a.method + " " + a.address + " " + a.form.Encode() }

func (a attempt) request() *http.Request {
	if a.method == http.MethodGet {
		return httptest.NewRequest(a.method, a.address+"?"+a.form.Encode(), nil)
	}
	// The same in the address and in the form: who looks in one of them must not be deceived by the other.
	r := httptest.NewRequest(a.method, a.address+"?"+a.form.Encode(), strings.NewReader(a.form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return r
}

// attempts are all requests for a route that name something of ben's, in every place where something can be named.
func (n *neighbourhood) attempts(t *testing.T, pattern string) (all []attempt) {
	method, path, ok := strings.Cut(pattern, " ")
	if !ok || method != http.MethodGet && method != http.MethodPost {
		t.Fatalf("%q: this test knows GET and POST", pattern)
	}
	path = strings.NewReplacer("{$}", "", "{revision}", "1", "{file}", assetNames["style.css"], "{secret}", "NOSECRET").Replace(path)
	type place struct {
		path string
		his  bool
	}
	places := []place{{path, false}}
	if before, after, ok := strings.Cut(path, "{id}"); ok {
		kind := numbered[before+"{id}"]
		if kind == "" {
			t.Fatalf("%q is not covered: say in numbered what its {id} is the number of", pattern)
		}
		places = nil
		for _, id := range n.his[kind] {
			places = append(places, place{before + id + after, true})
		}
		if id := n.hers[kind]; id != "" && (method == http.MethodGet || kind == "entry") {
			places = append(places, place{before + id + after, false})
		}
	}
	if strings.Contains(places[0].path, "{") {
		t.Fatalf("%q is not covered: say in attempts what stands in its path", pattern)
	}
	his, hers := n.his["entry"], n.hers["entry"]
	forms := []url.Values{
		{},
		{"q": {"zebra"}},
		{"a": {his[1]}, "b": {his[2]}, "answer": {"same"}}, {"a": {hers}, "b": {his[2]}, "answer": {"different"}}, {"a": {his[2]}, "b": {hers}, "answer": {"doubt"}},
		{"a": {"zebra"}, "b": {hers}}, {"a": {"https://" + "bENMARK" + ".example/2026/zebra-one-of-the-town"}, "b": {hers}},
		{"feed": n.his["feed"]}, {"feed": n.his["feed"], "state": {"open"}, "outcome": {"duplicate", "updated", "new", "quarantined", "invalid"}},
		{"state": {"open"}}, {"state": {"accepted"}}, {"outcome": {"duplicate", "updated", "new", "quarantined", "invalid"}, "q": {"zebra"}}, {"all": {"yes"}}, {"range": {"90"}},
		{"session": n.his["session"]},
		{"name": {"x"}, "kind": {"none"}, "password": {"a password that is long"}, "again": {"and another"}, "theme": {"none"}, "do": {"admin"}, "admin": {"1"}},
		{"do": {"link"}}, {"entry": {his[0]}, "dest": {"1"}}, {"forget": {"yes"}}, {"after": {"0"}},
	}
	for _, id := range his {
		forms = append(forms, url.Values{"with": {id}}, url.Values{"a": {id}, "b": {hers}})
	}
	for _, id := range n.his["change"] {
		forms = append(forms, url.Values{"change": {id}})
	}
	for _, id := range n.his["decision"] {
		forms = append(forms, url.Values{"from": {id + ".0"}})
	}
	for _, place := range places {
		for _, form := range forms {
			all = append(all, attempt{pattern, method, place.path, form, place.his})
		}
	}
	return all
}

// stopped ends a request that goes on and on when it has said something.
type stopped struct {
	*httptest.ResponseRecorder
	cancel context.CancelFunc
}

func (s stopped) Flush() { s.cancel() }

// ask sends an attempt as somebody.
func (n *neighbourhood) ask(a attempt, as *http.Cookie) (*http.Response, string) {
	n.t.Helper()
	r := a.request()
	r.Host = "localhost:8470"
	if as != nil {
		r.AddCookie(as)
	}
	ctx, cancel := context.WithCancel(n.t.Context())
	defer cancel()
	w := stopped{httptest.NewRecorder(), cancel}
	n.handler.ServeHTTP(w, r.WithContext(ctx))
	res := w.Result()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		n.t.Fatal(err)
	}
	return res, string(body)
}

// TestReadersAreApart asks, as ann, for every route with what is ben's in every place.
func TestReadersAreApart(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		n := newNeighbourhood(t, st)
		// What ben sees has the marker, so that its absence means something.
		for _, path := range []string{"/", "/feeds", "/decisions?outcome=new", "/quarantine", "/review?all=yes", "/?q=zebra", "/feeds.opml", "/account", "/entries/" + n.his["entry"][0], "/feeds/" + n.his["feed"][0]} {
			if res, body := n.ask(attempt{method: "GET", address: path[:strings.IndexByte(path+"?", '?')], form: mustQuery(path)}, n.ben); res.StatusCode != 200 || !strings.Contains(body, marker) {
				t.Errorf("ben does not see what is his at %s: %d", path, res.StatusCode)
			}
		}
		before := storetest.Dump(t, st, "sessions")
		asked := 0
		for _, route := range (&server{}).routes() {
			for _, a := range n.attempts(t, route.pattern) {
				who := n.ann
				if a.pattern == "POST /signout" {
					who = n.join("ann", feedonce.RoleReader)
					before = storetest.Dump(t, st, "sessions") // she was seen
				}
				res, body := n.ask(a, who)
				asked++
				if strings.Contains(body, marker) || strings.Contains(fmt.Sprint(res.Header), marker) || strings.Contains(body, `{"id":`) && strings.Contains(body, `"`+n.his["feed"][0]+`":`) {
					t.Errorf("%v shows ann what is ben's: %d\n%s", a, res.StatusCode, around(body, marker))
				}
				for _, id := range n.his["change"] {
					if strings.Contains(body, "/changes/"+id+"/undo") {
						t.Errorf("%v offers ann to undo ben's change %s", a, id)
					}
				}
				switch code := res.StatusCode; {
				case code >= 500:
					t.Errorf("%v: %d\n%s", a, code, n.log)
				case a.his && code != http.StatusNotFound && code != http.StatusForbidden:
					t.Errorf("%v is ben's, and ann gets %d", a, code)
				case route.access.admin && code != http.StatusForbidden:
					t.Errorf("%v is for administrators, and ann gets %d", a, code)
				}
			}
		}
		if diff := cmp.Diff(before, storetest.Dump(t, st, "sessions")); diff != "" {
			t.Errorf("what ann asked changed something (-before +after):\n%s", diff)
		}
		if res, _ := n.ask(attempt{method: "GET", address: "/account"}, n.ben); res.StatusCode != http.StatusOK {
			t.Errorf("ben is signed out: %d", res.StatusCode)
		}
		t.Logf("%d requests", asked)
	})
}

// TestNobodyIsLetIn asks for every route as nobody. Only those that say so answer.
func TestNobodyIsLetIn(t *testing.T) {
	n := newNeighbourhood(t, storetest.Open(t, storetest.SQLite(t)))
	open := map[string]bool{
		"GET /signin": true, "POST /signin": true, "GET /signin/{secret}": true, "POST /signin/{secret}": true, "GET /setup/{secret}": true, "POST /setup/{secret}": true,
		"GET /healthz": true, "GET /readyz": true, "GET /assets/{file}": true, "GET /favicon.ico": true,
		"GET /badge.svg": true, "GET /manifest.webmanifest": true,
	}
	before := storetest.Dump(t, n.store, "sessions")
	for _, route := range (&server{}).routes() {
		if is := route.access.open || route.access.plain; is != open[route.pattern] {
			t.Errorf("%s is open to nobody: %v; this test knows which are to be", route.pattern, is)
		}
		for _, a := range n.attempts(t, route.pattern) {
			for _, as := range []*http.Cookie{nil, {Name: account.CookieName, Value: "invented"}} {
				res, body := n.ask(a, as)
				if strings.Contains(body, marker) {
					t.Errorf("%v shows something to nobody:\n%s", a, around(body, marker))
				}
				if open[route.pattern] {
					continue
				}
				if a.method == http.MethodGet && a.address != "/events" {
					if to := res.Header.Get("Location"); res.StatusCode != http.StatusSeeOther || !strings.HasPrefix(to, "/signin") {
						t.Errorf("%v as nobody: %d to %s", a, res.StatusCode, to)
					}
				} else if res.StatusCode != http.StatusUnauthorized {
					t.Errorf("%v as nobody: %d", a, res.StatusCode)
				}
			}
		}
	}
	if diff := cmp.Diff(before, storetest.Dump(t, n.store, "sessions")); diff != "" {
		t.Errorf("what nobody asked changed something (-before +after):\n%s", diff)
	}
}

func mustQuery(path string) url.Values {
	u, err := url.Parse(path)
	if err != nil {
		panic(err)
	}
	return u.Query()
}

// around is what stands around a word, for who looks for how it got there.
func around(text, word string) string {
	i := strings.Index(text, word)
	if i < 0 {
		return text[:min(len(text), 300)]
	}
	return "…" + text[max(0, i-200):min(len(text), i+200)] + "…"
}
