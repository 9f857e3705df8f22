package scan

import (
	"bytes"
	"html"
	"unicode/utf8"
)

// Entities decodes character and entity references: those of XML, all of HTML, numeric ones with what browsers make of
// them, and those the document declares. The zero value knows no declared ones and sets no limit on their use.
type Entities struct {
	declared map[string]string
	html     map[string]string // looked up before
	limit    int               // bytes left to expand
}

// maxReference is the longest name of an entity HTML knows, and then some.
const maxReference = 40

// AppendText appends raw character data with its references decoded and its line ends normalised (XML 1.0, 2.11).
// What is no known reference stays as it is. The only error is a *LimitError without line, for declared entities that
// expand to too much; Tokenizer.AppendText adds the line.
func (e *Entities) AppendText(dst, raw []byte) ([]byte, error) {
	for {
		i := bytes.IndexByte(raw, '&')
		if i < 0 {
			return AppendLiteral(dst, raw), nil
		}
		dst = AppendLiteral(dst, raw[:i])
		raw = raw[i:]
		var n int
		var err error
		if dst, n, err = e.reference(dst, raw); err != nil {
			return dst, err
		}
		if n == 0 {
			dst = append(dst, '&')
			n = 1
		}
		raw = raw[n:]
	}
}

// AppendLiteral appends raw characters in which nothing is a reference (CDATA), with their line ends normalised.
func AppendLiteral(dst, raw []byte) []byte {
	for {
		i := bytes.IndexByte(raw, '\r')
		if i < 0 {
			return append(dst, raw...)
		}
		dst = append(append(dst, raw[:i]...), '\n')
		if raw = raw[i+1:]; len(raw) > 0 && raw[0] == '\n' {
			raw = raw[1:]
		}
	}
}

// reference decodes the reference at the start of raw, and returns how long it is; 0 if it is none.
func (e *Entities) reference(dst, raw []byte) ([]byte, int, error) {
	if len(raw) > 2 && raw[1] == '#' {
		dst, n := numeric(dst, raw)
		return dst, n, nil
	}
	end := bytes.IndexByte(raw[:min(len(raw), maxReference)], ';')
	if end < 2 {
		return dst, 0, nil
	}
	name := raw[1:end]
	switch string(name) {
	case "amp":
		return append(dst, '&'), end + 1, nil
	case "lt":
		return append(dst, '<'), end + 1, nil
	case "gt":
		return append(dst, '>'), end + 1, nil
	case "quot":
		return append(dst, '"'), end + 1, nil
	case "apos":
		return append(dst, '\''), end + 1, nil
	}
	if v, ok := e.declared[string(name)]; ok {
		if e.limit -= len(v); e.limit < 0 {
			return dst, 0, &LimitError{What: "bytes from declared entities", Limit: DefaultLimits.Expansion}
		}
		return append(dst, v...), end + 1, nil
	}
	if v := e.htmlEntity(name); v != "" {
		return append(dst, v...), end + 1, nil
	}
	return dst, 0, nil
}

// htmlEntity returns the characters of one of HTML's 2,125 entities, or "".
func (e *Entities) htmlEntity(name []byte) string {
	for _, c := range name {
		if c < '0' || c > '9' && c < 'A' || c > 'Z' && c < 'a' || c > 'z' {
			return ""
		}
	}
	if v, ok := e.html[string(name)]; ok {
		return v
	}
	ref := "&" + string(name) + ";"
	v := html.UnescapeString(ref)
	// UnescapeString also takes the longest known prefix ("&notit;" for "&not;it;"), which is no reference here.
	if v == ref || len(v) > 1 && v[len(v)-1] == ';' {
		v = ""
	}
	if e.html == nil {
		e.html = map[string]string{}
	}
	if len(e.html) < 512 {
		e.html[string(name)] = v
	}
	return v
}

// numeric decodes "&#8217;" and "&#x2019;"; the semicolon may be missing, as in HTML.
func numeric(dst, raw []byte) ([]byte, int) {
	i, base := 2, rune(10)
	if raw[i] == 'x' || raw[i] == 'X' {
		i, base = 3, 16
	}
	start, r := i, rune(0)
	for ; i < len(raw); i++ {
		d := rune(99)
		switch c := raw[i]; {
		case c >= '0' && c <= '9':
			d = rune(c - '0')
		case c >= 'a' && c <= 'f':
			d = rune(c-'a') + 10
		case c >= 'A' && c <= 'F':
			d = rune(c-'A') + 10
		}
		if d >= base {
			break
		}
		if r = r*base + d; r > utf8.MaxRune {
			r = utf8.MaxRune + 1
		}
	}
	if i == start {
		return dst, 0
	}
	if i < len(raw) && raw[i] == ';' {
		i++
	}
	if r > utf8.MaxRune || r >= 0xD800 && r <= 0xDFFF {
		r = utf8.RuneError
	}
	return appendRune(dst, r), i
}
