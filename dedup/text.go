package dedup

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits on what is compared. A text is hashed as a whole for the strict hash; only the comparison of words is bounded.
const (
	maxTextBytes = 60_000 // bytes of HTML that are turned into words
	maxTokens    = 2_000  // words of a text
	maxTitle     = 400    // words of a title

	maxTitleBytes = 8 << 10 // bytes of a title that are turned into words
)

// plain appends the readable text of untrusted HTML to dst: tags become spaces, script and style vanish, entities are
// decoded, typographic quotes, dashes and spaces are folded, zero-width characters vanish. Targets of href and src
// are appended to refs where it is not nil.
func plain(dst []byte, s string, refs *[]string) []byte {
	for i := 0; i < len(s); {
		if j := plainEnd(s, i); j > i {
			dst = append(dst, s[i:j]...)
			i = j
			continue
		}
		switch c := s[i]; {
		case c == '<':
			end := tagEnd(s, i)
			if end < 0 { // no tag: a lone "<"
				dst = append(dst, '<')
				i++
				continue
			}
			tag := s[i:end]
			if refs != nil && len(tag) > 8 && !isPixel(tag) {
				*refs = appendRefs(*refs, tag)
			}
			i = end
			if name := rawTextTag(tag); name != "" {
				i = skipRaw(s, i, name)
			}
			if !inline(tag) {
				dst = append(dst, ' ')
			}
		case c == '&':
			end := strings.IndexByte(s[i:min(len(s), i+40)], ';')
			if end < 0 {
				dst = append(dst, c)
				i++
				continue
			}
			dst = fold(dst, html.UnescapeString(s[i:i+end+1]))
			i += end + 1
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			dst = foldRune(dst, r)
			i += n
		}
	}
	return dst
}

// plainEnd returns the index of the next place from i on that plain may have to change, or len(s): a tag, an entity, a
// character that is folded (all of which are two bytes from C2 or CA on, or three from E2, E3 80 or EF), or bad UTF-8.
func plainEnd(s string, i int) int {
	for i < len(s) {
		for i+8 <= len(s) {
			x := eight(s, i)
			if x&highs|anyEqual(x, '<')|anyEqual(x, '&') != 0 {
				break
			}
			i += 8
		}
		for i < len(s) && s[i] < utf8.RuneSelf {
			if s[i] == '<' || s[i] == '&' {
				return i
			}
			i++
		}
		start := i
		for i+2 < len(s) && s[i] > 0xc2 && s[i+1]&0xc0 == 0x80 {
			if c := s[i]; c < 0xe0 && c != 0xca {
				i += 2
			} else if s[i+2]&0xc0 == 0x80 && (c == 0xe1 || c > 0xe2 && c < 0xed || c == 0xee || c == 0xe0 && s[i+1] >= 0xa0) && (c != 0xe3 || s[i+1] != 0x80) {
				i += 3
			} else {
				break
			}
		}
		if i == start {
			return i
		}
	}
	return i
}

// fold appends s with typographic variants folded.
func fold(dst []byte, s string) []byte {
	for _, r := range s {
		dst = foldRune(dst, r)
	}
	return dst
}

func foldRune(dst []byte, r rune) []byte {
	if r > '\u02bc' && r < '\u2000' || r > '\u3000' && r < '\ufeff' || r < '\u00a0' { // nearly all
		return utf8.AppendRune(dst, r)
	}
	switch r {
	case '\u2018', '\u2019', '\u201a', '\u2032', '\u02bc':
		return append(dst, '\'')
	case '\u201c', '\u201d', '\u201e', '\u2033', '\u00ab', '\u00bb':
		return append(dst, '"')
	case '\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u2015', '\u2212':
		return append(dst, '-')
	case '\u2026':
		return append(dst, "..."...)
	case '\u00a0', '\u2000', '\u2001', '\u2002', '\u2003', '\u2004', '\u2005', '\u2006', '\u2007', '\u2008', '\u2009', '\u200a', '\u202f', '\u205f', '\u3000':
		return append(dst, ' ')
	case '\u200b', '\u200c', '\u200d', '\u200e', '\u200f', '\u2060', '\ufeff', '\u00ad', '\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069':
		return dst // zero width, soft hyphen, direction marks: invisible
	}
	return utf8.AppendRune(dst, r)
}

