package evolve

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// A Cause is a kind of mistake of the first strategy: where, by which rule, how often.
type Cause struct {
	Mistake   Mistake
	Archetype string
	Mix       string // of a chaotic feed
	Rule      string
	Note      string // the rule's finer name
	Count     int    // of articles, so that what is repeated at every poll counts once
	Feed      int    // the first one
	Document  int
}

// kinds groups the faults of one feed.
func (h history) kinds(p *Publisher, feed int, faults []fault) []Cause {
	var causes []Cause
	for _, f := range faults {
		a := h[f.doc].answers[f.item]
		c := Cause{Mistake: f.Mistake, Archetype: p.Kind.Name, Rule: a.Rule, Count: 1, Feed: feed, Document: f.doc}
		if p.Kind == Chaos {
			c.Mix = p.mix.String()
		}
		if a.Decision != nil {
			c.Note = a.Decision.Evidence.Note
		}
		causes = append(causes, c)
	}
	return merged(causes)
}

// merged adds up causes that differ in feed and document only, worst mistake first, then the most frequent.
func merged(causes []Cause) []Cause {
	index := map[Cause]int{}
	var out []Cause
	for _, c := range causes {
		key := c
		key.Count, key.Feed, key.Document = 0, 0, 0
		i, ok := index[key]
		if !ok {
			index[key] = len(out)
			out = append(out, c)
			continue
		}
		out[i].Count += c.Count
	}
	slices.SortStableFunc(out, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(slices.Index(Mistakes(), a.Mistake), slices.Index(Mistakes(), b.Mistake)), cmp.Compare(b.Count, a.Count))
	})
	return out
}

// WriteCauses writes the kinds of mistakes, a line each.
func (rep *Report) WriteCauses(w io.Writer) error {
	t := table{left: true}
	t.row("mistake", "articles", "archetype", "first", "rule", "note")
	for _, c := range rep.Causes {
		what := c.Note
		if c.Mix != "" {
			what += " [" + c.Mix + "]"
		}
		t.row(string(c.Mistake), strconv.Itoa(c.Count), c.Archetype, fmt.Sprintf("feed %d doc %d", c.Feed, c.Document), c.Rule, what)
	}
	_, err := io.WriteString(w, t.String())
	return err
}
