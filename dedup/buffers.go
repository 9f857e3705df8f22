package dedup

import "sync"

// buffers are room for computing the features of one item, which are used again for others.
type buffers struct {
	text  []byte   // plain text; what is hashed
	lower []byte   // the words of a text in lower case, each ended by a zero byte, which no word contains
	ends  []int    // where in lower the words end
	refs  []string // targets of links and pictures
}

var free = sync.Pool{New: func() any { return &buffers{} }}

// maxKept is how large buffers may be that are kept: longer texts are rare.
const maxKept = 256 << 10

func borrow() *buffers { return free.Get().(*buffers) }

func (b *buffers) release() {
	if cap(b.text)+cap(b.lower) > maxKept {
		return
	}
	clear(b.refs) // they hold on to texts
	b.refs = b.refs[:0]
	free.Put(b)
}
