package query

import (
	"iter"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Version counts up when Tokens changes: what was cut by another one must be cut again.
const Version = 1

// maxWord is how many bytes of a word count.
const maxWord = 128

// A Token is a word in a text.
type Token struct {
	Word       string // letters, marks and digits, in the form in which words are compared
	Start, End int    // the bytes of the text it was made of
}

// Tokens returns the words of a plain text, in their order. Words are in Unicode's compatibility form (NFKC), of one case
// (full case folding), without accents, and without the points of Hebrew and Arabic. Each character of a script that is
// written without spaces (Han, Kana, Hangul, Thai, Lao, Khmer, Burmese) is a word. Any text will do, in linear time.
func Tokens(text string) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		n := normalizer{fold: cases.Fold()}
		for i := 0; i < len(text); {
			r, size := utf8.DecodeRuneInString(text[i:])
			if !inWord(r) {
				i += size
				continue
			}
			start := i
			if spaceless(r) {
				if plain(r) {
					if next, _ := utf8.DecodeRuneInString(text[i+size:]); plain(next) || next < 0x300 {
						i += size
						if !yield(Token{text[start:i], start, i}) {
							return
						}
						continue
					}
				}
				i += character(text[i:])
			} else {
				for i < len(text) {
					r, size := utf8.DecodeRuneInString(text[i:])
					if !inWord(r) && !goesOn(r) || spaceless(r) {
						break
					}
					i += size
				}
			}
			for _, word := range n.words(text[start:i]) {
				if !yield(Token{word, start, i}) {
					return
				}
			}
		}
	}
}

// Words returns what Tokens makes of texts, which no phrase goes across: Gap stands between them.
func Words(texts ...string) []string {
	var words []string
	for i, text := range texts {
		if i > 0 {
			words = append(words, Gap)
		}
		for t := range Tokens(text) {
			words = append(words, t.Word)
		}
	}
	return words
}

// Gap stands where a phrase ends. No query has it.
const Gap = "_"

// inWord reports whether a character makes a word.
func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return plain(r) || unicode.IsLetter(r) || unicode.IsNumber(r)
}

// goesOn reports whether a character may stand in a word, but makes none: accents, soft hyphens, joiners.
func goesOn(r rune) bool {
	return r >= utf8.RuneSelf && (unicode.IsMark(r) || unicode.Is(unicode.Cf, r) && r != zeroWidthSpace)
}

const zeroWidthSpace = '\u200b' // is a space

// spaceless reports whether a character is of a script that is written without spaces between words, or, as Korean,
// with particles that are written to the word.
func spaceless(r rune) bool {
	if r < 0x0E00 {
		return false
	}
	return plain(r) || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) ||
		r == 'ー' || r == 'ｰ' // of both Kana
}

// Pairs reports whether two words that stand one after the other are characters of a script without spaces: a database that is
// slow to find phrases may keep such pairs as words of their own, which no other word is equal to.
func Pairs(a, b string) bool {
	r, _ := utf8.DecodeRuneInString(a)
	s, _ := utf8.DecodeRuneInString(b)
	return spaceless(r) && spaceless(s)
}

// plain reports whether a character is one of the usual ones of Chinese, Japanese or Korean, which is a word as it stands
// unless something belongs to it.
func plain(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3041 && r <= 0x3096 || r >= 0x30A1 && r <= 0x30FA || r >= 0xAC00 && r <= 0xD7A3
}

// character returns the length of the first character with what belongs to it: marks, the rest of a decomposed syllable.
// Of marks without end as many are taken as a person could mean.
func character(text string) int {
	const most = 64
	bound := text[:min(len(text), most)]
	n := norm.NFKC.NextBoundaryInString(bound, true)
	if n <= 0 {
		_, n = utf8.DecodeRuneInString(text)
	}
	for n < len(bound) {
		r, size := utf8.DecodeRuneInString(bound[n:])
		if !goesOn(r) && r != 'ำ' && r != 'ຳ' { // these are a mark and a letter, in the compatibility form
			break
		}
		n += size
	}
	// Do not end within a character where the bound does.
	for n < len(text) && !utf8.RuneStart(text[n]) {
		n++
	}
	return n
}

