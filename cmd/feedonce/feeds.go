package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"feedonce"
	"feedonce/internal/shape"
	"feedonce/internal/store"
)

// feedJSON is a feed for programs.
type feedJSON struct {
	Feed     feedonce.FeedID    `json:"feed"`
	URL      string             `json:"url"`
	Title    string             `json:"title"`
	Site     string             `json:"site,omitempty"`
	Folder   string             `json:"folder,omitempty"`
	Format   string             `json:"format,omitempty"`
	State    feedonce.FeedState `json:"state"`
	Articles int64              `json:"articles"`
	LastPoll *time.Time         `json:"last_poll"`
	NextPoll *time.Time         `json:"next_poll"`
	Interval float64            `json:"interval_seconds"`
	LastNew  *time.Time         `json:"last_new"`
	Errors   int                `json:"errors"`
	Error    string             `json:"error,omitempty"`
	Warning  string             `json:"warning,omitempty"`
}

func (a *app) feedsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "feeds",
		Short: "List the feeds, and how they are",
		Long: `List the feeds, by folder and name.

With --json, a line for each feed: feed (number), url, title, site, folder, format, state (active, paused, gone), articles,
last_poll, next_poll, interval_seconds, last_new, errors (failed polls in a row), error, warning.`,
		Args: args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return a.withStore(ctx, func(s *store.Store) error {
				var feeds []feedonce.Feed
				articles := map[feedonce.FeedID]int64{}
				err := s.View(ctx, func(tx *store.Tx) (err error) {
					if feeds, err = tx.Feeds(); err != nil {
						return err
					}
					for _, f := range feeds {
						if articles[f.ID], err = tx.EntryCount(f.ID); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					return err
				}
				if a.json {
					lines := newJSONLines(a.out)
					for _, f := range feeds {
						if err := lines.write(feedForPrograms(f, articles[f.ID])); err != nil {
							return err
						}
					}
					return nil
				}
				if len(feeds) == 0 {
					fmt.Fprintln(a.err, "There is no feed yet: `feedonce add URL`, or `feedonce import FILE.opml`.")
					return nil
				}
				t := table{header: []string{"FEED", "TITLE", "ARTICLES", "LAST POLL", "NEXT POLL", "STATE"}, wide: 1}
				for _, f := range feeds {
					t.add(fmt.Sprint(f.ID), f.Name(), fmt.Sprint(articles[f.ID]), stamp(f.Schedule.LastPoll), stamp(f.Schedule.NextPoll), condition(f))
				}
				return t.print(a.out)
			})
		},
	}
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store")
	return cmd
}

// condition is how a feed is, in words.
func condition(f feedonce.Feed) string {
	switch {
	case f.State != feedonce.FeedActive:
		return string(f.State)
	case f.Error != "":
		return fmt.Sprintf("%s: %s", count(f.Errors, "error"), f.Error)
	case f.FirstOK.IsZero():
		return "not polled yet"
	case f.Warning != "":
		return "ok, but " + f.Warning
	}
	return "ok"
}

func feedForPrograms(f feedonce.Feed, articles int64) feedJSON {
	return feedJSON{
		Feed: f.ID, URL: f.URL, Title: f.Title, Site: f.SiteURL, Folder: f.Folder, Format: f.Format, State: f.State,
		Articles: articles, LastPoll: shape.Moment(f.Schedule.LastPoll), NextPoll: shape.Moment(f.Schedule.NextPoll),
		Interval: f.Schedule.Interval.Seconds(), LastNew: shape.Moment(f.Schedule.LastNew),
		Errors: f.Errors, Error: f.Error, Warning: f.Warning,
	}
}
