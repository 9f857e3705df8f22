package dedup

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"
)

// titleFeatures are the title of an item in the form in which titles are compared.
type titleFeatures struct {
	title   []string // words of the title
	titleK  string   // the words joined
	fullH   uint64   // the title's words with status markers, without volatile ones
	numbers string   // its words with digits
	gone    []string // what was taken out as volatile
}

// textFeatures are title and text of an item in the form in which they are compared.
type textFeatures struct {
	titleFeatures
	titled  bool     // the title is known
	whole   bool     // the rest is known, too
	words   []string // words of the longer of content and summary
	textH   uint64
	leadH   uint64 // the first words: what stays when a footer is added or the end is cut; 0 where there are too few
	looseH  uint64 // title and text
	refs    uint64 // link and picture targets, without queries
	removed uint64 // what was taken out as volatile, of title and text
}

// titles are computed once, when they are needed.
func (f *features) titles() *titleFeatures {
	if f.text == nil {
		f.text = &textFeatures{}
	}
	if !f.text.titled {
		f.text.setTitle(f.item.Title)
		f.text.titled = true
	}
	return &f.text.titleFeatures
}

// share makes f and o have their text features in common where title and text are the same, so that they are computed
// once at most.
func (f *features) share(o *features) {
	a, b := f.item, o.item
	if f.text != nil || a.Title != b.Title || a.Content != b.Content || a.Summary != b.Summary {
		return
	}
	if o.text == nil {
		o.text = &textFeatures{}
	}
	f.text = o.text
}

// words of title and text are computed once, when they are needed.
func (f *features) words() *textFeatures {
	f.titles()
	if !f.text.whole {
		f.text.setText(f.item)
	}
	return f.text
}

func (t *titleFeatures) setTitle(s string) {
	b := borrow()
	defer b.release()
	b.text = plain(b.text[:0], cut(s, maxTitleBytes), nil)
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
		t.title, t.gone = dropVolatile(t.title)
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
}

func (t *textFeatures) setText(it *Item) {
	b := borrow()
	defer b.release()
	body := it.Content
	if len(it.Summary) > len(body) {
		body = it.Summary
	}
	b.refs = b.refs[:0]
	b.text = plain(b.text[:0], cut(body, maxTextBytes), &b.refs)
	b.split(b.text, maxTokens)
	var gone []string
	t.words, gone = dropVolatile(dropTail(b.words()))
	if len(gone) == 0 { // what is left of the words stands in a row
		t.textH = xxh3.Hash(b.lower[:b.end(len(t.words))])
	} else {
		t.textH = hashWords(t.words)
	}
	if len(t.words) >= minContained {
		t.leadH = hashWords(t.words[:minContained])
	}
	b.lower = append(append(b.lower[:0], t.titleK...), '\x1f')
	b.lower = binary.BigEndian.AppendUint64(b.lower, t.textH)
	t.looseH = xxh3.Hash(b.lower)
	slices.Sort(b.refs)
	t.refs = hashWords(b.refs)
	t.removed = hashWords(append(slices.Clip(t.gone), gone...))
	t.whole = true
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
