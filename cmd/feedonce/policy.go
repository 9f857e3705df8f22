package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/amend"
	"feedonce/internal/explain"
	"feedonce/internal/shape"
	"feedonce/internal/store"
)

// policyJSON is the policy of a feed for programs.
type policyJSON struct {
	Feed      feedonce.FeedID `json:"feed"`
	URL       string          `json:"url"`
	Title     string          `json:"title"`
	Policy    dedup.Policy    `json:"policy"`
	Sentences []string        `json:"sentences"`
	Entries   *int            `json:"entries,omitempty"` // of policy set: that are known by the identities of the new policy
	Keys      *int64          `json:"keys,omitempty"`    // of policy set: identities written
}

func (a *app) policyCommand() *cobra.Command {
	return group("policy", "Show, change or try out how a feed is judged",
		a.policyShowCommand(), a.policySetCommand(), a.policySimulateCommand())
}

func (a *app) policyShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show FEED",
		Short: "Say how a feed is judged",
		Long: `Say in plain words how a feed is judged, and with which settings.

With --json, one object: feed (number), url, title, policy, sentences.`,
		Args: args(1, 1, "the number, URL or a part of the title of a feed"),
		RunE: func(cmd *cobra.Command, names []string) error {
			ctx := cmd.Context()
			return a.withStore(ctx, func(s *store.Store) error {
				f, p, err := feedPolicy(ctx, s, names[0])
				if err != nil {
					return err
				}
				if a.json {
					return newJSONLines(a.out).write(policyForPrograms(f, p))
				}
				fmt.Fprintf(a.out, "Feed %d, %s\n\n", f.ID, clean(f.Name()))
				for _, s := range p.Sentences() {
					fmt.Fprintln(a.out, wrap(s, "  ", 100))
				}
				fmt.Fprintln(a.out)
				for _, k := range policyKeys {
					if v := k.value(p); v != "" {
						fmt.Fprintf(a.out, "  %s=%s\n", k.name, clean(v))
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

func (a *app) policySetCommand() *cobra.Command {
	var every bool
	var except []string
	cmd := &cobra.Command{
		Use:   "set FEED KEY=VALUE...",
		Short: "Change how a feed is judged",
		Long: `Change settings of a feed's policy, and say what they mean. KEY= takes a setting back to its default. The articles that are
stored get their identities under the new policy at once: none is new, none is told again. policy simulate says beforehand
what would differ.

` + policyHelp() + `

suspect-only names rules that fold nothing in this feed: what they find is new, and the article it may be is named. group names
feeds that are of one publisher; apart names groups with whose feeds this one never shares a story.

With --all, no FEED is named and every feed is changed, but for those named with --except.

With --json, a line for each feed: feed (number), url, title, policy, sentences, entries (articles that got their identities
anew), keys (identities that were written).`,
		Example: "  feedonce policy set 3 identity=link\n  feedonce policy set --all missing-guid=quarantine --except 3 --except 7",
		Args:    args(1, -1, "the number, URL or a part of the title of a feed, and KEY=VALUE"),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			switch {
			case !every && len(except) > 0:
				return usagef("--except is for --all")
			case !every && len(given) < 2:
				return usagef("say what to change, as KEY=VALUE; there are %s", strings.Join(policyKeyNames(), ", "))
			}
			changes := given
			if !every {
				changes = given[1:]
			}
			if _, err := changePolicy(dedup.Policy{}, changes); err != nil {
				return err
			}
			return a.withStore(ctx, func(s *store.Store) error {
				feeds, err := feedsToChange(ctx, s, given[0], every, except)
				if err != nil {
					return err
				}
				for _, f := range feeds {
					if err := a.setPolicy(ctx, s, f, changes); err != nil {
						return fmt.Errorf("feed %d, %s: %w", f.ID, clean(f.Name()), err)
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&every, "all", false, "every feed")
	cmd.Flags().StringArrayVar(&except, "except", nil, "with --all, a feed that stays as it is (may be repeated)")
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store")
	return cmd
}

func feedsToChange(ctx context.Context, s *store.Store, name string, every bool, except []string) (feeds []feedonce.Feed, err error) {
	err = s.View(ctx, func(tx *store.Tx) error {
		feeds = nil
		if !every {
			f, _, err := findFeed(tx, name)
			feeds = []feedonce.Feed{f}
			return err
		}
		spared := map[feedonce.FeedID]bool{}
		for _, name := range except {
			f, _, err := findFeed(tx, name)
			if err != nil {
				return err
			}
			spared[f.ID] = true
		}
		all, err := tx.Feeds()
		for _, f := range all {
			if !spared[f.ID] {
				feeds = append(feeds, f)
			}
		}
		return err
	})
	return feeds, err
}

// setPolicy changes the policy of one feed, and says what that means.
func (a *app) setPolicy(ctx context.Context, s *store.Store, f feedonce.Feed, changes []string) error {
	before, err := amend.ParsePolicy(f.Policy)
	if err != nil {
		return err
	}
	after, err := changePolicy(before, changes)
	if err != nil {
		return err
	}
	done, err := amend.SetPolicy(ctx, s, f.ID, after, here())
	if err != nil {
		return err
	}
	if a.json {
		j := policyForPrograms(f, after)
		j.Entries, j.Keys = &done.Entries, &done.Keys
		return newJSONLines(a.out).write(j)
	}
	if samePolicy(before, after) {
		_, err := fmt.Fprintf(a.out, "Feed %d, %s, is judged so already.\n", f.ID, clean(f.Name()))
		return err
	}
	fmt.Fprintf(a.out, "Feed %d, %s, is judged otherwise from now on:\n", f.ID, clean(f.Name()))
	for _, s := range newSentences(before, after) {
		fmt.Fprintln(a.out, wrap(s, "  ", 100))
	}
	again := "The identities that are stored serve under it, too"
	if done.Keys > 0 {
		again = fmt.Sprintf("What is stored is known under %s from now on", count(int(done.Keys), "more identity"))
	}
	_, err = fmt.Fprintf(a.out, "%s: no article is new, and none is told again.\n", again)
	return err
}

func (a *app) policySimulateCommand() *cobra.Command {
	var since time.Duration
	cmd := &cobra.Command{
		Use:   "simulate FEED KEY=VALUE...",
		Short: "Say what would differ if a feed were judged otherwise; changes nothing",
		Long: `Judge what is stored of a feed once more under changed settings, and list what would differ: articles that would be folded
into others, duplicates that would be articles, items that would be held. Nothing is changed. Exit code 3: something would
differ.

` + policyHelp() + `

With --json, a line for each difference: kind (folded, article, held, refused, released), at, entry (the article it is or belongs to
now), into (the article it would be folded into), decision, title, guid, url, rule, name, sentence (that would decide), was_rule;
and at the end a line with "summary": feed, arrivals, from, to, articles (there would be), now (articles there are in the same
replay), unlike (arrivals that the replay decides otherwise than was decided, as too little is stored of them).`,
		Example: "  feedonce policy simulate 3 identity=link --since 720h",
		Args:    args(2, -1, "the number, URL or a part of the title of a feed, and KEY=VALUE"),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx := cmd.Context()
			if since < 0 {
				return usagef("--since must not be negative")
			}
			if _, err := changePolicy(dedup.Policy{}, given[1:]); err != nil {
				return err
			}
			return a.withStore(ctx, func(s *store.Store) error {
				f, before, err := feedPolicy(ctx, s, given[0])
				if err != nil {
					return err
				}
				after, err := changePolicy(before, given[1:])
				if err != nil {
					return err
				}
				from := time.Time{}
				if since > 0 {
					from = time.Now().Add(-since)
				}
				sim, err := amend.Simulate(ctx, s, f.ID, after, from)
				if err != nil {
					return err
				}
				return a.printSimulation(f, before, after, sim)
			})
		},
	}
	cmd.Flags().DurationVar(&since, "since", 0, "only what came in so long a time, such as 720h")
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store")
	return cmd
}

var differences = map[amend.DifferenceKind]struct{ word, heading string }{
	amend.DiffFolded:   {"folded", "would be folded into another article"},
	amend.DiffArticle:  {"article", "would be an article of its own"},
	amend.DiffHeld:     {"held", "would be held until a person accepts it"},
	amend.DiffRefused:  {"refused", "would be refused"},
	amend.DiffReleased: {"released", "would not be held or refused"},
}

func (a *app) printSimulation(f feedonce.Feed, before, after dedup.Policy, sim *amend.Simulation) error {
	if a.json {
		return a.simulationForPrograms(sim)
	}
	fmt.Fprintf(a.out, "Feed %d, %s, if it were judged so:\n", f.ID, clean(f.Name()))
	for _, s := range newSentences(before, after) {
		fmt.Fprintln(a.out, wrap(s, "  ", 100))
	}
	if sim.Arrivals == 0 {
		fmt.Fprintln(a.out, "\nNothing is stored that could be judged once more.")
		return nil
	}
	fmt.Fprintf(a.out, "\n%s from %s to %s judged once more: %s instead of %d.\n",
		count(sim.Arrivals, "arrival"), stamp(sim.From), stamp(sim.To), count(sim.Articles, "article"), sim.Now)
	if sim.Unlike > 0 {
		fmt.Fprintln(a.out, wrap(fmt.Sprintf("Take it with care: of %s too little is stored to judge it once more as it was judged.", count(sim.Unlike, "arrival")), "", 100))
	}
	if len(sim.Difference) == 0 {
		fmt.Fprintln(a.out, "Nothing would differ.")
		return nil
	}
	for _, d := range sim.Difference {
		what := d.Title
		if what == "" {
			what = d.URL
		}
		if what == "" {
			what = d.GUID
		}
		place := ""
		if d.Entry != 0 {
			place = fmt.Sprintf(" (article %d)", d.Entry)
		}
		heading := differences[d.Kind].heading
		if d.Kind == amend.DiffFolded && d.Into != 0 {
			heading = fmt.Sprintf("would be folded into article %d", d.Into)
		}
		rule := dedup.RuleByID(d.Rule)
		fmt.Fprintf(a.out, "\n  %s  “%s”%s %s.\n", stamp(d.At), cut(clean(what), 70), place, heading)
		if rule.Sentence != "" && d.Kind != amend.DiffHeld && d.Kind != amend.DiffRefused { // the heading says it
			fmt.Fprintln(a.out, wrap(fmt.Sprintf("%s (rule %s)", rule.Sentence, rule.ID), "      ", 100))
		}
	}
	return &foundError{fmt.Sprintf("%s of %s would be decided otherwise; nothing was changed", fmt.Sprint(len(sim.Difference)), count(sim.Arrivals, "arrival"))}
}

func (a *app) simulationForPrograms(sim *amend.Simulation) error {
	lines := newJSONLines(a.out)
	for _, d := range sim.Difference {
		outcome := dedup.Outcome("")
		if d.Kind == amend.DiffRefused {
			outcome = dedup.Invalid
		}
		rule := explain.RuleOf(d.Rule, outcome)
		if err := lines.write(struct {
			Kind     amend.DifferenceKind `json:"kind"`
			At       time.Time            `json:"at"`
			Entry    feedonce.EntryID     `json:"entry,omitempty"`
			Into     feedonce.EntryID     `json:"into,omitempty"`
			Decision int64                `json:"decision,omitempty"`
			Title    string               `json:"title"`
			GUID     string               `json:"guid"`
			URL      string               `json:"url"`
			Rule     dedup.RuleID         `json:"rule"`
			Name     string               `json:"name"`
			Sentence string               `json:"sentence"`
			WasRule  dedup.RuleID         `json:"was_rule"`
		}{d.Kind, d.At.UTC(), d.Entry, d.Into, d.Decision, d.Title, d.GUID, d.URL, d.Rule, rule.Name, rule.Sentence, d.WasRule}); err != nil {
			return err
		}
	}
	err := lines.write(map[string]any{"summary": struct {
		Feed     feedonce.FeedID `json:"feed"`
		Arrivals int             `json:"arrivals"`
		From     *time.Time      `json:"from"`
		To       *time.Time      `json:"to"`
		Articles int             `json:"articles"`
		Now      int             `json:"now"`
		Unlike   int             `json:"unlike"`
	}{sim.Feed, sim.Arrivals, shape.Moment(sim.From), shape.Moment(sim.To), sim.Articles, sim.Now, sim.Unlike}})
	if err == nil && len(sim.Difference) > 0 {
		err = errFound
	}
	return err
}

// feedPolicy returns a feed and its policy.
func feedPolicy(ctx context.Context, s *store.Store, name string) (f feedonce.Feed, p dedup.Policy, err error) {
	err = s.View(ctx, func(tx *store.Tx) (err error) {
		f, _, err = findFeed(tx, name)
		return err
	})
	if err != nil {
		return f, p, err
	}
	p, err = amend.ParsePolicy(f.Policy)
	var invalid *feedonce.InvalidError
	if errors.As(err, &invalid) {
		err = fmt.Errorf("the policy of feed %d that is stored %s; policy set takes its place", f.ID, invalid.Reason)
	}
	return f, p, err
}

func policyForPrograms(f feedonce.Feed, p dedup.Policy) policyJSON {
	return policyJSON{Feed: f.ID, URL: f.URL, Title: f.Title, Policy: p, Sentences: p.Sentences()}
}

func samePolicy(a, b dedup.Policy) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// here is who changes something from the command line.
func here() amend.By { return amend.By{At: time.Now()} }
