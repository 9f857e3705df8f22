package amend_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/amend"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

func (r *reader) held(feed feedonce.FeedID, state store.HeldState) (held []store.Held) {
	r.t.Helper()
	r.view(func(tx *store.Tx) (err error) {
		held, err = tx.HeldItems(store.HeldFilter{Feed: feed, State: state})
		return err
	})
	return held
}

// bare is an article without a guid.
func bare(n int) item {
	it := news(n)
	it.guid = ""
	return it
}

func TestHeldItems(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		ctx := context.Background()
		feed := r.feed("https://news.example.org/feed")
		r.policy(feed, 0, dedup.Policy{MissingGUID: dedup.MissingQuarantine})
		r.poll(feed, 1, news(1), news(2))
		accepted, rejected, open := bare(3), bare(4), bare(5)
		accepted.date, rejected.date = hours(1), hours(1)
		items := []item{open, accepted, rejected, news(1), news(2)}
		rep := r.poll(feed, 2, items...)
		if rep.Counts != (feedonce.Counts{Quarantined: 3, Unchanged: 2}) {
			t.Fatalf("%+v\n%s", rep.Counts, explain(rep))
		}
		// The same items again are no new questions, and no rows.
		before := storetest.Rows(t, s)
		r.poll(feed, 3, items...)
		if diff := cmp.Diff(before, storetest.Rows(t, s)); diff != "" {
			t.Errorf("rows after the same items (-before +after):\n%s", diff)
		}
		list := r.held(feed, "")
		if len(list) != 3 || list[0].State != store.HeldOpen || list[0].Decision.Rule != "Q2" || len(list[0].Decision.Arrival) == 0 || !list[0].Since.Equal(hours(2)) {
			t.Fatalf("held: %+v", list)
		}
		r.view(func(tx *store.Tx) error {
			n, err := tx.HeldCounts(0)
			if n[feed] != 3 || len(n) != 1 {
				t.Errorf("counts %v", n)
			}
			return err
		})
		decision := map[string]int64{}
		for _, h := range list {
			decision[h.Decision.URL] = h.Decision.ID
		}

		id, err := amend.Accept(ctx, s, decision[accepted.link], by(4))
		if err != nil {
			t.Fatal(err)
		}
		if e := r.entry(id); e.Title != accepted.title || e.Summary != accepted.text || e.URL != accepted.link || !e.FirstSeen.Equal(hours(2)) {
			t.Errorf("accepted: %+v", e)
		}
		news := r.decisions(feed, "new")
		if d := news[0]; d.Entry != id || d.Rule != "U3" || !d.Told || d.Quiet != "" {
			t.Errorf("decision on what was accepted: %+v", d)
		}
		if err := amend.Reject(ctx, s, decision[rejected.link], by(4)); err != nil {
			t.Fatal(err)
		}
		var wrong *feedonce.InvalidError
		for _, link := range []string{accepted.link, rejected.link} {
			if _, err := amend.Accept(ctx, s, decision[link], by(5)); !errors.As(err, &wrong) {
				t.Errorf("accepting %s again: %v", link, err)
			}
		}
		if _, err := amend.Accept(ctx, s, 999_999, by(5)); !errors.Is(err, feedonce.ErrNotFound) {
			t.Errorf("accepting nothing: %v", err)
		}

		// What was accepted is known, and what was rejected is not asked about again, though it is edited and comes and goes.
		for hour, change := range []string{"", "", " And more."} {
			items[2].text += change
			rep = r.poll(feed, 5+hour, items...)
			if rep.Counts.Unchanged != 3 || rep.Counts.Quarantined != 2 || rep.Counts.Total() != 5 {
				t.Errorf("document %d: %+v\n%s", hour, rep.Counts, explain(rep))
			}
		}
		r.poll(feed, 9, items[3:]...)
		r.poll(feed, 10, items...)
		if open := r.held(feed, ""); len(open) != 1 || open[0].Decision.URL != items[0].link {
			t.Errorf("open: %+v", open)
		}
		if h := r.held(feed, store.HeldRejected); len(h) != 1 || h[0].Who != "Ada" || !h[0].Closed.Equal(hours(4)) {
			t.Errorf("rejected: %+v", h)
		}
		if h := r.held(feed, store.HeldAccepted); len(h) != 1 || h[0].Entry != id {
			t.Errorf("accepted: %+v", h)
		}
		items[1].text += " With an edit of it."
		if rep = r.poll(feed, 11, items...); rep.Counts.Updated != 1 || rep.Counts.New != 0 {
			t.Errorf("an edit of what was accepted: %+v\n%s", rep.Counts, explain(rep))
		}
		if e := r.entry(id); e.Revision != 2 {
			t.Errorf("revision %d after the edit", e.Revision)
		}

		// The feed is exempt from now on.
		ids, err := amend.AcceptAlways(ctx, s, feed, by(12))
		if err != nil || len(ids) != 1 || r.entry(ids[0]).Title != open.title {
			t.Errorf("accept always: %v, %v", ids, err)
		}
		if open := r.held(feed, ""); len(open) != 0 {
			t.Errorf("still open: %+v", open)
		}
		more := bare(6)
		more.date = hours(12)
		rep = r.poll(feed, 13, append([]item{more}, append(items[:2:2], items[3:]...)...)...)
		if rep.Counts != (feedonce.Counts{New: 1, Unchanged: 4}) {
			t.Errorf("after accept always: %+v\n%s", rep.Counts, explain(rep))
		}
	})
}

