package query

import (
	"strings"
	"unicode/utf8"
)

// A Segment is a part of a text that is shown.
type Segment struct {
	Text string `json:"text"`
	Hit  bool   `json:"hit,omitempty"` // it is what was looked for
}

// Mark returns a plain text in segments, whole.
func (q Query) Mark(text string) []Segment {
	hits, _ := q.hits(text, len(text))
	return segments(text, 0, len(text), hits)
}

// Snippet returns a part of a plain text around the first hit, of about width bytes, with "…" where the text goes on; nil
// where nothing that is looked for is in it.
func (q Query) Snippet(text string, width int) []Segment {
	hits, first := q.hits(text, width)
	if len(hits) == 0 {
		return nil
	}
	start, end := max(0, first-width/4), min(len(text), first+width)
	if start > 0 { // at a word, where one begins near
		if i := strings.IndexByte(text[start:first], ' '); i >= 0 {
			start += i + 1
		}
	}
	for start < first && !utf8.RuneStart(text[start]) {
		start++
	}
	if end < len(text) {
		if i := strings.LastIndexByte(text[first:end], ' '); i > width/2 {
			end = first + i
		}
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	s := segments(text, start, end, hits)
	if start > 0 {
		s = prepend(s, "…")
	}
	if end < len(text) {
		s = add(s, "…", false)
	}
	return s
}

// A span is a part of a text, in bytes.
type span struct{ start, end int }

// hits returns where what is looked for stands in the first part of a text that has any, and more bytes than width, and
// where the first one begins.
func (q Query) hits(text string, width int) (hits []span, first int) {
	longest := 1
	for _, t := range q.Terms {
		longest = max(longest, len(t.Words))
	}
	var words []string // the last ones, as many as the longest term has
	var spans []span
	look := func() {
		for _, t := range q.Terms {
			if !t.Not && t.at(words) {
				hits = append(hits, span{spans[0].start, spans[len(t.Words)-1].end})
			}
		}
		words, spans = words[1:], spans[1:]
	}
	for token := range Tokens(text) {
		if len(hits) > 0 && token.Start > hits[0].start+width {
			break
		}
		words, spans = append(words, token.Word), append(spans, span{token.Start, token.End})
		if len(words) == longest {
			look()
		}
	}
	for len(words) > 0 {
		look()
	}
	if len(hits) > 0 {
		first = hits[0].start
	}
	return hits, first
}

// segments cuts a part of a text at its hits, which are in the order of their starts and may overlap.
func segments(text string, start, end int, hits []span) []Segment {
	var s []Segment
	at := start
	for _, h := range hits {
		from, to := max(h.start, at), min(h.end, end)
		if from >= to {
			continue
		}
		s = add(s, text[at:from], false)
		s = add(s, text[from:to], true)
		at = to
	}
	return add(s, text[at:max(at, end)], false)
}

// add adds text, to the last segment where that is of its kind.
func add(s []Segment, text string, hit bool) []Segment {
	if text == "" {
		return s
	}
	if n := len(s); n > 0 && s[n-1].Hit == hit {
		s[n-1].Text += text
		return s
	}
	return append(s, Segment{text, hit})
}

func prepend(s []Segment, text string) []Segment {
	if len(s) > 0 && !s[0].Hit {
		s[0].Text = text + s[0].Text
		return s
	}
	return append([]Segment{{Text: text}}, s...)
}
