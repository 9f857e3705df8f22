package fetch

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestGetSendsWhatIsPolite(t *testing.T) {
	var got http.Header
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { got = r.Header; _, _ = io.WriteString(w, feedXML) })
	c := newClient(t, Options{Version: "1.2", ContactURL: "https://example.org/about"})
	mustGet(t, c, Request{URL: s.URL + "/feed#top"})

	if ua := got.Get("User-Agent"); ua != "feedonce/1.2 (+https://example.org/about)" {
		t.Errorf("User-Agent is %q", ua)
	}
	if a := got.Get("Accept"); !strings.HasPrefix(a, "application/atom+xml") || !strings.Contains(a, "*/*") {
		t.Errorf("Accept is %q, want feeds first and anything last", a)
	}
	if e := got.Get("Accept-Encoding"); e != "gzip, deflate, br, zstd" {
		t.Errorf("Accept-Encoding is %q", e)
	}
	for _, h := range []string{"Authorization", "Cookie", "Referer", "If-None-Match", "If-Modified-Since"} {
		if v := got.Values(h); len(v) > 0 {
			t.Errorf("%s: %q was sent, want none", h, v)
		}
	}
	mustGet(t, c, Request{URL: s.URL, Accept: "text/html"})
	if a := got.Get("Accept"); a != "text/html" {
		t.Errorf("Accept is %q, want the one asked for", a)
	}
}

func TestUserAgentIsAlwaysAHeaderValue(t *testing.T) {
	for _, o := range []Options{{UserAgent: "a\r\nX: y"}, {Version: "1\n2"}, {ContactURL: "https://x/\x00"}, {}} {
		if ua := New(o).opts.UserAgent; !strings.HasPrefix(ua, "feedonce") || strings.ContainsAny(ua, "\r\n\x00") {
			t.Errorf("%+v gives the User-Agent %q", o, ua)
		}
	}
	if ua := New(Options{UserAgent: "mine/1"}).opts.UserAgent; ua != "mine/1" {
		t.Errorf("User-Agent is %q, want the one given", ua)
	}
}

func TestResponseSaysWhatHeadersSaid(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "application/rss+xml; charset=iso-8859-1")
		h.Set("ETag", `W/"a b"`)
		h.Set("Last-Modified", "Tue, 1 Jul 2025 10:00:00 +0200") // as received, also where it is no HTTP date
		h.Set("Cache-Control", "public, max-age=600")
		_, _ = io.WriteString(w, feedXML)
	})
	resp := mustGet(t, newClient(t, Options{}), Request{URL: s.URL})
	if resp.ETag != `W/"a b"` || resp.LastModified != "Tue, 1 Jul 2025 10:00:00 +0200" {
		t.Errorf("validators are %q and %q", resp.ETag, resp.LastModified)
	}
	if resp.ContentType != "application/rss+xml; charset=iso-8859-1" || resp.MaxAge != 10*time.Minute {
		t.Errorf("type %q, max age %v", resp.ContentType, resp.MaxAge)
	}
	if resp.URL != s.URL+"/" || resp.MovedTo != "" || resp.NotModified || resp.Truncated {
		t.Errorf("response is %+v", resp)
	}
	if string(resp.Body) != feedXML || resp.Wire != int64(len(feedXML)) {
		t.Errorf("body %q, %d bytes on the wire", resp.Body, resp.Wire)
	}
	if resp.Received.IsZero() || resp.Took <= 0 {
		t.Errorf("received %v, took %v", resp.Received, resp.Took)
	}
}

func TestHeadersThatNoDatabaseTakes(t *testing.T) {
	addr := serveRaw(t, "127.0.0.1", say("HTTP/1.1 200 OK\r\nETag: \"\xfc\"\r\nLast-Modified: \xff\r\nContent-Type: text/xml; charset=\xfc\r\n\r\n<rss/>"))
	resp := mustGet(t, newClient(t, Options{}), Request{URL: "http://" + addr})
	if resp.ETag != "" || resp.LastModified != "" || resp.ContentType != "text/xml; charset=?" {
		t.Errorf("ETag %q, Last-Modified %q, Content-Type %q; want UTF-8 or nothing", resp.ETag, resp.LastModified, resp.ContentType)
	}
}

