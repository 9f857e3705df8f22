package sanitize

import (
	"strings"
	"unicode"

	xhtml "golang.org/x/net/html"
)

// Text returns the readable text of HTML in one line, at most max runes; longer text ends in "…". Scripts, styles and
// comments are no text; entities are decoded once. The result is plain text: it must be escaped to be shown in HTML.
func Text(untrusted string, max int) string {
	text, _ := bound(untrusted)
	var b strings.Builder
	runes, space, full := 0, false, false
	write := func(s string) {
		for _, r := range s {
			if unicode.IsSpace(r) || r == '\u200b' {
				space = runes > 0
				continue
			}
			if unicode.IsControl(r) || r == unicode.ReplacementChar {
				continue
			}
			if space {
				b.WriteByte(' ')
				runes++
				space = false
			}
			b.WriteRune(r)
			if runes++; runes > max {
				full = true
				return
			}
		}
	}
	z := xhtml.NewTokenizer(strings.NewReader(text))
	skip := "" // the element whose content is not shown
	for !full {
		switch z.Next() {
		case xhtml.ErrorToken:
			return b.String()
		case xhtml.TextToken:
			if skip == "" {
				write(string(z.Text()))
			}
		case xhtml.StartTagToken, xhtml.SelfClosingTagToken:
			name, _ := z.TagName()
			switch string(name) {
			case "script", "style", "noscript", "iframe", "noembed", "noframes", "title":
				// The tokenizer gives their content as one text, whatever is in it.
				skip = string(name)
			default:
				space = space || runes > 0 && separates(string(name))
			}
		case xhtml.EndTagToken:
			name, _ := z.TagName()
			if skip == string(name) {
				skip = ""
			}
			space = space || runes > 0 && separates(string(name))
		}
	}
	return cut(b.String(), max)
}

// separates reports whether an element stands apart from the text around it.
func separates(name string) bool {
	return elements[name].block || name == "br" || name == "hr" || name == "img"
}

// cut shortens s to max runes with "…" for the rest, at the end of a word where one is near.
func cut(s string, max int) string {
	if max < 1 {
		return ""
	}
	runes := []rune(s)
	if len(runes) <= max {
		return s
	}
	runes = runes[:max-1]
	for i := len(runes) - 1; i > len(runes)-20 && i > 0; i-- {
		if runes[i] == ' ' {
			runes = runes[:i]
			break
		}
	}
	return strings.TrimRight(string(runes), " ,;:–-") + "…"
}
