package web

import (
	"cmp"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/explain"
	"feedonce/internal/sanitize"
	"feedonce/internal/store"
)

type entryPage struct {
	page
	Entry      feedonce.Entry
	Source     feedonce.Feed
	Original   link
	GUID       link
	Text       template.HTML
	Lang       string
	Enclosures []enclosure
	Published  moment
	FirstSeen  moment
	Changed    moment
	Versions   []versionRow
	Decisions  []decisionRow // oldest first
	Folded     []decisionRow // copies
	Keys       []keyRow
	Told       []telling
	State      store.State
	Marks      bool     // opening it marks it as read
	Renewed    bool     // it was edited since it was read
	Back       string   // its own address
	In         *listing // the list that it was opened from; nil: none
	Previous   string   // in that list
	Next       string
	said
}

// InPath is the address of the list that the article was opened from.
func (p entryPage) InPath() string { return p.In.path() }

type versionRow struct {
	Revision int
	Title    string
	Replaced moment
}

type keyRow struct {
	Kind string
	Text string
}

// maxDecisions is how many decisions an article's page shows.
const maxDecisions = 200

func (s *server) entry(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	p := entryPage{page: s.page(r, "", "articles"), Back: r.URL.Path}
	in, opened := openedFrom(r)
	if opened {
		p.In, p.Back = &in, in.entry(feedonce.EntryID(id))
	}
	var decisions []feedonce.Decision
	var versions []feedonce.Version
	var keys []dedup.Key
	err = s.Store.View(r.Context(), func(tx *store.Tx) (err error) {
		if p.Entry, err = tx.Entry(feedonce.EntryID(id)); err != nil {
			return err
		}
		if p.Source, err = tx.Feed(p.Entry.Feed); err != nil {
			return err
		}
		if decisions, err = tx.Decisions(store.DecisionFilter{Entry: p.Entry.ID, Limit: maxDecisions}); err != nil {
			return err
		}
		if versions, err = tx.Versions(p.Entry.ID); err != nil {
			return err
		}
		if keys, err = tx.Keys(p.Entry.ID); err != nil {
			return err
		}
		if p.said, err = s.said(tx, followed(r), p.Entry.ID); err != nil {
			return err
		}
		if p.User.Admin() { // destinations are theirs
			if p.Told, err = s.tellings(tx, p.Entry.ID); err != nil {
				return err
			}
		}
		states, err := tx.States(user(r).ID, []feedonce.EntryID{p.Entry.ID})
		if err != nil {
			return err
		}
		p.State = states[p.Entry.ID]
		if opened {
			if p.Previous, p.Next, err = s.beside(tx, r, in, p.Entry, p.State); err != nil {
				return err
			}
		}
		if p.live, err = s.liveNow(tx, in); err != nil {
			return err
		}
		p.Live = false // what is new is not on this page
		if p.Side, err = s.sidebar(tx, r, in); err != nil {
			return err
		}
		return s.changed(tx, r, &p.page)
	})
	if err != nil {
		return err
	}
	p.Renewed = renewed(p.State, p.Entry)
	p.Marks = !p.User.Settings.KeepRead && (p.State.Unread || p.Renewed || p.State.Read.IsZero())
	s.readUndo(r, &p.page, p.Back)
	if back := ledUndo(r, p.Entry.ID); back != nil && len(p.Story) > 0 {
		p.Undo = back
	}
	e := p.Entry
	p.Title = titleOr(e.Title)
	p.Original, p.GUID, p.Enclosures, p.Lang = linkTo(e.URL), linkTo(e.GUID), enclosures(e.Enclosures), langTag(e.Lang)
	p.Published, p.FirstSeen, p.Changed = s.at(e.Published), s.at(e.FirstSeen), s.at(e.Changed)
	p.Text = article(e.Content, e.Summary, cmp.Or(webURL(e.URL), webURL(p.Source.SiteURL), webURL(p.Source.URL)))
	slices.Reverse(decisions)
	for _, d := range decisions {
		if !p.User.Admin() {
			d.Quiet = explain.Hush(d.Quiet)
		}
		row := s.decision(d, p.Source.Name())
		p.Decisions = append(p.Decisions, row)
		if d.Outcome == string(dedup.Duplicate) {
			p.Folded = append(p.Folded, row)
		}
	}
	for _, v := range versions {
		p.Versions = append(p.Versions, versionRow{v.Revision, v.Title, s.at(v.Replaced)})
	}
	for _, k := range keys {
		p.Keys = append(p.Keys, keyRow{keyKind(k.Kind), k.Text})
	}
	return s.render(w, "entry", p)
}

type versionPage struct {
	page
	Entry    feedonce.Entry
	Source   feedonce.Feed
	Version  feedonce.Version
	Original link
	Replaced moment
	Text     template.HTML
	Lang     string
}

// version shows an earlier content of an article.
func (s *server) version(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	revision, err := strconv.Atoi(r.PathValue("revision"))
	if err != nil {
		return errNoPage
	}
	p := versionPage{page: s.page(r, "", "articles")}
	err = s.Store.View(r.Context(), func(tx *store.Tx) (err error) {
		if p.Entry, err = tx.Entry(feedonce.EntryID(id)); err != nil {
			return err
		}
		if p.Source, err = tx.Feed(p.Entry.Feed); err != nil {
			return err
		}
		versions, err := tx.Versions(p.Entry.ID)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(versions, func(v feedonce.Version) bool { return v.Revision == revision })
		if i < 0 {
			return errNoPage
		}
		p.Version = versions[i]
		return nil
	})
	if err != nil {
		return err
	}
	p.Title = titleOr(p.Version.Title)
	p.Original, p.Replaced, p.Lang = linkTo(p.Version.URL), s.at(p.Version.Replaced), langTag(p.Entry.Lang)
	p.Text = article(p.Version.Content, p.Version.Summary, cmp.Or(webURL(p.Version.URL), webURL(p.Source.SiteURL)))
	return s.render(w, "version", p)
}

// article is the text of an article, or its summary where the feed gives no more.
func article(content, summary, base string) template.HTML {
	if strings.TrimSpace(content) == "" {
		content = summary
	}
	return template.HTML(sanitize.HTML(content, base)) //nolint:gosec // sanitised
}

func titleOr(title string) string {
	if strings.TrimSpace(title) == "" {
		return "Untitled"
	}
	return clip(title, 300)
}

// langTag is a language as HTML may declare it, or "".
func langTag(lang string) string {
	lang = strings.ReplaceAll(strings.TrimSpace(lang), "_", "-")
	if len(lang) < 2 || len(lang) > 35 || strings.Trim(strings.ToLower(lang), "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return ""
	}
	return lang
}

func keyKind(k dedup.KeyKind) string {
	switch k {
	case dedup.KeyGUID:
		return "guid"
	case dedup.KeyGUIDLink:
		return "guid and link"
	case dedup.KeyGUIDLinkTitle:
		return "guid, link and title"
	case dedup.KeyTitleDate:
		return "title and date"
	case dedup.KeyTitleDateText:
		return "title, date and text"
	case dedup.KeyLinkTitleDate:
		return "link, title and date"
	case dedup.KeyLinkTitleText:
		return "link, title and text"
	case dedup.KeyText:
		return "title and text"
	case dedup.KeyLink:
		return "link"
	}
	return "kind " + strconv.Itoa(int(k))
}

// pathID reads an ID of an address.
func pathID(r *http.Request, name string) (int64, error) {
	id, err := strconv.ParseInt(r.PathValue(name), 10, 64)
	if err != nil || id <= 0 {
		return 0, errNoPage
	}
	return id, nil
}
