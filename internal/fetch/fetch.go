// Package fetch is the only outbound HTTP client of the program: polite, bounded, guarded.
//
// A fetch is one conditional GET. It goes through these steps, each in a file of its own:
//
//	target.go     the URL is parsed and its origin noted; user info becomes basic auth
//	guard.go      the address that is really dialled is checked, after DNS, so that a name cannot smuggle one in
//	ports.go      ports that never speak HTTP are refused
//	redirect.go   redirects are followed by our own loop, since the standard client's carries credentials too far
//	cookies.go    cookies live for one fetch, and only at the origin that set them
//	body.go       the body is read under limits on bytes, time and throughput
//	encoding.go   Content-Encoding is undone, also where its label is wrong
//	freshness.go  Cache-Control, Expires and Retry-After
//	explain.go    whatever went wrong becomes a sentence for a person
//
// Discover and Find (discover.go, find.go) look for the feeds of a web page.
package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"time"

	"golang.org/x/net/http/httpguts"
)

// DefaultContactURL is where the User-Agent sends a publisher with questions, unless Options name another page.
const DefaultContactURL = "https://feedonce.example/"

// The defaults of Options.
const (
	DefaultTimeout    = 20 * time.Second
	DefaultMaxBody    = 10 << 20
	DefaultMaxHeader  = 256 << 10
	DefaultMinRate    = 1 << 10
	DefaultRateWindow = 10 * time.Second
)

// Options configure a Client. The zero value has the defaults named.
type Options struct {
	UserAgent  string         // default "feedonce/VERSION (+ContactURL)"
	Version    string         // of the program, for the User-Agent; default "dev"
	ContactURL string         // for the User-Agent; default DefaultContactURL
	Timeout    time.Duration  // for everything: DNS, connect, redirects, body; default 20 s
	MaxBody    int64          // decoded bytes, and wire bytes of a body; default 10 MiB
	MaxHeader  int64          // bytes of a response's header; default 256 KiB
	MinRate    int64          // bytes a second a body must bring, averaged over RateWindow; default 1 KiB, negative is none
	RateWindow time.Duration  // default 10 s
	AllowNets  []netip.Prefix // private networks that may be reached all the same; see ParseNets
	RootCAs    *x509.CertPool // default: the system's
}

// A Client fetches. It is safe for concurrent use and keeps connections alive.
type Client struct {
	opts      Options
	dialer    *net.Dialer
	transport *http.Transport
	// Header values, shared by all requests and never changed.
	agent, accept, encodings []string
}

const (
	// acceptFeeds asks for feeds first, and takes anything: many servers label feeds as they please, and some
	// answer 406 to a header without "*/*".
	acceptFeeds = "application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml, " +
		"application/xml;q=0.9, text/xml;q=0.9, application/json;q=0.8, text/html;q=0.5, */*;q=0.3"
	acceptEncoding = "gzip, deflate, br, zstd"
)

// New returns a client.
func New(o Options) *Client {
	o = o.withDefaults()
	c := &Client{opts: o, agent: []string{o.UserAgent}, accept: []string{acceptFeeds}, encodings: []string{acceptEncoding}}
	c.dialer = &net.Dialer{
		// A dial goes on after its request has given up, so it needs a limit of its own. It is the later one, so
		// that the sentence is about the whole fetch, and not much later, since it is shared out among the
		// addresses of a host.
		Timeout:   o.Timeout + time.Second,
		KeepAlive: 15 * time.Second,
		// The resolver of the C library takes "127.1" and decimal numbers for addresses; Go's does not.
		Resolver: &net.Resolver{PreferGo: true},
		Control:  newGuard(o.AllowNets).control,
	}
	c.transport = &http.Transport{
		Proxy:                  nil, // a proxy would make the check of the dialled address worthless
		DialContext:            c.dialer.DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: o.RootCAs},
		TLSHandshakeTimeout:    o.Timeout + time.Second,
		ForceAttemptHTTP2:      true, // off by default with a dialer of one's own
		DisableCompression:     true, // encoding.go counts wire bytes and knows more encodings
		MaxResponseHeaderBytes: o.MaxHeader,
		MaxIdleConns:           128,
		MaxIdleConnsPerHost:    2, // as many as one host is asked at a time
		IdleConnTimeout:        30 * time.Second,
	}
	return c
}

func (o Options) withDefaults() Options {
	or := func(v *int64, d int64) {
		if *v == 0 {
			*v = d
		}
	}
	if o.Version == "" {
		o.Version = "dev"
	}
	if o.ContactURL == "" {
		o.ContactURL = DefaultContactURL
	}
	if o.UserAgent == "" || !httpguts.ValidHeaderFieldValue(o.UserAgent) {
		o.UserAgent = "feedonce/" + o.Version + " (+" + o.ContactURL + ")"
	}
	if !httpguts.ValidHeaderFieldValue(o.UserAgent) {
		o.UserAgent = "feedonce (+" + DefaultContactURL + ")"
	}
	or((*int64)(&o.Timeout), int64(DefaultTimeout))
	or((*int64)(&o.RateWindow), int64(DefaultRateWindow))
	or(&o.MaxBody, DefaultMaxBody)
	or(&o.MaxHeader, DefaultMaxHeader)
	or(&o.MinRate, DefaultMinRate)
	return o
}

// A Request is a conditional GET.
type Request struct {
	URL          string
	ETag         string // as received with the last document; sent as If-None-Match
	LastModified string // as received with the last document; sent as If-Modified-Since
	// ValidFor is the URL that ETag and LastModified came from (Response.URL of that time). When set, they are
	// sent to that URL only, so that a redirect that now leads elsewhere cannot answer 304 about another
	// document. When "", they are sent to every URL of the chain.
	ValidFor string
	Accept   string // default: feeds first
	User     string // HTTP basic auth; credentials never leave the origin of URL
	Password string
	MaxBody  int64 // a limit for this request, below or above that of Options; 0 is theirs
}

// A Response is an answer that can be used: 200 (or 203) or 304.
type Response struct {
	NotModified bool
	Body        []byte // content-decoded, not charset-decoded; nil when NotModified, otherwise never nil
	// Truncated says that Body is only the beginning: the connection broke, the body was shorter than its
	// Content-Length, or its compression ended early or was damaged. What is there can be parsed, but absence
	// means nothing. ETag, LastModified and MaxAge are empty then, since the document is not known in full.
	Truncated   bool
	ContentType string
	// ETag and LastModified are verbatim as received; with 304 they are what the server repeated, usually "".
	ETag         string
	LastModified string
	URL          string // where the body came from, after redirects; without user info and fragment
	// MovedTo is where the URL moved for good: the end of an unbroken chain of 301 and 308 from the requested
	// URL; "" where there was none. It keeps the user info of the requested URL while the origin is the same.
	MovedTo string
	// MaxAge is how long the publisher says the answer stays fresh (Cache-Control, Expires); 0 is unsaid.
	MaxAge   time.Duration
	Wire     int64 // bytes of the body as they came over the wire
	Took     time.Duration
	Received time.Time
}

// Get fetches. Every error is a *Error, or the context's.
func (c *Client) Get(ctx context.Context, r Request) (*Response, error) {
	start := time.Now()
	t, err := c.newTrip(ctx, r)
	if err != nil {
		return nil, err
	}
	defer t.end()
	resp, err := t.follow()
	if err != nil {
		return nil, err
	}
	resp.Received = time.Now()
	resp.Took = resp.Received.Sub(start)
	return resp, nil
}

// Close drops idle connections.
func (c *Client) Close() { c.transport.CloseIdleConnections() }
