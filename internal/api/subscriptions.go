package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"feedonce"
	"feedonce/internal/store"
)

// Subscription is a feed that the token's user follows.
type Subscription struct {
	Feed   feedonce.FeedID `json:"feed"`
	URL    string          `json:"url" doc:"Where it is polled"`
	Site   string          `json:"site,omitempty"`
	Name   string          `json:"name" doc:"What to call it: the own title, or that of the feed"`
	Title  string          `json:"title" doc:"The own title; empty: that of the feed"`
	Folder string          `json:"folder" doc:"Empty: in none"`
	Added  time.Time       `json:"added" doc:"When it was followed"`
}

func subscriptionOf(sub feedonce.Subscription, f feedonce.Feed) Subscription {
	out := Subscription{Feed: sub.Feed, URL: f.URL, Site: f.SiteURL, Name: sub.Title, Title: sub.Title, Folder: sub.Folder, Added: sub.Added.UTC()}
	if out.Name == "" {
		out.Name = f.Name()
	}
	return out
}

type subscriptionList struct {
	Subscriptions []Subscription `json:"subscriptions"`
}

func (s *server) mySubscriptions(ctx context.Context, _ *struct{}) (*body[subscriptionList], error) {
	var out subscriptionList
	err := s.view(ctx, func(tx *store.Tx) error {
		subs, err := tx.Subscriptions(caller(ctx).ID)
		if err != nil {
			return err
		}
		feeds, err := tx.Feeds()
		out.Subscriptions = []Subscription{}
		for _, sub := range subs {
			if i := slices.IndexFunc(feeds, func(f feedonce.Feed) bool { return f.ID == sub.Feed }); i >= 0 {
				out.Subscriptions = append(out.Subscriptions, subscriptionOf(sub, feeds[i]))
			}
		}
		return err
	})
	return answer(out, err)
}

func (s *server) mySubscription(ctx context.Context, in *FeedPath) (*body[Subscription], error) {
	var out Subscription
	err := s.view(ctx, func(tx *store.Tx) (err error) {
		out, err = subscription(tx, caller(ctx).ID, in.Feed)
		return err
	})
	return answer(out, err)
}

func subscription(tx *store.Tx, who feedonce.UserID, id feedonce.FeedID) (Subscription, error) {
	sub, err := tx.Subscription(who, id)
	if err != nil {
		return Subscription{}, notFollowed(id, err)
	}
	f, err := tx.Feed(id)
	return subscriptionOf(sub, f), err
}

// notFollowed says in a sentence that there is no subscription, whether or not there is such a feed.
func notFollowed(id feedonce.FeedID, err error) error {
	if errors.Is(err, feedonce.ErrNotFound) {
		return fail(http.StatusNotFound, "You follow no feed %d.", id)
	}
	return err
}

// SubscriptionSettings are what a person chooses for a feed that they follow.
type SubscriptionSettings struct {
	Title  string `json:"title,omitempty" maxLength:"500" doc:"Empty: that of the feed"`
	Folder string `json:"folder,omitempty" maxLength:"1000" doc:"Empty: in none"`
}

type subscriptionInput struct {
	FeedPath
	Body SubscriptionSettings
}

// setMySubscription changes a subscription. Only an administrator, who sees all feeds, may follow one by its number: to a reader,
// a feed that they do not follow is not there.
func (s *server) setMySubscription(ctx context.Context, in *subscriptionInput) (*body[Subscription], error) {
	u := caller(ctx)
	sub := feedonce.Subscription{User: u.ID, Feed: in.Feed, Title: plain(in.Body.Title, 500), Folder: plain(in.Body.Folder, 1000), Added: s.Now()}
	var out Subscription
	err := s.Store.Update(ctx, func(tx *store.Tx) error {
		err := tx.SetSubscription(sub)
		if errors.Is(err, feedonce.ErrNotFound) && u.Admin() {
			if _, err := tx.Feed(in.Feed); err != nil {
				return err
			}
			err = tx.Follow(sub)
		}
		if err != nil {
			return notFollowed(in.Feed, err)
		}
		out, err = subscription(tx, u.ID, in.Feed)
		return err
	})
	return answer(out, err)
}

func (s *server) unfollow(ctx context.Context, in *FeedPath) (*none, error) {
	return nil, s.Store.Update(ctx, func(tx *store.Tx) error {
		return notFollowed(in.Feed, tx.Unfollow(caller(ctx).ID, in.Feed))
	})
}

type followInput struct {
	Body struct {
		URL string `json:"url" minLength:"1" maxLength:"4096" example:"https://go.dev/blog/" doc:"Of a feed, or of a site that names one"`
		SubscriptionSettings
	}
}

// follow makes the token's user follow the feed at an address.
func (s *server) follow(ctx context.Context, in *followInput) (*body[Subscription], error) {
	who := caller(ctx).ID
	folder := plain(in.Body.Folder, 1000)
	follow := func(tx *store.Tx, f feedonce.Feed) error {
		return tx.Follow(feedonce.Subscription{User: who, Feed: f.ID, Title: plain(in.Body.Title, 500), Folder: folder, Added: s.Now()})
	}
	shared := ""
	if caller(ctx).Admin() {
		shared = folder // that of the feed itself is for everybody
	}
	f, there, err := s.addAt(ctx, in.Body.URL, shared, follow)
	if err != nil {
		return nil, err
	}
	if !there {
		if err := s.pollNew(ctx, f.ID); err != nil {
			return nil, err
		}
	}
	return s.mySubscription(ctx, &FeedPath{f.ID})
}
