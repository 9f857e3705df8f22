package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"feedonce"
	"feedonce/internal/deliver"
	"feedonce/internal/dest"
	"feedonce/internal/shape"
	"feedonce/internal/store"
)

func (a *app) destCommand() *cobra.Command {
	return group("dest", "Where new articles are told: chat, mail, webhooks, files",
		a.destAddCommand(), a.destListCommand(), a.destShowCommand(), a.destSetCommand(), a.destTestCommand(),
		a.destStateCommand("pause", "Let the messages of a destination wait", "paused", (*deliver.Engine).Pause),
		a.destStateCommand("resume", "Send to a destination again", "active again", (*deliver.Engine).Resume),
		a.destRmCommand(), a.destKindsCommand())
}

// withEngine runs f with the open database and what sends messages.
func (a *app) withEngine(ctx context.Context, f func(*store.Store, *deliver.Engine) error) error {
	return a.withStore(ctx, func(s *store.Store) error {
		c := a.client()
		defer c.Close()
		e, err := a.engine(s, c, a.logger())
		if err != nil {
			return err
		}
		return f(s, e)
	})
}

// findDestination returns the destination a person means by its number or name.
func findDestination(tx *store.Tx, name string) (feedonce.Destination, error) {
	d, err := tx.DestinationByName(name)
	if n, nerr := strconv.ParseInt(name, 10, 64); errors.Is(err, feedonce.ErrNotFound) && nerr == nil {
		d, err = tx.Destination(feedonce.DestinationID(n))
	}
	if errors.Is(err, feedonce.ErrNotFound) {
		return d, fmt.Errorf("there is no destination %q; `feedonce dest list` lists them", name)
	}
	return d, err
}

func (a *app) destination(ctx context.Context, s *store.Store, name string) (d feedonce.Destination, err error) {
	err = s.View(ctx, func(tx *store.Tx) error {
		d, err = findDestination(tx, name)
		return err
	})
	return d, err
}

// withDestination runs f as withEngine does, with the destination a person means.
func (a *app) withDestination(ctx context.Context, name string, f func(*store.Store, *deliver.Engine, feedonce.Destination) error) error {
	return a.withEngine(ctx, func(s *store.Store, e *deliver.Engine) error {
		d, err := a.destination(ctx, s, name)
		if err != nil {
			return err
		}
		return f(s, e, d)
	})
}

// keyValues reads settings as KEY=VALUE, KEY=@FILE for the content of a file and KEY=- for standard input: a secret on a
// command line can be read by others.
func (a *app) keyValues(given []string) (dest.Settings, error) {
	set := dest.Settings{}
	for _, g := range given {
		key, value, ok := strings.Cut(g, "=")
		if !ok || key == "" {
			return nil, usagef("%q is no setting; write KEY=VALUE, KEY=@FILE or KEY=- (see `feedonce dest kinds`)", g)
		}
		var content []byte
		var err error
		switch {
		case value == "-":
			content, err = io.ReadAll(io.LimitReader(a.in, 1<<20))
			value = strings.TrimSpace(string(content))
		case strings.HasPrefix(value, "@"):
			content, err = os.ReadFile(value[1:])
			value = strings.TrimSpace(string(content))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		set[key] = value
	}
	return set, nil
}

func (a *app) destAddCommand() *cobra.Command {
	var r routeFlags
	cmd := &cobra.Command{
		Use:   "add NAME KIND [KEY=VALUE...]",
		Short: "Add a destination",
		Long: `Add a destination: from now on it is told of every article that is new, once. Of what is there already it hears nothing,
unless --backlog asks for it.

NAME is what you want to call it. KIND and the settings it has are listed by ` + "`feedonce dest kinds`" + `. A setting's value may be
read from a file (KEY=@FILE) or from standard input (KEY=-), so that a secret stands in no command line.

` + routeHelp + `

With --json, the destination as an object: id, name, kind, state, settings (secrets masked), route, created, and counts of its
deliveries by state.`,
		Args: args(2, -1, "a name, a kind, and the settings of that kind"),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			set, err := a.keyValues(given[2:])
			if err != nil {
				return err
			}
			return a.withEngine(ctx, func(s *store.Store, e *deliver.Engine) error {
				d := feedonce.Destination{Name: given[0], Kind: given[1]}
				if err := s.View(ctx, func(tx *store.Tx) error { return r.apply(cmd, tx, &d.Route) }); err != nil {
					return err
				}
				d, backlog, err := e.Add(ctx, d, set)
				if err != nil {
					return asUsage(err)
				}
				if a.json {
					return a.printDestination(ctx, s, e, d)
				}
				fmt.Fprintf(a.out, "added destination %d  %s  (%s)\n", d.ID, clean(d.Name), d.Kind)
				if backlog > 0 {
					fmt.Fprintf(a.out, "%s of the backlog will be sent\n", count(backlog, "article"))
				}
				fmt.Fprintf(a.err, "Try it with `feedonce dest test %s`.\n", quoteArg(d.Name))
				return nil
			})
		},
	}
	r.add(cmd)
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store", "fetch", "deliver")
	return cmd
}

