package demo

import (
	"fmt"
	"html"
	"net/http"
	"sync"
)

// A Site serves publishers over HTTP: NAME/feed is the feed of the publisher of that name, and / lists them all. Every
// answer with a document moves its publisher on to the next poll of its script. It is safe for concurrent use.
type Site struct {
	Publishers []*Publisher

	mu    sync.Mutex
	polls map[string]int
	mux   *http.ServeMux
}

// NewSite returns a site at which no publisher was polled yet.
func NewSite(publishers []*Publisher) *Site {
	s := &Site{Publishers: publishers, polls: map[string]int{}, mux: http.NewServeMux()}
	s.mux.HandleFunc("GET /{$}", s.index)
	for _, p := range publishers {
		s.mux.HandleFunc("GET "+Path(p.Name), func(w http.ResponseWriter, r *http.Request) {
			if p.Moves && s.Polls(p.Name) >= movesAt {
				http.Redirect(w, r, NewPath(p.Name), http.StatusMovedPermanently)
				return
			}
			p.Edition(s.next(p.Name)).Answer(w, r)
		})
		if p.Moves {
			s.mux.HandleFunc("GET "+NewPath(p.Name), func(w http.ResponseWriter, r *http.Request) {
				p.Edition(s.next(p.Name)).Answer(w, r)
			})
		}
	}
	return s
}

// Path is where the feed of a publisher is served.
func Path(name string) string { return "/" + name + "/feed" }

// NewPath is where a publisher that moves goes.
func NewPath(name string) string { return "/" + name + "/new/feed" }

func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Polls returns how many editions of a publisher were served.
func (s *Site) Polls(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.polls[name]
}

func (s *Site) next(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.polls[name]
	s.polls[name]++
	return n
}

func (s *Site) index(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, "<!doctype html>\n<html lang=\"en\">\n<head>\n<title>Misbehaving publishers</title>\n")
	for _, p := range s.Publishers {
		fmt.Fprintf(w, "<link rel=\"alternate\" type=\"application/rss+xml\" title=\"%s\" href=\"%s\">\n",
			html.EscapeString(p.Title), Path(p.Name))
	}
	fmt.Fprint(w, "</head>\n<body>\n<h1>Misbehaving publishers</h1>\n<ul>\n")
	for _, p := range s.Publishers {
		fmt.Fprintf(w, "<li><a href=\"%s\">%s</a> %s</li>\n", Path(p.Name), html.EscapeString(p.Title), html.EscapeString(p.Habit))
	}
	fmt.Fprint(w, "</ul>\n</body>\n</html>\n")
}
