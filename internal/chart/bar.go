package chart

import "html"

// Bar draws one horizontal bar of a table: value of max, from the left. It is decoration, and hidden from who does not see
// it: the cell beside it has the number, and the table is the chart.
func Bar(value, maximum int64, class string) string {
	var d drawing
	d.say(`<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">`)
	if value > 0 && maximum > 0 {
		// What is there is seen, however little it is.
		d.rect(0, 0, min(max(float64(value)/float64(maximum)*100, .5), 100), 10, ` class="part `+html.EscapeString(class)+`"`)
	}
	d.say(`</svg>`)
	return d.String()
}

// A Mark is one of the bars of Marks.
type Mark struct {
	Height float64 // 0 to 1
	Below  bool    // it hangs from the line instead of standing on it
	Class  string
}

// Marks draws a row of small bars in a line of text, each as high as the event it stands for is worth telling, in n places:
// those that have no mark are empty, on the left. title says in words what it shows. id is unique on the page.
func Marks(id, title string, marks []Mark, n int) string {
	const pitch, line, depth = 5.0, 16.0, 8.0
	var d drawing
	d.open(id, "spark", title, "", float64(n)*pitch, line+depth)
	d.say(`<path class="grid" d="M0 `, num(line), `H`, num(float64(n)*pitch), `" vector-effect="non-scaling-stroke"/>`)
	if len(marks) > n {
		marks = marks[len(marks)-n:]
	}
	for i, m := range marks {
		x := float64(n-len(marks)+i)*pitch + .5
		attributes := ` class="part ` + html.EscapeString(m.Class) + `"`
		if m.Below {
			d.rect(x, line+1, pitch-1, min(max(m.Height, 0), 1)*(depth-1), attributes)
			continue
		}
		h := min(max(m.Height, 0), 1) * line
		d.rect(x, line-h, pitch-1, h, attributes)
	}
	d.say(`</svg>`)
	return d.String()
}
