package outfeed

import (
	"crypto/sha256"
	"fmt"
	"html"
	"net/http"
	"strings"
	"time"

	"feedonce"
	"feedonce/internal/sanitize"
	"feedonce/internal/store"
)

// A page is a part of an output, before it is written in some form.
type page struct {
	output   feedonce.Output
	instance string
	token    string
	base     string // of addresses, without a slash at the end
	self     string // address of this page
	next     feedonce.EntryID
	updated  time.Time
	articles []article
	gone     []store.Tombstone
}

// An article is ready to be written.
type article struct {
	id string // URN
	store.Selected
	html    string // sanitised
	created time.Time
	updated time.Time
}

// tombstonesFor is how long an article that was merged is announced as deleted.
const tombstonesFor = 30 * 24 * time.Hour

// page reads a page; feedonce.ErrNotFound where the token leads nowhere.
func (o Options) page(r *http.Request, token string, before feedonce.EntryID) (*page, error) {
	p := &page{token: token, base: strings.TrimSuffix(o.URL, "/")}
	if p.base == "" {
		scheme := "http"
		if r.TLS != nil {
			scheme = "https"
		}
		p.base = scheme + "://" + r.Host
	}
	var selected []store.Selected
	err := o.Store.View(r.Context(), func(tx *store.Tx) (err error) {
		if p.output, err = tx.OutputByHash(sha256.Sum256([]byte(token))); err != nil {
			return err
		}
		if p.instance, err = tx.Instance(); err != nil {
			return err
		}
		size := p.output.Selection.Limit
		if size <= 0 {
			size = pageSize
		}
		size = min(size, maxPageSize)
		if selected, err = tx.Selected(p.output.Selection, before, size+1); err != nil {
			return err
		}
		p.next = 0
		if len(selected) > size {
			selected = selected[:size]
			p.next = selected[size-1].Entry.ID
		}
		if before == 0 {
			p.gone, err = tx.Tombstones(p.output.Selection.Feed, o.Now().Add(-tombstonesFor), 100)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	p.updated = p.output.Created
	for _, s := range selected {
		a := p.article(s)
		p.articles = append(p.articles, a)
		if a.updated.After(p.updated) {
			p.updated = a.updated
		}
	}
	for _, g := range p.gone {
		if g.At.After(p.updated) {
			p.updated = g.At
		}
	}
	p.updated = p.updated.UTC().Truncate(time.Second)
	return p, nil
}

func (p *page) article(s store.Selected) article {
	e := &s.Entry
	a := article{Selected: s, id: e.ID.URN(p.instance), created: e.Time().UTC(), updated: e.Changed.UTC()}
	if a.updated.Before(a.created) {
		a.updated = a.created
	}
	text := e.Content
	if text == "" {
		text = e.Summary
	}
	a.html = sanitize.HTML(text, e.URL)
	if p.output.Selection.Also && len(s.Also) > 0 {
		names := make([]string, len(s.Also))
		for i, n := range s.Also {
			names[i] = html.EscapeString(n)
		}
		a.html += fmt.Sprintf(`<p><small>Also in %s · <a href="%s/entries/%d">why</a></small></p>`, strings.Join(names, ", "), html.EscapeString(p.base), e.ID)
	}
	return a
}

// title is never empty: some readers show nothing of an entry without one.
func (a *article) title() string {
	if t := strings.TrimSpace(a.Entry.Title); t != "" {
		return t
	}
	if t := sanitize.Text(a.html, 80); t != "" {
		return t
	}
	return "Untitled"
}

// link is an address that may be followed, or "".
func link(u string) string {
	if l := strings.ToLower(u); strings.HasPrefix(l, "http://") || strings.HasPrefix(l, "https://") {
		return u
	}
	return ""
}

func (p *page) address(form Form) string { return p.base + Prefix + p.token + "/" + string(form) }

// nextAddress is the address of the page behind this one, or "".
func (p *page) nextAddress(form Form) string {
	if p.next == 0 {
		return ""
	}
	return fmt.Sprintf("%s?before=%d", p.address(form), p.next)
}

// id names the output for ever, whatever its address.
func (p *page) id() string { return feedonce.EntryID(-p.output.ID).URN(p.instance) }

func (p *page) render(form Form) ([]byte, error) {
	switch form {
	case Atom:
		return p.atom()
	case RSS:
		return p.rss()
	}
	return p.json()
}

func tag(body []byte) []byte {
	h := sha256.Sum256(body)
	return h[:16]
}
