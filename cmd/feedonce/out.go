package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"feedonce"
	"feedonce/internal/outfeed"
	"feedonce/internal/secret"
	"feedonce/internal/shape"
	"feedonce/internal/store"
)

func (a *app) outCommand() *cobra.Command {
	return group("out", "Cleaned feeds for other readers, one entry for each article",
		a.outAddCommand(), a.outListCommand(), a.outRmCommand(), a.outRenewCommand())
}

const outJSON = `id (number), name, selection (feed, folder, search, scope, once, also, limit; what is absent is not asked
for), created, addresses (atom, rss, json).`

func (a *app) outAddCommand() *cobra.Command {
	var feed, scope string
	o := feedonce.Output{}
	sel := &o.Selection
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "Add a cleaned feed",
		Long: `Add a cleaned feed: of one feed, of a folder, of a search, or of everything. feedonce serves it in three forms - Atom, RSS and
JSON Feed - at a secret address, which this command prints: whoever has the address can read the feed, without a log-in.

Each article is one entry, under an id that never changes, however often its publisher repeats it. With --scope story, which is the
default, so is an article that stands in several of the feeds chosen; with --scope feed it is an entry for each of them.

NAME is the title that readers show. FEED is a feed's number, its URL, or a part of its title or URL that no other feed has. A folder
has those within it, too. With --search, all words must stand in an article's title or text.

To keep a reader with all its feeds, see ` + "`feedonce export opml --cleaned`" + `.

With --json, an object: ` + outJSON,
		Example: "  feedonce out add Everything\n  feedonce out add 'Local news' --folder News/Local --also",
		Args:    args(1, 1, "a name"),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			o.Name, o.Created = given[0], time.Now()
			switch scope {
			case "story":
			case "feed":
				sel.Scope = feedonce.ScopeFeed
			default:
				return usagef("--scope is %q, and must be story or feed", scope)
			}
			if cmd.Flags().Changed("limit") && sel.Limit == 0 {
				return usagef("--limit is 0, and must be from 1 to 500")
			}
			for name, value := range map[string]string{"feed": feed, "folder": sel.Folder, "search": sel.Search} {
				if cmd.Flags().Changed(name) && strings.TrimSpace(value) == "" {
					return usagef("--%s is empty", name)
				}
			}
			if feed != "" && sel.Folder != "" {
				return usagef("--feed and --folder cannot be named together; for several feeds, put them in a folder")
			}
			return a.withOutputs(ctx, func(s *store.Store, box *secret.Box, base string) error {
				if err := s.View(ctx, func(tx *store.Tx) error {
					if feed != "" {
						f, _, err := findFeed(tx, feed)
						if err != nil {
							return err
						}
						sel.Feed = f.ID
					}
					if sel.Folder != "" {
						return folderThere(tx, sel.Folder)
					}
					return nil
				}); err != nil {
					return err
				}
				added, err := outfeed.Add(ctx, s, box, o)
				if err != nil {
					return asUsage(err)
				}
				return a.printOutput("added", added, base, box)
			})
		},
	}
	cmd.Flags().StringVar(&feed, "feed", "", "only of this feed")
	cmd.Flags().StringVar(&sel.Folder, "folder", "", "only of the feeds in this folder")
	cmd.Flags().StringVar(&sel.Search, "search", "", "only with all of these words in title or text")
	cmd.Flags().StringVar(&scope, "scope", "story", "story: an article of several feeds is one entry; feed: one for each feed")
	cmd.Flags().BoolVar(&sel.Also, "also", false, "end each text with the other feeds that have the article, and a link that says why")
	cmd.Flags().IntVar(&sel.Limit, "limit", 0, "entries a page, from 1 to 500 (default 50, and on the first page all of the last day)")
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store", "deliver")
	cmd.Flags().String("listen", "", "where serve listens, when --url is not set")
	return cmd
}

// folderThere returns an error that names the folders there are, unless a feed is in this one.
func folderThere(tx *store.Tx, folder string) error {
	feeds, err := tx.Feeds()
	if err != nil {
		return err
	}
	var names []string
	seen := map[string]bool{"": true}
	for _, f := range feeds {
		if f.Folder == folder || strings.HasPrefix(f.Folder, folder+"/") {
			return nil
		}
		if !seen[f.Folder] {
			seen[f.Folder] = true
			names = append(names, strconv.Quote(clean(f.Folder)))
		}
	}
	there := "no feed is in any"
	if len(names) > 20 {
		names = append(names[:20], fmt.Sprintf("and %d more", len(names)-20))
	}
	if len(names) > 0 {
		there = "there are " + strings.Join(names, ", ")
	}
	return fmt.Errorf("no feed is in the folder %q; %s", folder, there)
}

