package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/amend"
	"feedonce/internal/shape"
	"feedonce/internal/store"
)

// A leadChoice says which article of a story is to be shown first.
type leadChoice struct {
	by     string
	prefer []string
}

func (l *leadChoice) flags(flags *pflag.FlagSet) {
	flags.StringVar(&l.by, "lead", "first", "which article leads where nobody chose one: first, or longest")
	flags.StringArrayVar(&l.prefer, "prefer", nil, "a feed whose article leads where it has one and nobody chose one (may be repeated)")
}

// check reports what no story could be led by.
func (l *leadChoice) check() error {
	switch dedup.Lead(l.by) {
	case dedup.LeadFirst, dedup.LeadLongest:
		return nil
	}
	return usagef("--lead is %q: it must be first or longest", l.by)
}

func (l *leadChoice) lead(tx *store.Tx) (store.Lead, error) {
	out := store.Lead{By: dedup.Lead(l.by)}
	for _, name := range l.prefer {
		f, _, err := findFeed(tx, name)
		if err != nil {
			return out, err
		}
		out.Preferred = append(out.Preferred, f.ID)
	}
	return out, nil
}

func (a *app) storiesLeadCommand() *cobra.Command {
	var mode leadChoice
	var forget bool
	cmd := &cobra.Command{
		Use:   "lead STORY [ENTRY]",
		Short: "Choose which article of a story is shown first",
		Long: `Choose which article leads a story: ENTRY, or the one that --prefer or --lead finds now. It leads until it leaves the story or
another is chosen, whatever --lead and --prefer of stories list and show say. --forget takes the choice back.

Without any of these it says which one leads, and changes nothing.

With --json, one object as in stories list.`,
		Example: "  feedonce stories lead 3 17\n  feedonce stories lead 3 --prefer example.org\n  feedonce stories lead 3 --forget",
		Args:    args(1, 2, "the number of a story, as stories list prints it"),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			if err := mode.check(); err != nil {
				return err
			}
			byMode := cmd.Flags().Changed("lead") || cmd.Flags().Changed("prefer")
			if n := len(given) - 1; n > 0 && (byMode || forget) || byMode && forget {
				return usagef("of ENTRY, --lead or --prefer, and --forget, give one")
			}
			var entry feedonce.EntryID
			if len(given) > 1 {
				var err error
				if entry, err = entryNumber(given[1]); err != nil {
					return err
				}
			}
			return a.withStory(ctx, given[0], &mode, byMode, func(s *store.Store, st store.Story) error {
				if byMode {
					entry = st.Members[st.Lead].Entry.ID
				}
				if entry == 0 && !forget {
					return a.printLead(st)
				}
				return a.chooseLead(ctx, s, st.ID, entry)
			})
		},
	}
	mode.flags(cmd.Flags())
	cmd.Flags().BoolVar(&forget, "forget", false, "nobody's choice holds any more")
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store")
	return cmd
}

// chooseLead has an article lead a story, or none that a person chose, and prints which one leads then.
func (a *app) chooseLead(ctx context.Context, s *store.Store, story int64, entry feedonce.EntryID) error {
	if err := amend.Lead(ctx, s, story, entry, here()); err != nil {
		return err
	}
	var st store.Story
	err := s.View(ctx, func(tx *store.Tx) (err error) {
		st, err = tx.Story(story, store.Lead{})
		return err
	})
	if err != nil {
		return err
	}
	return a.printLead(st)
}

func (a *app) printLead(st store.Story) error {
	if a.json {
		return newJSONLines(a.out).write(shape.StoryOf(st))
	}
	m := st.Members[st.Lead]
	chosen := ""
	if !st.Chosen.IsZero() {
		chosen = fmt.Sprintf("\nA person chose it on %s. To take that back: feedonce stories lead %d --forget", stamp(st.Chosen), st.ID)
	}
	_, err := fmt.Fprintf(a.out, "article %d of %s: %s%s\n", m.Entry.ID, clean(m.FeedName), clean(headline(m.Entry)), chosen)
	return err
}
