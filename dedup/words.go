package dedup

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// split splits plain text into lower-case words, at most limit, which words then returns. Digits keep inner ". - : / ,"
// so that versions, dates and identifiers stay whole; scripts without spaces (Han, Kana, Thai, Lao, Khmer, Myanmar) are
// split by character. What does not compose as it stands is composed first (NFC).
func (b *buffers) split(text []byte, limit int) {
	if !b.trySplit(text, limit, false) {
		b.trySplit(norm.NFC.Bytes(text), limit, true)
	}
}

// trySplit is split for text that is NFC already. Where it is not known to be, it gives up, and answers false, at the
// first character that may change.
func (b *buffers) trySplit(text []byte, limit int, composed bool) bool {
	// No letter has a lower-case form that is more than a byte longer, and every word gets a zero byte.
	if need := 2*len(text) + utf8.UTFMax; cap(b.lower) < need {
		b.lower = make([]byte, need)
	}
	out, k := b.lower[:cap(b.lower)], 0
	b.ends = b.ends[:0]
	for i := 0; i < len(text) && len(b.ends) < limit; {
		if c := text[i]; c < utf8.RuneSelf {
			if lowered[c] == 0 {
				i++
				continue
			}
		} else {
			r, n := utf8.DecodeRune(text[i:])
			is := kindOf(r)
			if is&stable == 0 && !composed {
				return false
			}
			if is&inWord == 0 {
				i += n
				continue
			}
			if is&unspaced != 0 {
				k += utf8.EncodeRune(out[k:], toLower(r))
				for i += n; i < len(text); i += n { // its combining marks
					r, n = utf8.DecodeRune(text[i:])
					if is = kindOf(r); is&stable == 0 && !composed {
						return false
					}
					if is&combining == 0 {
						break
					}
					k += utf8.EncodeRune(out[k:], toLower(r))
				}
				out[k] = 0
				b.ends = append(b.ends, k)
				k++
				continue
			}
		}
	word:
		for digits := false; i < len(text); {
			c := text[i]
			if l := lowered[c]; l != 0 {
				out[k] = l
				k++
				i++
				digits = l <= '9'
				continue
			}
			switch {
			case c >= utf8.RuneSelf:
				r, n := utf8.DecodeRune(text[i:])
				is := kindOf(r)
				if is&stable == 0 && !composed {
					return false
				}
				if is&(inWord|unspaced) != inWord {
					break word
				}
				digits = is&number != 0
				k += utf8.EncodeRune(out[k:], toLower(r))
				i += n
			case joins(c) && i+1 < len(text):
				next, _ := utf8.DecodeRune(text[i+1:])
				is := kindOf(next)
				if is&stable == 0 && !composed {
					return false
				}
				if is&(inWord|unspaced) != inWord || c != '\'' && !digits && is&number == 0 {
					break word
				}
				out[k] = c
				k++
				i++
			default:
				break word
			}
		}
		out[k] = 0
		b.ends = append(b.ends, k)
		k++
	}
	b.lower = out
	return true
}

// words returns the words that split found, as parts of one string.
func (b *buffers) words() []string {
	if len(b.ends) == 0 {
		return nil
	}
	s := string(b.lower[:b.ends[len(b.ends)-1]])
	words := make([]string, len(b.ends))
	from := 0
	for i, end := range b.ends {
		words[i] = s[from:end]
		from = end + 1
	}
	return words
}

// end returns how far the first n words, each with its zero byte, reach in lower.
func (b *buffers) end(n int) int {
	if n == 0 {
		return 0
	}
	return b.ends[n-1] + 1
}

// joins reports whether c may stand within a word, between digits or, an apostrophe, between letters.
func joins(c byte) bool {
	switch c {
	case '.', '-', ':', '/', ',', '\'':
		return true
	}
	return false
}
