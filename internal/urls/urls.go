// Package urls has the canonical spelling of a URL, for comparing: never for fetching or showing.
//
// Feeds spell one page in many ways: with and without "www.", with http and https, with a trailing slash, with the
// campaign the reader is counted under. Key takes the spelling away and leaves what the page is identified by. It
// errs towards keeping: two keys that differ may still be one page, but equal keys are one page. So the case of path
// and query stays (youtu.be/AbC is not youtu.be/aBc), the fragment stays unless it only tracks, and a query parameter
// goes only if no site is known to identify pages by it (see tracking.go).
//
// Text is cut into scheme, host, path, query and fragment as browsers do it (the WHATWG URL standard): white space
// around it and line breaks within it are ignored, "\" is "/", any number of slashes may follow the scheme.
package urls

import (
	"strings"

	"golang.org/x/net/publicsuffix"
)

// Key returns the canonical key of an http(s) URL, or ok=false for anything else. It is idempotent and its key is
// ASCII.
//
// The scheme becomes https, the host lower case and ASCII (IDNA) without leading "www.", "m." or "amp." and without
// default port; dot segments are resolved, unreserved characters decoded, hex digits upper case (RFC 3986 6.2.2); the
// case of path and query is kept; a trailing "/", "/amp", "/index.html", "?amp=1" and ";jsessionid=…" go; query
// parameters are sorted by name, tracking parameters and those in drop go; the fragment is kept unless it only tracks.
// A URL that was escaped twice ("&amp;" left in it) is decoded once more.
//
// drop may be nil. It is called with the decoded name of each parameter that is left.
func Key(raw string, drop func(param string) bool) (key string, ok bool) {
	k, ok := canonical(raw, drop)
	return k.key, ok
}

// PathKey returns the part of the key of an http(s) URL that stays when a site moves to another host: path, query and
// fragment, as Key spells them. It returns ok=false for a site's root, which proves nothing, and for anything that is
// no http(s) URL.
func PathKey(raw string, drop func(param string) bool) (key string, ok bool) {
	k, ok := canonical(raw, drop)
	if !ok || k.path == k.frag {
		return "", false
	}
	return k.key[k.path:], true
}

// Host returns what the publisher of an http(s) URL has registered: the registrable domain (public suffix plus one)
// in ASCII. A host that has none, such as localhost, an IP address or a public suffix itself, stands for itself.
// It returns "" for anything that is no http(s) URL.
func Host(raw string) string {
	p, ok := split(raw)
	if !ok {
		return ""
	}
	host, isIP, ok := asciiHost(p.host)
	if !ok {
		return ""
	}
	if isIP {
		return host
	}
	if domain, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return domain
	}
	return host
}

// spelled is a key and where its parts begin: path at the end of the host, frag at the end of the query.
type spelled struct {
	key        string
	path, frag int
}

func canonical(raw string, drop func(string) bool) (spelled, bool) {
	k, ok := spell(raw, drop)
	// Decoding may uncover an entity ("&%61mp;"): rare enough to go round again.
	for i := 0; ok && i < 4 && (strings.Contains(k.key, "&amp;") || strings.Contains(k.key, "&#")); i++ {
		k, ok = spell(k.key, drop)
	}
	return k, ok
}

func spell(raw string, drop func(string) bool) (spelled, bool) {
	p, ok := split(raw)
	if !ok {
		return spelled{}, false
	}
	host, isIP, ok := asciiHost(p.host)
	if !ok {
		return spelled{}, false
	}
	if !isIP {
		host = bareHost(host)
	}
	var room [256]byte // most keys fit
	buf := append(room[:0], "https://"...)
	buf = appendUser(buf, p.user)
	buf = append(buf, host...)
	if p.port != "" {
		buf = append(buf, ':')
		buf = append(buf, p.port...)
	}
	var k spelled
	k.path = len(buf)
	buf = appendPath(buf, p.path)
	buf = appendQuery(buf, p.query, host, drop)
	k.frag = len(buf)
	buf = appendFragment(buf, p.fragment)
	k.key = string(buf)
	return k, true
}
