// Package outfeed publishes cleaned feeds: Atom, RSS and JSON Feed with one entry for each article, under ids that never
// change.
//
// An output has a secret address, which is all it takes to read it: readers know no log-in (output.go). It has the articles of
// a feed, of a folder, of a search, or all. The same document is rendered in three forms (atom.go, rss.go, jsonfeed.go) from
// one page of articles (page.go), whose texts and addresses are such that no publisher can break it (text.go).
//
// Articles follow in the order of their arrival, so that pages do not shift when a date is edited: the address of the next page
// names the last article of this one, and who walks all pages while new articles arrive gets each once. The first page has at
// least a day of them, as readers look at no other. An article that a person merged into another one, or whose feed was
// removed, is announced as deleted (RFC 6721) for a month, where the form can say so.
//
// An article that stands in several feeds is one entry, under the id of the article that came first. Cleaned (cleaned.go)
// gives each feed an output of its own, for people who keep their reader: there, the article stands in the output in which it
// stood first.
package outfeed

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"feedonce"
	"feedonce/internal/store"
)

// Prefix is where outputs are served.
const Prefix = "/out/"

// Options are what the handler needs.
type Options struct {
	Store *store.Store
	// URL is where people reach the pages, such as "https://feeds.example.org"; "" takes what the request says.
	URL string
	Log *slog.Logger
	Now func() time.Time
}

// A Form is how an output is written.
type Form string

// The forms, by the last part of their addresses.
const (
	Atom Form = "atom.xml"
	RSS  Form = "rss.xml"
	JSON Form = "feed.json"
)

// Forms are all forms.
var Forms = []Form{Atom, RSS, JSON}

var mediaTypes = map[Form]string{
	Atom: "application/atom+xml; charset=utf-8",
	RSS:  "application/rss+xml; charset=utf-8",
	JSON: "application/feed+json; charset=utf-8",
}

// Handler serves outputs below Prefix.
func Handler(o Options) http.Handler {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Prefix+"{token}/{form}", o.serve)
	mux.HandleFunc(Prefix, notFound)
	return mux
}

func (o Options) serve(w http.ResponseWriter, r *http.Request) {
	form := Form(r.PathValue("form"))
	kind, ok := mediaTypes[form]
	token := r.PathValue("token")
	if !ok || len(token) > 100 {
		notFound(w, r)
		return
	}
	before := int64(0)
	if v := r.URL.Query().Get("before"); v != "" {
		var err error
		if before, err = strconv.ParseInt(v, 10, 64); err != nil || before <= 0 {
			http.Error(w, "“before” must be the number that the page before gave.", http.StatusBadRequest)
			return
		}
	}
	p, err := o.page(r, token, feedonce.EntryID(before))
	if errors.Is(err, feedonce.ErrNotFound) {
		notFound(w, r)
		return
	}
	var body []byte
	if err == nil {
		body, err = p.render(form)
	}
	if err != nil {
		if r.Context().Err() == nil {
			o.Log.Error("an output cannot be served", "error", err)
		}
		w.Header().Set("Retry-After", "60")
		http.Error(w, "This feed cannot be made just now; please try again later.", http.StatusServiceUnavailable)
		return
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "private, max-age=60")
	h.Set("X-Robots-Tag", "noindex")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	sum := sha256.Sum256(body)
	h.Set("ETag", fmt.Sprintf(`"%x"`, sum[:16]))
	// There is no Last-Modified: two articles that come within a second, or in another order than they are dated, would make one
	// time stand for two documents, and a reader that asks by it would be told that there is nothing new.
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

func notFound(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "There is no feed at this address.", http.StatusNotFound)
}
