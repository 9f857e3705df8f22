package fetch

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain fails the run when a fetch leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const feedXML = `<?xml version="1.0"?><rss version="2.0"><channel><title>T</title><item><guid>1</guid></item></channel></rss>`

// loopback is what the tests' servers listen on.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// newClient returns a client that may reach 127.0.0.0/8, unless o names other networks. Its time-out is long enough
// not to matter where a test is not about it.
func newClient(t testing.TB, o Options) *Client {
	t.Helper()
	if o.AllowNets == nil {
		o.AllowNets = loopback
	}
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	c := New(o)
	t.Cleanup(c.Close)
	return c
}

// serve starts a server with one handler for all paths.
func serve(t testing.TB, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// serveRaw starts a TCP server on host that gives every connection to talk after reading the request's header, and
// closes it when talk returns. It returns the server's "host:port".
func serveRaw(t testing.TB, host string, talk func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				r := bufio.NewReader(c)
				for {
					line, err := r.ReadString('\n')
					if err != nil {
						return
					}
					if line == "\r\n" {
						break
					}
				}
				talk(c)
			}()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return l.Addr().String()
}

// say returns a talk for serveRaw that writes text and closes.
func say(text string) func(net.Conn) {
	return func(c net.Conn) { _, _ = io.WriteString(c, text) }
}

// untilGone blocks until the client has closed the connection.
func untilGone(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

func mustGet(t testing.TB, c *Client, r Request) *Response {
	t.Helper()
	resp, err := c.Get(context.Background(), r)
	if err != nil {
		t.Fatalf("Get %s: %v", r.URL, err)
	}
	return resp
}

// wantError fetches and checks that it fails with kind, and that the sentence contains all words.
func wantError(t testing.TB, c *Client, r Request, kind Kind, words ...string) *Error {
	t.Helper()
	resp, err := c.Get(context.Background(), r)
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("Get %s gave %+v and error %v, want an *Error of kind %q", r.URL, resp, err, kind)
	}
	if e.Kind != kind {
		t.Errorf("kind is %q, want %q, of: %v (%v)", e.Kind, kind, e, e.Err)
	}
	for _, w := range words {
		if !strings.Contains(e.Error(), w) {
			t.Errorf("the error does not say %q: %v", w, e)
		}
	}
	return e
}
