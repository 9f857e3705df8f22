package amend_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/amend"
	"feedonce/internal/ingest"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// kinds are feeds that identify their items in several ways: two documents each, the second with more.
var kinds = map[string]func() (first, second []item){
	"guids": func() ([]item, []item) {
		return articles(8, nil), articles(10, nil)
	},
	"no guids": func() ([]item, []item) {
		no := func(it *item, _ int) { it.guid = "" }
		return articles(8, no), articles(10, no)
	},
	"titles and dates only": func() ([]item, []item) {
		no := func(it *item, _ int) { it.guid, it.link, it.text = "", "", "" }
		return articles(8, no), articles(10, no)
	},
	"titles only": func() ([]item, []item) {
		no := func(it *item, _ int) { it.guid, it.link, it.date = "", "", time.Time{} }
		return articles(8, no), articles(10, no)
	},
	"one guid for all": func() ([]item, []item) {
		all := func(it *item, _ int) { it.guid = "the-feed" }
		return articles(8, all), articles(10, all)
	},
	"one link for all": func() ([]item, []item) {
		all := func(it *item, _ int) { it.link = "https://news.example.org/live" }
		return articles(8, all), articles(10, all)
	},
	"one link for all, no guids": func() ([]item, []item) {
		all := func(it *item, _ int) { it.guid, it.link = "", "https://news.example.org/" }
		return articles(8, all), articles(10, all)
	},
	"no dates": func() ([]item, []item) {
		no := func(it *item, _ int) { it.date = time.Time{} }
		return articles(8, no), articles(10, no)
	},
	"days for dates": func() ([]item, []item) {
		day := func(it *item, n int) { it.guid, it.date = "", noon.Truncate(24*time.Hour).AddDate(0, 0, -n/3) }
		return articles(8, day), articles(10, day)
	},
	"one title for all": func() ([]item, []item) {
		all := func(it *item, _ int) { it.title = "Notes" }
		return articles(8, all), articles(10, all)
	},
	"new guids for old articles": func() ([]item, []item) {
		again := func(it *item, n int) { it.guid = fmt.Sprintf("again-%d", n) }
		return articles(8, nil), articles(8, again)
	},
	"moved to new addresses": func() ([]item, []item) {
		moved := func(it *item, n int) {
			it.guid, it.link = fmt.Sprintf("again-%d", n), fmt.Sprintf("https://moved.example.org/p/%d", n)
		}
		return articles(8, nil), articles(8, moved)
	},
}

func articles(n int, change func(*item, int)) []item {
	var items []item
	for i := n; i > 0; i-- {
		it := news(i)
		it.date = hours(-200 + i)
		if change != nil {
			change(&it, i)
		}
		items = append(items, it)
	}
	return items
}

// Whatever the feed and the policies: after a change the next documents bring nothing new, and the first article that is
// new is.
func TestPolicyChangeBringsNothingNew(t *testing.T) {
	identities := []dedup.Identity{"", dedup.IdentityGUID, dedup.IdentityLink, dedup.IdentityTitleDate}
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		n := 0
		for kind, documents := range kinds {
			for _, from := range identities {
				for _, to := range identities {
					if from == to {
						continue
					}
					n++
					what := fmt.Sprintf("%s, %q to %q", kind, from, to)
					feed := r.feed(fmt.Sprintf("https://news.example.org/feed/%d", n))
					first, second := documents()
					r.policy(feed, 0, dedup.Policy{Identity: from})
					r.poll(feed, 1, first...)
					r.poll(feed, 2, second...)
					r.poll(feed, 3, second...)
					r.policy(feed, 4, dedup.Policy{Identity: to})
					for hour, items := range [][]item{second, second[2:], second} {
						rep := r.poll(feed, 5+hour, items...)
						if rep.Counts.New != 0 || rep.Counts.Total() != int64(len(items)) || rep.Counts.Updated != 0 {
							t.Errorf("%s, document %d: %+v\n%s", what, hour+1, rep.Counts, explain(rep))
						}
					}
					fresh := second[0]
					other := news(77)
					for _, f := range []struct{ have, give *string }{{&fresh.guid, &other.guid}, {&fresh.link, &other.link}, {&fresh.text, &other.text}} {
						if *f.have != "" && *f.have != "the-feed" && *f.have != "https://news.example.org/live" && *f.have != "https://news.example.org/" {
							*f.have = *f.give
						}
					}
					if fresh.title != "Notes" {
						fresh.title = other.title
					}
					if !fresh.date.IsZero() {
						fresh.date = hours(7).Add(time.Minute)
					}
					rep := r.poll(feed, 8, append([]item{fresh}, second...)...)
					if rep.Counts.New != 1 {
						t.Errorf("%s: an article that is new: %+v\n%s", what, rep.Counts, explain(rep))
					}
				}
			}
		}
	})
}