// A normalizer is for one goroutine.
type normalizer struct {
	fold cases.Caser
	one  [1]string
}

// words returns the words of a text without spaces: one as a rule, which is the normalizer's until the next call; none
// where nothing is left, several where the compatibility form has something between them.
func (n *normalizer) words(text string) []string {
	ascii := true
	for i := 0; i < len(text) && ascii; i++ {
		ascii = text[i] < utf8.RuneSelf
	}
	if ascii {
		n.one[0] = cut(strings.ToLower(text))
		return n.one[:]
	}
	if word, ok := byLetter(text); ok {
		n.one[0] = cut(word)
		return n.one[:]
	}
	return split(form(n.fold, text))
}

// form returns the form in which texts are compared.
func form(fold cases.Caser, text string) string {
	text = norm.NFD.String(fold.String(norm.NFKC.String(text)))
	return norm.NFKC.String(strings.Map(keep, text))
}

// letters are the forms of Latin, Greek and Cyrillic letters, which stand for themselves whatever is around them; "" are
// others.
var letters = sync.OnceValue(func() *[0x530]string {
	var forms [0x530]string
	fold := cases.Fold()
	for r := range rune(len(forms)) {
		f := form(fold, string(r))
		if inWord(r) && strings.IndexFunc(f, func(r rune) bool { return !inWord(r) }) < 0 {
			forms[r] = f
		}
	}
	return &forms
})

// byLetter returns the form of a word, if it has no other letters.
func byLetter(text string) (string, bool) {
	forms := letters()
	b := make([]byte, 0, 64)
	for _, r := range text {
		if int(r) >= len(forms) || forms[r] == "" {
			return "", false
		}
		b = append(b, forms[r]...)
	}
	return string(b), true
}

// split returns the words of a text in the form in which texts are compared.
func split(text string) []string {
	var words []string
	start := -1
	end := func(at int) {
		if start >= 0 {
			words = append(words, cut(text[start:at]))
		}
		start = -1
	}
	for i, r := range text {
		switch {
		case spaceless(r):
			if !unicode.IsMark(r) || start < 0 {
				end(i)
				start = i
			}
		case !inWord(r) && !unicode.IsMark(r):
			end(i)
		case start < 0:
			start = i
		default:
			if first, _ := utf8.DecodeRuneInString(text[start:]); spaceless(first) && !unicode.IsMark(r) {
				end(i)
				start = i
			}
		}
	}
	end(len(text))
	return words
}

// keep drops what people leave out when they type: accents of Latin, Greek and Cyrillic letters, the points of Hebrew and
// Arabic, and what cannot be seen. The marks of other scripts are letters.
func keep(r rune) rune {
	switch {
	case r < 0x300:
		if r == 0xAD { // soft hyphen
			return -1
		}
	case r <= 0x36F, // combining diacritical marks
		r >= 0x591 && r <= 0x5C7, // Hebrew points
		r >= 0x610 && r <= 0x61A, // Arabic signs
		r >= 0x64B && r <= 0x65F, // Arabic points
		r == 0x640, r == 0x670,   // Arabic tatweel, superscript alef
		r >= 0x6D6 && r <= 0x6ED && unicode.Is(unicode.Mn, r), // Koranic signs
		r >= 0xFE00 && r <= 0xFE0F,                            // variation selectors
		unicode.Is(unicode.Cf, r):
		return -1
	}
	return r
}

// cut cuts a word to what counts of it.
func cut(word string) string {
	if len(word) <= maxWord {
		return word
	}
	n := maxWord
	for !utf8.RuneStart(word[n]) {
		n--
	}
	return word[:n]
}
