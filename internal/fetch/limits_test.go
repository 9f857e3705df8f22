package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// zeros is 10 MiB of zeros in gzip.
func zeros() []byte { return gzipped(string(make([]byte, 10<<20))) }

// zstdBomb is one zstd frame of n blocks that each repeat a byte 128 KiB long (RFC 8878 section 3.1.1.2).
func zstdBomb(blocks int) []byte {
	b := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58} // no content size; a window of 2 MiB
	for i := range blocks {
		h := uint32(128<<10)<<3 | 1<<1 // RLE
		if i == blocks-1 {
			h |= 1
		}
		b = append(b, byte(h), byte(h>>8), byte(h>>16), 0)
	}
	return b
}

// TestBombs unpack to gigabytes from little. None may cost more than a small multiple of the limit.
func TestBombs(t *testing.T) {
	c := newClient(t, Options{})
	// Quick to make: all but the first few members compress as repetitions.
	member := zeros()
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	for range 1024 {
		_, _ = z.Write(member)
	}
	_ = z.Close()
	nested := b.Bytes()
	empty := gzipped("")
	for _, tt := range []struct {
		name, label string
		body        []byte
	}{
		{"10 GiB in gzip in gzip", "gzip, gzip", nested},
		{"10 GiB in gzip in gzip without a label", "", nested},
		{"9 GiB in gzip", "gzip", bytes.Repeat(member, 900)},
		{"9 GiB in zstd", "zstd", zstdBomb(72_000)},
		{"16 MiB in brotli", "br", brotlied(string(make([]byte, 16<<20)))},
		{"16 MiB in deflate", "deflate", zlibbed(string(make([]byte, 16<<20)))},
		{"500,000 empty gzip members in gzip", "gzip, gzip", gzipped(strings.Repeat(string(empty), 500_000))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, encoded(tt.label, tt.body))
			mustGet(t, c, Request{URL: serve(t, encoded(tt.label, nil)).URL}) // whatever is set up once
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			wantError(t, c, Request{URL: s.URL}, KindTooLarge, "decompressed, larger than 10 MiB")
			runtime.ReadMemStats(&after)
			const most = 80 << 20 // of all that was ever allocated meanwhile, the server's copies included
			if n := after.TotalAlloc - before.TotalAlloc; n > most {
				t.Errorf("%d MiB were allocated for %d bytes, want at most %d", n>>20, len(tt.body), most>>20)
			}
		})
	}
	t.Run("400,000 empty gzip members", func(t *testing.T) {
		s := serve(t, encoded("gzip", bytes.Repeat(empty, 400_000)))
		resp := mustGet(t, newClient(t, Options{}), Request{URL: s.URL})
		if len(resp.Body) != 0 || resp.Truncated {
			t.Errorf("body of %d bytes, truncated %v", len(resp.Body), resp.Truncated)
		}
	})
}

func TestBodyLimitIsExact(t *testing.T) {
	const limit = 64 << 10
	doc := strings.Repeat("x", limit)
	c := newClient(t, Options{MaxBody: limit})
	for _, label := range []string{"", "gzip", "br", "zstd", "deflate"} {
		pack := map[string]func(string) []byte{"": func(s string) []byte { return []byte(s) }, "gzip": gzipped, "br": brotlied, "zstd": zstdded, "deflate": deflated}[label]
		s := serve(t, encoded(label, pack(doc)))
		if resp := mustGet(t, c, Request{URL: s.URL}); len(resp.Body) != limit {
			t.Errorf("%q: body of %d bytes, want %d", label, len(resp.Body), limit)
		}
		s = serve(t, encoded(label, pack(doc+"x")))
		e := wantError(t, c, Request{URL: s.URL}, KindTooLarge, "larger than 64 KiB")
		if e.Status != 200 {
			t.Errorf("status is %d", e.Status)
		}
		if resp := mustGet(t, c, Request{URL: s.URL, MaxBody: limit + 1}); len(resp.Body) != limit+1 {
			t.Errorf("%q: body of %d bytes with a limit of its own, want %d", label, len(resp.Body), limit+1)
		}
	}
}

func TestEndlessBody(t *testing.T) {
	for _, label := range []string{"", "gzip"} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			var out io.Writer = w
			if label != "" {
				w.Header().Set("Content-Encoding", label)
				out, _ = gzip.NewWriterLevel(w, gzip.NoCompression)
			}
			_, _ = io.WriteString(out, feedXML)
			for {
				if _, err := fmt.Fprintf(out, "<item><guid>%s</guid></item>", strings.Repeat("x", 4000)); err != nil {
					return
				}
			}
		})
		wantError(t, newClient(t, Options{MaxBody: 1 << 20}), Request{URL: s.URL}, KindTooLarge, "larger than 1 MiB", "raise the limit")
	}
}

func TestContentLengthTooLargeIsNotRead(t *testing.T) {
	addr := serveRaw(t, "127.0.0.1", func(c net.Conn) {
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")
		untilGone(c)
	})
	wantError(t, newClient(t, Options{}), Request{URL: "http://" + addr}, KindTooLarge, "larger than 10 MiB")
}

