package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
)

func (a *app) explainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain ENTRY|URL|GUID",
		Short: "Say why an article is here, or why an arrival is not",
		Long: `Say why an article is here: the rule that decided and in what it saw its reasons, under which identities the article
is known, what was folded into it, and its earlier versions. An arrival that is not shown (folded, held or invalid) is
found by its URL or guid too.

Where nothing has this number, URL or guid, it is taken for words of a title, and what fits is listed.

With --json, a line for each article: entry (as list --json), feed, decisions, keys (kind, text), versions; or a line for each
arrival that is no article: decision. A decision has: decision (number), at, feed, entry, outcome, rule, name, sentence, guid,
url, title, evidence (facts, changed, material, others, note), told, quiet.`,
		Args: args(1, -1, "the number, URL or guid of an article, or words of its title"),
		RunE: func(cmd *cobra.Command, words []string) error {
			ctx := cmd.Context()
			what := strings.TrimSpace(strings.Join(words, " "))
			if what == "" {
				return usagef("name an article by its number, URL, guid or words of its title")
			}
			return a.withStore(ctx, func(s *store.Store) error { return a.explain(ctx, s, what) })
		},
	}
	a.jsonFlag(cmd)
	addSettings(cmd.Flags(), "store")
	return cmd
}

// A story is all that is known of an article.
type story struct {
	entry     feedonce.Entry
	feed      feedonce.Feed
	decisions []feedonce.Decision // oldest first
	keys      []dedup.Key
	versions  []feedonce.Version
}

const mostExplained = 20 // articles that one URL or guid may name

