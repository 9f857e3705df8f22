package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"feedonce"
	"feedonce/internal/shape"
	"feedonce/internal/store"
)

// What a token's user follows and has read. All of it is theirs: nothing here is about feeds that they do not follow.

func (s *server) meRoutes() {
	route(s, operation{id: "me", method: http.MethodGet, path: "/me", tag: "me", personal: true, summary: "Whose token this is, and what it may"}, s.me)
	route(s, operation{id: "my-entries", method: http.MethodGet, path: "/me/entries", tag: "me", personal: true, summary: "List what there is to read: each story once",
		about: "Unread articles, newest first, unless another view is asked for. History is what was read, the latest first."}, s.myEntries)
	route(s, operation{id: "my-counts", method: http.MethodGet, path: "/me/counts", tag: "me", personal: true, summary: "How much is unread, in all, by feed and by folder"}, s.myCounts)
	route(s, operation{id: "set-my-state", method: http.MethodPut, path: "/me/entries/{entry}/state", tag: "me", personal: true, summary: "Mark an article as read or unread, star it or take the star away",
		about: "What is left out stays as it is. Reading an article reads its copies in other feeds.", errors: []int{http.StatusNotFound}}, s.setMyState)
	route(s, operation{id: "my-subscriptions", method: http.MethodGet, path: "/me/subscriptions", tag: "me", personal: true, summary: "List the feeds that are followed"}, s.mySubscriptions)
	route(s, operation{id: "follow", method: http.MethodPost, path: "/me/subscriptions", tag: "me", personal: true, summary: "Follow a feed, by its address or that of its site", status: http.StatusCreated,
		about:  "A feed that somebody follows already is the same feed, polled once; else it is added and polled.",
		errors: []int{http.StatusBadGateway}}, s.follow)
	route(s, operation{id: "my-subscription", method: http.MethodGet, path: "/me/subscriptions/{feed}", tag: "me", personal: true, summary: "A feed that is followed",
		errors: []int{http.StatusNotFound}}, s.mySubscription)
	route(s, operation{id: "set-my-subscription", method: http.MethodPut, path: "/me/subscriptions/{feed}", tag: "me", personal: true, summary: "Set the title and folder of a feed that is followed",
		about:  "An administrator follows a feed of this number by it, where they do not yet.",
		errors: []int{http.StatusNotFound}}, s.setMySubscription)
	route(s, operation{id: "unfollow", method: http.MethodDelete, path: "/me/subscriptions/{feed}", tag: "me", personal: true, summary: "Follow a feed no more", status: http.StatusNoContent,
		about: "The feed and its articles stay, and what was starred stays starred.", errors: []int{http.StatusNotFound}}, s.unfollow)
}

// Me is whose token it is.
type Me struct {
	ID    feedonce.UserID `json:"id"`
	Name  string          `json:"name"`
	Role  string          `json:"role" enum:"admin,reader"`
	Token string          `json:"token" doc:"Name of the token"`
	Write bool            `json:"write" doc:"The token may change things"`
}

func (s *server) me(ctx context.Context, _ *struct{}) (*body[Me], error) {
	u, t := caller(ctx), tokenOf(ctx)
	return answer(Me{u.ID, u.Name, string(u.Role), t.Name, t.Write}, nil)
}

type myEntriesQuery struct {
	View    string          `query:"view" enum:"unread,all,starred,history" default:"unread" doc:"Which articles"`
	Feed    feedonce.FeedID `query:"feed" minimum:"1" doc:"Only of this feed"`
	Folder  string          `query:"folder" maxLength:"1000" doc:"Only of the feeds in this folder"`
	Unfiled bool            `query:"unfiled" doc:"Only of the feeds in no folder"`
	Oldest  bool            `query:"oldest" doc:"The oldest first; only with the views unread and all"`
	Texts   bool            `query:"texts" doc:"With summary and content"`
	Paging
}

// MyEntry is an article to read.
type MyEntry struct {
	shape.Entry
	Unread  bool       `json:"unread"`
	Read    *time.Time `json:"read,omitempty" doc:"When it was opened or marked by itself"`
	Starred *time.Time `json:"starred,omitempty"`
	Newer   bool       `json:"updated_since_read,omitempty" doc:"There is a newer version than the one that was read"`
	Copies  int        `json:"copies" doc:"Of the same story in other feeds that are followed, and arrivals that were folded into it"`
}

type myEntryList struct {
	Entries []MyEntry `json:"entries"`
	Next    string    `json:"next,omitempty" doc:"The after of the next page; absent on the last one"`
}

