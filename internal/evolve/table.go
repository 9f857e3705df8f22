package evolve

import (
	"strings"
	"unicode/utf8"
)

// A table is text in columns, the first to the left, the others to the right, or all to the left. A row of one cell is
// a heading.
type table struct {
	rows [][]string
	left bool
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// String writes the columns two spaces apart.
func (t *table) String() string {
	var widths []int
	for _, cells := range t.rows {
		if len(cells) == 1 {
			continue
		}
		for i, c := range cells {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	var b strings.Builder
	for _, cells := range t.rows {
		var line strings.Builder
		for i, c := range cells {
			pad := ""
			if i < len(widths) && len(cells) > 1 {
				pad = strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c))
			}
			switch {
			case i == 0:
				line.WriteString(c + pad)
			case t.left:
				line.WriteString("  " + c + pad)
			default:
				line.WriteString("  " + pad + c)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}
