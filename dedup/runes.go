package dedup

import (
	"sync/atomic"
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

// lowered is the lower case of an ASCII letter, digit or underscore; 0 for other bytes.
var lowered = func() (t [256]byte) {
	for c := range rune(utf8.RuneSelf) {
		if searchKind(c)&inWord != 0 {
			t[c] = byte(unicode.ToLower(c))
		}
	}
	return t
}()

// A page holds what the Unicode tables, in which a search takes long, say of 256 characters.
type page struct {
	kinds [256]kind
	lower [256]rune
}

// pages are filled as they are needed; a text takes few. A page that two goroutines fill at once is the same.
var pages [(unicode.MaxRune + 1) / 256]atomic.Pointer[page]

func pageOf(r rune) *page {
	p := pages[r>>8].Load()
	if p == nil {
		p = new(page)
		for i := range p.kinds {
			c := r&^0xff + rune(i)
			p.kinds[i], p.lower[i] = searchKind(c), unicode.ToLower(c)
		}
		pages[r>>8].Store(p)
	}
	return p
}

func kindOf(r rune) kind { return pageOf(r).kinds[r&0xff] }

func toLower(r rune) rune { return pageOf(r).lower[r&0xff] }

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
