package explain

import (
	"context"
	"fmt"
	"html"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/amend"
	"feedonce/internal/demo"
	"feedonce/internal/fetch"
	"feedonce/internal/ingest"
	"feedonce/internal/poll"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func when(t time.Time) string { return t.UTC().Format("2 January 15:04") }

// A reader reads documents of one feed.
type reader struct {
	t    *testing.T
	s    *store.Store
	in   *ingest.Ingester
	feed feedonce.FeedID
	hour int
}

func newReader(t *testing.T, s *store.Store) *reader {
	r := &reader{t: t, s: s, in: &ingest.Ingester{Store: s}}
	err := s.Update(context.Background(), func(tx *store.Tx) error {
		f, err := tx.AddFeed(store.NewFeed{URL: "https://town.example/feed", Added: noon})
		r.feed = f.ID
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// An item is guid, link, title and text.
type item [4]string

// read reads a document an hour after the one before.
func (r *reader) read(items ...item) {
	r.t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, `<rss version="2.0"><channel><title>The Town</title><link>https://town.example/</link><ttl>%d</ttl>`, r.hour)
	for _, it := range items {
		b.WriteString("<item>")
		for i, tag := range [...]string{"guid", "link", "title", "description"} {
			if it[i] != "" {
				attr := ""
				if tag == "guid" {
					attr = ` isPermaLink="false"`
				}
				fmt.Fprintf(&b, "<%s%s>%s</%s>", tag, attr, html.EscapeString(it[i]), tag)
			}
		}
		b.WriteString("</item>")
	}
	b.WriteString("</channel></rss>")
	r.hour++
	_, err := r.in.Document(context.Background(), ingest.Fetched{Feed: r.feed, Body: []byte(b.String()), Received: noon.Add(time.Duration(r.hour) * time.Hour)})
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *reader) view(f func(tx *store.Tx) error) {
	r.t.Helper()
	if err := r.s.View(context.Background(), f); err != nil {
		r.t.Fatal(err)
	}
}

func (r *reader) of(id feedonce.EntryID) (a *Article) {
	r.t.Helper()
	r.view(func(tx *store.Tx) (err error) {
		a, err = Of(tx, id)
		return err
	})
	return a
}

func (r *reader) find(what string) (f *Found) {
	r.t.Helper()
	r.view(func(tx *store.Tx) (err error) {
		f, err = Find(tx, what)
		return err
	})
	return f
}

const harbour = "The harbour of the town was closed on Monday morning, after a ship had lost its cargo in the narrow channel."

var (
	first  = item{"h-1", "https://town.example/2026/harbour-closed-after-accident", "Harbour closed after accident", harbour}
	copied = item{"h-2", "https://town.example/2026/harbour-closed-after-accident", "Harbour closed after accident", harbour}
	other  = item{"b-1", "https://town.example/2026/bakery-is-a-hundred", "Bakery is a hundred", "The bakery celebrates its hundredth year with a bread of a hundred pounds."}
	edited = item{"b-1", "https://town.example/2026/bakery-is-a-hundred", "Bakery is hundred and one", "The bakery celebrates its hundredth year with a bread of two hundred pounds."}
)

func TestArticle(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		r.read(first, other)
		r.read(copied, edited)

		a := r.of(1)
		got := strings.Join(a.Summary(when), " ")
		want := "This article was shown on 2 March 13:00 as new. Nobody was sent a message about it: it was there already when the feed was read for the first time. " +
			"One other copy came on 2 March 14:00 under another guid, and was folded into it."
		if got != want {
			t.Errorf("summary:\n%s\nwant:\n%s", got, want)
		}
		d := a.Decisions[1]
		if d.Headline() != "A copy: it came under another guid, and was folded into this article" || d.Item == nil || d.Item.GUID != "h-2" {
			t.Errorf("decision: %q, %+v", d.Headline(), d)
		}
		var guid Finding
		for _, f := range d.Findings() {
			if strings.Contains(f.Text, "guid") {
				guid = f
			}
		}
		if guid != (Finding{Text: "The guid is another one", Weight: Against, Came: "h-2", Had: "h-1"}) {
			t.Errorf("the finding about the guid: %+v", guid)
		}

		a = r.of(2)
		got = strings.Join(a.Summary(when), " ")
		if !strings.HasSuffix(got, "It was changed on 2 March 14:00: the title and the text.") {
			t.Errorf("summary: %s", got)
		}
		if len(a.Changes) != 1 || len(a.Changes[0].Fields) != 2 || a.Changes[0].Fields[0].Name != "title" {
			t.Fatalf("changes: %+v", a.Changes)
		}
		if got := fmt.Sprint(a.Changes[0].Fields[0].Words); got != "[{same Bakery is} {removed a} {same hundred} {added and one}]" {
			t.Errorf("what changed in the title: %s", got)
		}

		// A person disagrees: it is in the summary of both.
		m, err := amend.Split(context.Background(), s, d.ID, amend.By{Who: "Ada", At: noon.Add(9 * time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []feedonce.EntryID{m.A, m.B} {
			got := strings.Join(r.of(id).Summary(when), " ")
			if !strings.Contains(got, "Ada said on 2 March 21:00 that it is not the same as article ") || !strings.Contains(got, "“Harbour closed after accident”") {
				t.Errorf("summary of %d after the split: %s", id, got)
			}
		}
		if _, err := amend.Undo(context.Background(), s, m.ID, amend.By{Who: "Ada", At: noon.Add(10 * time.Hour)}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(r.of(1).Summary(when), " "); !strings.Contains(got, "that was taken back on 2 March 22:00") {
			t.Errorf("summary after undoing: %s", got)
		}
	})
}

// Every arrival that was not shown by itself is found by guid, link in whatever spelling, and words of its title; and so
// are articles by what they once were.
func TestFind(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		r.read(first, other)
		r.read(copied, edited)
		if _, err := amend.SetPolicy(context.Background(), s, r.feed, dedup.Policy{MissingGUID: dedup.MissingQuarantine}, amend.By{At: noon}); err != nil {
			t.Fatal(err)
		}
		r.read(copied, edited, item{"", "https://town.example/2026/held-for-want-of-a-guid", "Held for want", "Of a guid."})
		for _, c := range []struct {
			what     string
			articles string // and then arrivals, titled, titled arrivals
		}{
			{"h-1", "[1] 0 0 0"},
			{"h-2", "[1] 1 0 0"},
			{" h-2 ", "[1] 1 0 0"},
			{"https://town.example/2026/harbour-closed-after-accident", "[1] 1 0 0"},
			{"http://www.town.example/2026/harbour-closed-after-accident/", "[1] 1 0 0"},
			{"2", "[2] 0 0 0"},
			{"https://town.example/2026/held-for-want-of-a-guid", "[] 1 0 0"},
			{"http://town.example/2026/held-for-want-of-a-guid#top", "[] 1 0 0"},
			{"want held", "[] 0 0 1"},
			{"HARBOUR accident", "[] 0 1 0"},
			{"bakery hundred", "[] 0 1 0"},
			{"is a hundred", "[] 0 1 0"}, // as it was called once
			{"nothing of the kind", "[] 0 0 0"},
			{"", "[] 0 0 0"},
			{"%", "[] 0 0 0"},
			{"999", "[] 0 0 0"},
		} {
			f := r.find(c.what)
			if got := fmt.Sprint(f.Articles, len(f.Arrivals), len(f.Titled), len(f.TitledArrivals)); got != c.articles {
				t.Errorf("find %q: %s, want %s", c.what, got, c.articles)
			}
			if f.Empty() != (c.articles == "[] 0 0 0") {
				t.Errorf("find %q: empty is %v", c.what, f.Empty())
			}
		}
	})
}

// The check can fail: under another policy, the copy would have been an article.
func TestCheckUnderAnotherPolicy(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		r.read(first, other)
		r.read(copied, edited)
		check := func() (c Check) {
			r.view(func(tx *store.Tx) error {
				a, err := Of(tx, 1)
				if err != nil {
					return err
				}
				checks, err := Again(tx, a)
				if len(checks) != 2 {
					t.Errorf("%d checks of %d decisions", len(checks), len(a.Decisions))
				}
				c = checks[a.Decisions[1].ID]
				return err
			})
			return c
		}
		if c := check(); !c.Same || c.Text() != "the same comes out." {
			t.Errorf("under the policy of then: %+v", c)
		}
		if _, err := amend.SetPolicy(context.Background(), s, r.feed, dedup.Policy{Identity: dedup.IdentityGUID, Permanent: true}, amend.By{At: noon}); err != nil {
			t.Fatal(err)
		}
		if c := check(); c.Same || c.Outcome != dedup.New || c.Rule != "N" || !strings.Contains(c.Text(), "it comes to new by rule N") {
			t.Errorf("under a policy that trusts guids: %+v, %s", c, c.Text())
		}
	})
}

// Whatever the demo's publishers do is explained in words that are there for it, and comes out the same when it is decided
// again.
func TestEveryDecisionOfTheDemo(t *testing.T) {
	s := storetest.Open(t, storetest.SQLite(t))
	site := demo.NewSite(demo.Publishers(noon, time.Hour))
	srv := httptest.NewServer(site)
	t.Cleanup(srv.Close)
	client := fetch.New(fetch.Options{AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	t.Cleanup(client.Close)
	var hour atomic.Int64
	p := poll.New(poll.Options{Store: s, Client: client, Spacing: -1, Now: func() time.Time { return noon.Add(time.Duration(hour.Load())*time.Hour + 30*time.Minute) }})
	ctx := context.Background()
	for _, pub := range site.Publishers {
		var f feedonce.Feed
		if err := s.Update(ctx, func(tx *store.Tx) (err error) {
			f, err = tx.AddFeed(store.NewFeed{URL: srv.URL + demo.Path(pub.Name), Added: noon})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		for round := range 8 {
			hour.Store(int64(round + 8))
			if res, err := p.Poll(ctx, f.ID); res.Status == "" {
				t.Fatalf("%s, poll %d: %v", pub.Name, round, err)
			}
		}
	}
	decided := 0
	rules := map[string]bool{}
	err := s.View(ctx, func(tx *store.Tx) error {
		all, err := tx.Entries(store.EntryFilter{Limit: 100_000})
		if err != nil {
			return err
		}
		for _, e := range all {
			a, err := Of(tx, e.ID)
			if err != nil {
				return err
			}
			if len(a.Summary(when)) == 0 {
				t.Errorf("article %d has no summary", e.ID)
			}
			checks, err := Again(tx, a)
			if err != nil {
				return err
			}
			for i := range a.Decisions {
				d := &a.Decisions[i]
				decided++
				rules[d.Outcome+" "+d.Decision.Rule] = true
				for n, f := range d.Findings() {
					if fact := d.Evidence.Facts[n]; strings.Contains(f.Text, ": "+fact.Is) {
						t.Errorf("there are no words for %s %q (decision %d)", fact.Name, fact.Is, d.ID)
					}
				}
				if c := checks[d.ID]; !c.Same {
					t.Errorf("decision %d about article %d, %s by %s: %s", d.ID, e.ID, d.Outcome, d.Decision.Rule, c.Text())
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if decided < 300 || len(rules) < 6 {
		t.Errorf("only %d decisions by %v", decided, rules)
	}
}

// The pieces of a comparison give both texts back, where nothing is left out.
func TestWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "λ", "漢"})
		before := strings.Join(rapid.SliceOfN(word, 0, 12).Draw(t, "before"), " ")
		after := strings.Join(rapid.SliceOfN(word, 0, 12).Draw(t, "after"), " ")
		var a, b []string
		for _, p := range Words(before, after) {
			switch p.Is {
			case Left:
				return
			case Removed:
				a = append(a, p.Text)
			case Added:
				b = append(b, p.Text)
			case Same:
				a, b = append(a, p.Text), append(b, p.Text)
			}
		}
		if before == after {
			if len(a)+len(b) > 0 {
				t.Fatalf("%q differs from itself: %q %q", before, a, b)
			}
			return
		}
		if strings.Join(a, " ") != before || strings.Join(b, " ") != after {
			t.Fatalf("%q and %q give %q and %q", before, after, a, b)
		}
	})
	long := strings.Repeat("word ", 500)
	if got := fmt.Sprint(Words(long+"old "+long, long+"new "+long)); got != "[{left 494 words} {same word word word word word word} {removed old} {added new} {same word word word word word word} {left 494 words}]" {
		t.Errorf("one word of a thousand: %s", got)
	}
	// Texts with nothing in common, longer than what is compared, are one piece each.
	var x, y strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&x, "x%d ", i)
		fmt.Fprintf(&y, "y%d ", i)
	}
	if got := Words(x.String(), y.String()); len(got) != 2 || got[0].Is != Removed || got[1].Is != Added {
		t.Errorf("%d pieces of texts with nothing in common", len(got))
	}
}

// Of what another version of the program wrote, what can be read is said.
func TestDamage(t *testing.T) {
	d := read(feedonce.Decision{Outcome: "duplicate", Rule: "Z9", Evidence: []byte(`{"facts":"none"}`), Arrival: []byte(`{`)})
	if d.Damage == "" || d.Item != nil || len(d.Remarks()) == 0 || !strings.Contains(d.Why(), "Another version of feedonce") {
		t.Errorf("a damaged decision: %+v, %v, %s", d, d.Remarks(), d.Why())
	}
	if f := findingOf(dedup.Fact{Name: "colour", Is: "alike", Have: "red"}); f.Text != "Colour: alike" || f.Came != "red" {
		t.Errorf("a fact of a later version: %+v", f)
	}
}
