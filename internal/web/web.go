// Package web is the browser's door: pages made on the server, which work without JavaScript.
//
// A request passes guard (is it for us, what may the answer load), http.CrossOriginProtection (forms of other sites are
// refused), and the one list of routes. A handler parses its input, reads or writes in one transaction, and renders
// one struct with one template. What it returns as error becomes a page in fail.
//
// Everything a feed says is untrusted: html/template escapes text, package sanitize makes markup safe, and only
// http(s) addresses become links (see links.go). Script and style come from this server only, as files named by the
// hash of their content.
package web

import (
	"html/template"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"feedonce/internal/deliver"
	"feedonce/internal/fetch"
	"feedonce/internal/poll"
	"feedonce/internal/secret"
	"feedonce/internal/store"
)

// Options configure the web pages.
type Options struct {
	Store   *store.Store
	Poller  *poll.Poller  // for "poll now" and its counters in /metrics; may be nil
	Client  *fetch.Client // to discover feeds on a page that is added
	Log     *slog.Logger  // default: nothing is logged
	Version string
	// Engine sends messages to destinations; without it (in a demo), their pages say that they are not available.
	Engine *deliver.Engine
	// Box opens the addresses of output feeds; without it, their page says that they are not available.
	Box *secret.Box
	// URL is where people open the pages, for addresses of output feeds; "" is what each request says.
	URL string
	// Hosts are names in the Host header that are answered besides localhost and loopback addresses; "*" is any. As
	// there are no accounts, any page in a browser could otherwise reach the server under a name of its own that
	// resolves to 127.0.0.1.
	Hosts []string
	// Registry has what else is shown at /metrics; default is one of its own.
	Registry *prometheus.Registry
	Now      func() time.Time // default time.Now
	Location *time.Location   // for dates; default time.Local
}

// server is the state that handlers share.
type server struct {
	Options
	pages map[string]*template.Template
	live  *hub
}

// handler answers one route. Its error becomes a page; see fail.
type handler func(w http.ResponseWriter, r *http.Request) error

// route is a pattern of http.ServeMux and its handler.
type route struct {
	pattern string
	handler handler
}

// routes is all there is.
func (s *server) routes() []route {
	return []route{
		{"GET /{$}", s.articles},
		{"GET /entries/{id}", s.entry},
		{"GET /entries/{id}/versions/{revision}", s.version},
		{"GET /entries/{id}/same", s.same},
		{"POST /entries/{id}/same", s.merge},
		{"GET /entries/{id}/leave", s.confirmLeave},
		{"POST /entries/{id}/leave", s.leave},
		{"GET /entries/{id}/lead", s.confirmLead},
		{"POST /entries/{id}/lead", s.lead},
		{"GET /feeds", s.feeds},
		{"GET /feeds/{id}", s.feed},
		{"POST /feeds/{id}/poll", s.pollFeed},
		{"POST /feeds/{id}/pause", s.pauseFeed},
		{"POST /feeds/{id}/resume", s.resumeFeed},
		{"GET /feeds/{id}/remove", s.confirmRemove},
		{"POST /feeds/{id}/remove", s.removeFeed},
		{"GET /feeds/{id}/policy", s.policy},
		{"POST /feeds/{id}/policy", s.savePolicy},
		{"GET /feeds/{id}/accept-always", s.confirmAcceptAlways},
		{"POST /feeds/{id}/accept-always", s.acceptAlways},
		{"GET /decisions", s.decisions},
		{"GET /decisions.csv", s.exportCSV},
		{"GET /decisions.ndjson", s.exportNDJSON},
		{"GET /decisions/{id}", s.arrived},
		{"GET /decisions/{id}/split", s.confirmSplit},
		{"POST /decisions/{id}/split", s.split},
		{"GET /changes/{id}/undo", s.confirmUndo},
		{"POST /changes/{id}/undo", s.undo},
		{"GET /compare", s.compare},
		{"GET /review", s.review},
		{"POST /review", s.answer},
		{"GET /quarantine", s.held},
		{"POST /quarantine/{id}/accept", s.accept},
		{"GET /quarantine/{id}/reject", s.confirmReject},
		{"POST /quarantine/{id}/reject", s.reject},
		{"GET /destinations", s.sending(s.destinations)},
		{"GET /destinations/add", s.sending(s.newDestination)},
		{"POST /destinations/add", s.sending(s.addDestination)},
		{"GET /destinations/{id}", s.sending(s.destination)},
		{"GET /destinations/{id}/edit", s.sending(s.editDestination)},
		{"POST /destinations/{id}/edit", s.sending(s.saveDestination)},
		{"GET /destinations/{id}/preview", s.sending(s.previewDestination)},
		{"POST /destinations/{id}/test", s.sending(s.testDestination)},
		{"POST /destinations/{id}/pause", s.sending(s.pauseDestination)},
		{"POST /destinations/{id}/resume", s.sending(s.resumeDestination)},
		{"GET /destinations/{id}/remove", s.sending(s.confirmRemoveDestination)},
		{"POST /destinations/{id}/remove", s.sending(s.removeDestination)},
		{"GET /deliveries", s.sending(s.deliveries)},
		{"POST /deliveries", s.sending(s.moveDeliveries)},
		{"POST /brakes/{id}/release", s.sending(s.releaseBrake)},
		{"GET /outputs", s.publishing(s.outputs)},
		{"POST /outputs", s.publishing(s.addOutput)},
		{"GET /outputs/{id}/renew", s.publishing(s.confirmRenewOutput)},
		{"POST /outputs/{id}/renew", s.publishing(s.renewOutput)},
		{"GET /outputs/{id}/remove", s.publishing(s.confirmRemoveOutput)},
		{"POST /outputs/{id}/remove", s.publishing(s.removeOutput)},
		{"GET /add", s.addForm},
		{"POST /add", s.add},
		{"POST /import", s.importOPML},
		{"GET /feeds.opml", s.exportOPML},
		{"GET /events", s.events},
		{"GET /healthz", s.healthz},
		{"GET /readyz", s.readyz},
		{"GET /assets/{file}", s.asset},
		{"GET /favicon.ico", s.favicon},
	}
}

// Handler returns all pages, /events, /healthz, /readyz and /metrics. It is safe for concurrent use.
func Handler(o Options) http.Handler {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Location == nil {
		o.Location = time.Local
	}
	if o.Registry == nil {
		o.Registry = prometheus.NewRegistry()
	}
	s := &server{Options: o, pages: pages}
	s.live = newHub(s.latest, time.NewTicker)
	return s.handler()
}

func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	for _, route := range s.routes() {
		mux.Handle(route.pattern, s.adapt(route.handler))
	}
	mux.Handle("GET /metrics", s.metrics())
	mux.Handle("/", s.adapt(func(http.ResponseWriter, *http.Request) error { return errNoPage }))

	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(s.adapt(func(http.ResponseWriter, *http.Request) error { return errCrossOrigin }))
	return s.guard(origin.Handler(mux))
}

// adapt turns a handler into an http.Handler.
func (s *server) adapt(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		}
		if err := h(w, r); err != nil {
			s.fail(w, r, err)
		}
	})
}
