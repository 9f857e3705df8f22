package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"feedonce/internal/shape"
	"feedonce/internal/store"
)

func (a *app) tailCommand() *cobra.Command {
	var after int64
	var last int
	var follow bool
	cmd := &cobra.Command{
		Use:   "tail",
		Short: "The change log: articles created, updated, merged, split, withdrawn",
		Long: `Print the last lines of the change log, and with --follow go on with those that come, until Ctrl-C. SEQ grows, and nothing appears
later below one that was printed: a program goes on where it was with --after.

With --json, a line for each change: seq, at, kind, feed, entry, id (a URN), other, other_id, revision, and article, the article as
it is now.`,
		Args: args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			if last < 0 || last > 100_000 {
				return usagef("--lines is %d, and must be from 0 to 100000", last)
			}
			return a.withStore(ctx, func(s *store.Store) error {
				if !cmd.Flags().Changed("after") {
					err := s.View(ctx, func(tx *store.Tx) (err error) {
						after, err = tx.ChangeBefore(last)
						return err
					})
					if err != nil {
						return err
					}
				}
				t := tail{a: a, s: s, after: after}
				for {
					n, err := t.print(ctx)
					if err != nil || n == 0 && !follow {
						return err
					}
					if n > 0 {
						continue
					}
					select {
					case <-time.After(500 * time.Millisecond):
					case <-ctx.Done():
						return ctx.Err()
					}
				}
			})
		},
	}
	cmd.Flags().Int64Var(&after, "after", 0, "only changes with a greater SEQ")
	cmd.Flags().IntVarP(&last, "lines", "n", 20, "how many of the last lines, where --after is not given")
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on")
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store")
	return cmd
}

// A tail is a place in the change log.
type tail struct {
	a     *app
	s     *store.Store
	after int64
}

// print prints the next lines, and says how many.
func (t *tail) print(ctx context.Context) (int, error) {
	var lines []shape.LogLine
	err := t.s.View(ctx, func(tx *store.Tx) (err error) {
		lines, err = shape.LogLines(tx, t.after, 500, true)
		return err
	})
	if err != nil {
		return 0, err
	}
	out := newJSONLines(t.a.out)
	for _, l := range lines {
		if t.a.json {
			err = out.write(l)
		} else {
			title := ""
			if l.Article != nil {
				title = clean(l.Article.Title)
			}
			if l.Other != 0 {
				title += fmt.Sprintf("  (%d)", l.Other)
			}
			_, err = fmt.Fprintf(t.a.out, "%d\t%s\t%s\t%d\t%s\n", l.Seq, l.At.Local().Format("2006-01-02 15:04:05"), strings.TrimPrefix(l.Kind, "article."), l.Entry, title)
		}
		if err != nil {
			return 0, err
		}
		t.after = l.Seq
	}
	return len(lines), nil
}
