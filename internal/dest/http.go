package dest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"feedonce"
)

const (
	// maxAnswer is how much of an answer is read, in bytes.
	maxAnswer = 16 << 10
	// maxExcerpt is how much of it is kept.
	maxExcerpt = 500
	// maxAfter is the longest patience that an endpoint can ask for.
	maxAfter = 24 * time.Hour
)

// A request is what an HTTP endpoint is sent.
type request struct {
	method string // "" is POST
	url    string
	header http.Header
	body   []byte
	// hide are secrets that must not be kept of an answer or an error, such as the address itself.
	hide []string
	// fresh makes a connection for this request alone. One that was kept may be dead already, which shows only after the
	// message was written; at an endpoint that is not idempotent that would be one more message of unknown fate.
	fresh bool
	// judge, if set, says what an answer means that the status does not tell; "" leaves it to the status. It may lengthen
	// the patience that was asked for.
	judge func(answer) (outcome Outcome, why string)
}

// An answer is what an endpoint said.
type answer struct {
	status int
	header http.Header
	body   []byte
	after  *time.Duration
}

// jsonRequest is a request whose body is JSON. HTML characters stay as they are: bodies are for programs, and are shown to
// people in previews.
func jsonRequest(url string, v any, hide ...string) (request, error) {
	body, err := marshal(v)
	return request{url: url, header: http.Header{"Content-Type": {"application/json"}}, body: body, hide: append(hide, url)}, err
}

// preview shows JSON that is posted to an address, of which it shows no more than its host.
func preview(to string, v any, headers ...[2]string) (Preview, error) {
	p, err := JSON(v)
	masked := "/…"
	if u, err := url.Parse(to); err == nil {
		masked = u.Scheme + "://" + u.Host + masked
	}
	p.Headers = append([][2]string{{"To", masked}}, headers...)
	return p, err
}

// marshal is json.Marshal without the escapes for pages.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// send makes one attempt over HTTP and says what came of it.
//
// While the last byte of the body has not been asked for by the transport, the endpoint cannot have the whole message: an
// attempt that fails before is certain to have failed. (httptrace's WroteRequest comes after the last byte was written, and
// over HTTP/2 possibly after the answer; a connection lost in between would look as if nothing had been sent.)
func send(ctx context.Context, env Env, r request) Result {
	method := r.method
	if method == "" {
		method = http.MethodPost
	}
	body := &watched{r: bytes.NewReader(r.body)}
	req, err := http.NewRequestWithContext(ctx, method, r.url, body)
	if err != nil {
		return Result{Outcome: Gone, Err: fmt.Errorf("the address cannot be used: %s", r.masked(reason(err)))}
	}
	// Without GetBody the transport cannot send the message again by itself.
	req.ContentLength, req.Close = int64(len(r.body)), r.fresh
	for name, values := range r.header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "feedonce")
	}
	// Not by the client, which would look at where a redirect leads, and lose the answer where it cannot.
	transport := env.Client.Transport
	if transport == nil {
		transport = http.DefaultTransport
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return r.failed(ctx, err, body.all.Load())
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	res := Result{Status: resp.StatusCode, Excerpt: excerpt(r.masked(string(text))), After: retryAfter(resp.Header.Get("Retry-After"), env.Now())}
	if err != nil && r.judge != nil && resp.StatusCode/100 == 2 {
		// What it said would have told more than the status.
		res.Outcome, res.Err = Unknown, fmt.Errorf("the answer broke off after its status, %s", resp.Status)
	} else {
		r.classify(&res, resp, text)
	}
	if res.Outcome != Retry {
		res.After = 0
	}
	return res
}

// watched is a body that knows when all of it was read.
type watched struct {
	r   *bytes.Reader
	all atomic.Bool
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if w.r.Len() == 0 {
		w.all.Store(true)
	}
	return n, err
}

