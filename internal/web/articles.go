package web

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"feedonce"
	"feedonce/internal/store"
)

// pageSize is how many articles a page lists.
const pageSize = 50

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

// liveNow is how far a page is up to date, and where it announces what comes after it was made. It is read before what the page
// shows, in the same transaction.
func (s *server) liveNow(tx *store.Tx, at listing) (l live, err error) {
	last, err := tx.Decisions(store.DecisionFilter{Limit: 1})
	if err != nil {
		return l, err
	}
	if len(last) > 0 {
		l.After = last[0].ID
	}
	if l.Seen, err = tx.LastChange(); err != nil {
		return l, err
	}
	fresh := url.Values{"seen": {strconv.FormatInt(l.Seen, 10)}}
	for _, f := range newReadAllForm(at, l.Seen).Fields {
		fresh.Set(f.Name, f.Value)
	}
	l.Live = at.words == "" && (at.view == store.ViewUnread || at.view == store.ViewAll)
	l.Fresh, l.Here = fresh.Encode(), at.path()
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