func TestNoProxy(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, feedXML) })
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:9") // nobody listens there
	t.Setenv("NO_PROXY", "")
	c := newClient(t, Options{})
	c.dialer.Resolver = nameServer(t, map[string][]string{"direct.example.": {"127.0.0.1"}})
	mustGet(t, c, Request{URL: "http://direct.example:" + port})
}

func TestConditionalGet(t *testing.T) {
	var etag, modified []string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		etag, modified = r.Header["If-None-Match"], r.Header["If-Modified-Since"]
		w.Header().Set("Cache-Control", "max-age=60")
		w.WriteHeader(http.StatusNotModified)
	})
	c := newClient(t, Options{})
	resp := mustGet(t, c, Request{URL: s.URL, ETag: `W/"weak"`, LastModified: "yesterday"})
	if !resp.NotModified || resp.Body != nil || resp.Wire != 0 || resp.MaxAge != time.Minute {
		t.Errorf("response is %+v", resp)
	}
	if len(etag) != 1 || etag[0] != `W/"weak"` || len(modified) != 1 || modified[0] != "yesterday" {
		t.Errorf("sent If-None-Match %q, If-Modified-Since %q, want both verbatim", etag, modified)
	}
	mustGet(t, c, Request{URL: s.URL, LastModified: "x"})
	if etag != nil {
		t.Errorf("sent If-None-Match %q, want none", etag)
	}

	t.Run("304 without having asked", func(t *testing.T) {
		e := wantError(t, c, Request{URL: s.URL}, KindProtocol, "304 Not Modified although nothing was asked")
		if e.Status != 304 {
			t.Errorf("status is %d", e.Status)
		}
	})
	t.Run("a validator that is no header value is not sent", func(t *testing.T) {
		wantError(t, c, Request{URL: s.URL, ETag: "a\r\nX: y"}, KindProtocol, "304")
		if etag != nil {
			t.Errorf("sent If-None-Match %q", etag)
		}
	})
}

func TestValidatorsOnlyForTheirURL(t *testing.T) {
	asked := map[string]string{}
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked[r.URL.Path] = r.Header.Get("If-None-Match")
		if r.URL.Path == "/old" {
			http.Redirect(w, r, "/new", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, feedXML)
	})
	c := newClient(t, Options{})
	mustGet(t, c, Request{URL: s.URL + "/old", ETag: `"1"`, ValidFor: s.URL + "/elsewhere"})
	if asked["/old"] != "" || asked["/new"] != "" {
		t.Errorf("validators were sent to %v, want nowhere", asked)
	}
	mustGet(t, c, Request{URL: s.URL + "/old", ETag: `"1"`, ValidFor: s.URL + "/new"})
	if asked["/old"] != "" || asked["/new"] != `"1"` {
		t.Errorf("validators were sent to %v, want /new only", asked)
	}
	mustGet(t, c, Request{URL: s.URL + "/old", ETag: `"1"`})
	if asked["/old"] != `"1"` || asked["/new"] != `"1"` {
		t.Errorf("validators were sent to %v, want both", asked)
	}
}

func TestEmptyBodyIsNoError(t *testing.T) {
	for _, enc := range []string{"", "gzip", "br", "zstd", "deflate"} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if enc != "" {
				w.Header().Set("Content-Encoding", enc)
			}
		})
		resp := mustGet(t, newClient(t, Options{}), Request{URL: s.URL})
		if resp.Body == nil || len(resp.Body) != 0 || resp.Truncated {
			t.Errorf("encoding %q: %+v, want an empty body that is not nil", enc, resp)
		}
	}
}

