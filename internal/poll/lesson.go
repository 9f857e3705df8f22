package poll

import (
	"time"

	"feedonce"
	"feedonce/internal/fetch"
	"feedonce/internal/ingest"
	"feedonce/internal/store"
)

// learn says what a poll that went well taught.
func (p *Poller) learn(claim store.Claim, resp *fetch.Response, rep ingest.Report, now time.Time) lesson {
	feed := claim.Feed
	var l lesson
	// Storing a document clears the error by itself.
	l.recovered = !rep.Stored && (feed.Error != "" || feed.Errors > 0)
	l.moved = redirected(feed, resp)

	s, changed := feed.Schedule, false
	s.NextPoll = time.Time{}
	floor := p.floor(rep.Document, resp.MaxAge)
	if rep.Document == nil {
		// The ttl of a document that did not come, or was not read again, still holds.
		floor = max(floor, s.Floor)
	}
	if material(s.Floor, floor) {
		// The claim reckoned with the old one.
		s.Floor, changed = floor, true
		s.NextPoll = p.next(s, now)
	}
	if rep.Counts.New > 0 && rep.Document != nil {
		changed = true
		first := feed.FirstOK.IsZero()
		events := published(rep.Document, now)
		gap := medianGap(events)
		switch {
		case first:
			s.Interval = p.interval(0, gap)
			s.LastNew = now
			if len(events) > 0 {
				s.LastNew = events[0]
			}
		default:
			if len(events) == 0 && !s.LastNew.IsZero() {
				gap = now.Sub(s.LastNew)
			}
			s.Interval = p.interval(s.Interval, gap)
			s.LastNew = now
		}
		s.NextPoll = p.next(s, now)
	}
	if rep.Document != nil {
		p.skips.learn(feed.ID, rep.Document)
	}
	planned := s.NextPoll
	if planned.IsZero() {
		planned = feed.Schedule.NextPoll
	}
	if allowed := p.skips.after(feed.ID, planned); allowed.After(planned) {
		s.NextPoll, changed = allowed, true
	}
	if changed {
		l.schedule = &s
	}
	return l
}

// next returns when a feed with this schedule is to be polled after a poll at now. It is the rule of store.Tx.Claim,
// with up to a tenth more, so that feeds added together do not stay together.
func (p *Poller) next(s feedonce.Schedule, now time.Time) time.Time {
	wait := max(s.Interval, p.o.Min)
	if !s.LastNew.IsZero() {
		wait = max(wait, min(now.Sub(s.LastNew)/10, p.o.Max))
	}
	wait = time.Duration(float64(wait) * (1 + 0.1*p.o.Rand()))
	return now.Add(max(wait, s.Floor)).Truncate(time.Microsecond)
}
