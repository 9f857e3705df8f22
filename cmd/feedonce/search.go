package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"feedonce"
	"feedonce/internal/query"
	"feedonce/internal/shape"
	"feedonce/internal/store"
)

// foundEntry is a line of `search --json`.
type foundEntry struct {
	shape.Entry
	Snippet []query.Segment `json:"snippet,omitempty"`
}

func (a *app) searchCommand() *cobra.Command {
	var feed string
	var limit int
	cmd := &cobra.Command{
		Use:   "search WORDS",
		Short: "Find articles by words of their title, text or author",
		Long: `Find articles by words of their title, text or author, newest first. All of the words must be there, whatever their case
and accents. Within the quotes of the shell,

  "some words"  must stand one after the other
  -word         must not be there (write -- before the first, or it is taken for an option)
  word*         may go on: words, wordy

Texts in Chinese, Japanese, Korean and Thai are found by any part of them. An article is found from a second after it came on; where
no feedonce serves, this command reads what is new first.

With --json, a line for each article, as list has it, and with snippet: the text around the first hit in parts (text, hit).`,
		Example: "  feedonce search ferry harbour\n  feedonce search '\"new ferry\" harbour* -- -strike'",
		Args:    args(1, -1, "words"),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			if limit < 1 || limit > 100_000 {
				return usagef("--limit is %d, and must be from 1 to 100000", limit)
			}
			words := strings.Join(given, " ")
			if query.Parse(words).Empty() {
				return usagef("%q has no letter and no digit to look for", words)
			}
			return a.withStore(ctx, func(s *store.Store) error {
				if err := a.readForSearch(ctx, s); err != nil {
					return err
				}
				return a.printFound(ctx, s, words, feed, limit)
			})
		},
	}
	cmd.Flags().StringVar(&feed, "feed", "", "only of this feed: its number, URL, or a part of its title or URL")
	cmd.Flags().IntVar(&limit, "limit", 50, "how many")
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store")
	return cmd
}

// readForSearch brings the index of words up to date, and says how far it is where that takes long.
func (a *app) readForSearch(ctx context.Context, s *store.Store) error {
	const say = 3 * time.Second
	said := time.Now()
	for {
		more, err := s.IndexSearch(ctx)
		if err != nil || !more {
			return err
		}
		if time.Since(said) < say {
			continue
		}
		said = time.Now()
		var p store.SearchProgress
		if err := s.View(ctx, func(tx *store.Tx) (err error) {
			p, err = tx.SearchProgress()
			return err
		}); err != nil {
			return err
		}
		if p.Behind() {
			fmt.Fprintf(a.err, "search has read %d of %s\n", p.Indexed, count(int(p.All), "article"))
		}
	}
}

func (a *app) printFound(ctx context.Context, s *store.Store, words, feed string, limit int) error {
	var entries []feedonce.Entry
	var snippets map[feedonce.EntryID]store.Snippet
	var names map[feedonce.FeedID]string
	err := s.View(ctx, func(tx *store.Tx) (err error) {
		filter := store.SearchFilter{Words: words, Limit: limit}
		if feed != "" {
			f, _, err := findFeed(tx, feed)
			if err != nil {
				return err
			}
			filter.Feeds = []feedonce.FeedID{f.ID}
		}
		if names, err = feedNames(tx); err != nil {
			return err
		}
		if entries, err = tx.Search(filter); err != nil || !a.json {
			return err
		}
		ids := make([]feedonce.EntryID, len(entries))
		for i, e := range entries {
			ids[i] = e.ID
		}
		snippets, err = tx.Snippets(words, ids, 200)
		return err
	})
	if err != nil {
		return err
	}
	if a.json {
		lines := newJSONLines(a.out)
		for _, e := range entries {
			if err := lines.write(foundEntry{shape.EntryOf(e), snippets[e.ID].Text}); err != nil {
				return err
			}
		}
		return nil
	}
	return a.printEntries(entries, names)
}
