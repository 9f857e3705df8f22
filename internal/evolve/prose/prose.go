// Package prose writes text that was never written before: sentences, paragraphs and headlines in several scripts,
// deterministic from a seed.
//
// The simulator needs articles that differ as real articles differ. Texts copied from elsewhere would run out, and
// repeat; texts of random letters share no words at all, which no two real articles do. So a small grammar for each
// language combines a vocabulary with invented names, and a Writer never repeats a headline or a sentence. What it
// says is nonsense; how its words are distributed is near enough: common words everywhere, names that matter in few.
package prose

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Writer writes in one language and never says the same thing twice. It is not safe for concurrent use.
type Writer struct {
	lang *language
	rng  *rand.Rand
	said map[string]bool
	buf  []byte
}

// Languages are the codes that NewWriter knows, English first.
func Languages() []string {
	codes := make([]string, len(languages))
	for i := range languages {
		codes[i] = languages[i].code
	}
	return codes
}

// NewWriter returns a writer of the language with this code, which must be one of Languages.
func NewWriter(code string, rng *rand.Rand) *Writer {
	for i := range languages {
		if languages[i].code == code {
			return &Writer{lang: &languages[i], rng: rng, said: map[string]bool{}}
		}
	}
	panic("prose: no language " + code)
}

// Lang is the code of the language it writes.
func (w *Writer) Lang() string { return w.lang.code }

// Spaced reports whether the language puts spaces between words.
func (w *Writer) Spaced() bool { return !w.lang.unspaced }

// Sentence returns a sentence of some 8 to 20 words, never one it returned before.
func (w *Writer) Sentence() string {
	return w.fresh(func() string { return upperFirst(w.fill(w.pick(w.lang.sentences))) + w.lang.stop })
}

// Paragraph returns two or three sentences.
func (w *Writer) Paragraph() string {
	sep := " "
	if w.lang.unspaced {
		sep = ""
	}
	s := w.Sentence()
	for range 1 + w.rng.IntN(2) {
		s += sep + w.Sentence()
	}
	return s
}

// Paragraphs returns n paragraphs.
func (w *Writer) Paragraphs(n int) []string {
	ps := make([]string, n)
	for i := range ps {
		ps[i] = w.Paragraph()
	}
	return ps
}

// Headline returns a headline of some 4 to 8 words, never one it returned before.
func (w *Writer) Headline() string {
	return w.fresh(func() string { return upperFirst(w.fill(w.pick(w.lang.headlines))) })
}

// Remark returns about n words, n at most 25, never the same before: what people write when they have little to say.
func (w *Writer) Remark(n int) string {
	return w.fresh(func() string { return w.Cut(w.Sentence()+" "+w.Sentence()+" "+w.Sentence(), n) })
}

// Name returns an invented name of a person, place or thing, one it did not return before.
func (w *Writer) Name() string { return w.fresh(w.name) }

// Phrase returns what the language says for one of the fixed things publishers add: "update", "updated",
// "correction", "footer".
func (w *Writer) Phrase(key string) string { return w.lang.phrases[key] }

// Cut returns the first n words of s. Where words have no spaces between them, two characters count as a word.
func (w *Writer) Cut(s string, n int) string {
	if !w.lang.unspaced {
		words := strings.Fields(s)
		return strings.Join(words[:min(n, len(words))], " ")
	}
	runes := []rune(s)
	return string(runes[:min(2*n, len(runes))])
}

// Typo returns s with one word misspelt: two neighbouring letters changed places, or, where a character is a
// syllable or a word, one became another. Words with digits are left alone. It returns s where nothing can be misspelt.
func (w *Writer) Typo(s string) string {
	if w.lang.unspaced {
		runes := []rune(s)
		for range 40 {
			i := w.rng.IntN(len(runes))
			with, _ := utf8.DecodeRuneInString(w.pick(w.lang.syllables))
			if unicode.IsLetter(runes[i]) && runes[i] != with {
				runes[i] = with
				return string(runes)
			}
		}
		return s
	}
	words := strings.Split(s, " ")
	for range 60 {
		k := w.rng.IntN(len(words))
		runes := []rune(words[k])
		if len(runes) < w.lang.typoLetters || strings.ContainsFunc(words[k], unicode.IsDigit) {
			continue
		}
		i := 1 + w.rng.IntN(len(runes)-2)
		if !spoken(runes[i]) || !spoken(runes[i+1]) || runes[i] == runes[i+1] {
			continue
		}
		runes[i], runes[i+1] = runes[i+1], runes[i]
		words[k] = string(runes)
		return strings.Join(words, " ")
	}
	return s
}

// fresh calls write until it says something new.
func (w *Writer) fresh(write func() string) string {
	for range 1000 {
		if s := write(); !w.said[s] {
			w.said[s] = true
			return s
		}
	}
	panic("prose: vocabulary of " + w.lang.code + " exhausted")
}

func (w *Writer) pick(from []string) string { return from[w.rng.IntN(len(from))] }

// fill replaces the slots of a pattern: {n} noun, {a} adjective, {v} verb, {t} time, {p} {w} {o} invented names of a
// place, a person, an organisation, {#} a number.
func (w *Writer) fill(pattern string) string {
	b := w.buf[:0]
	for i := 0; i < len(pattern); i++ {
		if pattern[i] != '{' {
			b = append(b, pattern[i])
			continue
		}
		switch pattern[i+1] {
		case 'n':
			b = append(b, w.pick(w.lang.nouns)...)
		case 'a':
			b = append(b, w.pick(w.lang.adjectives)...)
		case 'v':
			b = append(b, w.pick(w.lang.verbs)...)
		case 't':
			b = append(b, w.pick(w.lang.times)...)
		case 'p', 'o':
			b = append(b, w.name()...)
		case 'w':
			b = append(b, w.name()...)
			if !w.lang.unspaced {
				b = append(b, ' ')
				b = append(b, w.name()...)
			}
		case '#':
			b = strconv.AppendInt(b, int64(2+w.rng.IntN(997)), 10)
		default:
			panic("prose: slot in " + pattern)
		}
		i += 2
	}
	w.buf = b
	return string(b)
}

func (w *Writer) name() string {
	s := w.pick(w.lang.syllables) + w.pick(w.lang.syllables)
	if w.rng.IntN(2) == 0 {
		s += w.pick(w.lang.syllables)
	}
	return upperFirst(s)
}

// spoken reports whether r belongs to a word: a letter, or a vowel sign written on one.
func spoken(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) }

func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if u := unicode.ToUpper(r); u != r {
		return string(u) + s[n:]
	}
	return s
}
