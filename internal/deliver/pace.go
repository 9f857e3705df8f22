package deliver

import (
	"time"

	"feedonce"
)

// A pace is a token bucket in the form of one instant (the generic cell rate algorithm, ITU-T I.371): when it would be full
// again. It is stored with the destination, so that all processes keep it together.
type pace struct {
	gap   time.Duration // one token in so much time; 0: no limit
	burst int
}

func newPace(set, kind feedonce.Rate) pace {
	r := set
	if r.PerMinute <= 0 {
		r = kind
	}
	if r.PerMinute <= 0 {
		return pace{}
	}
	return pace{gap: time.Duration(float64(time.Minute) / r.PerMinute), burst: max(1, r.Burst)}
}

// take returns when a message may be sent, and the instant to be stored if it is sent then.
func (p pace) take(full, now time.Time) (at, then time.Time) {
	if full.Before(now) {
		full = now
	}
	at = full.Add(-time.Duration(p.burst-1) * p.gap)
	if p.gap == 0 || at.Before(now) {
		at = now
	}
	return at, full.Add(p.gap)
}
