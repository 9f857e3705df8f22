package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"feedonce/internal/jobs"
	"feedonce/internal/store"
)

func (a *app) workerCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Poll feeds without serving pages, beside other workers on PostgreSQL",
		Long: `Poll feeds without serving pages. Any number of workers and servers share one PostgreSQL database: each feed is
polled by one of them at a time, and a worker that dies only delays what it was polling until these feeds are due
again.`,
		Args: args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !a.set.postgres() {
				return usagef("a worker shares its database with other processes, and SQLite (%s) is for one; "+
					"use --db postgres://USER@HOST/NAME, or `feedonce serve`, which polls by itself", a.set.database())
			}
			limitMemory()
			ctx := cmd.Context()
			return a.withNewStore(ctx, func(s *store.Store) error {
				c := a.client()
				defer c.Close()
				log := a.logger()
				journal := a.journal(log)
				defer journal.Close()
				engine, err := a.engine(s, c, log)
				if err != nil {
					return err
				}
				fmt.Fprintf(a.err, "feedonce %s polls for %s; end it with Ctrl-C\n", programVersion(), s.Name())
				p := a.poller(s, c, log, journal)
				group, gctx := errgroup.WithContext(ctx)
				group.Go(func() error { return p.Run(gctx) })
				group.Go(func() error { return a.upkeep(gctx, s, log) })
				group.Go(func() error { return engine.Run(gctx, jobs.Options{Poll: min(a.set.Step, time.Second)}) })
				return ended(ctx, group.Wait())
			})
		},
	}
	addSettings(cmd.Flags(), "store", "fetch", "poll", "deliver", "log")
	return cmd
}