func TestHeaderBombs(t *testing.T) {
	forever := func(line string) func(net.Conn) {
		return func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			for {
				if _, err := io.WriteString(c, line); err != nil {
					return
				}
			}
		}
	}
	for name, talk := range map[string]func(net.Conn){
		"endless lines":    forever("X-A: b\r\n"),
		"one endless line": forever("X-A: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"),
		"endless 1xx": func(c net.Conn) {
			for {
				if _, err := io.WriteString(c, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"); err != nil {
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			addr := serveRaw(t, "127.0.0.1", talk)
			wantError(t, newClient(t, Options{}), Request{URL: "http://" + addr}, KindTooLarge, "the header of the answer", "256 KiB")
		})
	}
	t.Run("HTTP/2", func(t *testing.T) {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n, _ := strconv.Atoi(r.URL.Query().Get("n"))
			for i := range n {
				w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("b", 1000))
			}
		}))
		s.EnableHTTP2 = true
		s.StartTLS()
		t.Cleanup(s.Close)
		c := newClient(t, Options{RootCAs: rootsOf(s)})
		wantError(t, c, Request{URL: s.URL + "?n=255"}, KindTooLarge, "the header of the answer")
		// Far above the limit, the HTTP/2 client drops the connection before it knows what it would have been.
		wantError(t, c, Request{URL: s.URL + "?n=2000"}, KindProtocol, "broke the rules of HTTP/2")
		mustGet(t, c, Request{URL: s.URL + "?n=200"})
	})
	t.Run("within the limit", func(t *testing.T) {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("b", 200<<10))
		})
		mustGet(t, newClient(t, Options{}), Request{URL: s.URL})
	})
}

// TestTimeouts has servers that stop at each stage. The limit is long enough for the stage to be reached on a busy
// machine.
func TestTimeouts(t *testing.T) {
	const limit = 700 * time.Millisecond
	silent := func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	mute, err := net.Listen("tcp", "127.0.0.1:0") // accepts, as the kernel does, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = mute.Close() })
	header := serve(t, silent)
	body := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, feedXML)
		w.(http.Flusher).Flush()
		silent(w, r)
	})
	circle := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			silent(w, r)
		}
		http.Redirect(w, r, "/slow", http.StatusFound)
	})
	full := fullListener(t)
	for _, tt := range []struct{ name, url, says string }{
		{"DNS", "http://never.example/", "the name servers took longer than 0.7 s to say where never.example is"},
		{"connect", "http://" + full, "took longer than 0.7 s to accept a connection"},
		{"TLS", "https://" + mute.Addr().String(), "took longer than 0.7 s to set up an encrypted connection"},
		{"header", header.URL, "took longer than 0.7 s to answer"},
		{"after a redirect", circle.URL, "took longer than 0.7 s to answer"},
		{"body", body.URL, "took longer than 0.7 s to send its document"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newClient(t, Options{Timeout: limit})
			c.dialer.Resolver = nameServer(t, map[string][]string{"never.example.": nil})
			wantError(t, c, Request{URL: tt.url}, KindTimeout, tt.says)
		})
	}
}

// fullListener is the address of a listener whose queue is full, so that connecting to it hangs.
func fullListener(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	sa, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	addr := fmt.Sprintf("127.0.0.1:%d", sa.(*syscall.SockaddrInet4).Port)
	for range 20 {
		c, err := net.DialTimeout("tcp", addr, 200*time.Millisecond)
		if err != nil {
			return addr
		}
		t.Cleanup(func() { _ = c.Close() })
	}
	t.Fatal("the queue of a listener with backlog 0 took 20 connections")
	return ""
}

func TestSlowBodyIsGivenUp(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, feedXML)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	c := newClient(t, Options{MinRate: 1 << 20, RateWindow: 50 * time.Millisecond})
	wantError(t, c, Request{URL: s.URL}, KindTimeout, "slower than 1 MiB a second over 0.05 s")
}

func TestRateWatch(t *testing.T) {
	c := newClient(t, Options{MinRate: 100, RateWindow: time.Hour})
	tr, err := c.newTrip(context.Background(), Request{URL: "http://127.0.0.1/"})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.end()
	wire := &meter{}
	w := &rateWatch{trip: tr, wire: wire, timer: time.NewTimer(time.Hour)}
	defer w.stop()
	wire.n.Store(360_000)
	w.look()
	wire.n.Store(720_000)
	w.look()
	if err := context.Cause(tr.ctx); err != nil {
		t.Fatalf("given up at exactly the minimum: %v", err)
	}
	wire.n.Store(1_079_999)
	w.look()
	if err := context.Cause(tr.ctx); err != errSlow {
		t.Errorf("one byte below the minimum: cause is %v, want errSlow", err)
	}
}

func TestStoppedWatchDoesNothing(t *testing.T) {
	c := newClient(t, Options{})
	tr, err := c.newTrip(context.Background(), Request{URL: "http://127.0.0.1/"})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.end()
	w := &rateWatch{trip: tr, wire: &meter{}, timer: time.NewTimer(time.Hour)}
	w.stop()
	w.look()
	if err := context.Cause(tr.ctx); err != nil {
		t.Errorf("a stopped watch gave up: %v", err)
	}
}

// TestTLSHandshakeGarbage is a server that answers a handshake with bytes without end.
func TestTLSHandshakeGarbage(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		junk := bytes.Repeat([]byte{0x16, 3, 3, 0x40, 0}, 1<<10)
		for {
			if _, err := c.Write(junk); err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	wantError(t, newClient(t, Options{}), Request{URL: "https://" + l.Addr().String()}, KindTLS)
}