// quoteArg is a name as it can be typed.
func quoteArg(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t'\"\\$`!*?[]{}()<>|&;#~") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func (a *app) printDestination(ctx context.Context, s *store.Store, e *deliver.Engine, d feedonce.Destination) error {
	masked, err := e.Masked(d)
	if err != nil {
		return err
	}
	var counts map[feedonce.DestinationID]map[feedonce.DeliveryState]int64
	if err := s.View(ctx, func(tx *store.Tx) error {
		counts, err = tx.DeliveryCounts()
		return err
	}); err != nil {
		return err
	}
	if a.json {
		return newJSONLines(a.out).write(shape.DestinationOf(d, masked, counts[d.ID]))
	}
	fmt.Fprintf(a.out, "%s (destination %d, %s) is %s\n", clean(d.Name), d.ID, d.Kind, d.State)
	names := make([]string, 0, len(masked))
	for n := range masked {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		fmt.Fprintf(a.out, "  %s = %s\n", n, clean(masked[n]))
	}
	for _, line := range routeWords(d.Route) {
		fmt.Fprintf(a.out, "  %s\n", line)
	}
	fmt.Fprintf(a.out, "  deliveries: %s\n", countsWords(counts[d.ID]))
	if !d.LastOK.IsZero() {
		fmt.Fprintf(a.out, "  last accepted %s\n", stamp(d.LastOK))
	}
	if d.Error != "" {
		fmt.Fprintf(a.out, "  %s: %s (%s in a row)\n", stamp(d.ErrorAt), clean(d.Error), count(d.Errors, "failure"))
	}
	return nil
}

// countsWords says how many deliveries are in which state.
func countsWords(of map[feedonce.DeliveryState]int64) string {
	var parts []string
	for _, s := range []feedonce.DeliveryState{feedonce.DeliverySent, feedonce.DeliveryPending, feedonce.DeliverySending, feedonce.DeliveryRetry, feedonce.DeliveryHeld,
		feedonce.DeliveryUnknown, feedonce.DeliveryDead, feedonce.DeliverySkipped} {
		if n := of[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	if len(parts) == 0 {
		return "none yet"
	}
	return strings.Join(parts, ", ")
}

func (a *app) destListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List destinations",
		Long: `List destinations with the number of their deliveries by state.

With --json, a line for each: id, name, kind, state, settings (secrets masked), route, created, last_ok, error, error_at, errors,
rests_until, counts.`,
		Args: args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return a.withEngine(ctx, func(s *store.Store, e *deliver.Engine) error {
				var all []feedonce.Destination
				var counts map[feedonce.DestinationID]map[feedonce.DeliveryState]int64
				err := s.View(ctx, func(tx *store.Tx) (err error) {
					if all, err = tx.Destinations(); err == nil {
						counts, err = tx.DeliveryCounts()
					}
					return err
				})
				if err != nil {
					return err
				}
				if a.json {
					lines := newJSONLines(a.out)
					for _, d := range all {
						masked, err := e.Masked(d)
						if err != nil {
							return err
						}
						if err := lines.write(shape.DestinationOf(d, masked, counts[d.ID])); err != nil {
							return err
						}
					}
					return nil
				}
				if len(all) == 0 {
					fmt.Fprintln(a.err, "There is no destination yet; `feedonce dest add` adds one.")
					return nil
				}
				t := table{header: []string{"ID", "NAME", "KIND", "STATE", "DELIVERIES", "ERROR"}, wide: 5}
				for _, d := range all {
					t.add(fmt.Sprint(d.ID), d.Name, d.Kind, string(d.State), countsWords(counts[d.ID]), d.Error)
				}
				return t.print(a.out)
			})
		},
	}
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store", "fetch", "deliver")
	return cmd
}

func (a *app) destShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show NAME",
		Short: "Show a destination: its settings, what it is told, how it is",
		Long: `Show a destination, by its name or number. Secrets are masked.

With --json, an object as in dest list.`,
		Args: args(1, 1, "the name of a destination"),
		RunE: func(cmd *cobra.Command, given []string) error {
			return a.withDestination(cmd.Context(), given[0], func(s *store.Store, e *deliver.Engine, d feedonce.Destination) error {
				return a.printDestination(cmd.Context(), s, e, d)
			})
		},
	}
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store", "fetch", "deliver")
	return cmd
}

func (a *app) destSetCommand() *cobra.Command {
	var r routeFlags
	var name string
	cmd := &cobra.Command{
		Use:   "set NAME [KEY=VALUE...]",
		Short: "Change a destination's settings, or what it is told",
		Long: `Change settings (KEY= takes one away), or what a destination is told: each flag replaces what was said by it before. What
waits to be sent is sent under the new settings.

` + routeHelp,
		Args: args(1, -1, "the name of a destination, and settings"),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			set, err := a.keyValues(given[1:])
			if err != nil {
				return err
			}
			return a.withEngine(ctx, func(s *store.Store, e *deliver.Engine) error {
				var d feedonce.Destination
				err := s.View(ctx, func(tx *store.Tx) (err error) {
					if d, err = findDestination(tx, given[0]); err == nil {
						err = r.apply(cmd, tx, &d.Route)
					}
					return err
				})
				if err != nil {
					return err
				}
				if name != "" {
					d.Name = name
				}
				if err := e.Change(ctx, d, set); err != nil {
					return asUsage(err)
				}
				if d, err = a.destination(ctx, s, d.Name); err != nil {
					return err
				}
				return a.printDestination(ctx, s, e, d)
			})
		},
	}
	r.add(cmd)
	cmd.Flags().StringVar(&name, "name", "", "another name")
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store", "fetch", "deliver")
	return cmd
}

