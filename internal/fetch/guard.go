package fetch

import (
	"fmt"
	"net/netip"
	"strings"
	"syscall"

	"code.dny.dev/ssrf"
)

// A guard decides which addresses may be dialled. It is asked by net.Dialer after DNS, for each address really
// tried, so neither a name that resolves to a private address nor one that changes its mind gets through.
type guard struct {
	allow []netip.Prefix
	ssrf  *ssrf.Guardian
	// anyPort lets protocols other than HTTP through.
	anyPort bool
}

// wellKnownNAT64 carries an IPv4 address in its last four bytes (RFC 6052 section 2.1). Hosts with IPv6 only reach
// the IPv4 internet through it, so it is judged by the address inside.
var wellKnownNAT64 = netip.MustParsePrefix("64:ff9b::/96")

// special names the ranges that are no public unicast, most specific first, from the IANA special-purpose
// registries. It is what the sentences for people say, and a second line behind the library's list.
var special = []struct {
	prefix netip.Prefix
	what   string
}{
	{netip.MustParsePrefix("255.255.255.255/32"), "the broadcast address"},
	{netip.MustParsePrefix("0.0.0.0/8"), `an address of "this network"`},
	{netip.MustParsePrefix("10.0.0.0/8"), "a private address"},
	{netip.MustParsePrefix("100.64.0.0/10"), "a carrier-grade NAT address"},
	{netip.MustParsePrefix("127.0.0.0/8"), "a loopback address"},
	{netip.MustParsePrefix("169.254.0.0/16"), "a link-local address"},
	{netip.MustParsePrefix("172.16.0.0/12"), "a private address"},
	{netip.MustParsePrefix("192.168.0.0/16"), "a private address"},
	{netip.MustParsePrefix("192.0.0.0/24"), "a reserved address"},
	{netip.MustParsePrefix("192.0.2.0/24"), "a documentation address"},
	{netip.MustParsePrefix("198.18.0.0/15"), "a benchmarking address"},
	{netip.MustParsePrefix("198.51.100.0/24"), "a documentation address"},
	{netip.MustParsePrefix("203.0.113.0/24"), "a documentation address"},
	{netip.MustParsePrefix("224.0.0.0/4"), "a multicast address"},
	{netip.MustParsePrefix("240.0.0.0/4"), "a reserved address"},
	{netip.MustParsePrefix("::/128"), "the unspecified address"},
	{netip.MustParsePrefix("::1/128"), "a loopback address"},
	{netip.MustParsePrefix("::/96"), "an IPv4-compatible address"},
	{netip.MustParsePrefix("::ffff:0:0:0/96"), "an IPv4-translated address"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "a local NAT64 address"},
	{netip.MustParsePrefix("100::/64"), "a discard-only address"},
	{netip.MustParsePrefix("2001::/32"), "a Teredo address"},
	{netip.MustParsePrefix("2001:2::/48"), "a benchmarking address"},
	{netip.MustParsePrefix("2001:db8::/32"), "a documentation address"},
	{netip.MustParsePrefix("3fff::/20"), "a documentation address"},
	{netip.MustParsePrefix("2002::/16"), "a 6to4 address"},
	{netip.MustParsePrefix("fc00::/7"), "a private address"},
	{netip.MustParsePrefix("fe80::/10"), "a link-local address"},
	{netip.MustParsePrefix("fec0::/10"), "a site-local address"},
	{netip.MustParsePrefix("ff00::/8"), "a multicast address"},
}

func newGuard(allow []netip.Prefix) *guard {
	g := &guard{ssrf: ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV6Prefixes(wellKnownNAT64))}
	for _, p := range allow {
		if p, ok := plainPrefix(p); ok {
			g.allow = append(g.allow, p)
		}
	}
	return g
}

// noneAllowed judges embedded addresses: allowing a network does not open a translator's way into it.
var noneAllowed = newGuard(nil)

// control is a net.Dialer's Control.
func (g *guard) control(network, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("address to dial: %w", err)
	}
	if name, bad := badPorts[ap.Port()]; bad && !g.anyPort {
		return &forbiddenError{addr: ap.Addr(), port: ap.Port(), what: name}
	}
	if network != "tcp4" && network != "tcp6" {
		return &forbiddenError{addr: ap.Addr(), what: "not reached by TCP"}
	}
	return g.check(ap.Addr())
}

