package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"feedonce"
	"feedonce/internal/shape"
	"feedonce/internal/store"
)

func (a *app) listCommand() *cobra.Command {
	var feed, words string
	var limit int
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List articles, newest first",
		Long: `List articles, newest first.

With --json, a line for each article, as the API has it: id (number), feed (number), title, url, guid, author, lang, published,
updated, first_seen, changed, revision (1 until it is updated), merged_into, categories, enclosures (url, type, length).`,
		Args: args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			if limit < 1 || limit > 100_000 {
				return usagef("--limit is %d, and must be from 1 to 100000", limit)
			}
			return a.withStore(ctx, func(s *store.Store) error {
				var entries []feedonce.Entry
				var names map[feedonce.FeedID]string
				err := s.View(ctx, func(tx *store.Tx) (err error) {
					filter := store.EntryFilter{Words: words, Limit: limit}
					if feed != "" {
						f, _, err := findFeed(tx, feed)
						if err != nil {
							return err
						}
						filter.Feed = f.ID
					}
					if names, err = feedNames(tx); err != nil {
						return err
					}
					entries, err = tx.Entries(filter)
					return err
				})
				if err != nil {
					return err
				}
				if a.json {
					lines := newJSONLines(a.out)
					for _, e := range entries {
						if err := lines.write(shape.EntryOf(e)); err != nil {
							return err
						}
					}
					return nil
				}
				return a.printEntries(entries, names)
			})
		},
	}
	cmd.Flags().StringVar(&feed, "feed", "", "only of this feed: its number, URL, or a part of its title or URL")
	cmd.Flags().StringVar(&words, "words", "", "only with all of these words in the title")
	cmd.Flags().IntVar(&limit, "limit", 50, "how many")
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store")
	return cmd
}

// feedNames returns what feeds are called.
func feedNames(tx *store.Tx) (map[feedonce.FeedID]string, error) {
	feeds, err := tx.Feeds()
	names := make(map[feedonce.FeedID]string, len(feeds))
	for _, f := range feeds {
		names[f.ID] = f.Name()
	}
	return names, err
}

// printEntries prints articles for a person.
func (a *app) printEntries(entries []feedonce.Entry, names map[feedonce.FeedID]string) error {
	if len(entries) == 0 {
		fmt.Fprintln(a.err, "There is no article that fits.")
		return nil
	}
	t := table{header: []string{"ENTRY", "TIME", "FEED", "TITLE"}, wide: 3}
	for _, e := range entries {
		t.add(fmt.Sprint(e.ID), stamp(e.Time()), cut(clean(names[e.Feed]), 24), headline(e))
	}
	return t.print(a.out)
}

// headline is what to call an article in a list.
func headline(e feedonce.Entry) string {
	switch {
	case e.Title != "":
		return e.Title
	case e.URL != "":
		return e.URL
	}
	return e.GUID
}
