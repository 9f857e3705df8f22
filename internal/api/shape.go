package api

import (
	"time"

	"feedonce"
	"feedonce/internal/shape"
)

// Feed is a feed.
type Feed struct {
	ID       feedonce.FeedID `json:"id"`
	URL      string          `json:"url" doc:"Where it is polled"`
	Title    string          `json:"title"`
	Site     string          `json:"site,omitempty" doc:"The page the feed belongs to"`
	Folder   string          `json:"folder,omitempty"`
	Format   string          `json:"format,omitempty" doc:"Of the last document, such as rss 2.0"`
	State    string          `json:"state" enum:"active,paused,gone"`
	Added    time.Time       `json:"added"`
	Articles int64           `json:"articles"`
	Counts   Counts          `json:"counts" doc:"Arrivals by outcome, ever"`
	LastPoll *time.Time      `json:"last_poll,omitempty"`
	NextPoll *time.Time      `json:"next_poll,omitempty"`
	LastNew  *time.Time      `json:"last_new,omitempty" doc:"When it last had a new article"`
	Interval float64         `json:"interval_seconds" doc:"Time between polls, learned from how often it publishes"`
	Errors   int             `json:"errors" doc:"Failed polls in a row"`
	Error    string          `json:"error,omitempty" doc:"What the last poll met, in words"`
	Warning  string          `json:"warning,omitempty" doc:"What was odd about the last document though it could be read"`
}

// Counts are arrivals by outcome.
type Counts struct {
	New         int64 `json:"new"`
	Updated     int64 `json:"updated"`
	Unchanged   int64 `json:"unchanged"`
	Duplicate   int64 `json:"duplicate"`
	Quarantined int64 `json:"quarantined"`
	Invalid     int64 `json:"invalid"`
}

// FeedOf is a feed with what is counted of it.
func FeedOf(f feedonce.Feed, articles int64, c feedonce.Counts) Feed {
	return Feed{
		ID: f.ID, URL: f.URL, Title: f.Title, Site: f.SiteURL, Folder: f.Folder, Format: f.Format, State: string(f.State), Added: f.Added.UTC(),
		Articles: articles, Counts: Counts(c),
		LastPoll: shape.Moment(f.Schedule.LastPoll), NextPoll: shape.Moment(f.Schedule.NextPoll), LastNew: shape.Moment(f.Schedule.LastNew),
		Interval: f.Schedule.Interval.Seconds(), Errors: f.Errors, Error: f.Error, Warning: f.Warning,
	}
}
