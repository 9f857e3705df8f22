package feedonce

import "time"

// DestinationID names a destination. IDs are positive, assigned by the database, and never reused.
type DestinationID int64

// DestinationState says whether a destination is sent to.
type DestinationState string

const (
	DestinationActive   DestinationState = "active"
	DestinationPaused   DestinationState = "paused"   // a person stopped it: messages wait
	DestinationDisabled DestinationState = "disabled" // the endpoint is gone (410), or its settings cannot be used: messages wait
)

// A Destination is where new articles are told: a channel, a mailbox, an endpoint, a file.
type Destination struct {
	ID      DestinationID
	Name    string // unique, chosen by a person
	Kind    string // a dest.Kind's name, such as "slack"
	State   DestinationState
	Config  string // JSON object of the kind's settings that are no secrets
	Secrets []byte // JSON object of the kind's secret settings, sealed by internal/secret; empty where there are none
	Route   Route
	Created time.Time

	LastOK    time.Time // last message that was accepted
	Error     string    // what the last attempt met, in words for a person; "" when it went well
	ErrorAt   time.Time
	Errors    int       // failed attempts in a row
	OpenUntil time.Time // until then nothing is sent, because it failed too often in a row (circuit breaker)
}

// A Route says what a destination hears of, when, and how much. The zero Route is: every new article of every feed, at
// once, once per story.
type Route struct {
	Feeds   []FeedID `json:"feeds,omitempty"`   // these feeds …
	Folders []string `json:"folders,omitempty"` // … and those in these folders; both empty: all feeds
	Include []Filter `json:"include,omitempty"` // at least one must match; none: all do
	Exclude []Filter `json:"exclude,omitempty"` // none may match
	Scope   Scope    `json:"scope,omitempty"`
	Updates bool     `json:"updates,omitempty"` // also tell of significant updates, as messages of their own kind
	Notices bool     `json:"notices,omitempty"` // also tell what the operator should know
	Backlog Backlog  `json:"backlog,omitzero"`
	Digest  *Digest  `json:"digest,omitempty"` // nil: every article at once
	Quiet   []Hours  `json:"quiet,omitempty"`  // messages wait until these are over
	Rate    Rate     `json:"rate,omitzero"`
	Unknown Unknown  `json:"unknown,omitempty"`
}

// Scope says whether an article that stands in several feeds is told once.
type Scope string

const (
	ScopeStory Scope = ""     // once per story, whichever feed has it first
	ScopeFeed  Scope = "feed" // once per feed
)

// A Filter matches an article by a text or a regular expression (RE2 syntax), without regard to case.
type Filter struct {
	In   string `json:"in,omitempty"` // "title", "content" (title, summary and content), "author", "url", "category"; "" is content
	Text string `json:"text,omitempty"`
	RE   string `json:"re,omitempty"`
}

// Backlog says which articles that are there already are told when a feed or a destination is new. Zero is none.
type Backlog struct {
	Latest int       `json:"latest,omitempty"` // so many of each feed, the newest
	Since  time.Time `json:"since,omitzero"`   // those published or seen since
}

// A Digest gathers articles into one message.
type Digest struct {
	Every string `json:"every"`           // "hour", "day", or a weekday in English: "monday"
	At    string `json:"at,omitempty"`    // "HH:MM", for days and weekdays; "" is 08:00
	Zone  string `json:"zone,omitempty"`  // IANA time zone; "" is UTC
	Title string `json:"title,omitempty"` // "" is the destination's name
}

// Hours is a stretch of each day. From may be later than To: then it goes over midnight.
type Hours struct {
	From string `json:"from"` // "HH:MM"
	To   string `json:"to"`
	Zone string `json:"zone,omitempty"` // IANA time zone; "" is UTC
}

// Rate is a token bucket: Burst messages at once, then PerMinute. Zero is the kind's default.
type Rate struct {
	PerMinute float64 `json:"per_minute,omitempty"`
	Burst     int     `json:"burst,omitempty"`
}

// Unknown says what is done with a message of which nobody knows whether it arrived, at an endpoint that cannot tell a
// second copy from a new message.
type Unknown string

