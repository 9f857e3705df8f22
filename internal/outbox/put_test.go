package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/amend"
	"feedonce/internal/ingest"
	"feedonce/internal/outbox"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// What nobody wants to hear of: articles that were there before, however they come again.
func TestOldArticlesAreNotTold(t *testing.T) {
	const host = "garden.example"
	thirty := list(host, 1, 30, 0)
	for _, c := range []struct {
		name  string
		again func(h *house, id feedonce.FeedID)
	}{
		{"imported", func(*house, feedonce.FeedID) {}},
		{"read again", func(h *house, id feedonce.FeedID) { h.poll(id, host, 1, thirty...) }},
		{"removed and added again", func(h *house, id feedonce.FeedID) {
			if err := amend.RemoveFeeds(context.Background(), h.s, by(1), id); err != nil {
				h.t.Fatal(err)
			}
			h.poll(h.feed(host), host, 2, thirty...)
		}},
		{"redirected", func(h *house, id feedonce.FeedID) {
			h.update(func(tx *store.Tx) error { return tx.MoveFeed(id, "https://new.example/feed") })
			moved := append([]item{}, thirty...)
			for i := range moved {
				moved[i].link = strings.Replace(moved[i].link, host, "new.example", 1)
			}
			h.poll(id, "new.example", 1, moved...)
		}},
		{"re-keyed by a policy", func(h *house, id feedonce.FeedID) {
			for i, identity := range []dedup.Identity{dedup.IdentityLink, dedup.IdentityTitleDate, dedup.IdentityGUID} {
				if _, err := amend.SetPolicy(context.Background(), h.s, id, dedup.Policy{Identity: identity}, by(2*i+1)); err != nil {
					h.t.Fatal(err)
				}
				h.poll(id, host, 2*i+2, thirty...)
			}
		}},
		{"restored from a backup", func(h *house, id feedonce.FeedID) {
			h.update(func(tx *store.Tx) error { return tx.MarkRestored(hours(1)) })
			// Three that came after the backup, and were told then; and an edit.
			later := append(list(host, 31, 33, 1), thirty...)
			later[10].text += " And " + prose(99, 30)
			rep := h.poll(id, host, 2, later...)
			if rep.Counts.New != 3 || rep.Counts.Updated != 1 {
				h.t.Fatalf("after the backup: %+v", rep.Counts)
			}
			for _, d := range rep.Result.Decisions {
				if d.Outcome == dedup.New && (d.Tell || d.Quiet != "the database was restored from a backup") {
					h.t.Errorf("a new article is told %v, quiet for %q", d.Tell, d.Quiet)
				}
			}
		}},
		{"restored from a backup, with the same document", func(h *house, id feedonce.FeedID) {
			h.update(func(tx *store.Tx) error { return tx.MarkRestored(hours(1)) })
			h.poll(id, host, 0, thirty...)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			each(t, func(t *testing.T, h *house) {
				id := h.feed(host)
				all := h.dest("all", feedonce.Route{Updates: true})
				one := h.dest("by feed", feedonce.Route{Scope: feedonce.ScopeFeed, Updates: true})
				h.poll(id, host, 0, thirty...)
				c.again(h, id)
				h.want("after it", all)
				h.want("after it", one)

				// What is news then is told.
				h.view(func(tx *store.Tx) error {
					feeds, err := tx.Feeds()
					if err == nil {
						id = feeds[0].ID
					}
					return err
				})
				h.poll(id, host, 20, append(list(host, 40, 40, 20), list(host, 3, 30, 0)...)...)
				h.want("news", all, "new 40 pending")
				h.want("news", one, "new 40 pending")
			})
		})
	}
}

