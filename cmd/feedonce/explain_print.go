package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/explain"
)

// moment is a time in a sentence.
func moment(t time.Time) string { return stamp(t) }

// A page is text for a person, wrapped to a width.
type page struct {
	strings.Builder
	columns int
}

func (a *app) newPage() *page {
	columns, tty := terminal(a.out)
	if !tty || columns > 110 {
		columns = 110
	}
	return &page{columns: columns}
}

// para writes a paragraph after what is first on its first line; more lines stand further in.
func (p *page) para(first, rest, text string) {
	p.WriteString(first)
	n, begun := cells(first), false
	for _, word := range strings.Fields(clean(text)) {
		w := cells(word)
		switch {
		case !begun:
		case n+1+w > p.columns:
			p.WriteString("\n" + rest)
			n = cells(rest)
		default:
			p.WriteByte(' ')
			n++
		}
		p.WriteString(word)
		n, begun = n+w, true
	}
	p.WriteByte('\n')
}

// line writes one line, cut.
func (p *page) line(indent, text string) {
	p.WriteString(strings.TrimRight(indent+cut(clean(text), p.columns-cells(indent)), " ") + "\n")
}

func (a *app) printExplanation(x *explanation) error {
	p := a.newPage()
	for i := range x.articles {
		if i > 0 {
			p.WriteString("\n" + strings.Repeat("-", 40) + "\n\n")
		}
		p.article(&x.articles[i], x.all)
	}
	for i := range x.arrivals {
		if i+len(x.articles) > 0 {
			p.WriteString("\n" + strings.Repeat("-", 40) + "\n\n")
		}
		p.arrival(x.arrivals[i])
	}
	_, err := io.WriteString(a.out, p.String())
	return err
}

// article prints all that is known of an article.
func (p *page) article(x *explained, all bool) {
	art := x.Article
	e := art.Entry
	p.para("", "", headline(e))
	p.line("", fmt.Sprintf("Article %d of feed %d, %s", e.ID, art.Feed.ID, art.Feed.Name()))
	if e.URL != "" {
		p.line("", e.URL)
	}
	p.WriteString("\n")
	if x.named != nil {
		p.para("", "", x.named.Folded("this article", moment))
	}
	p.para("", "", strings.Join(art.Summary(moment), " "))
	if len(x.checks) > 0 {
		p.para("", "", checkSummary(x.checks))
	}

	p.WriteString("\nWhat was decided, oldest first\n")
	p.WriteString("(+ speaks for the same article, - against it; a guid is the name by which a feed knows an article)\n")
	if len(art.Decisions) == 0 {
		p.WriteString("\n  Nothing of it is kept.\n")
	}
	const first, last = 3, 12
	for i := range art.Decisions {
		if n := len(art.Decisions); !all && n > first+last+1 && i >= first && i < n-last {
			if i == first {
				fmt.Fprintf(p, "\n  … %d more; --all shows them …\n", n-first-last)
			}
			continue
		}
		p.decision(&art.Decisions[i], &e, x.checks)
	}
	p.changes(art.Changes)
	p.verdicts(art)

	p.WriteString("\nKnown by\n")
	switch {
	case len(art.Keys) > 0:
	case e.MergedInto != 0:
		fmt.Fprintf(p, "  nothing of its own: what it was known by leads to article %d\n", e.MergedInto)
	default:
		p.WriteString("  nothing any more: its guid belongs to another article now\n")
	}
	for _, k := range art.Keys {
		p.line(fmt.Sprintf("  %-22s ", explain.KeyName(k.Kind)), k.Text)
	}
}

// arrival prints what is known of an arrival that is no article.
func (p *page) arrival(d *explain.Lone) {
	name := headline(feedonce.Entry{Title: d.Title, URL: d.URL, GUID: d.GUID})
	if name == "" {
		name = "An arrival without title, link and guid"
	}
	p.para("", "", name)
	p.line("", fmt.Sprintf("Arrived in feed %d, %s", d.Feed.ID, d.Feed.Name()))
	if d.URL != "" && d.URL != name {
		p.line("", d.URL)
	}
	p.WriteString("\n")
	p.para("", "", d.Folded("", moment))
	p.decision(&d.Decision, &feedonce.Entry{Title: d.Title, URL: d.URL, GUID: d.GUID}, nil)
}

