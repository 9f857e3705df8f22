package fetch

import "time"

// Kind says what went wrong, for the caller to act on.
type Kind string

const (
	KindURL       Kind = "url"       // the URL itself is no http(s) URL
	KindDNS       Kind = "dns"       // the host has no address
	KindConnect   Kind = "connect"   // refused, unreachable, reset
	KindTLS       Kind = "tls"       // certificate or handshake
	KindForbidden Kind = "forbidden" // the address is private and not allowed, or the port never speaks HTTP
	KindTimeout   Kind = "timeout"   // too slow, at whatever stage
	KindRedirect  Kind = "redirect"  // a loop, more than 10, or no Location
	KindTooLarge  Kind = "too large" // a limit on size
	KindEncoding  Kind = "encoding"  // broken or unknown Content-Encoding
	KindGone      Kind = "gone"      // 410
	KindStatus    Kind = "status"    // any other status than 200, 203 and 304
	KindProtocol  Kind = "protocol"  // no valid HTTP
)

// An Error is a fetch that gave no document. Its text is a sentence for a person: what, where and what to do. It
// never contains anything of the body of the answer, nor credentials.
type Error struct {
	Kind       Kind
	URL        string        // the URL that failed, after redirects; without user info
	Status     int           // HTTP status; 0 where there was none
	RetryAfter time.Duration // what the server asked, at most 7 days; 0 is unsaid
	Reason     string
	Err        error
}

func (e *Error) Error() string { return e.Reason }
func (e *Error) Unwrap() error { return e.Err }
