package dest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
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
	// judge, if set, says what an answer means that the status does not tell; "" leaves it to the status.
	judge func(status int, body []byte) (Outcome, string)
}

// send makes one attempt over HTTP and says what came of it.
func send(ctx context.Context, env Env, r request) Result {
	var written atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteHeaders: func() { written.Store(true) }, // from here on it may arrive
	})
	method := r.method
	if method == "" {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(ctx, method, r.url, bytes.NewReader(r.body))
	if err != nil {
		return Result{Outcome: Gone, Err: fmt.Errorf("the address cannot be used: %s", r.masked(err.Error()))}
	}
	for name, values := range r.header {
		req.Header[name] = values
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "feedonce")
	}
	// A connection that was kept and then lost would have the request sent again without our knowing.
	req.GetBody = nil
	resp, err := env.Client.Do(req)
	if err != nil {
		return r.failed(err, written.Load())
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	res := Result{Status: resp.StatusCode, Excerpt: r.masked(excerpt(string(body))), After: retryAfter(resp.Header.Get("Retry-After"), env.Now())}
	if err != nil && len(body) == 0 && resp.StatusCode/100 == 2 {
		res.Outcome, res.Err = Unknown, fmt.Errorf("the answer broke off after its status, %s", resp.Status)
		return res
	}
	r.classify(&res, resp, body)
	return res
}

// classify says what an answer means.
func (r request) classify(res *Result, resp *http.Response, body []byte) {
	if r.judge != nil {
		if outcome, why := r.judge(resp.StatusCode, body); outcome != "" {
			res.Outcome = outcome
			if outcome != Sent {
				res.Err = errors.New(why)
			}
			return
		}
	}
	status := resp.Status
	switch code := resp.StatusCode; {
	case code/100 == 2:
		res.Outcome = Sent
		return
	case code/100 == 3:
		res.Outcome = Gone
		to := resp.Header.Get("Location")
		if u, err := url.Parse(to); err == nil && u.Host != "" {
			to = u.Host
		}
		res.Err = fmt.Errorf("the endpoint answers %s and leads elsewhere (%s); messages are not carried after it: enter the address it leads to", status, r.masked(excerpt(to)))
	case code == http.StatusGone:
		res.Outcome, res.Err = Gone, errors.New("the endpoint is gone (410): it wants no more messages")
	case code == http.StatusTooManyRequests, code == http.StatusRequestTimeout, code == http.StatusTooEarly:
		res.Outcome, res.Err = Retry, fmt.Errorf("the endpoint wants it later (%s)", status)
	case code/100 == 5:
		res.Outcome, res.Err = Retry, fmt.Errorf("the endpoint failed (%s)", status)
	case code == http.StatusUnauthorized, code == http.StatusForbidden, code == http.StatusNotFound:
		res.Outcome, res.Err = Refused, fmt.Errorf("the endpoint refuses it (%s): look whether its address and its key are right", status)
	default:
		res.Outcome, res.Err = Refused, fmt.Errorf("the endpoint refuses it (%s)", status)
	}
}

// failed says what an attempt without an answer means.
func (r request) failed(err error, written bool) Result {
	why := r.masked(reason(err))
	if written {
		return Result{Outcome: Unknown, Err: fmt.Errorf("the message was written, and no answer came: %s", why)}
	}
	return Result{Outcome: Retry, Err: fmt.Errorf("the endpoint could not be reached: %s", why)}
}

// reason is an error without the address that http puts before it.
func reason(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "it took too long"
	}
	if errors.Is(err, context.Canceled) {
		return "the program was ending"
	}
	return err.Error()
}

func (r request) masked(s string) string {
	for _, h := range r.hide {
		if len(h) >= 4 {
			s = strings.ReplaceAll(s, h, "••••")
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
	if v == "" {
		return 0
	}
	if n, err := strconv.ParseFloat(v, 64); err == nil {
		if n < 0 || n > maxAfter.Seconds() {
			return maxAfter
		}
		return time.Duration(n * float64(time.Second))
	}
	if at, err := http.ParseTime(v); err == nil && at.After(now) {
		return min(at.Sub(now), maxAfter)
	}
	return 0
}

// address checks an address that a person set.
func address(field, v string) error {
	u, err := url.Parse(v)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return &feedonce.InvalidError{Field: field, Reason: "must be an address that begins with https:// or http://"}
	}
	return nil
}
