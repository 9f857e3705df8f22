package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"unicode"

	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// hostile are values that nobody sends who means well.
var hostile = []string{
	"", " ", "0", "-1", "1.5", "1e9", "9223372036854775807", "9223372036854775808", "99999999999999999999999999", "0x10", "١٢", "NaN", "null", "true",
	"'; drop table feeds; --", `"`, `\`, "%", "_", "%s%n", "../../etc/passwd", "\x00", "a\x00b", "\xff\xfe", "\ud7ff", "\u202egnp.exe", "\u200b", "😀",
	strings.Repeat("a", 100_000), strings.Repeat("word ", 3000), "MTIzNA", "LTk5OTk5OTk5OTk5OTk5OTk5OTkgMQ", "OTIyMzM3MjAzNjg1NDc3NTgwNyA5MjIzMzcyMDM2ODU0Nzc1ODA3",
	"0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999+14:00", "2026-13-45T99:99:99Z", "http://", "http://[::1", "http://exa mple/", "javascript:alert(1)",
	"file:///etc/passwd", "http://user:secret@127.0.0.1:1/", "http://169.254.169.254/latest/meta-data/", "new,frob", ",,,,", strings.Repeat("1,", 5000),
}

// bodies are bodies that fit no schema, or hardly.
var bodies = []string{
	"", "null", "[]", "1", `"text"`, "{", `{"a":`, "{}", "{}{}", "{} trailing", "\xff\xfe{}", "\x00", strings.Repeat("[", 50_000), strings.Repeat(`{"a":`, 50_000),
	`{"url":null}`, `{"url":1}`, `{"url":["http://a.example/"]}`, `{"url":"http://a.example/\u0000"}`, `{"url":"\ud800"}`, `{"URL":"http://127.0.0.1:1/"}`,
	`{"with":"1"}`, `{"with":1e99}`, `{"with":-1}`, `{"with":1.5}`, `{"with":99999999999999999999}`, `{"identity":"guid","identity":"link"}`, `{"identity":1}`,
	`{"suspectOnly":{}}`, `{"suspectOnly":[null]}`, `{"suspectOnly":["` + strings.Repeat("R", 10_000) + `"]}`, `{"group":"\u0000\u202e"}`, `{"apart":[""]}`,
	`{"group":"` + strings.Repeat("g", 900_000) + `"}`, `{"group":"` + strings.Repeat("g", 2_000_000) + `"}`,
}

// TestHostileInput sends to every operation what fits no parameter and no body. It is refused with a sentence, or it means
// something; it is never a fault, and what it asks to change stays as it was.
func TestHostileInput(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, st)
		s.fill()
		d := s.document()
		sent := 0
		send := func(r *try) {
			sent++
			res, body := s.do(r.request())
			if res.StatusCode == http.StatusMovedPermanently || res.StatusCode == http.StatusTemporaryRedirect { // a path with dots in it
				return
			}
			if res.StatusCode >= 500 && !(res.StatusCode == http.StatusBadGateway && r.op.OperationID == "add-feed") {
				t.Errorf("%v: %d\n%s\nthe log says\n%s", r, res.StatusCode, body, s.log)
				return
			}
			if res.StatusCode < 400 {
				return
			}
			var p struct{ Title, Detail string }
			if err := json.Unmarshal(body, &p); err != nil || res.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%v: %d is no problem of RFC 9457: %s", r, res.StatusCode, clip(string(body)))
				return
			}
			if p.Title == "" || !isSentence(p.Detail) {
				t.Errorf("%v: %d says no sentence: %q", r, res.StatusCode, p.Detail)
			}
			if len(body) > 10_000 {
				t.Errorf("%v: the problem has %d bytes", r, len(body))
			}
		}
		for path, methods := range d.Paths {
			for method, op := range methods {
				one := func() *try {
					r := &try{method: strings.ToUpper(method), path: path, op: op, params: map[string]string{}}
					for _, p := range op.Parameters {
						if p.Required { // of what is not there, so that nothing is done
							r.params[p.In+" "+p.Name] = "987654321"
						}
					}
					if op.RequestBody != nil {
						r.body = `{}`
					}
					return r
				}
				for _, p := range op.Parameters {
					for _, v := range hostile {
						if p.In == "path" && (v == "" || v == "9223372036854775807") || p.In == "path" && strings.Contains("../../etc/passwd", v) {
							continue // another route, or what is tried already
						}
						r := one()
						r.params[p.In+" "+p.Name] = v
						send(r)
					}
				}
				r := one()
				r.params["query frob"] = "1"
				send(r)
				if op.RequestBody == nil {
					continue
				}
				for _, b := range bodies {
					r := one()
					for name := range r.params {
						r.params[name] = "1" // of what is there: the body is looked at
					}
					if op.OperationID == "merge" {
						r.params["path entry"] = "2"
					}
					r.body = b
					send(r)
				}
				for _, kind := range []string{"text/plain", "application/xml", "multipart/form-data", "application/json; charset=utf-16", "☃"} {
					q := one().request()
					q.Header.Set("Content-Type", kind)
					if res, body := s.do(q); res.StatusCode >= 500 {
						t.Errorf("%s %s as %s: %d %s", q.Method, q.URL, kind, res.StatusCode, body)
					}
				}
			}
		}
		if sent < 2000 {
			t.Errorf("only %d requests were sent", sent)
		}
		var l entryList
		s.call("GET", "entries", "", 200, &l)
		if len(l.Entries) != 3 {
			t.Errorf("%d articles after all that, want 3", len(l.Entries))
		}
	})
}

// isSentence reports whether a text begins with a capital and ends with a full stop.
func isSentence(s string) bool {
	return s != "" && unicode.IsUpper([]rune(s)[0]) && strings.HasSuffix(s, ".")
}