// One article through five feeds is told once to who wants stories, and five times to who wants feeds.
func TestFiveFeeds(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		story := h.dest("story", feedonce.Route{})
		feed := h.dest("feed", feedonce.Route{Scope: feedonce.ScopeFeed})
		var feeds []feedonce.FeedID
		hosts := []string{"agency.example", "north.example.net", "south.example.com", "east.example.info", "west.example.dev"}
		for _, host := range hosts {
			id := h.feed(host)
			feeds = append(feeds, id)
			h.poll(id, host, 0, list(host, 1, 3, 0)...)
		}
		// Who hears of a feed that is not the first to have it hears of it there.
		late := h.dest("late", feedonce.Route{Feeds: feeds[3:]})
		it := news("agency.example", 7, 1)
		for i, host := range hosts {
			it.guid = fmt.Sprintf("%s-7", host)
			rep := h.poll(feeds[i], host, i+1, append([]item{it}, list(host, 1, 3, 0)...)...)
			if rep.Counts.New != 1 {
				t.Fatalf("feed %d: %+v", i, rep.Counts)
			}
		}
		got := h.want("once a story", story, "new 7 pending")
		if len(got) == 1 && got[0].Feed != feeds[0] {
			t.Errorf("told of feed %d, want the first, %d", got[0].Feed, feeds[0])
		}
		h.want("in each feed", feed, strings.Split(strings.Repeat("new 7 pending,", 4)+"new 7 pending", ",")...)
		if got := h.want("where it was not told", late, "new 7 pending"); len(got) == 1 && got[0].Feed != feeds[3] {
			t.Errorf("told of feed %d, want %d", got[0].Feed, feeds[3])
		}
	})
}

// An article that only points to a story is told by itself, and copies of it once.
func TestAboutAStory(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		story := h.dest("story", feedonce.Route{})
		hosts := []string{"agency.example", "blog.example.net", "copy.example.com", "again.example.info"}
		var feeds []feedonce.FeedID
		for _, host := range hosts {
			id := h.feed(host)
			feeds = append(feeds, id)
			h.poll(id, host, 0, list(host, 1, 3, 0)...)
		}
		it := news("agency.example", 7, 1)
		h.poll(feeds[0], hosts[0], 1, it)
		comment := news("blog.example.net", 8, 2)
		comment.link = it.link
		for i, host := range hosts[1:] {
			comment.guid = host + "-8"
			h.poll(feeds[1+i], host, 2+i, comment)
		}
		h.view(func(tx *store.Tx) error {
			all, err := tx.Stories(store.StoryFilter{})
			if err == nil && (len(all) != 1 || len(all[0].Members) != 4 || !all[0].Members[3].About) {
				t.Errorf("%d stories, want one of four, three of them about the first", len(all))
			}
			return err
		})
		h.want("the comment is told once", story, "new 7 pending", "new 8 pending")
	})
}

func TestUpdates(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		const host = "garden.example"
		plain := h.dest("plain", feedonce.Route{})
		updates := h.dest("updates", feedonce.Route{Updates: true})
		id, n := h.begun(host, 3)
		h.sent(plain)
		h.sent(updates)
		old, it := news(host, 1, 0), news(host, n, 4)
		h.poll(id, host, 4, it, old)
		told := []string{"new 2 sent", "new 3 sent", "new 4 pending"}
		h.want("new", plain, told...)
		h.want("new", updates, told...)

		edit := func(hour int, text string) {
			t.Helper()
			it.text = text
			if rep := h.poll(id, host, hour, it, old); rep.Counts.Updated != 1 {
				t.Fatalf("hour %d: %+v", hour, rep.Counts)
			}
		}
		edit(5, it.text+" More "+prose(5, 20))
		h.want("the message is not sent yet, and will have the update", updates, told...)
		h.sent(plain)
		h.sent(updates)
		edit(12, it.text+" And "+prose(6, 20))
		told[2] = "new 4 sent"
		h.want("no updates", plain, told...)
		got := h.want("an update", updates, append(told, "update 4 pending")...)
		if d := got[len(got)-1]; d.Revision != 3 || !d.Due.Equal(hours(12)) {
			t.Errorf("the update is of revision %d, due %s", d.Revision, d.Due)
		}
		edit(20, it.text+" Or "+prose(7, 20))
		got = h.want("one more, before the first was sent", updates, append(told, "update 4 skipped", "update 4 pending")...)
		if d := got[len(got)-1]; d.Revision != 4 {
			t.Errorf("the update is of revision %d, want 4", d.Revision)
		}
		h.sent(updates)
		edit(28, strings.ToUpper(it.text[:1])+it.text[1:]+"!")
		h.want("an edit of form", updates, append(told, "update 4 skipped", "update 4 sent")...)
		// An article that the destination was not told of: its new message never was.
		old.text += " More " + prose(8, 20)
		if rep := h.poll(id, host, 36, it, old); rep.Counts.Updated != 1 {
			t.Fatalf("%+v", rep.Counts)
		}
		h.want("an update of what was not told", updates, append(told, "update 4 skipped", "update 4 sent")...)
	})
}

