package query

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/cases"
)

func TestParse(t *testing.T) {
	word := func(words ...string) Term { return Term{Words: words} }
	not := func(words ...string) Term { return Term{Words: words, Not: true} }
	prefix := func(words ...string) Term { return Term{Words: words, Prefix: true} }
	for _, test := range []struct {
		text string
		want []Term
	}{
		{"", nil},
		{"One two", []Term{word("one"), word("two")}},
		{`"One two" three`, []Term{word("one", "two"), word("three")}},
		{`one"two three"four`, []Term{word("one"), word("two", "three"), word("four")}},
		{`"one two`, []Term{word("one", "two")}},
		{`„eins zwei“ «un deux» “a b”`, []Term{word("eins", "zwei"), word("un", "deux"), word("a", "b")}},
		{`-one -"two three" - four --five`, []Term{not("one"), not("two", "three"), word("four"), not("five")}},
		{"one* t* 大* \"two three\"* \"two three*\" *four five**", []Term{prefix("one"), word("t"), word("大"), prefix("two", "three"), word("four"), prefix("five")}},
		{"e-mail don't C++ +x", []Term{word("e", "mail"), word("don", "t"), word("c"), word("x")}},
		{"one ONE öne", []Term{word("one")}},
		{"one -one one*", []Term{word("one"), not("one"), prefix("one")}},
		{"東京 大雨x", []Term{word("東", "京"), word("大", "雨", "x")}},
		{"\x00 ! \xff \"\" \"!\" * -", nil},
		{"a\x00b", []Term{word("a", "b")}},
	} {
		if diff := cmp.Diff(test.want, Parse(test.text).Terms); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.text, diff)
		}
	}
	if n := len(Parse(strings.Repeat("a b c ", 10) + numbered(1000)).Terms); n != maxWords {
		t.Errorf("%d terms of a thousand words", n)
	}
	if words := Parse(strings.Repeat("大", 1000)).Terms[0].Words; len(words) != maxWords {
		t.Errorf("a phrase of %d words", len(words))
	}
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + " ")
	}
	return b.String()
}

func TestWords(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"Hello, World! 42", "hello world 42"},
		{"ÀÉÎõü ñ Åse ǅ", "aeiou n ase dz"},
		{"STRASSE Straße", "strasse strasse"},
		{"ΣΊΣΥΦΟΣ σίσυφος", "σισυφοσ σισυφοσ"},
		{"Ёлка йод", "елка иод"},
		{"İstanbul", "istanbul"},
		{"ﬁn ﬀ Ⅷ ２０２６ ① ½ x²", "fin ff viii 2026 1 1 2 x2"},
		{"so\u00adft zero\u200bwidth joi\u200dner", "soft zero width joiner"},
		{"don’t don't", "don t don t"},
		{"東京です", "東 京 で す"},
		{"がガｶﾞカ\u3099", "が ガ ガ ガ"},
		{"サーバー", "サ ー バ ー"},
		{"한국어 \u1112\u1161\u11ab", "한 국 어 한"},
		{"Go言語1.26", "go 言 語 1 26"},
		{"हिन्दी में", "हिन्दी में"},
		{"مُحَمَّد مـحمد", "محمد محمد"},
		{"שָׁלוֹם", "שלום"},
		{"ไทย กำ", "ไ ท ย กํ า"},
		{"👍🏽 — … \u0301", ""},
		{"a\xffb \x00", "a b"},
		{"_x_y", "x y"},
	} {
		if got := strings.Join(Words(test.text), " "); got != test.want {
			t.Errorf("%q: %q (%+q), not %q", test.text, got, got, test.want)
		}
	}
	if diff := cmp.Diff([]string{"a", Gap, Gap, "b"}, Words("A", "", "b")); diff != "" {
		t.Error(diff)
	}
	long := Words(strings.Repeat("é", 500) + " " + strings.Repeat("大", 3))
	if len(long) != 4 || long[0] != strings.Repeat("e", maxWord) {
		t.Errorf("a long word: %q", long)
	}
}

