package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"feedonce"
	"feedonce/internal/amend"
	"feedonce/internal/store"
)

type heldPage struct {
	page
	State  string // "open", "accepted", "rejected"
	Feed   *feedonce.Feed
	Open   int64
	Rows   []heldRow
	Older  string
	Newest string
}

// A heldRow is an item that a policy holds, or held.
type heldRow struct {
	decisionRow
	Since, Closed moment
	Who           string
	Became        feedonce.EntryID
}

// held lists what the policies of feeds hold until a person decides.
func (s *server) held(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	p := heldPage{page: s.page(r, "Held", "decisions"), State: q.Get("state")}
	f := store.HeldFilter{User: followed(r), State: store.HeldState(p.State), Limit: pageSize + 1, Before: number64(q, "before"), Feed: feedonce.FeedID(number64(q, "feed"))}
	if p.State == "" {
		p.State = string(store.HeldOpen)
	}
	address := func(before int64) string {
		next := url.Values{"state": {p.State}}
		if f.Feed != 0 {
			next.Set("feed", fmt.Sprint(f.Feed))
		}
		if before > 0 {
			next.Set("before", fmt.Sprint(before))
		}
		return "/quarantine?" + next.Encode()
	}
	if f.Before > 0 {
		p.Newest = address(0)
	}
	err := s.Store.View(r.Context(), func(tx *store.Tx) error {
		p.Rows, p.Open, p.Feed = nil, 0, nil
		if f.Feed != 0 {
			if err := maySee(tx, f.User, f.Feed); err != nil {
				return err
			}
			feed, err := tx.Feed(f.Feed)
			if err != nil {
				return err
			}
			p.Feed = &feed
		}
		counts, err := tx.HeldCounts(f.User)
		if err != nil {
			return err
		}
		for id, n := range counts {
			if f.Feed == 0 || f.Feed == id {
				p.Open += n
			}
		}
		items, err := tx.HeldItems(f)
		if err != nil {
			return err
		}
		if len(items) > pageSize {
			items = items[:pageSize]
			p.Older = address(items[pageSize-1].Decision.ID)
		}
		for _, h := range items {
			p.Rows = append(p.Rows, heldRow{s.decision(h.Decision, h.FeedName), s.at(h.Since), s.at(h.Closed), h.Who, h.Entry})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.render(w, "held", p)
}

func (s *server) accept(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	entry, err := amend.Accept(r.Context(), s.Store, id, s.by(r))
	if err != nil {
		return err
	}
	http.Redirect(w, r, "/quarantine?done=accepted&new="+strconv.FormatInt(int64(entry), 10), http.StatusSeeOther)
	return nil
}

// confirmReject asks before an item is left out for good.
func (s *server) confirmReject(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	return s.confirm(w, r, "decisions", func(tx *store.Tx, p *confirmPage) error {
		h, err := tx.HeldItem(id)
		if err != nil {
			return err
		}
		p.Heading, p.Button, p.Action, p.Back = "Leave it out?", "Leave it out for good", fmt.Sprintf("/quarantine/%d/reject", id), "/quarantine"
		p.Says = []string{
			fmt.Sprintf("What came on %s in %s, %s, does not become an article, and nobody is asked about it again. Nobody was told of it.", s.stamp(h.Decision.At), shortTitle(h.FeedName), shortTitle(h.Decision.Title)),
			"It stays in the log of decisions as it came. This cannot be undone.",
		}
		return nil
	})
}

func (s *server) reject(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	if err := amend.Reject(r.Context(), s.Store, id, s.by(r)); err != nil {
		return err
	}
	http.Redirect(w, r, "/quarantine?done=rejected", http.StatusSeeOther)
	return nil
}

// confirmAcceptAlways asks before a feed's policy holds nothing more.
func (s *server) confirmAcceptAlways(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	return s.confirm(w, r, "decisions", func(tx *store.Tx, p *confirmPage) error {
		f, err := tx.Feed(feedonce.FeedID(id))
		if err != nil {
			return err
		}
		counts, err := tx.HeldCounts(0)
		if err != nil {
			return err
		}
		p.Heading, p.Button, p.Action, p.Back = "Accept always for this feed?", "Accept always", feedPath(f.ID)+"/accept-always", "/quarantine"
		p.Says = []string{
			fmt.Sprintf("Items of %s that have no guid are no longer held: they are identified by link, title, date and text.", shortTitle(f.Name())),
			sentence(plural(counts[f.ID], "item that is held becomes an article now", "items that are held become articles now") + ", oldest first, told as they would have been"),
			"The policy can be changed back on the page of the feed; the articles stay.",
		}
		return nil
	})
}

func (s *server) acceptAlways(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	entries, err := amend.AcceptAlways(r.Context(), s.Store, feedonce.FeedID(id), s.by(r))
	if err != nil {
		return err
	}
	http.Redirect(w, r, "/quarantine?done=accepted-always&new="+strconv.Itoa(len(entries)), http.StatusSeeOther)
	return nil
}
