// Command feedonce-accuracy measures how well articles are told apart: it lets simulated publishers misbehave (see
// package evolve) and counts what the product's engine and six simpler strategies make of it.
//
// Without flags it runs the three courses that `make accuracy` runs: every archetype at its normal pace, every
// archetype with many times more new articles, and faults combined at random. It exits with 1 when the engine misses
// a gate, or when one of the simpler strategies passes them all.
//
//	feedonce-accuracy -only mirrors -v 3      what is wrong with one archetype, with examples
//	feedonce-accuracy -chaos -seed 7 -feed 12 -v 5
//	feedonce-accuracy -list                   the archetypes
//	feedonce-accuracy -through both           the same decisions, through ingest on a database
//
// With -through, the product ingests every document on a database of its own beside deciding it in memory: on SQLite, on
// PostgreSQL (a server that is started for it, or the one that FEEDONCE_TEST_POSTGRES names), or both. The simpler
// strategies are left out, courses are a fifth of their size, and it exits with 1 when an arrival is decided differently:
// gates are for whole courses.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"feedonce/internal/evolve"
)

func main() {
	o := options{out: os.Stdout}
	flag.Uint64Var(&o.seed, "seed", 1, "what all publishers follow from")
	flag.IntVar(&o.feeds, "feeds", 0, "feeds of each archetype (default: what the course needs)")
	flag.IntVar(&o.feed, "feed", 0, "only this one of them, counted from 1")
	flag.IntVar(&o.polls, "polls", 0, "polls of each feed (default 130)")
	flag.StringVar(&o.only, "only", "", "only these archetypes, separated by commas")
	flag.BoolVar(&o.normal, "normal", false, "run the course of all archetypes at their normal pace")
	flag.BoolVar(&o.dense, "dense", false, "run the course that is heavy in new articles")
	flag.BoolVar(&o.chaos, "chaos", false, "run the course of faults combined at random")
	flag.IntVar(&o.examples, "v", 0, "print so many examples of each mistake, with the feed's history around it")
	flag.BoolVar(&o.json, "json", false, "print the figures as JSON, one course a line")
	flag.BoolVar(&o.alone, "alone", false, "leave the simpler strategies out")
	flag.StringVar(&o.through, "through", "", "compare with ingesting on a database: sqlite, postgres or both")
	list := flag.Bool("list", false, "list the archetypes")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "feedonce-accuracy takes no arguments, but got %q; see -help\n", flag.Args())
		os.Exit(2)
	}
	if *list {
		for _, a := range append(evolve.Archetypes(), evolve.Chaos) {
			fmt.Printf("%-24s %-22s %s\n", a.Name, a.Family, a.About)
		}
		return
	}
	passed, err := o.run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "feedonce-accuracy:", err)
		os.Exit(2)
	}
	if !passed {
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	out                               io.Writer
	seed                              uint64
	feeds, feed, polls, examples      int
	only, through                     string
	normal, dense, chaos, json, alone bool
}

// run runs the courses that were asked for, and reports whether all were passed.
func (o *options) run() (passed bool, err error) {
	passed = true
	for _, course := range o.courses() {
		kinds, err := pick(course.Archetypes(), o.only)
		if err != nil {
			return false, err
		}
		cfg := evolve.Config{
			Seed: o.seed, Archetypes: kinds, Feeds: course.Feeds, Feed: o.feed, Polls: course.Polls, Dense: course.Dense,
			Strategies: evolve.Contenders(), Examples: o.examples,
		}
		if o.through != "" {
			cfg.Feeds = max(1, cfg.Feeds/throughFraction)
		}
		if o.feeds > 0 {
			cfg.Feeds = o.feeds
		}
		if o.feed > cfg.Feeds {
			cfg.Feeds = o.feed
		}
		if o.polls > 0 {
			cfg.Polls = o.polls
		}
		if o.alone {
			cfg.Strategies = cfg.Strategies[:1]
		}
		began := time.Now()
		var rep *evolve.Report
		var complaints []string
		if o.through == "" {
			rep = evolve.Run(cfg)
			// A run of a chosen size or part need not prove what the course proves.
			whole := o.feeds == 0 && o.feed == 0 && o.polls == 0 && o.only == ""
			complaints = course.Verdict(rep, whole)
		} else if rep, complaints, err = o.runThrough(cfg); err != nil {
			return false, err
		}
		passed = passed && len(complaints) == 0
		if err := o.print(&course, rep, complaints, time.Since(began)); err != nil {
			return false, err
		}
	}
	return passed, nil
}

func (o *options) courses() []evolve.Course {
	var chosen []evolve.Course
	if o.normal || o.only != "" && !o.dense && !o.chaos {
		chosen = append(chosen, evolve.Normal)
	}
	if o.dense {
		chosen = append(chosen, evolve.Dense)
	}
	if o.chaos {
		chosen = append(chosen, evolve.Chaotic)
	}
	if len(chosen) == 0 {
		return evolve.Courses()
	}
	return chosen
}

// pick is the archetypes with these names.
func pick(all []*evolve.Archetype, only string) ([]*evolve.Archetype, error) {
	if only == "" {
		return all, nil
	}
	var picked []*evolve.Archetype
	for name := range strings.SplitSeq(only, ",") {
		found := false
		for _, a := range all {
			if a.Name == strings.TrimSpace(name) {
				picked, found = append(picked, a), true
			}
		}
		if !found {
			return nil, fmt.Errorf("there is no archetype %q; -list lists them", name)
		}
	}
	return picked, nil
}

func (o *options) print(course *evolve.Course, rep *evolve.Report, complaints []string, took time.Duration) error {
	if o.json {
		return json.NewEncoder(o.out).Encode(rep.Figures(course, complaints))
	}
	fmt.Fprintf(o.out, "%s: %s; seed %d, %d feeds of each, %d polls, in %v\n\n", strings.ToUpper(course.Name), course.About, o.seed,
		rep.Config.Feeds, rep.Config.Polls, took.Round(time.Second))
	if err := rep.WriteTable(o.out, true); err != nil {
		return err
	}
	fmt.Fprintln(o.out)
	if err := rep.WriteTotals(o.out, true); err != nil {
		return err
	}
	fmt.Fprintln(o.out)
	if err := rep.WriteGates(o.out, course); err != nil {
		return err
	}
	if o.examples > 0 {
		fmt.Fprintln(o.out)
		if err := rep.WriteCauses(o.out); err != nil {
			return err
		}
		if err := rep.WriteExamples(o.out); err != nil {
			return err
		}
	}
	for _, c := range complaints {
		fmt.Fprintln(o.out, "FAILED:", c)
	}
	fmt.Fprintln(o.out)
	return nil
}
