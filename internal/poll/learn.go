package poll

import (
	"slices"
	"time"

	"feedonce/internal/format"
)

// How the interval is learned: half the median gap between the last publications, so that on average an article is
// found a quarter of a gap after it was published. What happens while a feed is silent is not learned but follows from
// the time since its last article, which the store adds when it claims (see store.Tx.Claim): a feed that fell asleep
// costs no write to slow down.
const (
	publications = 20          // how many are looked at, the latest
	burst        = time.Minute // items published closer together are one publication
	oldest       = 2 * 365 * 24 * time.Hour
)

// published returns when the document's items were published, latest first, as far as that can be believed: not later
// than it was received, and not so long ago that it says nothing of today.
func published(d *format.Document, received time.Time) []time.Time {
	var at []time.Time
	for i := range d.Items {
		t := d.Items[i].Published.Time
		if t.IsZero() {
			t = d.Items[i].Updated.Time
		}
		if !t.IsZero() && !t.After(received) && received.Sub(t) < oldest {
			at = append(at, t)
		}
	}
	slices.SortFunc(at, func(a, b time.Time) int { return b.Compare(a) })
	var events []time.Time
	for _, t := range at {
		if len(events) == publications {
			break
		}
		if len(events) == 0 || events[len(events)-1].Sub(t) >= burst {
			events = append(events, t)
		}
	}
	return events
}

// medianGap returns the median time between publications; 0 where there are fewer than three.
func medianGap(events []time.Time) time.Duration {
	if len(events) < 3 {
		return 0
	}
	gaps := make([]time.Duration, 0, len(events)-1)
	for i := 1; i < len(events); i++ {
		gaps = append(gaps, events[i-1].Sub(events[i]))
	}
	slices.Sort(gaps)
	if n := len(gaps); n%2 == 0 {
		return (gaps[n/2-1] + gaps[n/2]) / 2
	}
	return gaps[len(gaps)/2]
}

// interval returns the interval that follows from the gap between publications, half way from the one so far, where
// there is one. A gap of 0 teaches nothing.
func (p *Poller) interval(so, gap time.Duration) time.Duration {
	if gap > 0 {
		target := min(max((gap/2).Round(time.Second), p.o.Min), p.o.Max)
		if so > 0 {
			target = so + (target-so)/2
		}
		so = target
	}
	return min(max(so, p.o.Min), p.o.Max)
}

// floor returns the least interval the publisher asks for, by Cache-Control (RFC 9111 5.2.2.1) or the document's ttl
// (RSS 2.0: "how long a channel can be cached"), but never more than the longest interval there is.
func (p *Poller) floor(d *format.Document, maxAge time.Duration) time.Duration {
	floor := maxAge
	if d != nil {
		floor = max(floor, d.TTL)
	}
	return min(max(floor, 0), p.o.Max)
}

// material reports whether a duration changed so much that it is worth a row.
func material(old, now time.Duration) bool {
	return (now - old).Abs() > max(old/5, time.Minute)
}

// backoff returns how long to wait after a failed poll, the n-th in a row (0 is the first): the shortest interval,
// doubled every time up to the longest, a fifth more or less, but not less than the server asked for.
func (p *Poller) backoff(n int, retryAfter time.Duration) time.Duration {
	wait := p.o.Min
	for range min(max(n, 0), 40) {
		if wait *= 2; wait >= p.o.Max {
			break
		}
	}
	wait = min(wait, p.o.Max)
	wait = time.Duration(float64(wait) * (0.8 + 0.4*p.o.Rand()))
	return max(wait, min(retryAfter, p.o.Max)).Truncate(time.Microsecond)
}