// outBase is what addresses of outputs begin with.
func (a *app) outBase() (string, error) {
	base := a.baseURL()
	if a.set.URL == "" {
		host, port, err := net.SplitHostPort(a.set.Listen)
		if ip := net.ParseIP(host); err != nil || host == "" || port == "" || port == "0" || ip != nil && ip.IsUnspecified() {
			return "", usagef("readers cannot be sent to %q; set url (--url) to the address at which they reach feedonce, such as https://feeds.example.org", a.set.Listen)
		}
	}
	return base, nil
}

// withOutputs runs f with the open database, what opens the addresses of outputs, and what they begin with.
func (a *app) withOutputs(ctx context.Context, f func(s *store.Store, box *secret.Box, base string) error) error {
	base, err := a.outBase()
	if err != nil {
		return err
	}
	return a.withStore(ctx, func(s *store.Store) error {
		box, err := a.box(a.logger())
		if err != nil {
			return err
		}
		return f(s, box, base)
	})
}

// localOnly says, where it is so, that readers on other machines do not reach these addresses.
func (a *app) localOnly(base string) {
	if local, err := loopback(a.set.Listen); a.set.URL == "" && err == nil && local {
		fmt.Fprintf(a.err, "Readers on this machine find it while `feedonce serve` runs. For others, set url (--url) to the address at which they reach it in the place of %s.\n", base)
	}
}

func outAddresses(o feedonce.Output, base string, box *secret.Box) (*shape.Addresses, error) {
	var at shape.Addresses
	var err error
	for form, to := range map[outfeed.Form]*string{outfeed.Atom: &at.Atom, outfeed.RSS: &at.RSS, outfeed.JSON: &at.JSON} {
		if *to, err = outfeed.Address(base, o, form, box); err != nil {
			return nil, err
		}
	}
	return &at, nil
}

// printOutput prints what was done with an output, and its addresses.
func (a *app) printOutput(done string, o feedonce.Output, base string, box *secret.Box) error {
	at, err := outAddresses(o, base, box)
	if err != nil {
		return err
	}
	if a.json {
		return newJSONLines(a.out).write(shape.OutputOf(o, at, nil))
	}
	if _, err := fmt.Fprintf(a.out, "%s output %d  %s\n  Atom       %s\n  RSS        %s\n  JSON Feed  %s\n", done, o.ID, clean(o.Name), at.Atom, at.RSS, at.JSON); err != nil {
		return err
	}
	a.localOnly(base)
	return nil
}

func (a *app) outListCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List cleaned feeds with their addresses",
		Long: `List cleaned feeds: each in three forms, with its secret addresses and what it has in it. Whoever has an address can read the feed.

With --json, a line for each: ` + outJSON,
		Args: args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return a.withOutputs(ctx, func(s *store.Store, box *secret.Box, base string) error {
				var all []feedonce.Output
				var names map[feedonce.FeedID]string
				if err := s.View(ctx, func(tx *store.Tx) (err error) {
					if all, err = tx.Outputs(); err != nil {
						return err
					}
					names, err = feedNames(tx)
					return err
				}); err != nil {
					return err
				}
				if len(all) == 0 && !a.json {
					fmt.Fprintln(a.err, "There is no cleaned feed yet; `feedonce out add` adds one, `feedonce export opml --cleaned` one for each feed.")
					return nil
				}
				lines := newJSONLines(a.out)
				t := table{header: []string{"ID", "NAME", "FORM", "ADDRESS", "ARTICLES"}, wide: 4}
				for _, o := range all {
					at, err := outAddresses(o, base, box)
					if a.json {
						if err := lines.write(shape.OutputOf(o, at, err)); err != nil {
							return err
						}
						continue
					}
					words := selectionWords(o.Selection, names)
					if err != nil {
						t.add(fmt.Sprint(o.ID), o.Name, "", err.Error(), words)
						continue
					}
					for _, row := range [][2]string{{"atom", at.Atom}, {"rss", at.RSS}, {"json", at.JSON}} {
						t.add(fmt.Sprint(o.ID), o.Name, row[0], row[1], words)
					}
				}
				if a.json {
					return nil
				}
				return t.print(a.out)
			})
		},
	}
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store", "deliver")
	cmd.Flags().String("listen", "", "where serve listens, when --url is not set")
	return cmd
}

