package ingest

import (
	"fmt"
	"runtime/debug"
)

// A PanicError says that this program ran into a fault of its own in the middle of a document. Other feeds are not
// affected, and nothing of the document was stored.
type PanicError struct {
	Doing string // "reading" or "deciding"
	Value any    // what was panicked with
	Stack []byte // for the log, never for a page
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("feedonce ran into a fault of its own while %s the document (%v), and stored nothing of it. "+
		"Please report it with the address of the feed", e.Doing, e.Value)
}

// A StrikesError says that a document was not read because the process ended too often while it was.
type StrikesError struct{ Strikes int }

func (e *StrikesError) Error() string {
	return fmt.Sprintf("feedonce ended %d times in a row while it read a document of this feed, so the feed is left alone. "+
		"Resume it to try once more, and please report it with its address", e.Strikes)
}

// guard runs f and turns a panic into a *PanicError.
func guard(doing string, f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Doing: doing, Value: v, Stack: debug.Stack()}
		}
	}()
	return f()
}
