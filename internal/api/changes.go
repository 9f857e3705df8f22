package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"feedonce"
	"feedonce/internal/shape"
	"feedonce/internal/store"
)

// The change log is read as lines of JSON, or as server-sent events. Who reads it again and again says after which line, or
// has the server remember it.

const (
	ndjson      = "application/x-ndjson"
	eventStream = "text/event-stream"
	// lookEvery is how often it is looked for changes while somebody waits.
	lookEvery = 500 * time.Millisecond
	// beatEvery is how often a line without meaning is sent to a reader of events, so that nobody in between hangs up.
	beatEvery = 20 * time.Second
)

func (s *server) changeRoutes() {
	op := operation{id: "list-changes", method: http.MethodGet, path: "/changes", tag: "changes", summary: "Read the change log, oldest first: a line of JSON for each change",
		about: "Asks again with after as the seq of the last line. With wait, the answer waits so many seconds for a first line where there is none yet. " +
			"With a consumer, after is where that consumer is (see move-cursor) unless it is given.\n\n" +
			"With “Accept: text/event-stream” the same comes as server-sent events without end: the ID of each is its seq, so Last-Event-ID goes on where it broke off."}
	schema := s.api.OpenAPI().Components.Schemas.Schema(typeOf[shape.LogLine](), true, "LogLine")
	routeDocumented(s, op, map[string]*huma.Response{"200": {
		Description: "Changes", Content: map[string]*huma.MediaType{ndjson: {Schema: schema}, eventStream: {Schema: &huma.Schema{Type: "string"}}},
	}}, s.listChanges)
	route(s, operation{id: "get-cursor", method: http.MethodGet, path: "/changes/cursor", tag: "changes", summary: "How far a consumer of the change log is"}, s.getCursor)
	route(s, operation{id: "move-cursor", method: http.MethodPut, path: "/changes/cursor", tag: "changes", summary: "Remember how far a consumer of the change log is",
		about: "Call it when what was read is safe where it belongs. It may go back."}, s.moveCursor)
}

// ConsumerQuery names a consumer of the change log.
type ConsumerQuery struct {
	Consumer string `query:"consumer" maxLength:"100" doc:"A name you choose"`
}

type changeQuery struct {
	ConsumerQuery
	After  int64  `query:"after" minimum:"-1" default:"-1" doc:"Only changes with a greater seq; 0 is all, -1 is where the consumer is, or all"`
	Wait   int    `query:"wait" minimum:"0" maximum:"60" doc:"Seconds to wait where there is nothing yet"`
	Limit  int    `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"How many at most"`
	Texts  bool   `query:"texts" doc:"Articles with summary and content"`
	Accept string `header:"Accept" hidden:"true"`
	Last   string `header:"Last-Event-ID" maxLength:"20" doc:"For server-sent events: the ID of the last one that came"`
}

func (s *server) listChanges(ctx context.Context, in *changeQuery) (*huma.StreamResponse, error) {
	after := in.After
	events := strings.Contains(in.Accept, eventStream)
	if events && in.Last != "" {
		n, err := strconv.ParseInt(in.Last, 10, 64)
		if err != nil || n < 0 {
			return nil, &feedonce.InvalidError{Field: "Last-Event-ID", Reason: "must be the ID of an event, which is a number"}
		}
		after = n
	}
	if after < 0 {
		err := s.view(ctx, func(tx *store.Tx) (err error) {
			after = 0
			if in.Consumer != "" {
				after, err = tx.Cursor(in.Consumer)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	r := &changeReader{s: s, after: after, limit: in.Limit, texts: in.Texts}
	if events {
		return &huma.StreamResponse{Body: func(hc huma.Context) { r.events(ctx, hc) }}, nil
	}
	lines, err := r.wait(ctx, time.Duration(in.Wait)*time.Second)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("Content-Type", ndjson)
		hc.SetHeader("Cache-Control", "no-store")
		enc := json.NewEncoder(hc.BodyWriter())
		enc.SetEscapeHTML(false)
		for _, l := range lines {
			if enc.Encode(l) != nil {
				return // nobody reads any more
			}
		}
	}}, nil
}

// A changeReader reads the change log from a place on.
type changeReader struct {
	s     *server
	after int64
	limit int
	texts bool
}

// read returns the next lines.
func (r *changeReader) read(ctx context.Context) (lines []shape.LogLine, err error) {
	err = r.s.view(ctx, func(tx *store.Tx) (err error) {
		lines, err = shape.LogLines(tx, r.after, r.limit, r.texts)
		return err
	})
	if err == nil && len(lines) > 0 {
		r.after = lines[len(lines)-1].Seq
	}
	return lines, err
}

// wait returns the next lines, and waits for a first one.
func (r *changeReader) wait(ctx context.Context, patience time.Duration) ([]shape.LogLine, error) {
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		lines, err := r.read(ctx)
		if err != nil || len(lines) > 0 || patience <= 0 {
			return lines, err
		}
		select {
		case <-look.C:
		case <-deadline.C:
			return r.read(ctx)
		case <-ctx.Done():
			return nil, nil
		}
	}
}

// events sends lines as server-sent events until the reader goes.
func (r *changeReader) events(ctx context.Context, hc huma.Context) {
	hc.SetHeader("Content-Type", eventStream)
	hc.SetHeader("Cache-Control", "no-store")
	w := hc.BodyWriter()
	flush := func() {
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
	}
	if _, err := fmt.Fprint(w, ": changes\n\n"); err != nil {
		return
	}
	flush()
	for {
		lines, err := r.wait(ctx, beatEvery)
		if err != nil {
			if ctx.Err() == nil {
				r.s.Log.Error("the change log cannot be read", "error", err)
			}
			return // the reader comes back with the ID of the last event
		}
		if ctx.Err() != nil {
			return
		}
		if req, _ := humago.Unwrap(hc); !r.s.stillAllowed(req) {
			return
		}
		for _, l := range lines {
			b, err := json.Marshal(l)
			if err != nil {
				return
			}
			if _, err := fmt.Fprintf(w, "id: %d\nevent: %s\ndata: %s\n\n", l.Seq, l.Kind, b); err != nil {
				return
			}
		}
		if len(lines) == 0 {
			if _, err := fmt.Fprint(w, ": still here\n\n"); err != nil {
				return
			}
		}
		flush()
	}
}

// Cursor is how far a consumer of the change log is.
type Cursor struct {
	Consumer string `json:"consumer" minLength:"1" maxLength:"100"`
	Seq      int64  `json:"seq" minimum:"0" doc:"Of the last change it is done with; 0: of none"`
}

type cursorQuery struct {
	Consumer string `query:"consumer" minLength:"1" maxLength:"100" required:"true" doc:"A name you choose"`
}

func (s *server) getCursor(ctx context.Context, in *cursorQuery) (*body[Cursor], error) {
	out := Cursor{Consumer: in.Consumer}
	err := s.view(ctx, func(tx *store.Tx) (err error) {
		out.Seq, err = tx.Cursor(in.Consumer)
		return err
	})
	return answer(out, err)
}

type cursorInput struct{ Body Cursor }

func (s *server) moveCursor(ctx context.Context, in *cursorInput) (*body[Cursor], error) {
	err := s.Store.Update(ctx, func(tx *store.Tx) error {
		last, err := tx.LastChange()
		if err != nil {
			return err
		}
		if in.Body.Seq > last {
			return &feedonce.InvalidError{Field: "seq", Reason: fmt.Sprintf("must be that of a change; the last one is %d", last)}
		}
		return tx.SetCursor(in.Body.Consumer, in.Body.Seq, s.Now())
	})
	return answer(in.Body, err)
}
