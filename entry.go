package feedonce

import "time"

// EntryID names an entry (an article of one feed). IDs are positive, assigned by the database in the order of
// arrival, and never reused.
type EntryID int64

// An Entry is an article of one feed, in the latest version that was accepted.
//
// Texts are as published: Content and Summary are untrusted HTML and must go through internal/sanitize before they
// are shown. URLs are absolute where the document allowed to resolve them.
type Entry struct {
	ID         EntryID
	Feed       FeedID
	GUID       string // as published when first seen; "" where the feed gives none
	URL        string // display link, as published
	Title      string // plain text
	Author     string
	Summary    string // HTML
	Content    string // HTML
	Lang       string
	Enclosures []Enclosure
	Categories []string
	Published  time.Time // zero where the feed gives no readable date
	Updated    time.Time // the feed's own date of modification
	FirstSeen  time.Time
	Changed    time.Time // when the last version was accepted; equals FirstSeen until the first update
	Revision   int       // 1 for the first version
	MergedInto EntryID   // the entry a person said it is the same as, which is shown in its place; 0 is none
}

// Time is what an entry is sorted by: when it was published, but never later than it was first seen (feeds carry
// dates in the future), and when it was first seen where there is no date.
func (e Entry) Time() time.Time {
	if e.Published.IsZero() || e.Published.After(e.FirstSeen) {
		return e.FirstSeen
	}
	return e.Published
}

// An Enclosure is a file that belongs to an entry: a podcast's audio, a picture, a document.
type Enclosure struct {
	URL    string `json:"url"`
	Type   string `json:"type,omitempty"`   // media type as published
	Length int64  `json:"length,omitempty"` // bytes as published; 0 is unknown
}

// A Version is an earlier content of an entry that was updated.
type Version struct {
	Entry      EntryID
	Revision   int       // the revision this content had
	Replaced   time.Time // when the next revision took its place
	URL        string
	Title      string
	Author     string
	Summary    string
	Content    string
	Enclosures []Enclosure
}

// A Decision is the record of what was decided about one arrival, and why.
//
// There is one for every arrival that was not unchanged, and for an arrival that was suppressed (duplicate,
// quarantined, invalid) it keeps what arrived, so that nothing is lost and the decision can be undone.
type Decision struct {
	ID       int64
	At       time.Time
	Feed     FeedID
	Entry    EntryID // the entry it created, updated or was folded into; 0 for quarantined and invalid
	Outcome  string  // a dedup.Outcome
	Rule     string  // a dedup.RuleID; dedup.RuleByID has its sentence
	GUID     string  // of the arrival
	URL      string  // of the arrival
	Title    string  // of the arrival
	Evidence []byte  // JSON of dedup.Evidence
	Arrival  []byte  // JSON of dedup.Item where the arrival was suppressed; empty otherwise
	Told     bool    // whether it was to be told to destinations
	Quiet    string  // why not, where Outcome is new and Told is false
}

// Counts are arrivals by outcome.
type Counts struct {
	New, Updated, Unchanged, Duplicate, Quarantined, Invalid int64
}

// Total is the number of arrivals counted.
func (c Counts) Total() int64 {
	return c.New + c.Updated + c.Unchanged + c.Duplicate + c.Quarantined + c.Invalid
}

// Count adds one arrival of an outcome, as Decision.Outcome names it, and reports whether there is such an outcome.
func (c *Counts) Count(outcome string) bool {
	switch outcome {
	case "new":
		c.New++
	case "updated":
		c.Updated++
	case "unchanged":
		c.Unchanged++
	case "duplicate":
		c.Duplicate++
	case "quarantined":
		c.Quarantined++
	case "invalid":
		c.Invalid++
	default:
		return false
	}
	return true
}

// Add adds d to c.
func (c *Counts) Add(d Counts) {
	c.New += d.New
	c.Updated += d.Updated
	c.Unchanged += d.Unchanged
	c.Duplicate += d.Duplicate
	c.Quarantined += d.Quarantined
	c.Invalid += d.Invalid
}
