package web

import (
	"net/http"
	"strings"

	"feedonce"
	"feedonce/internal/store"
)

// What a person follows, and under which title and in which folder, is theirs: it changes nothing for others.

// follow makes the user follow a feed, or changes the title and folder that it has for them.
func (s *server) follow(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	sub := feedonce.Subscription{User: user(r).ID, Feed: feedonce.FeedID(id), Added: s.Now(),
		Title: clip(strings.TrimSpace(r.PostFormValue("title")), 500), Folder: folderName(r.PostFormValue("folder"))}
	done := "follow-changed"
	err = s.Store.Update(r.Context(), func(tx *store.Tx) error {
		if _, err := tx.Feed(sub.Feed); err != nil {
			return err
		}
		err := tx.SetSubscription(sub)
		if notFoundIsNothing(err) == nil && err != nil {
			done = "followed"
			err = tx.Follow(sub)
		}
		return err
	})
	if err != nil {
		return err
	}
	http.Redirect(w, r, feedPath(sub.Feed)+"?done="+done, http.StatusSeeOther)
	return nil
}

// unfollow ends a subscription. The feed stays, for others and for who follows it again.
func (s *server) unfollow(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	err = s.Store.Update(r.Context(), func(tx *store.Tx) error { return tx.Unfollow(user(r).ID, feedonce.FeedID(id)) })
	if err != nil {
		return err
	}
	http.Redirect(w, r, "/feeds?done=unfollowed", http.StatusSeeOther)
	return nil
}

// A naming is how a reader calls the feeds that they follow.
type naming map[feedonce.FeedID]feedonce.Subscription

// ownNames returns how a reader calls their feeds; nil for an administrator, who is shown what everybody's are called.
func ownNames(tx *store.Tx, r *http.Request) (naming, error) {
	reader := followed(r)
	if reader == 0 {
		return nil, nil
	}
	subs, err := tx.Subscriptions(reader)
	own := naming{}
	for _, sub := range subs {
		own[sub.Feed] = sub
	}
	return own, err
}

// rename puts the reader's own title, where there is one, and folder in place of those that the feed has for everybody.
func (n naming) rename(id feedonce.FeedID, title, folder *string) {
	sub := n[id]
	*folder = sub.Folder
	if sub.Title != "" {
		*title = sub.Title
	}
}

func (s *server) renameViews(tx *store.Tx, r *http.Request, views map[feedonce.FeedID]store.FeedView) error {
	own, err := ownNames(tx, r)
	if err != nil || own == nil {
		return err
	}
	for id, v := range views {
		own.rename(id, &v.Title, &v.Folder)
		views[id] = v
	}
	return nil
}
