package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"feedonce"
	"feedonce/internal/amend"
	"feedonce/internal/fetch"
	"feedonce/internal/poll"
	"feedonce/internal/store"
)

// FeedPath is the feed in a path.
type FeedPath struct {
	Feed feedonce.FeedID `path:"feed" minimum:"1" doc:"Number of the feed"`
}

func (s *server) feedRoutes() {
	route(s, operation{id: "list-feeds", method: http.MethodGet, path: "/feeds", tag: "feeds", summary: "List feeds, by number"}, s.listFeeds)
	route(s, operation{id: "add-feed", method: http.MethodPost, path: "/feeds", tag: "feeds", summary: "Follow a feed", status: http.StatusCreated,
		about:  "The address may be that of a feed, or of a site that names one. The feed is polled at once; the articles it has are stored quietly. What goes wrong with that poll is in error of the answer: the feed is followed all the same.",
		errors: []int{http.StatusConflict, http.StatusBadGateway}}, s.addFeed)
	route(s, operation{id: "get-feed", method: http.MethodGet, path: "/feeds/{feed}", tag: "feeds", summary: "A feed", errors: []int{http.StatusNotFound}}, s.getFeed)
	route(s, operation{id: "remove-feed", method: http.MethodDelete, path: "/feeds/{feed}", tag: "feeds", summary: "Stop following a feed, and remove all that is known of it",
		status: http.StatusNoContent, errors: []int{http.StatusNotFound}}, s.removeFeed)
	route(s, operation{id: "poll-feed", method: http.MethodPost, path: "/feeds/{feed}/poll", tag: "feeds", summary: "Poll a feed now, due or not",
		about:  "A feed that cannot be read is an answer, too: its status is error.",
		errors: []int{http.StatusNotFound, http.StatusServiceUnavailable}}, s.pollFeed)
}

type feedQuery struct{ Paging }

// feedList is a page of feeds.
type feedList struct {
	Feeds []Feed `json:"feeds"`
	Next  string `json:"next,omitempty" doc:"The after of the next page; absent on the last one"`
}

func (s *server) listFeeds(ctx context.Context, in *feedQuery) (*body[feedList], error) {
	after, err := in.numberAfter()
	if err != nil {
		return nil, err
	}
	var out feedList
	err = s.view(ctx, func(tx *store.Tx) error {
		out = feedList{}
		feeds, err := tx.Feeds()
		if err != nil {
			return err
		}
		slices.SortFunc(feeds, func(a, b feedonce.Feed) int { return int(a.ID - b.ID) })
		i, _ := slices.BinarySearchFunc(feeds, after+1, func(f feedonce.Feed, id int64) int { return int(int64(f.ID) - id) })
		page, isMore := more(feeds[i:], in.Limit)
		if isMore {
			out.Next = number(page[len(page)-1].ID)
		}
		counts, err := tx.FeedCounts(time.Time{})
		if err != nil {
			return err
		}
		out.Feeds = make([]Feed, len(page))
		for i, f := range page {
			n, err := tx.EntryCount(f.ID)
			if err != nil {
				return err
			}
			out.Feeds[i] = FeedOf(f, n, counts[f.ID])
		}
		return nil
	})
	return answer(out, err)
}

func (s *server) getFeed(ctx context.Context, in *FeedPath) (*body[Feed], error) {
	var out Feed
	err := s.view(ctx, func(tx *store.Tx) (err error) {
		out, err = feed(tx, in.Feed)
		return err
	})
	return answer(out, err)
}

func feed(tx *store.Tx, id feedonce.FeedID) (Feed, error) {
	f, err := tx.Feed(id)
	if err != nil {
		return Feed{}, err
	}
	counts, err := tx.FeedCounts(time.Time{})
	if err != nil {
		return Feed{}, err
	}
	n, err := tx.EntryCount(id)
	return FeedOf(f, n, counts[id]), err
}

type newFeed struct {
	Body struct {
		URL    string `json:"url" minLength:"1" maxLength:"4096" example:"https://go.dev/blog/" doc:"Of a feed, or of a site that names one"`
		Folder string `json:"folder,omitempty" maxLength:"1000"`
		Poll   *bool  `json:"poll,omitempty" doc:"Whether to poll it at once; true by default"`
	}
}

// addFeed follows a feed. The address is looked at first: a feed that nobody can read is not worth following.
func (s *server) addFeed(ctx context.Context, in *newFeed) (*body[Feed], error) {
	folder := plain(in.Body.Folder, 1000)
	added, there, err := s.addAt(ctx, in.Body.URL, folder, func(tx *store.Tx, f feedonce.Feed) error {
		return tx.FollowAll(f.ID, folder, s.Now())
	})
	if err != nil {
		return nil, err
	}
	if there {
		return nil, followed(added)
	}
	if in.Body.Poll == nil || *in.Body.Poll {
		if err := s.pollNew(ctx, added.ID); err != nil {
			return nil, err
		}
	}
	return s.getFeed(ctx, &FeedPath{added.ID})
}