// Thirty new articles at once in a feed that usually has one are held, the operator is told once, and what is held can be
// released. A few more are told meanwhile; another flood is held with the first.
func TestFloodBrake(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		const host = "garden.example"
		to := h.dest("to", feedonce.Route{})
		operator := h.dest("operator", feedonce.Route{Feeds: []feedonce.FeedID{1 << 40}, Notices: true})
		id, n := h.begun(host, 12)
		h.sent(to)
		told := len(h.deliveries(to))
		if told != 11 {
			t.Fatalf("%d messages of eleven articles", told)
		}
		flood := list(host, n, n+29, 13)
		if rep := h.poll(id, host, 13, flood...); rep.Counts.New != 30 {
			t.Fatalf("%+v", rep.Counts)
		}
		held := h.deliveries(to)[told:]
		if len(held) != 30 {
			t.Fatalf("%d messages, want 30", len(held))
		}
		var ids []feedonce.DeliveryID
		for _, d := range held {
			if d.State != feedonce.DeliveryHeld || d.Brake == 0 || d.Brake != held[0].Brake || d.Note == "" {
				t.Fatalf("not held: %+v", d)
			}
			ids = append(ids, d.ID)
		}
		h.want("the operator", operator, "notice notice pending")
		h.view(func(tx *store.Tx) error {
			b, err := tx.OpenBrake(id)
			if err == nil && (b.ID != held[0].Brake || b.Count != 30 || b.Usual < 0.5 || b.Usual > 1.5) {
				t.Errorf("the brake is %+v", b)
			}
			notices, err2 := tx.Notices(10)
			if err2 == nil && (len(notices) != 1 || notices[0].Feed != id || !strings.Contains(notices[0].Text, "30 new articles") ||
				!strings.Contains(notices[0].Text, host)) {
				t.Errorf("the notices are %+v", notices)
			}
			return errors.Join(err, err2)
		})

		h.poll(id, host, 14, append(list(host, 61, 62, 14), flood...)...)
		h.poll(id, host, 15, append(list(host, 63, 92, 15), flood...)...)
		rest := h.deliveries(to)[told+30:]
		if len(rest) != 32 || rest[0].State != feedonce.DeliveryPending || rest[1].State != feedonce.DeliveryPending || rest[2].State != feedonce.DeliveryHeld || rest[2].Brake != held[0].Brake {
			t.Errorf("two articles and another flood make %d messages: %+v", len(rest), rest)
		}
		h.want("the operator is told once", operator, "notice notice pending")

		h.update(func(tx *store.Tx) error {
			released, err := tx.SetDeliveries(ids, []feedonce.DeliveryState{feedonce.DeliveryHeld}, feedonce.DeliveryPending, hours(16), "")
			if err == nil && released != 30 {
				t.Errorf("%d messages were released", released)
			}
			return err
		})
		for _, d := range h.deliveries(to)[told : told+30] {
			if d.State != feedonce.DeliveryPending {
				t.Errorf("not released: %+v", d)
			}
		}
	})
}

// More at once than usual, but no flood: all are told, in one message. Where the destination makes digests anyway, they
// are in the next one.
func TestManyAtOnceAreOneMessage(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		const host = "garden.example"
		id, n := h.begun(host, 12)
		to := h.dest("to", feedonce.Route{})
		few := h.dest("few", feedonce.Route{Include: []feedonce.Filter{{In: "title", Text: fmt.Sprintf("Number %d:", n)}}})
		daily := h.dest("daily", feedonce.Route{Digest: &feedonce.Digest{Every: "day", At: "18:00"}})
		h.poll(id, host, 13, list(host, n, n+14, 13)...)
		batches := func(id feedonce.DestinationID) map[int64]int {
			m := map[int64]int{}
			for _, d := range h.deliveries(id) {
				m[d.Batch]++
				if d.State != feedonce.DeliveryPending {
					t.Errorf("not to be sent: %+v", d)
				}
			}
			return m
		}
		if m := batches(to); len(m) != 1 || m[0] != 0 {
			t.Errorf("fifteen articles are messages of %v, want one of 15", m)
		}
		if m := batches(few); m[0] != 1 || len(m) != 1 {
			t.Errorf("one article is messages of %v", m)
		}
		if m := batches(daily); m[0] != 15 {
			t.Errorf("in the digest are messages of %v", m)
		}
		if d := h.deliveries(daily)[0]; !d.Due.Equal(time.Date(2026, 3, 2, 18, 0, 0, 0, time.UTC)) {
			t.Errorf("the digest is due %s", d.Due)
		}
	})
}

