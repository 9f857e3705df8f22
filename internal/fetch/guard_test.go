package fetch

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/dns/dnsmessage"
)

func TestGuardRefusesWhatIsNotPublic(t *testing.T) {
	g := newGuard(nil)
	for _, tt := range []struct{ addr, what string }{
		{"0.0.0.0", "this network"}, {"0.1.2.3", "this network"},
		{"10.0.0.5", "private"}, {"172.16.0.1", "private"}, {"172.31.255.255", "private"}, {"192.168.1.1", "private"},
		{"100.64.0.1", "carrier-grade"}, {"127.0.0.1", "loopback"}, {"127.255.255.254", "loopback"},
		{"169.254.169.254", "link-local"}, {"192.0.0.8", "reserved"}, {"192.0.2.1", "documentation"},
		{"198.18.0.1", "benchmarking"}, {"198.51.100.7", "documentation"}, {"203.0.113.7", "documentation"},
		{"192.88.99.1", "reserved"}, {"224.0.0.1", "multicast"}, {"239.255.255.250", "multicast"}, {"240.0.0.1", "reserved"},
		{"255.255.255.255", "broadcast"},
		{"::", "unspecified"}, {"::1", "loopback"}, {"::127.0.0.1", "IPv4-compatible"},
		{"::ffff:127.0.0.1", "loopback"}, {"::ffff:10.1.2.3", "private"}, {"::ffff:169.254.169.254", "link-local"},
		{"::ffff:0:127.0.0.1", "IPv4-translated"},
		{"64:ff9b::127.0.0.1", "NAT64 address for 127.0.0.1, a loopback"}, {"64:ff9b::10.0.0.1", "NAT64 address for 10.0.0.1, a private"},
		{"64:ff9b::169.254.169.254", "link-local"}, {"64:ff9b:1::8.8.8.8", "local NAT64"},
		{"100::1", "discard-only"}, {"2001::1", "Teredo"}, {"2001:0:7f00:1::", "Teredo"}, {"2001:2::1", "benchmarking"},
		{"2001:10::1", "reserved"}, {"2001:db8::1", "documentation"}, {"3fff::1", "documentation"},
		{"2002:7f00:1::1", "6to4"}, {"2002:a00:1::", "6to4"}, {"2002:808:808::", "6to4"},
		{"2a00:1450::5efe:10.0.0.1", "ISATAP address for 10.0.0.1"}, {"2a00:1450::200:5efe:127.0.0.1", "ISATAP"},
		{"fc00::1", "private"}, {"fd12:3456::1", "private"}, {"fe80::1", "link-local"}, {"fe80::1%eth0", "link-local"},
		{"fec0::1", "site-local"}, {"ff02::1", "multicast"}, {"5f00::1", "reserved"}, {"4000::1", "reserved"},
	} {
		err := g.check(netip.MustParseAddr(tt.addr))
		var f *forbiddenError
		if !errors.As(err, &f) {
			t.Errorf("%s may be dialled, want it refused as %q", tt.addr, tt.what)
		} else if !strings.Contains(err.Error(), tt.what) {
			t.Errorf("%s is refused with %q, want it to say %q", tt.addr, err, tt.what)
		}
	}
	for _, addr := range []string{
		"8.8.8.8", "93.184.216.34", "172.32.0.1", "100.128.0.1", "192.169.0.1", "223.255.255.255", "::ffff:8.8.8.8",
		"2a00:1450:4001::200e", "2606:2800:220:1::1", "64:ff9b::8.8.8.8", "2a00:1450::5efe:8.8.8.8",
	} {
		if err := g.check(netip.MustParseAddr(addr)); err != nil {
			t.Errorf("%s is refused: %v", addr, err)
		}
	}
}

func TestAllowNetsOpenExactlyWhatTheyName(t *testing.T) {
	nets, err := ParseNets("127.0.0.1, 10.1.2.3/16", "::ffff:192.168.0.0/112 fd00::/8")
	if err != nil {
		t.Fatal(err)
	}
	want := []netip.Prefix{
		netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("10.1.0.0/16"),
		netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("fd00::/8"),
	}
	if d := cmp.Diff(want, nets, cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })); d != "" {
		t.Errorf("networks (-want +got):\n%s", d)
	}
	g := newGuard(nets)
	for addr, open := range map[string]bool{
		"127.0.0.1": true, "::ffff:127.0.0.1": true, "127.0.0.2": false, "::1": false,
		"10.1.255.1": true, "10.2.0.1": false, "192.168.7.7": true, "fd01::1": true, "fd01::1%eth0": true, "fc00::1": false,
		"64:ff9b::10.1.0.1": false, "2002:a01:1::": false, // not a way around
	} {
		if err := g.check(netip.MustParseAddr(addr)); (err == nil) != open {
			t.Errorf("%s: open is %v, want %v (%v)", addr, err == nil, open, err)
		}
	}
	for _, bad := range []string{"10.0.0.0/33", "localhost", "10.0.0", "fe80::1%eth0", "10.0.0.0/8;::1"} {
		if _, err := ParseNets(bad); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("ParseNets(%q): %v, want an error that names it", bad, err)
		}
	}
	if nets, err := ParseNets("", " , "); err != nil || len(nets) != 0 {
		t.Errorf("nothing gives %v, %v", nets, err)
	}
}

