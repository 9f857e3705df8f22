package outbox_test

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
	"feedonce/internal/amend"
	"feedonce/internal/ingest"
	"feedonce/internal/outbox"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
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
	parts := strings.Fields("ba ko ri ta mu ne so li da vo pe gu fa hi zo ra ke nu")
	words := make([]string, n)
	for i := range words {
		words[i] = parts[r.IntN(len(parts))] + parts[r.IntN(len(parts))] + parts[r.IntN(len(parts))]
	}
	return strings.Join(words, " ")
}

// news is an ordinary article of a feed, published at an hour.
func news(feed string, n, hour int) item {
	seed := uint64(n) * 1000
	for _, r := range feed {
		seed = seed*31 + uint64(r)
	}
	return item{guid: fmt.Sprintf("%s-%d", feed, n), link: fmt.Sprintf("https://%s/%d-%s", feed, n, strings.ReplaceAll(prose(seed+1, 2), " ", "-")),
		title: fmt.Sprintf("Number %d: %s", n, prose(seed+2, 4)), text: prose(seed+3, 60), date: hours(hour)}
}

// list is articles from one number to another.
func list(feed string, from, to, hour int) (items []item) {
	for n := to; n >= from; n-- {
		items = append(items, news(feed, n, hour))
	}
	return items
}

func rss(feed string, edition int, items []item) []byte {
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
	fmt.Fprintf(&b, `<rss version="2.0"><channel><title>%s</title><link>https://%s/</link><description>Edition %d</description>`, feed, feed, edition)
	for _, it := range items {
		b.WriteString("<item>")
		field("title", it.title)
		field("link", it.link)
		if it.guid != "" {
			fmt.Fprintf(&b, `<guid isPermaLink="false">%s</guid>`, it.guid)
		}
		field("description", it.text)
		if !it.date.IsZero() {
			field("pubDate", it.date.Format(time.RFC1123Z))
		}
		b.WriteString("</item>")
	}
	b.WriteString("</channel></rss>")
	return b.Bytes()
}

// A house is a database with what is needed to put documents into it.
type house struct {
	t  *testing.T
	s  *store.Store
	in *ingest.Ingester
}

func each(t *testing.T, f func(*testing.T, *house)) {
	storetest.Each(t, func(t *testing.T, s *store.Store) { f(t, &house{t: t, s: s, in: &ingest.Ingester{Store: s}}) })
}

func (h *house) update(f func(*store.Tx) error) {
	h.t.Helper()
	if err := h.s.Update(context.Background(), f); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) view(f func(*store.Tx) error) {
	h.t.Helper()
	if err := h.s.View(context.Background(), f); err != nil {
		h.t.Fatal(err)
	}
}

// feed adds a feed at a host.
func (h *house) feed(host string) feedonce.FeedID {
	h.t.Helper()
	var f feedonce.Feed
	h.update(func(tx *store.Tx) (err error) {
		f, err = tx.AddFeed(store.NewFeed{URL: "https://" + host + "/feed", Folder: "News", Added: noon})
		return err
	})
	return f.ID
}

// begun adds a feed that had one article an hour for some hours, so that one is usual, and returns the next number.
func (h *house) begun(host string, hours int) (feedonce.FeedID, int) {
	h.t.Helper()
	id := h.feed(host)
	for i := range hours {
		h.poll(id, host, i, list(host, max(1, i-5), i+1, i)...)
	}
	return id, hours + 1
}

// poll ingests a document of a feed.
func (h *house) poll(id feedonce.FeedID, host string, hour int, items ...item) ingest.Report {
	h.t.Helper()
	rep, err := h.in.Document(context.Background(), ingest.Fetched{Feed: id, Body: rss(host, hour, items), URL: "https://" + host + "/feed", Received: hours(hour)})
	if err != nil {
		h.t.Fatal(err)
	}
	return rep
}

// dest adds a destination.
func (h *house) dest(name string, r feedonce.Route) feedonce.DestinationID {
	h.t.Helper()
	if err := outbox.Validate(r); err != nil {
		h.t.Fatal(err)
	}
	var id feedonce.DestinationID
	h.update(func(tx *store.Tx) (err error) {
		id, err = tx.AddDestination(feedonce.Destination{Name: name, Kind: "file", State: feedonce.DestinationActive, Config: "{}", Route: r, Created: noon})
		return err
	})
	return id
}

// deliveries returns what a destination was or is to be told, oldest first, with titles.
func (h *house) deliveries(id feedonce.DestinationID) []feedonce.Delivery {
	h.t.Helper()
	var all []feedonce.Delivery
	h.view(func(tx *store.Tx) error {
		latest, err := tx.Deliveries(store.DeliveryFilter{Destination: id, Limit: 10000})
		all = nil
		for i := len(latest) - 1; i >= 0; i-- {
			d := latest[i]
			if d.Entry != 0 && d.Title == "" {
				if e, err := tx.Entry(d.Entry); err == nil {
					d.Title = e.Title
				}
			}
			all = append(all, d)
		}
		return err
	})
	return all
}

// want fails unless a destination has these deliveries, oldest first: "new 3 pending" is about article number 3.
func (h *house) want(what string, id feedonce.DestinationID, want ...string) []feedonce.Delivery {
	h.t.Helper()
	all := h.deliveries(id)
	var got []string
	for _, d := range all {
		number, _, _ := strings.Cut(strings.TrimPrefix(d.Title, "Number "), ":")
		if d.Kind == feedonce.DeliverNotice {
			number = "notice"
		}
		got = append(got, fmt.Sprintf("%s %s %s", d.Kind, number, d.State))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		h.t.Errorf("%s: deliveries are\n  %s\nwant\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
	return all
}

// sent makes all that a destination waits for sent.
func (h *house) sent(id feedonce.DestinationID) {
	h.t.Helper()
	var ids []feedonce.DeliveryID
	for _, d := range h.deliveries(id) {
		if d.State == feedonce.DeliveryPending {
			ids = append(ids, d.ID)
		}
	}
	h.update(func(tx *store.Tx) error {
		n, err := tx.SetDeliveries(ids, []feedonce.DeliveryState{feedonce.DeliveryPending}, feedonce.DeliverySent, hours(0), "")
		if err == nil && n != int64(len(ids)) {
			err = fmt.Errorf("%d of %d deliveries were sent", n, len(ids))
		}
		return err
	})
}

// changes returns the change log after a number, as "created 3", and the last number.
func (h *house) changes(after int64) (all []string, last int64) {
	h.t.Helper()
	h.view(func(tx *store.Tx) error {
		changes, err := tx.Changes(after, 10000)
		all, last = nil, after
		for _, c := range changes {
			s := fmt.Sprintf("%s %d.%d", strings.TrimPrefix(string(c.Kind), "article."), c.Entry, c.Revision)
			if c.Other != 0 {
				s += fmt.Sprintf(" of %d", c.Other)
			}
			if c.Seq <= last {
				h.t.Errorf("change %d comes after %d", c.Seq, last)
			}
			all, last = append(all, s), c.Seq
		}
		return err
	})
	return all, last
}
