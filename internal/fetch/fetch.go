// Package fetch is the only outbound HTTP client of the program: polite, bounded, guarded.
package fetch

import (
	"context"
	"errors"
	"net/netip"
	"time"
)

// Options configure a Client. The zero value has the defaults named.
type Options struct {
	UserAgent  string         // default "feedonce/VERSION (+https://feedonce.example/)"-like, with a contact URL
	Timeout    time.Duration  // for everything: connect, redirects, body; default 20 s
	MaxBody    int64          // decoded bytes; default 10 MiB. Wire bytes have the same limit
	AllowNets  []netip.Prefix // private networks that may be reached all the same
	Version    string         // of the program, for the User-Agent
	ContactURL string         // for the User-Agent
}

// A Client fetches. It is safe for concurrent use and keeps connections alive.
type Client struct{}

// New returns a client.
func New(o Options) *Client { return &Client{} }

// A Request is a conditional GET.
type Request struct {
	URL          string
	ETag         string // as received with the last document; sent as If-None-Match
	LastModified string // as received with the last document; sent as If-Modified-Since
	Accept       string // default: feeds first
	User         string // HTTP basic auth; credentials never leave the origin of URL
	Password     string
}

// A Response is an answer that can be used: 200 or 304.
type Response struct {
	NotModified  bool
	Body         []byte // content-decoded, not charset-decoded; nil when NotModified
	ContentType  string
	ETag         string
	LastModified string
	URL          string // where the body came from, after redirects
	// MovedTo is where the URL moved for good: the end of an unbroken chain of 301 and 308 from the requested
	// URL; "" where there was none.
	MovedTo string
	// MaxAge is how long the publisher says the answer stays fresh (Cache-Control, Expires); 0 is unsaid.
	MaxAge   time.Duration
	Wire     int64 // bytes received
	Took     time.Duration
	Received time.Time
}

// Kind says what went wrong, for the caller to act on.
type Kind string

const (
	KindURL       Kind = "url"       // the URL itself is no http(s) URL
	KindDNS       Kind = "dns"       // the host has no address
	KindConnect   Kind = "connect"   // refused, unreachable, reset
	KindTLS       Kind = "tls"       // certificate or handshake
	KindForbidden Kind = "forbidden" // the address is private and not allowed
	KindTimeout   Kind = "timeout"   // too slow, at whatever stage
	KindRedirect  Kind = "redirect"  // a loop, more than 10, or no Location
	KindTooLarge  Kind = "too large" // a limit on size
	KindEncoding  Kind = "encoding"  // broken or unknown Content-Encoding
	KindGone      Kind = "gone"      // 410
	KindStatus    Kind = "status"    // any other status than 200 and 304
	KindProtocol  Kind = "protocol"  // no valid HTTP
)

// An Error is a fetch that gave no document. Its text is a sentence for a person: what, where and what to do.
type Error struct {
	Kind       Kind
	URL        string        // the URL that failed, after redirects
	Status     int           // HTTP status; 0 where there was none
	RetryAfter time.Duration // what the server asked (429, 503); 0 is unsaid
	Reason     string
	Err        error
}

func (e *Error) Error() string { return e.Reason }
func (e *Error) Unwrap() error { return e.Err }

// Get fetches. Every error is a *Error, or the context's.
func (c *Client) Get(ctx context.Context, r Request) (*Response, error) {
	return nil, errors.New("not yet")
}

// Close drops idle connections.
func (c *Client) Close() {}
