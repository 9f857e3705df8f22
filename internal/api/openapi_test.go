package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// A document is an OpenAPI document as a stranger reads it: nothing here knows how it was made.
type document struct {
	OpenAPI string
	Info    struct{ Title, Version string }
	Paths   map[string]map[string]operationDoc

	raw     any
	schemas *jsonschema.Compiler
}

type operationDoc struct {
	OperationID string
	Summary     string
	Tags        []string
	Parameters  []parameter
	RequestBody *struct {
		Required bool
		Content  map[string]struct{ Schema schema }
	}
	Responses map[string]struct {
		Content map[string]struct{ Schema json.RawMessage }
	}
}

type parameter struct {
	Name, In string
	Required bool
	Schema   schema
}

// schema is what of a JSON schema is needed to make values.
type schema struct {
	Ref        string `json:"$ref"`
	Type       string
	Enum       []any
	Minimum    *float64
	Maximum    *float64
	MinLength  int
	Format     string
	Default    any
	Examples   []any
	Items      *schema
	Properties map[string]schema
	Required   []string
}

func (s *site) document() *document {
	s.t.Helper()
	res, b := s.do(request("GET", Prefix+"openapi.json", ""))
	if res.StatusCode != http.StatusOK {
		s.t.Fatalf("openapi.json: %d %s", res.StatusCode, b)
	}
	var d document
	if err := json.Unmarshal(b, &d); err != nil {
		s.t.Fatalf("openapi.json: %v", err)
	}
	raw, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		s.t.Fatal(err)
	}
	d.raw, d.schemas = raw, jsonschema.NewCompiler()
	d.schemas.AssertFormat()
	if err := d.schemas.AddResource("openapi.json", raw); err != nil {
		s.t.Fatal(err)
	}
	return &d
}

