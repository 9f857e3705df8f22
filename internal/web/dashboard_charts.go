package web

import (
	"html/template"
	"strconv"
	"time"

	"feedonce"
	"feedonce/internal/chart"
	"feedonce/internal/store"
)

// A barRow is a row of a table that is a chart of horizontal bars.
type barRow struct {
	Label, URL      string
	Other, OtherURL string // a second name, of a pair
	Untrusted       bool   // the names are what a feed says
	Note            string
	N               int64
	Share           string // of all; "" where it is not shown
	Strong          bool
	Class           string
	Bar             template.HTML
}

// bars draws the rows against the longest of them; shares are of their sum.
func bars(rows []barRow, shares bool) []barRow {
	var most, sum int64
	for _, r := range rows {
		most, sum = max(most, r.N), sum+r.N
	}
	for i := range rows {
		rows[i].Bar = template.HTML(chart.Bar(rows[i].N, most, rows[i].Class))
		if shares {
			rows[i].Share = share(rows[i].N, sum)
		}
	}
	return rows
}

// share writes a part of a whole: "12 %", "0.4 %", or nothing where there is no whole.
func share(n, of int64) string {
	if of <= 0 {
		return ""
	}
	return percent(float64(n) / float64(of) * 100)
}

func percent(v float64) string {
	switch {
	case v == 0:
		return "0 %"
	case v < .1:
		return "< 0.1 %"
	case v < 10:
		return strconv.FormatFloat(v, 'f', 1, 64) + " %"
	case v > 99 && v < 100:
		return "> 99 %"
	}
	return strconv.FormatFloat(v, 'f', 0, 64) + " %"
}

// A measured is a measure in words, and the class of its bar.
type measured struct {
	measure store.Measure
	label   string
	note    string
	class   string
}

var (
	kindsOfPolls = []measured{
		{store.PollsNotModified, "Not modified", "the server said so (304)", "c-unchanged"},
		{store.PollsSameBytes, "Same bytes", "not parsed", "c-same"},
		{store.PollsUnchanged, "Unchanged", "every article as it is stored", "c-parsed"},
		{store.PollsNew, "New articles", "", "c-new"},
		{store.PollsChanged, "Changed", "an update or a copy", "c-updated"},
		{store.PollsFailed, "Error", "", "c-error"},
	}
	lateness = buckets(store.LateBuckets)
	lagging  = buckets(store.LagBuckets)
)

func buckets(all []store.Bucket) []measured {
	var list []measured
	last := ""
	for _, b := range all {
		m := measured{measure: b.Measure, class: "c-parsed"}
		if b.UpTo > 0 {
			last = short(b.UpTo)
			m.label = "Up to " + last
		} else {
			m.label = "More than " + last
		}
		list = append(list, m)
	}
	return list
}

func short(d time.Duration) string {
	switch {
	case d < time.Minute:
		return plural(int64(d.Round(time.Second)/time.Second), "second", "seconds")
	case d < time.Hour:
		return plural(int64(d/time.Minute), "minute", "minutes")
	}
	return plural(int64(d/time.Hour), "hour", "hours")
}

// bucketRows returns a row for each measure; none where nothing was counted.
func bucketRows(counts store.HourCounts, list []measured) []barRow {
	var rows []barRow
	var sum int64
	for _, m := range list {
		sum += counts[m.measure]
		rows = append(rows, barRow{Label: m.label, Note: m.note, N: counts[m.measure], Class: m.class})
	}
	if sum == 0 {
		return nil
	}
	return bars(rows, true)
}

// A figure is a chart with its axes, and the table behind it.
type figure struct {
	Title       string
	SVG         template.HTML
	Ticks       []string // of the vertical axis, highest first
	First, Last string   // column
	Keys        []figureKey
	Head        []string
	Rows        []figureRow
}

type figureKey struct {
	Name   string
	Sample template.HTML
	Total  int64
}

type figureRow struct {
	Name  string
	Cells []string
}

func (f *figure) axes(p period, in *time.Location, ticks []float64, unit string) {
	for i := len(ticks) - 1; i >= 0; i-- {
		v := strconv.FormatFloat(ticks[i], 'f', -1, 64)
		if ticks[i] == float64(int64(ticks[i])) {
			v = number(int64(ticks[i]))
		}
		f.Ticks = append(f.Ticks, v+unit)
	}
	f.First, f.Last = p.label(p.columns[0], in), p.label(p.columns[len(p.columns)-1], in)
}

func (p period) labels(in *time.Location) []string {
	var all []string
	for _, c := range p.columns {
		all = append(all, p.label(c, in))
	}
	return all
}

