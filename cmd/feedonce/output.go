package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"golang.org/x/term"
	"golang.org/x/text/width"
)

// terminal returns the width of the terminal w writes to, or ok=false where it is none.
func terminal(w io.Writer) (columns int, ok bool) {
	f, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil || columns < 20 {
		columns = 80
	}
	return columns, true
}

// A table is rows of cells. A person on a terminal sees it aligned and cut to the width of the terminal; everything else
// gets tab-separated values, whole, with the header.
type table struct {
	header []string
	wide   int // the column that gives way where there is not enough width
	rows   [][]string
}

func (t *table) add(cells ...string) {
	for i := range cells {
		cells[i] = clean(cells[i])
	}
	t.rows = append(t.rows, cells)
}

func (t *table) print(w io.Writer) error {
	columns, tty := terminal(w)
	var b strings.Builder
	if tty {
		t.aligned(&b, columns)
	} else {
		for _, row := range append([][]string{t.header}, t.rows...) {
			b.WriteString(strings.Join(row, "\t") + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const gap = 2 // columns between cells

func (t *table) aligned(b *strings.Builder, columns int) {
	widths := make([]int, len(t.header))
	all := append([][]string{t.header}, t.rows...)
	for _, row := range all {
		for i, c := range row {
			widths[i] = max(widths[i], cells(c))
		}
	}
	sum := -gap
	for _, n := range widths {
		sum += n + gap
	}
	if sum > columns {
		widths[t.wide] = max(10, widths[t.wide]-(sum-columns))
	}
	for _, row := range all {
		var line strings.Builder
		for i, c := range row {
			c = cut(c, widths[i])
			line.WriteString(c)
			if i < len(row)-1 {
				line.WriteString(strings.Repeat(" ", widths[i]-cells(c)+gap))
			}
		}
		b.WriteString(cut(strings.TrimRight(line.String(), " "), columns) + "\n")
	}
}

// cells is how many columns of a terminal a text takes.
func cells(s string) int {
	n := 0
	for _, r := range s {
		n += runeCells(r)
	}
	return n
}

func runeCells(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// cut shortens a text to a number of columns; a text that was cut ends in "…".
func cut(s string, columns int) string {
	if cells(s) <= columns {
		return s
	}
	n := 0
	for i, r := range s {
		if n+runeCells(r) > columns-1 {
			return s[:i] + "…"
		}
		n += runeCells(r)
	}
	return s
}

// clean makes text from a feed harmless for a terminal and for tab-separated values: one line, without control
// characters (escape sequences) and without those that turn the direction of writing.
func clean(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), r == unicode.ReplacementChar:
			return '�'
		case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c:
			return -1
		}
		return r
	}, s)), " ")
}

// wrap breaks a text of one line into lines of at most columns.
func wrap(s, indent string, columns int) string {
	var b strings.Builder
	n := 0
	for i, word := range strings.Fields(s) {
		w := cells(word)
		switch {
		case i == 0:
			b.WriteString(indent)
			n = cells(indent)
		case n+1+w > columns:
			b.WriteString("\n" + indent)
			n = cells(indent)
		default:
			b.WriteByte(' ')
			n++
		}
		b.WriteString(word)
		n += w
	}
	return b.String()
}

// A jsonLines writes one JSON object a line.
type jsonLines struct{ enc *json.Encoder }

func newJSONLines(w io.Writer) jsonLines {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return jsonLines{enc}
}

func (l jsonLines) write(v any) error { return l.enc.Encode(v) }

// stamp is a time for a person: local, to the minute; "" for none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04")
}

// count is "1 feed", "2 feeds".
func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	if strings.HasSuffix(one, "y") {
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(one, "y"))
	}
	return fmt.Sprintf("%d %ss", n, one)
}
