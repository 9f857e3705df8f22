// Package web is the browser's door: pages made on the server, which work without JavaScript.
//
// A request passes guard (is it for us, what may the answer load), http.CrossOriginProtection (forms of other sites are
// refused), the sessions, and the one list of routes, which says of each who may use it (access.go). A handler parses its
// input, reads or writes in one transaction, and renders one struct with one template. What it returns as error becomes a
// page in fail.
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

	"feedonce/internal/account"
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
	// Accounts knows who requests are from.
	Accounts *account.Accounts
	// Engine sends messages to destinations; without it (in a demo), their pages say that they are not available.
	Engine *deliver.Engine
	// Box opens the addresses of output feeds; without it, their page says that they are not available.
	Box *secret.Box
	// URL is where people open the pages, which may be below a path; "" is what each request says.
	URL string
	// Hosts are names in the Host header that are answered besides localhost and loopback addresses; "*" is any. See
	// package guard.
	Hosts []string
	// Registry has what else is shown at /metrics; default is one of its own.
	Registry *prometheus.Registry
	Now      func() time.Time // default time.Now
	Location *time.Location   // for dates; default time.Local
}

// server is the state that handlers share.
type server struct {
	Options
	pages   map[string]*template.Template
	live    *hub
	undone  undos
	metrics http.Handler
}

// handler answers one route. Its error becomes a page; see fail.
type handler func(w http.ResponseWriter, r *http.Request) error

// route is a pattern of http.ServeMux, who may use it, and its handler.
type route struct {
	pattern string
	access  access
	handler handler
}