// each says what a column is.
func (p period) each() string {
	if p.hourly {
		return "hour"
	}
	return "day"
}

// A part is a series of a stacked figure: its words, and how many of it a column has.
type part struct {
	name, class string
	of          func(column time.Time) int64
	hidden      bool // only in the table
}

func (c *counted) stacked(id, title string, in *time.Location, parts []part) *figure {
	chartOf := chart.Stacked{ID: id, Title: title + " by " + c.each(), Columns: c.labels(in)}
	f := &figure{Title: title, Head: []string{sentenceCase(c.each())}}
	rows := make([]figureRow, len(c.columns))
	for i, name := range chartOf.Columns {
		rows[i].Name = name
	}
	for _, p := range parts {
		series := chart.Series{Name: p.name, Class: p.class, Values: make([]int64, len(c.columns))}
		var total int64
		for i, column := range c.columns {
			n := p.of(column)
			series.Values[i] = n
			total += n
			rows[i].Cells = append(rows[i].Cells, number(n))
		}
		f.Head = append(f.Head, p.name)
		if p.hidden {
			continue
		}
		chartOf.Series = append(chartOf.Series, series)
		f.Keys = append(f.Keys, figureKey{Name: p.name, Total: total})
		if chartOf.Desc != "" {
			chartOf.Desc += ", "
		}
		chartOf.Desc += p.name + ": " + number(total)
	}
	chartOf.Desc = "Stacked bars, a bar for each " + c.each() + ", from " + chartOf.Columns[0] + " to " + chartOf.Columns[len(chartOf.Columns)-1] +
		". In all, " + chartOf.Desc + ". The figures are in the table after the chart."
	for i := range f.Keys {
		f.Keys[i].Sample = template.HTML(chartOf.Key(i))
	}
	f.SVG, f.Rows = template.HTML(chartOf.SVG()), rows
	f.axes(c.period, in, chartOf.Ticks(), "")
	return f
}

func sentenceCase(s string) string {
	s = sentence(s)
	return s[:len(s)-1]
}

func (c *counted) arrivalsFigure(in *time.Location) *figure {
	of := func(field func(feedonce.Counts) int64) func(time.Time) int64 {
		return func(t time.Time) int64 { return field(c.arrivals[t]) }
	}
	return c.stacked("arrivals", "Arrivals that were not as stored", in, []part{
		{name: "new", class: "c-new", of: of(func(n feedonce.Counts) int64 { return n.New })},
		{name: "copies", class: "c-copy", of: of(func(n feedonce.Counts) int64 { return n.Duplicate })},
		{name: "updates", class: "c-updated", of: of(func(n feedonce.Counts) int64 { return n.Updated })},
		{name: "held", class: "c-held", of: of(func(n feedonce.Counts) int64 { return n.Quarantined })},
		{name: "unreadable", class: "c-invalid", of: of(func(n feedonce.Counts) int64 { return n.Invalid })},
		{name: "unchanged", of: of(func(n feedonce.Counts) int64 { return n.Unchanged }), hidden: true},
	})
}

func (c *counted) pollsFigure(in *time.Location) *figure {
	var parts []part
	for _, k := range kindsOfPolls {
		parts = append(parts, part{name: k.label, class: k.class, of: func(t time.Time) int64 { return c.polls[t][k.measure] }})
	}
	return c.stacked("polls", "Polls", in, parts)
}

// rateFigure shows how many of the arrivals that were no known article were copies.
func (c *counted) rateFigure(in *time.Location) *figure {
	l := chart.Line{ID: "rate", Title: "Share of copies by " + c.each(), Class: "c-copy", Columns: c.labels(in)}
	f := &figure{Title: "Share of copies", Head: []string{sentenceCase(c.each()), "new", "copies", "share of copies"}}
	for i, column := range c.columns {
		n := c.arrivals[column]
		known := n.New+n.Duplicate > 0
		v, words := 0., "–"
		if known {
			v = float64(n.Duplicate) / float64(n.New+n.Duplicate) * 100
			words = percent(v)
		}
		l.Values, l.Known, l.Words = append(l.Values, v), append(l.Known, known), append(l.Words, words)
		f.Rows = append(f.Rows, figureRow{l.Columns[i], []string{number(n.New), number(n.Duplicate), words}})
	}
	l.Desc = "A line: of the arrivals that were no known article, how many were copies. In all, " + number(c.sum.Duplicate) + " of " + number(c.sum.New+c.sum.Duplicate) +
		". The figures are in the table after the chart."
	f.SVG = template.HTML(l.SVG())
	f.axes(c.period, in, l.Ticks(), " %")
	return f
}
