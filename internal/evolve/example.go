package evolve

import (
	"fmt"
	"strings"
	"time"

	"feedonce/dedup"
)

// An Example is a mistake, with what a person needs to understand it.
type Example struct {
	Mistake   Mistake
	Archetype string
	Feed      int
	Poll      int
	Rule      string // of the answer
	Text      string // the feed's history around it, many lines

	nth int // of its mistake and archetype
}

// A history is all that reached a reader of one feed, and what a strategy answered.
type history []chapter

type chapter struct {
	poll    int
	doc     Document
	truths  []Truth
	answers []Answer
}

// examples describes the first faults of each kind, at most n of each.
func (h history) examples(p *Publisher, feed int, faults []fault, n int) []Example {
	var out []Example
	count := map[Mistake]int{}
	for _, f := range faults {
		if count[f.Mistake]++; count[f.Mistake] <= n {
			c := h[f.doc]
			out = append(out, Example{
				Mistake: f.Mistake, Archetype: p.Kind.Name, Feed: feed, Poll: c.poll, Rule: c.answers[f.item].Rule,
				Text: h.describe(p, feed, f),
			})
		}
	}
	return out
}

// causes leaves out what follows from a mistake: what is said of an article later for the same reason.
func (h history) causes(faults []fault) []fault {
	var causes []fault
	seen := map[Mistake]map[int]bool{}
	for _, m := range Mistakes() {
		seen[m] = map[int]bool{}
	}
	for _, f := range faults {
		article := h[f.doc].doc.Origins[f.item].Article
		follows := seen[f.Mistake][article] || f.Mistake == WrongMerge && seen[FalseDrop][article] ||
			f.Mistake == MissedUpdate && seen[Leak][article]
		seen[f.Mistake][article] = true
		if !follows {
			causes = append(causes, f)
		}
	}
	return causes
}

func (h history) describe(p *Publisher, feed int, f fault) string {
	var b strings.Builder
	c := h[f.doc]
	it, o, a := &c.doc.Items[f.item], c.doc.Origins[f.item], c.answers[f.item]
	fmt.Fprintf(&b, "%s: %s, feed %d, poll %d (document %d, item %d of %d)\n", strings.ToUpper(string(f.Mistake)),
		p.Kind.Name, feed, c.poll, f.doc, f.item, len(c.doc.Items))
	fmt.Fprintf(&b, "  archetype  %s\n", p.Kind.About)
	if p.Kind == Chaos {
		fmt.Fprintf(&b, "  mix        %s\n", p.mix)
	}
	fmt.Fprintf(&b, "  language   %s; window %d; move at poll %d\n", p.text.Lang(), p.window, p.upheaval)
	fmt.Fprintf(&b, "  truth      article %d, version %d: %s\n", o.Article, o.Version, c.truths[f.item])
	fmt.Fprintf(&b, "  answer     %s\n", a)
	evidence(&b, a.Decision)
	b.WriteString("  arrival\n")
	fields(&b, it)
	if e := h.lastOf(f.doc, f.item, func(k chapter, i int) bool { return k.answers[i].Entry == a.Entry }); e != nil && a.Entry != 0 {
		fmt.Fprintf(&b, "  entry %d before\n", a.Entry)
		fields(&b, e)
	}
	if e := h.lastOf(f.doc, f.item, func(k chapter, i int) bool { return k.doc.Origins[i].Article == o.Article }); e != nil {
		fmt.Fprintf(&b, "  article %d before\n", o.Article)
		fields(&b, e)
	}
	fmt.Fprintf(&b, "  every change of article %d, and of how it was answered\n", o.Article)
	h.track(&b, func(k chapter, i int) bool { return k.doc.Origins[i].Article == o.Article })
	if a.Entry != 0 {
		fmt.Fprintf(&b, "  every change of entry %d\n", a.Entry)
		h.track(&b, func(k chapter, i int) bool { return k.answers[i].Entry == a.Entry })
	}
	for n := max(0, f.doc-1); n <= f.doc; n++ {
		h[n].table(&b, n, f)
	}
	return b.String()
}

// lastOf finds the last item before item i of document n for which ok holds; nil for none.
func (h history) lastOf(n, i int, ok func(chapter, int) bool) *dedup.Item {
	for d := n; d >= 0; d-- {
		end := len(h[d].doc.Items)
		if d == n {
			end = i
		}
		for k := end - 1; k >= 0; k-- {
			if ok(h[d], k) {
				return &h[d].doc.Items[k]
			}
		}
	}
	return nil
}

// track prints the arrivals for which ok holds, leaving out those that are like the one before.
func (h history) track(b *strings.Builder, ok func(chapter, int) bool) {
	const most = 14
	last, lines := "", 0
	for n, c := range h {
		for i := range c.doc.Items {
			if !ok(c, i) {
				continue
			}
			it, o, a := &c.doc.Items[i], c.doc.Origins[i], c.answers[i]
			line := fmt.Sprintf("a%d.%d %-9s e%-4d %-5s %s", o.Article, o.Version, a.Outcome, a.Entry, a.Rule, itemLine(it))
			if line == last {
				continue
			}
			last = line
			if lines++; lines > most {
				b.WriteString("    …\n")
				return
			}
			fmt.Fprintf(b, "    doc %-3d %s  %s%s\n", n, c.doc.Fetched.Format("02 15:04"), line, face(o))
		}
	}
}

