package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"feedonce/dedup"
	"feedonce/internal/explain"
)

// A verdict is what try found out about one source.
type verdict struct {
	Type        string         `json:"type"`
	Source      string         `json:"source"`
	Documents   int            `json:"documents"`
	Items       int            `json:"items"`
	Articles    int            `json:"articles"`
	New         int64          `json:"new"`
	Updated     int64          `json:"updated"`
	Unchanged   int64          `json:"unchanged"`
	Duplicate   int64          `json:"duplicate"`
	Quarantined int64          `json:"quarantined"`
	Invalid     int64          `json:"invalid"`
	Repeated    int            `json:"repeated"`
	Rules       map[string]int `json:"rules,omitempty"`
	Title       string         `json:"title,omitempty"`
	Format      string         `json:"format,omitempty"`
	Warnings    []string       `json:"warnings,omitempty"`
	Errors      []string       `json:"errors,omitempty"`

	changed map[string]int // updates by field
	invalid map[string]int // invalid items by reason
}

func (v *verdict) warn(text string) {
	if !slices.Contains(v.Warnings, text) {
		v.Warnings = append(v.Warnings, text)
	}
}

func (v *verdict) count(doc *dedup.Document, res *dedup.Result) {
	seen := map[dedup.EntryID]bool{}
	v.Items += len(doc.Items)
	for _, d := range res.Decisions {
		switch d.Outcome {
		case dedup.New:
			v.New++
			v.Articles++
		case dedup.Updated:
			v.Updated++
			for _, f := range d.Evidence.Changed {
				v.changed[f]++
			}
		case dedup.Unchanged:
			v.Unchanged++
		case dedup.Duplicate:
			v.Duplicate++
		case dedup.Quarantined:
			v.Quarantined++
		case dedup.Invalid:
			v.Invalid++
			v.invalid[invalidReason(&doc.Items[d.Item], d)]++
		}
		again := d.Entry != 0 && seen[d.Entry] // twice in one document
		if d.Entry != 0 {
			seen[d.Entry] = true
		}
		// An edit under another identity is told from one in place by the rule: the cascade's are named R.
		reissued := d.Outcome == dedup.Updated && strings.HasPrefix(string(d.Rule), "R")
		if d.Outcome == dedup.Duplicate || again || reissued {
			v.Repeated++
			v.Rules[string(d.Rule)]++
		}
	}
}

func invalidReason(item *dedup.Item, d dedup.Decision) string {
	if item.Invalid != "" {
		return item.Invalid
	}
	return explain.RuleOf(d.Rule, d.Outcome).Sentence
}

func (v *verdict) print(w io.Writer, more bool) error {
	var b strings.Builder
	if more {
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%s\n", clean(v.Source))
	if v.Documents > 0 {
		fmt.Fprintf(&b, "  %s (%s): %s, %s, %s\n", clean(v.Title), v.Format, count(v.Documents, "document"), count(v.Items, "item"), count(v.Articles, "article"))
		fmt.Fprintf(&b, "  %d new, %d updated, %d unchanged, %d duplicate, %d quarantined, %d invalid\n",
			v.New, v.Updated, v.Unchanged, v.Duplicate, v.Quarantined, v.Invalid)
	}
	if v.Repeated > 0 {
		fmt.Fprintf(&b, "  repeated: %d\n", v.Repeated)
		for _, id := range byCount(v.Rules) {
			rule := dedup.RuleByID(dedup.RuleID(id))
			fmt.Fprintf(&b, "    %6d  by %s, %s: %s\n", v.Rules[id], id, rule.Name, rule.Sentence)
		}
	} else if v.Documents > 0 {
		b.WriteString("  nothing is repeated\n")
	}
	if v.Updated > 0 {
		var parts []string
		for _, f := range byCount(v.changed) {
			parts = append(parts, fmt.Sprintf("%s %d", f, v.changed[f]))
		}
		fmt.Fprintf(&b, "  updated: %d (%s)\n", v.Updated, strings.Join(parts, ", "))
	}
	for _, why := range byCount(v.invalid) {
		fmt.Fprintf(&b, "  invalid: %d, %s\n", v.invalid[why], clean(why))
	}
	for _, text := range v.Warnings {
		fmt.Fprintf(&b, "  warning: %s\n", clean(text))
	}
	for _, text := range v.Errors {
		fmt.Fprintf(&b, "  error: %s\n", clean(text))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// byCount returns the names in a tally, the most frequent first.
func byCount(tally map[string]int) []string {
	names := make([]string, 0, len(tally))
	for n := range tally {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b string) int {
		if tally[a] != tally[b] {
			return tally[b] - tally[a]
		}
		return strings.Compare(a, b)
	})
	return names
}