func (a *app) destTestCommand() *cobra.Command {
	var entry int64
	var preview bool
	cmd := &cobra.Command{
		Use:   "test NAME",
		Short: "Send one message now, or show what it would be",
		Long: `Send a destination one message about its newest article (or --entry), outside of its queue, and say what the endpoint answered.
With --preview nothing is sent: the message is shown as it would be.

Exit code 3: the endpoint did not accept it.`,
		Args: args(1, 1, "the name of a destination"),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			return a.withDestination(ctx, given[0], func(_ *store.Store, e *deliver.Engine, d feedonce.Destination) error {
				if preview {
					p, err := e.Preview(ctx, d, feedonce.EntryID(entry))
					if err != nil {
						return err
					}
					return a.printPreview(p)
				}
				p, res, err := e.Test(ctx, d, feedonce.EntryID(entry))
				if err != nil {
					return err
				}
				if err := a.printPreview(p); err != nil {
					return err
				}
				status := ""
				if res.Status != 0 {
					status = fmt.Sprintf(" (%d)", res.Status)
				}
				if res.Outcome == dest.Sent {
					fmt.Fprintf(a.err, "%s accepted it%s.\n", clean(d.Name), status)
					return nil
				}
				fmt.Fprintf(a.err, "%s did not accept it%s: %v\n", clean(d.Name), status, res.Err)
				if res.Excerpt != "" {
					fmt.Fprintf(a.err, "It answered: %s\n", clean(res.Excerpt))
				}
				return errFound
			})
		},
	}
	cmd.Flags().Int64Var(&entry, "entry", 0, "an article's number (default: the newest one that the destination would be told of)")
	cmd.Flags().BoolVar(&preview, "preview", false, "send nothing")
	addSettings(cmd.Flags(), "store", "fetch", "deliver")
	return cmd
}

func (a *app) printPreview(p dest.Preview) error {
	for _, h := range p.Headers {
		fmt.Fprintf(a.out, "%s: %s\n", h[0], h[1])
	}
	if len(p.Headers) > 0 {
		fmt.Fprintln(a.out)
	}
	_, err := fmt.Fprintln(a.out, strings.TrimRight(p.Body, "\n"))
	return err
}

func (a *app) destStateCommand(name, short, is string, do func(*deliver.Engine, context.Context, feedonce.DestinationID) error) *cobra.Command {
	cmd := &cobra.Command{
		Use:   name + " NAME",
		Short: short,
		Args:  args(1, 1, "the name of a destination"),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			return a.withDestination(ctx, given[0], func(_ *store.Store, e *deliver.Engine, d feedonce.Destination) error {
				if err := do(e, ctx, d.ID); err != nil {
					return err
				}
				_, err := fmt.Fprintf(a.out, "%s is %s\n", clean(d.Name), is)
				return err
			})
		},
	}
	addSettings(cmd.Flags(), "store", "fetch", "deliver")
	return cmd
}

func (a *app) destRmCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rm NAME",
		Short: "Remove a destination with its deliveries",
		Args:  args(1, 1, "the name of a destination"),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			return a.withStore(ctx, func(s *store.Store) error {
				d, err := a.destination(ctx, s, given[0])
				if err != nil {
					return err
				}
				if err := s.Update(ctx, func(tx *store.Tx) error { return tx.RemoveDestination(d.ID) }); err != nil {
					return err
				}
				_, err = fmt.Fprintf(a.out, "removed destination %d  %s\n", d.ID, clean(d.Name))
				return err
			})
		},
	}
	addSettings(cmd.Flags(), "store")
	return cmd
}

func (a *app) destKindsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "kinds [KIND]",
		Short: "List the kinds of destinations and their settings",
		Args:  args(0, 1, "a kind"),
		RunE: func(_ *cobra.Command, given []string) error {
			for _, k := range dest.Kinds() {
				if len(given) == 1 && given[0] != k.Name {
					continue
				}
				fmt.Fprintf(a.out, "%s: %s\n", k.Name, k.About)
				for _, f := range k.Fields {
					more := ""
					if f.Required {
						more += ", required"
					}
					if f.Secret {
						more += ", kept sealed"
					}
					if f.Default != "" {
						more += ", default " + f.Default
					}
					if f.Values != nil {
						more += ", one of " + strings.Join(f.Values, ", ")
					}
					fmt.Fprintf(a.out, "    %s%s\n%s\n", f.Name, more, wrap(f.About, "        ", 100))
				}
			}
			if len(given) == 1 && dest.ByName(given[0]) == nil {
				return usagef("there is no kind %q", given[0])
			}
			return nil
		},
	}
}
