package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"feedonce"
	"feedonce/internal/deliver"
	"feedonce/internal/shape"
	"feedonce/internal/store"
)

func (a *app) deliveriesCommand() *cobra.Command {
	return group("deliveries", "What was sent, waits, failed or is held, and what to do about it",
		a.deliveriesListCommand(), a.deliveriesShowCommand(),
		a.deliveriesMoveCommand("retry", "Send deliveries (again) now", "to be sent", (*deliver.Engine).Retry),
		a.deliveriesMoveCommand("skip", "Do not send deliveries that wait, failed or are unknown", "skipped", (*deliver.Engine).Skip),
		a.deliveriesResolveCommand(), a.deliveriesReleaseCommand(), a.deliveriesSendCommand())
}

var deliveryStates = []feedonce.DeliveryState{feedonce.DeliveryPending, feedonce.DeliverySending, feedonce.DeliverySent, feedonce.DeliveryRetry,
	feedonce.DeliveryUnknown, feedonce.DeliveryDead, feedonce.DeliverySkipped, feedonce.DeliveryHeld}

// deliveryFilter are the flags that select deliveries.
type deliveryFilter struct {
	dest, state, feed string
	brake             int64
}

func (f *deliveryFilter) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.dest, "dest", "", "only to this destination")
	cmd.Flags().StringVar(&f.state, "state", "", "only in this state: pending, sending, sent, retry, unknown, dead, skipped or held")
	cmd.Flags().StringVar(&f.feed, "feed", "", "only about articles of this feed")
	cmd.Flags().Int64Var(&f.brake, "brake", 0, "only those that this flood brake holds or held")
}

func (f *deliveryFilter) filter(tx *store.Tx, limit int) (out store.DeliveryFilter, err error) {
	out = store.DeliveryFilter{State: feedonce.DeliveryState(f.state), Brake: f.brake, Limit: limit}
	if f.state != "" && !slices.Contains(deliveryStates, out.State) {
		return out, usagef("--state is %q: it must be pending, sending, sent, retry, unknown, dead, skipped or held", f.state)
	}
	if f.dest != "" {
		d, err := findDestination(tx, f.dest)
		if err != nil {
			return out, err
		}
		out.Destination = d.ID
	}
	if f.feed != "" {
		fd, _, err := findFeed(tx, f.feed)
		if err != nil {
			return out, err
		}
		out.Feed = fd.ID
	}
	return out, nil
}

func (f *deliveryFilter) given() bool {
	return f.dest != "" || f.state != "" || f.feed != "" || f.brake != 0
}

func (a *app) deliveriesListCommand() *cobra.Command {
	var f deliveryFilter
	var limit int
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List deliveries, newest first, and open flood brakes",
		Long: `List deliveries, the newest first. A delivery is one article (or update, or notice) for one destination, and is in one of these
states:
  pending   waits until it is due, or until its destination is resumed
  sending   is being sent
  sent      was accepted
  retry     failed, and will be tried again
  unknown   was written, and no answer came: see ` + "`feedonce deliveries resolve`" + `
  dead      was given up, or refused; ` + "`feedonce deliveries retry`" + ` sends it again
  skipped   is not to be sent
  held      by a flood brake: see ` + "`feedonce deliveries release`" + `

With --json, a line for each: id, destination (number), kind, entry, feed, title, state, note, attempts, created, due, done, batch,
brake.`,
		Args: args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			if limit < 1 || limit > 100_000 {
				return usagef("--limit is %d, and must be from 1 to 100000", limit)
			}
			return a.withStore(ctx, func(s *store.Store) error {
				var rows []feedonce.Delivery
				var brakes []feedonce.Brake
				names := map[feedonce.DestinationID]string{}
				feeds := map[feedonce.FeedID]string{}
				err := s.View(ctx, func(tx *store.Tx) error {
					filter, err := f.filter(tx, limit)
					if err != nil {
						return err
					}
					if rows, err = tx.Deliveries(filter); err != nil {
						return err
					}
					if brakes, err = tx.Brakes(true, 20); err != nil {
						return err
					}
					all, err := tx.Destinations()
					for _, d := range all {
						names[d.ID] = d.Name
					}
					for _, b := range brakes {
						if fd, err := tx.Feed(b.Feed); err == nil {
							feeds[b.Feed] = fd.Name()
						}
					}
					return err
				})
				if err != nil {
					return err
				}
				if a.json {
					lines := newJSONLines(a.out)
					for _, d := range rows {
						if err := lines.write(shape.DeliveryOf(d)); err != nil {
							return err
						}
					}
					return nil
				}
				for _, b := range brakes {
					fmt.Fprintf(a.err, "Flood brake %d: %s had %d new articles at once on %s; `feedonce deliveries release %d` says what becomes of the messages.\n",
						b.ID, clean(feeds[b.Feed]), b.Count, stamp(b.At), b.ID)
				}
				if len(rows) == 0 {
					fmt.Fprintln(a.err, "There is no such delivery.")
					return nil
				}
				t := table{header: []string{"ID", "CREATED", "DESTINATION", "STATE", "TRIES", "WHAT", "TITLE", "NOTE"}, wide: 6}
				for _, d := range rows {
					t.add(fmt.Sprint(d.ID), stamp(d.Created), cut(clean(names[d.Destination]), 20), string(d.State), fmt.Sprint(d.Attempts), string(d.Kind), d.Title, d.Note)
				}
				return t.print(a.out)
			})
		},
	}
	f.add(cmd)
	cmd.Flags().IntVar(&limit, "limit", 50, "how many")
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store")
	return cmd
}

