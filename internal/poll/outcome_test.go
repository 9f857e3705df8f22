package poll

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// One feed through everything that can become of a document. Each step says what the publisher serves, what is to come
// of it, and how many rows may be written beside the claim's.
func TestOutcomes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		site, clock := newPublisher(t), newClock()
		p := New(options(t, s, clock))
		site.serve("/feed", "")
		id := addFeed(t, s, site.URL+"/feed", clock.Now())

		edited := stories(0, 13)
		edited[4].text = "<p>The ship that was said to have come in was a different one.</p>"
		reissued := append([]article(nil), edited...)
		for i := range reissued {
			reissued[i].guid += ":again"
		}
		const nothing = `<item><category>news</category></item>`
		const free = -1
		var sum feedonce.Counts
		for _, step := range []struct {
			name   string
			page   string
			etag   string
			status string
			counts feedonce.Counts
			writes int64 // rows beside the claim; free is any number
		}{
			{"first document", rss("1", "", stories(0, 10)), `"1"`, StatusNew, feedonce.Counts{New: 10}, free},
			{"not modified", rss("1", "", stories(0, 10)), `"1"`, StatusNotModified, feedonce.Counts{}, 0},
			{"same bytes", rss("1", "", stories(0, 10)), "", StatusUnchanged, feedonce.Counts{Unchanged: 10}, 0},
			{"another lastBuildDate", rss("2", "", stories(0, 10)), "", StatusUnchanged, feedonce.Counts{Unchanged: 10}, 0},
			{"and another", rss("3", "", stories(0, 10)), "", StatusUnchanged, feedonce.Counts{Unchanged: 10}, 0},
			{"new validators for the same articles", rss("4", "", stories(0, 10)), `"4"`, StatusUnchanged, feedonce.Counts{Unchanged: 10}, 1},
			{"which are worth having", rss("4", "", stories(0, 10)), `"4"`, StatusNotModified, feedonce.Counts{}, 0},
			{"validators that differ every time", rss("5", "", stories(0, 10)), `"5"`, StatusUnchanged, feedonce.Counts{Unchanged: 10}, 0},
			{"again", rss("6", "", stories(0, 10)), `"6"`, StatusUnchanged, feedonce.Counts{Unchanged: 10}, 0},
			{"and the same twice", rss("6", "", stories(0, 10)), `"6"`, StatusUnchanged, feedonce.Counts{Unchanged: 10}, 1},
			{"and not modified", rss("6", "", stories(0, 10)), `"6"`, StatusNotModified, feedonce.Counts{}, 0},
			{"three new articles", rss("7", "", stories(0, 13)), "", StatusNew, feedonce.Counts{New: 3, Unchanged: 10}, free},
			{"an edited article", rss("8", "", edited), "", StatusChanged, feedonce.Counts{Updated: 1, Unchanged: 12}, free},
			{"all guids anew", rss("9", "", reissued), "", StatusChanged, feedonce.Counts{Duplicate: 13}, free},
			{"and from then on known", rss("10", "", reissued), "", StatusUnchanged, feedonce.Counts{Unchanged: 13}, free}, // what is learned of the feed
			{"for good", rss("10b", "", reissued), "", StatusUnchanged, feedonce.Counts{Unchanged: 13}, 0},
			{"an item with nothing in it", rss("11", nothing, reissued), "", StatusChanged, feedonce.Counts{Unchanged: 13, Invalid: 1}, free},
			{"which is recorded once", rss("12", nothing, reissued), "", StatusUnchanged, feedonce.Counts{Unchanged: 13, Invalid: 1}, 0},
		} {
			clock.advance(time.Hour)
			site.page("/feed", document(step.page, step.etag))
			var res Result
			w := storetest.Measure(t, s, func() { res = poll(t, p, id) })
			if res.Status != step.status {
				t.Errorf("%s: status is %q, want %q", step.name, res.Status, step.status)
			}
			if diff := cmp.Diff(step.counts, res.Report.Counts); diff != "" {
				t.Errorf("%s: counts (-want +got):\n%s", step.name, diff)
			}
			sum.Add(step.counts)
			if int64(res.Report.Items) != res.Report.Counts.Total() {
				t.Errorf("%s: %d items, %d outcomes", step.name, res.Report.Items, res.Report.Counts.Total())
			}
			if n := w.Total() - 1; step.writes != free && n != step.writes {
				t.Errorf("%s: wrote %d rows beside the claim, want %d: %v", step.name, n, step.writes, w)
			}
			if n := w.Total("entries", "entry_bodies", "entry_versions", "entry_keys", "entry_marks", "decisions"); res.Report.Unchanged && n > 0 {
				t.Errorf("%s: wrote %d rows of articles: %v", step.name, n, w)
			}
			if t.Failed() {
				t.FailNow()
			}
		}

		if got := titles(t, s, id); len(got) != 13 {
			t.Errorf("there are %d titles, want 13: %v", len(got), got)
		}
		if err := p.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
		var got map[feedonce.FeedID]feedonce.Counts
		view(t, s, func(tx *store.Tx) (err error) {
			got, err = tx.FeedCounts(monday)
			return err
		})
		want := map[feedonce.FeedID]feedonce.Counts{id: sum}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("hourly counts (-want +got):\n%s", diff)
		}
	})
}

func TestFeedSaysWhatItIs(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		site, clock := newPublisher(t), newClock()
		p := New(options(t, s, clock))
		id := addFeed(t, s, site.URL+"/feed", clock.Now())
		site.serve("/feed", rss("1", "", stories(0, 3)))
		clock.advance(time.Minute)
		if res := poll(t, p, id); res.Feed.Title != "Harbour news" {
			t.Errorf("the result's feed is called %q", res.Feed.Title)
		}
		f := feedOf(t, s, id)
		if f.Title != "Harbour news" || f.SiteURL != "https://harbour.example/" || f.Format != "rss 2.0" || !f.FirstOK.Equal(clock.Now()) || f.Warning != "" {
			t.Errorf("feed is %+v", f)
		}

		// Cut in the middle of the second item: what is there counts, and neither validators nor bytes are kept.
		body := rss("2", "", stories(0, 4))
		site.page("/feed", document(body[:len(body)*2/3], `"cut"`))
		res := poll(t, p, id)
		if res.Report.Warning == "" || feedOf(t, s, id).Warning != res.Report.Warning {
			t.Errorf("the warning is %q, the feed's %q", res.Report.Warning, feedOf(t, s, id).Warning)
		}
		if d := docOf(t, s, id); d.ETag != "" || d.BodyHash != nil {
			t.Errorf("kept of a document that was cut off: ETag %q, hash %x", d.ETag, d.BodyHash)
		}
		// And once it is whole, the warning is gone.
		site.page("/feed", document(body, `"whole"`))
		poll(t, p, id)
		if f, d := feedOf(t, s, id), docOf(t, s, id); f.Warning != "" || d.ETag != `"whole"` || len(titles(t, s, id)) != 4 {
			t.Errorf("warning %q, ETag %q, titles %v", f.Warning, d.ETag, titles(t, s, id))
		}
	})
}
