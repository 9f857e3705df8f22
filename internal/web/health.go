package web

import (
	"context"
	"io"
	"net/http"
	"time"

	"feedonce/internal/store"
)

// healthz says that the process answers.
func (s *server) healthz(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, err := io.WriteString(w, "ok\n")
	return err
}

// readyz says whether the database answers, within two seconds.
func (s *server) readyz(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	err := s.Store.View(ctx, func(tx *store.Tx) error {
		_, err := tx.NextDue()
		return err
	})
	if err != nil {
		s.Log.Warn("not ready: the database does not answer", "error", err)
		w.WriteHeader(http.StatusServiceUnavailable)
		_, err = io.WriteString(w, "the database does not answer\n")
		return err
	}
	_, err = io.WriteString(w, "ready\n")
	return err
}
