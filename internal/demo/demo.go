// Package demo is a small town of misbehaving publishers, in one process and without a network.
//
// Each Publisher has one habit that makes other readers repeat or lose articles. What it serves is a pure function of
// the number of the poll, and beside the script stands what a reader that decides rightly makes of every document. So
// the same publishers are three things: what `feedonce demo` shows, what the end-to-end test asserts on both
// databases, and examples of what happens on the web.
//
// A Site serves them over HTTP and counts the polls of each. A Rival keeps the books of a reader that knows articles
// by their guid alone.
package demo

import (
	"net/http"
	"time"

	"feedonce"
)

// A Publisher serves one feed, badly in one way.
type Publisher struct {
	Name  string // names it in URLs and flags: "fresh-guids"
	Title string // of its feed
	Habit string // what it does, as a sentence
	Moves bool   // its feed moves to another address in the course of the script

	edition func(poll int) Edition
	want    func(poll int) Want
}

// Edition returns what the publisher serves at a poll, counted from 0.
func (p *Publisher) Edition(poll int) Edition { return p.edition(poll) }

// Want returns what is right to make of it, for a reader that saw all polls before.
func (p *Publisher) Want(poll int) Want { return p.want(poll) }

// An Edition is one HTTP answer and the truth about it.
type Edition struct {
	Status int // HTTP status; 0 is 200
	Type   string
	ETag   string // makes the answer 304 to whoever has it
	Body   string
	// Articles are the true articles in the document, by number, with the title each has in its latest version.
	// Empty where the document cannot be read.
	Articles map[int]string
}

// A Want is the right outcome of a poll.
type Want struct {
	Status string // a poll.Result's Status
	Counts feedonce.Counts
	// Folded, where it is not 0, is how many arrivals are duplicates or unchanged; Counts then says neither: how
	// soon a reader learns that guids of a feed mean nothing is its own business.
	Folded int64
}

// Answer writes the edition as an HTTP answer to r.
func (e Edition) Answer(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	if e.ETag != "" {
		h.Set("ETag", e.ETag)
		if r.Header.Get("If-None-Match") == e.ETag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	if e.Type == "" {
		e.Type = "application/rss+xml; charset=utf-8"
	}
	h.Set("Content-Type", e.Type)
	if e.Status != 0 {
		w.WriteHeader(e.Status)
	}
	w.Write([]byte(e.Body)) //nolint:errcheck // a reader that hangs up is not the server's trouble
}

// Publishers returns all publishers. The first article of each is dated start, and each article after it step later.
func Publishers(start time.Time, step time.Duration) []*Publisher {
	room := func(name, host string) newsroom { return newsroom{name: name, host: host, start: start, step: step} }
	return []*Publisher{
		calm(room("calm", "calm.example")),
		restless(room("restless", "restless.example")),
		editedInPlace(room("edited-in-place", "corrections.example")),
		guidPerEdit(room("guid-per-edit", "plugin.example")),
		republished(room("republished", "republic.example")),
		freshGuids(room("fresh-guids", "fresh.example")),
		sharedGuid(room("shared-guid", "monotone.example")),
		noGuid(room("no-guid", "anonymous.example")),
		schemeFlip(room("scheme-flip", "flipflop.example")),
		recycledGuid(room("recycled-guid", "recycling.example")),
		migrated(room("migrated", "nomad.example")),
		moved(room("moved", "forwarding.example")),
		crossPost("cross-post-a", "The Valley Times", room("wire", "wire.example")),
		crossPost("cross-post-b", "The Hill Herald", room("wire", "wire.example")),
		illFormed(room("ill-formed", "smudge.example")),
		outage(room("outage", "flaky.example")),
		atomTwins(room("atom-twins", "twins.example")),
		jsonNumbers(room("json-numbers", "json.example")),
		podcast(room("podcast", "cast.example")),
		bulletin(room("bulletin", "weather.example")),
		counters(room("counters", "popular.example")),
	}
}

// shelf is how many articles most publishers list.
const shelf = 8

func wantNew(first int64, poll int, later Want) Want {
	if poll == 0 {
		return Want{Status: "new", Counts: feedonce.Counts{New: first}}
	}
	return later
}

// onePerPoll is what is right where every poll brings one new article, and nothing else is new.
func onePerPoll(poll int) Want {
	return wantNew(shelf, poll, Want{Status: "new", Counts: feedonce.Counts{New: 1, Unchanged: shelf - 1}})
}

// revised reports whether article k is in its second version at a poll: every second article is revised one poll after
// it came, and stays so.
func revised(k, poll int) bool { return k >= shelf-1 && k%2 == 1 && poll >= k-(shelf-2) }

// revisesAt reports whether a poll brings a revision.
func revisesAt(poll int) bool { return poll%2 == 1 }

// truth returns the articles of a document for Edition.Articles.
func truth(items []article) map[int]string {
	m := make(map[int]string, len(items))
	for _, a := range items {
		m[a.number] = a.title
	}
	return m
}
