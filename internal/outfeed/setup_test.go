package outfeed_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"feedonce"
	"feedonce/internal/ingest"
	"feedonce/internal/outfeed"
	"feedonce/internal/secret"
	"feedonce/internal/store"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func hours(n int) time.Time { return noon.Add(time.Duration(n) * time.Hour) }

// An item is an RSS item of a publisher; what is empty is left out.
type item struct {
	guid, link, title, text, author, audio string
	date                                   time.Time
}

// prose returns n words that depend on seed.
func prose(seed, n int) string {
	r := rand.New(rand.NewPCG(uint64(seed), 7))
	parts := strings.Fields("ba ko ri ta mu ne so li da vo pe gu fa hi zo ra ke nu")
	words := make([]string, n)
	for i := range words {
		words[i] = parts[r.IntN(len(parts))] + parts[r.IntN(len(parts))] + parts[r.IntN(len(parts))]
	}
	return strings.Join(words, " ")
}

// news is article n of a site.
func news(site string, n int) item {
	return item{guid: fmt.Sprintf("%s-%d", site, n), link: fmt.Sprintf("https://%s/%d-%s", site, n, strings.ReplaceAll(prose(n+50, 3), " ", "-")),
		title: "The " + prose(n+900, 4), text: "<p>" + prose(n, 60) + "</p>", date: hours(-n)}
}

func rss(edition int, items ...item) []byte {
	var b bytes.Buffer
	field := func(name, attributes, value string) {
		if value == "" {
			return
		}
		b.WriteString("<" + name + attributes + ">")
		if err := xml.EscapeText(&b, []byte(value)); err != nil {
			panic(err)
		}
		b.WriteString("</" + name + ">")
	}
	fmt.Fprintf(&b, `<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>News</title><link>https://site.example/</link><lastBuildDate>%d</lastBuildDate>`, edition)
	for _, it := range items {
		b.WriteString("<item>")
		field("guid", ` isPermaLink="false"`, it.guid)
		field("link", "", it.link)
		field("title", "", it.title)
		field("description", "", it.text)
		field("dc:creator", "", it.author)
		if it.audio != "" {
			fmt.Fprintf(&b, `<enclosure url="%s" type="audio/mpeg" length="7"/>`, it.audio)
		}
		if !it.date.IsZero() {
			field("pubDate", "", it.date.Format(time.RFC1123Z))
		}
		b.WriteString("</item>")
	}
	b.WriteString("</channel></rss>")
	return b.Bytes()
}

// A world polls feeds and serves outputs.
type world struct {
	t       *testing.T
	s       *store.Store
	in      *ingest.Ingester
	box     *secret.Box
	srv     *httptest.Server
	now     time.Time
	edition int
}

func newWorld(t *testing.T, s *store.Store) *world {
	w := &world{t: t, s: s, in: &ingest.Ingester{Store: s}, box: secret.New([secret.KeySize]byte{1}, "the test"), now: hours(1)}
	w.serve()
	return w
}

// serve serves the outputs by a new handler, as after a restart.
func (w *world) serve() {
	if w.srv != nil {
		w.srv.Close()
	}
	w.srv = httptest.NewServer(outfeed.Handler(outfeed.Options{Store: w.s, URL: "https://once.example", Now: func() time.Time { return w.now }}))
	w.t.Cleanup(w.srv.Close)
}

func (w *world) feed(url, folder string) feedonce.FeedID {
	w.t.Helper()
	var f feedonce.Feed
	w.update(func(tx *store.Tx) (err error) {
		f, err = tx.AddFeed(store.NewFeed{URL: url, Folder: folder, Added: noon})
		return err
	})
	return f.ID
}

// poll ingests a document, never byte for byte the one before.
func (w *world) poll(feed feedonce.FeedID, hour int, items ...item) {
	w.t.Helper()
	w.edition++
	if _, err := w.in.Document(context.Background(), ingest.Fetched{Feed: feed, Body: rss(w.edition, items...), Received: hours(hour)}); err != nil {
		w.t.Fatalf("poll: %v", err)
	}
}

func (w *world) update(f func(*store.Tx) error) {
	w.t.Helper()
	if err := w.s.Update(context.Background(), f); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) view(f func(*store.Tx) error) {
	w.t.Helper()
	if err := w.s.View(context.Background(), f); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) output(name string, sel feedonce.Selection) feedonce.Output {
	w.t.Helper()
	o, err := outfeed.Add(context.Background(), w.s, w.box, feedonce.Output{Name: name, Selection: sel, Created: noon})
	if err != nil {
		w.t.Fatalf("add output %s: %v", name, err)
	}
	return o
}

func (w *world) address(o feedonce.Output, form outfeed.Form) string {
	w.t.Helper()
	a, err := outfeed.Address("https://once.example", o, form, w.box)
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

type answer struct {
	status int
	header http.Header
	body   string
}

// get asks for an address, where this server stands for once.example. header is name and value by turns.
func (w *world) get(address string, header ...string) answer {
	w.t.Helper()
	return w.ask(http.MethodGet, address, header...)
}

func (w *world) ask(method, address string, header ...string) answer {
	w.t.Helper()
	req, err := http.NewRequest(method, strings.Replace(address, "https://once.example", w.srv.URL, 1), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(body)}
}

// read gets an output in all forms, checks each by its rules and all against each other, and returns its entries.
func (w *world) read(o feedonce.Output) document {
	w.t.Helper()
	return w.readAt(o, "")
}

// readAt reads the page that a query names.
func (w *world) readAt(o feedonce.Output, query string) document {
	w.t.Helper()
	docs := map[outfeed.Form]document{}
	for _, form := range outfeed.Forms {
		res := w.get(w.address(o, form) + query)
		if res.status != http.StatusOK {
			w.t.Fatalf("%s of %s: %d %s", form, o.Name, res.status, res.body)
		}
		docs[form] = parsers[form](w.t, res.body)
	}
	same(w.t, docs)
	return docs[outfeed.Atom]
}

func titles(d document) []string {
	list := []string{}
	for _, e := range d.entries {
		list = append(list, e.title)
	}
	return list
}

// wants returns the titles of items.
func wants(items ...item) []string {
	list := []string{}
	for _, it := range items {
		list = append(list, it.title)
	}
	return list
}