func (a *app) explain(ctx context.Context, s *store.Store, what string) error {
	var stories []story
	var arrivals []feedonce.Decision
	var alike []feedonce.Entry
	err := s.View(ctx, func(tx *store.Tx) error {
		stories, arrivals, alike = nil, nil, nil
		entries, err := tx.FindEntries(what)
		if err != nil && !errors.Is(err, feedonce.ErrNotFound) {
			return err
		}
		for _, e := range entries[:min(len(entries), mostExplained)] {
			st, err := tell(tx, e)
			if err != nil {
				return err
			}
			stories = append(stories, st)
		}
		decisions, err := tx.Decisions(store.DecisionFilter{Words: what, Limit: 200})
		if err != nil {
			return err
		}
		var titled []feedonce.Decision // arrivals that are no articles, with these words in the title
		for _, d := range decisions {
			if d.GUID != what && d.URL != what {
				if d.Entry == 0 {
					titled = append(titled, d)
				}
				continue
			}
			if d.Entry == 0 {
				arrivals = append(arrivals, d)
				continue
			}
			if !hasStory(stories, d.Entry) && len(stories) < mostExplained {
				e, err := tx.Entry(d.Entry)
				if err != nil {
					return err
				}
				st, err := tell(tx, e)
				if err != nil {
					return err
				}
				stories = append(stories, st)
			}
		}
		if len(stories)+len(arrivals) > 0 {
			return nil
		}
		arrivals = titled
		alike, err = tx.Entries(store.EntryFilter{Words: what, Limit: 20})
		return err
	})
	switch {
	case err != nil:
		return err
	case len(alike) == 1 && len(arrivals) == 0:
		return a.explain(ctx, s, fmt.Sprint(alike[0].ID))
	case len(alike) > 0:
		if err := a.listAlike(alike); err != nil {
			return err
		}
	case len(stories)+len(arrivals) == 0:
		return fmt.Errorf("nothing is known of %q: no article or arrival has this number, URL or guid, and no title these words", what)
	}
	lines := newJSONLines(a.out)
	for i, st := range stories {
		if a.json {
			err = lines.write(storyForPrograms(st))
		} else {
			err = printStory(a.out, st, i > 0)
		}
		if err != nil {
			return err
		}
	}
	for i, d := range arrivals {
		if a.json {
			err = lines.write(struct {
				Decision decisionJSON `json:"decision"`
			}{decisionForPrograms(d)})
		} else {
			err = printArrival(a.out, d, i+len(stories) > 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *app) listAlike(alike []feedonce.Entry) error {
	if a.json {
		lines := newJSONLines(a.out)
		for _, e := range alike {
			if err := lines.write(map[string]any{"match": entryForPrograms(e)}); err != nil {
				return err
			}
		}
		return nil
	}
	fmt.Fprintln(a.err, "Several articles have these words in the title; explain one by its number:")
	t := table{header: []string{"ENTRY", "TIME", "TITLE"}, wide: 2}
	for _, e := range alike {
		t.add(fmt.Sprint(e.ID), stamp(e.Time()), headline(e))
	}
	return t.print(a.out)
}

func hasStory(stories []story, id feedonce.EntryID) bool {
	for _, st := range stories {
		if st.entry.ID == id {
			return true
		}
	}
	return false
}

// tell collects all that is known of an article.
func tell(tx *store.Tx, e feedonce.Entry) (st story, err error) {
	if st.entry, err = tx.Entry(e.ID); err != nil {
		return st, err
	}
	if st.feed, err = tx.Feed(st.entry.Feed); err != nil {
		return st, err
	}
	latest, err := tx.Decisions(store.DecisionFilter{Entry: e.ID, Limit: 500})
	if err != nil {
		return st, err
	}
	for i := len(latest) - 1; i >= 0; i-- {
		st.decisions = append(st.decisions, latest[i])
	}
	if st.keys, err = tx.Keys(e.ID); err != nil {
		return st, err
	}
	st.versions, err = tx.Versions(e.ID)
	return st, err
}

func printStory(w io.Writer, st story, more bool) error {
	columns, tty := terminal(w)
	if !tty || columns > 110 {
		columns = 110
	}
	var b strings.Builder
	if more {
		b.WriteString("\n")
	}
	e := st.entry
	fmt.Fprintf(&b, "%s\n", wrap(clean(headline(e)), "", columns))
	fmt.Fprintf(&b, "  entry %d of feed %d, %s\n", e.ID, st.feed.ID, clean(st.feed.Name()))
	fmt.Fprintf(&b, "  first seen %s, revision %d\n", stamp(e.FirstSeen), e.Revision)
	if e.URL != "" {
		fmt.Fprintf(&b, "  %s\n", clean(e.URL))
	}
	b.WriteString("\nDecisions, oldest first:\n")
	if len(st.decisions) == 0 {
		b.WriteString("  none is kept\n")
	}
	for _, d := range st.decisions {
		printDecision(&b, d, e, columns)
	}
	b.WriteString("\nKnown by:\n")
	for _, k := range st.keys {
		fmt.Fprintf(&b, "  %-26s %s\n", keyName(k.Kind), cut(clean(k.Text), columns-29))
	}
	if len(st.versions) > 0 {
		b.WriteString("\nEarlier versions:\n")
		for _, v := range st.versions {
			fmt.Fprintf(&b, "  revision %d, until %s: %s\n", v.Revision, stamp(v.Replaced), cut(clean(v.Title), columns-40))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func printArrival(w io.Writer, d feedonce.Decision, more bool) error {
	columns, tty := terminal(w)
	if !tty || columns > 110 {
		columns = 110
	}
	var b strings.Builder
	if more {
		b.WriteString("\n")
	}
	name := d.Title
	if name == "" {
		name = "an arrival without a title"
	}
	fmt.Fprintf(&b, "%s\n  is no article: it was not shown, and what came is kept\n", wrap(clean(name), "", columns))
	printDecision(&b, d, feedonce.Entry{}, columns)
	_, err := io.WriteString(w, b.String())
	return err
}

// outcomeWords say an outcome as a clause about the arrival.
var outcomeWords = map[string]string{
	string(dedup.New):         "new: shown as an article",
	string(dedup.Updated):     "updated: a new version of this article",
	string(dedup.Duplicate):   "duplicate: folded into this article",
	string(dedup.Quarantined): "quarantined: held until a person decides",
	string(dedup.Invalid):     "invalid: nothing could be made of it",
}

func printDecision(b *strings.Builder, d feedonce.Decision, e feedonce.Entry, columns int) {
	words := outcomeWords[d.Outcome]
	if words == "" {
		words = d.Outcome
	}
	rule := dedup.RuleByID(dedup.RuleID(d.Rule))
	fmt.Fprintf(b, "  %s  %s\n", stamp(d.At), words)
	if rule.Sentence != "" {
		b.WriteString(wrap(fmt.Sprintf("Rule %s, %s: %s", rule.ID, rule.Name, rule.Sentence), "      ", columns) + "\n")
	} else {
		fmt.Fprintf(b, "      Rule %s\n", d.Rule)
	}
	var ev dedup.Evidence
	if len(d.Evidence) > 0 {
		if err := json.Unmarshal(d.Evidence, &ev); err != nil {
			fmt.Fprintf(b, "      (its evidence cannot be read: %v)\n", err)
		}
	}
	if d.GUID != "" && d.GUID != e.GUID {
		fmt.Fprintf(b, "      guid       %s\n", cut(clean(d.GUID), columns-17))
	}
	if d.URL != "" && d.URL != e.URL {
		fmt.Fprintf(b, "      link       %s\n", cut(clean(d.URL), columns-17))
	}
	if d.Title != "" && d.Title != e.Title {
		fmt.Fprintf(b, "      title      %s\n", cut(clean(d.Title), columns-17))
	}
	for _, f := range ev.Facts {
		printFact(b, f, columns)
	}
	if len(ev.Changed) > 0 {
		kind := "only in form"
		if ev.Material {
			kind = "in substance"
		}
		fmt.Fprintf(b, "      changed    %s, %s\n", strings.Join(ev.Changed, ", "), kind)
	}
	if ev.Note != "" {
		fmt.Fprintf(b, "      note       %s\n", clean(ev.Note))
	}
	if d.Outcome == string(dedup.New) && !d.Told && d.Quiet != "" {
		fmt.Fprintf(b, "      not told   %s\n", clean(d.Quiet))
	}
	for _, o := range ev.Others {
		fmt.Fprintf(b, "      not entry  %d: %s\n", o.Entry, clean(o.Why))
	}
}

// printFact prints what was compared: what arrived, and below or beside it what it was compared with.
func printFact(b *strings.Builder, f dedup.Fact, columns int) {
	have, want := clean(f.Have), clean(f.Want)
	if have == "" || have == want {
		have, want = want, ""
	}
	head := fmt.Sprintf("      %-10s %-20s ", f.Name, f.Is)
	if have == "" {
		b.WriteString(strings.TrimRight(head, " ") + "\n")
		return
	}
	line := head + have
	if want != "" && cells(line)+cells(want)+len("  against ") <= columns {
		line, want = line+"  against "+want, ""
	}
	b.WriteString(cut(line, columns) + "\n")
	if want != "" {
		b.WriteString(cut(strings.Repeat(" ", len(head)-len("against "))+"against "+want, columns) + "\n")
	}
}

var keyNames = map[dedup.KeyKind]string{
	dedup.KeyGUID:          "guid",
	dedup.KeyGUIDLink:      "guid and link",
	dedup.KeyGUIDLinkTitle: "guid, link and title",
	dedup.KeyTitleDate:     "title and date",
	dedup.KeyTitleDateText: "title, date and text",
	dedup.KeyLinkTitleDate: "link, title and date",
	dedup.KeyLinkTitleText: "link, title and text",
	dedup.KeyText:          "title and text",
	dedup.KeyLink:          "link",
}

func keyName(k dedup.KeyKind) string {
	if n := keyNames[k]; n != "" {
		return n
	}
	return fmt.Sprintf("key of kind %d", k)
}
