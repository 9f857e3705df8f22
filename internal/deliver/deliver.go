// Package deliver sends what the outbox holds: at least once, one destination after its own pace.
//
// A destination has one queue, and one process at a time sends from it, under a lease. A message is marked as being sent
// before it is, and as sent after; a process that dies between the two leaves it marked, and the next one settles it: an
// endpoint that drops copies by their key gets it again, for others it is unknown whether it arrived, and the route says
// what then.
//
//   - drain.go: working a queue. attempt.go: one message. settle.go: what came of it, and what follows.
//   - retry.go, pace.go, breaker.go: when to try again, how fast to send, when to leave an endpoint in peace.
//   - message.go: from rows to what is said. settings.go: a destination's settings, with their secrets.
//   - operate.go: what an operator does: try out, redrive, skip, release.
package deliver

import (
	"log/slog"
	"math/rand/v2"
	"time"

	"feedonce/internal/dest"
	"feedonce/internal/secret"
	"feedonce/internal/store"
)

// Options are what an Engine needs.
type Options struct {
	Store *store.Store
	Box   *secret.Box // opens the destinations' secrets
	Env   dest.Env    // of senders
	Log   *slog.Logger
	// URL is where people reach the pages, such as "https://feeds.example.org"; "" leaves out links to them.
	URL string
	// From is what this installation is called in messages; "" is "feedonce".
	From string

	Now   func() time.Time                     // time.Now
	After func(time.Duration) <-chan time.Time // time.After
	Rand  func() float64                       // math/rand: jitter
}

// An Engine sends. It is safe for concurrent use, and any number of processes may have one on the same database.
type Engine struct {
	o Options
}

// New returns an engine.
func New(o Options) *Engine {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.After == nil {
		o.After = time.After
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.From == "" {
		o.From = "feedonce"
	}
	if o.Env.Now == nil {
		o.Env.Now = o.Now
	}
	if o.Env.Log == nil {
		o.Env.Log = o.Log
	}
	return &Engine{o: o}
}