// A route says what is told of a feed's first document, and of what is there when the destination is added.
func TestBacklog(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		const host = "garden.example"
		var items []item
		for n := 6; n >= 1; n-- {
			items = append(items, news(host, n, n-20))
		}
		routes := []struct {
			name  string
			route feedonce.Route
			want  []string
		}{
			{"none", feedonce.Route{}, nil},
			{"newest", feedonce.Route{Backlog: feedonce.Backlog{Latest: 2}}, []string{"new 5 pending", "new 6 pending"}},
			{"since", feedonce.Route{Backlog: feedonce.Backlog{Since: hours(-16)}}, []string{"new 4 pending", "new 5 pending", "new 6 pending"}},
			{"both", feedonce.Route{Backlog: feedonce.Backlog{Latest: 1, Since: hours(-16)}}, []string{"new 6 pending"}},
			{"filtered", feedonce.Route{Backlog: feedonce.Backlog{Latest: 3}, Exclude: []feedonce.Filter{{In: "title", RE: "number 5"}}}, []string{"new 4 pending", "new 6 pending"}},
			{"another feed", feedonce.Route{Backlog: feedonce.Backlog{Latest: 3}, Folders: []string{"Sport"}}, nil},
		}
		for _, r := range routes {
			h.dest("before, "+r.name, r.route)
		}
		id := h.feed(host)
		h.poll(id, host, 0, items...)
		for i, r := range routes {
			h.want("before, "+r.name, feedonce.DestinationID(i+1), r.want...)
			var to feedonce.DestinationID
			h.update(func(tx *store.Tx) (err error) {
				if to, err = tx.AddDestination(feedonce.Destination{Name: "after, " + r.name, Kind: "file", State: feedonce.DestinationActive, Config: "{}", Route: r.route, Created: noon}); err != nil {
					return err
				}
				n, err := outbox.Backlog(tx, to, r.route, hours(1))
				if err == nil && n != len(r.want) {
					t.Errorf("after, %s: %d articles, want %d", r.name, n, len(r.want))
				}
				return err
			})
			h.want("after, "+r.name, to, r.want...)
		}
		h.poll(id, host, 2, append(list(host, 7, 7, 2), items...)...)
		h.want("and the news", 2, "new 5 pending", "new 6 pending", "new 7 pending")
	})
}

func TestBacklogOfStoriesAndTooMany(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		it := news("agency.example", 7, 1)
		for _, host := range []string{"agency.example", "north.example.net", "south.example.com"} {
			id := h.feed(host)
			h.poll(id, host, 0, list(host, 1, 2, -1)...)
			it.guid = host
			h.poll(id, host, 1, it)
		}
		add := func(r feedonce.Route) (n int, to feedonce.DestinationID, err error) {
			err = h.s.Update(context.Background(), func(tx *store.Tx) (err error) {
				if to, err = tx.AddDestination(feedonce.Destination{Name: fmt.Sprintf("%+v", r), Kind: "file", State: feedonce.DestinationActive, Config: "{}", Route: r, Created: noon}); err != nil {
					return err
				}
				n, err = outbox.Backlog(tx, to, r, hours(2))
				return err
			})
			return n, to, err
		}
		latest := feedonce.Backlog{Latest: 1}
		if n, to, err := add(feedonce.Route{Backlog: latest}); err != nil || n != 1 {
			t.Errorf("a story is %d messages, %v", n, err)
		} else {
			h.want("the first of the story", to, "new 7 pending")
		}
		if n, _, err := add(feedonce.Route{Backlog: latest, Scope: feedonce.ScopeFeed}); err != nil || n != 3 {
			t.Errorf("in three feeds it is %d messages, %v", n, err)
		}

		host := "archive.example"
		h.poll(h.feed(host), host, 3, list(host, 1, 501, -1)...)
		n, _, err := add(feedonce.Route{Backlog: feedonce.Backlog{Since: hours(-100)}})
		var wrong *feedonce.InvalidError
		if !errors.As(err, &wrong) || wrong.Field != "backlog" || !strings.Contains(wrong.Reason, "at most 500") {
			t.Errorf("more than 500 articles: %d, %v", n, err)
		}
		h.view(func(tx *store.Tx) error {
			routes, err := tx.ActiveRoutes()
			if len(routes) != 2 {
				t.Errorf("%d destinations, want the two that were added", len(routes))
			}
			return err
		})
	})
}

