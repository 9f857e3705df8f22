package poll

import (
	"net/http"
	"testing"
	"time"

	"feedonce"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// The interval is learned from the first document, and adapted when there is something new.
func TestIntervalIsLearned(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		site, clock := newPublisher(t), newClock()
		p := New(options(t, s, clock))
		id := addFeed(t, s, site.URL+"/feed", clock.Now())
		want := func(what string, interval time.Duration, lastNew, next time.Time) {
			t.Helper()
			got := feedOf(t, s, id).Schedule
			if got.Interval != interval || !got.LastNew.Equal(lastNew) || !got.NextPoll.Equal(next) {
				t.Errorf("%s: interval %v, last new %v, next poll %v; want %v, %v, %v", what,
					got.Interval, got.LastNew, got.NextPoll, interval, lastNew, next)
			}
		}
		every := func(gap time.Duration, n int, last time.Time) []article {
			a := stories(0, n)
			for i := range a {
				a[i].published = last.Add(-gap * time.Duration(n-1-i))
			}
			return a
		}
		// 2 h apart, the last one 4 h ago: to be polled every hour, and a twentieth more by the randomness of 0.5.
		articles := every(2*time.Hour, 10, monday.Add(-4*time.Hour))
		site.serve("/feed", rss("1", "", articles))
		res := poll(t, p, id)
		want("first document", time.Hour, monday.Add(-4*time.Hour), monday.Add(63*time.Minute))
		if next := feedOf(t, s, id).Schedule.NextPoll; !res.Next.Equal(next) {
			t.Errorf("the result says the next poll is at %v, the feed %v", res.Next, next)
		}

		// Unchanged, 26 h later: the claim alone reckons with the silence (a tenth of 30 h).
		clock.advance(26 * time.Hour)
		site.serve("/feed", rss("2", "", articles))
		poll(t, p, id)
		want("silent for 30 hours", time.Hour, monday.Add(-4*time.Hour), clock.Now().Add(3*time.Hour))

		// A new article ends the silence.
		clock.advance(3 * time.Hour)
		articles = append(articles, story(10))
		articles[10].published = clock.Now().Add(-time.Minute)
		site.serve("/feed", rss("3", "", articles))
		poll(t, p, id)
		want("a new article", time.Hour, clock.Now(), clock.Now().Add(63*time.Minute))

		// An edit teaches nothing.
		clock.advance(time.Hour)
		articles[3].text = "<p>Another text altogether stands here since this afternoon, when it was put right.</p>"
		site.serve("/feed", rss("4", "", articles))
		if res := poll(t, p, id); res.Status != StatusChanged {
			t.Fatalf("%s", res.Status)
		}
		want("an edit", time.Hour, clock.Now().Add(-time.Hour), clock.Now().Add(time.Hour))
	})
}

func TestPublisherAsksForLess(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		site, clock := newPublisher(t), newClock()
		p := New(options(t, s, clock))
		id := addFeed(t, s, site.URL+"/feed", clock.Now())
		cached := func(age, body, etag string) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Cache-Control", "max-age="+age)
				document(body, etag)(w, r)
			}
		}
		step := func(what string, page http.HandlerFunc, status string, floor, next time.Duration, writes int64) {
			t.Helper()
			clock.advance(time.Minute)
			site.page("/feed", page)
			var res Result
			w := storetest.Measure(t, s, func() { res = poll(t, p, id) })
			got := feedOf(t, s, id).Schedule
			if res.Status != status || got.Floor != floor || got.NextPoll.Sub(clock.Now()).Round(time.Second) != next {
				t.Errorf("%s: %s, floor %v, next poll in %v; want %s, %v, %v", what, res.Status, got.Floor, got.NextPoll.Sub(clock.Now()), status, floor, next)
			}
			if n := w.Total() - 1; writes >= 0 && n != writes {
				t.Errorf("%s: wrote %d rows beside the claim, want %d: %v", what, n, writes, w)
			}
		}
		// Articles 20 minutes apart would be looked for every 10 minutes.
		a := stories(0, 10)
		for i := range a {
			a[i].published = monday.Add(-time.Duration(9-i) * 20 * time.Minute)
		}
		const ttl = `<ttl>60</ttl>`
		step("ttl", cached("60", rss("1", ttl, a), `"1"`), StatusNew, time.Hour, time.Hour, -1)
		step("not modified: the ttl still holds", cached("60", rss("1", ttl, a), `"1"`), StatusNotModified, time.Hour, time.Hour, 0)
		step("max-age is longer", cached("10800", rss("1", ttl, a), `"1"`), StatusNotModified, 3*time.Hour, 3*time.Hour, 1)
		step("and says so again", cached("10801", rss("1", ttl, a), `"1"`), StatusNotModified, 3*time.Hour, 3*time.Hour, 0)
		step("neither", document(rss("2", "", a), ""), StatusUnchanged, 0, 10*time.Minute+30*time.Second, 1)
		step("nor now", document(rss("3", "", a), ""), StatusUnchanged, 0, 10*time.Minute, 0)
		step("a year is a day", cached("31536000", rss("4", "", a), ""), StatusUnchanged, 24*time.Hour, 24*time.Hour, 1)
	})
}

func TestSkippedHours(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		site, clock := newPublisher(t), newClock() // a Monday, 12:00
		p := New(options(t, s, clock))
		id := addFeed(t, s, site.URL+"/feed", clock.Now())
		site.page("/feed", document(rss("1", `<skipHours><hour>12</hour><hour>13</hour></skipHours>`, stories(0, 2)), `"1"`))
		poll(t, p, id)
		two := time.Date(2024, 5, 6, 14, 0, 0, 0, time.UTC)
		if got := feedOf(t, s, id).Schedule.NextPoll; !got.After(two.Add(-time.Second)) {
			t.Errorf("next poll at %v, want none before %v", got, two)
		}
		// By hand it can be polled all the same, and the hours still hold though the document did not come again.
		clock.advance(time.Minute)
		update(t, s, func(tx *store.Tx) error {
			return tx.SetSchedule(id, feedonce.Schedule{Interval: 5 * time.Minute, LastNew: clock.Now()})
		})
		if r := poll(t, p, id); r.Status != StatusNotModified || !r.Next.Equal(two) {
			t.Errorf("%s, next poll at %v, want %v", r.Status, r.Next, two)
		}
		if got := feedOf(t, s, id).Schedule.NextPoll; !got.Equal(two) {
			t.Errorf("next poll at %v, want %v", got, two)
		}
	})
}
