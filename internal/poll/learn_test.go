package poll

import (
	"testing"
	"time"

	"feedonce/internal/format"
)

var monday = time.Date(2024, 5, 6, 12, 0, 0, 0, time.UTC)

func newTestPoller(o Options) *Poller {
	if o.Rand == nil {
		o.Rand = func() float64 { return 0.5 }
	}
	return New(o)
}

// dated makes a document of items published so long before monday.
func dated(ago ...time.Duration) *format.Document {
	d := &format.Document{}
	for _, a := range ago {
		d.Items = append(d.Items, format.Item{Published: format.Date{Time: monday.Add(-a)}})
	}
	return d
}

func TestIntervalFromPublications(t *testing.T) {
	const day = 24 * time.Hour
	p := newTestPoller(Options{})
	for _, c := range []struct {
		name string
		doc  *format.Document
		so   time.Duration // interval so far, 0 for a new feed
		want time.Duration
	}{
		{"every two hours", dated(0, 2*time.Hour, 4*time.Hour, 6*time.Hour), 0, time.Hour},
		{"in any order", dated(4*time.Hour, 0, 6*time.Hour, 2*time.Hour), 0, time.Hour},
		{"half way from what was so far", dated(0, 2*time.Hour, 4*time.Hour, 6*time.Hour), 3 * time.Hour, 2 * time.Hour},
		{"one long silence is no habit", dated(0, time.Hour, 2*time.Hour, 40*day, 40*day+time.Hour), 0, 30 * time.Minute},
		{"many at once are one publication", dated(0, time.Second, 2*time.Second, 8*time.Hour, 8*time.Hour+time.Second, 16*time.Hour), 0, 4 * time.Hour},
		{"every minute", dated(0, time.Minute, 2*time.Minute, 3*time.Minute), 0, 5 * time.Minute},
		{"every month", dated(0, 30*day, 60*day, 90*day), 0, 24 * time.Hour},
		{"two dates teach nothing", dated(0, 8*time.Hour), 0, 5 * time.Minute},
		{"two dates change nothing", dated(0, 8*time.Hour), time.Hour, time.Hour},
		{"dates in the future and in antiquity are not believed", dated(-day, -2*day, 0, 2*time.Hour, 4*time.Hour, 900*day, 90000*day), 0, time.Hour},
		{"no dates", &format.Document{Items: make([]format.Item, 9)}, time.Hour, time.Hour},
	} {
		if got := p.interval(c.so, medianGap(published(c.doc, monday))); got != c.want {
			t.Errorf("%s: interval is %v, want %v", c.name, got, c.want)
		}
	}
}

func TestUpdatedStandsInForPublished(t *testing.T) {
	d := &format.Document{Items: []format.Item{{Updated: format.Date{Time: monday.Add(-time.Hour)}}}}
	if got := published(d, monday); len(got) != 1 || !got[0].Equal(monday.Add(-time.Hour)) {
		t.Errorf("published at %v", got)
	}
}

func TestFloor(t *testing.T) {
	p := newTestPoller(Options{})
	for _, c := range []struct {
		ttl, maxAge, want time.Duration
	}{
		{0, 0, 0},
		{time.Hour, 10 * time.Minute, time.Hour},
		{time.Hour, 3 * time.Hour, 3 * time.Hour},
		{0, 365 * 24 * time.Hour, 24 * time.Hour},
		{-time.Hour, 0, 0},
	} {
		if got := p.floor(&format.Document{TTL: c.ttl}, c.maxAge); got != c.want {
			t.Errorf("ttl %v, max-age %v: floor is %v, want %v", c.ttl, c.maxAge, got, c.want)
		}
	}
	for _, c := range []struct {
		old, now time.Duration
		want     bool
	}{
		{0, 0, false}, {0, time.Minute, false}, {0, 2 * time.Minute, true}, {2 * time.Minute, 0, true},
		{time.Hour, time.Hour + 11*time.Minute, false}, {time.Hour, 73 * time.Minute, true}, {time.Hour, 47 * time.Minute, true},
	} {
		if got := material(c.old, c.now); got != c.want {
			t.Errorf("from %v to %v: material is %v", c.old, c.now, got)
		}
	}
}

func TestBackoff(t *testing.T) {
	random := 0.5
	p := newTestPoller(Options{Rand: func() float64 { return random }})
	for n, want := range []time.Duration{
		5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 40 * time.Minute, 80 * time.Minute, 160 * time.Minute,
		320 * time.Minute, 640 * time.Minute, 1280 * time.Minute, 24 * time.Hour, 24 * time.Hour,
	} {
		if got := p.backoff(n, 0); got != want {
			t.Errorf("after %d failures: %v, want %v", n, got, want)
		}
	}
	if got := p.backoff(1<<40, 0); got != 24*time.Hour {
		t.Errorf("after very many failures: %v", got)
	}
	for r, want := range map[float64]time.Duration{0: 4 * time.Minute, 0.999999: 6 * time.Minute} {
		if random = r; p.backoff(0, 0).Round(time.Second) != want {
			t.Errorf("with randomness %v: %v, want %v", r, p.backoff(0, 0), want)
		}
	}
	random = 0.5
	if quick := newTestPoller(Options{Min: 300 * time.Millisecond, Max: 400 * time.Millisecond}); quick.backoff(0, 0) != 300*time.Millisecond || quick.interval(0, time.Hour) != 400*time.Millisecond {
		t.Errorf("short bounds are not kept: %v, %v", quick.backoff(0, 0), quick.interval(0, time.Hour))
	}
	for asked, want := range map[time.Duration]time.Duration{time.Second: 5 * time.Minute, time.Hour: time.Hour, 900 * time.Hour: 24 * time.Hour} {
		if got := p.backoff(0, asked); got != want {
			t.Errorf("asked to wait %v: %v, want %v", asked, got, want)
		}
	}
}

func TestSkip(t *testing.T) {
	var s skips
	learn := func(hours []int, days ...time.Weekday) {
		s.learn(1, &format.Document{SkipHours: hours, SkipDays: days})
	}
	want := func(at, want time.Time) {
		t.Helper()
		if got := s.after(1, at); !got.Equal(want) {
			t.Errorf("due at %v, polled at %v, want %v", at, got, want)
		}
	}
	at := func(day, hour, minute int) time.Time { return time.Date(2024, 5, day, hour, minute, 0, 0, time.UTC) }

	want(at(6, 13, 30), at(6, 13, 30))
	learn([]int{13, 14, 23, 0}, time.Tuesday)
	want(at(6, 12, 59), at(6, 12, 59))
	want(at(6, 13, 30), at(6, 15, 0))
	want(at(6, 23, 10), at(8, 1, 0)) // Tuesday the 7th is skipped, and midnight after it
	want(at(6, 13, 30).In(time.FixedZone("", -7*3600)), at(6, 15, 0))
	learn([]int{24}) // some write the midnight so
	want(at(6, 0, 30), at(6, 1, 0))
	learn(nil)
	want(at(6, 13, 30), at(6, 13, 30))

	var all []int
	for h := range 24 {
		all = append(all, h)
	}
	learn(all)
	want(at(6, 13, 30), at(6, 13, 30))
	learn(nil, 0, 1, 2, 3, 4, 5, 6)
	want(at(6, 13, 30), at(6, 13, 30))
}
