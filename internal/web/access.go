package web

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"feedonce"
	"feedonce/internal/store"
)

// Who may come where. Every route names its access; there is no default, so that a new one cannot be forgotten. A reader sees
// the feeds that they follow, with their articles and decisions, and changes what is decided in those that nobody else follows.
// What they may not see is not found, as if it were not there. An administrator sees and changes everything.

// An access says who may use a route.
type access struct {
	open bool // also who is not signed in
	// admin says that only administrators may.
	admin bool
	// of returns the feeds that the address is about; nil: it is about none.
	of func(*store.Tx, *http.Request) ([]feedonce.FeedID, error)
	// changes says that what all followers of these feeds see is changed.
	changes bool
	// token says that programs may, by a token.
	token bool
	// plain says that it does not matter who asks, and the database is not asked for it.
	plain bool
}

var (
	plain    = access{plain: true}
	anyone   = access{open: true}
	signedIn = access{} // what a list shows is for the handler to choose, by followed
	admins   = access{admin: true}
)

// reads is access to what feeds have; alters is access to change it for all who follow them.
func reads(of func(*store.Tx, *http.Request) ([]feedonce.FeedID, error)) access {
	return access{of: of}
}
func alters(of func(*store.Tx, *http.Request) ([]feedonce.FeedID, error)) access {
	return access{of: of, changes: true}
}

// What addresses are about.
func ofFeed(_ *store.Tx, r *http.Request) ([]feedonce.FeedID, error) {
	id, err := pathID(r, "id")
	return []feedonce.FeedID{feedonce.FeedID(id)}, err
}

func ofEntry(tx *store.Tx, r *http.Request) ([]feedonce.FeedID, error) {
	e, err := pathEntry(tx, r)
	return []feedonce.FeedID{e.Feed}, err
}

// pathEntry is the article that an address names.
func pathEntry(tx *store.Tx, r *http.Request) (feedonce.Entry, error) {
	id, err := pathID(r, "id")
	if err != nil {
		return feedonce.Entry{}, err
	}
	return tx.Entry(feedonce.EntryID(id))
}

// ofStory is about the feeds of all articles of the story that an article is in.
func ofStory(tx *store.Tx, r *http.Request) ([]feedonce.FeedID, error) {
	e, err := pathEntry(tx, r)
	if err != nil {
		return nil, err
	}
	feeds := []feedonce.FeedID{e.Feed}
	story, err := tx.StoryOf(e.ID)
	if errors.Is(err, feedonce.ErrNotFound) {
		return feeds, nil
	}
	if err != nil {
		return nil, err
	}
	members, err := tx.Memberships(story)
	for _, m := range members {
		feeds = append(feeds, m.Feed)
	}
	return feeds, err
}

func ofDecision(tx *store.Tx, r *http.Request) ([]feedonce.FeedID, error) {
	id, err := pathID(r, "id")
	if err != nil {
		return nil, err
	}
	d, err := tx.Decision(id)
	return []feedonce.FeedID{d.Feed}, err
}

func ofHeld(tx *store.Tx, r *http.Request) ([]feedonce.FeedID, error) {
	id, err := pathID(r, "id")
	if err != nil {
		return nil, err
	}
	h, err := tx.HeldItem(id)
	return []feedonce.FeedID{h.Decision.Feed}, err
}

// ofChange is about the feeds of both articles, as a story is of two.
func ofChange(tx *store.Tx, r *http.Request) ([]feedonce.FeedID, error) {
	id, err := pathID(r, "id")
	if err != nil {
		return nil, err
	}
	am, err := tx.Amendment(id)
	if err != nil {
		return nil, err
	}
	feeds := []feedonce.FeedID{am.Feed}
	more, err := feedsOf(tx, am.A, am.B)
	return append(feeds, more...), err
}

// ofPair is about the feeds of the articles that a form names.
func ofPair(tx *store.Tx, r *http.Request) ([]feedonce.FeedID, error) {
	return feedsOf(tx, formID(r, "a"), formID(r, "b"))
}

// ofEntryAnd is about the feed of the article in the address, and that of the one that a form names.
func ofEntryAnd(field string) func(*store.Tx, *http.Request) ([]feedonce.FeedID, error) {
	return func(tx *store.Tx, r *http.Request) ([]feedonce.FeedID, error) {
		feeds, err := ofEntry(tx, r)
		if err != nil {
			return nil, err
		}
		n, err := strconv.ParseInt(strings.TrimSpace(r.FormValue(field)), 10, 64)
		if err != nil {
			return feeds, nil //nolint:nilerr // the handler says what is wrong with it
		}
		more, err := feedsOf(tx, feedonce.EntryID(n))
		return append(feeds, more...), err
	}
}

