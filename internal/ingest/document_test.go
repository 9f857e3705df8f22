package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/format"
	"feedonce/internal/sqldb"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

var noon = time.Date(2024, 5, 6, 12, 0, 0, 0, time.UTC)

// atom renders a document of numbered articles.
func atom(edition string, numbers ...int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<feed xmlns="http://www.w3.org/2005/Atom"><title>Garden</title><id>urn:garden</id><subtitle>Edition %s</subtitle>`, edition)
	for _, n := range numbers {
		fmt.Fprintf(&b, `<entry><id>urn:bed:%d</id><title>Bed number %d was dug over</title><link href="https://garden.example/%d"/>`+
			`<updated>2024-05-0%dT10:00:00Z</updated><category term="beds"/><content>Spade %d, rake %d and a little patience.</content></entry>`,
			n, n, n, 1+n%5, n, n*31)
	}
	b.WriteString(`</feed>`)
	return b.Bytes()
}

func newFeed(t *testing.T, s *store.Store) feedonce.FeedID {
	t.Helper()
	var f feedonce.Feed
	err := s.Update(context.Background(), func(tx *store.Tx) (err error) {
		f, err = tx.AddFeed(store.NewFeed{URL: "https://garden.example/feed", Added: noon})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return f.ID
}

func fetched(id feedonce.FeedID, body []byte, etag string) Fetched {
	return Fetched{Feed: id, Body: body, URL: "https://garden.example/feed", ETag: etag, Received: noon}
}

func ingest(t *testing.T, in *Ingester, f Fetched) Report {
	t.Helper()
	rep, err := in.Document(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func feedDoc(t *testing.T, s *store.Store, id feedonce.FeedID) (f feedonce.Feed, d store.FeedDoc) {
	t.Helper()
	err := s.View(context.Background(), func(tx *store.Tx) (err error) {
		if f, err = tx.Feed(id); err == nil {
			d, err = tx.FeedDoc(id)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return f, d
}

func TestReport(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		var lines bytes.Buffer
		in := &Ingester{Store: s, Log: slog.New(slog.NewTextHandler(&lines, nil))}
		id := newFeed(t, s)
		rep := ingest(t, in, fetched(id, atom("1", 1, 2, 3), `"1"`))
		if rep.Unchanged || !rep.Stored || rep.Items != 3 || rep.Counts != (feedonce.Counts{New: 3}) || len(rep.New) != 3 || rep.Document.Title != "Garden" {
			t.Errorf("first document: %+v", rep)
		}
		err := s.View(context.Background(), func(tx *store.Tx) error {
			for i, entry := range rep.New {
				e, err := tx.Entry(entry)
				if err != nil {
					return err
				}
				want := fmt.Sprintf("Bed number %d was dug over", i+1)
				if e.Title != want || !cmp.Equal(e.Categories, []string{"beds"}) || e.Content == "" {
					t.Errorf("New[%d] is %+v, want %q", i, e, want)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(lines.String(), "outcome=new"); n != 3 || !strings.Contains(lines.String(), "guid=urn:bed:2") {
			t.Errorf("the log has %d lines of new articles:\n%s", n, lines.String())
		}
		lines.Reset()

		rep = ingest(t, in, fetched(id, atom("1", 1, 2, 3), `"1"`))
		if !rep.Unchanged || !rep.SameBytes || rep.Stored || rep.Items != 3 || rep.Counts != (feedonce.Counts{Unchanged: 3}) || rep.Document != nil {
			t.Errorf("the same bytes: %+v", rep)
		}
		// Another process, that never saw the document, counts them from the state.
		rep = ingest(t, &Ingester{Store: s}, fetched(id, atom("1", 1, 2, 3), `"1"`))
		if !rep.SameBytes || rep.Items != 3 || rep.Counts != (feedonce.Counts{Unchanged: 3}) {
			t.Errorf("the same bytes elsewhere: %+v", rep)
		}
		rep = ingest(t, in, fetched(id, atom("2", 3, 2, 1), ""))
		if !rep.Unchanged || rep.SameBytes || rep.Items != 3 || rep.Counts != (feedonce.Counts{Unchanged: 3}) || rep.Document == nil {
			t.Errorf("another order: %+v", rep)
		}
		if lines.Len() > 0 {
			t.Errorf("the log tells of what is unchanged:\n%s", lines.String())
		}
	})
}

// All or nothing: when the transaction fails at its very end, neither articles nor validators are there, and the next
// try brings everything.
func TestValidatorsNeverRunAheadOfData(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		in := &Ingester{Store: s}
		id := newFeed(t, s)
		ingest(t, in, fetched(id, atom("1", 1), `"1"`))
		before := storetest.Rows(t, s)
		_, doc := feedDoc(t, s, id)

		f := fetched(id, atom("2", 1, 2), `"2"`)
		full := errors.New("the disk is full")
		f.Also = func(_ *store.Tx, rep Report) error {
			if len(rep.New) != 1 || rep.New[0] <= 0 {
				t.Errorf("Also was told of %v", rep.New)
			}
			return full
		}
		if _, err := in.Document(context.Background(), f); !errors.Is(err, full) {
			t.Fatalf("got %v", err)
		}
		if diff := cmp.Diff(before, storetest.Rows(t, s)); diff != "" {
			t.Errorf("rows after the failure (-want +got):\n%s", diff)
		}
		if _, got := feedDoc(t, s, id); !cmp.Equal(doc, got) {
			t.Errorf("document after the failure (-want +got):\n%s", cmp.Diff(doc, got))
		}
		f.Also = nil
		if rep := ingest(t, in, f); rep.Counts != (feedonce.Counts{New: 1, Unchanged: 1}) {
			t.Errorf("the next try: %+v", rep.Counts)
		}
		if _, got := feedDoc(t, s, id); got.ETag != `"2"` {
			t.Errorf("ETag is %s", got.ETag)
		}
	})
}

func TestDocumentsThatAreCutOff(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		in := &Ingester{Store: s}
		id := newFeed(t, s)
		ingest(t, in, fetched(id, atom("1", 1, 2), `"1"`))
		// It can be read to its end, but the transport says that more was to come.
		f := fetched(id, atom("2", 1, 2, 3), `"2"`)
		f.Truncated = true
		rep := ingest(t, in, f)
		feed, doc := feedDoc(t, s, id)
		if rep.Counts != (feedonce.Counts{New: 1, Unchanged: 2}) || feed.Warning != "the document came only in part" || doc.ETag != "" || doc.BodyHash != nil {
			t.Errorf("%+v, warning %q, ETag %q, hash %x", rep.Counts, feed.Warning, doc.ETag, doc.BodyHash)
		}
		// Also where every article is known already.
		if rep := ingest(t, in, f); !rep.Unchanged || rep.SameBytes {
			t.Errorf("once more: %+v", rep)
		}
		if _, doc := feedDoc(t, s, id); doc.ETag != "" || doc.BodyHash != nil {
			t.Errorf("once more: ETag %q, hash %x", doc.ETag, doc.BodyHash)
		}
		f.Truncated = false
		ingest(t, in, f)
		if feed, doc := feedDoc(t, s, id); feed.Warning != "" || doc.ETag != `"2"` || doc.BodyHash == nil {
			t.Errorf("whole: warning %q, ETag %q, hash %x", feed.Warning, doc.ETag, doc.BodyHash)
		}
	})
}

// What cannot be read of what is remembered costs a warning, not the feed.
func TestDamagedStateAndPolicy(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		in := &Ingester{Store: s}
		id := newFeed(t, s)
		ingest(t, in, fetched(id, atom("1", 1, 2), ""))
		damage := func(statement string, value any) {
			t.Helper()
			var n int64
			err := s.DB().Update(context.Background(), func(tx *sqldb.Tx) (err error) {
				n, err = tx.Exec(statement, id, value)
				return err
			})
			if err != nil || n != 1 {
				t.Fatalf("%s: changed %d rows: %v", statement, n, err)
			}
		}
		damage(`update feed_states set state = $2 where feed_id = $1`, []byte(`{"version":999}`))
		rep := ingest(t, in, fetched(id, atom("2", 1, 2, 3), ""))
		feed, _ := feedDoc(t, s, id)
		if rep.Counts != (feedonce.Counts{New: 1, Unchanged: 2}) || !strings.Contains(feed.Warning, "judged without") {
			t.Errorf("damaged state: %+v, warning %q", rep.Counts, feed.Warning)
		}
		rep = ingest(t, in, fetched(id, atom("3", 1, 2, 3), ""))
		if feed, _ := feedDoc(t, s, id); rep.Counts != (feedonce.Counts{Unchanged: 3}) || feed.Warning != "" {
			t.Errorf("and the next document: %+v, warning %q", rep.Counts, feed.Warning)
		}

		damage(`update feeds set policy = $2 where id = $1`, `{"identity":7}`)
		rep = ingest(t, in, fetched(id, atom("4", 1, 2, 3, 4), ""))
		if feed, _ := feedDoc(t, s, id); rep.Counts != (feedonce.Counts{New: 1, Unchanged: 3}) || !strings.Contains(feed.Warning, "the default policy is used") {
			t.Errorf("damaged policy: %+v, warning %q", rep.Counts, feed.Warning)
		}
	})
}

func TestNewFeedURLIsNoted(t *testing.T) {
	s := storetest.Open(t, storetest.SQLite(t))
	in := &Ingester{Store: s}
	id := newFeed(t, s)
	for to, noted := range map[string]bool{
		"https://elsewhere.example/feed": true, "http://garden.example/feed/": false, "": false,
	} {
		body := fmt.Sprintf(`<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>Garden</title>
			<itunes:new-feed-url>%s</itunes:new-feed-url><item><guid>1</guid><title>Spring</title></item></channel></rss>`, to)
		ingest(t, in, fetched(id, []byte(body), ""))
		feed, _ := feedDoc(t, s, id)
		if (feed.Warning != "") != noted || noted && !strings.Contains(feed.Warning, "moved to "+to) || feed.URL != "https://garden.example/feed" {
			t.Errorf("new-feed-url %q: polled at %s, warning %q, want it noted: %v", to, feed.URL, feed.Warning, noted)
		}
	}
}

// A document that was made here is taken as it is; its bytes only say whether it is the last one again.
func TestParsed(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		in := &Ingester{Store: s}
		id := newFeed(t, s)
		doc := &format.Document{Title: "Garden", Items: []format.Item{{GUID: "urn:bed:1", Title: "Bed number 1 was dug over"}}}
		f := fetched(id, []byte("no feed"), "")
		f.Parsed = doc
		if rep := ingest(t, in, f); rep.Counts != (feedonce.Counts{New: 1}) || rep.Document != doc {
			t.Errorf("first: %+v", rep)
		}
		if rep := ingest(t, in, f); !rep.SameBytes || rep.Items != 1 {
			t.Errorf("the same bytes: %+v", rep)
		}
		f.Body = []byte("no feed, either")
		if rep := ingest(t, in, f); rep.SameBytes || rep.Counts != (feedonce.Counts{Unchanged: 1}) {
			t.Errorf("other bytes: %+v", rep)
		}
	})
}

func TestNoFeedNoDocument(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		in := &Ingester{Store: s}
		if _, err := in.Document(context.Background(), fetched(99, atom("1", 1), "")); !errors.Is(err, feedonce.ErrNotFound) {
			t.Errorf("a feed that is not there: %v", err)
		}
		id := newFeed(t, s)
		var not *format.NotFeedError
		if _, err := in.Document(context.Background(), fetched(id, []byte("<html><title>Shed</title></html>"), "")); !errors.As(err, &not) || !not.HTML {
			t.Errorf("a page: %v", err)
		}
		if n := storetest.Rows(t, s)["decisions"]; n != 0 {
			t.Errorf("%d decisions", n)
		}
	})
}

// Another worker stores a document between decision and transaction, once, and then every time.
func TestConflicts(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		id := newFeed(t, s)
		rival := &Ingester{Store: s}
		ingest(t, rival, fetched(id, atom("1", 1), ""))

		conflicts := 0
		in := &Ingester{Store: s, Conflict: func(feedonce.FeedID) { conflicts++ }, After: func(time.Duration) <-chan time.Time { return time.After(0) }}
		f := fetched(id, atom("2", 1, 2, 3), `"2"`)
		claim, err := in.claim(context.Background(), id)
		if err != nil {
			t.Fatal(err)
		}
		f.Claim = claim
		d := &decider{in: in, f: f, hash: in.BodyHash(f)}
		if err := d.parse(); err != nil {
			t.Fatal(err)
		}
		var v verdict
		if err := s.View(context.Background(), func(tx *store.Tx) (err error) { v, err = d.decide(tx); return err }); err != nil {
			t.Fatal(err)
		}
		ingest(t, rival, fetched(id, atom("rival", 1, 2), ""))
		err = s.Update(context.Background(), func(tx *store.Tx) error { return d.store(tx, &v) })
		if !errors.Is(err, feedonce.ErrConflict) {
			t.Fatalf("storing what was decided on an older document: %v", err)
		}
		// The whole of it decides again, and stores what the other did not.
		if rep := ingest(t, in, f); rep.Counts != (feedonce.Counts{New: 1, Unchanged: 2}) {
			t.Errorf("%+v", rep.Counts)
		}

		// Somebody who is faster every time.
		f = fetched(id, atom("3", 1, 2, 3, 4), "")
		f.Also = func(*store.Tx, Report) error { return feedonce.ErrConflict }
		_, err = in.Document(context.Background(), f)
		if !errors.Is(err, feedonce.ErrConflict) || conflicts != maxTries {
			t.Errorf("after %d conflicts: %v", conflicts, err)
		}
		ended, end := context.WithCancel(context.Background())
		end()
		in.After = func(time.Duration) <-chan time.Time { return nil }
		if _, err := in.Document(ended, f); !errors.Is(err, context.Canceled) {
			t.Errorf("with an ended context: %v", err)
		}
	})
}

func TestFence(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		in := &Ingester{Store: s}
		id := newFeed(t, s)
		claim := func(at time.Time) store.Claim {
			var c []store.Claim
			err := s.Update(context.Background(), func(tx *store.Tx) (err error) {
				c, err = tx.Claim(at, 1, time.Minute)
				return err
			})
			if err != nil || len(c) != 1 {
				t.Fatalf("claimed %v, %v", c, err)
			}
			return c[0]
		}
		old := claim(noon)
		claim(noon.Add(24 * time.Hour))
		f := fetched(id, atom("1", 1), "")
		f.Fence, f.Claim = old.Fence, &old
		if _, err := in.Document(context.Background(), f); !errors.Is(err, feedonce.ErrFenced) {
			t.Errorf("got %v", err)
		}
		if n := storetest.Rows(t, s)["entries"]; n != 0 {
			t.Errorf("%d entries", n)
		}
	})
}

func TestSameWarning(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"", "", true}, {"", "cut off", false}, {"cut off", "moved", false},
		{"line 12: no end", "line 9: no end", true},
		{"a date cannot be read: “12 o'clock”", "a date cannot be read: “noon”", true},
		{"a date cannot be read: “noon”", "a date cannot be read: “noon”; cut off", false},
		{"opened “ and", "opened “ or", true}, // cut in the middle of a quotation
	} {
		if got := sameWarning(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
	}
}

func TestBodyHash(t *testing.T) {
	in := &Ingester{}
	base := Fetched{Body: []byte("ab"), ContentType: "c", URL: "d"}
	seen := map[string]string{}
	for name, f := range map[string]Fetched{
		"base": base, "body": {Body: []byte("ac"), ContentType: "c", URL: "d"},
		"type": {Body: []byte("ab"), ContentType: "x", URL: "d"}, "url": {Body: []byte("ab"), ContentType: "c", URL: "x"},
		"moved on": {Body: []byte("b"), ContentType: "c", URL: "da"}, "moved back": {Body: []byte("ab"), ContentType: "cd"},
	} {
		h := string(in.BodyHash(f))
		if other, ok := seen[h]; ok || len(h) != 16 {
			t.Errorf("%s has the hash of %s, or one of %d bytes", name, other, len(h))
		}
		seen[h] = name
	}
	base.ETag, base.Fence, base.Received = `"1"`, 7, noon
	if seen[string(in.BodyHash(base))] != "base" {
		t.Error("the hash depends on more than what is read")
	}
	if seen[string((&Ingester{MaxItems: 3}).BodyHash(base))] != "" {
		t.Error("the hash does not depend on the limit of items")
	}
}

func TestRecentStaysBounded(t *testing.T) {
	var r recent
	for i := range maxRecent + 10 {
		r.document(feedonce.FeedID(i), []byte{1}, i)
	}
	if n := len(r.feeds); n > maxRecent {
		t.Errorf("%d feeds are remembered", n)
	}
	if n, ok := r.items(feedonce.FeedID(maxRecent+9), []byte{1}); !ok || n != maxRecent+9 {
		t.Errorf("the last one is %d, %v", n, ok)
	}
}