// Two held items that look alike are two questions; the first document tells nothing, also what is accepted of it.
func TestHeldItemsThatLookAlike(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		feed := r.feed("https://news.example.org/feed")
		r.policy(feed, 0, dedup.Policy{MissingGUID: dedup.MissingQuarantine})
		a, b := bare(1), bare(2)
		b.title, b.date = a.title, a.date
		a.link, b.link = "", ""
		r.poll(feed, 1, a, b)
		list := r.held(feed, "")
		if len(list) != 2 {
			t.Fatalf("%d are held, want both", len(list))
		}
		for _, h := range list {
			if _, err := amend.Accept(context.Background(), s, h.Decision.ID, by(2)); err != nil {
				t.Fatal(err)
			}
		}
		r.same(feed, 3, "both accepted", a, b)
		r.same(feed, 4, "one of them", a)
		news := r.decisions(feed, "new")
		if len(news) != 2 || news[0].Entry == news[1].Entry || news[0].Told || news[0].Quiet != "first document of the feed" {
			t.Errorf("decisions: %+v", news)
		}
	})
}

// An item that became an article in another way meanwhile is accepted as that.
func TestHeldItemThatCameAnotherWay(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		feed := r.feed("https://news.example.org/feed")
		r.poll(feed, 1, news(1))
		r.policy(feed, 2, dedup.Policy{MissingGUID: dedup.MissingQuarantine})
		it := bare(2)
		r.poll(feed, 3, it, news(1))
		r.policy(feed, 4, dedup.Policy{})
		rep := r.poll(feed, 5, it, news(1))
		if rep.Counts.New != 1 {
			t.Fatalf("%+v", rep.Counts)
		}
		id, err := amend.Accept(context.Background(), s, r.held(feed, "")[0].Decision.ID, by(6))
		if err != nil || id != rep.New[0] {
			t.Errorf("accepted as %d, want %d: %v", id, rep.New[0], err)
		}
		if n := len(r.decisions(feed, "new")); n != 2 {
			t.Errorf("%d articles are new", n)
		}
		r.same(feed, 7, "afterwards", it, news(1))
	})
}

// What was accepted is told once with the other feeds that have it.
func TestAcceptedItemJoinsItsStory(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		feed, other := r.seeded("https://a.example.org/feed", 1), r.seeded("https://b.example.net/feed", 2)
		r.policy(feed, 0, dedup.Policy{MissingGUID: dedup.MissingQuarantine})
		it := bare(3)
		it.date = hours(1)
		r.poll(feed, 1, it, own("https://a.example.org/feed", 1))
		r.poll(other, 2, it, own("https://b.example.net/feed", 2))
		if _, err := amend.Accept(context.Background(), s, r.held(feed, "")[0].Decision.ID, by(3)); err != nil {
			t.Fatal(err)
		}
		if d := r.last(feed); d.Told || d.Quiet != "told already as part of a story: News" || !r.last(other).Told {
			t.Errorf("accepted: %+v", d)
		}
		if st := r.stories(); len(st) != 1 || len(st[0].Members) != 2 {
			t.Errorf("stories: %+v", st)
		}
	})
}
