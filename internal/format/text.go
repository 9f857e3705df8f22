package format

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"feedonce/internal/scan"
)

// blank reports whether a character is white space or invisible, so that it means nothing at the edge of a value.
func blank(r rune) bool {
	switch r {
	case '\uFEFF', '\u200B', '\u200C', '\u200D', '\u2060', '\u200E', '\u200F', '\u00AD':
		return true
	}
	return unicode.IsSpace(r)
}

// oneLine collapses white space and trims.
func oneLine(s string) string {
	s = strings.TrimFunc(s, blank)
	i := 0
	for ; i < len(s); i++ {
		c := s[i]
		if c == '\n' || c == '\t' || c == '\r' || c >= utf8.RuneSelf || c == ' ' && s[i+1] == ' ' {
			break
		}
	}
	if i == len(s) {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

// clip cuts text for a message.
func clip(s string, runes int) string {
	for i := range s {
		if runes == 0 {
			return s[:i] + "…"
		}
		runes--
	}
	return s
}

// htmlToLine makes plain text of a line of HTML: a title. Only tags that occur in titles are taken for tags, so that
// "Vec<T>" and "a < b" stay what they are.
func htmlToLine(s string) string {
	if strings.IndexByte(s, '<') >= 0 {
		s = stripTags(s)
	}
	if strings.IndexByte(s, '&') >= 0 {
		var e scan.Entities
		out, err := e.AppendText(nil, []byte(s))
		if err == nil {
			s = string(out)
		}
	}
	return oneLine(s)
}

// lineTags are the elements that publishers put in titles.
var lineTags = tagSet("a abbr acronym b bdi bdo big blink blockquote br center cite code data del dfn div em font h1 h2 h3 h4 h5 h6 hr " +
	"i img ins kbd li mark nobr ol p pre q rb rp rt ruby s samp small span strike strong sub sup time tt u ul var wbr")

// bodyTags are the elements that show that a text is HTML.
var bodyTags = tagSet("article audio dd details dl dt embed figure figcaption footer header iframe main object picture script section " +
	"source style summary svg table tbody td th thead tr video")

func tagSet(names string) map[string]bool {
	set := map[string]bool{}
	for n := range strings.FieldsSeq(names) {
		set[n] = true
	}
	return set
}

// tagAt returns the name and end of the tag that starts at s[0] == '<', if it is one of those known; else end 0.
func tagAt(s string, known ...map[string]bool) (name string, end int) {
	i := 1
	if i < len(s) && s[i] == '/' {
		i++
	}
	start := i
	for i < len(s) && (s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z' || i > start && s[i] >= '0' && s[i] <= '9') {
		i++
	}
	if i == start || i-start > 12 || i == len(s) {
		return "", 0
	}
	switch s[i] {
	case '>', '/', ' ', '\n', '\t', '\r':
	default:
		return "", 0
	}
	name = strings.ToLower(s[start:i])
	ok := false
	for _, set := range known {
		ok = ok || set[name]
	}
	if !ok {
		return "", 0 // before looking for the end, to stay linear
	}
	n := tagEnd(s[i:])
	if n < 0 {
		return "", 0
	}
	return name, i + n + 1
}

// tagEnd returns the offset of the ">" that ends a tag. One within quotes does not, unless the quotes do not match or
// the tag would be longer than any that makes sense.
func tagEnd(s string) int {
	quote := byte(0)
	for i := 0; i < min(len(s), 4<<10); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '>':
			return i
		case (c == '"' || c == '\'') && i > 0 && s[i-1] == '=':
			quote = c
		}
	}
	return strings.IndexByte(s, '>')
}

func stripTags(s string) string {
	var b strings.Builder
	comments := true
	last := strings.LastIndexByte(s, '>')
	for i := 0; i < len(s); {
		n := strings.IndexByte(s[i:], '<')
		if n < 0 || i+n > last {
			b.WriteString(s[i:])
			break
		}
		b.WriteString(s[i : i+n])
		i += n
		if comments && strings.HasPrefix(s[i:], "<!--") {
			if n := strings.Index(s[i:], "-->"); n >= 0 {
				i += n + 3
				continue
			}
			comments = false
		}
		name, end := tagAt(s[i:], lineTags)
		if end == 0 {
			b.WriteByte('<')
			i++
			continue
		}
		switch name {
		case "br", "p", "div", "li", "hr":
			b.WriteByte(' ')
		}
		i += end
	}
	return b.String()
}

// looksHTML reports whether text that should be plain has tags of HTML in it.
func looksHTML(s string) bool {
	last := strings.LastIndexByte(s, '>')
	for i := 0; ; i++ {
		n := strings.IndexByte(s[i:], '<')
		if n < 0 || i+n > last {
			return false
		}
		i += n
		if _, end := tagAt(s[i:], lineTags, bodyTags); end > 0 {
			return true
		}
	}
}

// plainToHTML makes HTML of plain text.
func plainToHTML(s string) string {
	if !strings.ContainsAny(s, `&<>`) {
		return s
	}
	return plainEscaper.Replace(s)
}

var plainEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
