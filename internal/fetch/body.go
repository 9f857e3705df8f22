package fetch

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// errLimit is returned by a meter whose limit is passed.
var errLimit = errors.New("more bytes than allowed")

// A meter counts what is read through it, refuses more than limit, and remembers why reading ended.
type meter struct {
	r     io.Reader
	limit int64
	n     atomic.Int64 // the watch on throughput reads it at the same time
	err   error        // the first error that was not io.EOF
}

func (m *meter) Read(p []byte) (int, error) {
	if m.err != nil {
		return 0, m.err
	}
	n, err := m.r.Read(p)
	if total := m.n.Add(int64(n)); total > m.limit {
		m.err = errLimit
		return 0, m.err
	}
	if err != nil && err != io.EOF {
		m.err = err
	}
	return n, err
}

// scratch holds buffers that bodies are read into before they are copied to their exact size.
var scratch = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxScratch is the largest buffer kept for the next body.
const maxScratch = 1 << 20

// readBody reads and decodes the body of resp into out.
func (t *trip) readBody(resp *http.Response, out *Response) error {
	if resp.ContentLength > t.limit {
		return t.tooLarge(resp.StatusCode, "is")
	}
	wire := &meter{r: resp.Body, limit: t.limit}
	defer t.watch(wire)()

	dec, err := newDecoder(wire, resp.Header["Content-Encoding"], t.limit)
	if err != nil {
		return t.bodyError(resp.StatusCode, err, wire)
	}
	defer dec.close()
	buf := scratch.Get().(*bytes.Buffer)
	defer func() {
		if buf.Cap() <= maxScratch {
			scratch.Put(buf)
		}
	}()
	buf.Reset()
	_, err = buf.ReadFrom(io.LimitReader(dec, t.limit+1))
	switch {
	case int64(buf.Len()) > t.limit || dec.exceeded() || wire.err == errLimit:
		how := "is, decompressed,"
		if len(dec.layers) == 0 || wire.err == errLimit {
			how = "is"
		}
		return t.tooLarge(resp.StatusCode, how)
	case err == nil:
		// What follows the end of the compressed data does not matter, but the end of the answer must be seen for
		// the connection to be kept.
		_, _ = dec.wire.Peek(1)
	case t.ctx.Err() != nil || !usable(err, wire, buf.Bytes()):
		return t.bodyError(resp.StatusCode, err, wire)
	default:
		out.Truncated, out.ETag, out.LastModified, out.MaxAge = true, "", "", 0
	}
	out.Wire = wire.n.Load()
	out.Body = append(make([]byte, 0, buf.Len()), buf.Bytes()...)
	return nil
}

// usable says whether what was decoded before err is the beginning of a document.
func usable(err error, wire *meter, got []byte) bool {
	if wire.err != nil || errors.Is(err, io.ErrUnexpectedEOF) {
		return len(got) > 0 // it was cut off, so what came before is right
	}
	// Damaged, or no compressed data at all: then what came out may be anything.
	return looksLikeText(got)
}

func (t *trip) bodyError(status int, err error, wire *meter) error {
	if wire.err != nil {
		return t.explain(wire.err)
	}
	return t.fail(KindEncoding, status, err, "%s sent a body that cannot be decompressed (%s); "+
		"the server is misconfigured, or something on the way damages its answers", t.host(), err)
}

func (t *trip) tooLarge(status int, how string) error {
	return t.fail(KindTooLarge, status, errLimit, "the answer of %s %s larger than %s, which is the limit for one document; "+
		"check that the address is that of a feed, or raise the limit", t.host(), how, byteSize(t.limit))
}

// watch cancels the trip when the body brings less than the minimum throughput over a window. Stop it by calling what
// it returns.
func (t *trip) watch(wire *meter) (stop func()) {
	if t.c.opts.MinRate < 0 {
		return func() {}
	}
	w := &rateWatch{trip: t, wire: wire}
	w.timer = time.AfterFunc(t.c.opts.RateWindow, w.look)
	return w.stop
}

type rateWatch struct {
	trip  *trip
	wire  *meter
	last  int64
	mu    sync.Mutex
	timer *time.Timer
	done  bool
}

func (w *rateWatch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done {
		return
	}
	o := w.trip.c.opts
	n := w.wire.n.Load()
	if float64(n-w.last) < float64(o.MinRate)*o.RateWindow.Seconds() {
		w.trip.cancel(errSlow)
		return
	}
	w.last = n
	w.timer.Reset(o.RateWindow)
}

func (w *rateWatch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done = true
	w.timer.Stop()
}
