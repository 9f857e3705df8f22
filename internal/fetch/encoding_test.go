package fetch

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

func compressed(text string, w func(io.Writer) io.WriteCloser) []byte {
	var b bytes.Buffer
	z := w(&b)
	_, _ = io.WriteString(z, text)
	_ = z.Close()
	return b.Bytes()
}

func gzipped(text string) []byte {
	return compressed(text, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
}
func zlibbed(text string) []byte {
	return compressed(text, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
}
func deflated(text string) []byte {
	return compressed(text, func(w io.Writer) io.WriteCloser { z, _ := flate.NewWriter(w, 9); return z })
}
func brotlied(text string) []byte {
	return compressed(text, func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) })
}
func zstdded(text string) []byte {
	return compressed(text, func(w io.Writer) io.WriteCloser { z, _ := zstd.NewWriter(w); return z })
}

// longXML is larger than any buffer on the way.
var longXML = func() string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0"?><rss version="2.0"><channel>`)
	for i := range 5000 {
		fmt.Fprintf(&b, "<item><title>All work %x and no play %d</title></item>\n", uint32(i)*2654435761, i)
	}
	b.WriteString("</channel></rss>")
	return b.String()
}()

func TestEncodings(t *testing.T) {
	latin := "Gr\xfc\xdfe" // bytes are not touched
	for _, tt := range []struct {
		name, label string
		body        []byte
		want        string
	}{
		{"plain", "", []byte(longXML), longXML},
		{"identity", "identity", []byte(latin), latin},
		{"none", "none", []byte(longXML), longXML},
		{"gzip", "gzip", gzipped(longXML), longXML},
		{"x-gzip", "X-GZip", gzipped(longXML), longXML},
		{"deflate with zlib header", "deflate", zlibbed(longXML), longXML},
		{"deflate raw", "deflate", deflated(longXML), longXML},
		{"brotli", "br", brotlied(longXML), longXML},
		{"zstd", "zstd", zstdded(longXML), longXML},
		{"gzip members", "gzip", append(gzipped(longXML), gzipped("<!-- more -->")...), longXML + "<!-- more -->"},
		{"gzip in gzip", "gzip, gzip", gzipped(string(gzipped(longXML))), longXML},
		{"gzip in brotli", "gzip, br", brotlied(string(gzipped(longXML))), longXML},
		{"brotli in deflate, two headers", "br\x00deflate", deflated(string(brotlied(longXML))), longXML},

		{"gzip label on plain text", "gzip", []byte(longXML), longXML},
		{"gzip label on plain bytes", "gzip", []byte(latin), latin},
		{"gzip twice by label, once in truth", "gzip, gzip", gzipped(longXML), longXML},
		{"gzip once by label, twice in truth", "gzip", gzipped(string(gzipped(longXML))), longXML},
		{"gzip without label", "", gzipped(longXML), longXML},
		{"zstd without label", "", zstdded(longXML), longXML},
		{"gzip labelled br", "br", gzipped(longXML), longXML},
		{"gzip labelled deflate", "deflate", gzipped(longXML), longXML},
		{"zstd labelled gzip", "gzip", zstdded(longXML), longXML},
		{"br label on plain text", "br", []byte(longXML), longXML},
		{"deflate label on plain text", "deflate", []byte("\n<RSS>"), "\n<RSS>"},
		{"zstd label on plain text", "zstd", []byte(longXML), longXML},
		{"charset as encoding", "utf-8", []byte(longXML), longXML},
		{"JSON with an unknown encoding", "8bit", []byte("\xef\xbb\xbf{ \"version\": 1}"), "\xef\xbb\xbf{ \"version\": 1}"},
		{"UTF-16 with a wrong label", "br", []byte("\xff\xfe<\x00?\x00x\x00m\x00l\x00"), "\xff\xfe<\x00?\x00x\x00m\x00l\x00"},

		{"gzip and a newline", "gzip", append(gzipped(longXML), '\n'), longXML},
		{"gzip and padding", "gzip", append(gzipped(longXML), make([]byte, 500)...), longXML},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, encoded(tt.label, tt.body))
			resp := mustGet(t, newClient(t, Options{}), Request{URL: s.URL})
			if string(resp.Body) != tt.want || resp.Truncated {
				t.Errorf("got %d bytes %.80q (truncated %v), want %d bytes %.80q", len(resp.Body), resp.Body, resp.Truncated, len(tt.want), tt.want)
			}
			if resp.Wire != int64(len(tt.body)) && !strings.Contains(tt.name, "padding") {
				t.Errorf("%d bytes on the wire, want %d", resp.Wire, len(tt.body))
			}
		})
	}
}

// encoded answers with body and a Content-Encoding header for each part of label between zero bytes.
func encoded(label string, body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if label != "" {
			w.Header()["Content-Encoding"] = strings.Split(label, "\x00")
		}
		w.Header().Set("ETag", `"1"`)
		w.Header().Set("Cache-Control", "max-age=60")
		_, _ = w.Write(body)
	}
}

func TestBrokenEncodings(t *testing.T) {
	damaged := func(b []byte, at int) []byte {
		b = bytes.Clone(b)
		b[at] ^= 0xff
		return b
	}
	for _, tt := range []struct {
		name, label string
		body        []byte
		says        string
	}{
		{"three layers", "gzip, gzip, br", gzipped(longXML), "compressed 3 times"},
		{"unknown", "compress", []byte("\x1f\x9d\x90..."), `"compress" is unknown`},
		{"gzip with a header and nothing else", "gzip", gzipped(longXML)[:10], "decompressed"},
		{"gzip cut in the header", "gzip", gzipped(longXML)[:5], "decompressed"},
		{"gzip damaged at the start", "gzip", append(gzipped("")[:10], 0xff, 0xff, 0xff), "decompressed"},
		{"brotli that is none", "br", []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), "decompressed"},
		{"zstd damaged at the start", "zstd", damaged(zstdded(longXML), 4), "decompressed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, encoded(tt.label, tt.body))
			wantError(t, newClient(t, Options{}), Request{URL: s.URL}, KindEncoding, tt.says)
		})
	}
}

func TestTruncatedEncodingsGiveTheBeginning(t *testing.T) {
	half := func(b []byte) []byte { return b[:len(b)*3/4] }
	checksum := gzipped(longXML)
	checksum[len(checksum)-8] ^= 1
	for _, tt := range []struct {
		name, label string
		body        []byte
	}{
		{"gzip", "gzip", half(gzipped(longXML))},
		{"deflate", "deflate", half(zlibbed(longXML))},
		{"raw deflate", "deflate", half(deflated(longXML))},
		{"brotli", "br", half(brotlied(longXML))},
		{"zstd", "zstd", half(zstdded(longXML))},
		{"gzip without its end", "gzip", gzipped(longXML)[:len(gzipped(longXML))-3]},
		{"gzip with a wrong checksum", "gzip", checksum},
		{"gzip in gzip", "gzip, gzip", half(gzipped(string(gzipped(longXML))))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, encoded(tt.label, tt.body))
			resp := mustGet(t, newClient(t, Options{}), Request{URL: s.URL})
			if !resp.Truncated || len(resp.Body) == 0 || !strings.HasPrefix(longXML, string(resp.Body)) {
				t.Fatalf("truncated %v, body of %d bytes %.80q, want the beginning of the document", resp.Truncated, len(resp.Body), resp.Body)
			}
			if resp.ETag != "" || resp.MaxAge != 0 {
				t.Errorf("validators of half a document: %q, %v", resp.ETag, resp.MaxAge)
			}
		})
	}
}
