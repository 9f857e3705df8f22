package prose

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
)

func writer(code string, seed uint64) *Writer { return NewWriter(code, rand.New(rand.NewPCG(seed, 1))) }

func TestNothingIsSaidTwice(t *testing.T) {
	for _, code := range Languages() {
		w := writer(code, 1)
		heads, sentences := map[string]bool{}, map[string]bool{}
		for i := range 3000 {
			h, s := w.Headline(), w.Sentence()
			if heads[h] || sentences[s] {
				t.Fatalf("%s: after %d texts, said again: %q or %q", code, i, h, s)
			}
			heads[h], sentences[s] = true, true
		}
	}
}

func TestSameSeedSameText(t *testing.T) {
	for _, code := range Languages() {
		a, b := writer(code, 7), writer(code, 7)
		for range 50 {
			if x, y := a.Paragraph(), b.Paragraph(); x != y {
				t.Fatalf("%s: seed 7 wrote both %q and %q", code, x, y)
			}
		}
		if x, y := writer(code, 7).Paragraph(), writer(code, 8).Paragraph(); x == y {
			t.Errorf("%s: seeds 7 and 8 both wrote %q", code, x)
		}
	}
}

// TestScripts makes sure that a language is written in its own script, and that no markup or slot gets into a text.
func TestScripts(t *testing.T) {
	script := map[string]*unicode.RangeTable{
		"en": unicode.Latin, "de": unicode.Latin, "ru": unicode.Cyrillic, "el": unicode.Greek, "ar": unicode.Arabic,
		"zh": unicode.Han, "ja": unicode.Hiragana, "ko": unicode.Hangul, "hi": unicode.Devanagari,
	}
	for _, code := range Languages() {
		w := writer(code, 3)
		for range 200 {
			p := w.Paragraph()
			if !strings.ContainsFunc(p, func(r rune) bool { return unicode.Is(script[code], r) }) {
				t.Errorf("%s: none of its script in %q", code, p)
			}
			if strings.ContainsAny(p, "{}<>&\n") {
				t.Errorf("%s: slot, markup or line break in %q", code, p)
			}
		}
	}
}

func TestLengths(t *testing.T) {
	for _, code := range Languages() {
		w := writer(code, 5)
		for range 300 {
			n := len(strings.Fields(w.Paragraph()))
			if !w.Spaced() {
				n = len([]rune(w.Paragraph())) / 2
			}
			if n < 10 || n > 80 {
				t.Errorf("%s: a paragraph of %d words", code, n)
			}
		}
		if n := len(strings.Fields(w.Remark(10))); w.Spaced() && n != 10 {
			t.Errorf("%s: Remark(10) has %d words", code, n)
		}
	}
}

func TestTypoChangesOneWord(t *testing.T) {
	for _, code := range Languages() {
		w := writer(code, 9)
		for range 100 {
			p := w.Paragraph()
			q := w.Typo(p)
			if p == q {
				t.Errorf("%s: no typo in %q", code, p)
				continue
			}
			split := func(s string) []string { return strings.Split(s, " ") }
			if !w.Spaced() {
				split = func(s string) []string { return strings.Split(s, "") }
			}
			a, b := split(p), split(q)
			differ := 0
			for i := range a {
				if a[i] != b[i] {
					differ++
				}
			}
			if len(a) != len(b) || differ != 1 {
				t.Errorf("%s: %d words of %q differ in %q", code, differ, p, q)
			}
		}
	}
}
