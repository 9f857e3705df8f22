package dedup

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// TestEveryCharacter holds what split and plain take for granted against the Unicode tables, for every character.
func TestEveryCharacter(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		k, lower := kindOf(r), toLower(r)
		if lower != unicode.ToLower(r) {
			t.Errorf("%U has the lower case %U, want %U", r, lower, unicode.ToLower(r))
		}
		if l := kindOf(lower); (k^l)&(inWord|number|combining|unspaced) != 0 {
			t.Errorf("%U is %b, but its lower case %U %b: where words end would depend on case", r, k, lower, l)
		}
		if utf8.RuneLen(lower) > utf8.RuneLen(r)+1 {
			t.Errorf("the lower case %U of %U is more than a byte longer: split has no room for it", lower, r)
		}
		// What composes does so with a letter before it, or a letter takes it in.
		if s := string(r); k&stable != 0 && (norm.NFC.String(s) != s || norm.NFC.String("a"+s) != "a"+s || norm.NFC.String("\u1100"+s) != "\u1100"+s) {
			t.Errorf("%U counts as stable, but NFC changes it", r)
		}
		text := "ab" + string(r) + " cd"
		if plainEnd(text, 0) > 2 && string(foldRune(nil, r)) != string(r) {
			t.Errorf("plain copies %U, which is to be folded to %q", r, foldRune(nil, r))
		}
	}
}

// TestBadUTF8 makes sure that plain copies nothing unseen that is no UTF-8.
func TestBadUTF8(t *testing.T) {
	for n := 0x800000; n <= 0xffffff; n++ {
		s := string([]byte{byte(n >> 16), byte(n >> 8), byte(n), 'x', 'y'})
		if end := plainEnd(s, 0); !utf8.ValidString(s[:end]) {
			t.Fatalf("plain copies %q", s[:end])
		}
	}
}

// TestEightAtATime holds untidy, which skips eight bytes at a time, against one that looks at each.
func TestEightAtATime(t *testing.T) {
	at := func(s string, i int) bool {
		next := s[i+1:] + "\x00"
		switch s[i] {
		case '\t', '\r', '\n':
			return true
		case ' ':
			return strings.IndexByte(" \t\r\n", next[0]) >= 0 || next[0] == '<' && i > 0 && s[i-1] == '>'
		case '<':
			return len(s) > i+3 && strings.EqualFold(s[i+1:i+4], "img")
		}
		return false
	}
	const alphabet = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzimgIMG    \t\n<>\x80\xa0\xff\x00\x1f!"
	r := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		b := make([]byte, r.IntN(40))
		for i := range b {
			b[i] = alphabet[r.IntN(len(alphabet))]
		}
		s := string(b)
		want := 0
		for want < len(s) && !at(s, want) {
			want++
		}
		if got := untidy(s, 0); got != want {
			t.Fatalf("untidy(%q) = %d, want %d", s, got, want)
		}
	}
}

// TestTextHash makes sure that the hash of a text is that of its words, however it is computed: hashes are stored.
func TestTextHash(t *testing.T) {
	for _, s := range []string{
		"", "Plain words.", "<p>Two paragraphs</p>\n<p>of 2.5 words, isn't it</p>", "Größe ÄÖÜ, e\u0301 and İ K", "東京オリンピック か\u3099",
		"สวัสดีโลก", "हिन्दी में समाचार", "각 \u1100\u1161\u11a8", "12 comments, posted 3 hours ago by me", "Text that ends. Continue reading more of it",
	} {
		f := &features{item: &Item{Content: s}}
		if w := f.words(); w.textH != hashWords(w.words) {
			t.Errorf("%q: the hash of the text is not that of its words %q", s, w.words)
		}
	}
	if got := hashWords([]string{"two", "words"}); got != 0x8bc768bd4ec763bf {
		t.Errorf("the hash of words is %#x", got)
	}
}
