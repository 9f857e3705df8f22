// Package chart draws figures as SVG for pages that load no script for them and allow no style in the markup: shapes have
// classes and presentation attributes, and the page's style sheet says their colours, so that light and dark are its own
// affair. Everything here is a pure function of its input.
//
// A chart is an image with a name and a description for who does not see it, and the page puts the same figures in a table
// beside it. Series differ in their texture (solid, hatched, dotted, …) as well as in the colour of their class. There is no text in the
// picture: it stretches to the place it gets, and text would stretch with it. The page writes the axes around it, from
// Ticks.
package chart

import (
	"html"
	"math"
	"strconv"
	"strings"
)

// Drawings have coordinates of their own, which the place on the page stretches.
const (
	width  = 720.0
	height = 160.0
)

// Ticks returns values for an axis from 0 to at least max: evenly spaced, round, three to five of them, least first. max
// may be 0 or less, and then the axis goes to 1, or to 2 where it must be whole numbers.
func Ticks(max float64, whole bool) []float64 {
	if max <= 0 || math.IsNaN(max) || math.IsInf(max, 0) {
		max = 1
	}
	step := math.Pow(10, math.Floor(math.Log10(max/2)))
	for _, times := range []float64{1, 2, 2.5, 5, 10} {
		if whole && step*times != math.Trunc(step*times) {
			continue
		}
		if n := math.Ceil(max/(step*times) - 1e-9); n <= 4 {
			step *= times
			break
		}
	}
	if whole {
		step = math.Max(step, 1)
	}
	n := int(math.Max(2, math.Ceil(max/step-1e-9)))
	ticks := make([]float64, n+1)
	for i := range ticks {
		ticks[i] = round(step * float64(i))
	}
	return ticks
}

func round(v float64) float64 { return math.Round(v*1e9) / 1e9 }

// num writes a coordinate, to a tenth.
func num(v float64) string {
	s := strconv.FormatFloat(v, 'f', 1, 64)
	return strings.TrimSuffix(s, ".0")
}

// A drawing is SVG being written.
type drawing struct{ strings.Builder }

func (d *drawing) say(parts ...string) {
	for _, p := range parts {
		d.WriteString(p)
	}
}

// open begins an image. id is unique on the page, and a name for HTML.
func (d *drawing) open(id, class, title, desc string, w, h float64) {
	id = html.EscapeString(id)
	d.say(`<svg class="`, class, `" viewBox="0 0 `, num(w), ` `, num(h), `" preserveAspectRatio="none" role="img" aria-labelledby="`, id, `-t`)
	if desc != "" {
		d.say(` `, id, `-d`)
	}
	d.say(`"><title id="`, id, `-t">`, html.EscapeString(title), `</title>`)
	if desc != "" {
		d.say(`<desc id="`, id, `-d">`, html.EscapeString(desc), `</desc>`)
	}
}

func (d *drawing) rect(x, y, w, h float64, attributes string) {
	d.say(`<rect x="`, num(x), `" y="`, num(y), `" width="`, num(w), `" height="`, num(h), `"`, attributes, `/>`)
}

// grid draws a line for each tick.
func (d *drawing) grid(ticks []float64) {
	top := ticks[len(ticks)-1]
	d.say(`<path class="grid" d="`)
	for _, t := range ticks {
		d.say(`M0 `, num(height-t/top*height), `H`, num(width))
	}
	d.say(`" vector-effect="non-scaling-stroke"/>`)
}
