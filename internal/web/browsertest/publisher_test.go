package browsertest

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// A story is an item of a feed.
type story struct {
	guid, link, title, body string
	at                      time.Time
	more                    string // elements of RSS besides
}

// A publisher serves a feed that a test writes.
type publisher struct {
	url string

	mu     sync.Mutex
	title  string
	status int
	items  []story
}

// publish serves a feed.
func publish(t *testing.T, title string, items ...story) *publisher {
	t.Helper()
	p := &publisher{title: title, items: items, status: http.StatusOK}
	srv := httptest.NewServer(p)
	t.Cleanup(srv.Close)
	p.url = srv.URL + "/feed"
	return p
}

// now serves these items instead.
func (p *publisher) now(items ...story) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.items = items
}

// answer sets the HTTP status of the answers to come.
func (p *publisher) answer(status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status = status
}

func (p *publisher) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w.Header().Set("Content-Type", "application/rss+xml; charset=utf-8")
	w.WriteHeader(p.status)
	fmt.Fprintf(w, "<?xml version=\"1.0\"?>\n<rss version=\"2.0\"><channel><title>%s</title><link>https://publisher.example/</link><description>A test</description>\n", html.EscapeString(p.title))
	for _, s := range p.items {
		fmt.Fprint(w, "<item>")
		if s.guid != "" {
			fmt.Fprintf(w, "<guid isPermaLink=\"false\">%s</guid>", html.EscapeString(s.guid))
		}
		if s.link != "" {
			fmt.Fprintf(w, "<link>%s</link>", html.EscapeString(s.link))
		}
		fmt.Fprintf(w, "<title>%s</title><description>%s</description>", html.EscapeString(s.title), html.EscapeString(s.body))
		if !s.at.IsZero() {
			fmt.Fprintf(w, "<pubDate>%s</pubDate>", s.at.Format(time.RFC1123Z))
		}
		fmt.Fprint(w, s.more, "</item>\n")
	}
	fmt.Fprint(w, "</channel></rss>\n")
}

// numbered returns stories that have nothing in common, the youngest first.
func numbered(from, to int) []story {
	var list []story
	for n := to; n >= from; n-- {
		word := strings.Fields("Amber Birch Cedar Damson Elder Fennel Ginger Hazel Ivy Juniper Kale Laurel Maple Nettle Olive Poplar Quince Rowan Sorrel Thyme " +
			"Umbel Vetch Willow Yarrow")[n%24]
		body := ""
		for _, w := range strings.Fields("season weather harvest market kitchen cellar orchard road") {
			body += fmt.Sprintf("<p>The %s of %s number %d was %s, and the people of %s%d spoke of nothing else for weeks.</p>", w, word, n, strings.ToLower(word)+w, word, n*7)
		}
		list = append(list, story{
			guid: fmt.Sprintf("story-%d", n), link: fmt.Sprintf("https://publisher.example/%s-%d", strings.ToLower(word), n), title: fmt.Sprintf("%s, part %d", word, n), body: body,
			at: begin.Add(time.Duration(n-100) * time.Hour),
		})
	}
	return list
}