func TestMark(t *testing.T) {
	for _, test := range []struct{ query, text, want string }{
		{"fox", "The Fox, a fox.", "The [Fox], a [fox]."},
		{`"the fox" fox`, "The fox", "[The fox]"},
		{`"a b" "b c"`, "a b c d", "[a b][ c] d"},
		{"fo* -bar", "foo bar Fön", "[foo] bar [Fön]"},
		{"大雨", "記録的な大雨だ", "記録的な[大雨]だ"},
		{"fin", "ﬁn", "[ﬁn]"},
		{"-fox", "fox", "fox"},
		{"", "fox", "fox"},
		{"fox", "", ""},
	} {
		var got strings.Builder
		for _, s := range Parse(test.query).Mark(test.text) {
			if s.Hit {
				got.WriteString("[" + s.Text + "]")
			} else {
				got.WriteString(s.Text)
			}
		}
		if want := strings.ReplaceAll(test.want, "][", ""); got.String() != want {
			t.Errorf("%q in %q: %s, not %s", test.query, test.text, got.String(), want)
		}
	}
}

// Fuzz holds what databases rely on: no word has a character that means something to them, and texts and queries are
// cut alike.
func Fuzz(f *testing.F) {
	for _, s := range []string{"", "a b", `"a b"* -c`, "\x00\xff", "½ ﷺ ㍿", "ｶﾞ\u1112\u1161\u11ab", "a" + strings.Repeat("\u0301", 100), "大" + strings.Repeat("\u0301", 100), "กำ\u0e31",
		"'a':*", "a\\b'c", "\u202e_f1", "don't", "e\u0301lan* ß", "“a” «b»", strings.Repeat("\u3099", 70) + "x", "\U000e0001", "ſ K Å İ ŉ"} {
		f.Add(s, s)
		f.Add(s, `"x `+s+` y"`)
	}
	f.Fuzz(func(t *testing.T, text, typed string) {
		at := 0
		for token := range Tokens(text) {
			if token.Start < at && token.Start != at || token.End < token.Start || token.End > len(text) {
				t.Fatalf("%q: %+v after byte %d", text, token, at)
			}
			at = token.Start
			check(t, token.Word)
		}
		q := Parse(typed)
		n := 0
		for _, term := range q.Terms {
			if len(term.Words) == 0 {
				t.Errorf("%q: a term without words", typed)
			}
			n += len(term.Words)
			for _, word := range term.Words {
				check(t, word)
			}
		}
		if n > maxWords {
			t.Errorf("%q: %d words", typed, n)
		}
		if word, ok := byLetter(text); ok && word != form(cases.Fold(), text) {
			t.Errorf("%q by letter is %q, and %q", text, word, form(cases.Fold(), text))
		}
		// Without quotes, what is typed finds itself.
		if q := Parse(`"` + strings.Map(func(r rune) rune {
			if isQuote(r) {
				return ' '
			}
			return r
		}, text) + `"`); len(q.Terms) > 0 && len(text) < maxText && !q.Match(Words(text)) {
			t.Errorf("%q does not find itself: %+v", text, q.Terms)
		}
		for _, segments := range [][]Segment{q.Mark(text), q.Snippet(text, 50)} {
			var b strings.Builder
			for i, s := range segments {
				b.WriteString(s.Text)
				if s.Text == "" || i > 0 && segments[i-1].Hit == s.Hit || utf8.ValidString(text) && !utf8.ValidString(s.Text) {
					t.Errorf("%q in %q: %+v", typed, text, segments)
				}
			}
			if whole := b.String(); !strings.Contains(text, strings.TrimSuffix(strings.TrimPrefix(whole, "…"), "…")) && !strings.Contains(text, whole) {
				t.Errorf("%q in %q: %q", typed, text, whole)
			}
		}
		if snippet := q.Snippet(text, 50); snippet != nil && !slices.ContainsFunc(snippet, func(s Segment) bool { return s.Hit }) {
			t.Errorf("%q in %q: no hit in %+v", typed, text, snippet)
		}
	})
}

func check(t *testing.T, word string) {
	t.Helper()
	if word == "" || len(word) > maxWord || !utf8.ValidString(word) {
		t.Fatalf("%q is no word", word)
	}
	for _, r := range word {
		if !unicode.In(r, unicode.L, unicode.M, unicode.N) {
			t.Fatalf("%+q has %q", word, r)
		}
	}
}

func BenchmarkTokens(b *testing.B) {
	for name, text := range map[string]string{
		"english":  "The quick brown fox jumps over the lazy dog, again and again. ",
		"german":   "Größe und Maß: schöne Bäume stehen früh am Ufer. ",
		"russian":  "Съешь же ещё этих мягких французских булок, да выпей чаю. ",
		"japanese": "気象庁によると、東京都心では記録的な大雨となった。",
	} {
		b.Run(name, func(b *testing.B) {
			text := strings.Repeat(text, 100)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for range Tokens(text) {
				}
			}
		})
	}
}