// decision prints one decision. What the article has as well is not repeated.
func (p *page) decision(d *explain.Decision, e *feedonce.Entry, checks map[int64]explain.Check) {
	p.WriteString("\n")
	p.para("  "+moment(d.At)+"  ", "    ", d.Headline()+".")
	p.para("    ", "    ", fmt.Sprintf("Why: %s (rule %s, decision %d)", d.Why(), d.Decision.Rule, d.ID))
	for _, remark := range d.Remarks() {
		p.para("    ", "    ", remark)
	}
	for _, f := range [...]struct{ name, value, has string }{{"guid", d.GUID, e.GUID}, {"link", d.URL, e.URL}, {"title", d.Title, e.Title}} {
		if f.value != "" && f.value != f.has && !d.Compared(f.name) {
			p.line("    ", fmt.Sprintf("  its %s was %s", f.name, f.value))
		}
	}
	for _, f := range d.Findings() {
		p.finding(f, d.Outcome == string(dedup.New))
	}
	if len(d.Others) > 0 {
		p.WriteString("    What else it might have been, and why it is not:\n")
		for _, o := range d.Others {
			name := fmt.Sprintf("article %d", o.Entry)
			if o.Title != "" {
				name += ", “" + cut(clean(o.Title), 60) + "”"
			}
			p.para("      ", "        ", fmt.Sprintf("%s: %s", name, o.Why))
		}
	}
	if c, ok := checks[d.ID]; ok {
		p.para("    ", "    ", "Again: "+c.Text())
	}
	switch dedup.Outcome(d.Outcome) {
	case dedup.Duplicate:
		p.line("    ", fmt.Sprintf("If that is wrong: feedonce split %d", d.ID))
	case dedup.Updated:
		if strings.HasPrefix(d.Decision.Rule, "R") {
			p.line("    ", fmt.Sprintf("If it is another article: feedonce split %d", d.ID))
		}
	case dedup.Quarantined:
		p.line("    ", fmt.Sprintf("To show it: feedonce quarantine accept %d", d.ID))
	}
}

// finding prints what was compared, with its values below where they do not fit beside it.
func (p *page) finding(f explain.Finding, isNew bool) {
	mark := map[explain.Weight]string{explain.For: "+", explain.Against: "-"}[f.Weight]
	if mark == "" || isNew {
		mark = " "
	}
	head := "    " + mark + " " + f.Text
	came, had := clean(f.Came), clean(f.Had)
	switch {
	case had != "":
		p.line(head+":", "")
		p.line("        it came with  ", came)
		p.line("        it had        ", had)
	case came != "":
		p.line(head+": ", came)
	default:
		p.line(head, "")
	}
	if f.Needed != "" {
		p.para("        ", "        ", "("+f.Needed+")")
	}
}

// changes prints what each version changed, word by word.
func (p *page) changes(list []explain.Change) {
	if len(list) == 0 {
		return
	}
	p.WriteString("\nWhat changed from version to version ([-removed-] {+added+})\n")
	for _, c := range list {
		fmt.Fprintf(p, "\n  %s  version %d took the place of version %d\n", moment(c.At), c.Revision, c.Revision-1)
		if len(c.Fields) == 0 {
			p.WriteString("    nothing that can be seen: markup only, or a date\n")
		}
		for _, f := range c.Fields {
			p.para(fmt.Sprintf("    %-8s ", f.Name), "             ", marked(f.Words))
		}
	}
}

// marked is a difference on one line.
func marked(words []explain.Piece) string {
	if len(words) == 0 {
		return "the same words, with other spaces"
	}
	var out []string
	for _, w := range words {
		text := w.Text
		if n := []rune(text); len(n) > 600 {
			text = string(n[:300]) + " … " + string(n[len(n)-280:])
		}
		switch w.Is {
		case explain.Removed:
			text = "[-" + text + "-]"
		case explain.Added:
			text = "{+" + text + "+}"
		case explain.Left:
			text = "… (" + text + ") …"
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

// verdicts prints what people said.
func (p *page) verdicts(art *explain.Article) {
	if len(art.Verdicts) == 0 {
		return
	}
	p.WriteString("\nWhat people said, which holds for ever, or until it is undone\n")
	for _, v := range art.Verdicts {
		other := v.A
		if other == art.Entry.ID {
			other = v.B
		}
		says := "not the same as "
		if v.Same {
			says = "the same as "
		}
		p.para("  ", "    ", fmt.Sprintf("%s  %s%s", moment(v.At), says, art.Named(other)))
	}
}

// checkSummary says whether decisions came out the same.
func checkSummary(checks map[int64]explain.Check) string {
	same := 0
	for _, c := range checks {
		if c.Same {
			same++
		}
	}
	switch n := len(checks); {
	case same == n && n == 1:
		return "Decided again from what is stored, it comes out the same."
	case same == n:
		return fmt.Sprintf("Decided again from what is stored, all %d decisions come out the same.", n)
	default:
		return fmt.Sprintf("Decided again from what is stored, %d of %s come out the same; below it says what the others come to.", same, count(n, "decision"))
	}
}
