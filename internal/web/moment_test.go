package web

import (
	"testing"
	"time"
)

func TestWords(t *testing.T) {
	s := &server{Options: Options{Now: func() time.Time { return now }, Location: time.UTC}}
	for _, c := range []struct {
		at         time.Duration // before now
		words, day string
	}{
		{0, "just now", "Today"},
		{44 * time.Second, "just now", "Today"},
		{46 * time.Second, "1 minute ago", "Today"},
		{10 * time.Minute, "10 minutes ago", "Today"},
		{89 * time.Minute, "89 minutes ago", "Today"},
		{3 * time.Hour, "3 hours ago", "Today"},
		{16 * time.Hour, "16 hours ago", "Yesterday"},
		{23 * time.Hour, "1 day ago", "Yesterday"},
		{3 * 24 * time.Hour, "3 days ago", "Monday"},
		{6 * 24 * time.Hour, "6 days ago", "Friday"},
		{8 * 24 * time.Hour, "6 May", "May 2026"},
		{400 * 24 * time.Hour, "9 April 2025", "April 2025"},
		{-5 * time.Minute, "in 5 minutes", "Today"},
		{-36 * time.Hour, "in 2 days", "May 2026"},
	} {
		m := s.at(now.Add(-c.at))
		if m.Words() != c.words || m.Day() != c.day {
			t.Errorf("%v ago: %q, %q; want %q, %q", c.at, m.Words(), m.Day(), c.words, c.day)
		}
	}
	if m := s.at(time.Time{}); m.Known() {
		t.Error("the zero time is known")
	}
}

func TestNumber(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567", 100: "100", -100: "-100"} {
		if got := number(n); got != want {
			t.Errorf("number(%d) = %q, want %q", n, got, want)
		}
	}
}
