package replay

import (
	_ "embed"
	"fmt"
	"strings"
)

// remaining has the duplicates that are left, one line an article: history, article, why it is shown again.
//
//go:embed testdata/remaining.tsv
var remaining string

// A Remaining is an article that the product shows again in at least one mode.
type Remaining struct {
	History, Article string
	Modes            []string // with the version that repeats it: "every 17"
	Told             bool     // in at least one of them
	Why              string   // "" where nobody has looked
}

// Remaining lists the articles that the product shows again, in the order of histories and of their first appearance, and
// the lines of testdata/remaining.tsv that explain nothing any more.
func (rep *Report) Remaining() (list []*Remaining, stale []string) {
	why := map[string]string{}
	for _, r := range parseTable(remaining) {
		why[r["history"]+" "+r["article"]] = r["why"]
	}
	at := map[string]*Remaining{}
	var histories []string
	of := map[string][]*Remaining{}
	for _, row := range rep.Rows {
		if of[row.History] == nil {
			of[row.History] = []*Remaining{}
			histories = append(histories, row.History)
		}
		for _, f := range row.Faults {
			if f.Kind != Duplicate {
				continue
			}
			key := row.History + " " + f.Article
			if at[key] == nil {
				at[key] = &Remaining{History: row.History, Article: f.Article, Why: why[key]}
				of[row.History] = append(of[row.History], at[key])
			}
			r := at[key]
			r.Modes = append(r.Modes, fmt.Sprintf("%s %d", row.Mode.Name, f.Version))
			r.Told = r.Told || f.Answer.Tell
		}
	}
	for _, h := range histories {
		list = append(list, of[h]...)
	}
	for _, r := range parseTable(remaining) {
		if key := r["history"] + " " + r["article"]; at[key] == nil {
			stale = append(stale, key)
		}
	}
	return list, stale
}

// Manual writes the tables of docs/dedup.md in Markdown: "histories", what each strategy makes of all of them in every mode
// and what the product makes of each, and "remaining", why something is shown again.
func (rep *Report) Manual() map[string]string {
	var sums, each, left strings.Builder
	modes := rep.modes()
	header := func(b *strings.Builder, cells ...string) {
		fmt.Fprintf(b, "| %s |\n|%s\n", strings.Join(cells, " | "), strings.Repeat("---|", len(cells)))
	}
	head := []string{"all histories: shown again / told again / lost"}
	for _, m := range modes {
		head = append(head, m.About)
	}
	header(&sums, head...)
	for i, name := range rep.Strategies {
		fmt.Fprintf(&sums, "| %s |", name)
		for _, m := range modes {
			s := rep.Sum(m.Name)[i]
			fmt.Fprintf(&sums, " %d / %d / %d |", s.Duplicates, s.Told, s.Lost)
		}
		sums.WriteByte('\n')
	}

	head = []string{"history", "versions", "articles"}
	for _, m := range modes {
		head = append(head, "feedonce, "+m.Name)
	}
	header(&each, append(head, "guid only, "+modes[0].Name)...)
	byHistory := map[string][]Row{}
	for _, r := range rep.Rows {
		byHistory[r.History] = append(byHistory[r.History], r)
	}
	for _, r := range rep.Rows[:len(rep.Rows)/len(modes)] {
		fmt.Fprintf(&each, "| %s | %d | %d |", r.History, r.Scores[0].Versions, r.Scores[0].True)
		for _, x := range byHistory[r.History] {
			fmt.Fprintf(&each, " %s |", triple(x.Scores[0]))
		}
		fmt.Fprintf(&each, " %s |\n", triple(r.Scores[1]))
	}

	header(&left, "history", "mode and version", "told", "why")
	list, _ := rep.Remaining()
	for _, r := range list {
		told := "no"
		if r.Told {
			told = "yes"
		}
		fmt.Fprintf(&left, "| %s | %s | %s | %s |\n", r.History, strings.Join(r.Modes, ", "), told, r.Why)
	}
	return map[string]string{"histories": sums.String() + "\n" + each.String(), "remaining": left.String()}
}

// triple writes duplicates, told and lost, and nothing where there are none.
func triple(s Score) string {
	if s.Duplicates+s.Told+s.Lost == 0 {
		return "-"
	}
	return fmt.Sprintf("%d / %d / %d", s.Duplicates, s.Told, s.Lost)
}
