package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"feedonce"
	"feedonce/internal/account"
	"feedonce/internal/demo"
	"feedonce/internal/fetch"
	"feedonce/internal/poll"
	"feedonce/internal/store"
	"feedonce/internal/web"
)

func (a *app) demoCommand() *cobra.Command {
	var rounds int
	var every time.Duration
	var listenAt string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Watch it deal with misbehaving publishers; works offline",
		Long: `Serve a score of publishers that misbehave, each in its own way, poll them at high speed into a temporary database, and
show what becomes of their articles: here, and as pages in a browser. Nothing of it leaves this machine, and nothing is
left behind.

The column GUID ONLY is what a reader shows that knows articles by their guid alone.

With --json, a line for each publisher at the end: name, title, habit, polls, articles (there really were), shown (by
feedonce), guid_only.`,
		Args: args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if rounds < 0 || every <= 0 {
				return usagef("--rounds must not be negative, and --every must be more than nothing")
			}
			if local, err := loopback(listenAt); err != nil {
				return err
			} else if !local {
				return usagef("the demo is for this machine: --listen must be a loopback address, such as 127.0.0.1:8470")
			}
			return a.demo(cmd.Context(), listenAt, rounds, every)
		},
	}
	cmd.Flags().IntVar(&rounds, "rounds", 0, "end after so many polls of each publisher; 0 goes on until Ctrl-C")
	cmd.Flags().DurationVar(&every, "every", time.Second, "how often to poll each publisher")
	cmd.Flags().StringVar(&listenAt, "listen", "127.0.0.1:8470", "where to serve the pages; another port is taken where this one is in use")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) demo(ctx context.Context, listenAt string, rounds int, every time.Duration) (err error) {
	dir, err := os.MkdirTemp("", "feedonce-demo-")
	if err != nil {
		return fmt.Errorf("there is no room for the temporary database: %w", err)
	}
	defer func() {
		if rerr := os.RemoveAll(dir); err == nil {
			err = rerr
		}
	}()
	s, err := store.Open(ctx, filepath.Join(dir, "demo.db"))
	if err != nil {
		return err
	}
	defer func() {
		if cerr := s.Close(); err == nil {
			err = cerr
		}
	}()
	town, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("the publishers cannot be served: %w", err)
	}
	pages, err := net.Listen("tcp", listenAt)
	if err != nil {
		if pages, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return fmt.Errorf("the pages cannot be served: %w", err)
		}
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	// The newest article of a first document is dated now: a feed that was silent for a while is polled less often.
	site := demo.NewSite(demo.Publishers(time.Now().Add(-8*time.Second), time.Second))
	tally := newTally(site, rounds, end)
	if err := tally.follow(ctx, s, "http://"+town.Addr().String(), every); err != nil {
		return err
	}
	watch, err := watcher(ctx, s)
	if err != nil {
		return err
	}
	c := fetch.New(fetch.Options{Version: programVersion(), AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	defer c.Close()
	p := poll.New(poll.Options{
		Store: s, Client: c, Log: quiet(), OnResult: tally.result,
		Workers: 4, PerHost: 4, Step: every / 10, Min: every, Max: every, Lease: 2 * time.Minute,
	})
	if !a.json {
		fmt.Fprintf(a.out, "%s, served at http://%s/ and polled every %v.\nWatch at http://%s%s (once; then at http://%[4]s/); end it with Ctrl-C.\n\n",
			count(len(site.Publishers), "misbehaving publisher"), town.Addr(), every, pages.Addr(), watch)
	}
	group, gctx := errgroup.WithContext(ctx)
	group.Go(func() error { return serveHTTP(gctx, town, site, quiet()) })
	group.Go(func() error {
		return serveHTTP(gctx, pages, doors(web.Options{Store: s, Accounts: account.New(account.Options{Store: s}), Poller: p, Client: c, Log: quiet(), Version: programVersion()}, ""), quiet())
	})
	group.Go(func() error { return p.Run(gctx) })
	group.Go(func() error { return a.indexSearch(gctx, s, quiet()) })
	group.Go(func() error { return a.runningAccount(gctx, tally) })
	if err := group.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return a.finalAccount(tally)
}

// watcher makes somebody who watches the demo, and returns the path of an address that signs them in once.
func watcher(ctx context.Context, s *store.Store) (string, error) {
	var u feedonce.User
	if err := s.Update(ctx, func(tx *store.Tx) (err error) {
		u, err = account.First(tx, "you", "")
		return err
	}); err != nil {
		return "", err
	}
	return account.SignInLink(ctx, s, u.ID)
}
