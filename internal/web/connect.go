package web

import (
	"net/http"
	"strings"
)

type connectPage struct {
	page
	Address string // where the pages are
}

// connect says by which addresses other programs read and change what the user may.
func (s *server) connect(w http.ResponseWriter, r *http.Request) error {
	return s.render(w, "connect", connectPage{s.page(r, "Connect an app", "account"), s.address(r)})
}

// address is where the pages are, without a slash at its end.
func (s *server) address(r *http.Request) string { return strings.TrimSuffix(s.base(r), "/") }
