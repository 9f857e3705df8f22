// Package query reads what a person types to find articles, and cuts texts into the words that are looked for.
//
// Both sides are cut by the same Tokens, so that no database decides what a word is: one case, no accents, and each
// character of a script that is written without spaces is a word of its own. What a database is given are words of letters,
// marks and digits, and nothing else: nothing that a person types is an operator of a database's language.
//
//   - words.go: Tokens. query.go: Parse, and Match, which says what a query means. snippet.go: where the hits are.
package query

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a query. What is beyond them is not looked for.
const (
	maxText  = 4096 // bytes
	maxWords = 32
)

// A Query says which texts are found: those with every term that is not excluded, and none that is. The zero value finds
// nothing.
type Query struct{ Terms []Term }

// A Term is a word, or several that stand one after the other.
type Term struct {
	Words  []string // as Tokens has them; at least one
	Prefix bool     // the last word may go on
	Not    bool     // texts with it are not found
}

// Empty reports whether a query looks for nothing: it has no letters and digits.
func (q Query) Empty() bool { return len(q.Terms) == 0 }

// Parse reads a query as a person types it. All words must be there, in any order; "some words" must stand one after the
// other; -word must not be there; a word that ends in * (from two letters on) may go on. A word with something in it
// that is neither letter nor digit (e-mail, don't, example.com) is taken as its parts, one after the other, and so is one of a
// script without spaces. There is no wrong query: what means nothing is left out, and what is too long is cut.
func Parse(text string) Query {
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	var q Query
	words := 0
	for text != "" && words < maxWords {
		var t Term
		t, text = next(text)
		t.Words = t.Words[:min(len(t.Words), maxWords-words)]
		if len(t.Words) == 0 || slices.ContainsFunc(q.Terms, t.equal) {
			continue
		}
		words += len(t.Words)
		q.Terms = append(q.Terms, t)
	}
	return q
}

// next cuts a term off. It has no words where there are none in it.
func next(text string) (t Term, rest string) {
	text = strings.TrimLeftFunc(text, unicode.IsSpace)
	if after, ok := strings.CutPrefix(text, "-"); ok {
		t.Not, text = true, after
	}
	var part string
	if r, n := utf8.DecodeRuneInString(text); isQuote(r) {
		part, rest = text[n:], ""
		if i := strings.IndexFunc(part, isQuote); i >= 0 {
			_, n := utf8.DecodeRuneInString(part[i:])
			part, rest = part[:i], part[i+n:]
		}
		if after, ok := strings.CutPrefix(rest, "*"); ok {
			t.Prefix, rest = true, after
		}
	} else {
		i := strings.IndexFunc(text, func(r rune) bool { return unicode.IsSpace(r) || isQuote(r) })
		if i < 0 {
			i = len(text)
		}
		part, rest = text[:i], text[i:]
	}
	t.Prefix = t.Prefix || strings.HasSuffix(part, "*")
	for token := range Tokens(part) {
		t.Words = append(t.Words, token.Word)
	}
	if n := len(t.Words); n > 0 {
		last := t.Words[n-1]
		first, _ := utf8.DecodeRuneInString(last)
		t.Prefix = t.Prefix && !spaceless(first) && utf8.RuneCountInString(last) > 1
	}
	return t, rest
}

// isQuote reports whether a character stands before or after a phrase, in any language's typography.
func isQuote(r rune) bool { return strings.ContainsRune("\"“”„‟«»「」『』", r) && r != 0 }

func (t Term) equal(u Term) bool {
	return t.Prefix == u.Prefix && t.Not == u.Not && slices.Equal(t.Words, u.Words)
}

// at reports whether words begin with the term.
func (t Term) at(words []string) bool {
	n := len(t.Words)
	if len(words) < n || !slices.Equal(words[:n-1], t.Words[:n-1]) {
		return false
	}
	return words[n-1] == t.Words[n-1] || t.Prefix && strings.HasPrefix(words[n-1], t.Words[n-1])
}

// Match reports whether a query finds an article with these words. It is what databases are held against.
func (q Query) Match(words []string) bool {
	for _, t := range q.Terms {
		has := false
		for i := range words {
			has = has || t.at(words[i:])
		}
		if has == t.Not {
			return false
		}
	}
	return !q.Empty()
}
