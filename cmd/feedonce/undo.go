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

func (a *app) splitCommand() *cobra.Command {
	var ofEntry bool
	cmd := &cobra.Command{
		Use:   "split DECISION",
		Short: "Say that what was folded into an article is another article",
		Long: `Say that a decision was wrong: what was folded into an article becomes an article of its own; what was taken for a new version
becomes one, and the article gets its former version back. It is remembered for ever: the two are never taken for the same
again, until undo. A rule that was reversed twice in a feed only raises suspicion there from then on.

DECISION is the number of the decision, as explain prints it. With --entry, the number is that of an article into which one copy
only was folded.

With --json, one object: id (number), at, who, kind, feed, a (the article), b (the one that was split off), decision, rule, note.`,
		Args: args(1, 1, "the number of a decision, as explain prints it"),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			return a.withStore(ctx, func(s *store.Store) error {
				var id int64
				if ofEntry {
					entry, err := entryNumber(given[0])
					if err != nil {
						return err
					}
					if id, err = onlyCopy(ctx, s, entry); err != nil {
						return err
					}
				} else {
					ids, err := decisionNumbers(given)
					if err != nil {
						return err
					}
					id = ids[0]
				}
				m, err := amend.Split(ctx, s, id, here())
				if errors.Is(err, feedonce.ErrNotFound) {
					err = fmt.Errorf("there is no decision %d; `feedonce explain` prints them", id)
				}
				return a.printAmendment(m, err)
			})
		},
	}
	cmd.Flags().BoolVar(&ofEntry, "entry", false, "the number is that of an article")
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store")
	return cmd
}

// onlyCopy returns the one decision by which something was folded into an article.
func onlyCopy(ctx context.Context, s *store.Store, id feedonce.EntryID) (int64, error) {
	var copies []feedonce.Decision
	err := s.View(ctx, func(tx *store.Tx) error {
		if _, err := tx.Entry(id); err != nil {
			return err
		}
		var err error
		copies, err = tx.Decisions(store.DecisionFilter{Entry: id, Outcomes: []string{string(dedup.Duplicate)}, Limit: 1000})
		return err
	})
	switch {
	case errors.Is(err, feedonce.ErrNotFound):
		return 0, fmt.Errorf("there is no article %d; `feedonce list` lists them", id)
	case err != nil:
		return 0, err
	case len(copies) == 0:
		return 0, fmt.Errorf("nothing was folded into article %d", id)
	case len(copies) > 1:
		return 0, usagef("%s were folded into article %d; `feedonce explain %d` prints the numbers of the decisions, of which to give one",
			count(len(copies), "copy"), id, id)
	}
	return copies[0].ID, nil
}

func (a *app) mergeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "merge ENTRY ENTRY",
		Short: "Say that two articles are the same",
		Long: `Say that two articles are the same. Of two of one feed, the younger becomes part of the older, with all its identities; two
of different feeds become one story, and each stays in its feed. It is remembered for ever, until undo.

ENTRY is the number of an article, as list prints it.

With --json, one object: id (number), at, who, kind (merge, or join for a story), feed, a (the article that stays), b, note.`,
		Args: args(2, 2, "the numbers of two articles"),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			var ids [2]feedonce.EntryID
			for i, text := range given {
				var err error
				if ids[i], err = entryNumber(text); err != nil {
					return err
				}
			}
			return a.withStore(ctx, func(s *store.Store) error {
				for _, id := range ids {
					if _, _, err := entry(ctx, s, id); err != nil {
						return err
					}
				}
				m, err := amend.Merge(ctx, s, ids[0], ids[1], here())
				return a.printAmendment(m, err)
			})
		},
	}
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store")
	return cmd
}

func (a *app) undoCommand() *cobra.Command {
	var list bool
	cmd := &cobra.Command{
		Use:   "undo [CHANGE]",
		Short: "Take back a split, a merge, or what was done to a story",
		Long: `Take back what a person did, exactly: the latest that holds, or the one with this number, as undo --list and explain print it.

With --json, one object, and with --list a line for each: id (number), at, who, kind (split, merge, join, leave, policy),
feed, a, b, decision, rule, note, undone, undone_by.`,
		Args: args(0, 1, "the number of a change, as undo --list prints it"),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			if list && len(given) > 0 {
				return usagef("--list takes no number")
			}
			var id int64
			if len(given) > 0 {
				var err error
				if id, err = strconv.ParseInt(given[0], 10, 64); err != nil || id < 1 {
					return usagef("%q is no number of a change; `feedonce undo --list` prints them", given[0])
				}
			}
			return a.withStore(ctx, func(s *store.Store) error {
				if list {
					return a.listAmendments(ctx, s)
				}
				m, err := amend.Undo(ctx, s, id, here())
				switch {
				case errors.Is(err, feedonce.ErrNotFound) && id == 0:
					err = errors.New("there is nothing to undo")
				case errors.Is(err, feedonce.ErrNotFound):
					err = fmt.Errorf("there is no change %d; `feedonce undo --list` prints them", id)
				}
				if err != nil {
					return err
				}
				if a.json {
					return newJSONLines(a.out).write(shape.AmendmentOf(m))
				}
				_, err = fmt.Fprintf(a.out, "undone: change %d, %s\n", m.ID, clean(m.Note))
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "list what people did, the latest first")
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store")
	return cmd
}

func (a *app) listAmendments(ctx context.Context, s *store.Store) error {
	var all []store.Amendment
	err := s.View(ctx, func(tx *store.Tx) (err error) {
		all, err = tx.Amendments(store.AmendmentFilter{Limit: 1000})
		return err
	})
	if err != nil {
		return err
	}
	if a.json {
		lines := newJSONLines(a.out)
		for _, m := range all {
			if err := lines.write(shape.AmendmentOf(m)); err != nil {
				return err
			}
		}
		return nil
	}
	if len(all) == 0 {
		fmt.Fprintln(a.err, "Nobody has changed a decision.")
		return nil
	}
	t := table{header: []string{"CHANGE", "TIME", "FEED", "WHAT", "STATE"}, wide: 3}
	for _, m := range all {
		state := "holds"
		if !m.Undone.IsZero() {
			state = "undone " + stamp(m.Undone)
		}
		t.add(fmt.Sprint(m.ID), stamp(m.At), fmt.Sprint(m.Feed), fmt.Sprintf("%s: %s", m.Kind, m.Note), state)
	}
	return t.print(a.out)
}

// printAmendment prints what was done.
func (a *app) printAmendment(m store.Amendment, err error) error {
	if err != nil {
		return err
	}
	if a.json {
		return newJSONLines(a.out).write(shape.AmendmentOf(m))
	}
	_, err = fmt.Fprintf(a.out, "%s\nTo take it back: feedonce undo %d\n", wrap(clean(m.Note), "", 100), m.ID)
	return err
}

// entryNumber reads the number of an article.
func entryNumber(text string) (feedonce.EntryID, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 {
		return 0, usagef("%q is no number of an article; `feedonce list` has them, and `feedonce explain` finds articles by URL, guid or words", text)
	}
	return feedonce.EntryID(id), nil
}
