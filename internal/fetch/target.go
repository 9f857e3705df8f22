package fetch

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// parseTarget parses an absolute http(s) URL for fetching: host in lower-case ASCII, no fragment, "/" for an empty
// path, no user info. The user info is returned beside it. The error completes a sentence that starts with the URL.
func parseTarget(raw string) (*url.URL, *url.Userinfo, error) {
	raw = strings.TrimSpace(raw)
	if raw == "" {
		return nil, nil, fmt.Errorf("is empty; an address such as https://example.org/feed is needed")
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, nil, fmt.Errorf("is no valid address; check it for typing errors")
	}
	user, err := normalize(u)
	return u, user, err
}

// normalize makes an absolute URL ready for fetching, in place, and returns the user info it carried.
func normalize(u *url.URL) (*url.Userinfo, error) {
	user := u.User
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return user, fmt.Errorf("is no web address; it must begin with http:// or https://")
	case u.Opaque != "" || u.Hostname() == "":
		return user, fmt.Errorf("names no host; check it for typing errors")
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if !ascii(host) {
		a, err := idna.Lookup.ToASCII(host)
		if err != nil {
			return user, fmt.Errorf("has a host name that is not valid; check it for typing errors")
		}
		host = a
	}
	if port == defaultPort(u.Scheme) {
		port = ""
	}
	if port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil {
			return user, fmt.Errorf("has the port %s, which does not exist; check it for typing errors", port)
		} else {
			port = strconv.FormatUint(n, 10)
		}
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	u.Host = host
	if port != "" {
		u.Host += ":" + port
	}
	if u.Path == "" {
		u.Path = "/"
	}
	return user, nil
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func defaultPort(scheme string) string {
	if scheme == "https" {
		return "443"
	}
	return "80"
}

// origin is scheme, host and port of a normalized URL (RFC 6454 section 4).
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = defaultPort(u.Scheme)
	}
	return u.Scheme + "://" + net.JoinHostPort(u.Hostname(), port)
}

// portOf is the port that a normalized URL is fetched from.
func portOf(u *url.URL) uint16 {
	port := u.Port()
	if port == "" {
		port = defaultPort(u.Scheme)
	}
	n, _ := strconv.ParseUint(port, 10, 16) // normalize has checked it
	return uint16(n)
}
