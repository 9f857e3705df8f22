// Package opml reads and writes subscription lists: OPML 1.0 and 2.0 (https://opml.org/spec2.opml), as readers export
// them, which is seldom quite as the specification says.
package opml

// A Subscription is one feed of a list.
type Subscription struct {
	URL, Title, SiteURL string
	Folder              string // names of the outlines around it, joined with "/"
}
