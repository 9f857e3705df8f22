package fetch

import (
	"context"
	"io"
	"net/http"
	"testing"
)

func benchmarkGet(b *testing.B, r Request, h http.HandlerFunc) {
	s := serve(b, h)
	c := newClient(b, Options{})
	r.URL = s.URL + "/feed"
	mustGet(b, c, r) // connects
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Get(context.Background(), r); err != nil {
			b.Fatal(err)
		}
	}
}

// The server's allocations, about 30 a request, are counted too.

func BenchmarkGetNotModified(b *testing.B) {
	benchmarkGet(b, Request{ETag: `"1"`}, func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Etag"] = []string{`"1"`}
		w.WriteHeader(http.StatusNotModified)
	})
}

func BenchmarkGet(b *testing.B) {
	for _, enc := range []struct {
		name string
		body []byte
	}{{"identity", []byte(longXML)}, {"gzip", gzipped(longXML)}, {"br", brotlied(longXML)}, {"zstd", zstdded(longXML)}} {
		b.Run(enc.name, func(b *testing.B) {
			b.SetBytes(int64(len(longXML)))
			benchmarkGet(b, Request{}, func(w http.ResponseWriter, r *http.Request) {
				w.Header()["Content-Encoding"] = []string{enc.name}
				_, _ = w.Write(enc.body)
			})
		})
	}
}

// BenchmarkTransport is net/http alone, for comparison.
func BenchmarkTransport(b *testing.B) {
	s := serve(b, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNotModified) })
	tr := &http.Transport{DisableCompression: true}
	defer tr.CloseIdleConnections()
	b.ReportAllocs()
	for b.Loop() {
		req, _ := http.NewRequest("GET", s.URL, nil)
		req.Header.Set("If-None-Match", `"1"`)
		resp, err := tr.RoundTrip(req)
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
}

func BenchmarkDiscover(b *testing.B) {
	page := []byte("<html><head><link rel=alternate type=application/rss+xml href=/f></head>" + longXML)
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		Discover(page, "http://h/")
	}
}
