package scan

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// utf8Stats is how much of some bytes is UTF-8.
type utf8Stats struct {
	multi   int // valid sequences of two bytes and more
	long    int // of them, of three and more
	invalid int // bytes that belong to no valid sequence
}

// proves reports whether so much valid UTF-8 cannot be another multi-byte encoding by accident.
func (s utf8Stats) proves() bool { return s.invalid == 0 && (s.long >= 2 || s.multi >= 6) }

func examine(b []byte) utf8Stats {
	var s utf8Stats
	for len(b) > 0 {
		b = b[ascii(b):]
		for len(b) > 0 && b[0] >= utf8.RuneSelf {
			r, n := utf8.DecodeRune(b)
			switch {
			case r == utf8.RuneError && n == 1:
				s.invalid++
			default:
				s.multi++
				if n > 2 {
					s.long++
				}
			}
			b = b[n:]
		}
	}
	return s
}

// ascii returns the length of the ASCII prefix of b.
func ascii(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		if binary.LittleEndian.Uint64(b[i:])&0x8080808080808080 != 0 {
			break
		}
	}
	for i < len(b) && b[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// clean removes control characters and the code points that are no characters. C1 controls are windows-1252
// mislabelled as ISO 8859-1, and become what was meant (as browsers do for numeric references).
// b is returned itself when there is nothing to do.
func clean(b []byte) []byte {
	if !utf8.Valid(b) {
		b = bytes.ToValidUTF8(b, []byte("\uFFFD"))
	}
	first := firstUnclean(b)
	if first < 0 {
		return b
	}
	out := append(make([]byte, 0, len(b)), b[:first]...)
	for i := first; i < len(b); {
		c := b[i]
		if c < utf8.RuneSelf {
			if !control(c) {
				out = append(out, c)
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		out = appendRune(out, r)
		i += n
	}
	return out
}

func control(c byte) bool { return c < 0x20 && c != '\t' && c != '\n' && c != '\r' }

// appendRune appends a character, or what stands for it, or nothing for what is no character.
func appendRune(dst []byte, r rune) []byte {
	switch {
	case r < 0x20 && r != '\t' && r != '\n' && r != '\r', r&0xFFFE == 0xFFFE, r >= 0xFDD0 && r <= 0xFDEF:
		return dst
	case r >= 0x80 && r <= 0x9F:
		if r = windows1252[r-0x80]; r == 0 {
			return dst
		}
	}
	return utf8.AppendRune(dst, r)
}

// firstUnclean returns the offset of the first byte that clean would change, or -1.
func firstUnclean(b []byte) int {
	first := len(b)
	i := 0
	for i < first {
		// Eight bytes at a time: is one of them below 0x20? (Bytes above 0x7F never are.)
		if i+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[i:])
			if (w-0x2020202020202020)&^w&0x8080808080808080 == 0 {
				i += 8
				continue
			}
		}
		end := min(i+8, len(b))
		for ; i < end; i++ {
			if control(b[i]) {
				first = i
				break
			}
		}
	}
	for i = 0; i < first; {
		j := bytes.IndexByte(b[i:first], 0xC2)
		if j < 0 {
			break
		}
		if i += j; i+1 < len(b) && b[i+1] < 0xA0 {
			first = i
			break
		}
		i += 2
	}
	for i = 0; i < first; {
		j := bytes.IndexByte(b[i:first], 0xEF)
		if j < 0 {
			break
		}
		i += j
		if r, _ := utf8.DecodeRune(b[i:]); r >= 0xFFFE || r >= 0xFDD0 && r <= 0xFDEF {
			first = i
			break
		}
		i += 3
	}
	if first == len(b) {
		return -1
	}
	return first
}

// windows1252 is what the code points U+0080 to U+009F mean on the web (WHATWG Encoding, index windows-1252);
// 0 where that encoding has nothing.
var windows1252 = [32]rune{
	0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
	0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
}
