package dedup

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"
)

// textFeatures are title and text of an item in the form in which they are compared.
type textFeatures struct {
	title   []string // words of the title
	titleK  string   // the words joined
	fullH   uint64   // the title's words with status markers, without volatile ones
	numbers string   // its words with digits
	words   []string // words of the longer of content and summary
	textH   uint64
	leadH   uint64 // the first words: what stays when a footer is added or the end is cut; 0 where there are too few
	looseH  uint64 // title and text
	refs    uint64 // link and picture targets, without queries
	removed uint64 // what was taken out as volatile
}

// words of the text are computed once, when they are needed.
func (f *features) words() *textFeatures {
	if f.text == nil {
		f.text = newTextFeatures(f.item)
	}
	return f.text
}

func newTextFeatures(it *Item) *textFeatures {
	b := borrow()
	defer b.release()
	t := &textFeatures{}
	gone := t.setTitle(b, it.Title)

	body := it.Content
	if len(it.Summary) > len(body) {
		body = it.Summary
	}
	b.refs = b.refs[:0]
	b.text = plain(b.text[:0], cut(body, maxTextBytes), &b.refs)
	b.split(b.text, maxTokens)
	all := dropTail(b.words())
	kept, goneText := dropVolatile(all)
	t.words = kept
	if len(goneText) == 0 { // what is left of the words stands in a row
		t.textH = xxh3.Hash(b.lower[:b.end(len(kept))])
	} else {
		t.textH = hashWords(kept)
	}
	if len(kept) >= minContained {
		t.leadH = hashWords(kept[:minContained])
	}
	b.lower = append(append(b.lower[:0], t.titleK...), '\x1f')
	b.lower = binary.BigEndian.AppendUint64(b.lower, t.textH)
	t.looseH = xxh3.Hash(b.lower)
	slices.Sort(b.refs)
	t.refs = hashWords(b.refs)
	t.removed = hashWords(append(gone, goneText...))
	return t
}

// setTitle computes what is known of the title, and returns the words that it removed as volatile.
func (t *textFeatures) setTitle(b *buffers, s string) (gone []string) {
	b.text = plain(b.text[:0], cut(s, 8<<10), nil)
	b.split(b.text, maxTitle)
	full := b.words()
	whole := string(b.text)
	bare := bareTitle(whole)
	if len(bare) == len(strings.Trim(whole, " \t\r\n")) {
		t.title = slices.Clone(full)
	} else {
		b.split([]byte(bare), maxTitle)
		t.title = b.words()
	}
	if len(t.title) > 2 {
		t.title, gone = dropVolatile(t.title)
	}
	full, _ = dropVolatile(full)
	t.fullH = hashWords(full)
	if len(t.title) == 0 {
		// Only punctuation or symbols: they are all the title there is.
		if s := strings.Join(strings.Fields(whole), " "); s != "" {
			t.title = []string{s}
		}
	}
	t.titleK = strings.Join(t.title, " ")
	var numbers []string
	for _, w := range t.title {
		if hasDigit(w) {
			numbers = append(numbers, w)
		}
	}
	t.numbers = strings.Join(numbers, " ")
	return gone
}

func cut(s string, n int) string {
	if len(s) > n {
		for n > 0 && s[n]&0xC0 == 0x80 {
			n--
		}
		return s[:n]
	}
	return s
}

// hashWords hashes a sequence of words; each is length-prefixed by its terminator, which no word contains.
func hashWords(w []string) uint64 {
	var room [512]byte
	b := room[:0]
	for _, s := range w {
		b = append(append(b, s...), 0)
	}
	return xxh3.Hash(b)
}
