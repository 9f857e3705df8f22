// Package api is the door for programs: JSON over HTTP under /api/v1, described by the OpenAPI 3.1 document at
// /api/v1/openapi.json.
//
// A request passes the guard (is it for us, does it come from a page of another site), a route of the standard
// ServeMux, and is asked for a token (access.go). The library huma reads its parameters and body by the struct tags of the handler's input, refuses what does not
// fit them, and writes the OpenAPI document from the same tags. A handler reads or writes in one transaction and returns a
// struct. What it returns as error becomes a problem of RFC 9457 in problem.go, whose detail is a sentence.
//
// Lists are paged by keyset: an answer has "next" where there is more, which is the "after" of the next request. Times are
// RFC 3339 in UTC. Texts are as published: whoever shows content and summary must make them safe.
package api

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"feedonce/internal/account"
	"feedonce/internal/fetch"
	"feedonce/internal/ingest"
	"feedonce/internal/poll"
	"feedonce/internal/store"
)

// Prefix is the path under which the handler is to be mounted.
const Prefix = "/api/v1/"

// Options configure the API.
type Options struct {
	Store *store.Store
	// Accounts knows whose token a request has; without it, none is accepted.
	Accounts *account.Accounts
	Poller   *poll.Poller  // for polling now; nil where another process polls
	Client   *fetch.Client // to discover the feed of a site that is added
	// Ingester decides documents that are sent; default one with nothing but the store and the log.
	Ingester *ingest.Ingester
	Log      *slog.Logger // default: nothing is logged
	Version  string
	// Hosts are names in the Host header that are answered besides localhost and loopback addresses; "*" is any.
	Hosts []string
	Now   func() time.Time // default time.Now
}

// server is the state that handlers share.
type server struct {
	Options
	mux *http.ServeMux
	api huma.API
}

// maxBody bounds what a request may send, in bytes.
const maxBody = 1 << 20

// maxDocument bounds a document that is sent, in bytes.
const maxDocument = 10 << 20

// Handler returns the API, to be mounted at Prefix. It is safe for concurrent use.
func Handler(o Options) http.Handler {
	return newServer(o).handler()
}

// A list that is empty is one without elements, here and in the document that describes it; never null.
func init() { huma.DefaultArrayNullable = false }

func newServer(o Options) *server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Ingester == nil {
		o.Ingester = &ingest.Ingester{Store: o.Store, Log: o.Log}
	}
	s := &server{Options: o, mux: http.NewServeMux()}
	config := huma.DefaultConfig("feedonce", o.Version)
	config.Info.Description = "Every article once, none lost, and always a reason."
	config.OpenAPIPath, config.DocsPath, config.SchemasPath = Prefix+"openapi", "", ""
	config.CreateHooks = nil // no links to schemas in the answers
	config.RejectUnknownQueryParameters = true
	config.Transformers = []huma.Transformer{speak}
	config.Security, config.Components.SecuritySchemes = security, securitySchemes
	config.Tags = []*huma.Tag{
		{Name: "me", Description: "What the user of the token follows and has read. All else is for administrators."},
		{Name: "feeds", Description: "What is polled."},
		{Name: "entries", Description: "Articles."},
		{Name: "decisions", Description: "What was decided about arrivals, and why."},
		{Name: "quarantine", Description: "Arrivals that a policy holds until a person decides."},
		{Name: "amendments", Description: "Decisions that a person contradicted."},
		{Name: "stories", Description: "The same article in several feeds."},
		{Name: "changes", Description: "What happened to articles, in one order."},
		{Name: "documents", Description: "Items from somebody else's crawler."},
	}
	s.api = humago.New(s.mux, config)
	s.meRoutes()
	s.feedRoutes()
	s.policyRoutes()
	s.entryRoutes()
	s.decisionRoutes()
	s.quarantineRoutes()
	s.explainRoutes()
	s.amendRoutes()
	s.storyRoutes()
	s.changeRoutes()
	s.pushRoutes()
	return s
}

// handler is the mux behind its guards.
func (s *server) handler() http.Handler {
	s.mux.HandleFunc("/", s.noRoute)
	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		writeProblem(w, http.StatusForbidden, "This request was sent by a page of another site, so nothing was done.")
	}))
	return s.guard(s.recovered(origin.Handler(s.mux)))
}

// recovered answers where a request met a fault of the program.
func (s *server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch v := recover(); v {
			case nil:
			case http.ErrAbortHandler:
				panic(v)
			default:
				s.Log.Error("a request met a fault in the program", "method", r.Method, "path", r.URL.Path, "fault", v, "stack", string(debug.Stack()))
				writeProblem(w, http.StatusInternalServerError, "Something went wrong, and nothing was lost. The log of the server says what.")
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// noRoute answers what no route does: with the methods there are at that path, if any.
func (s *server) noRoute(w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := s.mux.Handler(other); pattern != "/" && pattern != "" {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) > 0 {
		if slices.Contains(allowed, http.MethodGet) {
			allowed = append(allowed, http.MethodHead)
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		writeProblem(w, http.StatusMethodNotAllowed, "There is something at this address, but not for the method "+plain(r.Method, 20)+"; it takes "+strings.Join(allowed, ", ")+".")
		return
	}
	writeProblem(w, http.StatusNotFound, "There is nothing at this address; "+Prefix+"openapi.json lists what there is.")
}

// An operation is a route as it is documented.
type operation struct {
	id, method, path, tag, summary, about string
	status                                int   // of success; 0 is 200
	errors                                []int // that it may answer with, besides those that all may
	body                                  int64 // what it may be sent, in bytes; 0 is maxBody
	personal                              bool  // about the token's user only; else for administrators
}

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }

// route adds a route with its handler.
func route[I, O any](s *server, op operation, f func(context.Context, *I) (*O, error)) {
	routeDocumented(s, op, nil, f)
}

// routeDocumented adds a route whose answers are not described by the handler's type.
func routeDocumented[I, O any](s *server, op operation, responses map[string]*huma.Response, f func(context.Context, *I) (*O, error)) {
	if _, ok := reflect.TypeFor[I]().FieldByName("Body"); ok {
		op.errors = append(op.errors, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	huma.Register(s.api, huma.Operation{
		OperationID: op.id, Method: op.method, Path: Prefix + strings.TrimPrefix(op.path, "/"), Summary: op.summary, Description: op.about,
		Tags: []string{op.tag}, DefaultStatus: op.status, MaxBodyBytes: cmp.Or(op.body, maxBody), Responses: responses, Middlewares: huma.Middlewares{s.allow(op)},
		Errors: append(op.errors, http.StatusUnauthorized, http.StatusForbidden, http.StatusMisdirectedRequest, http.StatusUnprocessableEntity, http.StatusInternalServerError),
	}, func(ctx context.Context, in *I) (*O, error) {
		out, err := f(ctx, in)
		if err != nil {
			return nil, s.problem(op.id, err)
		}
		return out, nil
	})
}

// view runs f in a transaction that only reads.
func (s *server) view(ctx context.Context, f func(*store.Tx) error) error {
	return s.Store.View(ctx, f)
}

// body is an answer with a body.
type body[T any] struct{ Body T }

// answer is an answer with a body.
func answer[T any](v T, err error) (*body[T], error) {
	if err != nil {
		return nil, err
	}
	return &body[T]{v}, nil
}

// none is an answer without a body.
type none struct{}