// Whoever ingests a document first, and however often: one message.
func TestTwoWorkers(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		const host = "garden.example"
		id, n := h.begun(host, 2)
		to := h.dest("to", feedonce.Route{})
		for round := range 10 {
			body := rss(host, 100+round, list(host, n+round, n+round, 3+round))
			start := make(chan struct{})
			var workers sync.WaitGroup
			for range 2 {
				in := &ingest.Ingester{Store: h.s}
				workers.Go(func() {
					<-start
					if _, err := in.Document(context.Background(), ingest.Fetched{Feed: id, Body: body, URL: "https://" + host + "/feed", Received: hours(3 + round)}); err != nil {
						t.Error(err)
					}
				})
			}
			close(start)
			workers.Wait()
		}
		var want []string
		for round := range 10 {
			want = append(want, fmt.Sprintf("new %d pending", n+round))
		}
		h.want("ten articles", to, want...)
		if got, _ := h.changes(0); len(got) != n-1+10 {
			t.Errorf("the change log has %d lines of %d articles: %v", len(got), n-1+10, got)
		}
	})
}

// Telling costs nothing where nobody is told, and little where somebody is.
func TestStatements(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		const host = "garden.example"
		id, n := h.begun(host, 3)
		count := func(f func()) int64 {
			before := h.s.DB().Statements()
			f()
			return h.s.DB().Statements() - before
		}
		hour := 3
		poll := func(items ...item) func() {
			hour++
			return func() { h.poll(id, host, hour, items...) }
		}
		nobody := count(poll(news(host, n, 3)))
		h.dest("to", feedonce.Route{})
		one := count(poll(news(host, n+1, 4), news(host, n, 3)))
		for i := range 20 {
			h.dest(fmt.Sprint(i), feedonce.Route{Folders: []string{"Sport"}})
		}
		many := count(poll(news(host, n+2, 5), news(host, n+1, 4), news(host, n, 3)))
		t.Logf("statements of a document with a new article: %d where nobody is told, %d for one destination, %d where 20 others do not want it", nobody, one, many)
		if many != one {
			t.Errorf("%d statements for a destination, %d where there are 20 more that do not want it", one, many)
		}
		if more := one - nobody; more > 3 { // numbers, rows, and waking
			t.Errorf("telling a destination takes %d statements", more)
		}
		unchanged := storetest.Measure(t, h.s, poll(news(host, n+1, 4), news(host, n+2, 5), news(host, n, 3)))
		if unchanged.Total("deliveries", "changes", "destinations") != 0 {
			t.Errorf("another order of the same articles wrote %s", unchanged)
		}
	})
}

