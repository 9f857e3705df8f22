package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"feedonce/internal/account"
	"feedonce/internal/store/storetest"
	"feedonce/internal/web"
)

// Pages and API stand side by side, each with its own answers.
func TestDoors(t *testing.T) {
	s := storetest.Open(t, storetest.SQLite(t))
	h := doors(web.Options{Store: s, Accounts: account.New(account.Options{Store: s}), Version: "test"}, "")
	for _, c := range []struct {
		path, host string
		status     int
		kind       string
	}{
		{"/feeds", "localhost", http.StatusSeeOther, "text/html"},
		{"/signin", "localhost", http.StatusOK, "text/html"},
		{"/healthz", "localhost", http.StatusOK, "text/plain"},
		{"/metrics", "localhost", http.StatusSeeOther, "text/html"},
		{"/api/v1/feeds", "localhost", http.StatusUnauthorized, "application/problem+json"},
		{"/api/v1/openapi.json", "localhost", http.StatusOK, "application/openapi+json"},
		{"/api/v1/nothing", "localhost", http.StatusNotFound, "application/problem+json"},
		{"/api/v1/feeds", "rebound.example", http.StatusMisdirectedRequest, "application/problem+json"},
		{"/nothing", "localhost", http.StatusNotFound, "text/html"},
	} {
		r := httptest.NewRequest(http.MethodGet, c.path, nil)
		r.Host = c.host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if kind := w.Header().Get("Content-Type"); w.Code != c.status || !strings.HasPrefix(kind, c.kind) {
			t.Errorf("%s as %s: %d, %s; want %d, %s", c.path, c.host, w.Code, kind, c.status, c.kind)
		}
	}
}
