package evolve

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// seen rewrites an item as a view shows it. Where that changes what a reader stores, the item gets a face of its own.
func (it *Item) seen(view string) {
	title, content := it.Title, it.Content
	switch view {
	case "":
		return
	case "tagged":
		it.Content = strings.ReplaceAll(content, "<p>", `<p dir="auto">`)
	case "encoded":
		it.Content = references(content)
		it.Title = references(title)
	case "plain":
		it.Content = strings.TrimSpace(strings.NewReplacer("<p>", "", "</p>\n", "\n\n", "</p>", "\n\n").Replace(content))
	default:
		panic("evolve: no view " + view)
	}
	if it.Title != title || it.Content != content {
		it.Face += "+" + view
	}
}

// references writes every character outside ASCII as a numeric character reference.
func references(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "&#%d;", r)
		}
	}
	return b.String()
}