func (s *server) myEntries(ctx context.Context, in *myEntriesQuery) (*body[myEntryList], error) {
	after, err := in.momentAfter()
	if err != nil {
		return nil, err
	}
	f := store.RiverFilter{User: caller(ctx).ID, View: store.View(in.View), Scope: store.Scope{Feed: in.Feed}, Oldest: in.Oldest, Limit: in.Limit + 1, Before: after}
	if in.Unfiled || in.Folder != "" {
		folder := in.Folder
		if in.Unfiled {
			folder = ""
		}
		f.Scope.Folder = &folder
	}
	var out myEntryList
	err = s.view(ctx, func(tx *store.Tx) error {
		out = myEntryList{}
		found, err := tx.River(f)
		if err != nil {
			return err
		}
		page, isMore := more(found, in.Limit)
		if isMore {
			last := page[len(page)-1]
			out.Next = momentNext(last.At, int64(last.Entry.ID))
		}
		var texts map[feedonce.EntryID]feedonce.Entry
		if in.Texts {
			ids := make([]feedonce.EntryID, len(page))
			for i, row := range page {
				ids[i] = row.Entry.ID
			}
			if texts, err = tx.EntriesWithTexts(ids); err != nil {
				return err
			}
		}
		out.Entries = make([]MyEntry, len(page))
		for i, row := range page {
			e := row.Entry
			if whole, ok := texts[e.ID]; ok {
				e = whole
			}
			st := row.State
			out.Entries[i] = MyEntry{Entry: shape.EntryOf(e), Unread: st.Unread, Read: shape.Moment(st.Read), Starred: shape.Moment(st.Starred),
				Newer: !st.Read.IsZero() && st.Revision < e.Revision, Copies: row.Copies}
		}
		return nil
	})
	return answer(out, err)
}

// MyCounts are numbers of unread articles.
type MyCounts struct {
	Unread  int64            `json:"unread" doc:"A story counts once"`
	Feeds   []FeedUnread     `json:"feeds" doc:"That have any"`
	Folders map[string]int64 `json:"folders" doc:"A story counts once in each"`
}

// FeedUnread is how much of a feed is unread.
type FeedUnread struct {
	Feed   feedonce.FeedID `json:"feed"`
	Unread int64           `json:"unread"`
}

func (s *server) myCounts(ctx context.Context, _ *struct{}) (*body[MyCounts], error) {
	var out MyCounts
	err := s.view(ctx, func(tx *store.Tx) error {
		c, err := tx.UnreadCounts(caller(ctx).ID)
		if err != nil {
			return err
		}
		subs, err := tx.Subscriptions(caller(ctx).ID)
		out = MyCounts{Unread: c.All, Feeds: []FeedUnread{}, Folders: c.Folders}
		for _, sub := range subs {
			if n := c.Feeds[sub.Feed]; n > 0 {
				out.Feeds = append(out.Feeds, FeedUnread{sub.Feed, n})
			}
		}
		return err
	})
	return answer(out, err)
}

type stateInput struct {
	EntryPath
	Body struct {
		Read    *bool `json:"read,omitempty"`
		Starred *bool `json:"starred,omitempty"`
	}
}

// EntryState is what a user did with an article.
type EntryState struct {
	Entry   feedonce.EntryID `json:"entry"`
	Unread  bool             `json:"unread"`
	Starred bool             `json:"starred"`
}

func (s *server) setMyState(ctx context.Context, in *stateInput) (*body[EntryState], error) {
	who := caller(ctx).ID
	out := EntryState{Entry: in.Entry}
	err := s.Store.Update(ctx, func(tx *store.Tx) error {
		e, err := tx.Entry(in.Entry)
		if err != nil {
			return err
		}
		switch _, err := tx.Subscription(who, e.Feed); {
		case errors.Is(err, feedonce.ErrNotFound): // as if it were not there
			return fmt.Errorf("entry %d: %w", in.Entry, feedonce.ErrNotFound)
		case err != nil:
			return err
		}
		if in.Body.Read != nil && *in.Body.Read {
			_, err = tx.MarkRead(who, s.Now(), in.Entry)
		} else if in.Body.Read != nil {
			err = tx.MarkUnread(who, in.Entry)
		}
		if err == nil && in.Body.Starred != nil {
			err = tx.Star(who, in.Entry, *in.Body.Starred, s.Now())
		}
		if err != nil {
			return err
		}
		states, err := tx.States(who, []feedonce.EntryID{in.Entry})
		out.Unread, out.Starred = states[in.Entry].Unread, !states[in.Entry].Starred.IsZero()
		return err
	})
	return answer(out, err)
}
