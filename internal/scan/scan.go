// Package scan bounds a raw document before any parser sees it.
package scan

import "fmt"

// A LimitError says which bound a document exceeded.
type LimitError struct {
	What  string // "nesting depth", "attributes of one element"
	Limit int
	Line  int
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("line %d exceeds the limit of %d for %s", e.Line, e.Limit, e.What)
}