const (
	UnknownHold   Unknown = ""       // shown, and left for a person to decide
	UnknownResend Unknown = "resend" // perhaps twice
	UnknownSkip   Unknown = "skip"   // perhaps never
)

// DeliveryID names a delivery.
type DeliveryID int64

// DeliveryKind is what a delivery tells.
type DeliveryKind string

const (
	DeliverNew    DeliveryKind = "new"
	DeliverUpdate DeliveryKind = "update"
	DeliverNotice DeliveryKind = "notice" // what the operator should know; it has no entry
)

// DeliveryState is how far a delivery is: pending -> sending -> sent | retry | unknown | dead | skipped, and held -> pending
// | skipped.
type DeliveryState string

const (
	DeliveryPending DeliveryState = "pending" // to be sent when due
	DeliverySending DeliveryState = "sending" // an attempt is under way, or its process died
	DeliverySent    DeliveryState = "sent"    // the endpoint accepted it
	DeliveryRetry   DeliveryState = "retry"   // an attempt failed; another follows when due
	DeliveryUnknown DeliveryState = "unknown" // the request was written, and no answer came: a person decides
	DeliveryDead    DeliveryState = "dead"    // given up; can be redriven
	DeliverySkipped DeliveryState = "skipped" // not to be sent: a person, a filter's change or a merge said so
	DeliveryHeld    DeliveryState = "held"    // by the flood brake
)

// A Delivery is one thing to tell to one destination: a row for each (destination, entry, kind, revision), which is unique.
type Delivery struct {
	ID          DeliveryID
	Destination DestinationID
	Kind        DeliveryKind
	Entry       EntryID // 0 for a notice
	Feed        FeedID  // 0 for a notice about none
	Revision    int     // of the entry, for an update; the notice's ID, for a notice; else 0
	State       DeliveryState
	Batch       int64 // deliveries with the same batch are one message (a digest); 0: a message of its own
	Brake       int64 // the flood brake that holds or held it; 0: none
	Attempts    int
	Created     time.Time
	Due         time.Time // when the next attempt is to be made
	Done        time.Time // when it was sent, skipped or given up
	Note        string    // why it is in its state, in words for a person

	Title string // of the entry, as it is now; the text of a notice
}

// An Attempt is one try of a delivery.
type Attempt struct {
	Delivery DeliveryID
	N        int // from 1
	At       time.Time
	Took     time.Duration
	Status   int    // of the answer (HTTP or SMTP); 0 where there was none
	Excerpt  string // of the answer, without secrets; at most 500 bytes
	Error    string // "" where it was accepted
}

// A Brake holds the deliveries of a feed that suddenly had far more new articles than ever.
type Brake struct {
	ID     int64
	Feed   FeedID
	At     time.Time
	Count  int        // new articles in the document
	Usual  float64    // new articles of a document, as learned
	State  BrakeState // what was done about it
	Closed time.Time
	Who    string
}

// BrakeState says what a person did about a brake.
type BrakeState string

const (
	BrakeOpen      BrakeState = "open"
	BrakeReleased  BrakeState = "released"  // all were told, one by one
	BrakeDigested  BrakeState = "digested"  // all were told, in one message per destination
	BrakeDiscarded BrakeState = "discarded" // none was told
)

// A Notice is something the operator should know: a brake, a destination that is gone.
type Notice struct {
	ID          int64
	At          time.Time
	Kind        string // "flood", "destination"
	Feed        FeedID
	Destination DestinationID
	Text        string // a sentence, with what to do
}

// ChangeKind is what happened to an entry.
type ChangeKind string

const (
	ChangeCreated   ChangeKind = "article.created"
	ChangeUpdated   ChangeKind = "article.updated"
	ChangeMerged    ChangeKind = "article.merged"    // Entry is now shown as Other
	ChangeSplit     ChangeKind = "article.split"     // Entry was split off from Other, and is an article of its own
	ChangeWithdrawn ChangeKind = "article.withdrawn" // Entry is gone with its feed
)

// A Change is a line of the change log, which is totally ordered: Seq grows, and nothing appears later below a Seq that was
// read.
type Change struct {
	Seq      int64
	At       time.Time
	Kind     ChangeKind
	Feed     FeedID
	Entry    EntryID
	Other    EntryID // 0: none
	Revision int     // of the entry after the change
}
