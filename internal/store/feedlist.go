package store

import (
	"fmt"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/sqldb"
)

// A FeedLine is what a list of all feeds is sorted and filtered by: little, as there are thousands.
type FeedLine struct {
	ID                 feedonce.FeedID
	Title, URL, Folder string
	State              feedonce.FeedState
	Failing            bool
	Added              time.Time
	LastPoll, NextPoll time.Time
	LastNew            time.Time
}

// Name is what to call the feed: its title, or its URL where it has none.
func (f FeedLine) Name() string { return feedonce.Feed{Title: f.Title, URL: f.URL}.Name() }

// FeedLines returns the feeds, or those of them that are asked for (nil: all), in no order. It is one statement.
func (tx *Tx) FeedLines(feeds []feedonce.FeedID) ([]FeedLine, error) {
	w := where{}
	tx.among(&w, "f.id", feeds)
	lines, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (FeedLine, error) {
		var f FeedLine
		err := row.Scan(&f.ID, &f.Title, &f.URL, &f.Folder, &f.State, &f.Failing, at(&f.Added), at(&f.LastPoll), at(&f.NextPoll), at(&f.LastNew))
		return f, err
	}, `select f.id, f.title, f.url, f.folder, f.state, f.error <> '', f.added_at, s.last_poll_at, s.next_poll_at, s.last_new_at
		from `+feedTables+w.String(), w.args...)
	if err != nil {
		return nil, fmt.Errorf("feeds: %w", err)
	}
	return lines, nil
}

// A FeedView is a feed with what is remembered of its polls and learned of its items.
type FeedView struct {
	feedonce.Feed
	Recent Recent
	// ErrorKind is the kind of the error of the last poll, as in Poll; "" where it went well.
	ErrorKind string
	// Learned is what dedup learned of the feed, empty where it has learned nothing.
	Learned dedup.State
}

// FeedViews returns feeds by ID; those that are gone are absent. It is one statement.
func (tx *Tx) FeedViews(feeds []feedonce.FeedID) (map[feedonce.FeedID]FeedView, error) {
	views := make(map[feedonce.FeedID]FeedView, len(feeds))
	w := where{}
	tx.among(&w, "f.id", append([]feedonce.FeedID{}, feeds...))
	err := tx.Each(func(row sqldb.Scanner) error {
		var v FeedView
		var state []byte
		if err := row.Scan(append(feedFields(&v.Feed), &v.Recent, text{&v.ErrorKind}, &state)...); err != nil {
			return err
		}
		// What is damaged, or of a newer version, is what the feed has yet to teach again.
		if err := v.Learned.UnmarshalBinary(state); err != nil {
			v.Learned = dedup.State{}
		}
		views[v.ID] = v
		return nil
	}, `select `+feedColumns+`, s.recent, p.error_kind, t.state
		from `+feedTables+` left join feed_states t on t.feed_id = f.id left join polls p on p.feed_id = f.id and p.at = f.error_at`+w.String(), w.args...)
	if err != nil {
		return nil, fmt.Errorf("feeds: %w", err)
	}
	return views, nil
}
