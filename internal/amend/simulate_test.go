package amend_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/amend"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

func (r *reader) simulate(feed feedonce.FeedID, p dedup.Policy) *amend.Simulation {
	r.t.Helper()
	var sim *amend.Simulation
	w := storetest.Measure(r.t, r.s, func() {
		var err error
		if sim, err = amend.Simulate(context.Background(), r.s, feed, p, time.Time{}); err != nil {
			r.t.Fatalf("simulate: %v", err)
		}
	})
	if w.Total() != 0 {
		r.t.Errorf("simulating writes %v", w)
	}
	return sim
}

// differences says what differs in few words.
func differences(sim *amend.Simulation) (out []string) {
	for _, d := range sim.Difference {
		out = append(out, string(d.Kind)+" "+d.GUID)
	}
	return out
}

func TestSimulate(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		feed := r.feed("https://news.example.org/feed")
		items := articles(8, nil)
		r.poll(feed, 1, items...)
		edited := append([]item{}, items...)
		edited[3].text += " An edit."
		r.poll(feed, 2, edited...)
		both := append([]item{again(edited[0], "again")}, edited[1:]...) // a new guid for an old article
		r.poll(feed, 3, both...)
		liveblog := []item{news(31), news(32)}
		for i := range liveblog {
			liveblog[i].link, liveblog[i].date = "https://news.example.org/4711-live-blog-of-it", hours(4+i)
			both = append([]item{liveblog[i]}, both...)
			r.poll(feed, 4+i, both...)
		}
		none := bare(40)
		none.date = hours(6)
		both = append([]item{none}, both...)
		rep := r.poll(feed, 6, both...)
		if n := len(r.decisions(feed, "new")); n != 11 || len(r.decisions(feed, "duplicate")) != 1 || len(r.decisions(feed, "updated")) != 1 || rep.Counts.New != 1 {
			t.Fatalf("%d new, %+v", n, rep.Counts)
		}
		articleOf := map[string]feedonce.EntryID{}
		for _, d := range r.decisions(feed, "new") {
			articleOf[d.GUID] = d.Entry
		}

		sim := r.simulate(feed, dedup.Policy{})
		if len(sim.Difference) != 0 || sim.Articles != 11 || sim.Now != 11 || sim.Arrivals != 13 || sim.Unlike != 0 || !sim.From.Equal(hours(1)) || !sim.To.Equal(hours(6)) {
			t.Errorf("under the same policy: %+v", sim)
		}

		sim = r.simulate(feed, dedup.Policy{Identity: dedup.IdentityGUID})
		if diff := cmp.Diff([]string{"article again"}, differences(sim)); diff != "" || sim.Articles != 12 {
			t.Errorf("guid (-want +got): %s\n%+v", diff, sim)
		} else if d := sim.Difference[0]; d.Entry != articleOf[items[0].guid] || d.Decision != r.decisions(feed, "duplicate")[0].ID || d.Title != items[0].title || d.Rule != "N" || !d.At.Equal(hours(3)) || d.WasRule == "" {
			t.Errorf("guid: %+v", d)
		}

		sim = r.simulate(feed, dedup.Policy{MissingGUID: dedup.MissingQuarantine})
		if diff := cmp.Diff([]string{"held "}, differences(sim)); diff != "" || sim.Difference[0].URL != none.link || sim.Difference[0].Rule != "Q2" {
			t.Errorf("quarantine (-want +got): %s\n%+v", diff, sim.Difference)
		}
		sim = r.simulate(feed, dedup.Policy{MissingGUID: dedup.MissingReject})
		if diff := cmp.Diff([]string{"refused "}, differences(sim)); diff != "" {
			t.Errorf("reject (-want +got): %s", diff)
		}

		// While only the guid counts, an article under another guid is another article. It would be folded.
		two := r.feed("https://news.example.org/guids")
		r.policy(two, 0, dedup.Policy{Identity: dedup.IdentityGUID})
		doc := articles(6, nil)
		first := r.poll(two, 1, doc...).New[0]
		doc[0].guid = "next"
		second := r.poll(two, 60, doc...)
		doc[0].text += " And an edit of it."
		r.poll(two, 61, doc...)
		if second.Counts.New != 1 {
			t.Fatalf("%+v\n%s", second.Counts, explain(second))
		}
		sim = r.simulate(two, dedup.Policy{})
		if diff := cmp.Diff([]string{"folded next"}, differences(sim)); diff != "" {
			t.Errorf("auto (-want +got): %s\n%+v", diff, sim.Difference)
		} else if d := sim.Difference[0]; d.Into != first || d.Entry != second.New[0] || d.Rule != "R1" || d.WasRule != "N" || len(d.Evidence.Facts) == 0 {
			t.Errorf("auto: %+v", d)
		}
		since, err := amend.Simulate(context.Background(), s, two, dedup.Policy{}, hours(10))
		if err != nil || since.Arrivals != 2 || len(since.Difference) != 0 {
			t.Errorf("since: %+v, %v", since, err)
		}
	})
}

// What a policy holds or folds now would not be under another.
func TestSimulateRelease(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		feed := r.feed("https://news.example.org/feed")
		r.policy(feed, 0, dedup.Policy{MissingGUID: dedup.MissingQuarantine})
		r.poll(feed, 1, bare(1), bare(2), news(3))
		if _, err := amend.Accept(context.Background(), s, r.held(feed, "")[0].Decision.ID, by(2)); err != nil {
			t.Fatal(err)
		}
		sim := r.simulate(feed, dedup.Policy{})
		if len(sim.Difference) == 0 || sim.Articles != 3 {
			t.Errorf("%+v", sim)
		}
		for _, d := range sim.Difference {
			if d.Kind != amend.DiffReleased || d.GUID != "" {
				t.Errorf("difference %+v", d)
			}
		}
		var wrong *feedonce.InvalidError
		if _, err := amend.Simulate(context.Background(), s, feed, dedup.Policy{Near: "moon"}, time.Time{}); !errors.As(err, &wrong) {
			t.Errorf("a wrong policy: %v", err)
		}
		if _, err := amend.Simulate(context.Background(), s, 999, dedup.Policy{}, time.Time{}); !errors.Is(err, feedonce.ErrNotFound) {
			t.Errorf("no feed: %v", err)
		}
		if sim := r.simulate(r.feed("https://empty.example.org/feed"), dedup.Policy{}); sim.Arrivals != 0 || len(sim.Difference) != 0 {
			t.Errorf("a feed never read: %+v", sim)
		}
	})
}

// Neither splits nor merges by people are differences between policies.
func TestSimulateAfterPeople(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		feed := r.feed("https://news.example.org/feed")
		items := articles(6, nil)
		ids := r.poll(feed, 1, items...).New
		r.poll(feed, 2, append([]item{again(items[0], "again")}, items...)...)
		r.split(r.decisions(feed, "duplicate")[0].ID, 3)
		r.merge(ids[4], ids[5], 3)
		sim := r.simulate(feed, dedup.Policy{})
		if len(sim.Difference) != 0 || sim.Arrivals != 7 && sim.Arrivals != 8 {
			t.Errorf("%+v", sim)
		}
	})
}
