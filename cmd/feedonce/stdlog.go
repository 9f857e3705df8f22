package main

import (
	"log"
	"strings"
)

// A standardLog has the log of the program what libraries write to the standard log, at level debug. The client of net/http
// knows no other place to say that a server sent something that nobody had asked for, which happens every day and is
// nothing to act on.
type standardLog struct{ a *app }

func (s standardLog) Write(line []byte) (int, error) {
	s.a.logger().Debug("a library says", "text", strings.TrimSpace(string(line)))
	return len(line), nil
}

// takeStandardLog sends the standard log to the program's own, for all of the process.
func (a *app) takeStandardLog() {
	log.SetFlags(0) // the time is in the program's own
	log.SetOutput(standardLog{a})
}
