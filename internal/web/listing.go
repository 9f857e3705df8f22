package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"feedonce"
	"feedonce/internal/store"
)

// A listing is a list of articles, which has an address, and which an article was opened from.
type listing struct {
	view   store.View
	feed   feedonce.FeedID // 0: all feeds
	folder *string         // nil: all; "" are the feeds in no folder
	words  string          // that are looked for; then the rest is nothing
}

func (p listing) scope() store.Scope { return store.Scope{Feed: p.feed, Folder: p.folder} }

// path is the list's address.
func (p listing) path() string {
	switch {
	case p.words != "":
		return "/?q=" + queryEscape(p.words)
	case p.feed != 0 && p.view == store.ViewUnread:
		return feedPath(p.feed) + "?view=unread"
	case p.feed != 0:
		return feedPath(p.feed)
	case p.folder != nil && p.view == store.ViewAll:
		return "/folder?name=" + queryEscape(*p.folder) + "&view=all"
	case p.folder != nil:
		return "/folder?name=" + queryEscape(*p.folder)
	case p.view == store.ViewUnread:
		return "/"
	}
	return "/" + string(p.view)
}

// within is how the address of an article says that it was opened from here: its query.
func (p listing) within() string {
	q := url.Values{"in": {string(p.view)}}
	switch {
	case p.words != "":
		return ""
	case p.feed != 0:
		q.Set("feed", strconv.FormatInt(int64(p.feed), 10))
	case p.folder != nil:
		q.Set("folder", *p.folder)
	}
	return q.Encode()
}

// entry is the address of an article of the list.
func (p listing) entry(id feedonce.EntryID) string {
	if q := p.within(); q != "" {
		return entryPath(id) + "?" + q
	}
	return entryPath(id)
}

// openedFrom reads what within wrote; false where it says nothing.
func openedFrom(r *http.Request) (listing, bool) {
	q := r.URL.Query()
	p := listing{view: store.View(q.Get("in"))}
	switch p.view {
	case store.ViewUnread, store.ViewAll:
		p.feed = feedonce.FeedID(number64(q, "feed"))
		if q.Has("folder") && p.feed == 0 {
			folder := q.Get("folder")
			p.folder = &folder
		}
	case store.ViewStarred, store.ViewHistory:
	default:
		return listing{}, false
	}
	return p, true
}

// more adds to the query of an address.
func more(address, query string) string {
	if query == "" {
		return address
	}
	if strings.Contains(address, "?") {
		return address + "&" + query
	}
	return address + "?" + query
}
