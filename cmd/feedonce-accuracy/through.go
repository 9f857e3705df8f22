package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"feedonce/internal/evolve"
	"feedonce/internal/evolve/through"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// throughFraction is how many times fewer feeds than the course needs are run through databases, unless -feeds says.
const throughFraction = 5

// databases are those that a run goes through, empty and its own. They are gone when they are closed.
type databases struct {
	all    []*through.Database
	closes []func() error // in the order of opening
}

// openDatabases opens the databases that -through names.
func openDatabases(which string) (_ *databases, err error) {
	var opens []func(*databases) error
	switch which {
	case "sqlite":
		opens = append(opens, (*databases).openSQLite)
	case "postgres":
		opens = append(opens, (*databases).openPostgres)
	case "both":
		opens = append(opens, (*databases).openSQLite, (*databases).openPostgres)
	default:
		return nil, fmt.Errorf("-through must be sqlite, postgres or both, not %q", which)
	}
	d := &databases{}
	for _, open := range opens {
		if err := open(d); err != nil {
			return nil, errors.Join(err, d.close())
		}
	}
	return d, nil
}

func (d *databases) openSQLite() error {
	dir, err := os.MkdirTemp("", "feedonce-accuracy-")
	if err != nil {
		return err
	}
	d.closes = append(d.closes, func() error { return os.RemoveAll(dir) })
	return d.open("SQLite", filepath.Join(dir, "feedonce.db"))
}

func (d *databases) openPostgres() error {
	dsn, giveBack, err := storetest.TakePostgres()
	if err != nil {
		return err
	}
	d.closes = append(d.closes, giveBack)
	return d.open("PostgreSQL", dsn)
}

func (d *databases) open(name, dsn string) error {
	s, err := store.Open(context.Background(), dsn)
	if err != nil {
		return err
	}
	d.closes = append(d.closes, s.Close)
	d.all = append(d.all, through.New(evolve.ProductName+" on "+name, s))
	return nil
}

func (d *databases) close() error {
	var errs []error
	for i := len(d.closes) - 1; i >= 0; i-- {
		errs = append(errs, d.closes[i]())
	}
	return errors.Join(errs...)
}

// runThrough runs the product, and the product through ingest on databases, and returns how they differ beside the report.
func (o *options) runThrough(cfg evolve.Config) (rep *evolve.Report, differences []string, err error) {
	dbs, err := openDatabases(o.through)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, dbs.close()) }()
	strategies := []func() evolve.Strategy{evolve.NewProduct}
	for _, d := range dbs.all {
		strategies = append(strategies, d.Strategy)
	}
	comparison, strategies := through.Compare(strategies)
	cfg.Strategies = strategies
	rep = evolve.Run(cfg)
	for _, d := range dbs.all {
		if err := d.Err(); err != nil {
			return nil, nil, err
		}
	}
	for _, diff := range comparison.Differences() {
		kind, n := cfg.Whose(diff.Feed)
		differences = append(differences, fmt.Sprintf("decided differently: -seed %d -only %s -feed %d, %s", cfg.Seed, kind.Name, n, diff.Text))
	}
	return rep, differences, nil
}
