package fetch

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

const (
	// maxEncodings is how many encodings may lie on top of each other.
	maxEncodings = 2
	// maxZstdWindow is the most that Content-Encoding: zstd may ask for (RFC 9659).
	maxZstdWindow = 8 << 20
)

// An encodingError is a Content-Encoding that cannot be undone.
type encodingError struct{ err error }

func (e *encodingError) Error() string { return e.err.Error() }
func (e *encodingError) Unwrap() error { return e.err }

// A decoder undoes the encodings of a body. It goes by the label, and by the first bytes where they say otherwise:
// a body labelled gzip that is none is taken as it is, and one that begins like gzip or zstd is decoded whatever the
// label. What every layer gives is bounded, so that nothing between the layers grows without limit.
type decoder struct {
	io.Reader
	wire   *bufio.Reader
	layers []*meter // what each layer gives
	free   []func()
}

// newDecoder returns a decoder for a body with these Content-Encoding headers. Its error is an *encodingError.
func newDecoder(wire *meter, labels []string, limit int64) (*decoder, error) {
	d := &decoder{wire: readers.Get().(*bufio.Reader)}
	d.wire.Reset(wire)
	d.Reader = d.wire
	d.free = append(d.free, func() { d.wire.Reset(nil); readers.Put(d.wire) })
	var names []string
	for _, l := range labels {
		for n := range strings.SplitSeq(l, ",") {
			n = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(n)), "x-")
			if n != "" && n != "identity" && n != "none" {
				names = append(names, n)
			}
		}
	}
	err := d.build(names, limit)
	if err != nil {
		d.close()
		return nil, &encodingError{err}
	}
	return d, nil
}

func (d *decoder) build(names []string, limit int64) error {
	if len(names) > maxEncodings {
		return fmt.Errorf("it is compressed %d times", len(names))
	}
	in := d.wire
	for i := len(names) - 1; i >= 0; i-- { // the last label was applied last (RFC 9110 section 8.4)
		next, err := d.undo(names[i], in, limit)
		if err != nil {
			return err
		}
		in = next
	}
	for len(d.layers) < maxEncodings {
		name := magic(in)
		if name == "" {
			break
		}
		next, err := d.undo(name, in, limit)
		if err != nil {
			return err
		}
		in = next
	}
	d.Reader = in
	return nil
}

// undo puts a layer upon in, or none if the bytes are not what the name says.
func (d *decoder) undo(name string, in *bufio.Reader, limit int64) (*bufio.Reader, error) {
	head, _ := in.Peek(sniffLen)
	if len(head) == 0 {
		return in, nil
	}
	var r io.Reader
	switch is := magic(in); {
	case is == "gzip" || is == "zstd":
		name = is
	case name == "gzip" || name == "zstd" || looksLikeText(head):
		return in, nil
	}
	switch name {
	case "gzip":
		z := gzips.Get().(*gzip.Reader)
		if err := z.Reset(in); err != nil {
			return nil, err
		}
		z.Multistream(false)
		r = &members{in: in, z: z}
		d.free = append(d.free, func() { gzips.Put(z) })
	case "zstd":
		z := zstds.Get().(*zstd.Decoder)
		if err := z.Reset(in); err != nil {
			return nil, err
		}
		r = z
		d.free = append(d.free, func() { _ = z.Reset(nil); zstds.Put(z) })
	case "br":
		z := brotlis.Get().(*brotli.Reader)
		if err := z.Reset(in); err != nil {
			return nil, err
		}
		r = z
		d.free = append(d.free, func() { brotlis.Put(z) })
	case "deflate":
		// The header of RFC 1950 is a checksum of itself. Some servers leave it out and send RFC 1951 alone.
		if len(head) >= 2 && head[0]&0x0f == 8 && (uint(head[0])<<8|uint(head[1]))%31 == 0 {
			z, err := zlib.NewReader(in)
			if err != nil {
				return nil, err
			}
			r = z
		} else {
			r = flate.NewReader(in)
		}
	default:
		return nil, fmt.Errorf("the encoding %q is unknown", brief(name))
	}
	m := &meter{r: r, limit: limit + 1}
	d.layers = append(d.layers, m)
	return bufio.NewReader(m), nil
}

// members reads the gzip members of a body one after the other, and ends where something else follows: padding, or
// a newline. Browsers pass over it; gzip.Reader would not, and would call one that is short a truncation.
type members struct {
	in *bufio.Reader
	z  *gzip.Reader
}

func (m *members) Read(p []byte) (int, error) {
	for {
		n, err := m.z.Read(p)
		if err != io.EOF || n > 0 {
			if err == io.EOF {
				err = nil // comes again
			}
			return n, err
		}
		if magic(m.in) != "gzip" {
			return 0, io.EOF
		}
		if err := m.z.Reset(m.in); err != nil {
			return 0, noEOF(err)
		}
		m.z.Multistream(false)
	}
}

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// exceeded says whether a layer gave more than it may, whatever error the layers above made of it.
func (d *decoder) exceeded() bool {
	for _, m := range d.layers {
		if m.err == errLimit {
			return true
		}
	}
	return false
}

// close gives back what was borrowed.
func (d *decoder) close() {
	for _, f := range d.free {
		f()
	}
}

// magic names the encoding whose first bytes in begins with; "" is none.
func magic(in *bufio.Reader) string {
	head, _ := in.Peek(4)
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b, 8}):
		return "gzip"
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return "zstd"
	}
	return ""
}

var (
	readers = sync.Pool{New: func() any { return bufio.NewReader(nil) }}
	gzips   = sync.Pool{New: func() any { return new(gzip.Reader) }}
	brotlis = sync.Pool{New: func() any { return new(brotli.Reader) }}
	zstds   = sync.Pool{New: func() any {
		// One at a time starts no goroutines, so a decoder can be left to the garbage collector.
		z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxZstdWindow))
		if err != nil {
			panic(err) // only options that contradict each other
		}
		return z
	}}
)
