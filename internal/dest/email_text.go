package dest

import (
	"fmt"
	"html"
	"io"
	"strings"
	"unicode"

	xhtml "golang.org/x/net/html"
)

// mailText writes a message for those who read mail as text.
func mailText(w io.Writer, p mailPage) error {
	var b strings.Builder
	if p.Digest || p.Intro != "" {
		fmt.Fprintf(&b, "%s\n%s\n\n", p.Title, p.Intro)
	}
	for _, g := range p.Groups {
		if p.Digest {
			fmt.Fprintf(&b, "\n== %s ==\n\n", g.Feed)
		}
		for _, a := range g.Articles {
			b.WriteString(a.Heading + "\n")
			for _, s := range []string{a.Line, a.URL, a.Changed} {
				if s != "" {
					b.WriteString(s + "\n")
				}
			}
			for _, s := range []string{a.Plain, a.More} {
				if s != "" {
					b.WriteString("\n" + s + "\n")
				}
			}
			if len(a.Attached) > 0 || a.Also != "" || a.Why != "" {
				b.WriteString("\n")
			}
			for _, f := range a.Attached {
				b.WriteString("Attached: " + f.URL + "\n")
			}
			if a.Also != "" {
				b.WriteString("Also in " + a.Also + ".\n")
			}
			if a.Why != "" {
				b.WriteString("Why you got this: " + a.Why + "\n")
			}
			b.WriteString("\n")
		}
	}
	fmt.Fprintf(&b, "-- \nSent by %s. To unsubscribe: %s\n", p.From, p.Stop)
	clean := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cc, r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, b.String())
	_, err := io.WriteString(w, strings.ReplaceAll(clean, "\n", "\r\n"))
	return err
}

// withoutRemote takes out of sanitised HTML what would be loaded from elsewhere when the mail is opened, and leaves a line for
// it.
func withoutRemote(sanitised string) string {
	var b strings.Builder
	links := 0 // depth of a
	z := xhtml.NewTokenizer(strings.NewReader(sanitised))
	for {
		switch kind := z.Next(); kind {
		case xhtml.ErrorToken:
			return b.String()
		case xhtml.StartTagToken, xhtml.SelfClosingTagToken, xhtml.EndTagToken:
			raw := string(z.Raw())
			t := z.Token()
			switch t.Data {
			case "img":
				what := pictureText(t)
				if src := attr(t, "src"); src != "" && links == 0 {
					fmt.Fprintf(&b, `<a href="%s">%s</a>`, html.EscapeString(src), html.EscapeString(what))
				} else {
					b.WriteString(html.EscapeString(what))
				}
			case "picture", "source", "track", "embed", "object", "iframe", "link":
			case "audio", "video":
				if src := attr(t, "src"); src != "" && kind != xhtml.EndTagToken && links == 0 {
					fmt.Fprintf(&b, `<a href="%s">[%s]</a>`, html.EscapeString(src), t.Data)
				}
			default:
				if t.Data == "a" && kind == xhtml.StartTagToken {
					links++
				} else if t.Data == "a" && kind == xhtml.EndTagToken {
					links--
				}
				b.WriteString(raw)
			}
		default:
			b.Write(z.Raw())
		}
	}
}

