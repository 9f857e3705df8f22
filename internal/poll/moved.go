package poll

import (
	"context"
	"errors"
	"fmt"

	"feedonce"
	"feedonce/internal/fetch"
	"feedonce/internal/store"
)

// moveAfter is how many polls in a row must be redirected to the same place for good (301, 308), each giving a
// document that can be read, before a feed is moved. One such answer may be a captive portal or a mistake that is
// put right within the hour; a feed that moved by mistake finds back only by hand.
const moveAfter = 3

// moved is what a feed's row says of permanent redirects.
type moved struct {
	to   string
	seen int
}

// redirected returns what is to be noted of the redirects of a poll; nil where nothing is new.
func redirected(feed feedonce.Feed, resp *fetch.Response) *moved {
	to := resp.MovedTo
	if to == feed.URL {
		to = ""
	}
	switch {
	case to == "" && feed.MovedTo == "":
		return nil
	case to == "":
		return &moved{}
	case to != feed.MovedTo:
		return &moved{to: to, seen: 1}
	case feed.MovedSeen >= moveAfter:
		return nil // could not be moved
	}
	return &moved{to: to, seen: feed.MovedSeen + 1}
}

// believed returns where a feed is to be moved after this poll, or "".
func believed(feed feedonce.Feed, resp *fetch.Response) string {
	if m := redirected(feed, resp); m != nil && m.to != "" && m.seen >= moveAfter {
		return m.to
	}
	return ""
}

// move changes where a feed is polled. Its articles and what is known of them stay, so nothing is new for it.
func (p *Poller) move(ctx context.Context, res *Result, to string) {
	id := res.Feed.ID
	err := p.o.Store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.MoveFeed(id, to); err != nil {
			return err
		}
		return tx.SetMoved(id, "", 0)
	})
	switch {
	case err == nil:
		p.o.Log.Info("feed moved", "feed", id, "from", shown(res.Feed.URL), "to", shown(to))
		res.Feed.URL = to
	case errors.Is(err, feedonce.ErrExists):
		// The note of the redirect stays as it is, and with it the warning.
		p.o.Log.Warn("feed moved to where another feed is polled already", "feed", id, "from", shown(res.Feed.URL), "to", shown(to))
	default:
		p.o.Log.Error("cannot move the feed", "feed", id, "from", shown(res.Feed.URL), "to", shown(to), "error", err)
	}
}

// warnings returns what the answer of the server says that a person should know.
func warnings(feed feedonce.Feed, resp *fetch.Response) []string {
	if feed.MovedSeen < moveAfter || resp.MovedTo == "" || resp.MovedTo != feed.MovedTo {
		return nil
	}
	return []string{fmt.Sprintf("the feed moved for good to %s, where another feed is polled already: remove one of the two", shown(resp.MovedTo))}
}
