package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"feedonce/internal/opml"
	"feedonce/internal/outfeed"
	"feedonce/internal/store"
)

func (a *app) exportCommand() *cobra.Command {
	var cleaned bool
	var form string
	cmd := &cobra.Command{
		Use:   "export opml [FILE]",
		Short: "Write the subscription list for other readers",
		Long: `Write the feeds as OPML 2.0, with their folders, to FILE or to standard output.

With --cleaned, the list has in the place of each feed its cleaned one, served by feedonce at a secret address: import it in the
reader you have, and keep that. A cleaned feed is made for each feed that has none yet; the others keep their addresses, so that
you can export again whenever you follow new feeds. Each article is in the list once: where it stands in several feeds, it is an
entry of the cleaned feed that had it first, and of no other. (To have it in each of them, make cleaned feeds one by one with
` + "`feedonce out add --feed`" + `.) Whoever has the list can read the feeds: a file is written so that only you can read it.`,
		Example: "  feedonce export opml feeds.opml\n  feedonce export opml --cleaned --url https://feeds.example.org cleaned.opml",
		Args:    args(1, 2, "opml, and the name of a file or nothing"),
		RunE: func(cmd *cobra.Command, names []string) error {
			ctx := cmd.Context()
			if names[0] != "opml" {
				return usagef("%q is no format to export; there is: opml", names[0])
			}
			if cmd.Flags().Changed("form") && !cleaned {
				return usagef("--form is for cleaned feeds; say --cleaned, too")
			}
			f, ok := map[string]outfeed.Form{"atom": outfeed.Atom, "rss": outfeed.RSS, "json": outfeed.JSON}[form]
			if !ok {
				return usagef("--form is %q, and must be atom, rss or json", form)
			}
			return a.withStore(ctx, func(s *store.Store) error {
				var subs []opml.Subscription
				var err error
				if cleaned {
					subs, err = a.cleanedSubscriptions(ctx, s, f)
				} else {
					subs, err = subscriptions(ctx, s)
				}
				if err != nil {
					return err
				}
				if len(names) == 1 {
					return opml.Write(a.out, "feedonce", subs)
				}
				return writeFile(names[1], func(w io.Writer) error { return opml.Write(w, "feedonce", subs) })
			})
		},
	}
	cmd.Flags().BoolVar(&cleaned, "cleaned", false, "the cleaned feeds in the place of the publishers' own")
	cmd.Flags().StringVar(&form, "form", "atom", "with --cleaned: atom, rss or json")
	addSettings(cmd.Flags(), "store", "deliver")
	cmd.Flags().String("listen", "", "with --cleaned: where serve listens, when --url is not set")
	return cmd
}

func subscriptions(ctx context.Context, s *store.Store) (subs []opml.Subscription, err error) {
	err = s.View(ctx, func(tx *store.Tx) error {
		subs = nil
		feeds, err := tx.Feeds()
		for _, f := range feeds {
			subs = append(subs, opml.Subscription{URL: f.URL, Title: f.Name(), SiteURL: f.SiteURL, Folder: f.Folder})
		}
		return err
	})
	return subs, err
}

// cleanedSubscriptions are the outputs of all feeds, which are made where they are missing.
func (a *app) cleanedSubscriptions(ctx context.Context, s *store.Store, form outfeed.Form) ([]opml.Subscription, error) {
	base, err := a.outBase()
	if err != nil {
		return nil, err
	}
	box, err := a.box(a.logger())
	if err != nil {
		return nil, err
	}
	all, err := outfeed.Cleaned(ctx, s, box, time.Now())
	if err != nil {
		return nil, err
	}
	var subs []opml.Subscription
	added := 0
	for _, c := range all {
		address, err := outfeed.Address(base, c.Output, form, box)
		if err != nil {
			return nil, err
		}
		if c.Added {
			added++
		}
		subs = append(subs, opml.Subscription{URL: address, Title: c.Feed.Name(), SiteURL: c.Feed.SiteURL, Folder: c.Feed.Folder})
	}
	fmt.Fprintf(a.err, "%s made, %d there already.\n", count(added, "cleaned feed"), len(all)-added)
	a.localOnly(base)
	return subs, nil
}

// writeFile writes a whole file or, on error, leaves what was there.
func writeFile(name string, write func(io.Writer) error) (err error) {
	tmp := name + ".part"
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("the file cannot be written: %w", err)
	}
	defer func() {
		if err != nil {
			os.Remove(tmp)
		}
	}()
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(tmp, name)
}
