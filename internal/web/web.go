// Package web is the browser's door.
package web

import (
	"log/slog"
	"net/http"

	"feedonce/internal/fetch"
	"feedonce/internal/poll"
	"feedonce/internal/store"
)

// Options configure the web pages.
type Options struct {
	Store   *store.Store
	Poller  *poll.Poller  // for "poll now"; may be nil
	Client  *fetch.Client // to discover feeds on a page that is added
	Log     *slog.Logger
	Version string
}

// Handler returns all pages, /events, /healthz, /readyz and /metrics.
func Handler(o Options) http.Handler { return http.NotFoundHandler() }