// routes is all there is.
func (s *server) routes() []route {
	return []route{
		{"GET /{$}", signedIn, s.unread},
		{"GET /all", signedIn, s.all},
		{"GET /starred", signedIn, s.starred},
		{"GET /history", signedIn, s.history},
		{"GET /folder", signedIn, s.folder},
		{"POST /read-all", signedIn, s.readAll},
		{"POST /unread-again", signedIn, s.unreadAgain},
		{"GET /counts.json", signedIn, s.counts},
		{"GET /entries/{id}", reads(ofReadable), s.entry},
		{"POST /entries/{id}/mark", reads(ofReadable), s.mark},
		{"GET /entries/{id}/versions/{revision}", reads(ofReadable), s.version},
		{"GET /entries/{id}/same", reads(ofEntryAnd("with")), s.same},
		{"POST /entries/{id}/same", alters(ofEntryAnd("with")), s.merge},
		{"GET /entries/{id}/leave", reads(ofStory), s.confirmLeave},
		{"POST /entries/{id}/leave", alters(ofStory), s.leave},
		{"GET /entries/{id}/lead", reads(ofStory), s.confirmLead},
		{"POST /entries/{id}/lead", alters(ofStory), s.lead},
		{"GET /dashboard", signedIn, s.dashboard},
		{"GET /feeds", signedIn, s.feeds},
		{"GET /feeds/{id}", reads(ofFeed), s.feed},
		{"POST /feeds/{id}/follow", reads(ofFeed), s.follow},
		{"POST /feeds/{id}/unfollow", reads(ofFeed), s.unfollow},
		{"POST /feeds/{id}/poll", alters(ofFeed), s.pollFeed},
		{"POST /feeds/{id}/pause", alters(ofFeed), s.pauseFeed},
		{"POST /feeds/{id}/resume", alters(ofFeed), s.resumeFeed},
		{"GET /feeds/{id}/remove", reads(ofFeed), s.confirmRemove},
		{"POST /feeds/{id}/remove", alters(ofFeed), s.removeFeed},
		{"GET /feeds/{id}/policy", reads(ofFeed), s.policy},
		{"POST /feeds/{id}/policy", alters(ofFeed), s.savePolicy},
		{"GET /feeds/{id}/accept-always", reads(ofFeed), s.confirmAcceptAlways},
		{"POST /feeds/{id}/accept-always", alters(ofFeed), s.acceptAlways},
		{"GET /decisions", signedIn, s.decisions},
		{"GET /decisions.csv", signedIn, s.exportCSV},
		{"GET /decisions.ndjson", signedIn, s.exportNDJSON},
		{"GET /decisions/{id}", reads(ofDecision), s.arrived},
		{"GET /decisions/{id}/split", reads(ofDecision), s.confirmSplit},
		{"POST /decisions/{id}/split", alters(ofDecision), s.split},
		{"GET /changes/{id}/undo", reads(ofChange), s.confirmUndo},
		{"POST /changes/{id}/undo", alters(ofChange), s.undo},
		{"GET /compare", signedIn, s.compare},
		{"GET /review", signedIn, s.review},
		{"POST /review", alters(ofPair), s.answer},
		{"GET /quarantine", signedIn, s.held},
		{"POST /quarantine/{id}/accept", alters(ofHeld), s.accept},
		{"GET /quarantine/{id}/reject", reads(ofHeld), s.confirmReject},
		{"POST /quarantine/{id}/reject", alters(ofHeld), s.reject},
		{"GET /destinations", admins, s.sending(s.destinations)},
		{"GET /destinations/add", admins, s.sending(s.newDestination)},
		{"POST /destinations/add", admins, s.sending(s.addDestination)},
		{"GET /destinations/{id}", admins, s.sending(s.destination)},
		{"GET /destinations/{id}/edit", admins, s.sending(s.editDestination)},
		{"POST /destinations/{id}/edit", admins, s.sending(s.saveDestination)},
		{"GET /destinations/{id}/preview", admins, s.sending(s.previewDestination)},
		{"POST /destinations/{id}/test", admins, s.sending(s.testDestination)},
		{"POST /destinations/{id}/pause", admins, s.sending(s.pauseDestination)},
		{"POST /destinations/{id}/resume", admins, s.sending(s.resumeDestination)},
		{"GET /destinations/{id}/remove", admins, s.sending(s.confirmRemoveDestination)},
		{"POST /destinations/{id}/remove", admins, s.sending(s.removeDestination)},
		{"GET /deliveries", admins, s.sending(s.deliveries)},
		{"POST /deliveries", admins, s.sending(s.moveDeliveries)},
		{"POST /brakes/{id}/release", admins, s.sending(s.releaseBrake)},
		{"GET /outputs", admins, s.publishing(s.outputs)},
		{"POST /outputs", admins, s.publishing(s.addOutput)},
		{"GET /outputs/{id}/edit", admins, s.publishing(s.editOutput)},
		{"POST /outputs/{id}/edit", admins, s.publishing(s.changeOutput)},
		{"GET /outputs/{id}/renew", admins, s.publishing(s.confirmRenewOutput)},
		{"POST /outputs/{id}/renew", admins, s.publishing(s.renewOutput)},
		{"GET /outputs/{id}/remove", admins, s.publishing(s.confirmRemoveOutput)},
		{"POST /outputs/{id}/remove", admins, s.publishing(s.removeOutput)},
		{"GET /add", signedIn, s.addForm},
		{"POST /add", signedIn, s.add},
		{"POST /import", signedIn, s.importOPML},
		{"GET /feeds.opml", signedIn, s.exportOPML},
		{"GET /events", signedIn, s.events},
		{"GET /metrics", access{admin: true, token: true}, s.scrape},
		{"GET /signin", anyone, s.signInForm},
		{"POST /signin", anyone, s.signIn},
		{"GET /signin/{secret}", anyone, s.confirmLink},
		{"POST /signin/{secret}", anyone, s.useLink},
		{"GET /setup/{secret}", anyone, s.setUpForm},
		{"POST /setup/{secret}", anyone, s.setUp},
		{"POST /signout", signedIn, s.signOut},
		{"GET /account", signedIn, s.account},
		{"POST /account/password", signedIn, s.setPassword},
		{"POST /account/sessions", signedIn, s.endSessions},
		{"POST /account/tokens", signedIn, s.addToken},
		{"POST /account/tokens/{id}/remove", signedIn, s.removeToken},
		{"GET /settings", signedIn, s.preferences},
		{"POST /settings", signedIn, s.savePreferences},
		{"GET /connect", signedIn, s.connect},
		{"GET /users", admins, s.users},
		{"POST /users", admins, s.addUser},
		{"POST /users/{id}", admins, s.changeUser},
		{"GET /users/{id}/remove", admins, s.confirmRemoveUser},
		{"POST /users/{id}/remove", admins, s.removeUser},
		{"GET /healthz", plain, s.healthz},
		{"GET /readyz", plain, s.readyz},
		{"GET /assets/{file}", plain, s.asset},
		{"GET /favicon.ico", plain, s.favicon},
		{"GET /badge.svg", plain, s.badge},
		{"GET /manifest.webmanifest", plain, s.manifest},
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
	s := &server{Options: o, pages: pages()}
	s.metrics = s.newMetrics()
	s.live = newHub(s.latest, time.NewTicker)
	return s.handler()
}

func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	for _, route := range s.routes() {
		mux.Handle(route.pattern, s.allow(route.access, route.handler))
	}
	mux.Handle("/", s.adapt(func(http.ResponseWriter, *http.Request) error { return errNoPage }))

	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(s.adapt(func(http.ResponseWriter, *http.Request) error { return errCrossOrigin }))
	return s.guard(below(Base(s.URL), origin.Handler(mux)))
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
