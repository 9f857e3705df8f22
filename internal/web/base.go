package web

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
)

// Pages are written as if they stood at the root of their host. Where people open them below a path, behind a reverse proxy, the
// path is taken off each request and put before every address of an answer, here and nowhere else.

// Base returns the path below which pages stand, as their address says; "" is the root.
func Base(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(u.EscapedPath(), "/")
}

// below puts base before the addresses of an answer.
func below(base string, next http.Handler) http.Handler {
	if base == "" {
		return next
	}
	inner := http.StripPrefix(base, next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == base:
			http.Redirect(w, r, base+"/", http.StatusPermanentRedirect)
		case strings.HasPrefix(r.URL.Path, base+"/"):
			inner.ServeHTTP(&based{ResponseWriter: w, base: base}, r)
		default:
			next.ServeHTTP(w, r) // a proxy that takes the path off by itself, or a probe from nearby
		}
	})
}

// based puts a path before where an answer redirects.
type based struct {
	http.ResponseWriter
	base string
}

func (b *based) WriteHeader(status int) {
	h := b.Header()
	if to := h.Get("Location"); strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//") {
		h.Set("Location", b.base+to)
	}
	b.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (b *based) Unwrap() http.ResponseWriter { return b.ResponseWriter }

// addresses are the attributes of pages that lead somewhere on this server. In a text, quotes are escaped, so that none of these
// can stand there; and articles have absolute addresses only.
var addresses = []string{` href="/`, ` action="/`, ` src="/`, ` formaction="/`, ` data-at="/`}

// atBase puts the path before every address of a page.
func atBase(base string, page []byte) []byte {
	if base == "" {
		return page
	}
	for _, a := range addresses {
		page = bytes.ReplaceAll(page, []byte(a), []byte(strings.TrimSuffix(a, "/")+base+"/"))
	}
	return page
}
