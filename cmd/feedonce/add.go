package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"feedonce"
	"feedonce/internal/fetch"
	"feedonce/internal/poll"
	"feedonce/internal/store"
)

func (a *app) addCommand() *cobra.Command {
	var folder, forName string
	var unseen, noPoll bool
	cmd := &cobra.Command{
		Use:   "add URL...",
		Short: "Follow feeds, by the address of the feed or of its site",
		Long: `Follow feeds. URL is the address of a feed, or of a site: then the feed that its page names is followed, and others it
names are listed. The articles a feed has already are stored quietly: nobody is told of them as news.

Every administrator follows them on the pages, or only the user that --for names, who then also follows a feed that is there already.

With --unseen nothing is fetched, and the address is taken for that of a feed.

With --json, a line for each URL: url, status (added, exists, error), feed (number), title, error.`,
		Example: "  feedonce add https://go.dev/blog/\n  feedonce add --folder News https://example.org/feed.xml",
		Args:    args(1, -1, "the address of a feed or site"),
		RunE: func(cmd *cobra.Command, urls []string) error {
			ctx := cmd.Context()
			return a.withNewStore(ctx, func(s *store.Store) error {
				c := a.client()
				defer c.Close()
				p := a.poller(s, c, quiet(), nil)
				var failed error
				bar := newProgress(a.err, "adding", len(urls))
				defer bar.end()
				for _, u := range urls {
					f, status, err := a.add(ctx, s, c, bar, u, folder, forName, unseen)
					if err == nil && status == "added" && !unseen && !noPoll {
						var r poll.Result
						if r, err = p.Poll(ctx, f.ID); r.Status != "" {
							f = r.Feed
						}
					}
					if rerr := a.reportAdded(bar, u, f, status, err); rerr != nil {
						return rerr
					}
					if err != nil {
						failed = errors.New("") // said already
						if ctx.Err() != nil {
							return ctx.Err()
						}
					}
					bar.step(u)
				}
				return failed
			})
		},
	}
	cmd.Flags().StringVar(&folder, "folder", "", "folder to put the feeds in")
	cmd.Flags().StringVar(&forName, "for", "", "the user who follows them (default: every administrator)")
	cmd.Flags().BoolVar(&unseen, "unseen", false, "do not look whether there is a feed")
	cmd.Flags().BoolVar(&noPoll, "no-poll", false, "leave the first poll to the server")
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store", "fetch")
	return cmd
}

// add follows the feed at an address. status is "added" or "exists".
func (a *app) add(ctx context.Context, s *store.Store, c *fetch.Client, bar *progress, address, folder, forName string, unseen bool) (f feedonce.Feed, status string, err error) {
	at, err := webAddress(address)
	if err != nil {
		return f, "", err
	}
	add := store.NewFeed{URL: at, Folder: folder, Added: time.Now()}
	err = s.Update(ctx, func(tx *store.Tx) error {
		if f, err = tx.FeedByURL(at); err != nil {
			return err
		}
		return followedBy(tx, f.ID, forName, folder, true, add.Added)
	})
	switch {
	case err == nil:
		return f, "exists", nil
	case !errors.Is(err, feedonce.ErrNotFound):
		return f, "", err
	}
	if !unseen {
		l, err := locate(ctx, c, at)
		if err != nil {
			return f, "", err
		}
		for i, o := range l.Others {
			if i == 5 {
				bar.say("feedonce: and %d more", len(l.Others)-i)
				break
			}
			bar.say("feedonce: %s also has %s %s", at, clean(o.URL), clean(o.Title))
		}
		add.URL, add.Title, add.SiteURL = l.URL, l.Doc.Title, l.Doc.SiteURL
	}
	err = s.Update(ctx, func(tx *store.Tx) error {
		status = "added"
		f, err = tx.AddFeed(add)
		if errors.Is(err, feedonce.ErrExists) {
			status, err = "exists", nil
		}
		if err != nil {
			return err
		}
		return followedBy(tx, f.ID, forName, folder, status == "exists", add.Added)
	})
	return f, status, err
}

// followedBy has the user of a name follow a feed; "" is every administrator, who do not follow one anew that was there before.
func followedBy(tx *store.Tx, feed feedonce.FeedID, name, folder string, there bool, now time.Time) error {
	switch {
	case name != "":
		u, err := findUser(tx, name)
		if err != nil {
			return err
		}
		return tx.Follow(feedonce.Subscription{User: u.ID, Feed: feed, Folder: folder, Added: now})
	case there:
		return nil
	}
	return tx.FollowAll(feed, folder, now)
}

func (a *app) reportAdded(bar *progress, address string, f feedonce.Feed, status string, err error) error {
	if err != nil && status != "added" {
		status = "error"
	}
	if a.json {
		line := struct {
			URL    string          `json:"url"`
			Status string          `json:"status"`
			Feed   feedonce.FeedID `json:"feed,omitempty"`
			Title  string          `json:"title,omitempty"`
			Error  string          `json:"error,omitempty"`
		}{address, status, f.ID, f.Title, ""}
		if f.URL != "" {
			line.URL = f.URL
		}
		if err != nil {
			line.Error = err.Error()
		}
		return newJSONLines(a.out).write(line)
	}
	if err != nil {
		bar.say("feedonce: %s: %v", address, err)
		if status != "added" {
			return nil
		}
	}
	bar.mu.Lock()
	bar.erase()
	bar.mu.Unlock()
	word := "added"
	if status == "exists" {
		word = "is there already:"
	}
	_, werr := fmt.Fprintf(a.out, "%s feed %d  %s  %s\n", word, f.ID, clean(f.Title), f.URL)
	return werr
}