// classify says what an answer means.
func (r request) classify(res *Result, resp *http.Response, body []byte) {
	if r.judge != nil {
		if outcome, why := r.judge(answer{resp.StatusCode, resp.Header, body, &res.After}); outcome != "" {
			res.Outcome = outcome
			if outcome != Sent {
				res.Err = errors.New(r.masked(why))
			}
			return
		}
	}
	status := fmt.Sprintf("%d %s", resp.StatusCode, http.StatusText(resp.StatusCode)) // the endpoint's own words are in the excerpt
	switch code := resp.StatusCode; {
	case code/100 == 2:
		res.Outcome = Sent
	case code/100 == 3:
		res.Outcome, res.Err = Gone, fmt.Errorf("the endpoint answers %s and leads to another address%s, where messages are not carried by themselves: "+
			"if that one is right, enter it as the destination's address", status, r.leadsTo(resp))
	case code == http.StatusGone:
		res.Outcome, res.Err = Gone, errors.New("the endpoint is gone (410): it wants no more messages")
	case code == http.StatusTooManyRequests, code == http.StatusRequestTimeout, code == http.StatusTooEarly, code == http.StatusServiceUnavailable:
		res.Outcome, res.Err = Retry, fmt.Errorf("the endpoint wants it later (%s)", status)
	case code/100 == 5:
		res.Outcome, res.Err = Retry, fmt.Errorf("the endpoint failed (%s)", status)
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		res.Outcome, res.Err = Gone, fmt.Errorf("the endpoint lets nobody in with these settings (%s): look whether the address and the key, token or password are right", status)
	case code == http.StatusNotFound, code == http.StatusMethodNotAllowed:
		res.Outcome, res.Err = Gone, fmt.Errorf("nothing takes messages at this address (%s): look whether it is right, and still there", status)
	case code == http.StatusRequestEntityTooLarge:
		res.Outcome, res.Err = Refused, fmt.Errorf("the message is too large for the endpoint (%s)", status)
	default:
		res.Outcome, res.Err = Refused, fmt.Errorf("the endpoint refuses the message (%s)", status)
	}
}

// leadsTo names the host of a redirect, and no more of it: a path may have a secret in it.
func (r request) leadsTo(resp *http.Response) string {
	to, err := resp.Location()
	if err != nil {
		return ""
	}
	from, _ := url.Parse(r.url)
	if from != nil && from.Host == to.Host && from.Scheme == to.Scheme {
		return " on the same host"
	}
	return " (" + to.Scheme + "://" + excerpt(r.masked(to.Host)) + "/…)"
}

// masked is a text without the secrets of the request: whole, and in the parts by which servers name an address.
func (r request) masked(s string) string {
	for _, h := range r.hide {
		if len(h) < 4 {
			continue
		}
		s = strings.ReplaceAll(s, h, "••••")
		u, err := url.Parse(h)
		if err != nil || u.Host == "" {
			continue
		}
		for _, part := range []string{u.RequestURI(), u.EscapedPath(), u.Path} {
			if len(part) >= 8 {
				s = strings.ReplaceAll(s, part, "/••••")
			}
		}
		parts := strings.Split(u.Path, "/")
		for _, values := range u.Query() {
			parts = append(parts, values...)
		}
		for _, part := range parts {
			if len(part) >= 12 { // shorter ones are words, such as "webhooks"
				s = strings.ReplaceAll(s, part, "••••")
			}
		}
	}
	return s
}

// excerpt is the beginning of an answer, in one line.
func excerpt(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "�")), " ")
	return cut(s, maxExcerpt)
}

// cut cuts text to at most n bytes, at a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}

// retryAfter reads Retry-After (RFC 9110 10.2.3): seconds, or a date.
func retryAfter(v string, now time.Time) time.Duration {
	v = strings.TrimSpace(v)
	if n, err := strconv.ParseFloat(v, 64); err == nil {
		return seconds(n)
	}
	if at, err := http.ParseTime(v); err == nil && at.After(now) {
		return min(at.Sub(now), maxAfter)
	}
	return 0
}

// seconds is a time to wait as an endpoint gives it, within bounds.
func seconds(n float64) time.Duration {
	if !(n > 0) { // or no number
		return 0
	}
	return time.Duration(min(n, maxAfter.Seconds()) * float64(time.Second))
}

// address checks an address that a person set.
func address(field, v string) error {
	u, err := url.Parse(v)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return &feedonce.InvalidError{Field: field, Reason: "must be an address that begins with https:// or http://"}
	case u.User != nil:
		return &feedonce.InvalidError{Field: field, Reason: "must have no user name or password in it"}
	}
	return nil
}
