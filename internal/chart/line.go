package chart

import "html"

// A Line is one value for each of several columns, joined; a column without a value (see Known) leaves a gap.
type Line struct {
	ID          string // unique on the page
	Title, Desc string
	Class       string
	Columns     []string  // names, for tool tips
	Values      []float64 // not less than 0
	Known       []bool    // nil: all
	Words       []string  // of the values, for tool tips
}

func (l Line) known(i int) bool { return i < len(l.Values) && (l.Known == nil || l.Known[i]) }

// Ticks returns the values of the vertical axis, least first.
func (l Line) Ticks() []float64 {
	var highest float64
	for i, v := range l.Values {
		if l.known(i) {
			highest = max(highest, v)
		}
	}
	return Ticks(highest, false)
}

// SVG draws the chart: a line, and a mark for each value, as one between two gaps is no line.
func (l Line) SVG() string {
	var d drawing
	d.open(l.ID, "chart", l.Title, l.Desc, width, height)
	ticks := l.Ticks()
	d.grid(ticks)
	top, pitch := ticks[len(ticks)-1], width/float64(max(len(l.Columns), 1))
	x := func(i int) string { return num((float64(i) + .5) * pitch) }
	y := func(i int) string { return num(height - max(l.Values[i], 0)/top*height) }
	var line, marks drawing
	for i := range l.Columns {
		if !l.known(i) {
			continue
		}
		command := "L"
		if i == 0 || !l.known(i-1) {
			command = "M"
		}
		line.say(command, x(i), ` `, y(i))
		marks.say(`M`, x(i), ` `, y(i), `h.01`)
	}
	class := html.EscapeString(l.Class)
	if line.Len() > 0 {
		d.say(`<path class="line `, class, `" d="`, line.String(), `" vector-effect="non-scaling-stroke"/>`)
		d.say(`<path class="marks `, class, `" d="`, marks.String(), `" vector-effect="non-scaling-stroke"/>`)
	}
	for i, name := range l.Columns {
		d.say(`<g><title>`, html.EscapeString(name))
		if l.known(i) && i < len(l.Words) {
			d.say(`: `, html.EscapeString(l.Words[i]))
		}
		d.say(`</title>`)
		d.rect(float64(i)*pitch, 0, pitch, height, ` fill="none" pointer-events="all"`)
		d.say(`</g>`)
	}
	d.say(`</svg>`)
	return d.String()
}