// tagEnd returns the index behind the tag or comment that starts at s[i], or -1 where "<" starts none.
func tagEnd(s string, i int) int {
	if i+1 >= len(s) {
		return -1
	}
	if strings.HasPrefix(s[i:], "<!--") {
		if k := strings.Index(s[i+4:], "-->"); k >= 0 {
			return i + 4 + k + 3
		}
		return len(s)
	}
	if c := s[i+1]; !(c == '/' || c == '!' || c == '?' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
		return -1
	}
	if k := strings.IndexByte(s[i:], '>'); k >= 0 {
		return i + k + 1
	}
	return -1
}

// rawTextTag returns "script" or "style" if tag opens such an element.
func rawTextTag(tag string) string {
	for _, n := range [...]string{"script", "style"} {
		if len(tag) > len(n)+1 && strings.EqualFold(tag[1:1+len(n)], n) && !isNameByte(tag[1+len(n)]) && !strings.HasSuffix(tag, "/>") {
			return n
		}
	}
	return ""
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == ':'
}

func skipRaw(s string, i int, name string) int {
	for j := i; ; {
		k := strings.Index(s[j:], "</")
		if k < 0 {
			return i // never closed: it hides nothing
		}
		j += k
		if len(s) >= j+2+len(name) && strings.EqualFold(s[j+2:j+2+len(name)], name) {
			if e := strings.IndexByte(s[j:], '>'); e >= 0 {
				return j + e + 1
			}
			return len(s)
		}
		j += 2
	}
}

// inline reports whether a tag does not separate words: <b>bold</b>ly.
func inline(tag string) bool {
	n := strings.TrimLeft(tag, "</")
	k := 0
	for k < len(n) && isNameByte(n[k]) {
		k++
	}
	switch n[:k] {
	case "a", "b", "i", "em", "strong", "span", "u", "s", "sup", "sub", "small", "font", "mark", "abbr", "wbr":
		return true
	}
	return false
}

// appendRefs appends the values of href and src in tag, without fragment and query.
func appendRefs(dst []string, tag string) []string {
	for _, name := range [...]string{"href", "src"} {
		for j := 0; ; {
			k := strings.Index(tag[j:], name)
			if k < 0 {
				break
			}
			j += k + len(name)
			rest := strings.TrimLeft(tag[j:], " \t\r\n")
			if rest == "" || rest[0] != '=' {
				continue
			}
			rest = strings.TrimLeft(rest[1:], " \t\r\n")
			if rest == "" {
				break
			}
			var v string
			if q := rest[0]; q == '"' || q == '\'' {
				e := strings.IndexByte(rest[1:], q)
				if e < 0 {
					break
				}
				v = rest[1 : 1+e]
			} else {
				e := strings.IndexAny(rest, " \t\r\n>")
				if e < 0 {
					break
				}
				v = rest[:e]
			}
			if c := strings.IndexAny(v, "?#"); c >= 0 {
				v = v[:c]
			}
			if c := strings.Index(v, "://"); c >= 0 {
				v = v[c+3:]
			}
			if v != "" {
				dst = append(dst, v)
			}
		}
	}
	return dst
}

// isPixel reports whether tag is an image of one pixel, as counters are.
func isPixel(tag string) bool {
	if len(tag) < 4 || !strings.EqualFold(tag[:4], "<img") {
		return false
	}
	for _, a := range [...]string{`width="1"`, `height="1"`, `width='1'`, `height='1'`, `width=1 `, `height=1 `, `width="0"`, `height="0"`} {
		if strings.Contains(tag, a) {
			return true
		}
	}
	return false
}

func hasDigit(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= '0' && s[i] <= '9' {
			return true
		}
		if s[i] >= utf8.RuneSelf {
			return strings.IndexFunc(s[i:], unicode.IsDigit) >= 0
		}
	}
	return false
}
