package web

import (
	"net/url"
	"strings"
)

// webURL returns an address that may become a link, or "". What a feed gives as address may be anything.
func webURL(raw string) string {
	raw = strings.TrimSpace(raw)
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return u.String()
}

// A link is an address as published, and where it leads if it may be followed.
type link struct {
	Text string
	URL  string // "" where it must not be followed
}

func linkTo(raw string) link { return link{Text: raw, URL: webURL(raw)} }

// host is the part of an address that a person knows a site by.
func (l link) Host() string {
	u, err := url.Parse(l.URL)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(u.Hostname(), "www.")
}
