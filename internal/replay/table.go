package replay

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteTables writes a table for each mode, one line a history, and one of the pairs. Of the product it has all numbers, of
// the others duplicates, duplicates told and lost.
func (rep *Report) WriteTables(w io.Writer) error {
	for _, m := range rep.modes() {
		if err := rep.writeMode(w, m); err != nil {
			return err
		}
	}
	if len(rep.Pairs) == 0 {
		return nil
	}
	t := newTable(w)
	fmt.Fprintln(t, "two feeds with the same articles, as stories")
	t.row("pair", "mode", "items", "true", "in both", "entries", "stories", "apart", "mixed", "told", "told again", "silenced", "guid only: told again")
	for _, p := range rep.Pairs {
		t.row(append([]string{p.A + " and " + p.B, p.Mode.Name}, numbers(p.Items, p.True, p.Both, p.Entries, p.Stories, p.Apart, p.Mixed, p.Told, p.Again, p.Silenced, p.GUIDOnly)...)...)
	}
	return t.Flush()
}

func (rep *Report) writeMode(w io.Writer, m Mode) error {
	t := newTable(w)
	fmt.Fprintf(t, "%s: %s\n", m.Name, m.About)
	head := []string{"history", "versions", "items", "true", "shown", "dup", "told", "lost", "wrong", "upd"}
	t.row(append(head, rep.Strategies[1:]...)...)
	for _, r := range rep.Rows {
		if r.Mode.Name == m.Name {
			t.row(cells(r.History, r.Scores)...)
		}
	}
	t.row(cells("SUM", rep.Sum(m.Name))...)
	fmt.Fprintln(t)
	return t.Flush()
}

func cells(name string, scores []Score) []string {
	s := &scores[0]
	row := append([]string{name}, numbers(s.Versions, s.Items, s.True, s.Shown, s.Duplicates, s.Told, s.Lost, s.Wrong, s.Updates)...)
	for _, o := range scores[1:] {
		row = append(row, fmt.Sprintf("%d/%d/%d", o.Duplicates, o.Told, o.Lost))
	}
	return row
}

// Legend explains the columns of WriteTables.
const Legend = `dup: entries beyond the first of an article; told: of these, told to people (a feed's first document is told by nobody);
lost: articles without an entry of their own; wrong: items taken for another article; others: dup/told/lost.
`

type table struct{ *tabwriter.Writer }

// newTable returns a table whose cells stand two spaces apart.
func newTable(w io.Writer) table {
	return table{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
}

func (t table) row(cells ...string) { fmt.Fprintln(t, strings.Join(cells, "\t")) }

func numbers(ns ...int) []string {
	out := make([]string, len(ns))
	for i, n := range ns {
		out[i] = fmt.Sprint(n)
	}
	return out
}
