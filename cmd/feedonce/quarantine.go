package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"feedonce"
	"feedonce/internal/amend"
	"feedonce/internal/shape"
	"feedonce/internal/store"
)

// heldJSON is a held item for programs.
type heldJSON struct {
	Decision int64            `json:"decision"`
	Feed     feedonce.FeedID  `json:"feed"`
	FeedName string           `json:"feed_title"`
	Title    string           `json:"title"`
	URL      string           `json:"url"`
	GUID     string           `json:"guid"`
	Since    time.Time        `json:"since"`
	State    store.HeldState  `json:"state"`
	Closed   *time.Time       `json:"closed,omitempty"`
	Who      string           `json:"who,omitempty"`
	Entry    feedonce.EntryID `json:"entry,omitempty"`
}

func (a *app) quarantineCommand() *cobra.Command {
	return group("quarantine", "Accept or reject items that a policy holds",
		a.quarantineListCommand(), a.quarantineAcceptCommand(), a.quarantineRejectCommand())
}

func (a *app) quarantineListCommand() *cobra.Command {
	var feed, state string
	var limit int
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List what is held",
		Long: `List items that are held by the policy of their feed until a person decides, the latest first. DECISION is what to accept or
reject them by.

With --json, a line for each: decision (number), feed (number), feed_title, title, url, guid, since, state (open, accepted,
rejected), closed, who, entry (the article it became).`,
		Args: args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			switch store.HeldState(state) {
			case store.HeldOpen, store.HeldAccepted, store.HeldRejected:
			default:
				return usagef("--state is %q: it must be open, accepted or rejected", state)
			}
			if limit < 1 || limit > 100_000 {
				return usagef("--limit is %d, and must be from 1 to 100000", limit)
			}
			return a.withStore(ctx, func(s *store.Store) error {
				var held []store.Held
				err := s.View(ctx, func(tx *store.Tx) error {
					filter := store.HeldFilter{State: store.HeldState(state), Limit: limit}
					if feed != "" {
						f, _, err := findFeed(tx, feed)
						if err != nil {
							return err
						}
						filter.Feed = f.ID
					}
					var err error
					held, err = tx.HeldItems(filter)
					return err
				})
				if err != nil {
					return err
				}
				return a.printHeld(held, state)
			})
		},
	}
	cmd.Flags().StringVar(&feed, "feed", "", "only of this feed: its number, URL, or a part of its title or URL")
	cmd.Flags().StringVar(&state, "state", "open", "open, accepted or rejected")
	cmd.Flags().IntVar(&limit, "limit", 50, "how many")
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store")
	return cmd
}

func (a *app) printHeld(held []store.Held, state string) error {
	if a.json {
		lines := newJSONLines(a.out)
		for _, h := range held {
			d := h.Decision
			if err := lines.write(heldJSON{d.ID, d.Feed, h.FeedName, d.Title, d.URL, d.GUID, h.Since.UTC(), h.State, shape.Moment(h.Closed), h.Who, h.Entry}); err != nil {
				return err
			}
		}
		return nil
	}
	if len(held) == 0 {
		fmt.Fprintf(a.err, "Nothing is %s.\n", map[string]string{"open": "held", "accepted": "accepted", "rejected": "rejected"}[state])
		return nil
	}
	t := table{header: []string{"DECISION", "SINCE", "FEED", "TITLE", "URL"}, wide: 3}
	for _, h := range held {
		t.add(fmt.Sprint(h.Decision.ID), stamp(h.Since), cut(clean(h.FeedName), 24), h.Decision.Title, h.Decision.URL)
	}
	return t.print(a.out)
}

