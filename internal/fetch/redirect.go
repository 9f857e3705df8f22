package fetch

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"
)

// maxRedirects is how many redirects one fetch follows.
const maxRedirects = 10

// errTotal and errSlow are the causes with which a trip cancels itself.
var (
	errTotal = errors.New("total time is up")
	errSlow  = errors.New("throughput below the minimum")
)

// A trip is one fetch under way, from the first request to the end of the body.
type trip struct {
	c      *Client
	req    Request
	parent context.Context
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	stage  stage
	limit  int64 // bytes of a body

	url       *url.URL // being asked now
	from      string   // the URL that redirected here; "" at first
	home      string   // origin of the requested URL, the only one to see credentials
	user      *url.Userinfo
	leftHome  bool // another origin was visited: credentials stay away for good, also on the way back
	cookies   cookies
	seen      []string // URLs redirected from, with the cookies sent
	permanent bool     // every redirect so far was 301 or 308
	movedTo   string
}

func (c *Client) newTrip(ctx context.Context, r Request) (*trip, error) {
	u, user, err := parseTarget(r.URL)
	if err != nil {
		shown := printable(strings.TrimSpace(r.URL))
		if strings.Contains(shown, "@") { // it may hold a password
			shown = ""
			if u != nil {
				shown = u.Redacted()
			}
		}
		if shown == "" {
			shown = "the address"
		}
		return nil, &Error{Kind: KindURL, URL: shown, Reason: brief(shown) + " " + err.Error(), Err: err}
	}
	if r.User != "" || r.Password != "" {
		user = url.UserPassword(r.User, r.Password)
	}
	t := &trip{c: c, req: r, parent: ctx, url: u, home: origin(u), user: user, permanent: true, limit: c.opts.MaxBody}
	if r.MaxBody > 0 {
		t.limit = r.MaxBody
	}
	t.ctx, t.cancel = context.WithCancelCause(t.stage.trace(ctx))
	t.timer = time.AfterFunc(c.opts.Timeout, func() { t.cancel(errTotal) })
	return t, nil
}

func (t *trip) end() {
	t.timer.Stop()
	t.cancel(nil)
}

// follow asks, and goes where redirects lead, until there is an answer.
func (t *trip) follow() (*Response, error) {
	for {
		resp, conditional, err := t.ask()
		if err != nil {
			return nil, err
		}
		switch resp.StatusCode {
		case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
			http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
			discard(resp)
			if err := t.redirect(resp); err != nil {
				return nil, err
			}
		case http.StatusNotModified:
			discard(resp)
			if !conditional {
				return nil, t.fail(KindProtocol, resp.StatusCode, nil,
					"%s answered 304 Not Modified although nothing was asked that this could answer; "+
						"the server or a cache before it is misconfigured", t.host())
			}
			out := t.response(resp)
			out.NotModified = true
			return out, nil
		case http.StatusOK, http.StatusNonAuthoritativeInfo:
			defer resp.Body.Close()
			out := t.response(resp)
			if err := t.readBody(resp, out); err != nil {
				return nil, err
			}
			return out, nil
		default:
			discard(resp)
			return nil, t.statusError(resp)
		}
	}
}