// Who has something to send is woken when it is due; who is paused, or has its messages held, is not.
func TestWake(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		const host = "garden.example"
		id, n := h.begun(host, 12)
		now := h.dest("now", feedonce.Route{})
		evening := h.dest("evening", feedonce.Route{Digest: &feedonce.Digest{Every: "day", At: "18:00"}})
		paused := h.dest("paused", feedonce.Route{})
		other := h.dest("other", feedonce.Route{Folders: []string{"Sport"}})
		h.update(func(tx *store.Tx) error { return tx.SetDestinationState(paused, feedonce.DestinationPaused, "", noon) })
		wakes := func(what string, id feedonce.DestinationID, want time.Time) {
			t.Helper()
			var wake *int64
			h.view(func(tx *store.Tx) error {
				return tx.QueryRow(`select wake_at from destinations where id = $1`, int64(id)).Scan(&wake)
			})
			if want.IsZero() && wake != nil || !want.IsZero() && (wake == nil || *wake != want.UnixMicro()) {
				t.Errorf("%s: woken at %v, want %v", what, wake, want)
			}
		}
		h.poll(id, host, 13, list(host, n, n+29, 13)...)
		for _, to := range []feedonce.DestinationID{now, evening, paused, other} {
			wakes("a flood is held", to, time.Time{})
		}
		h.poll(id, host, 14, append(list(host, 60, 60, 14), list(host, n, n+28, 13)...)...)
		wakes("now", now, hours(14))
		wakes("evening", evening, time.Date(2026, 3, 2, 18, 0, 0, 0, time.UTC))
		wakes("paused", paused, time.Time{})
		wakes("another folder", other, time.Time{})
		h.poll(id, host, 15, append(list(host, 60, 61, 14), list(host, n, n+27, 13)...)...)
		wakes("the first of two", now, hours(14))
		if got := h.deliveries(paused); len(got) != 32 || got[31].State != feedonce.DeliveryPending {
			t.Errorf("%d messages wait for who is paused, want 32", len(got))
		}
	})
}

// What people change is told as what it is.
func TestAmendments(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := context.Background()
		const host = "garden.example"
		to := h.dest("to", feedonce.Route{})
		id, n := h.begun(host, 3)
		h.sent(to)
		_, last := h.changes(0)
		logged := func(what string, want ...string) {
			t.Helper()
			var got []string
			if got, last = h.changes(last); strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("%s: the change log says %v, want %v", what, got, want)
			}
		}

		// A duplicate is split, and told.
		it := news(host, n, 4)
		h.poll(id, host, 4, it)
		again := it
		again.guid, again.link = "other", it.link+"?again"
		rep := h.poll(id, host, 5, again)
		if rep.Counts.Duplicate != 1 {
			t.Fatalf("%+v", rep.Counts)
		}
		var decision feedonce.Decision
		h.view(func(tx *store.Tx) error {
			all, err := tx.Decisions(store.DecisionFilter{Feed: id, Outcomes: []string{"duplicate"}})
			if err == nil {
				decision = all[0]
			}
			return err
		})
		told := []string{"new 2 sent", "new 3 sent", "new 4 pending"}
		h.want("new", to, told...)
		logged("new", "created 4.1")
		am, err := amend.Split(ctx, h.s, decision.ID, by(6))
		if err != nil {
			t.Fatal(err)
		}
		h.want("split", to, append(told, "new 4 pending")...)
		logged("split", fmt.Sprintf("split %d.1 of 4", am.B), "updated 4.1") // its link is what it was

		// The split is undone: what was not sent is not sent.
		if _, err := amend.Undo(ctx, h.s, am.ID, by(7)); err != nil {
			t.Fatal(err)
		}
		h.want("undone", to, append(told, "new 4 skipped")...)
		logged("undone", fmt.Sprintf("merged %d.1 of 4", am.B), "updated 4.1")

		// Two articles are merged: the one that is told already is enough; the other way round it is told as the one it became.
		h.poll(id, host, 8, news(host, 5, 8), again)
		m, err := amend.Merge(ctx, h.s, 4, 6, by(9))
		if err != nil {
			t.Fatal(err)
		}
		h.want("merged", to, "new 2 sent", "new 3 sent", "new 5 pending", "new 4 skipped", "new 5 skipped") // with the newer text
		logged("merged", "created 6.1", "merged 6.1 of 4", "updated 4.2")
		if _, err := amend.Undo(ctx, h.s, m.ID, by(10)); err != nil {
			t.Fatal(err)
		}
		h.want("undone", to, append(told, "new 4 skipped", "new 5 pending")...)
		logged("undone", "split 6.1 of 4", "updated 4.1")
		if m, err = amend.Merge(ctx, h.s, 1, 6, by(11)); err != nil { // 1 was there before, and not told
			t.Fatal(err)
		}
		h.want("merged into an old one", to, append(told, "new 4 skipped", "new 5 skipped", "new 5 pending")...)
		logged("merged into an old one", "merged 6.1 of 1", "updated 1.2")

		// The feed goes.
		if err := amend.RemoveFeeds(ctx, h.s, by(12), id); err != nil {
			t.Fatal(err)
		}
		for _, d := range h.deliveries(to) {
			if d.State != feedonce.DeliverySent && d.State != feedonce.DeliverySkipped {
				t.Errorf("the feed is gone, and this is %s: %+v", d.State, d)
			}
		}
		logged("removed", "withdrawn 1.2", "withdrawn 2.1", "withdrawn 3.1", "withdrawn 4.1")
		if err := amend.RemoveFeeds(ctx, h.s, by(12), id); !errors.Is(err, feedonce.ErrNotFound) {
			t.Errorf("removed again: %v", err)
		}
	})
}