// check returns nil for an address that may be dialled, else a *forbiddenError.
func (g *guard) check(addr netip.Addr) error {
	// Prefix.Contains is false for every address with a zone.
	addr = addr.WithZone("").Unmap()
	for _, p := range g.allow {
		if p.Contains(addr) {
			return nil
		}
	}
	for _, s := range special {
		if s.prefix.Contains(addr) {
			return &forbiddenError{addr: addr, what: s.what}
		}
	}
	if v4, how := embedded(addr); v4.IsValid() {
		if err := noneAllowed.check(v4); err != nil {
			return &forbiddenError{addr: addr, what: fmt.Sprintf("%s for %s, %s", how, v4, err.(*forbiddenError).what)}
		}
	}
	if err := g.ssrf.SafeAddr(addr); err != nil {
		return &forbiddenError{addr: addr, what: "a reserved address"}
	}
	return nil
}

// embedded returns the IPv4 address that a translator or tunnel would take out of an IPv6 address, for the forms
// that are not refused altogether; it is invalid where there is none.
func embedded(addr netip.Addr) (v4 netip.Addr, how string) {
	if !addr.Is6() {
		return netip.Addr{}, ""
	}
	b := addr.As16()
	last := netip.AddrFrom4([4]byte(b[12:16]))
	if wellKnownNAT64.Contains(addr) {
		return last, "the NAT64 address"
	}
	// ISATAP: the interface identifier is 0000:5efe or 0200:5efe and the IPv4 address (RFC 5214 section 6.1).
	if b[8]&^0x02 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe {
		return last, "the ISATAP address"
	}
	return netip.Addr{}, ""
}

// A forbiddenError says which address or port was refused. Its text goes to people.
type forbiddenError struct {
	addr netip.Addr
	name string // the host name that leads to addr, if any
	port uint16 // only when the port is what is wrong
	what string // what kind of address, or the service of the port
}

// Forbidden tells those who send through HTTP and Dial that trying again is of no use.
func (e *forbiddenError) Forbidden() bool { return true }

func (e *forbiddenError) Error() string {
	if e.wrongPort() {
		return fmt.Sprintf("port %d is for another protocol (%s), and is not fetched from; check the address", e.port, e.what)
	}
	subject := e.addr.String() + " is "
	if e.name != "" {
		subject = e.name + " is at " + e.addr.String() + ", which is "
	}
	return fmt.Sprintf("%s%s, and such addresses are not fetched from unless allowed; "+
		"if this is your own network, allow it with --allow-net %s", subject, e.what, netip.PrefixFrom(e.addr, e.addr.BitLen()))
}

// wrongPort says that the port is the reason, and not the address.
func (e *forbiddenError) wrongPort() bool { return e.port != 0 || !e.addr.IsValid() }

// ParseNets reads networks as a person writes them on a command line: prefixes ("10.0.0.0/8", "fd00::/8") or single
// addresses, separated by commas or white space. The error names the part that is neither.
func ParseNets(list ...string) ([]netip.Prefix, error) {
	var nets []netip.Prefix
	for _, s := range list {
		for _, f := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' }) {
			p, err := netip.ParsePrefix(f)
			if err != nil {
				a, aerr := netip.ParseAddr(f)
				if aerr != nil || a.Zone() != "" {
					return nil, fmt.Errorf("%q is no network; write it like 10.0.0.0/8, fd00::/8 or 192.168.1.20", f)
				}
				p = netip.PrefixFrom(a, a.BitLen())
			}
			p, ok := plainPrefix(p)
			if !ok {
				return nil, fmt.Errorf("%q is no network; write it like 10.0.0.0/8, fd00::/8 or 192.168.1.20", f)
			}
			nets = append(nets, p)
		}
	}
	return nets, nil
}

// plainPrefix masks a prefix and turns one of IPv4-mapped addresses into IPv4, which is how addresses are compared.
func plainPrefix(p netip.Prefix) (netip.Prefix, bool) {
	if p.Addr().Is4In6() && p.Bits() >= 96 {
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	return p.Masked(), p.IsValid()
}
