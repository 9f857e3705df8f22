package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"feedonce"
	"feedonce/internal/opml"
	"feedonce/internal/store"
)

func (a *app) importCommand() *cobra.Command {
	var pollNow bool
	var forName string
	cmd := &cobra.Command{
		Use:   "import FILE.opml",
		Short: "Follow the feeds of a subscription list",
		Long: `Follow the feeds of an OPML file, as other readers export it; - reads standard input. Folders are kept, and feeds that
are there already stay as they are. Every administrator follows them on the pages, or only the user that --for names. All feeds are added, or on an error none.

The feeds are due at once: a server that runs polls them, and so does --poll. Exit code 3: some outlines were skipped.

With --json, a line for each feed: status (added, exists), feed (number), url, title, folder; a line for each outline that
was skipped: status (skipped), reason; with --poll, then the lines of poll --json.`,
		Args: args(1, 1, "the name of an OPML file, or -"),
		RunE: func(cmd *cobra.Command, names []string) error {
			ctx := cmd.Context()
			subs, skipped, err := a.readOPML(names[0])
			if err != nil {
				return err
			}
			return a.withNewStore(ctx, func(s *store.Store) error {
				done, err := a.addAll(ctx, s, subs, forName)
				if err != nil {
					return err
				}
				added, err := a.reportImport(done, skipped)
				if err != nil {
					return err
				}
				if pollNow && len(added) > 0 {
					if err := a.pollFeeds(ctx, s, added); err != nil {
						return err
					}
				}
				if len(skipped) > 0 {
					return errFound
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&forName, "for", "", "the user who follows them (default: every administrator)")
	cmd.Flags().BoolVar(&pollNow, "poll", false, "poll the added feeds at once")
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store", "fetch", "poll")
	return cmd
}

func (a *app) readOPML(name string) ([]opml.Subscription, []string, error) {
	in := a.in
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, nil, fmt.Errorf("the subscription list cannot be read: %w", err)
		}
		defer f.Close()
		in = f
	}
	subs, skipped, err := opml.Read(in)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(subs) == 0 && len(skipped) == 0 {
		return nil, nil, fmt.Errorf("%s has no feeds in it", name)
	}
	return subs, skipped, nil
}

// imported is what became of one subscription.
type imported struct {
	feed    feedonce.Feed
	existed bool
}

// addAll adds all feeds in one transaction.
func (a *app) addAll(ctx context.Context, s *store.Store, subs []opml.Subscription, forName string) (done []imported, err error) {
	now := time.Now()
	err = s.Update(ctx, func(tx *store.Tx) error {
		done = nil
		bar := newProgress(a.err, "importing", len(subs))
		defer bar.end()
		for _, sub := range subs {
			f, err := tx.AddFeed(store.NewFeed{URL: sub.URL, Title: sub.Title, SiteURL: sub.SiteURL, Folder: sub.Folder, Added: now})
			if err != nil && !errors.Is(err, feedonce.ErrExists) {
				return fmt.Errorf("%s: %w; nothing was imported", sub.URL, err)
			}
			there := err != nil
			if err := followedBy(tx, f.ID, forName, sub.Folder, there, now); err != nil {
				return err
			}
			done = append(done, imported{f, there})
			bar.step(sub.Title)
		}
		return nil
	})
	return done, err
}

func (a *app) reportImport(done []imported, skipped []string) (added []feedonce.Feed, err error) {
	lines := newJSONLines(a.out)
	existed := 0
	for _, d := range done {
		status := "added"
		if d.existed {
			status = "exists"
			existed++
		} else {
			added = append(added, d.feed)
		}
		if a.json {
			err := lines.write(map[string]any{"status": status, "feed": d.feed.ID, "url": d.feed.URL, "title": d.feed.Title, "folder": d.feed.Folder})
			if err != nil {
				return nil, err
			}
		}
	}
	for _, why := range skipped {
		if a.json {
			if err := lines.write(map[string]any{"status": "skipped", "reason": why}); err != nil {
				return nil, err
			}
			continue
		}
		fmt.Fprintf(a.err, "feedonce: skipped: %s\n", clean(why))
	}
	if !a.json {
		_, err = fmt.Fprintf(a.out, "%s added, %d there already, %d skipped\n", count(len(added), "feed"), existed, len(skipped))
	}
	return added, err
}
