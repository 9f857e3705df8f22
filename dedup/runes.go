package dedup

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A kind says what a character is in a text.
type kind uint8

const (
	inWord    kind = 1 << iota // a letter, digit, combining mark or underscore
	number                     // a decimal digit
	combining                  // a combining mark
	unspaced                   // of a script that does not put spaces between words
	stable                     // NFC leaves it as it is, whatever stands beside it
)

// The characters of the scripts below U+0700 (Latin, Greek, Cyrillic, Hebrew, Arabic) are looked up, as are the large
// blocks of Han, Kana and Hangul; for others the Unicode tables are searched.
var (
	lowKinds [0x700]kind
	lowLower [0x700]rune
	lowered  [256]byte // the lower case of an ASCII letter, digit or underscore; 0 for other bytes
)

func init() {
	for r := range rune(len(lowKinds)) {
		lowKinds[r], lowLower[r] = searchKind(r), unicode.ToLower(r)
		if r < utf8.RuneSelf && lowKinds[r]&inWord != 0 {
			lowered[r] = byte(lowLower[r])
		}
	}
}

func kindOf(r rune) kind {
	switch {
	case r < rune(len(lowKinds)):
		return lowKinds[r]
	case r >= 0x4e00 && r <= 0x9fff, r >= 0x3041 && r <= 0x3096, r >= 0x30a1 && r <= 0x30fa:
		return inWord | unspaced | stable
	case r >= 0xac00 && r <= 0xd7a3:
		return inWord | stable
	}
	return searchKind(r)
}

func searchKind(r rune) (k kind) {
	switch {
	case unicode.IsLetter(r), r == '_':
		k = inWord
	case unicode.IsDigit(r):
		k = inWord | number
	case unicode.Is(unicode.M, r):
		k = inWord | combining
	}
	if k != 0 && r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
		k |= unspaced
	}
	var room [utf8.UTFMax]byte
	b := utf8.AppendRune(room[:0], r)
	if p := norm.NFC.Properties(b); p.BoundaryBefore() && (p.Decomposition() == nil || norm.NFC.IsNormal(b)) {
		k |= stable
	}
	return k
}

func toLower(r rune) rune {
	switch {
	case r < rune(len(lowLower)):
		return lowLower[r]
	case r >= 0x2e80 && r <= 0xa63f, r >= 0xac00 && r <= 0xd7a3:
		return r
	}
	return unicode.ToLower(r)
}
