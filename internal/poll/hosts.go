package poll

import (
	"context"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"
)

// hosts keeps the polls of one host few and apart. It is shared by the dispatcher and manual polls.
type hosts struct {
	limit   int
	spacing time.Duration
	wake    chan struct{} // receives when a host became free; holds one

	mu    sync.Mutex
	all   map[string]*host
	freed chan struct{} // closed and replaced when a host became free
}

type host struct {
	active int
	next   time.Time     // no start before: spacing
	until  time.Time     // no start before: the host asked for it (Retry-After)
	took   time.Duration // smoothed, of a poll
}

func newHosts(limit int, spacing time.Duration) *hosts {
	return &hosts{
		limit: limit, spacing: max(spacing, 0), wake: make(chan struct{}, 1),
		all: map[string]*host{}, freed: make(chan struct{}),
	}
}

// hostOf is the host by which polls are limited: with its port, because two servers on one machine are two servers.
func hostOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	return strings.ToLower(u.Host)
}

func isLoopback(hostport string) bool {
	name := hostport
	if u, err := url.Parse("//" + hostport); err == nil {
		name = u.Hostname()
	}
	if name == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.IsLoopback()
}

func (h *hosts) host(name string) *host {
	e := h.all[name]
	if e == nil {
		e = &host{}
		h.all[name] = e
	}
	return e
}

// try takes a place for a poll of the host, or says from when on there may be one; a zero time is when another poll of
// the host ends.
func (h *hosts) try(name string, now time.Time) (ok bool, at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.host(name)
	if e.active >= h.limit {
		return false, time.Time{}
	}
	if at = later(e.next, e.until); at.After(now) {
		return false, at
	}
	e.active++
	if h.spacing > 0 && !isLoopback(name) {
		e.next = now.Add(h.spacing)
	}
	return true, time.Time{}
}

// wait takes a place for a manual poll. A person need not wait for anything but places.
func (h *hosts) wait(ctx context.Context, name string) error {
	for {
		h.mu.Lock()
		e := h.host(name)
		if e.active < h.limit {
			e.active++
			h.mu.Unlock()
			return nil
		}
		freed := h.freed
		h.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// release gives a place back after a poll that took so long.
func (h *hosts) release(name string, took time.Duration) {
	h.mu.Lock()
	e := h.host(name)
	e.active--
	e.took += (took - e.took) / 4
	close(h.freed)
	h.freed = make(chan struct{})
	h.mu.Unlock()
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// hold keeps the dispatcher away from a host that asked to be left alone.
func (h *hosts) hold(name string, until time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.host(name)
	e.until = later(e.until, until)
}

// places returns how many polls of the host could start now.
func (h *hosts) places(name string, now time.Time) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.all[name]
	switch {
	case e == nil:
		return h.limit
	case later(e.next, e.until).After(now):
		return 0
	}
	return h.limit - e.active
}

// outlook returns when a host is free of holds, and how far apart its polls end.
func (h *hosts) outlook(name string, now time.Time) (from time.Time, apart time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.host(name)
	return later(e.until, now), max(e.took/time.Duration(h.limit), h.spacing)
}

// sweep forgets hosts about which there is nothing to remember.
func (h *hosts) sweep(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.all) < 1024 {
		return
	}
	for name, e := range h.all {
		if e.active == 0 && !later(e.next, e.until).After(now) {
			delete(h.all, name)
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
