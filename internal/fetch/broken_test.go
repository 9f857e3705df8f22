package fetch

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// reset closes a connection so that the other side gets RST.
func reset(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) }

func TestBrokenAnswers(t *testing.T) {
	for _, tt := range []struct {
		name string
		talk func(net.Conn)
		kind Kind
		says string
	}{
		{"closed at once", func(net.Conn) {}, KindConnect, "closed the connection before it answered"},
		{"reset at once", reset, KindConnect, "closed the connection before it answered"},
		{"half a header", say("HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n"), KindConnect, "closed the connection before it answered"},
		{"reset before the body", func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
			reset(c)
		}, KindConnect, "closed the connection before"},
		{"no body at all", say("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"), KindConnect, "before it sent any of the document"},
		{"another protocol", say("SSH-2.0-OpenSSH_9.6\r\n"), KindProtocol, "valid HTTP"},
		{"bytes", say("\x00\x01\x02\x03\x04\x05\r\n\r\n"), KindProtocol, "valid HTTP"},
		{"status that is none", say("HTTP/1.1 abc OK\r\n\r\n"), KindProtocol, "valid HTTP"},
		{"header without a colon", say("HTTP/1.1 200 OK\r\nnonsense\r\n\r\n"), KindProtocol, "valid HTTP"},
		{"two lengths", say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n<rss/>"), KindProtocol, "valid HTTP"},
		{"negative length", say("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n<rss/>"), KindProtocol, "valid HTTP"},
		{"unknown transfer encoding", say("HTTP/1.1 200 OK\r\nTransfer-Encoding: rot13\r\n\r\n<rss/>"), KindProtocol, "valid HTTP"},
		{"a TLS alert", say("\x15\x03\x01\x00\x02\x02\x0a"), KindProtocol, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr := serveRaw(t, "127.0.0.1", tt.talk)
			wantError(t, newClient(t, Options{}), Request{URL: "http://" + addr + "/feed"}, tt.kind, tt.says)
		})
	}
	t.Run("nobody listens", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addr := l.Addr().String()
		_ = l.Close()
		wantError(t, newClient(t, Options{}), Request{URL: "http://" + addr}, KindConnect, addr+" refused the connection")
	})
}

func TestBodiesThatEndEarly(t *testing.T) {
	head := "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nLast-Modified: x\r\nCache-Control: max-age=9\r\n"
	for _, tt := range []struct {
		name string
		talk func(net.Conn)
		want string
	}{
		{"shorter than its length", say(head + "Content-Length: 500\r\n\r\n" + feedXML), feedXML},
		{"chunked without an end", say(head + "Transfer-Encoding: chunked\r\n\r\n6\r\n<rss>\n\r\n"), "<rss>\n"},
		{"chunked and then not", say(head + "Transfer-Encoding: chunked\r\n\r\n6\r\n<rss>\n\r\nzzz\r\n"), "<rss>\n"},
		{"gzip shorter than its length", say(head + "Content-Encoding: gzip\r\nContent-Length: 5000\r\n\r\n" + string(gzipped(feedXML)[:len(gzipped(feedXML))-8])), feedXML},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr := serveRaw(t, "127.0.0.1", tt.talk)
			resp := mustGet(t, newClient(t, Options{}), Request{URL: "http://" + addr})
			if !resp.Truncated || string(resp.Body) != tt.want {
				t.Errorf("truncated %v, body %q; want %q, truncated", resp.Truncated, resp.Body, tt.want)
			}
			if resp.ETag != "" || resp.LastModified != "" || resp.MaxAge != 0 {
				t.Errorf("half a document has validators: %+v", resp)
			}
		})
	}
	t.Run("reset halfway", func(t *testing.T) {
		read := make(chan struct{})
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			c, buf, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			// Larger than the socket's buffers: when it is written, the client has read some.
			_, _ = fmt.Fprintf(buf, "%sContent-Length: 99999999\r\n\r\n%s", head, feedXML)
			_, _ = buf.WriteString(strings.Repeat(" ", 16<<20))
			_ = buf.Flush()
			reset(c)
			close(read)
		})
		resp := mustGet(t, newClient(t, Options{MaxBody: 100 << 20}), Request{URL: s.URL})
		<-read
		if !resp.Truncated || !strings.HasPrefix(string(resp.Body), feedXML) {
			t.Errorf("truncated %v, body %.50q", resp.Truncated, resp.Body)
		}
	})
	t.Run("gzip that is whole, with a wrong length", func(t *testing.T) { // the length before compression
		addr := serveRaw(t, "127.0.0.1", say(head+"Content-Encoding: gzip\r\nContent-Length: 5000\r\n\r\n"+string(gzipped(feedXML))))
		resp := mustGet(t, newClient(t, Options{}), Request{URL: "http://" + addr})
		if string(resp.Body) != feedXML || resp.Truncated || resp.ETag != `"1"` {
			t.Errorf("truncated %v, ETag %q, body %q; want all of it, as its checksum says", resp.Truncated, resp.ETag, resp.Body)
		}
	})
	t.Run("longer than its length", func(t *testing.T) {
		addr := serveRaw(t, "127.0.0.1", say(head+"Content-Length: 6\r\n\r\n<rss/>and more"))
		resp := mustGet(t, newClient(t, Options{}), Request{URL: "http://" + addr})
		if string(resp.Body) != "<rss/>" || resp.Truncated {
			t.Errorf("body %q, truncated %v", resp.Body, resp.Truncated)
		}
	})
	t.Run("without a length", func(t *testing.T) {
		addr := serveRaw(t, "127.0.0.1", say("HTTP/1.0 200 OK\r\n\r\n"+feedXML))
		resp := mustGet(t, newClient(t, Options{}), Request{URL: "http://" + addr})
		if string(resp.Body) != feedXML || resp.Truncated {
			t.Errorf("body %q, truncated %v", resp.Body, resp.Truncated)
		}
	})
}

