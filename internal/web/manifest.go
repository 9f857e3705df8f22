package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// The marks of feedonce on the desks of people: its icon, with how much is unread, and what a browser must know to install it.

// badge is the icon with a number, for the tab: n=12. It is made here and not by a script on a canvas, so that it works without
// scripts, and so that pages may load pictures from addresses only.
func (s *server) badge(w http.ResponseWriter, r *http.Request) error {
	n, err := strconv.Atoi(r.FormValue("n"))
	if err != nil || n < 1 {
		return s.favicon(w, r)
	}
	words, x, wide := strconv.Itoa(n), 22, 20
	switch {
	case n > 99:
		words, x, wide = "99+", 16, 32
	case n > 9:
		x, wide = 19, 26
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	return send(w, assetFile{kind: "image/svg+xml", content: fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">`+
		`<rect width="32" height="32" rx="8" fill="#0e6a5b"/><circle cx="8" cy="11" r="3" fill="#fff"/><path d="M8 1A10 10 0 0 1 18 11" fill="none" stroke="#fff" stroke-width="4"/>`+
		`<rect x="%d" y="13" width="%d" height="19" rx="6" fill="#fff"/><text x="%d" y="28" font-family="sans-serif" font-size="16" font-weight="700" text-anchor="middle" fill="#123">%s</text></svg>`,
		32-wide, wide, x, words)})
}

type manifestIcon struct {
	Src     string `json:"src"`
	Sizes   string `json:"sizes"`
	Type    string `json:"type"`
	Purpose string `json:"purpose"`
}

type webManifest struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	ShortName  string         `json:"short_name"`
	About      string         `json:"description"`
	StartURL   string         `json:"start_url"`
	Scope      string         `json:"scope"`
	Display    string         `json:"display"`
	Background string         `json:"background_color"`
	Theme      string         `json:"theme_color"`
	Icons      []manifestIcon `json:"icons"`
}

// manifest is the web application manifest (https://www.w3.org/TR/appmanifest/).
func (s *server) manifest(w http.ResponseWriter, _ *http.Request) error {
	base := Base(s.URL)
	m := webManifest{
		ID: base + "/", Name: "feedonce", ShortName: "feedonce", About: "Every article once, and always why.", StartURL: base + "/", Scope: base + "/",
		Display: "standalone", Background: "#fbfaf7", Theme: "#fbfaf7",
		Icons: []manifestIcon{
			{base + assetPath("icon.svg"), "any", "image/svg+xml", "any"},
			{base + assetPath("icon-192.png"), "192x192", "image/png", "any"},
			{base + assetPath("icon-512.png"), "512x512", "image/png", "any"},
			{base + assetPath("icon-full.png"), "512x512", "image/png", "maskable"},
		},
	}
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "public, max-age=86400")
	return send(w, assetFile{content: b, kind: "application/manifest+json"})
}
