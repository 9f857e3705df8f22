package outfeed_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/outfeed"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// TestConditional: the same articles give the same bytes, and whoever has them is told so.
func TestConditional(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		feed := w.feed("https://a.example/feed", "")
		w.poll(feed, 0, news("a.example", 1), news("a.example", 2))
		o := w.output("All", feedonce.Selection{})
		for _, form := range outfeed.Forms {
			addr := w.address(o, form)
			first, second := w.get(addr), w.get(addr)
			tag := first.header.Get("ETag")
			if first.body != second.body || tag == "" || tag != second.header.Get("ETag") {
				t.Errorf("%s is rendered in two ways: %q, %q", form, tag, second.header.Get("ETag"))
			}
			if lm := first.header.Get("Last-Modified"); lm != "" {
				t.Errorf("%s has Last-Modified %q, which cannot tell two documents of a second apart", form, lm)
			}
			for _, match := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} {
				if res := w.get(addr, "If-None-Match", match); res.status != http.StatusNotModified || res.body != "" || res.header.Get("ETag") != tag {
					t.Errorf("%s with If-None-Match %s: %d, ETag %q", form, match, res.status, res.header.Get("ETag"))
				}
			}
			if res := w.get(addr, "If-None-Match", `"other"`, "If-Modified-Since", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)); res.status != http.StatusOK {
				t.Errorf("%s with another tag: %d", form, res.status)
			}
			if res := w.get(addr, "If-Modified-Since", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)); res.status != http.StatusOK {
				t.Errorf("%s asked for by time: %d", form, res.status)
			}
			head := w.ask(http.MethodHead, addr)
			if head.status != http.StatusOK || head.body != "" || head.header.Get("ETag") != tag || head.header.Get("Content-Length") != fmt.Sprint(len(first.body)) {
				t.Errorf("HEAD of %s: %d, %d bytes, header %v", form, head.status, len(head.body), head.header)
			}
			for name, want := range map[string]string{"Content-Type": map[outfeed.Form]string{outfeed.Atom: "application/atom+xml; charset=utf-8",
				outfeed.RSS: "application/rss+xml; charset=utf-8", outfeed.JSON: "application/feed+json; charset=utf-8"}[form],
				"X-Robots-Tag": "noindex", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
				"Content-Security-Policy": "default-src 'none'; sandbox", "Cache-Control": "private, max-age=60"} {
				if got := first.header.Get(name); got != want {
					t.Errorf("%s of %s is %q, want %q", name, form, got, want)
				}
			}
			w.poll(feed, 1, news("a.example", 1), news("a.example", 2), item{guid: "x" + string(form), title: "New " + string(form), text: prose(len(form), 40)})
			if res := w.get(addr, "If-None-Match", tag); res.status != http.StatusOK || !strings.Contains(res.body, "New "+string(form)) {
				t.Errorf("%s with a new article: %d", form, res.status)
			}
		}
	})
}

// TestUnknown: an address that leads nowhere says nothing but that.
func TestUnknown(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		o := w.output("All", feedonce.Selection{})
		addr := w.address(o, outfeed.Atom)
		base, _ := strings.CutSuffix(addr, "/atom.xml")
		token := base[strings.LastIndex(base, "/")+1:]
		if len(token) != 26 {
			t.Fatalf("the token %q has not 26 characters of 5 bits", token)
		}
		const nothing = "There is no feed at this address.\n"
		for _, a := range []string{
			"https://once.example/out/", "https://once.example/out/aaaaaaaaaaaaaaaaaaaaaaaaaa/atom.xml", base, base + "/", base + "/feed.xml", base + "/atom.xml/", addr + "x",
			"https://once.example/out/" + strings.ToUpper(token) + "/atom.xml", "https://once.example/out/" + token[:25] + "/atom.xml",
			"https://once.example/out/" + strings.Repeat("a", 5000) + "/atom.xml", "https://once.example/out/%00/atom.xml", "https://once.example/out/%ff%fe/rss.xml", "https://once.example/out/'/feed.json",
		} {
			if res := w.get(a); res.status != http.StatusNotFound || res.body != nothing {
				t.Errorf("%.100s: %d %q", a, res.status, res.body)
			}
		}
		for _, q := range []string{"0", "-1", "x", "99999999999999999999", "1;drop"} {
			if res := w.get(addr + "?before=" + strings.ReplaceAll(q, ";", "%3B")); res.status != http.StatusBadRequest || !strings.Contains(res.body, "before") {
				t.Errorf("before=%s: %d %q", q, res.status, res.body)
			}
		}
		if res := w.ask(http.MethodPost, addr); res.status != http.StatusNotFound && res.status != http.StatusMethodNotAllowed {
			t.Errorf("POST: %d", res.status)
		}
		if d := w.readAt(o, "?before=1"); len(d.entries) != 0 {
			t.Errorf("before the first article there are %v", titles(d))
		}

		renewed, err := outfeed.Renew(t.Context(), s, w.box, o.ID)
		if err != nil {
			t.Fatal(err)
		}
		if res := w.get(addr); res.status != http.StatusNotFound {
			t.Errorf("the address before it was renewed: %d", res.status)
		}
		if res := w.get(w.address(renewed, outfeed.Atom)); res.status != http.StatusOK {
			t.Errorf("the renewed address: %d", res.status)
		}
		w.update(func(tx *store.Tx) error { return tx.RemoveOutput(o.ID) })
		if res := w.get(w.address(renewed, outfeed.Atom)); res.status != http.StatusNotFound {
			t.Errorf("the address of an output that was removed: %d", res.status)
		}
	})
}