// addAt adds the feed at an address, and has somebody follow it in the same transaction. there says that it was there already.
func (s *server) addAt(ctx context.Context, text, folder string, follow func(*store.Tx, feedonce.Feed) error) (f feedonce.Feed, there bool, err error) {
	address, err := webAddress(text)
	if err != nil {
		return f, false, err
	}
	err = s.Store.Update(ctx, func(tx *store.Tx) (err error) {
		if f, err = tx.FeedByURL(address); err != nil {
			return err
		}
		return follow(tx, f)
	})
	if !errors.Is(err, feedonce.ErrNotFound) {
		return f, true, err
	}
	add := store.NewFeed{URL: address, Folder: folder, Added: s.Now()}
	if s.Client != nil {
		found, err := s.find(ctx, address)
		if err != nil {
			return f, false, err
		}
		add.URL, add.Title = found.URL, plain(found.Title, 500)
	}
	err = s.Store.Update(ctx, func(tx *store.Tx) (err error) {
		there = false
		f, err = tx.AddFeed(add)
		if errors.Is(err, feedonce.ErrExists) {
			there, err = true, nil
		}
		if err != nil {
			return err
		}
		return follow(tx, f)
	})
	return f, there, err
}

// pollNew polls a feed that was added. What goes wrong is stored with it, and in the answer.
func (s *server) pollNew(ctx context.Context, id feedonce.FeedID) error {
	if s.Poller == nil {
		return nil
	}
	if res, err := s.Poller.Poll(ctx, id); res.Status == "" && err != nil {
		return err
	}
	return nil
}

// find returns the one feed at an address.
func (s *server) find(ctx context.Context, address string) (fetch.Candidate, error) {
	found, _, err := s.Client.Find(ctx, address)
	var failed *fetch.Error
	switch {
	case errors.As(err, &failed) && (failed.Kind == fetch.KindURL || failed.Kind == fetch.KindForbidden):
		return fetch.Candidate{}, &feedonce.InvalidError{Field: "url", Reason: "cannot be polled: " + failed.Reason}
	case errors.As(err, &failed):
		return fetch.Candidate{}, fail(http.StatusBadGateway, "%s", sentence(failed.Reason))
	case err != nil:
		return fetch.Candidate{}, err
	case len(found) == 0:
		return fetch.Candidate{}, &feedonce.InvalidError{Field: "url", Reason: "is of a page that names no feed, and there is none at the usual places; give the address of the feed itself"}
	case len(found) > 1:
		var list []string
		for _, c := range found[:min(len(found), 20)] {
			list = append(list, c.URL)
		}
		return fetch.Candidate{}, &feedonce.InvalidError{Field: "url", Reason: "is of a page that names several feeds; give one of them: " + strings.Join(list, " ")}
	}
	return found[0], nil
}

func followed(f feedonce.Feed) error {
	return fail(http.StatusConflict, "This is followed already, as feed %d, %s.", f.ID, plain(f.URL, 500))
}

// webAddress completes an address as people write it, such as example.org.
func webAddress(text string) (string, error) {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || plain(text, 4096) != text {
		return "", &feedonce.InvalidError{Field: "url", Reason: "must be that of a feed or site, and start with http:// or https://"}
	}
	return text, nil
}

func (s *server) removeFeed(ctx context.Context, in *FeedPath) (*none, error) {
	return nil, amend.RemoveFeeds(ctx, s.Store, s.by(ctx), in.Feed)
}

// Poll is what a poll gave.
type Poll struct {
	Feed    feedonce.FeedID    `json:"feed"`
	Status  string             `json:"status" enum:"new,changed,unchanged,not modified,error"`
	Items   int                `json:"items" doc:"Of the document"`
	Counts  Counts             `json:"counts" doc:"Items by outcome"`
	New     []feedonce.EntryID `json:"new" doc:"The new articles"`
	Error   string             `json:"error,omitempty"`
	Warning string             `json:"warning,omitempty"`
	Seconds float64            `json:"seconds"`
}

func (s *server) pollFeed(ctx context.Context, in *FeedPath) (*body[Poll], error) {
	if s.Poller == nil {
		return nil, fail(http.StatusServiceUnavailable, "Polling is done by another process here; the feed is polled when it is due.")
	}
	res, err := s.Poller.Poll(ctx, in.Feed)
	if res.Status == "" {
		return nil, err
	}
	return answer(pollOf(in.Feed, res), nil)
}

func pollOf(id feedonce.FeedID, r poll.Result) Poll {
	p := Poll{Feed: id, Status: r.Status, Items: r.Report.Items, Counts: Counts(r.Report.Counts), New: r.Report.New, Warning: r.Report.Warning, Seconds: r.Took.Seconds()}
	if p.New == nil {
		p.New = []feedonce.EntryID{}
	}
	if r.Err != nil {
		p.Error = sentence(r.Err.Error())
	}
	return p
}
