// Package opml reads and writes subscription lists.
package opml

import (
	"errors"
	"io"
)

// A Subscription is one feed of a list.
type Subscription struct {
	URL, Title, SiteURL string
	Folder              string // names of the outlines around it, joined with "/"
}

// Read reads OPML 1.0 and 2.0. Outlines without a feed URL are folders, or are reported in skipped, in words with their line.
func Read(r io.Reader) (subs []Subscription, skipped []string, err error) {
	return nil, nil, errors.New("not yet")
}

// Write writes OPML 2.0, folders as nested outlines.
func Write(w io.Writer, title string, subs []Subscription) error { return errors.New("not yet") }
