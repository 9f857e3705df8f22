package deliver

import (
	"testing"
	"time"

	"feedonce"
)

func TestPauseFollowsTheSpecification(t *testing.T) {
	var sum time.Duration
	for n := 1; ; n++ {
		d, again := pause(n, 0)
		if !again {
			if n != 10 {
				t.Errorf("given up after %d attempts, want 10: the first and nine more", n)
			}
			break
		}
		longest, _ := pause(n, 0.999)
		if longest < d || longest > d*12/10 {
			t.Errorf("after attempt %d: between %v and %v", n, d, longest)
		}
		sum += d
	}
	if sum < 75*time.Hour || sum > 76*time.Hour {
		t.Errorf("tried for %v, want a little more than three days", sum)
	}
}

func TestOpen(t *testing.T) {
	for _, c := range []struct {
		failures int
		want     time.Duration
	}{{0, 0}, {4, 0}, {5, time.Minute}, {6, 2 * time.Minute}, {9, 16 * time.Minute}, {10, 30 * time.Minute}, {1000, 30 * time.Minute}} {
		if got := open(c.failures); got != c.want {
			t.Errorf("after %d failures %v, want %v", c.failures, got, c.want)
		}
	}
}

// A bucket lets its burst through at once, then one message a gap, and fills again while nothing is sent.
func TestPace(t *testing.T) {
	p := newPace(feedonce.Rate{PerMinute: 60, Burst: 3}, feedonce.Rate{})
	start := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	var full time.Time
	now := start
	var sent []time.Duration
	for range 6 {
		at, then := p.take(full, now)
		now, full = at, then
		sent = append(sent, now.Sub(start))
	}
	want := []time.Duration{0, 0, 0, time.Second, 2 * time.Second, 3 * time.Second}
	for i := range want {
		if sent[i] != want[i] {
			t.Fatalf("sent at %v, want %v", sent, want)
		}
	}
	if at, _ := p.take(full, now.Add(time.Hour)); !at.Equal(now.Add(time.Hour)) {
		t.Errorf("after an hour of silence the next waits until %v", at)
	}
	if at, _ := (pace{}).take(full.Add(time.Hour), now); !at.Equal(now) {
		t.Errorf("without a limit the next waits until %v", at)
	}
	if p := newPace(feedonce.Rate{}, feedonce.Rate{PerMinute: 30}); p.gap != 2*time.Second || p.burst != 1 {
		t.Errorf("the kind's own rate is not taken: %+v", p)
	}
}
