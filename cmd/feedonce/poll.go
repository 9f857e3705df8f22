package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"feedonce"
	"feedonce/internal/poll"
	"feedonce/internal/store"
)

// pollJSON is the result of a poll for programs.
type pollJSON struct {
	Feed        feedonce.FeedID `json:"feed"`
	URL         string          `json:"url"`
	Title       string          `json:"title"`
	Status      string          `json:"status"`
	Items       int             `json:"items"`
	New         int64           `json:"new"`
	Updated     int64           `json:"updated"`
	Unchanged   int64           `json:"unchanged"`
	Duplicate   int64           `json:"duplicate"`
	Quarantined int64           `json:"quarantined"`
	Invalid     int64           `json:"invalid"`
	Seconds     float64         `json:"seconds"`
	Error       string          `json:"error,omitempty"`
}

func (a *app) pollCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "poll [FEED...]",
		Short: "Poll feeds now",
		Long: `Poll the named feeds now, due or not; without a name, the feeds that are due, and with --all every active feed. A server
that runs on the same database is no trouble.

FEED is a feed's number, its URL, or a part of its title or URL that no other feed has. Exit code 3: some feed could not be
read.

With --json, a line for each feed: feed (number), url, title, status (new, changed, unchanged, not modified, error), items,
new, updated, unchanged, duplicate, quarantined, invalid, seconds, error.`,
		RunE: func(cmd *cobra.Command, names []string) error {
			ctx := cmd.Context()
			if all && len(names) > 0 {
				return usagef("name feeds, or say --all, not both")
			}
			return a.withStore(ctx, func(s *store.Store) error {
				feeds, err := feedsToPoll(ctx, s, names, all)
				if err != nil {
					return err
				}
				if len(feeds) == 0 {
					if !a.json {
						fmt.Fprintln(a.err, a.nothingDue(ctx, s))
					}
					return nil
				}
				return a.pollFeeds(ctx, s, feeds)
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "every active feed, also those that are not due")
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store", "fetch", "poll")
	return cmd
}

func feedsToPoll(ctx context.Context, s *store.Store, names []string, all bool) (feeds []feedonce.Feed, err error) {
	now := time.Now()
	err = s.View(ctx, func(tx *store.Tx) error {
		feeds = nil
		for _, name := range names {
			f, _, err := findFeed(tx, name)
			if err != nil {
				return err
			}
			feeds = append(feeds, f)
		}
		if len(names) > 0 {
			return nil
		}
		every, err := tx.Feeds()
		for _, f := range every {
			if f.State == feedonce.FeedActive && (all || !f.Schedule.NextPoll.After(now)) {
				feeds = append(feeds, f)
			}
		}
		return err
	})
	return feeds, err
}

// nothingDue says when a feed is due next.
func (a *app) nothingDue(ctx context.Context, s *store.Store) string {
	var next time.Time
	err := s.View(ctx, func(tx *store.Tx) (err error) {
		next, err = tx.NextDue()
		return err
	})
	if err != nil || next.IsZero() {
		return "There is no feed to poll: `feedonce add URL`, or `feedonce import FILE.opml`."
	}
	return fmt.Sprintf("No feed is due before %s; `feedonce poll --all` polls all the same.", stamp(next))
}

// pollFeeds polls feeds, several at once, and prints the results as they come.
func (a *app) pollFeeds(ctx context.Context, s *store.Store, feeds []feedonce.Feed) error {
	c := a.client()
	defer c.Close()
	p := a.poller(s, c, quiet(), nil)
	bar := newProgress(a.err, "polling", len(feeds))
	lines := newJSONLines(a.out)
	t := table{header: []string{"FEED", "TITLE", "STATUS", "NEW", "UPDATED", "FOLDED", "UNCHANGED"}, wide: 1}
	failed := 0
	var mu sync.Mutex
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(a.set.Workers)
	for _, f := range feeds {
		group.Go(func() error {
			if gctx.Err() != nil {
				return gctx.Err()
			}
			r, err := p.Poll(gctx, f.ID)
			if r.Status == "" { // it was not polled at all
				return err
			}
			bar.step(r.Feed.Name())
			mu.Lock()
			defer mu.Unlock()
			if r.Err != nil {
				failed++
			}
			if a.json {
				return lines.write(pollForPrograms(r))
			}
			n := r.Report.Counts
			status := r.Status
			if r.Err != nil {
				bar.say("feedonce: feed %d, %s: %v", r.Feed.ID, clean(r.Feed.Name()), r.Err)
			}
			t.add(fmt.Sprint(r.Feed.ID), r.Feed.Name(), status, fmt.Sprint(n.New), fmt.Sprint(n.Updated), fmt.Sprint(n.Duplicate), fmt.Sprint(n.Unchanged))
			return nil
		})
	}
	err := group.Wait()
	bar.end()
	if ferr := p.Flush(context.WithoutCancel(ctx)); err == nil {
		err = ferr
	}
	if !a.json {
		if perr := t.print(a.out); err == nil {
			err = perr
		}
	}
	switch {
	case err != nil:
		return err
	case failed > 0:
		return &foundError{fmt.Sprintf("%s of %d could not be read", count(failed, "feed"), len(feeds))}
	}
	return nil
}

func pollForPrograms(r poll.Result) pollJSON {
	n := r.Report.Counts
	j := pollJSON{
		Feed: r.Feed.ID, URL: r.Feed.URL, Title: r.Feed.Title, Status: r.Status, Items: r.Report.Items,
		New: n.New, Updated: n.Updated, Unchanged: n.Unchanged, Duplicate: n.Duplicate,
		Quarantined: n.Quarantined, Invalid: n.Invalid, Seconds: r.Took.Seconds(),
	}
	if r.Err != nil {
		j.Error = r.Err.Error()
	}
	return j
}

// quiet is a log for commands that print results themselves.
func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }
