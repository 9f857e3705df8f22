package chart

import (
	"html"
	"strconv"
)

// A Series is one part of each column of a Stacked.
type Series struct {
	Name   string // in the tool tip
	Class  string // of its shapes, for the style sheet
	Values []int64
}

// A Stacked is columns, such as the days of a month, each of several parts, the first series at the bottom. Values below 0
// count as 0, and those that a series lacks, too.
type Stacked struct {
	ID          string // unique on the page
	Title, Desc string
	Columns     []string // names, for tool tips
	Series      []Series
}

// Total returns the sum of a column.
func (s Stacked) Total(column int) int64 {
	var n int64
	for i := range s.Series {
		n += s.value(i, column)
	}
	return n
}

func (s Stacked) value(series, column int) int64 {
	if v := s.Series[series].Values; column < len(v) {
		return max(v[column], 0)
	}
	return 0
}

// Ticks returns the values of the vertical axis, least first.
func (s Stacked) Ticks() []float64 {
	var highest int64
	for i := range s.Columns {
		highest = max(highest, s.Total(i))
	}
	return Ticks(float64(highest), true)
}

// textures are the insides of the patterns that tell series apart without colour; the first is solid. They are drawn in
// the colour of their series on a wash of it.
var textures = []string{
	"",
	`<path d="M-1 1l2 -2M0 6l6 -6M5 7l2 -2" stroke-width="1.8"/>`,
	`<path d="M1.5 1.5h.01M4.5 4.5h.01" stroke-width="2.2" stroke-linecap="round"/>`,
	`<path d="M0 1.5h6M0 4.5h6" stroke-width="1.4"/>`,
	`<path d="M0 0l6 6M0 6l6 -6" stroke-width="1.1"/>`,
	`<path d="M1.5 0v6M4.5 0v6" stroke-width="1.4"/>`,
}

// defs writes the pattern of a series, where it has one.
func (d *drawing) defs(id string, n int, class string) {
	inside := textures[n%len(textures)]
	if inside == "" {
		return
	}
	d.say(`<pattern id="`, html.EscapeString(id), `-p`, strconv.Itoa(n), `" width="6" height="6" patternUnits="userSpaceOnUse"><g class="texture `, html.EscapeString(class),
		`"><rect width="6" height="6"/>`, inside, `</g></pattern>`)
}

// fill is the attribute that paints a shape as a part of a series.
func fill(id string, n int, class string) string {
	if textures[n%len(textures)] == "" {
		return ` class="part ` + html.EscapeString(class) + `"`
	}
	return ` fill="url(#` + html.EscapeString(id) + `-p` + strconv.Itoa(n) + `)"`
}

// SVG draws the chart.
func (s Stacked) SVG() string {
	var d drawing
	d.open(s.ID, "chart", s.Title, s.Desc, width, height)
	d.say(`<defs>`)
	for i := range s.Series {
		d.defs(s.ID, i, s.Series[i].Class)
	}
	d.say(`</defs>`)
	ticks := s.Ticks()
	d.grid(ticks)
	top, pitch := ticks[len(ticks)-1], width/float64(max(len(s.Columns), 1))
	for c, name := range s.Columns {
		d.say(`<g><title>`, html.EscapeString(name))
		for i := range s.Series {
			if i == 0 {
				d.say(`: `)
			} else {
				d.say(`, `)
			}
			d.say(strconv.FormatInt(s.value(i, c), 10), ` `, html.EscapeString(s.Series[i].Name))
		}
		d.say(`</title>`)
		// Invisible, so that the tool tip is found anywhere in the column.
		d.rect(float64(c)*pitch, 0, pitch, height, ` fill="none" pointer-events="all"`)
		y := height
		for i := range s.Series {
			if v := s.value(i, c); v > 0 {
				// What is there is seen, however little it is.
				h := max(float64(v)/top*height, 1)
				y -= h
				d.rect(float64(c)*pitch+pitch*.12, y, pitch*.76, h, fill(s.ID, i, s.Series[i].Class))
			}
		}
		d.say(`</g>`)
	}
	d.say(`</svg>`)
	return d.String()
}

// Key draws the sample of a series for the legend of the chart. It is decoration beside the name.
func (s Stacked) Key(series int) string {
	id, class := s.ID+"-k", s.Series[series].Class
	var d drawing
	d.say(`<svg class="key" viewBox="0 0 18 12" aria-hidden="true"><defs>`)
	d.defs(id, series, class)
	d.say(`</defs>`)
	d.rect(0, 0, 18, 12, fill(id, series, class))
	d.say(`</svg>`)
	return d.String()
}