func TestForbiddenAddressSaysHowToAllowIt(t *testing.T) {
	var asked atomic.Int32
	s := serve(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	c := newClient(t, Options{AllowNets: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}})
	wantError(t, c, Request{URL: s.URL}, KindForbidden, "127.0.0.1 is a loopback address", "--allow-net 127.0.0.1/32")
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	wantError(t, c, Request{URL: "http://localhost:" + port}, KindForbidden, "localhost is at ", ", which is a loopback address", "--allow-net ")
	wantError(t, c, Request{URL: "http://[::ffff:127.0.0.1]:" + port}, KindForbidden, "127.0.0.1 is a loopback address")
	wantError(t, c, Request{URL: "http://[::1]:" + port}, KindForbidden, "::1 is a loopback address", "--allow-net ::1/128")
	wantError(t, c, Request{URL: "http://0.0.0.0:" + port}, KindForbidden, "0.0.0.0 is")
	wantError(t, c, Request{URL: "http://[::]:" + port}, KindForbidden, ":: is the unspecified address")
	wantError(t, c, Request{URL: "http://169.254.169.254/latest/meta-data/"}, KindForbidden, "link-local")
	if n := asked.Load(); n != 0 {
		t.Errorf("the server was asked %d times, want never", n)
	}
	mustGet(t, newClient(t, Options{}), Request{URL: "http://[::ffff:127.0.0.1]:" + port})
	if n := asked.Load(); n != 1 {
		t.Errorf("the server was asked %d times when allowed, want once", n)
	}
}

func TestBadPorts(t *testing.T) {
	c := newClient(t, Options{})
	wantError(t, c, Request{URL: "http://127.0.0.1:25/"}, KindForbidden, "port 25", "smtp")
	wantError(t, c, Request{URL: "https://127.0.0.1:6667/"}, KindForbidden, "port 6667")
	wantError(t, c, Request{URL: "http://127.0.0.1:0/"}, KindForbidden, "port 0")
	if err := newGuard(loopback).control("tcp4", "127.0.0.1:22", nil); err == nil {
		t.Error("port 22 may be dialled")
	}
	if err := newGuard(nil).control("udp4", "8.8.8.8:443", nil); err == nil {
		t.Error("UDP may be dialled")
	}
}

// TestNamesAreCheckedWhereTheyLead has a name server of its own, so that public names have private addresses.
func TestNamesAreCheckedWhereTheyLead(t *testing.T) {
	var asked atomic.Int32
	s := serve(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	zone := map[string][]string{
		"inside.example.":   {"127.0.0.1"},
		"metadata.example.": {"169.254.169.254"},
		"mapped.example.":   {"::ffff:127.0.0.1"},
		"nat64.example.":    {"64:ff9b::7f00:1"},
		"both.example.":     {"10.0.0.1", "127.0.0.1"},
	}
	resolver := nameServer(t, zone)

	c := newClient(t, Options{AllowNets: []netip.Prefix{}})
	c.dialer.Resolver = resolver
	wantError(t, c, Request{URL: "http://inside.example:" + port}, KindForbidden, "inside.example is at 127.0.0.1, which is a loopback address")
	wantError(t, c, Request{URL: "http://metadata.example/"}, KindForbidden, "metadata.example is at 169.254.169.254")
	wantError(t, c, Request{URL: "http://mapped.example:" + port}, KindForbidden, "127.0.0.1")
	wantError(t, c, Request{URL: "http://nat64.example:" + port}, KindForbidden, "NAT64")
	wantError(t, c, Request{URL: "http://both.example:" + port}, KindForbidden, "both.example is at ")
	// Not addresses here, whatever the C library thinks.
	for _, odd := range []string{"127.1", "2130706433", "0x7f000001", "0177.0.0.1"} {
		if e := wantError(t, c, Request{URL: "http://" + odd + ":" + port}, KindDNS); e.URL == "" {
			t.Errorf("%s: no URL in the error", odd)
		}
	}
	wantError(t, c, Request{URL: "http://nowhere.example/"}, KindDNS, "nowhere.example has no address")
	if n := asked.Load(); n != 0 {
		t.Fatalf("the server was asked %d times, want never", n)
	}

	// One address of a name may be allowed and another not.
	c = newClient(t, Options{AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	c.dialer.Resolver = resolver
	mustGet(t, c, Request{URL: "http://both.example:" + port})
	if n := asked.Load(); n != 1 {
		t.Errorf("the server was asked %d times, want once", n)
	}
}

// nameServer answers for zone over UDP on 127.0.0.1, and returns a resolver that asks it. A name whose list is nil is
// never answered.
func nameServer(t testing.TB, zone map[string][]string) *net.Resolver {
	t.Helper()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 1500)
		for {
			n, from, err := pc.ReadFrom(buf)
			if err != nil {
				return
			}
			if reply := answer(buf[:n], zone); reply != nil {
				_, _ = pc.WriteTo(reply, from)
			}
		}
	}()
	var mu sync.Mutex
	var asking []net.Conn // a query waits for its own deadline, also when nobody waits for it any more
	t.Cleanup(func() {
		_ = pc.Close()
		<-done
		mu.Lock()
		defer mu.Unlock()
		for _, c := range asking {
			_ = c.Close()
		}
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, "udp", pc.LocalAddr().String())
		if err == nil {
			mu.Lock()
			defer mu.Unlock()
			asking = append(asking, c)
		}
		return c, err
	}}
}

func answer(query []byte, zone map[string][]string) []byte {
	var m dnsmessage.Message
	if m.Unpack(query) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	addrs, known := zone[q.Name.String()]
	if known && addrs == nil {
		return nil
	}
	m.Response, m.Additionals = true, nil
	if !known {
		m.RCode = dnsmessage.RCodeNameError
	}
	for _, s := range addrs {
		a := netip.MustParseAddr(s)
		h := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
		switch {
		case q.Type == dnsmessage.TypeA && a.Is4():
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AResource{A: a.As4()}})
		case q.Type == dnsmessage.TypeAAAA && a.Is6():
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
		}
	}
	reply, err := m.Pack()
	if err != nil {
		return nil
	}
	return reply
}
