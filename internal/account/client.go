package account

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Client returns the address a request came from: where the connection is from, or, if that is a trusted proxy, what it and
// those behind it say in X-Forwarded-For, up to the first that is not trusted.
func (a *Accounts) Client(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	if !a.trusted(r.RemoteAddr) {
		return host
	}
	said := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, one := range slices.Backward(said) {
		one = strings.TrimSpace(one)
		if _, err := netip.ParseAddr(one); err != nil {
			break
		}
		host = one
		if !a.trusted(one) {
			break
		}
	}
	return host
}

// trusted reports whether an address, with or without a port, is of a trusted proxy.
func (a *Accounts) trusted(address string) bool {
	if host, _, err := net.SplitHostPort(address); err == nil {
		address = host
	}
	ip, err := netip.ParseAddr(address)
	return err == nil && slices.ContainsFunc(a.Proxies, func(p netip.Prefix) bool { return p.Contains(ip.Unmap()) })
}
