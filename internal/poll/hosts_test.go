package poll

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestHostsLimitPlacesAndSpacing(t *testing.T) {
	h := newHosts(2, time.Second)
	now := monday
	take := func(name string, want bool, at time.Time) {
		t.Helper()
		ok, when := h.try(name, now)
		if ok != want || !when.Equal(at) {
			t.Fatalf("try(%s) = %v, %v; want %v, %v", name, ok, when, want, at)
		}
	}
	take("a.example", true, time.Time{})
	take("a.example", false, now.Add(time.Second)) // too soon
	take("b.example", true, time.Time{})           // but another host
	now = now.Add(time.Second)
	take("a.example", true, time.Time{})
	now = now.Add(time.Second)
	take("a.example", false, time.Time{}) // both places taken
	h.release("a.example", time.Second)
	take("a.example", true, time.Time{})

	h.release("a.example", time.Second)
	h.release("a.example", time.Second)
	h.hold("a.example", now.Add(time.Hour))
	take("a.example", false, now.Add(time.Hour))
	h.hold("a.example", now.Add(time.Minute)) // does not shorten it
	take("a.example", false, now.Add(time.Hour))
	now = now.Add(time.Hour)
	take("a.example", true, time.Time{})
	now = now.Add(time.Second)

	for range 2 { // no spacing on this machine
		take("127.0.0.1:8080", true, time.Time{})
	}
	take("[::1]:80", true, time.Time{})
	take("[::1]:80", true, time.Time{})
}

func TestManualPollWaitsForAPlaceOnly(t *testing.T) {
	h := newHosts(1, time.Hour)
	ctx := context.Background()
	if ok, _ := h.try("a.example", monday); !ok {
		t.Fatal("no place on a host nobody polls")
	}
	h.hold("a.example", monday.Add(time.Hour))
	got := make(chan error)
	go func() { got <- h.wait(ctx, "a.example") }()
	h.release("a.example", time.Second)
	if err := <-got; err != nil {
		t.Fatal(err)
	}

	ended, end := context.WithCancel(ctx)
	go func() { got <- h.wait(ended, "a.example") }()
	end()
	if err := <-got; !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
}

func TestHostsForgetWhatIsOver(t *testing.T) {
	h := newHosts(1, time.Minute)
	for i := range 2000 {
		name := string(rune('a'+i%26)) + time.Duration(i).String()
		if ok, _ := h.try(name, monday); !ok {
			t.Fatal("no place on", name)
		}
		if i > 0 {
			h.release(name, time.Second)
		}
	}
	h.sweep(monday)
	if len(h.all) != 2000 {
		t.Errorf("%d hosts left while their spacing lasts, want all 2000", len(h.all))
	}
	h.sweep(monday.Add(time.Hour))
	if len(h.all) != 1 {
		t.Errorf("%d hosts left, want the one that is being polled", len(h.all))
	}
}

func TestHostOf(t *testing.T) {
	for raw, want := range map[string]string{
		"https://user:secret@WWW.Example.com/feed": "www.example.com",
		"http://127.0.0.1:8080/x":                  "127.0.0.1:8080",
		"::":                                       "::",
	} {
		if got := hostOf(raw); got != want {
			t.Errorf("hostOf(%q) = %q, want %q", raw, got, want)
		}
	}
}
