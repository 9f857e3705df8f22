package feedonce

import "time"

// FeedID names a feed. IDs are positive, assigned by the database, and never reused.
type FeedID int64

// FeedState says whether a feed is polled.
type FeedState string

const (
	FeedActive FeedState = "active" // polled when due
	FeedPaused FeedState = "paused" // a person stopped it
	FeedGone   FeedState = "gone"   // the server answered 410 Gone (RFC 9110 15.5.11); not polled again until resumed
)

// A Feed is a document on the web that is polled for entries.
//
// The same feed is polled once however many follow it. Times are UTC with a precision of microseconds;
// the zero time means never.
type Feed struct {
	ID      FeedID
	URL     string // where it is polled; unique by its canonical key
	Title   string // from the document, or the title it was added with until the first document came
	SiteURL string // the page the feed belongs to
	Folder  string // from OPML or the person who added it; "" is none
	Format  string // of the last document, such as "rss 2.0", "atom 1.0", "json feed 1.1"
	State   FeedState
	Added   time.Time

	FirstOK   time.Time // first document that could be read
	LastOK    time.Time // last document that *changed* something; unchanged polls write nothing here
	Error     string    // what the last poll met, in words for a person; "" when it went well
	ErrorAt   time.Time
	Errors    int    // failed polls in a row
	Warning   string // what was odd about the last document though it could be read (truncated, wrong charset label)
	MovedTo   string // target of permanent redirects seen so far, until the move is believed
	MovedSeen int    // how many polls in a row were redirected there

	Schedule Schedule
	Policy   string // JSON of dedup.Policy; "" is the default policy
}

// Schedule is when a feed is polled.
type Schedule struct {
	NextPoll time.Time
	LastPoll time.Time     // when it was last claimed for polling
	Interval time.Duration // learned from how often the feed publishes; between 5 minutes and 24 hours
	Floor    time.Duration // the least interval the publisher asks for (max-age, ttl, Retry-After); 0 is none
	LastNew  time.Time     // when it last had a new article
}

// Name is what to call the feed in a list: its title, or its URL where it has none.
func (f Feed) Name() string {
	if f.Title != "" {
		return f.Title
	}
	return f.URL
}
