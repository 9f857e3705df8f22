package outfeed

import (
	"crypto/sha256"
	"errors"
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
	home     string // the page that people open
	before   feedonce.EntryID
	next     feedonce.EntryID // 0: this is the last page
	updated  time.Time
	articles []article
	gone     []store.Tombstone
}

// An article is ready to be written: every text is clean, every address absolute.
type article struct {
	id         string // URN
	url        string
	title      string // plain text; may be empty
	author     string
	lang       string
	html       string // sanitised
	categories []string
	enclosures []enclosure
	published  time.Time
	updated    time.Time // never before published
	feed       source
	also       []string // names of other feeds
}

type enclosure struct {
	url, kind string // kind is a media type, or ""
	length    int64  // 0: unknown
}

// source is the feed that an article came from.
type source struct{ name, url, site string }

// How much a page has in it.
const (
	pageSize    = 50
	maxPageSize = 500
	// day is how long every article is on the first page, up to maxPageSize, where nobody set another size: readers follow
	// no links to further pages, and some ask once a day.
	day = 24 * time.Hour
	// maxText is how many bytes of texts a page has, but for its last article.
	maxText = 8 << 20
	// tombstonesFor is how long an article that is gone is announced as deleted.
	tombstonesFor = 30 * day
	maxTombstones = 100
)

// page reads a page; feedonce.ErrNotFound where the token leads nowhere.
func (o Options) page(r *http.Request, token string, before feedonce.EntryID) (*page, error) {
	p := &page{token: token, before: before, base: strings.TrimSuffix(o.URL, "/")}
	if p.base == "" {
		scheme := "http"
		if r.TLS != nil {
			scheme = "https"
		}
		p.base = scheme + "://" + r.Host
	}
	now := o.Now()
	var selected []store.Selected
	err := o.Store.View(r.Context(), func(tx *store.Tx) (err error) {
		if p.output, err = tx.OutputByHash(sha256.Sum256([]byte(token))); err != nil {
			return err
		}
		if p.instance, err = tx.Instance(); err != nil {
			return err
		}
		p.home = p.base + "/"
		if id := p.output.Selection.Feed; id != 0 {
			switch f, err := tx.Feed(id); {
			case err == nil && link(f.SiteURL) != "":
				p.home = link(f.SiteURL)
			case err != nil && !errors.Is(err, feedonce.ErrNotFound):
				return err
			}
		}
		if selected, err = p.choose(tx, now); err != nil {
			return err
		}
		if before == 0 {
			p.gone, err = tx.Tombstones(p.output.Selection, now.Add(-tombstonesFor), maxTombstones)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	p.fill(selected)
	return p, nil
}

// choose reads the articles of the page, and notes where the next one begins.
func (p *page) choose(tx *store.Tx, now time.Time) ([]store.Selected, error) {
	size, most := pageSize, pageSize
	if n := p.output.Selection.Limit; n > 0 {
		size, most = min(n, maxPageSize), min(n, maxPageSize)
	} else if p.before == 0 {
		most = maxPageSize
	}
	listed, err := tx.Listed(p.output, p.before, most+1)
	if err != nil {
		return nil, err
	}
	n := min(size, len(listed))
	for n < min(most, len(listed)) && listed[n].Seen.After(now.Add(-day)) {
		n++
	}
	ids := make([]feedonce.EntryID, n)
	for i := range ids {
		ids[i] = listed[i].Entry
	}
	var all []store.Selected
	text := 0
	for rest := ids; len(rest) > 0; {
		part := rest[:min(pageSize, len(rest))]
		rest = rest[len(part):]
		some, err := tx.Selected(part, p.output.Selection.Also)
		if err != nil {
			return nil, err
		}
		for _, s := range some {
			if len(all) > 0 && text > maxText {
				p.next = all[len(all)-1].Entry.ID
				return all, nil
			}
			text += len(s.Entry.Content) + len(s.Entry.Summary)
			all = append(all, s)
		}
	}
	p.next = 0
	if n < len(listed) {
		p.next = ids[n-1]
	}
	return all, nil
}

func (p *page) fill(selected []store.Selected) {
	p.updated = p.output.Created
	later := func(t time.Time) {
		if t.After(p.updated) {
			p.updated = t
		}
	}
	p.articles = make([]article, len(selected))
	for i := range selected {
		p.articles[i] = p.article(&selected[i])
		later(p.articles[i].updated)
	}
	for _, g := range p.gone {
		later(g.At)
	}
}

func (p *page) article(s *store.Selected) article {
	e := &s.Entry
	a := article{
		id: e.ID.URN(p.instance), url: link(e.URL), title: line(e.Title, maxTitle), author: line(e.Author, maxName), lang: language(e.Lang),
		published: e.Time(), updated: e.Changed,
		feed: source{line(s.FeedName, maxName), link(s.FeedURL), link(s.SiteURL)},
	}
	if a.published.Year() < 1 {
		a.published = e.FirstSeen // no form has room for years before Christ
	}
	if a.updated.Before(a.published) {
		a.updated = a.published
	}
	for _, c := range e.Categories {
		if c = line(c, maxName); c != "" {
			a.categories = append(a.categories, c)
		}
	}
	for _, enc := range e.Enclosures {
		if u := link(enc.URL); u != "" {
			a.enclosures = append(a.enclosures, enclosure{u, mediaType(enc.Type), max(enc.Length, 0)})
		}
	}
	text := e.Content
	if text == "" {
		text = e.Summary
	}
	a.html = clean(sanitize.HTML(text, e.URL))
	for _, name := range s.Also {
		if name = line(name, maxName); name != "" {
			a.also = append(a.also, name)
		}
	}
	if len(a.also) > 0 {
		a.html += fmt.Sprintf(`<p><small>Also in %s · <a href="%s">why</a></small></p>`,
			html.EscapeString(strings.Join(a.also, ", ")), html.EscapeString(fmt.Sprintf("%s/entries/%d", p.base, e.ID)))
	}
	return a
}

// heading is the title, or what stands for it: some readers show nothing of an entry without one.
func (a *article) heading() string {
	if a.title != "" {
		return a.title
	}
	if t := line(sanitize.Text(a.html, 80), maxTitle); t != "" {
		return t
	}
	return "Untitled"
}

// by is who wrote the article, or else the feed that published it.
func (a *article) by() string {
	if a.author != "" {
		return a.author
	}
	return a.feed.name
}

func (p *page) name() string { return line(p.output.Name, maxName) }

func (p *page) address(form Form) string { return p.base + Prefix + p.token + "/" + string(form) }

// self is the address of this page.
func (p *page) self(form Form) string { return p.address(form) + query(p.before) }

// nextAddress is the address of the page behind this one, or "".
func (p *page) nextAddress(form Form) string {
	if p.next == 0 {
		return ""
	}
	return p.address(form) + query(p.next)
}

func query(before feedonce.EntryID) string {
	if before == 0 {
		return ""
	}
	return fmt.Sprintf("?before=%d", before)
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