// feedsOf returns the feeds of entries; those that are not there are for the handler to miss.
func feedsOf(tx *store.Tx, ids ...feedonce.EntryID) (feeds []feedonce.FeedID, err error) {
	for _, id := range ids {
		if id == 0 {
			continue
		}
		e, err := tx.Entry(id)
		if errors.Is(err, feedonce.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		feeds = append(feeds, e.Feed)
	}
	return feeds, nil
}

var (
	errSignIn = errors.New("not signed in")
	errAdmins = errors.New("for administrators")
	errShared = errors.New("others follow the feed")
)

type userKey struct{}

// user returns who a request is from; the zero User where nobody is signed in.
func user(r *http.Request) feedonce.User {
	u, _ := r.Context().Value(userKey{}).(feedonce.User)
	return u
}

// followed returns whose feeds a list is to have: those of a reader; 0, which is all, for an administrator.
func followed(r *http.Request) feedonce.UserID {
	if u := user(r); !u.Admin() {
		return u.ID
	}
	return 0
}

// maySee returns ErrNotFound where a list asks for a feed that a reader does not follow; user 0 sees all.
func maySee(tx *store.Tx, reader feedonce.UserID, feed feedonce.FeedID) error {
	if reader == 0 {
		return nil
	}
	return mayUse(tx, reader, false, []feedonce.FeedID{feed})
}

// visibleEntry returns an entry that a reader may see (0: any), or ErrNotFound.
func visibleEntry(tx *store.Tx, reader feedonce.UserID, id feedonce.EntryID) (feedonce.Entry, error) {
	e, err := tx.Entry(id)
	if err == nil {
		err = maySee(tx, reader, e.Feed)
	}
	if err != nil {
		return feedonce.Entry{}, err
	}
	return e, nil
}

// onlySeen returns those of some entries that a reader may see.
func onlySeen(tx *store.Tx, reader feedonce.UserID, ids []feedonce.EntryID) (out []feedonce.EntryID, err error) {
	if reader == 0 {
		return ids, nil
	}
	for _, id := range ids {
		switch _, err := visibleEntry(tx, reader, id); {
		case err == nil:
			out = append(out, id)
		case !errors.Is(err, feedonce.ErrNotFound):
			return nil, err
		}
	}
	return out, nil
}

// maySeeChange returns ErrNotFound where a change is of what a reader does not follow.
func maySeeChange(tx *store.Tx, reader feedonce.UserID, am store.Amendment) error {
	if reader == 0 {
		return nil
	}
	feeds, err := feedsOf(tx, am.A, am.B)
	if err != nil {
		return err
	}
	return mayUse(tx, reader, false, append(feeds, am.Feed))
}

// subscribed returns what a user follows, never nil.
func subscribed(tx *store.Tx, who feedonce.UserID) ([]feedonce.FeedID, error) {
	subs, err := tx.Subscriptions(who)
	feeds := make([]feedonce.FeedID, len(subs))
	for i, sub := range subs {
		feeds[i] = sub.Feed
	}
	return feeds, err
}

// visibleFeeds returns all feeds that a list may name.
func visibleFeeds(tx *store.Tx, r *http.Request) ([]feedonce.Feed, error) {
	feeds, err := tx.Feeds()
	reader := followed(r)
	if err != nil || reader == 0 {
		return feeds, err
	}
	mine, err := subscribed(tx, reader)
	return slices.DeleteFunc(feeds, func(f feedonce.Feed) bool { return !slices.Contains(mine, f.ID) }), err
}

// allow makes a handler one that only those with access use, and that knows who asks.
func (s *server) allow(a access, h handler) http.Handler {
	if a.plain {
		return s.adapt(h)
	}
	return s.Accounts.Handler(s.adapt(s.known(a, h)))
}

// known is allow without the session.
func (s *server) known(a access, h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		u, err := s.Accounts.User(r)
		if errors.Is(err, feedonce.ErrNotFound) && a.token {
			u, _, err = s.Accounts.Program(r)
		}
		switch {
		case errors.Is(err, feedonce.ErrNotFound) && a.open:
			return h(w, r)
		case errors.Is(err, feedonce.ErrNotFound):
			return errSignIn
		case err != nil:
			return err
		}
		r = r.WithContext(context.WithValue(r.Context(), userKey{}, u))
		if a.admin && !u.Admin() {
			return s.refuse(w, r, errAdmins)
		}
		if a.of != nil && !u.Admin() {
			err := s.Store.View(r.Context(), func(tx *store.Tx) error {
				feeds, err := a.of(tx, r)
				if err != nil {
					return err
				}
				return mayUse(tx, u.ID, a.changes, feeds)
			})
			if err != nil {
				return s.refuse(w, r, err)
			}
		}
		if err := h(w, r); err != nil {
			return s.refuse(w, r, err)
		}
		return nil
	}
}

// refuse makes the page of an error, which knows who is signed in.
func (s *server) refuse(w http.ResponseWriter, r *http.Request, err error) error {
	s.fail(w, r, err)
	return nil
}

// mayUse returns ErrNotFound where a reader follows not all of some feeds, and errShared where they would change what others see.
func mayUse(tx *store.Tx, who feedonce.UserID, changes bool, feeds []feedonce.FeedID) error {
	for _, id := range feeds {
		if _, err := tx.Subscription(who, id); err != nil {
			return err
		}
		if !changes {
			continue
		}
		all, err := tx.Followers(id)
		if err != nil {
			return err
		}
		if len(all) > 1 {
			return errShared
		}
	}
	return nil
}
