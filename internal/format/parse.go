// Package format reads RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0 and JSON Feed 1.0 and 1.1 into one Document.
package format

import "errors"

// Options are what is known of a document from how it was fetched.
type Options struct {
	ContentType string // the HTTP header, for its charset; may be empty
	URL         string // where it was fetched, to resolve relative URLs; may be empty
	MaxItems    int    // items beyond it are counted, not parsed; 0 is 5,000
}

// A NotFeedError says that a document is no feed, and what it is instead.
type NotFeedError struct {
	// Found is what was found, as a noun phrase or sentence for a person: "an HTML page titled “Home”", "an empty
	// body", "XML that stops in line 12: unexpected end of input", "a PDF file".
	Found string
	// HTML says that it is a web page, in which a feed may be discovered.
	HTML bool
}

func (e *NotFeedError) Error() string { return "not a feed: found " + e.Found }

// Parse reads a document. It bounds the document before any parsing (see package scan), never panics, and takes time
// and memory linear in the input. One bad item is returned with Invalid set and costs no other. It returns a
// *NotFeedError for what is no feed and a *scan.LimitError for what exceeds a bound.
func Parse(body []byte, opts Options) (*Document, error) { return nil, errors.New("not yet") }