func TestStatuses(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/html")
		if v := r.URL.Query().Get("after"); v != "" {
			h.Set("Retry-After", v)
		}
		if r.URL.Query().Has("cf") {
			h.Set("Cf-Mitigated", "challenge")
		}
		status := 0
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &status)
		w.WriteHeader(status)
		if status != 204 {
			_, _ = io.WriteString(w, "<html><title>SECRETBODY</title>")
		}
	})
	c := newClient(t, Options{})
	for _, tt := range []struct {
		path   string
		kind   Kind
		status int
		wait   time.Duration
		says   string
	}{
		{"/404", KindStatus, 404, 0, "404 Not Found: the feed is not there any more; check the address"},
		{"/410", KindGone, 410, 0, "410 Gone: the publisher took the feed away for good"},
		{"/429?after=120", KindStatus, 429, 2 * time.Minute, "asked too often"},
		{"/429?after=99999999", KindStatus, 429, 7 * 24 * time.Hour, "(it asks for 168 h)"},
		{"/503?after=0", KindStatus, 503, 0, "trouble of its own"},
		{"/503?after=Thu,+01+Jan+1970+00:00:00+GMT", KindStatus, 503, 0, "trouble of its own"},
		{"/503?after=soon", KindStatus, 503, 0, "503 Service Unavailable"},
		{"/403?after=60", KindStatus, 403, time.Minute, "ask the publisher"},
		{"/403?cf", KindStatus, 403, 0, "bot protection"},
		{"/500", KindStatus, 500, 0, "500 Internal Server Error"},
		{"/522", KindStatus, 522, 0, "522: the server has trouble"},
		{"/418", KindStatus, 418, 0, "does not accept the request"},
		{"/406", KindStatus, 406, 0, "acceptable"},
		{"/451", KindStatus, 451, 0, "legal reasons"},
		{"/407", KindStatus, 407, 0, "something on the way"},
		{"/300", KindStatus, 300, 0, "no new address"},
		{"/204", KindStatus, 204, 0, "204 No Content: the server gives no document"},
		{"/202", KindStatus, 202, 0, "202 Accepted"},
	} {
		e := wantError(t, c, Request{URL: s.URL + tt.path}, tt.kind, tt.says)
		if e.Status != tt.status || e.RetryAfter != tt.wait || e.URL != s.URL+tt.path {
			t.Errorf("%s: status %d, retry after %v, URL %s; want %d, %v", tt.path, e.Status, e.RetryAfter, e.URL, tt.status, tt.wait)
		}
		if strings.Contains(e.Error(), "SECRETBODY") {
			t.Errorf("%s: the body is in the error: %v", tt.path, e)
		}
	}
	if resp := mustGet(t, c, Request{URL: s.URL + "/203"}); len(resp.Body) == 0 {
		t.Error("203 gave no body")
	}
}