func (a *app) deliveriesShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show a delivery with its attempts",
		Long: `Show a delivery and every attempt of it: when, how long it took, what the endpoint answered.

With --json, an object as in deliveries list, with tries: n, at, took_ms, status, excerpt, error.`,
		Args: args(1, 1, "the number of a delivery"),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			ids, err := deliveryIDs(given)
			if err != nil {
				return err
			}
			return a.withStore(ctx, func(s *store.Store) error {
				var d feedonce.Delivery
				var tries []feedonce.Attempt
				var to feedonce.Destination
				err := s.View(ctx, func(tx *store.Tx) (err error) {
					if d, err = tx.Delivery(ids[0]); err != nil {
						return err
					}
					if tries, err = tx.Attempts(d.ID); err != nil {
						return err
					}
					to, err = tx.Destination(d.Destination)
					return err
				})
				if errors.Is(err, feedonce.ErrNotFound) {
					return fmt.Errorf("there is no delivery %d; `feedonce deliveries list` lists them", ids[0])
				}
				if err != nil {
					return err
				}
				if a.json {
					out := shape.DeliveryOf(d)
					for _, t := range tries {
						out.Tries = append(out.Tries, shape.AttemptOf(t))
					}
					return newJSONLines(a.out).write(out)
				}
				fmt.Fprintf(a.out, "delivery %d to %s: %s\n", d.ID, clean(to.Name), clean(d.Title))
				fmt.Fprintf(a.out, "  %s, %s since %s\n", d.Kind, d.State, stamp(d.Created))
				if d.Note != "" {
					fmt.Fprintf(a.out, "  %s\n", clean(d.Note))
				}
				if d.State == feedonce.DeliveryRetry || d.State == feedonce.DeliveryPending {
					fmt.Fprintf(a.out, "  due %s\n", stamp(d.Due))
				}
				for _, t := range tries {
					said := t.Error
					if said == "" {
						said = "accepted"
					}
					if t.Status != 0 {
						said += fmt.Sprintf(" (%d)", t.Status)
					}
					fmt.Fprintf(a.out, "  attempt %d  %s  %s\n", t.N, t.At.Local().Format("2006-01-02 15:04:05"), clean(said))
					if t.Excerpt != "" {
						fmt.Fprintf(a.out, "    answer: %s\n", clean(t.Excerpt))
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

// deliveryIDs reads the numbers of deliveries: "7", "7-12".
func deliveryIDs(given []string) (ids []feedonce.DeliveryID, err error) {
	const most = 100_000
	for _, g := range given {
		first, last, isRange := strings.Cut(g, "-")
		if !isRange {
			last = first
		}
		from, ferr := strconv.ParseInt(first, 10, 64)
		to, terr := strconv.ParseInt(last, 10, 64)
		if ferr != nil || terr != nil || from < 1 || to < from || to-from > most {
			return nil, usagef("%q is no number of a delivery, and no range such as 7-12", g)
		}
		for id := from; id <= to; id++ {
			ids = append(ids, feedonce.DeliveryID(id))
		}
	}
	return ids, nil
}

// chosen are the deliveries that a person names by numbers, ranges or flags.
func (a *app) chosen(ctx context.Context, s *store.Store, given []string, f *deliveryFilter) ([]feedonce.DeliveryID, error) {
	if len(given) == 0 && !f.given() {
		return nil, usagef("say which deliveries: by number (7), range (7-12), or with --dest, --state, --feed or --brake")
	}
	if len(given) > 0 && f.given() {
		return nil, usagef("name deliveries by number or by flags, not both")
	}
	if len(given) > 0 {
		return deliveryIDs(given)
	}
	var ids []feedonce.DeliveryID
	err := s.View(ctx, func(tx *store.Tx) error {
		filter, err := f.filter(tx, 1_000_000)
		if err != nil {
			return err
		}
		rows, err := tx.Deliveries(filter)
		ids = nil
		for _, d := range rows {
			ids = append(ids, d.ID)
		}
		return err
	})
	return ids, err
}

func (a *app) deliveriesMoveCommand(name, short, is string, do func(*deliver.Engine, context.Context, []feedonce.DeliveryID) (int64, error)) *cobra.Command {
	var f deliveryFilter
	cmd := &cobra.Command{
		Use:   name + " [ID|FROM-TO...]",
		Short: short,
		Long:  short + ": those with these numbers, or all that the flags select. Those that are in a state where it makes no sense stay as they are.",
		Args:  args(0, -1, ""),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			return a.withEngine(ctx, func(s *store.Store, e *deliver.Engine) error {
				ids, err := a.chosen(ctx, s, given, &f)
				if err != nil {
					return err
				}
				n, err := do(e, ctx, ids)
				return a.sayMoved(n, is, err)
			})
		},
	}
	f.add(cmd)
	addSettings(cmd.Flags(), "store", "fetch", "deliver")
	return cmd
}

// sayMoved says how many deliveries are something now, unless there was an error.
func (a *app) sayMoved(n int64, is string, err error) error {
	if err == nil {
		_, err = fmt.Fprintf(a.out, "%s %s\n", count(int(n), "delivery"), is)
	}
	return err
}

func (a *app) deliveriesResolveCommand() *cobra.Command {
	var f deliveryFilter
	var as string
	cmd := &cobra.Command{
		Use:   "resolve --as sent|resend|skip [ID|FROM-TO...]",
		Short: "Say what became of deliveries that are unknown",
		Long: `A message to a chat or the like that was written and never answered may have arrived, or not; sent again it might stand there twice.
Look there, and say:
  --as sent     it arrived
  --as resend   it did not: send it again
  --as skip     leave it`,
		Args: args(0, -1, ""),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			do, is := (*deliver.Engine).Arrived, "marked as sent"
			switch as {
			case "sent":
			case "resend":
				do, is = (*deliver.Engine).Lost, "to be sent again"
			case "skip":
				do, is = (*deliver.Engine).LeaveOpen, "skipped"
			default:
				return usagef("--as is %q: it must be sent, resend or skip", as)
			}
			return a.withEngine(ctx, func(s *store.Store, e *deliver.Engine) error {
				if len(given) == 0 && f.state == "" {
					f.state = string(feedonce.DeliveryUnknown)
				}
				ids, err := a.chosen(ctx, s, given, &f)
				if err != nil {
					return err
				}
				n, err := do(e, ctx, ids)
				return a.sayMoved(n, is, err)
			})
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&as, "as", "", "sent, resend or skip")
	addSettings(cmd.Flags(), "store", "fetch", "deliver")
	return cmd
}

func (a *app) deliveriesReleaseCommand() *cobra.Command {
	var digest, discard bool
	cmd := &cobra.Command{
		Use:   "release BRAKE",
		Short: "Say what becomes of the messages that a flood brake holds",
		Long: `When a feed suddenly has far more new articles than ever, they are stored and shown, and the messages about them are held. Release
them:
  (no flag)   each is sent, as it would have been
  --digest    each destination gets one message with all of them
  --discard   none is sent`,
		Args: args(1, 1, "the number of a brake, which `feedonce deliveries list` shows"),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			id, err := strconv.ParseInt(given[0], 10, 64)
			if err != nil || id < 1 {
				return usagef("%q is no number of a brake", given[0])
			}
			if digest && discard {
				return usagef("say --digest or --discard, not both")
			}
			how, is := feedonce.BrakeReleased, "to be sent"
			if digest {
				how, is = feedonce.BrakeDigested, "to be sent, as one message for each destination"
			} else if discard {
				how, is = feedonce.BrakeDiscarded, "discarded"
			}
			return a.withEngine(ctx, func(_ *store.Store, e *deliver.Engine) error {
				n, err := e.Release(ctx, id, how, who())
				if errors.Is(err, feedonce.ErrNotFound) {
					return fmt.Errorf("there is no flood brake %d", id)
				}
				return a.sayMoved(n, is, asUsage(err))
			})
		},
	}
	cmd.Flags().BoolVar(&digest, "digest", false, "one message for each destination")
	cmd.Flags().BoolVar(&discard, "discard", false, "send none")
	addSettings(cmd.Flags(), "store", "fetch", "deliver")
	return cmd
}

// who is the name of the person at the command line, as the machine knows it.
func who() string { return os.Getenv("USER") }

func (a *app) deliveriesSendCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "send",
		Short: "Send what is due now, for those who run no server",
		Long:  "Send what is due at all destinations, and end: after `feedonce poll` in a timer, say. `feedonce serve` and `feedonce worker` send by\nthemselves.",
		Args:  args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return a.withEngine(ctx, func(_ *store.Store, e *deliver.Engine) error {
				waiting, err := e.Once(ctx)
				if err != nil {
					return err
				}
				if waiting > 0 {
					fmt.Fprintf(a.err, "%s wait for a later time.\n", count(int(waiting), "delivery"))
				}
				return nil
			})
		},
	}
	addSettings(cmd.Flags(), "store", "fetch", "deliver")
	return cmd
}

// asUsage makes of what a person can put right an error that says so.
func asUsage(err error) error {
	var invalid *feedonce.InvalidError
	if errors.As(err, &invalid) {
		return usagef("%s %s", invalid.Field, invalid.Reason)
	}
	return err
}
