package web

import (
	"net/http"

	"feedonce/internal/guard"
)

// policy is what a page may load. Pictures, audio and video come from where articles say (sanitised to http and
// https), everything else from this server only.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' http: https:; media-src http: https:; " +
	"connect-src 'self'; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// guard refuses requests under foreign names and sets the headers of every answer.
func (s *server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "private, no-cache")
		// Probes ask by whatever address they know, and learn nothing.
		if !s.knownHost(r.Host) && r.URL.Path != "/healthz" && r.URL.Path != "/readyz" {
			http.Error(w, "This is feedonce. It answers only as localhost, 127.0.0.1 or [::1], "+
				"and not under the name in this request. Open it under one of these.", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// knownHost reports whether a Host header names this server.
func (s *server) knownHost(host string) bool { return guard.Known(host, s.Hosts) }
