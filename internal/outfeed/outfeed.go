// Package outfeed publishes cleaned feeds: Atom, RSS and JSON Feed with one entry for each article, under ids that never
// change.
//
// An output has a secret address, which is all it takes to read it: readers know no log-in. The same document is rendered in
// three forms (atom.go, rss.go, jsonfeed.go) from one page of articles (page.go), which follow in the order of their
// arrival, so that pages do not shift when a date is edited. An article that a person merged into another one is announced
// as deleted (RFC 6721), where the form can say so.
package outfeed

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"feedonce"
	"feedonce/internal/secret"
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

const (
	pageSize    = 50
	maxPageSize = 500
)

// NewToken returns the secret part of an address, and its hash, by which the output is found.
func NewToken() (token string, hash [32]byte) {
	token = strings.ToLower(rand.Text())
	return token, sha256.Sum256([]byte(token))
}

// About is what the token of an output is sealed as.
const About = "token of an output"

// Address returns the address of an output, which box opens.
func Address(base string, o feedonce.Output, form Form, box *secret.Box) (string, error) {
	token, err := box.Open(o.Token, About)
	if err != nil {
		return "", fmt.Errorf("the address of output %q cannot be opened: %w", o.Name, err)
	}
	return strings.TrimSuffix(base, "/") + Prefix + string(token) + "/" + string(form), nil
}

// Add adds an output under a new address.
func Add(ctx context.Context, s *store.Store, box *secret.Box, o feedonce.Output) (feedonce.Output, error) {
	if err := Validate(o); err != nil {
		return o, err
	}
	token, hash := NewToken()
	sealed, err := box.Seal([]byte(token), About)
	if err != nil {
		return o, err
	}
	o.Token = sealed
	return o, s.Update(ctx, func(tx *store.Tx) (err error) {
		if o.Selection.Feed != 0 {
			if _, err := tx.Feed(o.Selection.Feed); err != nil {
				return err
			}
		}
		o.ID, err = tx.AddOutput(o, hash)
		return err
	})
}

// Validate checks an output's name and selection; its errors are *feedonce.InvalidError.
func Validate(o feedonce.Output) error {
	invalid := func(field, reason string) error { return &feedonce.InvalidError{Field: field, Reason: reason} }
	switch name := strings.TrimSpace(o.Name); {
	case name == "" || len(name) > 200 || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }):
		return invalid("name", "must be a name of at most 200 bytes, in one line")
	case o.Selection.Scope != feedonce.ScopeStory && o.Selection.Scope != feedonce.ScopeFeed:
		return invalid("scope", `must be "feed" or nothing`)
	case o.Selection.Limit < 0 || o.Selection.Limit > maxPageSize:
		return invalid("limit", fmt.Sprintf("must be from 1 to %d entries a page, or nothing for %d", maxPageSize, pageSize))
	case o.Selection.Feed != 0 && o.Selection.Folder != "":
		return invalid("folder", "cannot be named together with a feed")
	case len(o.Selection.Search) > 500:
		return invalid("search", "must be at most 500 bytes")
	}
	return nil
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
	mux.HandleFunc(Prefix, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "There is no feed at this address.", http.StatusNotFound)
	})
	return mux
}

func (o Options) serve(w http.ResponseWriter, r *http.Request) {
	form := Form(r.PathValue("form"))
	kind, ok := mediaTypes[form]
	token := r.PathValue("token")
	if !ok || len(token) > 100 {
		http.Error(w, "There is no feed at this address.", http.StatusNotFound)
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
		http.Error(w, "There is no feed at this address.", http.StatusNotFound)
		return
	}
	if err == nil {
		p.self = p.address(form)
		if before != 0 {
			p.self += "?before=" + strconv.FormatInt(before, 10)
		}
		var body []byte
		if body, err = p.render(form); err == nil {
			h := w.Header()
			h.Set("Content-Type", kind)
			h.Set("Cache-Control", "private, max-age=60")
			h.Set("X-Robots-Tag", "noindex")
			h.Set("Referrer-Policy", "no-referrer")
			h.Set("X-Content-Type-Options", "nosniff")
			h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
			h.Set("ETag", fmt.Sprintf(`"%x"`, tag(body)))
			http.ServeContent(w, r, "", p.updated, strings.NewReader(string(body)))
			return
		}
	}
	if r.Context().Err() == nil {
		o.Log.Error("an output cannot be served", "error", err)
	}
	http.Error(w, "This feed cannot be made just now; please try again later.", http.StatusServiceUnavailable)
}