// resolve follows a reference within the document.
func (d *document) resolve(t *testing.T, s schema) schema {
	for s.Ref != "" {
		name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/")
		if !ok {
			t.Fatalf("reference %q", s.Ref)
		}
		b, err := json.Marshal(d.raw.(map[string]any)["components"].(map[string]any)["schemas"].(map[string]any)[name])
		if err != nil {
			t.Fatal(err)
		}
		s = schema{}
		if err := json.Unmarshal(b, &s); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// value is a value that fits a schema.
func (d *document) value(t *testing.T, s schema) any {
	s = d.resolve(t, s)
	switch {
	case len(s.Examples) > 0:
		return s.Examples[0]
	case len(s.Enum) > 0:
		return s.Enum[len(s.Enum)-1]
	case s.Default != nil:
		return s.Default
	}
	switch s.Type {
	case "integer":
		if s.Minimum != nil {
			return int64(*s.Minimum)
		}
		return int64(1)
	case "boolean":
		return true
	case "array":
		return []any{d.value(t, *s.Items)}
	case "object":
		out := map[string]any{}
		for name, p := range s.Properties {
			out[name] = d.value(t, p)
		}
		return out
	}
	if s.Format == "date-time" {
		return "2026-05-14T15:00:00Z"
	}
	return "1"
}

// text is a value as it stands in a path or query.
func text(v any) string {
	if list, ok := v.([]any); ok {
		var out []string
		for _, x := range list {
			out = append(out, text(x))
		}
		return strings.Join(out, ",")
	}
	return fmt.Sprint(v)
}

// A try is a request that was made of the document.
type try struct {
	method, path string // path is the template
	op           operationDoc
	params       map[string]string // by place and name: "path feed", "query limit"
	body         string
}

func (r *try) request() *http.Request {
	path, query := r.path, url.Values{}
	for name, v := range r.params {
		switch place, name, _ := strings.Cut(name, " "); place {
		case "path":
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(v))
		case "query":
			query.Set(name, v)
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return request(r.method, path, r.body)
}

func (r *try) String() string {
	q := r.request()
	return fmt.Sprintf("%s %s %s", q.Method, clip(q.URL.String()), clip(r.body))
}

func clip(s string) string {
	if len(s) > 200 {
		return s[:200] + "…"
	}
	return s
}

// particular are values that mean something in what fill makes, where any that fits the schema would not do.
func particular(s *site, id, place string) (string, bool) {
	s.t.Helper()
	var copies decisionList
	s.call("GET", "decisions?outcome=duplicate", "", 200, &copies)
	var held heldList
	s.call("GET", "quarantine", "", 200, &held)
	switch id + " " + place {
	case "get-decision path decision", "explain-decision path decision", "split path decision":
		return fmt.Sprint(copies.Decisions[0].ID), true
	case "accept-held path decision", "reject-held path decision":
		return fmt.Sprint(held.Held[0].Decision.ID), true
	case "undo path amendment": // the first one is a change of policy
		var l amendmentList
		s.call("GET", "amendments", "", 200, &l)
		if l.Amendments[0].Kind == "policy" {
			s.call("POST", "entries/1/merge", `{"with":2}`, 200, nil)
			s.call("GET", "amendments", "", 200, &l)
		}
		return fmt.Sprint(l.Amendments[0].ID), true
	case "merge body":
		return `{"with":2}`, true
	case "add-feed body":
		s.pub.feed("/c.xml", "https://c.example/", item{"1", "https://c.example/1", "One", "Text."})
		return `{"url":"` + s.pub.URL + `/c.xml","folder":"News","poll":true}`, true
	case "list-changes query after": // after none of them
		return "0", true
	case "follow body":
		s.pub.feed("/c.xml", "https://c.example/", item{"1", "https://c.example/1", "One", "Text."})
		return `{"url":"` + s.pub.URL + `/c.xml","folder":"News","title":"C"}`, true
	case "my-entries query feed":
		return "1", true
	case "my-entries query folder":
		return "Town", true
	case "move-cursor body":
		return `{"consumer":"search","seq":1}`, true
	case "check body", "ingest body":
		return `{"url":"https://pushed.example/feed","title":"Pushed","items":[{"guid":"1","url":"https://pushed.example/1","title":"One","published":"2026-05-14T15:00:00Z"},{"title":""}]}`, true
	case "set-policy body", "simulate-policy body":
		return `{"identity":"link","missingGuid":"reject","near":"off","suspectOnly":["R4"],"permanent":true,"stories":"off","group":"a","apart":["b"]}`, true
	}
	if strings.HasPrefix(place, "query after") { // of the first page of the same list
		var page struct{ Next string }
		res, b := s.do(request("GET", s.paths[id]+"?limit=1", ""))
		if err := json.Unmarshal(b, &page); err != nil {
			s.t.Fatalf("%d %s: %v", res.StatusCode, b, err)
		}
		return page.Next, true
	}
	return "", false
}

// tries makes requests for an operation that are to succeed: without what is optional, with each of it, and with all of it.
func (d *document) tries(s *site, method, path string, op operationDoc) []*try {
	t := s.t
	one := func(optional ...string) *try {
		r := &try{method: strings.ToUpper(method), path: path, op: op, params: map[string]string{}}
		for _, p := range op.Parameters {
			name := p.In + " " + p.Name
			if !p.Required && !slices.Contains(optional, name) {
				continue
			}
			v, ok := particular(s, op.OperationID, name)
			if !ok {
				v = text(d.value(t, p.Schema))
			}
			if v != "" {
				r.params[name] = v
			}
		}
		if op.RequestBody != nil {
			var ok bool
			if r.body, ok = particular(s, op.OperationID, "body"); !ok {
				b, err := json.Marshal(d.value(t, op.RequestBody.Content["application/json"].Schema))
				if err != nil {
					t.Fatal(err)
				}
				r.body = string(b)
			}
		}
		return r
	}
	if method != "get" {
		return []*try{one()} // it can be done once
	}
	out := []*try{one()}
	var all []string
	for _, p := range op.Parameters {
		if !p.Required {
			name := p.In + " " + p.Name
			out, all = append(out, one(name)), append(all, name)
		}
	}
	return append(out, one(all...))
}

// check fails unless the answer to a request is what the document says.
func (d *document) check(t *testing.T, r *try, res *http.Response, body []byte) {
	t.Helper()
	status := fmt.Sprint(res.StatusCode)
	doc, ok := r.op.Responses[status]
	if !ok {
		t.Errorf("%v: status %s is not documented\n%s", r, status, body)
		return
	}
	kind, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";")
	if len(doc.Content) == 0 {
		if len(body) > 0 {
			t.Errorf("%v: no body is documented for %s, and it is %s", r, status, clip(string(body)))
		}
		return
	}
	if _, ok := doc.Content[kind]; !ok {
		t.Errorf("%v: %s with media type %q is not documented", r, status, kind)
		return
	}
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	at := fmt.Sprintf("openapi.json#/paths/%s/%s/responses/%s/content/%s/schema", escape.Replace(r.path), strings.ToLower(r.method), status, escape.Replace(kind))
	schema, err := d.schemas.Compile(at)
	if err != nil {
		t.Fatalf("%s: %v", at, err)
	}
	values := [][]byte{body}
	if kind == ndjson {
		values = bytes.Split(bytes.TrimSuffix(body, []byte("\n")), []byte("\n"))
	}
	for _, one := range values {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(one))
		if err != nil {
			t.Errorf("%v: %v\n%s", r, err, one)
			return
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%v: the answer does not fit its schema: %v\n%s", r, err, one)
		}
	}
}

// TestDocument looks at the document itself.
func TestDocument(t *testing.T) {
	s := newSite(t, storetest.Open(t, storetest.SQLite(t)))
	d := s.document()
	if d.OpenAPI != "3.1.0" || d.Info.Title != "feedonce" || d.Info.Version != "test" {
		t.Errorf("openapi %q, info %+v", d.OpenAPI, d.Info)
	}
	ids := map[string]string{}
	for path, methods := range d.Paths {
		for method, op := range methods {
			at := method + " " + path
			if !strings.HasPrefix(path, Prefix) || op.OperationID == "" || op.Summary == "" || len(op.Tags) != 1 {
				t.Errorf("%s: id %q, summary %q, tags %v", at, op.OperationID, op.Summary, op.Tags)
			}
			if other := ids[op.OperationID]; other != "" {
				t.Errorf("%s and %s have one id", at, other)
			}
			ids[op.OperationID] = at
			for _, p := range op.Parameters {
				if (p.In == "path") != strings.Contains(path, "{"+p.Name+"}") || p.In == "path" && !p.Required {
					t.Errorf("%s: parameter %+v", at, p)
				}
			}
			for status, res := range op.Responses {
				if status[0] >= '4' && res.Content["application/problem+json"].Schema == nil {
					t.Errorf("%s: %s is no problem of RFC 9457", at, status)
				}
			}
		}
	}
	if len(ids) < 24 {
		t.Errorf("%d operations", len(ids))
	}
}

// TestEveryRouteAnswersAsDocumented sends what the document says may be sent, and holds the answers against it: to what is
// right, and to what is not there.
func TestEveryRouteAnswersAsDocumented(t *testing.T) {
	plan := newSite(t, storetest.Open(t, storetest.SQLite(t))).document()
	for _, kind := range []struct {
		name string
		open func(t *testing.T) *store.Store
	}{
		{"sqlite", func(t *testing.T) *store.Store { return storetest.Open(t, storetest.SQLite(t)) }},
		{"postgres", func(t *testing.T) *store.Store { return storetest.Open(t, storetest.Postgres(t)) }},
	} {
		t.Run(kind.name, func(t *testing.T) {
			reading := newSite(t, kind.open(t)) // for what changes nothing
			reading.fill()
			for path, methods := range plan.Paths {
				for method, op := range methods {
					t.Run(op.OperationID, func(t *testing.T) {
						s := reading
						if method != "get" {
							s = newSite(t, kind.open(t))
							s.fill()
						}
						s.t = t
						s.everyTry(t, path, method, op)
					})
				}
			}
		})
	}
}

// everyTry makes the requests of one operation.
func (s *site) everyTry(t *testing.T, path, method string, op operationDoc) {
	d := s.document()
	s.paths = map[string]string{op.OperationID: path}
	for _, p := range op.Parameters {
		if p.In != "path" {
			continue
		}
		r := d.tries(s, method, path, op)[0]
		r.params["path "+p.Name] = "987654321"
		res, body := s.do(r.request())
		if res.StatusCode != http.StatusNotFound {
			t.Errorf("%v: %d for what is not there\n%s", r, res.StatusCode, body)
		}
		d.check(t, r, res, body)
	}
	for _, r := range d.tries(s, method, path, op) {
		res, body := s.do(r.request())
		if res.StatusCode >= 300 {
			t.Errorf("%v: %d\n%s\nthe log says\n%s", r, res.StatusCode, body, s.log)
		}
		d.check(t, r, res, body)
	}
}
