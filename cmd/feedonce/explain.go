package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"feedonce"
	"feedonce/internal/explain"
	"feedonce/internal/shape"
	"feedonce/internal/store"
)

func (a *app) explainCommand() *cobra.Command {
	var check, all bool
	cmd := &cobra.Command{
		Use:   "explain ENTRY|URL|GUID|WORDS",
		Short: "Say why an article is here, or why an arrival is not",
		Long: `Say why an article is here: first in a few sentences, then what was decided about everything that came for it - by which
rule, on what evidence, with values and thresholds - what else it might have been and why it is not, what people said of it,
what changed from version to version, and under which identities it is known.

An arrival that is not shown (folded, held or refused) is found by its URL or guid too, and by words of its title. Where
several articles or arrivals have the words, they are listed.

With --check, every decision is made again from what is stored, and is said to come out the same or not: exit code 3 where one
does not. What stood beside an arrival in its document and was not changed by it is not stored; what depends on that may come
out otherwise.

With --json, a line for each article, as the API has it under /entries/ENTRY/explain: entry (as list --json), feed_name, summary
(sentences), decisions, keys (kind, text), changes (at, revision, before: the version it replaced, fields: field, words, each is
and text), story (as stories --json), verdicts, amendments (as undo --list --json); or a line for each arrival that is no article:
decision. A decision has: id (number), at, feed, entry, outcome, rule, name, sentence, guid, url, title, evidence (facts, changed,
material, others, note), told, quiet, arrival (what came, where it is not shown), headline, remarks, findings (text, weight, came,
had, needed), considered (entry, title, why), and with --check: check (same, outcome, rule, entry, text). Where several have the
words: match (an article), arrival (a decision).`,
		Example: "  feedonce explain 17\n  feedonce explain https://example.org/2026/03/an-article\n  feedonce explain lighthouse keeper",
		Args:    args(1, -1, "the number, URL or guid of an article, or words of its title"),
		RunE: func(cmd *cobra.Command, words []string) error {
			ctx := cmd.Context()
			what := strings.TrimSpace(strings.Join(words, " "))
			if what == "" {
				return usagef("name an article by its number, URL, guid or words of its title")
			}
			return a.withStore(ctx, func(s *store.Store) error { return a.explain(ctx, s, what, check, all) })
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "decide again from what is stored, and say whether the same comes out")
	cmd.Flags().BoolVar(&all, "all", false, "every decision, also of an article that has very many")
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store")
	return cmd
}

// An explanation is what there is to say about what a person asked for.
type explanation struct {
	articles []explained
	arrivals []*explain.Lone
	found    *explain.Found
	all      bool
}

type explained struct {
	*explain.Article
	named  *explain.Decision // the arrival the person named, where it is not shown by itself
	checks map[int64]explain.Check
}

func (a *app) explain(ctx context.Context, s *store.Store, what string, check, all bool) error {
	var x explanation
	err := s.View(ctx, func(tx *store.Tx) (err error) {
		x = explanation{all: all}
		if x.found, err = explain.Find(tx, what); err != nil {
			return err
		}
		// Words that only one article or arrival has mean that one.
		if f := x.found; len(f.Articles)+len(f.Arrivals) == 0 && len(f.Titled)+len(f.TitledArrivals) == 1 {
			for _, e := range f.Titled {
				f.Articles = append(f.Articles, e.ID)
			}
			for _, d := range f.TitledArrivals {
				f.Arrivals = append(f.Arrivals, d)
				if d.Entry != 0 {
					f.Articles = append(f.Articles, d.Entry)
				}
			}
		}
		return x.gather(tx, check)
	})
	switch {
	case err != nil:
		return err
	case x.found.Empty():
		return fmt.Errorf("nothing is known of %q: no article or arrival has this number, URL or guid, and no title these words", what)
	case len(x.articles)+len(x.arrivals) == 0:
		return a.listTitled(x.found)
	}
	if a.json {
		err = a.explainJSON(&x)
	} else {
		err = a.printExplanation(&x)
	}
	if err != nil {
		return err
	}
	for _, e := range x.articles {
		for _, c := range e.checks {
			if !c.Same {
				return errFound
			}
		}
	}
	return nil
}

// explainJSON writes what the API answers.
func (a *app) explainJSON(x *explanation) error {
	lines := newJSONLines(a.out)
	for _, e := range x.articles {
		if err := lines.write(shape.ExplanationOf(e.Article, e.checks)); err != nil {
			return err
		}
	}
	for _, lone := range x.arrivals {
		if err := lines.write(map[string]any{"decision": shape.ExplainedOf(&lone.Decision, nil)}); err != nil {
			return err
		}
	}
	return nil
}

// gather collects what is known of what was found.
func (x *explanation) gather(tx *store.Tx, check bool) error {
	for _, id := range x.found.Articles {
		art, err := explain.Of(tx, id)
		if errors.Is(err, feedonce.ErrNotFound) {
			continue // removed since it was recorded
		}
		if err != nil {
			return err
		}
		e := explained{Article: art}
		for i := range art.Decisions {
			d := &art.Decisions[i]
			for _, named := range x.found.Arrivals {
				if named.ID == d.ID {
					e.named = d
				}
			}
		}
		if check {
			if e.checks, err = explain.Again(tx, art); err != nil {
				return err
			}
		}
		x.articles = append(x.articles, e)
	}
	for _, d := range x.found.Arrivals {
		if d.Entry != 0 {
			continue // told with its article
		}
		arrival, err := explain.Arrival(tx, d)
		if err != nil {
			return err
		}
		x.arrivals = append(x.arrivals, arrival)
	}
	return nil
}

// listTitled lists what has the words.
func (a *app) listTitled(f *explain.Found) error {
	if a.json {
		lines := newJSONLines(a.out)
		for _, e := range f.Titled {
			if err := lines.write(map[string]any{"match": shape.EntryOf(e)}); err != nil {
				return err
			}
		}
		for _, d := range f.TitledArrivals {
			if err := lines.write(map[string]any{"arrival": shape.DecisionOf(d)}); err != nil {
				return err
			}
		}
		return nil
	}
	if len(f.Titled) > 0 {
		fmt.Fprintln(a.err, "Several articles have these words in the title; explain one by its number:")
		t := table{header: []string{"ENTRY", "TIME", "TITLE"}, wide: 2}
		for _, e := range f.Titled {
			t.add(fmt.Sprint(e.ID), stamp(e.Time()), headline(e))
		}
		if err := t.print(a.out); err != nil {
			return err
		}
	}
	if len(f.TitledArrivals) == 0 {
		return nil
	}
	fmt.Fprintln(a.err, "These arrivals have them, and are not shown by themselves; explain one by its guid or URL:")
	t := table{header: []string{"TIME", "WHAT", "ENTRY", "TITLE", "GUID OR URL"}, wide: 3}
	for _, d := range f.TitledArrivals {
		id, entry := d.GUID, "-"
		if id == "" {
			id = d.URL
		}
		if d.Entry != 0 {
			entry = fmt.Sprint(d.Entry)
		}
		t.add(stamp(d.At), d.Outcome, entry, d.Title, id)
	}
	return t.print(a.out)
}