// Where an update turns out to be another article, that is told as a new one, and the message about the update is not sent.
func TestSplitUpdateIsTold(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		const host = "garden.example"
		id, n := h.begun(host, 3)
		to := h.dest("to", feedonce.Route{Updates: true})
		it, rest := news(host, n, 4), list(host, 1, n-1, 0)
		h.poll(id, host, 4, append([]item{it}, rest...)...)
		h.sent(to)
		it.title, it.text, it.date = "Number 70: "+prose(500, 5), prose(501, 60), hours(12)
		if rep := h.poll(id, host, 12, append([]item{it}, rest...)...); rep.Counts.Updated != 1 {
			t.Fatalf("the guid again: %+v", rep.Counts)
		}
		h.want("taken for an update", to, "new 70 sent", "update 70 pending")
		var d []feedonce.Decision
		h.view(func(tx *store.Tx) (err error) {
			d, err = tx.Decisions(store.DecisionFilter{Feed: id, Outcomes: []string{"updated"}})
			return err
		})
		_, last := h.changes(0)
		am, err := amend.Split(context.Background(), h.s, d[0].ID, by(13))
		if err != nil {
			t.Fatal(err)
		}
		h.want("split", to, "new 4 sent", "update 4 skipped", "new 70 pending")
		want := fmt.Sprintf("split %d.1 of %d, updated %d.1", am.B, am.A, am.A)
		if got, _ := h.changes(last); strings.Join(got, ", ") != want {
			t.Errorf("the change log says %v, want %s", got, want)
		}
	})
}

// Held items that a person accepts are told, one by one or, where they were many, as one; the change of policy tells nobody.
func TestAcceptedItemsAreTold(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ctx := context.Background()
		const host = "garden.example"
		id, n := h.begun(host, 2)
		to := h.dest("to", feedonce.Route{})
		if _, err := amend.SetPolicy(ctx, h.s, id, dedup.Policy{MissingGUID: dedup.MissingQuarantine}, by(3)); err != nil {
			t.Fatal(err)
		}
		var items []item
		for _, it := range list(host, n, n+11, 4) {
			it.guid = ""
			items = append(items, it)
		}
		one := news(host, 50, 5)
		one.guid = ""
		h.poll(id, host, 4, items...)
		h.poll(id, host, 5, append([]item{one}, items...)...)
		h.want("held by policy", to)
		_, last := h.changes(0)
		var held []store.Held
		h.view(func(tx *store.Tx) (err error) {
			held, err = tx.HeldItems(store.HeldFilter{Feed: id, Limit: 100})
			return err
		})
		if len(held) != 13 {
			t.Fatalf("%d items are held", len(held))
		}
		if _, err := amend.Accept(ctx, h.s, held[0].Decision.ID, by(6)); err != nil {
			t.Fatal(err)
		}
		h.want("accepted", to, "new 50 pending")
		if _, err := amend.AcceptAlways(ctx, h.s, id, by(7)); err != nil {
			t.Fatal(err)
		}
		all := h.deliveries(to)
		if len(all) != 13 || all[1].Batch == 0 || all[12].Batch != all[1].Batch || all[12].State != feedonce.DeliveryPending {
			t.Errorf("twelve more accepted make %d messages: %+v", len(all)-1, all)
		}
		if got, _ := h.changes(last); len(got) != 13 || !strings.HasPrefix(got[0], "created ") {
			t.Errorf("the change log says %v", got)
		}
	})
}
