// Package sanitize makes untrusted HTML safe to show, and plain.
//
// HTML works in two passes over tokens, so its time and memory are linear in the input whatever the markup is. (The
// tree builder of x/net/html is not: repeated <body> tags with attributes cost it quadratic time.) The first pass is
// a bluemonday policy: only elements and attributes on a list come through. The second (balance.go) puts the rest in
// order: it closes what was left open, drops closing tags that close nothing, so that no text can end the element it
// is shown in, resolves URLs against the article's own and drops those that are not http(s).
package sanitize

import (
	"html"
	"strings"
	"unicode/utf8"

	"github.com/microcosm-cc/bluemonday"
)

// maxInput is how many bytes of an article are shown. The longest article of a corpus of 55,000 has 1.2 MB.
const maxInput = 2 << 20

const tooLong = "<p><em>This article is longer than 2 MB. The rest is left out here; its own page has all of it.</em></p>"

// HTML returns the safe part of untrusted HTML: well-formed and balanced, without scripts, styles, event handlers, ids,
// classes, forms, frames or dangerous URLs. Relative URLs are resolved against base, links open without referrer,
// images load when they come into view, and images of a single pixel are dropped. Text without any markup keeps its
// paragraphs. Input beyond 2 MiB is left out, and the text says so.
//
// It is safe to place the result within any element that may hold flow content, with dir="auto" on that element.
func HTML(untrusted, base string) string {
	text, cut := bound(untrusted)
	var out string
	if strings.Contains(text, "<") {
		out = balance(policy.Sanitize(text), base)
	} else {
		out = paragraphs(text)
	}
	if cut {
		out += tooLong
	}
	return out
}

// bound cuts text to maxInput: not within a character, a tag or, if it can be helped, a word.
func bound(text string) (string, bool) {
	if len(text) <= maxInput {
		return text, false
	}
	n := maxInput
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	text = text[:n]
	if open := strings.LastIndexByte(text, '<'); open > strings.LastIndexByte(text, '>') {
		return text[:open], true
	}
	if i := strings.LastIndexAny(text, " \n>"); i > len(text)-1024 {
		text = text[:i+1]
	}
	return text, true
}

// paragraphs makes HTML of text that has no markup but perhaps entities.
func paragraphs(text string) string {
	text = html.UnescapeString(strings.ReplaceAll(strings.TrimSpace(text), "\r\n", "\n"))
	if text == "" {
		return ""
	}
	var b strings.Builder
	for p := range strings.SplitSeq(text, "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			b.WriteString("<p>")
			b.WriteString(strings.ReplaceAll(html.EscapeString(printable(p)), "\n", "<br>"))
			b.WriteString("</p>")
		}
	}
	return b.String()
}

// policy is the list of what may come through at all; balance looks at the values.
var policy = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	for name := range elements {
		p.AllowElements(name)
		p.AllowNoAttrs().OnElements(name)
		if attrs := elements[name].attrs; len(attrs) > 0 {
			p.AllowAttrs(attrs...).OnElements(name)
		}
	}
	p.AllowAttrs("dir", "lang").Globally()
	p.RequireParseableURLs(false) // balance repairs, resolves and checks them
	// Their content is ordinary markup, and often they are not closed.
	p.AllowElementsContent("frame", "frameset", "object", "nostyle")
	return p
}()
