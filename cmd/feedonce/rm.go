package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"feedonce"
	"feedonce/internal/amend"
	"feedonce/internal/store"
)

func (a *app) rmCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "rm FEED...",
		Short: "Stop following feeds, and remove their articles",
		Long: `Remove feeds with all that is known of them: articles, identities and decisions. There is no way back.

FEED is a feed's number, its URL, or a part of its title or URL that no other feed has. A feed that was named by a part
is removed after a question, or with --yes.

With --json, a line for each feed: feed (number), url, title.`,
		Args: args(1, -1, "the number, URL or a part of the title of a feed"),
		RunE: func(cmd *cobra.Command, names []string) error {
			ctx := cmd.Context()
			return a.withStore(ctx, func(s *store.Store) error {
				var feeds []feedonce.Feed
				var guessed []feedonce.Feed
				err := s.View(ctx, func(tx *store.Tx) error {
					for _, name := range names {
						f, exact, err := findFeed(tx, name)
						if err != nil {
							return err
						}
						feeds = append(feeds, f)
						if !exact {
							guessed = append(guessed, f)
						}
					}
					return nil
				})
				if err != nil {
					return err
				}
				if len(guessed) > 0 && !yes {
					if ok, err := a.confirm(guessed); err != nil || !ok {
						return err
					}
				}
				// All or none: a person who named one wrongly wants to think again.
				var ids []feedonce.FeedID
				for _, f := range feeds {
					ids = append(ids, f.ID)
				}
				if err := amend.RemoveFeeds(ctx, s, amend.By{Who: who(), At: time.Now()}, ids...); err != nil {
					return err
				}
				for _, f := range feeds {
					if a.json {
						err = newJSONLines(a.out).write(map[string]any{"feed": f.ID, "url": f.URL, "title": f.Title})
					} else {
						_, err = fmt.Fprintf(a.out, "removed feed %d  %s  %s\n", f.ID, clean(f.Title), f.URL)
					}
					if err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store")
	return cmd
}

// confirm asks whether these feeds were meant.
func (a *app) confirm(feeds []feedonce.Feed) (bool, error) {
	in, isFile := a.in.(*os.File)
	if _, tty := terminal(a.err); !tty || !isFile {
		return false, usagef("this means feed %d, %s; name it by its number, or say --yes", feeds[0].ID, clean(feeds[0].Name()))
	}
	for _, f := range feeds {
		fmt.Fprintf(a.err, "  %d  %s  %s\n", f.ID, clean(f.Name()), f.URL)
	}
	fmt.Fprint(a.err, "Remove with all articles? [y/N] ")
	answer, _ := bufio.NewReader(in).ReadString('\n') // no answer is no
	return strings.EqualFold(strings.TrimSpace(answer), "y"), nil
}