// table prints a document: the items around the fault, and those that were not unchanged.
func (c chapter) table(b *strings.Builder, n int, f fault) {
	partial := ""
	if c.doc.Partial {
		partial = ", cut off"
	}
	fmt.Fprintf(b, "  document %d, poll %d, fetched %s%s\n", n, c.poll, c.doc.Fetched.Format("2006-01-02 15:04:05"), partial)
	gap := false
	for i := range c.doc.Items {
		o, a := c.doc.Origins[i], c.answers[i]
		if near := i - f.item; (near < -3 || near > 3) && a.Outcome == dedup.Unchanged {
			gap = true
			continue
		}
		if gap {
			b.WriteString("     …\n")
		}
		gap = false
		mark := " "
		if n == f.doc && i == f.item {
			mark = ">"
		}
		fmt.Fprintf(b, "   %s %2d a%d.%-2d %-9s e%-4d %-5s %s%s\n", mark, i, o.Article, o.Version, a.Outcome, a.Entry, a.Rule,
			itemLine(&c.doc.Items[i]), face(o))
	}
}

func face(o Origin) string {
	if o.Face == "" && o.Moves == 0 {
		return ""
	}
	return fmt.Sprintf("  {%s %d}", o.Face, o.Moves)
}

// itemLine is an item in one line.
func itemLine(it *dedup.Item) string {
	return fmt.Sprintf("guid=%s link=%s title=%s date=%s body=%d:%s", tail(it.GUID, 26), tail(it.URL, 34), head(it.Title, 24),
		date(it.Published), len(it.Content), head(it.Content, 16))
}

// fields prints an item, a field a line.
func fields(b *strings.Builder, it *dedup.Item) {
	fmt.Fprintf(b, "    guid       %q\n    link       %q\n    title      %q\n", it.GUID, it.URL, it.Title)
	fmt.Fprintf(b, "    published  %s   updated %s\n", date(it.Published), date(it.Updated))
	fmt.Fprintf(b, "    content    %s\n", head(it.Content, 420))
	if it.Summary != "" {
		fmt.Fprintf(b, "    summary    %s\n", head(it.Summary, 120))
	}
	for _, e := range it.Enclosures {
		fmt.Fprintf(b, "    enclosure  %s %s\n", e.URL, e.Type)
	}
}

// evidence prints why the product decided so.
func evidence(b *strings.Builder, d *dedup.Decision) {
	if d == nil {
		return
	}
	if r := dedup.RuleByID(d.Rule); r.Name != "" {
		fmt.Fprintf(b, "  rule       %s\n", r.Name)
	}
	if d.Evidence.Note != "" || len(d.Evidence.Changed) > 0 {
		fmt.Fprintf(b, "  note       %s; changed %v; material %v\n", d.Evidence.Note, d.Evidence.Changed, d.Evidence.Material)
	}
	for _, f := range d.Evidence.Facts {
		fmt.Fprintf(b, "  fact       %s %s", f.Name, f.Is)
		if f.Have != "" || f.Want != "" {
			fmt.Fprintf(b, " (%s | %s)", head(f.Have, 80), head(f.Want, 80))
		}
		b.WriteByte('\n')
	}
	for _, o := range d.Evidence.Others {
		fmt.Fprintf(b, "  not        entry %d: %s\n", o.Entry, o.Why)
	}
}

// String says what a strategy answered.
func (a Answer) String() string {
	s := string(a.Outcome)
	if a.Entry != 0 {
		s += fmt.Sprintf(", entry %d", a.Entry)
	}
	s += ", rule " + a.Rule
	if a.Outcome == dedup.New && !a.Tell {
		s += ", not told"
		if a.Decision != nil {
			s += " (" + a.Decision.Quiet + ")"
		}
	}
	return s
}

// String says what an arrival really is.
func (t Truth) String() string {
	var s []string
	for _, k := range []struct {
		is   bool
		what string
	}{
		{t.New, "new"}, {t.Duplicate, "known under another identity"}, {t.Updated, "a new version"},
		{t.Open, "a rendering not seen before"}, {t.Unchanged(), "unchanged"},
	} {
		if k.is {
			s = append(s, k.what)
		}
	}
	return strings.Join(s, ", ")
}

func date(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Format("01-02T15:04:05")
}

// head is the first n characters of s, on one line.
func head(s string, n int) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > n {
		return string(r[:n]) + "…"
	}
	return string(r)
}

// tail is the last n characters of s: links and guids differ there.
func tail(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return "…" + string(r[len(r)-n:])
	}
	return s
}