// TestPaging: who follows the links to the next page gets every article once, whatever arrives meanwhile.
func TestPaging(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		feed, other := w.feed("https://a.example/feed", ""), w.feed("https://b.example/feed", "")
		var all []item
		for n := range 23 {
			it := news("a.example", n)
			it.date = hours(-200 - 7*n%5) // in another order than that of arrival
			all = append(all, it)
			w.poll(feed, n-100, all...)
		}
		o := w.output("All", feedonce.Selection{Limit: 5})
		for _, form := range outfeed.Forms {
			next, pages := w.address(o, form), 0
			var got []string
			for next != "" {
				d := parsers[form](t, w.get(next).body)
				if d.self != next {
					t.Errorf("%s says it is at %s", next, d.self)
				}
				got = append(got, titles(d)...)
				// Meanwhile an article arrives, and another gets another date.
				pages++
				w.poll(other, pages, item{guid: fmt.Sprint(form, pages), title: fmt.Sprint("Later ", form, pages), text: prose(1000*len(form)+pages, 40), date: hours(-50)})
				all[4].date = all[4].date.Add(time.Duration(1-2*(pages%2)) * 20 * time.Hour)
				w.poll(feed, pages, all...)
				next = d.next
			}
			want := wants(all...)
			slices.Reverse(want)
			got = slices.DeleteFunc(got, func(s string) bool { return strings.HasPrefix(s, "Later") })
			if diff := cmp.Diff(want, got); diff != "" || pages < 5 {
				t.Errorf("%s in %d pages (-want +got):\n%s", form, pages, diff)
			}
		}
	})
}

// TestFirstPage: the first page has all of a day, as readers look at no other, unless a person said otherwise.
func TestFirstPage(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		feed := w.feed("https://a.example/feed", "")
		var batch []item
		for n := range 40 {
			batch = append(batch, news("a.example", n))
		}
		w.poll(feed, -48, batch[:20]...) // two days ago
		for n := range 8 {
			for k := range batch {
				batch[k] = news("a.example", 100+40*n+k)
			}
			w.poll(feed, n-8, batch...)
		}
		all, few := w.output("All", feedonce.Selection{}), w.output("Few", feedonce.Selection{Limit: 10})
		w.now = hours(1)
		d := w.read(all)
		if len(d.entries) != 320 || d.next == "" {
			t.Errorf("%d entries with next %q, want the 320 of a day and a link to the rest", len(d.entries), d.next)
		}
		if rest := w.readAt(all, d.next[strings.Index(d.next, "?"):]); len(rest.entries) != 20 || rest.next != "" {
			t.Errorf("the next page has %d entries, want 20", len(rest.entries))
		}
		if d := w.read(few); len(d.entries) != 10 {
			t.Errorf("%d entries, want the 10 that were asked for", len(d.entries))
		}
		w.now = hours(48)
		if d := w.read(all); len(d.entries) != 50 {
			t.Errorf("a day later: %d entries, want 50", len(d.entries))
		}
		// 8 MiB is the limit of a page, whatever it has.
		var big []item
		for n := range 12 {
			it := news("big.example", 5000+n)
			it.text = strings.Repeat("<p>"+prose(n, 300)+"</p>", 1<<20/2400)
			big = append(big, it)
		}
		for n := range big {
			w.poll(feed, 40, big[n])
		}
		d = w.read(all)
		if len(d.entries) < 7 || len(d.entries) > 11 || d.next == "" {
			t.Errorf("of articles of a megabyte a page has %d, with next %q", len(d.entries), d.next)
		}
	})
}

// TestValidate: what cannot be is refused, with what would be right.
func TestValidate(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		feed := w.feed("https://a.example/feed", "")
		w.output("All", feedonce.Selection{})
		for _, c := range []struct {
			name, field string
			sel         feedonce.Selection
		}{
			{"", "name", feedonce.Selection{}},
			{" \t", "name", feedonce.Selection{}},
			{"a\nb", "name", feedonce.Selection{}},
			{"a\x1bb", "name", feedonce.Selection{}},
			{"a\xffb", "name", feedonce.Selection{}},
			{strings.Repeat("x", 201), "name", feedonce.Selection{}},
			{"All", "name", feedonce.Selection{}},
			{"x", "scope", feedonce.Selection{Scope: "all"}},
			{"x", "limit", feedonce.Selection{Limit: -1}},
			{"x", "limit", feedonce.Selection{Limit: 501}},
			{"x", "feed", feedonce.Selection{Feed: -1}},
			{"x", "folder", feedonce.Selection{Feed: feed, Folder: "News"}},
			{"x", "search", feedonce.Selection{Search: "  "}},
			{"x", "search", feedonce.Selection{Search: strings.Repeat("word ", 11)}},
			{"x", "search", feedonce.Selection{Search: strings.Repeat("x", 501)}},
			{"x", "once", feedonce.Selection{Once: true}},
			{"x", "once", feedonce.Selection{Once: true, Feed: feed, Scope: feedonce.ScopeFeed}},
		} {
			_, err := outfeed.Add(t.Context(), s, w.box, feedonce.Output{Name: c.name, Selection: c.sel, Created: noon})
			var invalid *feedonce.InvalidError
			if !asInvalid(err, &invalid) || invalid.Field != c.field || invalid.Reason == "" {
				t.Errorf("%q %+v: %v, want one about %s", c.name, c.sel, err, c.field)
			}
		}
		if _, err := outfeed.Add(t.Context(), s, w.box, feedonce.Output{Name: "x", Selection: feedonce.Selection{Feed: 99}, Created: noon}); !isNotFound(err) {
			t.Errorf("a feed that is not there: %v", err)
		}
		if _, err := outfeed.Renew(t.Context(), s, w.box, 99); !isNotFound(err) {
			t.Errorf("renewing what is not there: %v", err)
		}
	})
}
