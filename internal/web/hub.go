package web

import (
	"context"
	"slices"
	"sync"
	"time"

	"feedonce"
	"feedonce/dedup"
)

// News is what was decided since a listener last heard.
type news struct {
	// ID is the latest decision; a listener that comes back says which it heard of.
	ID int64 `json:"id,omitempty"`
	// New and Updated are numbers of articles by feed.
	New     map[feedonce.FeedID]int64 `json:"new,omitempty"`
	Updated map[feedonce.FeedID]int64 `json:"updated,omitempty"`
	// Read says that the user read or starred something, in this window or another; then the rest is empty.
	Read bool `json:"read,omitempty"`
}

func (n *news) add(decisions []feedonce.Decision, after int64) {
	for _, d := range decisions {
		if d.ID <= after {
			continue
		}
		n.ID = max(n.ID, d.ID)
		switch d.Outcome {
		case string(dedup.New):
			if n.New == nil {
				n.New = map[feedonce.FeedID]int64{}
			}
			n.New[d.Feed]++
		case string(dedup.Updated):
			if n.Updated == nil {
				n.Updated = map[feedonce.FeedID]int64{}
			}
			n.Updated[d.Feed]++
		}
	}
}

// beat is how often the database is asked for news. Asking, and not hearing it from the poller, also finds what other
// processes store.
const beat = 2 * time.Second

// A hub asks the database for news, once for all listeners and only while there are any, and tells them.
type hub struct {
	// latest returns the latest decisions, latest first: at least all after the one given, unless they are very many.
	latest func(ctx context.Context, after int64) ([]feedonce.Decision, error)
	ticker func(time.Duration) *time.Ticker

	mu        sync.Mutex
	listeners map[chan news]feedonce.UserID
	last      int64 // the latest decision known
	stop      context.CancelFunc
}

func newHub(latest func(context.Context, int64) ([]feedonce.Decision, error), ticker func(time.Duration) *time.Ticker) *hub {
	return &hub{latest: latest, ticker: ticker, listeners: map[chan news]feedonce.UserID{}}
}

// listen returns a channel of news after a decision, for somebody. The channel is closed if the listener is too slow; it may then
// come back. leave ends it.
func (h *hub) listen(ctx context.Context, who feedonce.UserID, after int64) (heard chan news, leave func(), err error) {
	heard = make(chan news, 16)
	decisions, err := h.latest(ctx, after)
	if err != nil {
		return nil, nil, err
	}
	first := news{ID: after}
	first.add(decisions, after)
	heard <- first

	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.listeners) == 0 {
		h.last = first.ID
		var run context.Context
		run, h.stop = context.WithCancel(context.Background())
		go h.run(run)
	} else if first.ID < h.last {
		// The hub moved on between the look and now: it has told the others, so this one is told again.
		missed := news{ID: h.last}
		if decisions, err := h.latest(ctx, first.ID); err == nil {
			missed.add(slices.DeleteFunc(decisions, func(d feedonce.Decision) bool { return d.ID > h.last }), first.ID)
			heard <- missed
		}
	}
	h.listeners[heard] = who
	return heard, func() { h.leave(heard) }, nil
}

func (h *hub) leave(heard chan news) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.listeners[heard]; !ok {
		return
	}
	delete(h.listeners, heard)
	if len(h.listeners) == 0 {
		h.stop()
	}
}

func (h *hub) run(ctx context.Context) {
	t := h.ticker(beat)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			h.tell(ctx)
		}
	}
}

// tell asks for news once and passes it on.
func (h *hub) tell(ctx context.Context) {
	h.mu.Lock()
	after := h.last
	h.mu.Unlock()
	decisions, err := h.latest(ctx, after)
	if err != nil {
		return // the database is away; the next beat asks for the same
	}
	n := news{ID: after}
	n.add(decisions, after)

	h.mu.Lock()
	defer h.mu.Unlock()
	if ctx.Err() != nil || n.ID <= h.last {
		return
	}
	h.last = n.ID
	h.pass(n, func(feedonce.UserID) bool { return true })
}

// touch tells the windows of somebody that they read something. It is heard within this process: windows that another one serves
// show it with the next news.
func (h *hub) touch(who feedonce.UserID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pass(news{Read: true}, func(id feedonce.UserID) bool { return id == who })
}

// pass tells listeners, and drops those that are too slow. The lock is held.
func (h *hub) pass(n news, to func(feedonce.UserID) bool) {
	if len(h.listeners) == 0 {
		return
	}
	for heard, who := range h.listeners {
		if !to(who) {
			continue
		}
		select {
		case heard <- n:
		default:
			delete(h.listeners, heard)
			close(heard)
		}
	}
	if len(h.listeners) == 0 {
		h.stop()
	}
}
