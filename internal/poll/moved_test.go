package poll

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

func forGood(to string) http.HandlerFunc {
	return http.RedirectHandler(to, http.StatusMovedPermanently).ServeHTTP
}

func TestRedirectIsBelievedTheThirdTime(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		site, clock := newPublisher(t), newClock()
		p := New(options(t, s, clock))
		id := addFeed(t, s, site.URL+"/old", clock.Now())
		step := func(what string, old http.HandlerFunc, url, movedTo string, seen int) {
			t.Helper()
			clock.advance(time.Hour)
			site.page("/old", old)
			poll(t, p, id)
			f := feedOf(t, s, id)
			if f.URL != site.URL+url || f.MovedTo != movedTo || f.MovedSeen != seen || f.Warning != "" {
				t.Errorf("%s: polled at %s, moves to %q, seen %d times, warning %q; want %s, %q, %d, none",
					what, f.URL, f.MovedTo, f.MovedSeen, f.Warning, site.URL+url, movedTo, seen)
			}
		}
		page := document(rss("", "", stories(0, 3)), `"1"`)
		site.page("/new", page)
		site.page("/elsewhere", page)
		there := site.URL + "/new"
		step("not moved", page, "/old", "", 0)
		step("once", forGood("/new"), "/old", there, 1)
		step("twice", forGood("/new"), "/old", there, 2)
		step("and back", page, "/old", "", 0)
		step("for now", http.RedirectHandler("/new", http.StatusFound).ServeHTTP, "/old", "", 0)
		step("once again", forGood("/new"), "/old", there, 1)
		step("elsewhere", forGood("/elsewhere"), "/old", site.URL+"/elsewhere", 1)
		step("there", http.RedirectHandler("/new", http.StatusPermanentRedirect).ServeHTTP, "/old", there, 1)
		step("there a second time", forGood("/new"), "/old", there, 2)
		step("there a third time", forGood("/new"), "/new", "", 0)
		asked := site.requests("/old")
		step("polled there", status(500), "/new", "", 0)
		if n := site.requests("/old"); n != asked {
			t.Errorf("the old address was asked %d times more", n-asked)
		}
		if got := titles(t, s, id); len(got) != 3 {
			t.Errorf("articles after the move: %v", got)
		}
	})
}

func TestRedirectToAnotherFeed(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		site, clock := newPublisher(t), newClock()
		p := New(options(t, s, clock))
		other := addFeed(t, s, site.URL+"/new", clock.Now())
		id := addFeed(t, s, site.URL+"/old", clock.Now())
		site.page("/old", forGood("/new"))
		site.serve("/new", rss("", "", stories(0, 3)))
		for range moveAfter {
			clock.advance(time.Hour)
			poll(t, p, id)
		}
		site.serve("/new", rss("later", "", stories(0, 3)))
		clock.advance(time.Hour)
		poll(t, p, id)
		poll(t, p, other)
		f := feedOf(t, s, id)
		if f.URL != site.URL+"/old" || f.MovedSeen != moveAfter || !strings.Contains(f.Warning, "another feed is polled already: remove one") {
			t.Errorf("polled at %s, seen %d times, warning %q", f.URL, f.MovedSeen, f.Warning)
		}
		if n, m := len(titles(t, s, id)), len(titles(t, s, other)); n != 3 || m != 3 {
			t.Errorf("%d and %d articles, want 3 each", n, m)
		}
		// From then on there is nothing to write.
		w := storetest.Measure(t, s, func() { poll(t, p, id) })
		if w.Total() != 1 {
			t.Errorf("wrote more than the claim: %v", w)
		}
	})
}