// selectionWords says which articles an output has.
func selectionWords(sel feedonce.Selection, names map[feedonce.FeedID]string) string {
	what := "all"
	switch name, there := names[sel.Feed]; {
	case sel.Feed != 0 && !there:
		what = fmt.Sprintf("feed %d, which was removed", sel.Feed)
	case sel.Feed != 0:
		what = fmt.Sprintf("feed %d, %s", sel.Feed, name)
	case sel.Folder != "":
		what = "folder " + sel.Folder
	}
	if sel.Search != "" {
		what += fmt.Sprintf(" with “%s”", strings.Join(strings.Fields(sel.Search), "”, “"))
	}
	switch {
	case sel.Once:
		what += "; without what another cleaned feed had first"
	case sel.Scope == feedonce.ScopeFeed:
		what += "; for each feed"
	}
	if sel.Also {
		what += "; says which feeds have it, too"
	}
	if sel.Limit != 0 {
		what += fmt.Sprintf("; %d a page", sel.Limit)
	}
	return what
}

// findOutput returns the output a person means by its name or number.
func findOutput(tx *store.Tx, name string) (feedonce.Output, error) {
	o, err := tx.OutputByName(name)
	if n, nerr := strconv.ParseInt(name, 10, 64); errors.Is(err, feedonce.ErrNotFound) && nerr == nil {
		o, err = tx.Output(feedonce.OutputID(n))
	}
	if errors.Is(err, feedonce.ErrNotFound) {
		return o, fmt.Errorf("there is no output %q; `feedonce out list` lists them", name)
	}
	return o, err
}

func (a *app) outRmCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rm NAME...",
		Short: "Remove cleaned feeds; the articles stay",
		Long: `Remove cleaned feeds, by their names or numbers. Their addresses lead nowhere any more, for good. The articles stay.

With --json, a line for each: id (number), name.`,
		Args: args(1, -1, "the name of a cleaned feed"),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			return a.withStore(ctx, func(s *store.Store) error {
				var removed []feedonce.Output
				err := s.Update(ctx, func(tx *store.Tx) error { // all or none
					removed = nil
					for _, name := range given {
						o, err := findOutput(tx, name)
						if err != nil {
							return err
						}
						if err := tx.RemoveOutput(o.ID); err != nil {
							return err
						}
						removed = append(removed, o)
					}
					return nil
				})
				if err != nil {
					return err
				}
				for _, o := range removed {
					if a.json {
						err = newJSONLines(a.out).write(map[string]any{"id": o.ID, "name": o.Name})
					} else {
						_, err = fmt.Fprintf(a.out, "removed output %d  %s\n", o.ID, clean(o.Name))
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

func (a *app) outRenewCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "renew NAME",
		Short: "Give a cleaned feed another secret address",
		Long: `Give a cleaned feed, by its name or number, another secret address, and print it. The one that it had leads nowhere from now on: for
when it became known to somebody who should not have it. The ids of the entries stay, so that a reader which is told the new
address shows nothing again.

With --json, an object: ` + outJSON,
		Args: args(1, 1, "the name of a cleaned feed"),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			return a.withOutputs(ctx, func(s *store.Store, box *secret.Box, base string) error {
				o, err := a.findOutput(ctx, s, given[0])
				if err != nil {
					return err
				}
				if o, err = outfeed.Renew(ctx, s, box, o.ID); err != nil {
					return err
				}
				return a.printOutput("renewed", o, base, box)
			})
		},
	}
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store", "deliver")
	cmd.Flags().String("listen", "", "where serve listens, when --url is not set")
	return cmd
}

func (a *app) findOutput(ctx context.Context, s *store.Store, name string) (o feedonce.Output, err error) {
	err = s.View(ctx, func(tx *store.Tx) error {
		o, err = findOutput(tx, name)
		return err
	})
	return o, err
}
