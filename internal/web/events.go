package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"feedonce"
	"feedonce/internal/store"
)

// maxNews is how many decisions are counted one by one; more only happen while thousands of feeds are imported, and
// then the exact number helps nobody.
const maxNews = 1000

// latest returns decisions for the hub: one look at the newest, and more only where there are news.
func (s *server) latest(ctx context.Context, after int64) ([]feedonce.Decision, error) {
	var decisions []feedonce.Decision
	err := s.Store.View(ctx, func(tx *store.Tx) (err error) {
		if decisions, err = tx.Decisions(store.DecisionFilter{Limit: 1}); err != nil || len(decisions) == 0 || decisions[0].ID <= after {
			return err
		}
		decisions, err = tx.Decisions(store.DecisionFilter{Limit: int(min(decisions[0].ID-after, maxNews))})
		return err
	})
	return decisions, err
}

// keep leaves what is of feeds that somebody follows. The maps are shared with other listeners.
func (n *news) keep(tx *store.Tx, reader feedonce.UserID) error {
	mine, err := subscribed(tx, reader)
	if err != nil {
		return err
	}
	only := func(all map[feedonce.FeedID]int64) map[feedonce.FeedID]int64 {
		var out map[feedonce.FeedID]int64
		for id, c := range all {
			if slices.Contains(mine, id) {
				if out == nil {
					out = map[feedonce.FeedID]int64{}
				}
				out[id] = c
			}
		}
		return out
	}
	n.New, n.Updated = only(n.New), only(n.Updated)
	return nil
}

// silence is how long a stream says nothing before it says that it is alive.
const silence = 20 * time.Second

// events is a stream of server-sent events: how many articles were new or updated since the last, by feed that the user follows;
// and that they read something, here or elsewhere. An id is the latest decision, so that a browser that comes back
// (Last-Event-ID) misses none and hears of none twice.
func (s *server) events(w http.ResponseWriter, r *http.Request) error {
	after := int64(0)
	for _, given := range []string{r.Header.Get("Last-Event-ID"), r.FormValue("after")} {
		if n, err := strconv.ParseInt(given, 10, 64); err == nil && n >= 0 {
			after = n
			break
		}
	}
	who := user(r).ID
	heard, leave, err := s.live.listen(r.Context(), who, after)
	if err != nil {
		return err
	}
	defer leave()
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx would hold events back
	out := http.NewResponseController(w)
	alive := time.NewTicker(silence)
	defer alive.Stop()
	for {
		var text string
		select {
		case <-r.Context().Done():
			return nil
		case <-alive.C:
			text = ": alive\n\n"
		case n, ok := <-heard:
			if !ok {
				return nil // too slow; the browser comes back by itself
			}
			if n.New != nil || n.Updated != nil {
				if err := s.Store.View(r.Context(), func(tx *store.Tx) error { return n.keep(tx, who) }); err != nil {
					return nil //nolint:nilerr // the browser comes back by itself, and misses nothing
				}
			}
			data, err := json.Marshal(n)
			if err != nil {
				return err
			}
			text = fmt.Sprintf("data: %s\n\n", data)
			if n.ID > 0 {
				text = fmt.Sprintf("id: %d\n", n.ID) + text
			}
		}
		if _, err := w.Write([]byte(text)); err != nil {
			return nil //nolint:nilerr // the listener left
		}
		if err := out.Flush(); err != nil {
			return nil //nolint:nilerr // the listener left
		}
	}
}
