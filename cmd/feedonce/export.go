package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"feedonce/internal/opml"
	"feedonce/internal/store"
)

func (a *app) exportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export opml [FILE]",
		Short: "Write the subscription list for other readers",
		Long:  "Write the feeds as OPML 2.0, with their folders, to FILE or to standard output.",
		Args:  args(1, 2, "opml, and the name of a file or nothing"),
		RunE: func(cmd *cobra.Command, names []string) error {
			ctx := cmd.Context()
			if names[0] != "opml" {
				return usagef("%q is no format to export; there is: opml", names[0])
			}
			return a.withStore(ctx, func(s *store.Store) error {
				var subs []opml.Subscription
				err := s.View(ctx, func(tx *store.Tx) error {
					subs = nil
					feeds, err := tx.Feeds()
					for _, f := range feeds {
						subs = append(subs, opml.Subscription{URL: f.URL, Title: f.Name(), SiteURL: f.SiteURL, Folder: f.Folder})
					}
					return err
				})
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
	addSettings(cmd.Flags(), "store")
	return cmd
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
