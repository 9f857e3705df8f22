package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/amend"
	"feedonce/internal/shape"
	"feedonce/internal/store"
)

func (a *app) storiesCommand() *cobra.Command {
	return group("stories", "Articles that stand in several feeds",
		a.storiesListCommand(), a.storiesShowCommand(), a.storiesLeadCommand(), a.storiesLeaveCommand())
}

func (a *app) storiesListCommand() *cobra.Command {
	var feed string
	var limit int
	var lead leadChoice
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List stories, the last changed first",
		Long: `List articles that stand in several feeds: one line for each story, with the article that leads it.

With --json, a line for each story, as the API has it: id (number), at, changed, lead (number of an article), lead_chosen (when a
person chose it), members (entry, feed_name, about, at, told, rule, sentence, joined, evidence).`,
		Args: args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			if limit < 1 || limit > 10_000 {
				return usagef("--limit is %d, and must be from 1 to 10000", limit)
			}
			if err := lead.check(); err != nil {
				return err
			}
			return a.withStore(ctx, func(s *store.Store) error {
				var stories []store.Story
				err := s.View(ctx, func(tx *store.Tx) (err error) {
					filter := store.StoryFilter{Limit: limit}
					if filter.Lead, err = lead.lead(tx); err != nil {
						return err
					}
					if feed != "" {
						f, _, err := findFeed(tx, feed)
						if err != nil {
							return err
						}
						filter.Feed = f.ID
					}
					stories, err = tx.Stories(filter)
					return err
				})
				if err != nil {
					return err
				}
				if a.json {
					lines := newJSONLines(a.out)
					for _, st := range stories {
						if err := lines.write(shape.StoryOf(st)); err != nil {
							return err
						}
					}
					return nil
				}
				if len(stories) == 0 {
					fmt.Fprintln(a.err, "No article stands in several feeds.")
					return nil
				}
				t := table{header: []string{"STORY", "CHANGED", "ARTICLES", "LEAD", "TITLE"}, wide: 4}
				for _, st := range stories {
					first := st.Members[st.Lead]
					t.add(fmt.Sprint(st.ID), stamp(st.Changed), fmt.Sprint(len(st.Members)), cut(clean(first.FeedName), 24), headline(first.Entry))
				}
				return t.print(a.out)
			})
		},
	}
	cmd.Flags().StringVar(&feed, "feed", "", "only with an article of this feed")
	cmd.Flags().IntVar(&limit, "limit", 50, "how many")
	lead.flags(cmd.Flags())
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store")
	return cmd
}

func (a *app) storiesShowCommand() *cobra.Command {
	var lead leadChoice
	cmd := &cobra.Command{
		Use:   "show STORY",
		Short: "Show a story: its articles, and why they are one",
		Long: `Show a story: in which feeds the article stands, which of them leads, and why they are taken for one.

With --json, one object as in stories list.`,
		Args: args(1, 1, "the number of a story, as stories list prints it"),
		RunE: func(cmd *cobra.Command, given []string) error {
			if err := lead.check(); err != nil {
				return err
			}
			return a.withStory(cmd.Context(), given[0], &lead, false, func(_ *store.Store, st store.Story) error {
				if a.json {
					return newJSONLines(a.out).write(shape.StoryOf(st))
				}
				return a.printStory(st)
			})
		},
	}
	lead.flags(cmd.Flags())
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store")
	return cmd
}

func (a *app) storiesLeaveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "leave ENTRY",
		Short: "Take an article out of its story",
		Long: `Take an article out of its story: it is shown and told by itself. It is remembered for ever, until undo.

With --json, one object as in undo --list.`,
		Args: args(1, 1, "the number of an article"),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			id, err := entryNumber(given[0])
			if err != nil {
				return err
			}
			return a.withStore(ctx, func(s *store.Store) error {
				m, err := amend.Leave(ctx, s, id, here())
				if errors.Is(err, feedonce.ErrNotFound) {
					err = fmt.Errorf("article %d is in no story", id)
				}
				return a.printAmendment(m, err)
			})
		},
	}
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store")
	return cmd
}

// withStory runs f with a story a person named by its number, and with anew as if nobody had chosen its lead.
func (a *app) withStory(ctx context.Context, number string, lead *leadChoice, anew bool, f func(*store.Store, store.Story) error) error {
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil || id < 1 {
		return usagef("%q is no number of a story; `feedonce stories list` prints them", number)
	}
	return a.withStore(ctx, func(s *store.Store) error {
		var st store.Story
		err := s.View(ctx, func(tx *store.Tx) error {
			l, err := lead.lead(tx)
			if err != nil {
				return err
			}
			l.Anew = anew
			st, err = tx.Story(id, l)
			return err
		})
		if errors.Is(err, feedonce.ErrNotFound) {
			return fmt.Errorf("there is no story %d; `feedonce stories list` lists them", id)
		}
		if err != nil {
			return err
		}
		return f(s, st)
	})
}

func (a *app) printStory(st store.Story) error {
	p := a.newPage()
	p.para("", "", headline(st.Members[st.Lead].Entry))
	p.line("", fmt.Sprintf("Story %d: %s, since %s", st.ID, count(len(st.Members), "article"), stamp(st.At)))
	for i, m := range st.Members {
		p.WriteString("\n")
		what := ""
		if i == st.Lead {
			what = " It leads: it is the one shown first."
			if !st.Chosen.IsZero() {
				what += " A person chose it on " + stamp(st.Chosen) + "."
			}
		}
		if m.About {
			what = " It only points to the others: it is shown beside them, and told by itself."
		}
		p.para("  ", "    ", fmt.Sprintf("Article %d of %s, since %s.%s", m.Entry.ID, m.FeedName, stamp(m.At), what))
		if m.Entry.Title != "" {
			p.line("    ", m.Entry.Title)
		}
		if m.Entry.URL != "" {
			p.line("    ", m.Entry.URL)
		}
		if m.Rule != "" {
			with := ""
			if m.Joined != 0 {
				with = fmt.Sprintf(" with article %d", m.Joined)
			}
			p.para("    ", "    ", fmt.Sprintf("Why it is one story%s: %s (rule %s)", with, dedup.RuleByID(dedup.RuleID(m.Rule)).Sentence, m.Rule))
		}
	}
	fmt.Fprintf(p, "\nIf one of them is another story: feedonce stories leave ENTRY\n")
	_, err := fmt.Fprint(a.out, p.String())
	return err
}
