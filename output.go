package feedonce

import "time"

// OutputID names an output feed. IDs are positive, assigned by the database, and never reused.
type OutputID int64

// An Output is a cleaned feed that feedonce publishes: one entry per article, at a secret address.
type Output struct {
	ID        OutputID
	Name      string // unique, chosen by a person; the feed's title
	Token     []byte // the secret part of its address, sealed by internal/secret
	Selection Selection
	Created   time.Time
}

// A Selection says which articles an output has. The zero Selection is all of them.
type Selection struct {
	Feed   FeedID `json:"feed,omitempty"`
	Folder string `json:"folder,omitempty"` // and those within it
	Search string `json:"search,omitempty"` // words that must all stand in title, summary or content
	Scope  Scope  `json:"scope,omitempty"`  // one entry per story, or per article of each feed
	// Once, of an output of one feed: a story that other feeds with such an output have, too, stands in one of these outputs
	// only, the one that had it first. Who reads them all has each article once.
	Once  bool `json:"once,omitempty"`
	Also  bool `json:"also,omitempty"`  // end the text with a line "also in …", and why
	Limit int  `json:"limit,omitempty"` // entries a page, at most 500; 0 is 50, and on the first page all of the last day
}
