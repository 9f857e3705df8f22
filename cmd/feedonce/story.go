package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/amend"
	"feedonce/internal/store"
)

// storyJSON is a story for programs.
type storyJSON struct {
	Story   int64             `json:"story"`
	At      time.Time         `json:"at"`
	Changed time.Time         `json:"changed"`
	Lead    feedonce.EntryID  `json:"lead"`
	Members []storyMemberJSON `json:"members"`
}

type storyMemberJSON struct {
	Entry    feedonce.EntryID `json:"entry"`
	Feed     feedonce.FeedID  `json:"feed"`
	FeedName string           `json:"feed_title"`
	Title    string           `json:"title"`
	URL      string           `json:"url"`
	About    bool             `json:"about,omitempty"`
	At       time.Time        `json:"at"`
	Told     bool             `json:"told"`
	Rule     string           `json:"rule,omitempty"`
	Sentence string           `json:"sentence,omitempty"`
	Joined   feedonce.EntryID `json:"joined,omitempty"`
	Evidence json.RawMessage  `json:"evidence,omitempty"`
}

func storyForPrograms(s store.Story) storyJSON {
	out := storyJSON{Story: s.ID, At: s.At.UTC(), Changed: s.Changed.UTC(), Members: []storyMemberJSON{}}
	for i, m := range s.Members {
		if i == s.Lead {
			out.Lead = m.Entry.ID
		}
		j := storyMemberJSON{
			Entry: m.Entry.ID, Feed: m.Entry.Feed, FeedName: m.FeedName, Title: m.Entry.Title, URL: m.Entry.URL, About: m.About, At: m.At.UTC(),
			Told: m.Told, Rule: m.Rule, Sentence: dedup.RuleByID(dedup.RuleID(m.Rule)).Sentence, Joined: m.Joined,
		}
		if json.Valid(m.Evidence) {
			j.Evidence = m.Evidence
		}
		out.Members = append(out.Members, j)
	}
	return out
}

func (a *app) storiesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "stories",
		Short: "Articles that stand in several feeds",
		Args: func(cmd *cobra.Command, given []string) error {
			if len(given) > 0 {
				return usagef("%q is nothing that stories can do; there are list, show, lead and leave", given[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.storiesListCommand(), a.storiesShowCommand(), a.storiesLeadCommand(), a.storiesLeaveCommand())
	return cmd
}

// A leadChoice says which article of a story is to be shown first.
type leadChoice struct {
	by     string
	prefer []string
}

func (l *leadChoice) flags(flags *pflag.FlagSet) {
	flags.StringVar(&l.by, "lead", "first", "which article leads: first, or longest")
	flags.StringArrayVar(&l.prefer, "prefer", nil, "a feed whose article leads where it has one (may be repeated)")
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

func (a *app) storiesListCommand() *cobra.Command {
	var feed string
	var limit int
	var lead leadChoice
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List stories, the last changed first",
		Long: `List articles that stand in several feeds: one line for each story, with the article that leads it.

With --json, a line for each story: story (number), at, changed, lead (number of an article), members (entry, feed, feed_title,
title, url, about, at, told, rule, sentence, joined, evidence).`,
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
						if err := lines.write(storyForPrograms(st)); err != nil {
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
			return a.withStory(cmd.Context(), given[0], &lead, func(st store.Story) error {
				if a.json {
					return newJSONLines(a.out).write(storyForPrograms(st))
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

func (a *app) storiesLeadCommand() *cobra.Command {
	var lead leadChoice
	cmd := &cobra.Command{
		Use:   "lead STORY",
		Short: "Say which article of a story is shown first",
		Long: `Say which article leads a story: the one that came first, or with --lead longest the one with the most text; one of a feed
named with --prefer goes before both.

With --json, one object: story (number), lead (number of an article), feed, title, url.`,
		Args: args(1, 1, "the number of a story, as stories list prints it"),
		RunE: func(cmd *cobra.Command, given []string) error {
			if err := lead.check(); err != nil {
				return err
			}
			return a.withStory(cmd.Context(), given[0], &lead, func(st store.Story) error {
				m := st.Members[st.Lead]
				if a.json {
					return newJSONLines(a.out).write(map[string]any{"story": st.ID, "lead": m.Entry.ID, "feed": m.Entry.Feed, "title": m.Entry.Title, "url": m.Entry.URL})
				}
				_, err := fmt.Fprintf(a.out, "article %d of %s: %s\n", m.Entry.ID, clean(m.FeedName), clean(headline(m.Entry)))
				return err
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

// withStory runs f with a story a person named by its number.
func (a *app) withStory(ctx context.Context, number string, lead *leadChoice, f func(store.Story) error) error {
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
			st, err = tx.Story(id, l)
			return err
		})
		if errors.Is(err, feedonce.ErrNotFound) {
			return fmt.Errorf("there is no story %d; `feedonce stories list` lists them", id)
		}
		if err != nil {
			return err
		}
		return f(st)
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
