// Package guard says whether a request is for this server, for the pages and the API alike. Any
// page in a browser could otherwise reach the server under a name of its own that leads to this machine (DNS rebinding), and try
// names and passwords there.
package guard

import (
	"net"
	"net/netip"
	"slices"
	"strings"
)

// Known reports whether a Host header names this server: localhost, a loopback address, or one of hosts, with or without
// the port. "*" among hosts is any name.
func Known(host string, hosts []string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(name, "["), "]"))
	if name == "localhost" || slices.Contains(hosts, "*") {
		return true
	}
	if addr, err := netip.ParseAddr(name); err == nil && addr.IsLoopback() {
		return true
	}
	return slices.ContainsFunc(hosts, func(h string) bool { return strings.EqualFold(h, name) || strings.EqualFold(h, host) })
}