func (a *app) quarantineAcceptCommand() *cobra.Command {
	var always bool
	cmd := &cobra.Command{
		Use:   "accept DECISION...",
		Short: "Make articles of held items",
		Long: `Make articles of held items. They are new, and told as they would have been.

With --always, the feed of each is judged so that its items are not held any more, and all that is held of it is accepted.

With --json, a line for each article: decision (number, without --always), feed, entry.`,
		Args: args(1, -1, "the number of a decision, as quarantine list prints it"),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			ids, err := decisionNumbers(given)
			if err != nil {
				return err
			}
			return a.withStore(ctx, func(s *store.Store) error {
				held, err := heldItems(ctx, s, ids)
				if err != nil {
					return err
				}
				if always {
					return a.acceptAlways(ctx, s, held)
				}
				for _, h := range held {
					id, err := amend.Accept(ctx, s, h.Decision.ID, here())
					if err != nil {
						return ofDecision(h.Decision.ID, err)
					}
					if a.json {
						err = newJSONLines(a.out).write(map[string]any{"decision": h.Decision.ID, "feed": h.Decision.Feed, "entry": id})
					} else {
						_, err = fmt.Fprintf(a.out, "accepted: “%s” is article %d\n", cut(clean(heldName(h)), 80), id)
					}
					if err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&always, "always", false, "hold nothing more of their feeds")
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store")
	return cmd
}

func (a *app) acceptAlways(ctx context.Context, s *store.Store, held []store.Held) error {
	done := map[feedonce.FeedID]bool{}
	for _, h := range held {
		if done[h.Decision.Feed] {
			continue
		}
		done[h.Decision.Feed] = true
		entries, err := amend.AcceptAlways(ctx, s, h.Decision.Feed, here())
		if err != nil {
			return err
		}
		if a.json {
			lines := newJSONLines(a.out)
			for _, id := range entries {
				if err := lines.write(map[string]any{"feed": h.Decision.Feed, "entry": id}); err != nil {
					return err
				}
			}
			continue
		}
		if _, err := fmt.Fprintf(a.out, "accepted %s of feed %d, %s; nothing of it is held any more\n",
			count(len(entries), "item"), h.Decision.Feed, clean(h.FeedName)); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) quarantineRejectCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reject DECISION...",
		Short: "Leave held items out for good",
		Long: `Leave held items out for good. They stay in the log of decisions, and nobody is asked again.

With --json, a line for each: decision (number), feed.`,
		Args: args(1, -1, "the number of a decision, as quarantine list prints it"),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			ids, err := decisionNumbers(given)
			if err != nil {
				return err
			}
			return a.withStore(ctx, func(s *store.Store) error {
				held, err := heldItems(ctx, s, ids)
				if err != nil {
					return err
				}
				for _, h := range held {
					if err := amend.Reject(ctx, s, h.Decision.ID, here()); err != nil {
						return ofDecision(h.Decision.ID, err)
					}
					if a.json {
						err = newJSONLines(a.out).write(map[string]any{"decision": h.Decision.ID, "feed": h.Decision.Feed})
					} else {
						_, err = fmt.Fprintf(a.out, "rejected: “%s” stays out\n", cut(clean(heldName(h)), 80))
					}
					if err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store")
	return cmd
}

// heldItems returns held items by the numbers of their decisions. All must be there and open: who mistyped one wants to
// look again.
func heldItems(ctx context.Context, s *store.Store, ids []int64) (held []store.Held, err error) {
	err = s.View(ctx, func(tx *store.Tx) error {
		held = nil
		for _, id := range ids {
			h, err := tx.HeldItem(id)
			if err != nil {
				return ofDecision(id, err)
			}
			if h.State != store.HeldOpen {
				return fmt.Errorf("the item of decision %d was %s already, on %s", id, h.State, stamp(h.Closed))
			}
			held = append(held, h)
		}
		return nil
	})
	return held, err
}

// ofDecision puts an error about a held item into a sentence.
func ofDecision(id int64, err error) error {
	if errors.Is(err, feedonce.ErrNotFound) {
		return fmt.Errorf("decision %d holds nothing; `feedonce quarantine list` has what is held", id)
	}
	return err
}

func heldName(h store.Held) string {
	d := h.Decision
	return headline(feedonce.Entry{Title: d.Title, URL: d.URL, GUID: d.GUID})
}

// decisionNumbers reads numbers of decisions.
func decisionNumbers(given []string) ([]int64, error) {
	var out []int64
	for _, text := range given {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || id < 1 {
			return nil, usagef("%q is no number of a decision; `feedonce explain` and `feedonce quarantine list` print them", text)
		}
		out = append(out, id)
	}
	return out, nil
}
