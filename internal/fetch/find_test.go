package fetch

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// site serves pages by path, and notes what was asked for. A page that begins with "/" is a redirect for good, one
// that begins with "~" a redirect for now, and a number a status.
func site(t *testing.T, pages map[string]string) (s *httptest.Server, asked func() []string) {
	var mu sync.Mutex
	var paths []string
	s = serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		paths = append(paths, r.URL.Path)
		mu.Unlock()
		page, ok := pages[r.URL.Path]
		switch {
		case !ok:
			http.NotFound(w, r)
		case page == "429":
			w.WriteHeader(http.StatusTooManyRequests)
		case strings.HasPrefix(page, "/"):
			http.Redirect(w, r, page, http.StatusMovedPermanently)
		case strings.HasPrefix(page, "~"):
			http.Redirect(w, r, page[1:], http.StatusFound)
		default:
			if LooksLikeFeed([]byte(page)) {
				w.Header().Set("Content-Type", "text/xml; charset=utf-8")
			}
			_, _ = io.WriteString(w, page)
		}
	})
	return s, func() []string { mu.Lock(); defer mu.Unlock(); return paths }
}

func TestFind(t *testing.T) {
	const home = "<!doctype html><title>Home</title>"
	for _, tt := range []struct {
		name  string
		at    string
		pages map[string]string
		want  []Candidate // URLs by path
		asked int
	}{
		{"a feed", "/f", map[string]string{"/f": feedXML}, []Candidate{{URL: "/f", Type: "text/xml"}}, 1},
		{"a feed that moved", "/f", map[string]string{"/f": "/g", "/g": feedXML}, []Candidate{{URL: "/g", Type: "text/xml"}}, 2},
		{"a feed that is elsewhere for now", "/f", map[string]string{"/f": "~/g", "/g": feedXML}, []Candidate{{URL: "/f", Type: "text/xml"}}, 2},
		{"a page that names feeds", "/", map[string]string{
			"/": home + `<link rel=alternate type=application/rss+xml href=/1 title=One><link rel=alternate type=application/atom+xml href=/2><a href=/feed>x</a>`},
			[]Candidate{{URL: "/1", Title: "One", Type: "application/rss+xml"}, {URL: "/2", Type: "application/atom+xml"}}, 1},
		{"plain links are tried", "/", map[string]string{
			"/": home + `<a href=/rss/>About RSS</a><a href=/news.rss>News</a><a href=/x.rss>X</a><a href=/same.rss>Same</a>`, "/rss/": home,
			"/news.rss": feedXML, "/same.rss": "~/news.rss"},
			[]Candidate{{URL: "/news.rss", Title: "News", Type: "text/xml"}}, 6},
		{"the first guess that is a feed", "/", map[string]string{"/": home, "/feed": home, "/rss": "/feed.xml", "/feed.xml": feedXML, "/atom.xml": feedXML},
			[]Candidate{{URL: "/feed.xml", Type: "text/xml", Guess: true}}, 4},
		{"beside the page", "/blog/", map[string]string{"/blog/": home, "/blog/index.xml": feedXML, "/feed.xml": feedXML},
			[]Candidate{{URL: "/feed.xml", Type: "text/xml", Guess: true}}, 7},
		{"nothing", "/", map[string]string{"/": home}, nil, 8},
		{"nothing in an empty body", "/", map[string]string{"/": ""}, nil, 8},
		{"asked too often", "/", map[string]string{"/": home, "/feed": "429", "/rss": feedXML}, nil, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, asked := site(t, tt.pages)
			got, resp, err := newClient(t, Options{}).Find(context.Background(), s.URL+tt.at)
			if err != nil {
				t.Fatal(err)
			}
			for i := range got {
				got[i].URL = strings.TrimPrefix(got[i].URL, s.URL)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("found (-want +got):\n%s", d)
			}
			if resp == nil {
				t.Error("no response")
			}
			if n := len(asked()); n != tt.asked {
				t.Errorf("%d requests, want %d: %v", n, tt.asked, asked())
			}
		})
	}
}

func TestFindErrors(t *testing.T) {
	s, _ := site(t, nil)
	c := newClient(t, Options{})
	_, resp, err := c.Find(context.Background(), s.URL)
	var e *Error
	if !errors.As(err, &e) || e.Status != 404 || resp != nil {
		t.Errorf("error is %v, response %v; want that of the page", err, resp)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s = serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/feed" {
			cancel()
			<-r.Context().Done()
		}
		_, _ = io.WriteString(w, "<html>")
	})
	if _, _, err := c.Find(ctx, s.URL); err != context.Canceled {
		t.Errorf("error is %v, want context.Canceled", err)
	}
}
