package store

import (
	"fmt"
	"time"

	"feedonce"
	"feedonce/internal/sqldb"
)

// backlog is how many of a feed's latest articles are unread for somebody who follows it from now on.
const backlog = 50

// Follow makes a user follow feeds. Those that they follow already keep their title and folder. The latest articles of a
// feed that has some are unread; those of a story that the user has already are not.
func (tx *Tx) Follow(subs ...feedonce.Subscription) error {
	for _, s := range subs {
		n, err := tx.Exec(`insert into subscriptions (user_id, feed_id, title, folder, added_at) values ($1, $2, $3, $4, $5)
			on conflict (user_id, feed_id) do nothing`, s.User, s.Feed, s.Title, s.Folder, s.Added.UnixMicro())
		if err != nil {
			return fmt.Errorf("follow feed %d: %w", s.Feed, err)
		}
		if n == 0 {
			continue
		}
		if _, err := tx.Exec(`insert into unread (user_id, entry_id, feed_id, sort_at, group_id)
			select cast($1 as bigint), e.id, e.feed_id, e.sort_at, e.id
			from (select id, feed_id, sort_at from entries where feed_id = $2 and merged_into is null order by sort_at desc, id desc limit `+fmt.Sprint(backlog)+`) e
			where not exists (select 1 from entry_states st where st.user_id = $1 and st.entry_id = e.id and st.read_at is not null)
			and not exists (`+copiesFor("$1", "e.id")+`)
			on conflict (user_id, entry_id) do nothing`, s.User, s.Feed); err != nil {
			return fmt.Errorf("backlog of feed %d: %w", s.Feed, err)
		}
		if err := tx.groupUnread(s.User, s.Feed); err != nil {
			return fmt.Errorf("backlog of feed %d: %w", s.Feed, err)
		}
	}
	return nil
}

// groupUnread makes one group of the unread articles of each story that a feed has a part in, for a user.
func (tx *Tx) groupUnread(user feedonce.UserID, feed feedonce.FeedID) error {
	const stories = `select o.entry_id, o.story_id from unread u join story_members m on m.entry_id = u.entry_id and m.kind = 'member'
		join story_members o on o.story_id = m.story_id and o.kind = 'member' where u.user_id = $1 and u.feed_id = $2`
	_, err := tx.Exec(`update unread set group_id = (select min(o.entry_id) from story_members m
			join story_members o on o.story_id = m.story_id and o.kind = 'member' join unread ou on ou.user_id = $1 and ou.entry_id = o.entry_id
			where m.entry_id = unread.entry_id and m.kind = 'member')
		where user_id = $1 and entry_id in (select entry_id from (`+stories+`) x)`, user, feed)
	return err
}

// copiesFor selects the other articles of an entry's story that a user was shown: in feeds that they follow, since they do, or
// read by them. Articles that only point to the others are read by themselves.
func copiesFor(user, entry string) string {
	return `select 1 from story_members m join story_members o on o.story_id = m.story_id and o.entry_id <> m.entry_id and o.kind = 'member'
		join entries oe on oe.id = o.entry_id join subscriptions os on os.user_id = ` + user + ` and os.feed_id = o.feed_id
		where m.entry_id = ` + entry + ` and m.kind = 'member' and ` + wasShown(user, "os", "oe")
}

// wasShown is the condition that an entry came since a subscription to its feed, or was read.
func wasShown(user, subscription, entry string) string {
	return `(` + entry + `.first_seen_at >= ` + subscription + `.added_at or exists (
		select 1 from entry_states ws where ws.user_id = ` + user + ` and ws.entry_id = ` + entry + `.id and ws.read_at is not null))`
}

// FollowAll makes every admin follow a feed that was added by nobody in particular.
func (tx *Tx) FollowAll(feed feedonce.FeedID, folder string, now time.Time) error {
	users, err := tx.Users()
	if err != nil {
		return err
	}
	for _, u := range users {
		if u.Admin() {
			if err := tx.Follow(feedonce.Subscription{User: u.ID, Feed: feed, Folder: folder, Added: now}); err != nil {
				return err
			}
		}
	}
	return nil
}

// Unfollow ends a subscription: what is unread of it is forgotten, what was starred stays. ErrNotFound where there is none.
func (tx *Tx) Unfollow(user feedonce.UserID, feed feedonce.FeedID) error {
	n, err := tx.Exec(`delete from subscriptions where user_id = $1 and feed_id = $2`, user, feed)
	if err == nil && n == 0 {
		err = feedonce.ErrNotFound
	}
	if err == nil {
		// Copies elsewhere stand for the story now.
		_, err = tx.Exec(`update unread set group_id = (select min(o.entry_id) from unread o where o.user_id = $1 and o.group_id = unread.group_id and o.feed_id <> $2)
			where user_id = $1 and feed_id <> $2 and group_id in (select group_id from unread where user_id = $1 and feed_id = $2)`, user, feed)
	}
	if err == nil {
		_, err = tx.Exec(`delete from unread where user_id = $1 and feed_id = $2`, user, feed)
	}
	if err != nil {
		return fmt.Errorf("unfollow feed %d: %w", feed, err)
	}
	return nil
}

// SetSubscription stores the title and folder of a subscription, or returns ErrNotFound.
func (tx *Tx) SetSubscription(s feedonce.Subscription) error {
	n, err := tx.Exec(`update subscriptions set title = $3, folder = $4 where user_id = $1 and feed_id = $2`, s.User, s.Feed, s.Title, s.Folder)
	if err == nil && n == 0 {
		err = feedonce.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("subscription to feed %d: %w", s.Feed, err)
	}
	return nil
}

// Subscriptions returns what a user follows, by feed.
func (tx *Tx) Subscriptions(user feedonce.UserID) ([]feedonce.Subscription, error) {
	return tx.subscriptions(`user_id = $1 order by feed_id`, int64(user))
}

// Followers returns who follows a feed.
func (tx *Tx) Followers(feed feedonce.FeedID) ([]feedonce.Subscription, error) {
	return tx.subscriptions(`feed_id = $1 order by user_id`, int64(feed))
}

// Subscription returns a user's subscription to a feed, or ErrNotFound.
func (tx *Tx) Subscription(user feedonce.UserID, feed feedonce.FeedID) (feedonce.Subscription, error) {
	subs, err := tx.subscriptions(`user_id = $1 and feed_id = $2`, int64(user), int64(feed))
	if err == nil && len(subs) == 0 {
		err = fmt.Errorf("feed %d is not followed: %w", feed, feedonce.ErrNotFound)
	}
	if err != nil {
		return feedonce.Subscription{}, err
	}
	return subs[0], nil
}

func (tx *Tx) subscriptions(condition string, args ...any) ([]feedonce.Subscription, error) {
	subs, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (feedonce.Subscription, error) {
		var s feedonce.Subscription
		err := row.Scan(&s.User, &s.Feed, &s.Title, &s.Folder, at(&s.Added))
		return s, err
	}, `select user_id, feed_id, title, folder, added_at from subscriptions where `+condition, args...)
	if err != nil {
		return nil, fmt.Errorf("subscriptions: %w", err)
	}
	return subs, nil
}
