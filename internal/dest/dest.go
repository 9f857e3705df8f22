// Package dest sends messages to destinations: one Kind for each kind of endpoint, in files of their own.
//
// A Kind says in data what it needs to be set up (Fields), what its endpoint promises, and opens a Sender. A Sender turns
// a Message into the endpoint's own form, within the endpoint's limits, and sends it once: retrying, pacing and
// remembering are for internal/deliver. All network goes through Env, whose dialer refuses private addresses that the
// operator did not allow.
//
// Titles and names come from strangers: every Sender escapes them for its own form, so that they mention nobody, make no
// header and end no markup.
package dest

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"time"

	"feedonce"
)

// A Kind is a kind of destination.
type Kind struct {
	Name  string // "slack"
	About string // a line for a list
	// Fields are what a person sets. Config and secrets are JSON objects with their names as keys, and nothing else.
	Fields []Field
	// Idempotent says that the endpoint can drop a second copy of a message by its key: then an attempt without an
	// answer is simply made again. Otherwise it is unknown what became of it (feedonce.Unknown).
	Idempotent bool
	// Rate is the endpoint's documented limit, or a careful guess where there is none.
	Rate feedonce.Rate
	// Open checks the settings, whose errors are *feedonce.InvalidError with a Field's name, and returns a Sender. It does
	// no network.
	Open func(Settings, Env) (Sender, error)
}

// A Field is a setting of a kind of destination.
type Field struct {
	Name     string
	About    string // with an example
	Required bool
	Secret   bool // kept sealed, shown masked
	Default  string
	Values   []string // the only ones allowed; nil: any
}

// Settings are what a person set for a destination: values by the names of the kind's fields. Secrets are in it in the
// clear: it never goes into a log.
type Settings map[string]string

// Env is what senders need of the world.
type Env struct {
	// Client makes HTTP requests, guarded against private addresses. It follows no redirects, and every sender limits
	// what it reads of an answer.
	Client *http.Client
	// Dial opens other connections, guarded in the same way.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Exec says that commands may be run (kind exec) and files written (kind file).
	Exec bool
	Log  *slog.Logger
	Now  func() time.Time
}

// A Message is what is to be told.
type Message struct {
	// Key is the same for every attempt of a message, and for no other message of any feedonce anywhere.
	Key string
	// First is the Key of the message that told of the article first, for an update; "" where none is known.
	First    string
	Kind     feedonce.DeliveryKind
	Created  time.Time
	Digest   bool      // several articles in one message, or what may become several
	Title    string    // of a digest
	Articles []Article // one, or for a digest one or more; none for a notice
	Notice   string    // a sentence, for a notice
	From     string    // what this installation is called in messages: "feedonce" or the operator's own name
}

// An Article is an entry as destinations tell it. Text is plain; HTML is sanitised.
type Article struct {
	Entry      feedonce.EntryID
	ID         string // stable for ever, the same as in output feeds: a URN
	Feed       feedonce.FeedID
	FeedName   string
	FeedURL    string
	SiteURL    string
	GUID       string
	URL        string // http or https, or ""
	Title      string // plain text; "" where there is none
	Author     string
	Text       string // beginning of the text, plain, at most 500 characters, ends at a word
	HTML       string // whole content or summary, sanitised
	Lang       string
	Image      string // URL of a picture, or ""
	Published  time.Time
	FirstSeen  time.Time
	Revision   int
	Changed    []string // what an update changed, in words
	Also       []string // names of other feeds that have the same story
	Why        string   // address of the page that says why it was told and what was folded into it; "" where none is known
	Enclosures []feedonce.Enclosure
	Categories []string
}

// A Sender sends to one destination. It is safe for concurrent use.
type Sender interface {
	// Preview returns what Send would put on the wire, with secrets masked.
	Preview(Message) (Preview, error)
	// Send makes one attempt. It returns when ctx ends at the latest.
	Send(ctx context.Context, m Message) Result
}

// A Preview is a message in the endpoint's own form.
type Preview struct {
	Type string // media type of Body, such as "application/json"
	Body string
	// Headers are those that matter to the receiver, masked.
	Headers [][2]string
}

// JSON is a body as a preview.
func JSON(v any) (Preview, error) {
	b, err := marshal(v)
	if err != nil {
		return Preview{}, err
	}
	var indented bytes.Buffer
	err = json.Indent(&indented, b, "", "  ")
	return Preview{Type: "application/json", Body: indented.String()}, err
}

// A Result is what came of an attempt.
type Result struct {
	Outcome Outcome
	Status  int           // of the answer, in the protocol's own numbers; 0: there was none
	Excerpt string        // of the answer, without secrets; at most 500 bytes
	After   time.Duration // the endpoint asked for this much patience (Retry-After); 0: it did not
	Err     error         // a sentence for a person; nil where it was accepted
}

// An Outcome says what to do next.
type Outcome string

const (
	Sent    Outcome = "sent"    // accepted
	Retry   Outcome = "retry"   // certainly not accepted; another attempt may be
	Unknown Outcome = "unknown" // the message was written, and no answer came
	Refused Outcome = "refused" // this message will never be accepted: others may be
	Gone    Outcome = "gone"    // the endpoint is no more, or the settings are wrong: no message will be accepted
)
