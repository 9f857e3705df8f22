package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"feedonce/internal/account"
	"feedonce/internal/api"
	"feedonce/internal/jobs"
	"feedonce/internal/outfeed"
	"feedonce/internal/store"
	"feedonce/internal/web"
)

func (a *app) serveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Poll feeds, and show the articles in a browser",
		Long: `Poll feeds, and serve the pages at --listen, with the API for programs under /api/v1 (openapi.json there describes it).

Without settings, the database is one SQLite file in the user's data folder and only this machine can open the pages. As long
as nobody has an account, an address is printed at which the first one is made.
With --db postgres://USER@HOST/NAME any number of servers and workers share one database.

Behind a reverse proxy, give the address that people open with --url, which may have a path, name its host with --hosts:
requests for other names are refused, so that no page elsewhere can reach the server through a name that leads to this
machine. Name the proxy with --trusted-proxies, so that attempts to sign in are counted by who makes them.`,
		Args: args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context()) },
	}
	addSettings(cmd.Flags(), "store", "serve", "fetch", "poll", "deliver", "log")
	return cmd
}

func (a *app) serve(ctx context.Context) error {
	limitMemory()
	local, err := loopback(a.set.Listen)
	if err != nil {
		return err
	}
	hosts := a.set.Hosts
	if !local && len(hosts) == 0 {
		hosts = []string{"*"} // others reach it by names and addresses that are not known here
	}
	return a.withNewStore(ctx, func(s *store.Store) error {
		l, err := listen(a.set.Listen)
		if err != nil {
			return err
		}
		log := a.logger()
		c := a.client()
		defer c.Close()
		journal := a.journal(log)
		defer journal.Close()
		p := a.poller(s, c, log, journal)
		box, err := a.box(log)
		if err != nil {
			return err
		}
		engine := a.engineWith(box, s, c, log)
		open := strings.TrimSuffix(cmp.Or(a.set.URL, "http://"+l.Addr().String()), "/")
		fmt.Fprintf(a.err, "feedonce %s serves http://%s/ from %s; end it with Ctrl-C\n", programVersion(), l.Addr(), s.Name())
		if setUp, err := account.SetUpLink(ctx, s); err != nil {
			return err
		} else if setUp != "" {
			fmt.Fprintf(a.err, "Nobody has an account yet. Make the first one, within a day, at\n\n    %s%s\n\n", open, setUp)
		}
		accounts := account.New(account.Options{Store: s, Log: log, Secure: strings.HasPrefix(a.set.URL, "https:"), Path: web.Base(a.set.URL) + "/",
			Proxies: a.set.Proxies, Header: a.set.AuthHeader})
		group, gctx := errgroup.WithContext(ctx)
		group.Go(func() error { return p.Run(gctx) })
		group.Go(func() error { return a.upkeep(gctx, s, log) })
		group.Go(func() error { return engine.Run(gctx, jobs.Options{Poll: min(a.set.Step, time.Second)}) })
		group.Go(func() error {
			return serveHTTP(gctx, l, doors(web.Options{
				Store: s, Poller: p, Client: c, Log: log, Version: programVersion(), Hosts: hosts,
				Accounts: accounts, Engine: engine, Box: box, URL: a.set.URL,
			}, a.set.URL), log)
		})
		return ended(ctx, group.Wait())
	})
}

// doors are the pages for people, the API for programs and the output feeds for readers, side by side. url is where people
// open the pages; "" is what each request says.
func doors(o web.Options, url string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", web.Handler(o))
	also := func(prefix string, h http.Handler) {
		mux.Handle(prefix, h)
		if base := web.Base(url); base != "" {
			mux.Handle(base+prefix, http.StripPrefix(base, h))
		}
	}
	also(outfeed.Prefix, outfeed.Handler(outfeed.Options{Store: o.Store, URL: url, Log: o.Log, Now: o.Now}))
	also(api.Prefix, api.Handler(api.Options{
		Store: o.Store, Accounts: o.Accounts, Poller: o.Poller, Client: o.Client, Log: o.Log, Version: o.Version, Hosts: o.Hosts, Now: o.Now,
	}))
	return mux
}

// listen opens a port, or says in a sentence why it cannot.
func listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s is in use by another program, perhaps feedonce itself; choose another with --listen", address)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("this user may not listen at %s; choose a port from 1024 up with --listen", address)
	case err != nil:
		return nil, fmt.Errorf("cannot listen at %s: %w; choose another with --listen", address, err)
	}
	return l, nil
}

// serveHTTP serves until ctx ends, then gives requests under way a moment. Long-lived ones (server-sent events) see
// their context end at once. What the server meets goes to log as a warning.
func serveHTTP(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) error {
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := srv.Shutdown(last); err != nil {
			stopped <- srv.Close()
			return
		}
		stopped <- nil
	})
	err := srv.Serve(l)
	if stop() { // it ended by itself
		return fmt.Errorf("serving pages: %w", err)
	}
	return <-stopped
}

// ended is the error of work that was to go on until ctx ended: none, where that is why it did.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