func TestConnectionsAreReused(t *testing.T) {
	var conns atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/moved":
			http.Redirect(w, r, "/feed", http.StatusFound)
		case r.Header.Get("If-None-Match") != "":
			w.WriteHeader(http.StatusNotModified)
		case r.URL.Path == "/none":
			http.NotFound(w, r)
		default:
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(append(gzipped(feedXML), "\n"...))
		}
	}))
	s.Config.ConnState = func(_ net.Conn, st http.ConnState) {
		if st == http.StateNew {
			conns.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	c := newClient(t, Options{})
	for range 3 {
		mustGet(t, c, Request{URL: s.URL + "/moved"})
		mustGet(t, c, Request{URL: s.URL + "/feed", ETag: `"1"`})
		wantError(t, c, Request{URL: s.URL + "/none"}, KindStatus)
	}
	if n := conns.Load(); n != 1 {
		t.Errorf("12 requests took %d connections, want 1", n)
	}
}

func TestHTTP2(t *testing.T) {
	proto := ""
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proto = r.Proto
		if r.URL.Path == "/reset" {
			_, _ = io.WriteString(w, feedXML[:40])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, feedXML)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	c := newClient(t, Options{RootCAs: rootsOf(s)})
	if resp := mustGet(t, c, Request{URL: s.URL}); proto != "HTTP/2.0" || string(resp.Body) != feedXML {
		t.Errorf("protocol %q, body %q", proto, resp.Body)
	}
	if resp := mustGet(t, c, Request{URL: s.URL + "/reset"}); !resp.Truncated || string(resp.Body) != feedXML[:40] {
		t.Errorf("a stream reset halfway gave %+v, want the first 40 bytes, truncated", resp)
	}
}

func TestContextErrorIsReturnedAsItIs(t *testing.T) {
	inside := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			_, _ = io.WriteString(w, "<rss>")
			w.(http.Flusher).Flush()
		}
		inside <- struct{}{}
		<-r.Context().Done()
	})
	c := newClient(t, Options{})
	for _, p := range []string{"/header", "/body"} {
		ctx, cancel := context.WithCancel(context.Background())
		go func() { <-inside; cancel() }()
		if _, err := c.Get(ctx, Request{URL: s.URL + p}); err != context.Canceled {
			t.Errorf("%s: error is %v, want context.Canceled", p, err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), -1)
	defer cancel()
	if _, err := c.Get(ctx, Request{URL: s.URL}); err != context.DeadlineExceeded {
		t.Errorf("error is %v, want context.DeadlineExceeded", err)
	}
}

func TestURLErrors(t *testing.T) {
	c := newClient(t, Options{})
	for _, tt := range []struct{ url, says string }{
		{"", "is empty"},
		{"  ", "the address is empty"},
		{"example.org/feed", "must begin with http"},
		{"ftp://example.org/feed", "must begin with http"},
		{"file:///etc/passwd", "must begin with http"},
		{"javascript:alert(1)", "must begin with http"},
		{"http:///feed", "names no host"},
		{"http:feed", "names no host"},
		{"http://[::1/feed", "no valid address"},
		{"http://exa mple.org/", "no valid address"},
		{"http://example.org:99999/", "port 99999"},
		{"http://example.org/\x00", "no valid address"},
		{"http://\u2488com/", "host name that is not valid"},
	} {
		wantError(t, c, Request{URL: tt.url}, KindURL, tt.says)
	}
	e := wantError(t, c, Request{URL: "ftp://me:secret@example.org/"}, KindURL)
	f := wantError(t, c, Request{URL: "http://me:secret@exa mple.org/"}, KindURL)
	for _, e := range []*Error{e, f} {
		if strings.Contains(e.Error()+e.URL+errors.Unwrap(e).Error(), "secret") {
			t.Errorf("the password is in %q (%q)", e, e.URL)
		}
	}
}

func rootsOf(servers ...*httptest.Server) *x509.CertPool {
	p := x509.NewCertPool()
	for _, s := range servers {
		p.AddCert(s.Certificate())
	}
	return p
}
