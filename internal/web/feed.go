package web

import (
	"errors"
	"net/http"
	"time"

	"feedonce"
	"feedonce/internal/amend"
	"feedonce/internal/store"
)

type feedPage struct {
	page
	Row      feedRow
	CanPoll  bool
	Mine     *feedonce.Subscription // the user's; nil: they do not follow it
	Folders  []string               // that they have
	Others   int                    // who follow it, too
	Articles int64
	Policy   []string // what its policy means
	Held     int64    // items that it holds
	Polls    []pollRow
	Tabs     []sideLink
	List     articleList
}

// feed shows a feed's state and articles.
func (s *server) feed(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	p := feedPage{page: s.page(r, "", "feeds"), CanPoll: s.Poller != nil}
	err = s.Store.View(r.Context(), func(tx *store.Tx) error {
		one := []feedonce.FeedID{feedonce.FeedID(id)}
		f, err := tx.Feed(one[0])
		if err != nil {
			return err
		}
		views, err := tx.FeedViews(one)
		if err != nil {
			return err
		}
		if err := s.renameViews(tx, r, views); err != nil {
			return err
		}
		counts, err := tx.DayCountsByFeed(time.Time{}, one)
		if err != nil {
			return err
		}
		month, err := tx.DayCountsByFeed(s.Now().AddDate(0, 0, -recentDays+1), one)
		if err != nil {
			return err
		}
		followers, err := tx.Followers(f.ID)
		if err != nil {
			return err
		}
		p.Mine, p.Others = nil, 0
		for _, sub := range followers {
			if sub.User == user(r).ID {
				p.Mine = &sub
			} else {
				p.Others++
			}
		}
		if p.Folders, err = foldersOf(tx, user(r).ID); err != nil {
			return err
		}
		polls, err := tx.Polls(f.ID)
		if err != nil {
			return err
		}
		p.Polls = nil
		for _, one := range polls {
			p.Polls = append(p.Polls, s.pollRow(one))
		}
		p.Row = s.viewRow(views[f.ID], month[f.ID])
		p.Row.Counts = counts[f.ID]
		if p.Articles, err = tx.EntryCount(f.ID); err != nil {
			return err
		}
		policy, err := amend.ParsePolicy(f.Policy)
		if err != nil {
			return err
		}
		held, err := tx.HeldCounts(0)
		if err != nil {
			return err
		}
		p.Policy, p.Held = policy.Sentences(), held[f.ID]
		at := listing{feed: f.ID, view: store.ViewAll}
		if r.FormValue("view") == string(store.ViewUnread) && p.Mine != nil {
			at.view = store.ViewUnread
		}
		if p.live, err = s.liveNow(tx, at); err != nil {
			return err
		}
		if p.Side, err = s.sidebar(tx, r, at); err != nil {
			return err
		}
		p.Tabs = nil
		if p.Mine != nil {
			p.Tabs = tabs(at, p.Side.unreadOf(at))
		}
		p.List, err = s.list(tx, r, at, p.Side, p.live.Seen)
		return err
	})
	if err != nil {
		return err
	}
	p.Title = clip(p.Row.Name(), 300)
	p.Live = p.List.Newer == "" && p.Mine != nil
	s.readUndo(r, &p.page, p.List.Back)
	return s.render(w, "feed", p)
}

func (s *server) pollFeed(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	if s.Poller == nil {
		return &feedonce.InvalidError{Field: "polling", Reason: "is done by another process here; the feed is polled when it is due"}
	}
	res, err := s.Poller.Poll(r.Context(), feedonce.FeedID(id))
	if errors.Is(err, feedonce.ErrNotFound) || r.Context().Err() != nil {
		return err
	}
	http.Redirect(w, r, pollNotice("polled", feedonce.FeedID(id), res, err), http.StatusSeeOther)
	return nil
}

func (s *server) pauseFeed(w http.ResponseWriter, r *http.Request) error {
	return s.setState(w, r, feedonce.FeedPaused, "paused")
}

func (s *server) resumeFeed(w http.ResponseWriter, r *http.Request) error {
	return s.setState(w, r, feedonce.FeedActive, "resumed")
}

func (s *server) setState(w http.ResponseWriter, r *http.Request, state feedonce.FeedState, done string) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	err = s.Store.Update(r.Context(), func(tx *store.Tx) error { return tx.SetFeedState(feedonce.FeedID(id), state) })
	if err != nil {
		return err
	}
	http.Redirect(w, r, feedPath(feedonce.FeedID(id))+"?done="+done, http.StatusSeeOther)
	return nil
}

type removePage struct {
	page
	Row      feedRow
	Articles int64
}

// confirmRemove asks before a feed goes with everything that came from it.
func (s *server) confirmRemove(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	p := removePage{page: s.page(r, "Remove a feed", "feeds")}
	err = s.Store.View(r.Context(), func(tx *store.Tx) error {
		f, err := tx.Feed(feedonce.FeedID(id))
		if err != nil {
			return err
		}
		p.Row = s.feedRow(f, feedonce.Counts{})
		p.Articles, err = tx.EntryCount(f.ID)
		return err
	})
	if err != nil {
		return err
	}
	return s.render(w, "remove", p)
}

func (s *server) removeFeed(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	if err := amend.RemoveFeeds(r.Context(), s.Store, s.by(r), feedonce.FeedID(id)); err != nil {
		return err
	}
	http.Redirect(w, r, "/feeds?done=removed", http.StatusSeeOther)
	return nil
}