func TestPolicyChangeWhileDocumentsCome(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		feed := r.feed("https://news.example.org/feed")
		items := articles(12, nil)
		r.poll(feed, 0, items[6:]...)
		var wg sync.WaitGroup
		policies := []dedup.Identity{dedup.IdentityLink, dedup.IdentityTitleDate, dedup.IdentityGUID, ""}
		wg.Go(func() {
			for i := range 12 {
				if _, err := amend.SetPolicy(context.Background(), s, feed, dedup.Policy{Identity: policies[i%4]}, by(i)); err != nil {
					t.Errorf("set policy: %v", err)
				}
			}
		})
		for worker := range 2 {
			wg.Go(func() {
				in := &ingest.Ingester{Store: s}
				for i := range 12 {
					first := max(0, 6-i)
					_, err := in.Document(context.Background(), ingest.Fetched{Feed: feed, Body: rss(fmt.Sprint(worker, i), items[first:]...), Received: hours(1 + i)})
					if err != nil {
						t.Errorf("document: %v", err)
					}
				}
			})
		}
		wg.Wait()
		r.same(feed, 30, "when all is quiet", items...)
		if n := len(r.decisions(feed, "new")); n != len(items) {
			t.Errorf("%d articles are new, want %d", n, len(items))
		}
	})
}

func TestPolicyIsChecked(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		feed := r.feed("https://news.example.org/feed")
		r.poll(feed, 0, news(1))
		before := storetest.Rows(t, s)
		var wrong *feedonce.InvalidError
		if _, err := amend.SetPolicy(context.Background(), s, feed, dedup.Policy{Identity: "moon"}, by(1)); !errors.As(err, &wrong) || wrong.Field != "policy" {
			t.Errorf("a policy that does not exist: %v", err)
		}
		if _, err := amend.SetPolicy(context.Background(), s, 999, dedup.Policy{}, by(1)); !errors.Is(err, feedonce.ErrNotFound) {
			t.Errorf("a feed that does not exist: %v", err)
		}
		if k := r.policy(feed, 1, dedup.Policy{}); k != (amend.Rekeyed{}) {
			t.Errorf("the same policy: %+v", k)
		}
		if diff := cmp.Diff(before, storetest.Rows(t, s)); diff != "" {
			t.Errorf("rows (-before +after):\n%s", diff)
		}
		for text, ok := range map[string]bool{
			"": true, "{}": true, `{"identity":"link"}`: true, `{"identity":"moon"}`: false, `{"colour":"red"}`: false, "{": false, `{} {}`: false, "[]": false,
		} {
			if _, err := amend.ParsePolicy(text); (err == nil) != ok || err != nil && !errors.As(err, &wrong) {
				t.Errorf("policy %s: %v", text, err)
			}
		}
	})
}

// The next document is judged although not a byte of it differs, as the policy may say otherwise.
func TestPolicyChangeJudgesTheSameBytes(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newReader(t, s)
		feed := r.feed("https://news.example.org/feed")
		r.policy(feed, 0, dedup.Policy{MissingGUID: dedup.MissingReject})
		it := news(1)
		it.guid = ""
		f := ingest.Fetched{Feed: feed, Body: rss("1", it, news(2)), Received: hours(1), ETag: `"1"`}
		rep := must(r.in.Document(context.Background(), f))(t)
		if rep.Counts != (feedonce.Counts{New: 1, Invalid: 1}) {
			t.Fatalf("refused: %+v", rep.Counts)
		}
		r.policy(feed, 2, dedup.Policy{})
		f.Received = hours(3)
		rep = must(r.in.Document(context.Background(), f))(t)
		if rep.Counts != (feedonce.Counts{New: 1, Unchanged: 1}) {
			t.Errorf("and then: %+v\n%s", rep.Counts, explain(rep))
		}
	})
}
