package web

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"feedonce"
	"feedonce/internal/query"
	"feedonce/internal/store"
)

// pageSize is how many articles a page lists.
const pageSize = 50

type articlesPage struct {
	page
	Words    string
	Progress string // how far search is, while it is not up to date
	List     articleList
	First    bool // there are no feeds yet: say what to do
}

// An articleList is one page of articles, newest first.
type articleList struct {
	Days  []day
	Older string // address of the next page; "" on the last
	Newer string // address of the first page; "" on the first
	Named bool   // each article says which feed it is of
}

type day struct {
	Name     string
	Articles []articleRow
}

type articleRow struct {
	ID     feedonce.EntryID
	Title  string
	Feed   feedonce.FeedID
	Source string
	Author string
	Age    moment
	Edits  int
	Media  string // "audio", "video" or ""
	// Snippet is the text around what was looked for; nil where nothing was, or only the title has it.
	Snippet []query.Segment
}

// articles is the river: all articles, newest first.
func (s *server) articles(w http.ResponseWriter, r *http.Request) error {
	p := articlesPage{page: s.page(r, "Articles", "articles"), Words: strings.TrimSpace(r.FormValue("q"))}
	err := s.Store.View(r.Context(), func(tx *store.Tx) (err error) {
		if p.List, err = s.list(tx, r, store.EntryFilter{User: followed(r), Words: p.Words}, "/"); err != nil {
			return err
		}
		if len(p.List.Days) == 0 && p.Words == "" && p.List.Newer == "" {
			feeds, err := visibleFeeds(tx, r)
			if err != nil {
				return err
			}
			p.First = len(feeds) == 0
		}
		if p.Progress, err = searchProgress(tx, p.Words); err != nil {
			return err
		}
		p.live, err = s.liveNow(tx, 0, "/")
		return err
	})
	if err != nil {
		return err
	}
	if p.Words != "" || p.List.Newer != "" {
		p.Live = false // what is new is not on this page
	}
	return s.render(w, "articles", p)
}

// list reads one page of articles. base is the address without paging.
func (s *server) list(tx *store.Tx, r *http.Request, f store.EntryFilter, base string) (articleList, error) {
	l := articleList{Named: f.Feed == 0}
	address := func(before string) string {
		q := ""
		if f.Words != "" {
			q = "q=" + queryEscape(f.Words)
		}
		if before != "" {
			q = strings.TrimPrefix(q+"&before="+before, "&")
		}
		if q == "" {
			return base
		}
		return base + "?" + q
	}
	if before := r.FormValue("before"); before != "" {
		var err error
		if f.Before, err = parseCursor(before); err != nil {
			return l, err
		}
		l.Newer = address("")
	}
	size := cmp.Or(user(r).Settings.PageSize, pageSize)
	f.Limit = size + 1
	entries, snippets, err := find(tx, f)
	if err != nil {
		return l, err
	}
	if len(entries) > size {
		entries = entries[:size]
		last := entries[size-1]
		l.Older = address(formatCursor(store.Cursor{Time: last.Time(), ID: int64(last.ID)}))
	}
	names := namer{tx: tx}
	for _, e := range entries {
		age := s.at(e.Time())
		if n := len(l.Days); n == 0 || l.Days[n-1].Name != age.Day() {
			l.Days = append(l.Days, day{Name: age.Day()})
		}
		source, err := names.feed(e.Feed)
		if err != nil {
			return l, err
		}
		d := &l.Days[len(l.Days)-1]
		d.Articles = append(d.Articles, articleRow{
			ID: e.ID, Title: e.Title, Feed: e.Feed, Source: source.Name(), Author: e.Author, Age: age, Edits: e.Revision - 1, Media: media(e.Enclosures),
			Snippet: snippets[e.ID].Text,
		})
	}
	return l, nil
}

// namer looks feeds up, each once.
type namer struct {
	tx    *store.Tx
	feeds map[feedonce.FeedID]feedonce.Feed
}

func (n *namer) feed(id feedonce.FeedID) (feedonce.Feed, error) {
	if f, ok := n.feeds[id]; ok {
		return f, nil
	}
	f, err := n.tx.Feed(id)
	if errors.Is(err, feedonce.ErrNotFound) {
		f = feedonce.Feed{ID: id, Title: "a feed that was removed just now"}
	} else if err != nil {
		return f, err
	}
	if n.feeds == nil {
		n.feeds = map[feedonce.FeedID]feedonce.Feed{}
	}
	n.feeds[id] = f
	return f, nil
}

// liveNow is where a page announces what comes after it was made.
func (s *server) liveNow(tx *store.Tx, feed feedonce.FeedID, here string) (live, error) {
	last, err := tx.Decisions(store.DecisionFilter{Limit: 1})
	if err != nil {
		return live{}, err
	}
	l := live{Live: true, Feed: int64(feed), Here: here}
	if len(last) > 0 {
		l.After = last[0].ID
	}
	return l, nil
}

// A cursor in an address is microseconds and ID, with "_" between.
func formatCursor(c store.Cursor) string {
	return strconv.FormatInt(c.Time.UnixMicro(), 10) + "_" + strconv.FormatInt(c.ID, 10)
}

func parseCursor(s string) (store.Cursor, error) {
	t, id, _ := strings.Cut(s, "_")
	micros, err := strconv.ParseInt(t, 10, 64)
	if err == nil {
		var n int64
		if n, err = strconv.ParseInt(id, 10, 64); err == nil {
			return store.Cursor{Time: time.UnixMicro(micros).UTC(), ID: n}, nil
		}
	}
	return store.Cursor{}, &feedonce.InvalidError{Field: "the place in the list", Reason: "cannot be read; go back to the first page"}
}

// media is the kind of player an article has.
func media(enclosures []feedonce.Enclosure) string {
	for _, e := range enclosures {
		if kind := player(e); kind == "audio" || kind == "video" {
			return kind
		}
	}
	return ""
}
