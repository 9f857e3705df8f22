package amend_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/amend"
	"feedonce/internal/ingest"
	"feedonce/internal/store"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func hours(n int) time.Time { return noon.Add(time.Duration(n) * time.Hour) }

func by(n int) amend.By { return amend.By{Who: "Ada", At: hours(n)} }

// An item is an RSS item; what is empty is left out.
type item struct {
	guid, link, title, text string
	date                    time.Time
}

// prose returns n words that depend on seed.
func prose(seed uint64, n int) string {
	r := rand.New(rand.NewPCG(seed, 7))
	const syllables = "ba ko ri ta mu ne so li da vo pe gu fa hi zo ra ke nu"
	parts := strings.Fields(syllables)
	words := make([]string, n)
	for i := range words {
		words[i] = parts[r.IntN(len(parts))] + parts[r.IntN(len(parts))] + parts[r.IntN(len(parts))]
	}
	return strings.Join(words, " ")
}

// news is an ordinary article.
func news(n int) item {
	return item{guid: fmt.Sprintf("post-%d", n), link: fmt.Sprintf("https://news.example.org/%d-%s", 1000+n, strings.ReplaceAll(prose(uint64(n)+50, 3), " ", "-")),
		title: "The " + prose(uint64(n)+900, 4), text: prose(uint64(n), 60), date: hours(-n)}
}

func rss(edition string, items ...item) []byte {
	var b bytes.Buffer
	field := func(name, value string) {
		if value != "" {
			b.WriteString("<" + name + ">")
			if err := xml.EscapeText(&b, []byte(value)); err != nil {
				panic(err)
			}
			b.WriteString("</" + name + ">")
		}
	}
	b.WriteString(`<rss version="2.0"><channel><title>News</title>`)
	field("lastBuildDate", edition)
	for _, it := range items {
		b.WriteString("<item>")
		if it.guid != "" {
			b.WriteString(`<guid isPermaLink="false">`)
			if err := xml.EscapeText(&b, []byte(it.guid)); err != nil {
				panic(err)
			}
			b.WriteString(`</guid>`)
		}
		field("link", it.link)
		field("title", it.title)
		field("description", it.text)
		if !it.date.IsZero() {
			field("pubDate", it.date.Format(time.RFC1123Z))
		}
		b.WriteString("</item>")
	}
	b.WriteString("</channel></rss>")
	return b.Bytes()
}

// A reader polls feeds.
type reader struct {
	t       *testing.T
	s       *store.Store
	in      *ingest.Ingester
	edition int
}

func newReader(t *testing.T, s *store.Store) *reader {
	return &reader{t: t, s: s, in: &ingest.Ingester{Store: s}}
}

func (r *reader) feed(url string) feedonce.FeedID {
	r.t.Helper()
	var f feedonce.Feed
	r.update(func(tx *store.Tx) (err error) {
		f, err = tx.AddFeed(store.NewFeed{URL: url, Added: noon})
		return err
	})
	return f.ID
}

// poll ingests a document, never byte for byte the one before.
func (r *reader) poll(feed feedonce.FeedID, hour int, items ...item) ingest.Report {
	r.t.Helper()
	r.edition++
	rep, err := r.in.Document(context.Background(), ingest.Fetched{Feed: feed, Body: rss(fmt.Sprint(r.edition), items...), Received: hours(hour)})
	if err != nil {
		r.t.Fatalf("poll: %v", err)
	}
	return rep
}

// same polls a document and fails unless every item is unchanged, whatever the order.
func (r *reader) same(feed feedonce.FeedID, hour int, what string, items ...item) {
	r.t.Helper()
	for _, order := range []string{"the same order", "reversed"} {
		rep := r.poll(feed, hour, items...)
		if rep.Counts != (feedonce.Counts{Unchanged: int64(len(items))}) {
			r.t.Errorf("%s, %s: %+v, want all %d unchanged\n%s", what, order, rep.Counts, len(items), explain(rep))
		}
		items = append([]item{}, items...)
		for i, j := 0, len(items)-1; i < j; i, j = i+1, j-1 {
			items[i], items[j] = items[j], items[i]
		}
	}
}

// explain lists decisions that are not unchanged.
func explain(rep ingest.Report) string {
	var b strings.Builder
	if rep.Result == nil {
		return "the bytes were those of last time"
	}
	for _, d := range rep.Result.Decisions {
		if d.Outcome != dedup.Unchanged {
			fmt.Fprintf(&b, "item %d: %s %s entry %d tell %v %s %+v\n", d.Item, d.Outcome, d.Rule, d.Entry, d.Tell, d.Quiet, d.Evidence)
		}
	}
	return b.String()
}

func (r *reader) update(f func(*store.Tx) error) {
	r.t.Helper()
	if err := r.s.Update(context.Background(), f); err != nil {
		r.t.Fatal(err)
	}
}

func (r *reader) view(f func(*store.Tx) error) {
	r.t.Helper()
	if err := r.s.View(context.Background(), f); err != nil {
		r.t.Fatal(err)
	}
}

func (r *reader) policy(feed feedonce.FeedID, hour int, p dedup.Policy) amend.Rekeyed {
	r.t.Helper()
	k, err := amend.SetPolicy(context.Background(), r.s, feed, p, by(hour))
	if err != nil {
		r.t.Fatalf("set policy: %v", err)
	}
	return k
}

func (r *reader) entry(id feedonce.EntryID) (e feedonce.Entry) {
	r.t.Helper()
	r.view(func(tx *store.Tx) (err error) {
		e, err = tx.Entry(id)
		return err
	})
	return e
}

// decisions returns the decisions of a feed with one of the outcomes, latest first.
func (r *reader) decisions(feed feedonce.FeedID, outcomes ...string) (all []feedonce.Decision) {
	r.t.Helper()
	r.view(func(tx *store.Tx) (err error) {
		all, err = tx.Decisions(store.DecisionFilter{Feed: feed, Outcomes: outcomes})
		return err
	})
	return all
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
