package feedonce

import "errors"

var (
	// ErrNotFound is returned where what was asked for by ID, URL or key is not there.
	ErrNotFound = errors.New("not found")
	// ErrExists is returned where something would be added a second time.
	ErrExists = errors.New("exists already")
	// ErrConflict is returned where somebody else was faster: the database moved on between reading and writing.
	// Reading again and deciding again is the remedy.
	ErrConflict = errors.New("changed by another worker meanwhile")
	// ErrFenced is returned to a worker whose lease on a feed ran out and was given to another worker.
	// What it fetched is old; it must drop it.
	ErrFenced = errors.New("lease lost to another worker")
)

// An InvalidError is something a person gave that they can put right.
type InvalidError struct {
	Field  string // what was wrong: "url", "interval"
	Reason string // why, and what would be right, as a clause: "must start with http:// or https://"
}

func (e *InvalidError) Error() string { return e.Field + " " + e.Reason }
