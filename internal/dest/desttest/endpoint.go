package desttest

import (
	"bytes"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// An Endpoint is an HTTP server that takes the messages of one kind by the rules of that kind. It is safe for concurrent use,
// and ends with its test.
type Endpoint struct {
	Base string // address of the server, without a path
	// URL is the address that messages are posted to.
	URL string
	// Client follows no redirects, and trusts the endpoint's certificate, where it has one.
	Client *http.Client

	rules func(Request) Answer
	done  chan struct{}

	mu       sync.Mutex
	fault    func(n int) *Fault
	requests int
	accepted []Request
	refused  []string
}

// A Request is what came in.
type Request struct {
	Method, Path, Query string
	Header              http.Header
	Body                []byte
}

// An Answer is what is said to a request. One with a status of the 2xx accepts the message.
type Answer struct {
	Status int
	Header map[string]string
	Body   string
}

// A Fault is what an endpoint does instead of answering by its rules.
type Fault struct {
	Answer      // is said, unless one of those below is set
	Accept bool // the message is taken first, if the rules allow, as if nothing were wrong
	Hang   bool // no answer, until the sender gives up
	Reset  bool // the connection is reset, after the request was read
	Early  bool // the connection is reset before the body was read
	Cut    bool // the connection breaks within the answer, after its status and headers
}

// Some faults that endpoints of all kinds have.
var (
	Hanging   = Fault{Hang: true}
	Resetting = Fault{Reset: true}
	Down      = Fault{Answer: Answer{Status: http.StatusInternalServerError, Body: "something broke"}}
	Gone      = Fault{Answer: Answer{Status: http.StatusGone, Body: "gone"}}
)

// Busy is a fault that asks for patience by Retry-After (RFC 9110 10.2.3), with status 429 or 503.
func Busy(status int, after string) Fault {
	return Fault{Answer: Answer{Status: status, Header: map[string]string{"Retry-After": after}, Body: "later"}}
}

// Redirecting is a fault that leads to another address.
func Redirecting(status int, to string) Fault {
	return Fault{Answer: Answer{Status: status, Header: map[string]string{"Location": to}}}
}

// Saying is a fault that answers with a status and a body.
func Saying(status int, body string) Fault { return Fault{Answer: Answer{Status: status, Body: body}} }

// newEndpoint starts an endpoint at a path.
func newEndpoint(t testing.TB, path string, rules func(Request) Answer) *Endpoint {
	t.Helper()
	return startEndpoint(t, path, rules, (*httptest.Server).Start)
}

func startEndpoint(t testing.TB, path string, rules func(Request) Answer, start func(*httptest.Server)) *Endpoint {
	t.Helper()
	e := &Endpoint{rules: rules, done: make(chan struct{})}
	server := httptest.NewUnstartedServer(http.HandlerFunc(e.serve))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes that a test has fail
	start(server)
	e.Base, e.URL, e.Client = server.URL, server.URL+path, server.Client()
	e.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	t.Cleanup(func() {
		close(e.done)
		server.CloseClientConnections()
		server.Close()
	})
	return e
}

// NewHTTP starts an endpoint without rules, which accepts every message with 204.
func NewHTTP(t testing.TB) *Endpoint {
	return newEndpoint(t, "/hook/geheim-token", func(Request) Answer { return Answer{Status: http.StatusNoContent} })
}

// NewHTTPS is NewHTTP with TLS, and a certificate that only Client trusts.
func NewHTTPS(t testing.TB) *Endpoint {
	return startEndpoint(t, "/hook/geheim-token", func(Request) Answer { return Answer{Status: http.StatusNoContent} }, (*httptest.Server).StartTLS)
}

// SetFault says what goes wrong from now on: fault gets the number of the request, which starts from 1, and returns nil where
// nothing does. A nil fault is none.
func (e *Endpoint) SetFault(fault func(n int) *Fault) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.fault, e.requests = fault, 0
}

// Always has every request from now on go wrong in one way.
func (e *Endpoint) Always(f Fault) { e.SetFault(func(int) *Fault { return &f }) }

// Requests says how many requests came since the last SetFault, accepted or not.
func (e *Endpoint) Requests() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.requests
}

// Accepted returns the requests that were accepted, in order. The sender need not know that they were.
func (e *Endpoint) Accepted() []Request {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.accepted)
}

// Refused returns what the rules answered to the requests that broke them.
func (e *Endpoint) Refused() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.refused)
}

func (e *Endpoint) serve(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	e.requests++
	var fault *Fault
	if e.fault != nil {
		fault = e.fault(e.requests)
	}
	e.mu.Unlock()
	if fault != nil && fault.Early {
		reset(w)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the sender broke off
	}
	if fault != nil {
		if fault.Accept {
			e.take(r, body)
		}
		e.fail(w, r, fault)
		return
	}
	say(w, e.take(r, body))
}

// take asks the rules, and keeps what they accept.
func (e *Endpoint) take(r *http.Request, body []byte) Answer {
	req := Request{r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Clone(), body}
	a := e.rules(req)
	e.mu.Lock()
	defer e.mu.Unlock()
	if a.Status/100 == 2 {
		e.accepted = append(e.accepted, req)
	} else {
		e.refused = append(e.refused, a.Body)
	}
	return a
}

func (e *Endpoint) fail(w http.ResponseWriter, r *http.Request, f *Fault) {
	switch {
	case f.Hang:
		select {
		case <-r.Context().Done():
		case <-e.done:
		}
		reset(w)
	case f.Reset:
		reset(w)
	case f.Cut:
		w.Header().Set("Content-Length", "100")
		w.WriteHeader(max(f.Status, http.StatusOK))
		io.WriteString(w, "o")
		http.NewResponseController(w).Flush()
		reset(w)
	default:
		say(w, f.Answer)
	}
}

func say(w http.ResponseWriter, a Answer) {
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(a.Status)
	io.Copy(w, bytes.NewReader([]byte(a.Body)))
}

// reset ends the connection with a reset, by which the other side knows that something went wrong.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	conn.Close()
}