// ask sends one request; conditional says whether it carried a validator.
func (t *trip) ask() (resp *http.Response, conditional bool, err error) {
	if name, bad := badPorts[portOf(t.url)]; bad {
		return nil, false, t.explain(&forbiddenError{port: portOf(t.url), what: name})
	}
	h := make(http.Header, 8)
	h["User-Agent"] = t.c.agent
	h["Accept"] = t.c.accept
	if t.req.Accept != "" && httpguts.ValidHeaderFieldValue(t.req.Accept) {
		h["Accept"] = []string{t.req.Accept}
	}
	h["Accept-Encoding"] = t.c.encodings
	if t.req.ValidFor == "" || t.req.ValidFor == t.url.String() {
		// A validator that is no header value would fail every fetch from now on; without it the document comes whole.
		if v := t.req.ETag; v != "" && httpguts.ValidHeaderFieldValue(v) {
			h["If-None-Match"], conditional = []string{v}, true
		}
		if v := t.req.LastModified; v != "" && httpguts.ValidHeaderFieldValue(v) {
			h["If-Modified-Since"], conditional = []string{v}, true
		}
	}
	if len(t.cookies) > 0 {
		if c := t.cookies.header(origin(t.url)); c != "" {
			h["Cookie"] = []string{c}
		}
	}
	req := (&http.Request{
		Method: http.MethodGet, URL: t.url, Host: t.url.Host, Header: h,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}).WithContext(t.ctx)
	if t.user != nil && !t.leftHome {
		pass, _ := t.user.Password()
		req.SetBasicAuth(t.user.Username(), pass)
	}
	t.stage.enter(stageConnect)
	resp, err = t.c.transport.RoundTrip(req)
	if err != nil {
		return nil, false, t.explain(err)
	}
	t.stage.enter(stageBody)
	return resp, conditional, nil
}

// redirect moves the trip to where resp points.
func (t *trip) redirect(resp *http.Response) error {
	status := resp.StatusCode
	loc := strings.TrimSpace(resp.Header.Get("Location"))
	if loc == "" {
		return t.fail(KindRedirect, status, nil, "%s answered %s without saying where to; the server is misconfigured",
			t.host(), statusText(status))
	}
	next, err := t.url.Parse(loc)
	if err == nil {
		_, err = normalize(next) // user info that a server puts into a redirect is not ours to send
	}
	if err != nil {
		return t.fail(KindRedirect, status, err, "%s redirects to something that is no web address (%s); "+
			"check the address in a browser", t.host(), brief(printable(loc)))
	}
	t.seen = append(t.seen, t.url.String()+" "+t.cookies.header(origin(t.url)))
	t.cookies.keep(origin(t.url), resp)
	if len(t.seen) > maxRedirects {
		return t.fail(KindRedirect, status, nil, "%s redirects more than %d times; check the address in a browser",
			t.host(), maxRedirects)
	}
	if slices.Contains(t.seen, next.String()+" "+t.cookies.header(origin(next))) {
		return t.fail(KindRedirect, status, nil, "%s redirects in a circle (%s leads back to %s); check the address in a browser",
			t.host(), brief(t.url.String()), brief(next.String()))
	}
	if status != http.StatusMovedPermanently && status != http.StatusPermanentRedirect {
		t.permanent = false
	}
	if origin(next) != t.home {
		t.leftHome = true
	}
	if t.permanent {
		moved := *next
		if !t.leftHome && t.req.User == "" && t.req.Password == "" {
			moved.User = t.user
		}
		t.movedTo = moved.String()
	}
	t.from, t.url = t.url.String(), next
	return nil
}

// response starts the Response for resp, with all that headers say.
func (t *trip) response(resp *http.Response) *Response {
	return &Response{
		ContentType:  printable(resp.Header.Get("Content-Type")),
		ETag:         validator(resp.Header.Get("ETag")),
		LastModified: validator(resp.Header.Get("Last-Modified")),
		URL:          t.url.String(),
		MovedTo:      t.movedTo,
		MaxAge:       maxAge(resp.Header, time.Now()),
	}
}

// validator drops what could not be sent back, or not be stored: a database takes UTF-8 only.
func validator(v string) string {
	if !httpguts.ValidHeaderFieldValue(v) || !utf8.ValidString(v) {
		return ""
	}
	return v
}

// discard ends a response whose body is not wanted. A short body is read, so that the connection can be used again.
func discard(resp *http.Response) {
	const short = 2 << 10
	if resp.ContentLength > 0 && resp.ContentLength <= short {
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, short))
	}
	_ = resp.Body.Close()
}
