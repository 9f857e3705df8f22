package evolve

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// WriteTable writes the outcome by archetype: the first strategy's in full, of the others false drops and leaks.
// Times, which differ from run to run, are left out unless timed.
func (rep *Report) WriteTable(w io.Writer, timed bool) error {
	var t table
	head := []string{rep.Strategies[0], "arrivals", "new", "dup", "upd", "drops", "wrong", "leaks", "told", "missed", "spurious", "held"}
	if timed {
		head = append(head, "µs")
	}
	head = append(head, rep.Strategies[1:]...)
	t.row(head...)
	family := Family("")
	for _, row := range rep.Rows {
		if row.Archetype.Family != family {
			family = row.Archetype.Family
			t.row("– " + string(family))
		}
		t.row(cells(row.Archetype.Name, row.Scores, timed)...)
	}
	t.row(cells("TOTAL", rep.Total, timed)...)
	note := "dup, upd: known articles under a new identity, in a new version. Others: false drops/leaks.\n"
	_, err := io.WriteString(w, t.String()+note)
	return err
}

func cells(name string, scores []Score, timed bool) []string {
	s := &scores[0]
	row := append([]string{name}, numbers(s.Arrivals, s.New, s.Duplicates, s.Updates, s.Drops, s.Wrong, s.Leaks, s.Told,
		s.Missed, s.Spurious, s.Held)...)
	if timed {
		row = append(row, micros(s.PerArrival()))
	}
	for i := range scores[1:] {
		row = append(row, fmt.Sprintf("%d/%d", scores[i+1].Drops, scores[i+1].Leaks))
	}
	return row
}

// WriteTotals writes a line for each strategy.
func (rep *Report) WriteTotals(w io.Writer, timed bool) error {
	var t table
	head := []string{"strategy", "false drops", "of new", "wrong merges", "leaks", "told", "of dup", "updates missed", "spurious",
		"held", "refused"}
	if timed {
		head = append(head, "µs/arrival")
	}
	t.row(head...)
	for i, name := range rep.Strategies {
		s := &rep.Total[i]
		row := []string{name, strconv.Itoa(s.Drops), rate(s.Drops, s.New), strconv.Itoa(s.Wrong), strconv.Itoa(s.Leaks),
			strconv.Itoa(s.Told), rate(s.Leaks, s.Duplicates), fmt.Sprintf("%d of %d", s.Missed, s.Updates)}
		row = append(row, numbers(s.Spurious, s.Held, s.Refused)...)
		if timed {
			row = append(row, micros(s.PerArrival()))
		}
		t.row(row...)
	}
	_, err := io.WriteString(w, t.String())
	return err
}

// WriteGates writes how the first strategy stands at each gate of a course, and how many of the others miss it.
func (rep *Report) WriteGates(w io.Writer, c *Course) error {
	t := table{left: true}
	t.row("gate", "limit", rep.Strategies[0], "is at most (95 %)", "", "missed by others")
	for _, g := range c.Gates {
		count, of := g.Rate(&rep.Total[0])
		verdict := "passed"
		if !g.OK(count, of) {
			verdict = "MISSED"
		}
		others := 0
		for i := range rep.Total[1:] {
			if !g.OK(g.Rate(&rep.Total[i+1])) {
				others++
			}
		}
		t.row(g.Name, g.Limit, fmt.Sprintf("%d of %d", count, of), percent(bound(count, of)), verdict,
			fmt.Sprintf("%d of %d", others, len(rep.Total)-1))
	}
	_, err := io.WriteString(w, t.String())
	return err
}

// WriteExamples writes the examples that were kept, worst first.
func (rep *Report) WriteExamples(w io.Writer) error {
	for _, e := range rep.Examples {
		if _, err := io.WriteString(w, strings.Repeat("-", 100)+"\n"+e.Text); err != nil {
			return err
		}
	}
	return nil
}

func numbers(ns ...int) []string {
	s := make([]string, len(ns))
	for i, n := range ns {
		s[i] = strconv.Itoa(n)
	}
	return s
}

func micros(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Nanoseconds())/1000, 'f', 1, 64)
}

func rate(count, of int) string {
	if of == 0 {
		return "-"
	}
	return percent(float64(count) / float64(of))
}

// percent writes a rate in percent with two significant digits.
func percent(x float64) string {
	x *= 100
	if x == 0 {
		return "0 %"
	}
	digits := max(0, 1-int(math.Floor(math.Log10(x))))
	s := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s + " %"
}

// bound is the upper 95 % confidence bound of a rate that was seen count times in of tries: the rule of three for
// none; else one-sided Poisson, by Wilson and Hilferty's approximation of the chi-squared distribution.
func bound(count, of int) float64 {
	if of == 0 {
		return 1
	}
	upper := 3.0
	if count > 0 {
		k := float64(count + 1)
		const z = 1.645
		upper = k * math.Pow(1-1/(9*k)+z/(3*math.Sqrt(k)), 3)
	}
	return min(1, upper/float64(of))
}
