package fetch

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

func TestOutboundIsGuarded(t *testing.T) {
	srv := httptest.NewServer(http.RedirectHandler("/elsewhere", http.StatusFound))
	defer srv.Close()
	closed := newClient(t, Options{AllowNets: []netip.Prefix{}})
	if _, err := closed.HTTP().Post(srv.URL, "text/plain", strings.NewReader("hello")); err == nil {
		t.Error("a loopback address could be posted to, though none is allowed")
	}
	if _, err := closed.Dial(context.Background(), "tcp", srv.Listener.Addr().String()); err == nil {
		t.Error("a loopback address could be dialled, though none is allowed")
	} else if f := (interface{ Forbidden() bool })(nil); !errors.As(err, &f) || !f.Forbidden() {
		t.Errorf("whoever sends cannot tell that it is forbidden: %v", err)
	}
	open := newClient(t, Options{})
	resp, err := open.HTTP().Post(srv.URL, "text/plain", strings.NewReader("hello"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusFound {
		t.Errorf("the answer is %s: a redirect was followed", resp.Status)
	}
}

// Mail goes through ports that a fetch may not touch.
func TestOutboundDialsEveryPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := newClient(t, Options{})
	conn, err := c.Dial(context.Background(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	g := newGuard(loopback)
	if err := g.control("tcp4", "127.0.0.1:25", nil); err == nil {
		t.Error("a fetch may speak to a mail server")
	}
	g.anyPort = true
	if err := g.control("tcp4", "127.0.0.1:25", nil); err != nil {
		t.Errorf("mail may not: %v", err)
	}
}
