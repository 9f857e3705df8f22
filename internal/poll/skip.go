package poll

import (
	"slices"
	"sync"
	"time"

	"feedonce"
	"feedonce/internal/format"
)

// skips are the hours and days at which feeds ask not to be polled (RSS 2.0 skipHours and skipDays), of the few that
// do. They are known from the first document on that this process parsed, and kept in memory: they are a courtesy.
type skips struct {
	mu    sync.Mutex
	feeds map[feedonce.FeedID]skip
}

type skip struct {
	hours [24]bool
	days  [7]bool
}

// learn keeps what a document says.
func (s *skips) learn(id feedonce.FeedID, d *format.Document) {
	var k skip
	for _, h := range d.SkipHours {
		k.hours[(h%24+24)%24] = true
	}
	for _, day := range d.SkipDays {
		k.days[(day%7+7)%7] = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// A feed that skips everything asks for nothing that can be done.
	if k == (skip{}) || !slices.Contains(k.hours[:], false) || !slices.Contains(k.days[:], false) {
		delete(s.feeds, id)
		return
	}
	if s.feeds == nil {
		s.feeds = map[feedonce.FeedID]skip{}
	}
	s.feeds[id] = k
}

// after returns the first time from t on at which the feed may be polled.
func (s *skips) after(id feedonce.FeedID, t time.Time) time.Time {
	s.mu.Lock()
	k, ok := s.feeds[id]
	s.mu.Unlock()
	if !ok {
		return t
	}
	for u := t.UTC(); ; u = u.Truncate(time.Hour).Add(time.Hour) {
		if !k.hours[u.Hour()] && !k.days[u.Weekday()] {
			return u
		}
	}
}
