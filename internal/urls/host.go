package urls

import (
	"encoding/binary"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// domains maps names as browsers do (UTS #46, non-transitional): upper to lower case, full-width dots to dots.
var domains = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false), idna.CheckHyphens(false))

// asciiHost returns a host in lower case and ASCII, without a dot at the end; an IP address in its shortest form,
// IPv6 in brackets.
func asciiHost(raw string) (host string, isIP, ok bool) {
	if strings.HasPrefix(raw, "[") {
		addr, err := netip.ParseAddr(strings.TrimSuffix(raw[1:], "]"))
		if err != nil || !addr.Is6() || addr.Zone() != "" || !strings.HasSuffix(raw, "]") {
			return "", false, false
		}
		return "[" + addr.String() + "]", true, true
	}
	host = raw
	plain := true
	for i := 0; i < len(host) && plain; i++ {
		c := host[i]
		plain = c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '.' || c == '-' || c == '_'
	}
	if !plain || strings.Contains(host, "xn--") {
		if strings.ContainsRune(host, '%') {
			decoded, err := url.PathUnescape(host)
			if err != nil {
				return "", false, false
			}
			host = decoded
		}
		ascii, err := domains.ToASCII(host)
		if err != nil || !utf8.ValidString(host) {
			return "", false, false
		}
		host = ascii
		// Code points that no host may have (WHATWG URL 3.2).
		if strings.IndexFunc(host, func(r rune) bool {
			return r <= ' ' || r >= 0x7f || strings.ContainsRune(`#%/:<>?@[\]^|`, r)
		}) >= 0 {
			return "", false, false
		}
	}
	host = strings.TrimRight(host, ".")
	if host == "" {
		return "", false, false
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == "" || last[0] < '0' || last[0] > '9' {
		return host, false, true
	}
	addr, number, ok := ipv4(host)
	if !number {
		return host, false, true
	}
	return addr, true, ok
}

// ipv4 reads an IPv4 address in any of the forms that browsers take: "127.1", "0x7f.0.0.1", "2130706433". number
// says that the host must be an address because its last label is a number.
func ipv4(host string) (addr string, number, ok bool) {
	labels := strings.Split(host, ".")
	parse := func(s string) (uint64, error) {
		base := 10
		switch {
		case strings.HasPrefix(s, "0x"):
			s, base = s[2:], 16
			if s == "" {
				return 0, nil
			}
		case len(s) > 1 && s[0] == '0':
			s, base = s[1:], 8
		}
		return strconv.ParseUint(s, base, 33)
	}
	last := labels[len(labels)-1]
	if _, err := parse(last); err != nil && strings.Trim(last, "0123456789") != "" {
		return "", false, false
	}
	if len(labels) > 4 {
		return "", true, false
	}
	var ip uint64
	for i, label := range labels {
		n, err := parse(label)
		room := uint64(1) << 8
		if i == len(labels)-1 {
			room = 1 << (8 * (5 - len(labels)))
		}
		if err != nil || n >= room {
			return "", true, false
		}
		if i == len(labels)-1 {
			ip |= n
		} else {
			ip |= n << (8 * (3 - i))
		}
	}
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], uint32(ip))
	return netip.AddrFrom4(b).String(), true, true
}

// bareHost takes away the labels that only say which rendering of a site is meant. What is left must still be
// something a publisher can register: "m.co.uk" and "amp.dev" stay.
func bareHost(host string) string {
	for {
		label, rest, ok := strings.Cut(host, ".")
		if !ok || label != "www" && label != "m" && label != "amp" {
			return host
		}
		if _, err := publicsuffix.EffectiveTLDPlusOne(rest); err != nil {
			return host
		}
		host = rest
	}
}

// cleanPort returns a port, or "" for the default one. As the scheme is not part of a key, the default ports of both
// are none.
func cleanPort(raw string) (port string, ok bool) {
	if raw == "" {
		return "", true
	}
	n, err := strconv.ParseUint(raw, 10, 16)
	if err != nil || raw[0] == '+' {
		return "", false
	}
	if n == 80 || n == 443 {
		return "", true
	}
	return strconv.FormatUint(n, 10), true
}
