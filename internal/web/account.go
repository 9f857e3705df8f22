package web

import "net/http"

type accountPage struct{ page }

// account is what somebody changes about themselves.
func (s *server) account(w http.ResponseWriter, r *http.Request) error {
	return s.render(w, "account", accountPage{s.page(r, "Your account", "account")})
}
