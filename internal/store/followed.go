package store

import (
	"fmt"
	"time"

	"feedonce"
	"feedonce/internal/sqldb"
)

// A Followed is a feed as its follower knows it.
type Followed struct {
	Feed    feedonce.FeedID
	Name    string // the follower's own title, else the feed's, else its URL
	Folder  string
	Failing bool
}

// FollowedFeeds returns what a user follows, in no order. It is one statement.
func (tx *Tx) FollowedFeeds(user feedonce.UserID) ([]Followed, error) {
	list, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (Followed, error) {
		var f Followed
		var title, url string
		err := row.Scan(&f.Feed, &f.Name, &f.Folder, &title, &url, &f.Failing)
		if f.Name == "" {
			f.Name = feedonce.Feed{Title: title, URL: url}.Name()
		}
		return f, err
	}, `select s.feed_id, s.title, s.folder, f.title, f.url, f.error <> '' from subscriptions s join feeds f on f.id = s.feed_id where s.user_id = $1`, user)
	if err != nil {
		return nil, fmt.Errorf("feeds that user %d follows: %w", user, err)
	}
	return list, nil
}

// A Copy is what stands behind an article in a list: the same story in another feed, or an arrival that was folded into it.
type Copy struct {
	Entry feedonce.EntryID // 0: it was folded
	Feed  feedonce.FeedID
	Title string
	At    time.Time // of the article, or when it arrived
}

// Copies returns the copies of articles in feeds that a user follows, the oldest first: those that RiverRow.Copies counts.
func (tx *Tx) Copies(user feedonce.UserID, ids []feedonce.EntryID) (map[feedonce.EntryID][]Copy, error) {
	copies := map[feedonce.EntryID][]Copy{}
	if len(ids) == 0 {
		return copies, nil
	}
	from, args := tx.Dialect().From(sqldb.Ints("id", ids), "r", 2)
	err := tx.Each(func(row sqldb.Scanner) error {
		var of feedonce.EntryID
		var c Copy
		err := row.Scan(&of, &c.Entry, &c.Feed, &c.Title, at(&c.At))
		copies[of] = append(copies[of], c)
		return err
	}, `select r.id, e.id, e.feed_id, e.title, e.sort_at as at from `+from+` join story_members m on m.entry_id = r.id and m.kind = 'member'
			join story_members o on o.story_id = m.story_id and o.entry_id <> m.entry_id and o.kind = 'member'
			join subscriptions s on s.user_id = $1 and s.feed_id = o.feed_id join entries e on e.id = o.entry_id
		union all select r.id, 0, d.feed_id, d.title, d.at from `+from+` join decisions d on d.entry_id = r.id and d.entry_id <> 0 and d.outcome = 'duplicate'
		order by 5, 2`, append([]any{int64(user)}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("copies of %d articles: %w", len(ids), err)
	}
	return copies, nil
}
