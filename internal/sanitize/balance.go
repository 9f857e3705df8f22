package sanitize

import (
	"html"
	"slices"
	"strconv"
	"strings"

	"net/url"

	xhtml "golang.org/x/net/html"
)

// maxDepth is how deep elements nest; tags beyond it are dropped. Browsers stop at 512.
const maxDepth = 100

// balance writes markup that holds only listed elements again: nested properly, with checked attribute values.
func balance(markup, base string) string {
	w := writer{}
	if u, err := url.Parse(strings.TrimSpace(base)); err == nil && isWeb(u) {
		w.base = u
	}
	w.out.Grow(len(markup) + len(markup)/8)
	z := xhtml.NewTokenizer(strings.NewReader(markup))
	for {
		switch z.Next() {
		case xhtml.ErrorToken:
			w.closeTo(0)
			return w.out.String()
		case xhtml.TextToken:
			w.text(z.Token().Data)
		case xhtml.StartTagToken, xhtml.SelfClosingTagToken:
			w.start(z.Token())
		case xhtml.EndTagToken:
			name, _ := z.TagName()
			w.end(string(name))
		}
	}
}

type writer struct {
	out  strings.Builder
	open []string // elements, outermost first
	base *url.URL
}

func (w *writer) text(s string) {
	if w.inTable() && strings.TrimSpace(s) != "" {
		// A browser would move it before the table; a row and cell keep it where it was.
		w.start(xhtml.Token{Data: "td"})
	}
	w.out.WriteString(html.EscapeString(printable(s)))
}

// inTable reports whether only parts of a table may come next.
func (w *writer) inTable() bool {
	if len(w.open) == 0 {
		return false
	}
	switch w.open[len(w.open)-1] {
	case "table", "thead", "tbody", "tfoot", "tr", "colgroup":
		return true
	}
	return false
}

func (w *writer) start(t xhtml.Token) {
	name := t.Data
	switch name {
	case "h1":
		name = "h2" // the page has its own
	case "center":
		name = "div"
	}
	e, ok := elements[name]
	if !ok {
		return
	}
	w.closeImplied(name)
	if !w.makeRoom(name, e) {
		if e.block && w.out.Len() > 0 && !w.inTable() {
			w.out.WriteString("<br>") // the tag goes, what it set apart stays apart
		}
		return
	}
	attrs, ok := w.attributes(name, t.Attr)
	if !ok {
		return
	}
	if !e.void && len(w.open) >= maxDepth {
		return
	}
	w.out.WriteByte('<')
	w.out.WriteString(name)
	w.out.WriteString(attrs)
	w.out.WriteByte('>')
	if !e.void {
		w.open = append(w.open, name)
	}
}

// closeImplied closes the elements that a start tag ends though they have no closing tag.
func (w *writer) closeImplied(name string) {
	c, ok := closedBy[name]
	if ok {
		for i := len(w.open) - 1; i >= 0 && !slices.Contains(c.within, w.open[i]); i-- {
			if slices.Contains(c.close, w.open[i]) {
				w.closeTo(i)
			}
		}
	}
	if elements[name].block {
		// A paragraph ends where a block begins (HTML 13.2.6.4.7), unless the block is within a link: it stays one.
		i := len(w.open) - 1
		for i >= 0 && !elements[w.open[i]].block && w.open[i] != "a" {
			i--
		}
		if i >= 0 && w.open[i] == "p" {
			w.closeTo(i)
		}
	}
}

// makeRoom sees to it that an element stands where it may, opening what is missing around it. It returns false where
// the tag must go.
func (w *writer) makeRoom(name string, e element) bool {
	parent := ""
	if len(w.open) > 0 {
		parent = w.open[len(w.open)-1]
	}
	switch {
	case len(e.parents) == 0:
		if w.inTable() {
			w.start(xhtml.Token{Data: "td"})
		}
		return true
	case slices.Contains(e.parents, parent):
		return true
	case name == "td" || name == "th":
		if slices.Contains(inRows, parent) {
			w.start(xhtml.Token{Data: "tr"})
			return len(w.open) > 0 && w.open[len(w.open)-1] == "tr"
		}
	}
	return false
}

func (w *writer) end(name string) {
	switch name {
	case "h1":
		name = "h2"
	case "center":
		name = "div"
	}
	e, ok := elements[name]
	if !ok || e.void {
		return
	}
	for i := len(w.open) - 1; i >= 0; i-- {
		open := w.open[i]
		switch {
		case open == name:
			w.closeTo(i)
			return
		case open == "table", // nothing within a table closes what is around it
			(open == "td" || open == "th" || open == "caption") && !slices.Contains(tableTags, name),
			elements[open].block && !e.block: // </b> does not close a block that was opened within <b>
			return
		}
	}
}

// tableTags are the tags that close a cell when they close.
var tableTags = []string{"tr", "tbody", "thead", "tfoot", "table"}

// closeTo closes elements until n are open.
func (w *writer) closeTo(n int) {
	for len(w.open) > n {
		last := len(w.open) - 1
		w.out.WriteString("</")
		w.out.WriteString(w.open[last])
		w.out.WriteByte('>')
		w.open = w.open[:last]
	}
}

func isDigits(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n >= 0 && n <= 10_000
}

// printable drops control characters, which no document may contain (HTML 13.1.3), and NUL.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, s)
}
