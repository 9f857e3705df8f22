package main

import (
	"fmt"
	"io"
	"sync"
)

// A progress shows how far long work is, on one line of a terminal that is rewritten in place. On anything but a
// terminal it is silent. It is safe for concurrent use.
type progress struct {
	w       io.Writer
	columns int
	what    string
	total   int

	mu   sync.Mutex
	done int
}

// newProgress begins to show work on total things; call end when it is over.
func newProgress(w io.Writer, what string, total int) *progress {
	p := &progress{w: w, what: what, total: total}
	if columns, ok := terminal(w); ok && total > 1 {
		p.columns = columns
		p.draw("")
	}
	return p
}

// step says that one more thing is done.
func (p *progress) step(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	p.draw(name)
}

// say prints a line that stays.
func (p *progress) say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	fmt.Fprintf(p.w, format+"\n", args...)
	p.draw("")
}

// end takes the line away.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.columns = 0
}

func (p *progress) draw(name string) {
	if p.columns > 0 {
		fmt.Fprintf(p.w, "\r\x1b[K%s", cut(clean(fmt.Sprintf("%s %d of %d  %s", p.what, p.done, p.total, name)), p.columns-1))
	}
}

func (p *progress) erase() {
	if p.columns > 0 {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// pause takes the line away until the next step, for output on the same terminal.
func (p *progress) pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
}