func attr(t xhtml.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func pictureText(t xhtml.Token) string {
	if alt := oneLine(attr(t, "alt"), 200); alt != "" {
		return "[picture: " + alt + "]"
	}
	return "[picture]"
}

// plainText is sanitised HTML as text, with its links as notes at the end.
func plainText(sanitised string) string {
	p := plain{notes: map[string]int{}}
	z := xhtml.NewTokenizer(strings.NewReader(sanitised))
	for {
		switch kind := z.Next(); kind {
		case xhtml.ErrorToken:
			return p.end()
		case xhtml.TextToken:
			p.text(html.UnescapeString(string(z.Raw())))
		case xhtml.StartTagToken, xhtml.SelfClosingTagToken:
			p.start(z.Token())
		case xhtml.EndTagToken:
			p.close(z.Token().Data)
		}
	}
}

// plain gathers text in lines.
type plain struct {
	b     strings.Builder
	line  strings.Builder // that is being written
	blank bool            // the last line is empty, or there is none
	pre   int
	quote int
	lists []int    // of each open list the number of its last item; below 0: without numbers
	hrefs []string // of open links
	notes map[string]int
	order []string
}

func (p *plain) text(s string) {
	if p.pre > 0 {
		for i, part := range strings.Split(s, "\n") {
			if i > 0 {
				p.flush()
			}
			p.line.WriteString(strings.TrimRight(part, "\r"))
		}
		return
	}
	words := strings.Join(strings.Fields(s), " ")
	space := func(at int) bool { return s != "" && strings.ContainsRune(" \n\t\r", rune(s[at])) }
	if space(0) && p.line.Len() > 0 && !strings.HasSuffix(p.line.String(), " ") {
		p.line.WriteByte(' ')
	}
	p.line.WriteString(words)
	if words != "" && space(len(s)-1) {
		p.line.WriteByte(' ')
	}
}

// flush ends the line, if there is one.
func (p *plain) flush() {
	s := strings.TrimRight(p.line.String(), " ")
	p.line.Reset()
	if s == "" && p.pre == 0 {
		return
	}
	p.b.WriteString(strings.Repeat("> ", p.quote) + s + "\n")
	p.blank = false
}

// gap leaves an empty line.
func (p *plain) gap() {
	p.flush()
	if !p.blank && p.b.Len() > 0 {
		p.b.WriteString(strings.TrimRight(strings.Repeat("> ", p.quote), " ") + "\n")
		p.blank = true
	}
}

func (p *plain) start(t xhtml.Token) {
	switch t.Data {
	case "br":
		p.flush()
	case "hr":
		p.gap()
		p.line.WriteString("* * *")
		p.gap()
	case "p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "table", "figure", "section", "article", "dl", "details":
		p.gap()
	case "tr", "dt", "dd", "figcaption", "summary", "caption":
		p.flush()
	case "td", "th":
		if p.line.Len() > 0 {
			p.line.WriteString(" | ")
		}
	case "pre":
		p.gap()
		p.pre++
	case "blockquote":
		p.gap()
		p.quote++
	case "ul":
		p.listGap()
		p.lists = append(p.lists, -1)
	case "ol":
		p.listGap()
		p.lists = append(p.lists, 0)
	case "li":
		p.flush()
		depth := len(p.lists)
		if depth == 0 {
			p.line.WriteString("- ")
			return
		}
		p.line.WriteString(strings.Repeat("  ", depth-1))
		if n := &p.lists[depth-1]; *n >= 0 {
			*n++
			fmt.Fprintf(&p.line, "%d. ", *n)
		} else {
			p.line.WriteString("- ")
		}
	case "img":
		if alt := attr(t, "alt"); alt != "" {
			p.line.WriteString(pictureText(t))
		}
	case "a":
		p.hrefs = append(p.hrefs, attr(t, "href"))
	}
}

// listGap leaves an empty line before a list that is in no other.
func (p *plain) listGap() {
	if len(p.lists) == 0 {
		p.gap()
		return
	}
	p.flush()
}

func (p *plain) close(name string) {
	switch name {
	case "p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "table", "figure", "section", "article", "dl", "details":
		p.gap()
	case "li", "tr", "dt", "dd", "figcaption", "summary", "caption":
		p.flush()
	case "pre":
		p.flush()
		p.pre = max(p.pre-1, 0)
		p.gap()
	case "blockquote":
		p.flush()
		p.quote = max(p.quote-1, 0)
		p.gap()
	case "ul", "ol":
		if len(p.lists) > 0 {
			p.lists = p.lists[:len(p.lists)-1]
		}
		p.listGap()
	case "a":
		if len(p.hrefs) == 0 {
			return
		}
		href := p.hrefs[len(p.hrefs)-1]
		p.hrefs = p.hrefs[:len(p.hrefs)-1]
		p.note(href)
	}
}

// note marks a link, unless its address is its text.
func (p *plain) note(href string) {
	if href == "" || strings.HasSuffix(strings.TrimRight(p.line.String(), " "), href) {
		return
	}
	n, ok := p.notes[href]
	if !ok {
		p.order = append(p.order, href)
		n = len(p.order)
		p.notes[href] = n
	}
	s := strings.TrimRight(p.line.String(), " ")
	p.line.Reset()
	fmt.Fprintf(&p.line, "%s [%d]", s, n)
}

func (p *plain) end() string {
	p.pre, p.quote = 0, 0
	p.gap()
	for i, href := range p.order {
		fmt.Fprintf(&p.b, "[%d] %s\n", i+1, href)
	}
	return strings.Trim(p.b.String(), "\n")
}
