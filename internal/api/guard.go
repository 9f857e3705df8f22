package api

import (
	"net/http"

	"feedonce/internal/guard"
)

// guard refuses requests under foreign names, as the pages do: any page in a browser could otherwise
// reach the server under a name of its own that leads to this machine.
func (s *server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "private, no-store")
		if !guard.Known(r.Host, s.Hosts) {
			writeProblem(w, http.StatusMisdirectedRequest, "This is feedonce. It answers only as localhost, 127.0.0.1 or [::1], "+
				"or as a name given with --hosts, and not under the name in this request.")
			return
		}
		next.ServeHTTP(w, r)
	})
}
