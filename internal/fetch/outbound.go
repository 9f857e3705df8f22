package fetch

import (
	"context"
	"net"
	"net/http"
	"time"
)

// Outbound is what else of the program goes out to addresses that people name: messages to endpoints. It is guarded as
// fetches are, with the same networks allowed.

// HTTP returns a client whose requests reach what fetches may reach. It follows no redirect: a message is not to be
// carried to a place that nobody named. It has no limit of time but that of each request's context.
func (c *Client) HTTP() *http.Client {
	return &http.Client{
		Transport:     c.transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Dial connects for other protocols, to every port of the addresses that fetches may reach.
func (c *Client) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	g := newGuard(c.opts.AllowNets)
	g.anyPort = true
	d := net.Dialer{
		Timeout: c.opts.Timeout, KeepAlive: 15 * time.Second,
		Resolver: &net.Resolver{PreferGo: true},
		Control:  g.control,
	}
	return d.DialContext(ctx, network, address)
}
