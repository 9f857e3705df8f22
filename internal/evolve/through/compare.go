package through

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"feedonce/dedup"
	"feedonce/internal/evolve"
)

// A Comparison holds the answers of strategies against those of the first one. It is safe for concurrent use, as long as
// the documents of a feed come one after the other, and each to all strategies in turn.
type Comparison struct {
	names []string

	mu       sync.Mutex
	feeds    map[int]*track
	arrivals int
	found    []Difference
}

// A Difference is the first arrival of a feed that two strategies answer differently. What comes after it follows from it.
type Difference struct {
	Feed     int // its number in the run
	Document int // of the feed, from 0
	Item     int
	Text     string // what the two say, in several lines
}

// track is the course of one feed.
type track struct {
	documents int
	first     []evolve.Answer // the first strategy's answers to the last document
	pairings  []*pairing      // of the others
}

// Compare returns a comparison and the strategies to run for it: those given, which answer as before.
func Compare(strategies []func() evolve.Strategy) (*Comparison, []func() evolve.Strategy) {
	c := &Comparison{feeds: map[int]*track{}}
	var out []func() evolve.Strategy
	for i, make := range strategies {
		c.names = append(c.names, make().Name())
		out = append(out, func() evolve.Strategy { return &compared{make(), c, i} })
	}
	return c, out
}

// compared is a strategy whose answers are compared.
type compared struct {
	evolve.Strategy
	c     *Comparison
	which int
}

func (s *compared) Document(feed int, doc *dedup.Document) []evolve.Answer {
	answers := s.Strategy.Document(feed, doc)
	s.c.enter(s.which, feed, doc, answers)
	return answers
}

func (c *Comparison) enter(which, feed int, doc *dedup.Document, answers []evolve.Answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.feeds[feed]
	if t == nil {
		t = &track{pairings: make([]*pairing, len(c.names))}
		for i := range t.pairings {
			t.pairings[i] = newPairing()
		}
		c.feeds[feed] = t
	}
	if which == 0 {
		t.first = slices.Clone(answers)
		t.documents++
		c.arrivals += len(answers)
		return
	}
	p := t.pairings[which]
	if p.broken {
		return
	}
	for i := range answers {
		what := p.differ(t.first[i], answers[i])
		if what == "" {
			continue
		}
		p.broken = true
		c.found = append(c.found, Difference{Feed: feed, Document: t.documents - 1, Item: i, Text: fmt.Sprintf(
			"document %d of the feed, fetched %s, item %d of %d: another %s\n  guid %q\n  link %q\n  title %q\n  %s: %s\n  %s: %s",
			t.documents-1, doc.Fetched.Format("2006-01-02 15:04:05"), i, len(answers), what, doc.Items[i].GUID, doc.Items[i].URL, doc.Items[i].Title,
			c.names[0], said(t.first[i]), c.names[which], said(answers[i]))})
		return
	}
}

// Arrivals returns how many arrivals were compared.
func (c *Comparison) Arrivals() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.arrivals
}

// Differences returns the differences found, by feed.
func (c *Comparison) Differences() []Difference {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.SortedStableFunc(slices.Values(c.found), func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Feed, b.Feed), cmp.Compare(a.Document, b.Document), cmp.Compare(a.Item, b.Item))
	})
}

// A pairing says which entry of one strategy is which of another: the same arrivals are in both.
type pairing struct {
	theirs, mine map[int64]int64
	broken       bool // a difference was found
}

func newPairing() *pairing { return &pairing{theirs: map[int64]int64{}, mine: map[int64]int64{}} }

// differ names what differs between two answers to one arrival; "" is nothing. A document that was not parsed has no rules:
// that all is unchanged is all it says.
func (p *pairing) differ(mine, theirs evolve.Answer) string {
	switch {
	case mine.Outcome != theirs.Outcome:
		return "outcome"
	case !p.same(mine.Entry, theirs.Entry):
		return "entry"
	case mine.Tell != theirs.Tell:
		return "notification"
	case theirs.Rule == sameBytes:
		return ""
	case mine.Rule != theirs.Rule:
		return "rule"
	case mine.Decision == nil || theirs.Decision == nil:
		return ""
	case mine.Decision.Quiet != theirs.Decision.Quiet:
		return "reason to keep quiet"
	case mine.Decision.Again != theirs.Decision.Again:
		return "memory of what was held"
	}
	return p.evidence(&mine.Decision.Evidence, &theirs.Decision.Evidence)
}

// evidence compares what decisions are explained with.
func (p *pairing) evidence(mine, theirs *dedup.Evidence) string {
	others := func(a, b dedup.Other) bool { return a.Why == b.Why && p.same(int64(a.Entry), int64(b.Entry)) }
	switch {
	case mine.Note != theirs.Note:
		return "note"
	case mine.Material != theirs.Material || !slices.Equal(mine.Changed, theirs.Changed):
		return "extent of the change"
	case !slices.Equal(mine.Facts, theirs.Facts):
		return "evidence"
	case !slices.EqualFunc(mine.Others, theirs.Others, others):
		return "set of entries that were turned down"
	}
	return ""
}

// same reports whether two entries are, or from now on can be, the same.
func (p *pairing) same(mine, theirs int64) bool {
	m, knowMine := p.theirs[mine]
	t, knowTheirs := p.mine[theirs]
	switch {
	case mine <= 0 || theirs <= 0:
		return mine == theirs
	case knowMine || knowTheirs:
		return m == theirs && t == mine
	}
	p.theirs[mine], p.mine[theirs] = theirs, mine
	return true
}

// said is an answer with its evidence.
func said(a evolve.Answer) string {
	s := a.String()
	if a.Decision == nil {
		return s
	}
	e := &a.Decision.Evidence
	if e.Note != "" {
		s += "; " + e.Note
	}
	if len(e.Changed) > 0 {
		s += "; changed " + strings.Join(e.Changed, ", ")
	}
	for _, f := range e.Facts {
		s += fmt.Sprintf("\n    %s %s: %.100q, %.100q", f.Name, f.Is, f.Have, f.Want)
	}
	for _, o := range e.Others {
		s += fmt.Sprintf("\n    not entry %d: %s", o.Entry, o.Why)
	}
	return s
}
