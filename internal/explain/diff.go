package explain

import (
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"

	"feedonce/internal/sanitize"
)

// A Piece is a part of two texts that were compared word by word.
type Piece struct {
	Is   PieceKind
	Text string
}

// A PieceKind says in which of two texts a piece stands.
type PieceKind string

const (
	Same    PieceKind = "same"
	Removed PieceKind = "removed" // in the first only
	Added   PieceKind = "added"   // in the second only
	Left    PieceKind = "left"    // words both have, which are left out; Text says how many
)

const (
	mostWords = 3000   // of each text between what is the same at both ends; longer ones are not compared word by word
	around    = 6      // words that are shown before and behind a difference
	mostText  = 400000 // runes of a text
)

// Words compares two plain texts word by word. What is the same far from any difference is left out. Nil where they have
// the same words.
func Words(before, after string) []Piece {
	a, b := strings.Fields(before), strings.Fields(after)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	old, fresh := a[head:len(a)-tail], b[head:len(b)-tail]
	if len(old)+len(fresh) == 0 {
		return nil
	}
	var p pieces
	p.add(Same, a[:head])
	if len(old) > mostWords || len(fresh) > mostWords {
		p.add(Removed, old)
		p.add(Added, fresh)
	} else {
		p.align(old, fresh)
	}
	p.add(Same, a[len(a)-tail:])
	return p.short()
}

type piece struct {
	is    PieceKind
	words []string
}

type pieces []piece

func (p *pieces) add(is PieceKind, words []string) {
	if len(words) > 0 {
		*p = append(*p, piece{is, words})
	}
}

// align finds what two lists of words have in common. Each word is a character for the library, which compares
// characters; it is given all the time it needs, so that the same texts always give the same pieces.
func (p *pieces) align(a, b []string) {
	numbers := map[string]rune{}
	var words []string
	encode := func(list []string) []rune {
		out := make([]rune, len(list))
		for i, w := range list {
			n, ok := numbers[w]
			if !ok {
				n = rune(0x100 + len(words)) // at most 6,000 of them: below the surrogates
				numbers[w] = n
				words = append(words, w)
			}
			out[i] = n
		}
		return out
	}
	d := diffmatchpatch.New()
	d.DiffTimeout = 0
	for _, x := range d.DiffCleanupSemantic(d.DiffMainRunes(encode(a), encode(b), false)) {
		var list []string
		for _, r := range x.Text {
			list = append(list, words[r-0x100])
		}
		p.add(map[diffmatchpatch.Operation]PieceKind{diffmatchpatch.DiffDelete: Removed, diffmatchpatch.DiffInsert: Added, diffmatchpatch.DiffEqual: Same}[x.Type], list)
	}
}

// short leaves out what is the same far from any difference.
func (p pieces) short() []Piece {
	out := make([]Piece, 0, len(p))
	say := func(is PieceKind, words []string) {
		if len(words) > 0 {
			out = append(out, Piece{is, strings.Join(words, " ")})
		}
	}
	for i, x := range p {
		if x.is != Same {
			say(x.is, x.words)
			continue
		}
		before, behind := around, around // kept at its end and at its beginning
		if i == 0 {
			behind = 0
		}
		if i == len(p)-1 {
			before = 0
		}
		if len(x.words) <= before+behind+2 {
			say(Same, x.words)
			continue
		}
		say(Same, x.words[:behind])
		out = append(out, Piece{Left, count(len(x.words)-before-behind, "word")})
		say(Same, x.words[len(x.words)-before:])
	}
	return out
}

// text is the plain text of HTML.
func text(html string) string { return sanitize.Text(html, mostText) }
