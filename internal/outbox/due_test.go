package outbox

import (
	"testing"
	"time"

	"feedonce"
)

// moment reads a time with its offset.
func moment(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// In Europe/Berlin the clock goes from 02:00 to 03:00 on 2026-03-29, and from 03:00 back to 02:00 on 2026-10-25. On Lord
// Howe Island it is put back by half an hour, from 02:00 to 01:30, on 2026-04-05. Apia had no 30 December 2011.
func TestNextDigest(t *testing.T) {
	day := func(at, zone string) feedonce.Digest { return feedonce.Digest{Every: "day", At: at, Zone: zone} }
	for _, c := range []struct {
		name        string
		digest      feedonce.Digest
		after, want string
	}{
		{"today", day("18:00", ""), "2026-03-02T17:59:59Z", "2026-03-02T18:00:00Z"},
		{"a moment past it is tomorrow's", day("18:00", ""), "2026-03-02T18:00:00Z", "2026-03-03T18:00:00Z"},
		{"eight where nothing is said", day("", ""), "2026-03-02T07:00:00Z", "2026-03-02T08:00:00Z"},
		{"in a zone", day("08:00", "Asia/Tokyo"), "2026-03-02T22:00:00Z", "2026-03-02T23:00:00Z"},
		{"a zone a day ahead", day("08:00", "Pacific/Auckland"), "2026-03-02T20:00:00Z", "2026-03-03T19:00:00Z"},
		{"over the end of a year", day("00:00", "Europe/Berlin"), "2026-12-31T22:59:59Z", "2026-12-31T23:00:00Z"},
		{"summer time keeps the hour of the clock", day("08:00", "Europe/Berlin"), "2026-03-28T12:00:00Z", "2026-03-29T06:00:00Z"},
		{"a time that is left out", day("02:30", "Europe/Berlin"), "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z"},
		{"and the day after", day("02:30", "Europe/Berlin"), "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"},
		{"a time that comes twice", day("02:30", "Europe/Berlin"), "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z"},
		{"is used once", day("02:30", "Europe/Berlin"), "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"},
		{"midnight that is left out", day("00:00", "Africa/Cairo"), "2026-04-23T12:00:00Z", "2026-04-23T22:00:00Z"},
		{"a day that is left out", day("12:00", "Pacific/Apia"), "2011-12-29T23:00:00Z", "2011-12-30T10:00:00Z"},
		{"a weekday", feedonce.Digest{Every: "monday", At: "09:00"}, "2026-03-02T09:00:00Z", "2026-03-09T09:00:00Z"},
		{"written large", feedonce.Digest{Every: "Sunday", At: "09:00"}, "2026-03-02T09:00:00Z", "2026-03-08T09:00:00Z"},
		{"a weekday of the zone", feedonce.Digest{Every: "monday", At: "01:00", Zone: "Asia/Tokyo"}, "2026-03-08T12:00:00Z", "2026-03-08T16:00:00Z"},
		{"the full hour", feedonce.Digest{Every: "hour"}, "2026-03-02T07:59:59.999999Z", "2026-03-02T08:00:00Z"},
		{"and the next", feedonce.Digest{Every: "hour"}, "2026-03-02T08:00:00Z", "2026-03-02T09:00:00Z"},
		{"of a zone between hours", feedonce.Digest{Every: "hour", Zone: "Asia/Kathmandu"}, "2026-03-02T08:00:00Z", "2026-03-02T08:15:00Z"},
		{"an hour that comes twice is two", feedonce.Digest{Every: "hour", Zone: "Europe/Berlin"}, "2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z"},
		{"half an hour back", feedonce.Digest{Every: "hour", Zone: "Australia/Lord_Howe"}, "2026-04-04T14:10:00Z", "2026-04-04T15:30:00Z"},
		{"settings that are refused hold up nothing", feedonce.Digest{Every: "day", At: "x", Zone: "y"}, "2026-03-02T07:00:00Z", "2026-03-02T08:00:00Z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := NextDigest(c.digest, moment(t, c.after)); !got.Equal(moment(t, c.want)) {
				t.Errorf("digest %+v after %s is at %s, want %s", c.digest, c.after, got.Format(time.RFC3339), c.want)
			}
		})
	}
}

func TestQuietUntil(t *testing.T) {
	night := []feedonce.Hours{{From: "22:00", To: "07:00"}}
	berlin := func(from, to string) []feedonce.Hours {
		return []feedonce.Hours{{From: from, To: to, Zone: "Europe/Berlin"}}
	}
	for _, c := range []struct {
		name     string
		hours    []feedonce.Hours
		at, want string
	}{
		{"none", nil, "2026-03-02T23:00:00Z", "2026-03-02T23:00:00Z"},
		{"by day", night, "2026-03-02T12:00:00Z", "2026-03-02T12:00:00Z"},
		{"they begin", night, "2026-03-02T22:00:00Z", "2026-03-03T07:00:00Z"},
		{"after midnight", night, "2026-03-03T06:59:59Z", "2026-03-03T07:00:00Z"},
		{"they end", night, "2026-03-03T07:00:00Z", "2026-03-03T07:00:00Z"},
		{"within a day", []feedonce.Hours{{From: "12:00", To: "13:00"}}, "2026-03-02T12:30:00Z", "2026-03-02T13:00:00Z"},
		{"to midnight", []feedonce.Hours{{From: "20:00", To: "00:00"}}, "2026-03-02T20:30:00Z", "2026-03-03T00:00:00Z"},
		{"one after the other", []feedonce.Hours{{From: "05:00", To: "09:00"}, {From: "22:00", To: "05:30"}}, "2026-03-02T23:00:00Z", "2026-03-03T09:00:00Z"},
		{"in a zone", berlin("22:00", "07:00"), "2026-07-02T20:00:00Z", "2026-07-03T05:00:00Z"},
		{"the end is left out", berlin("22:00", "02:30"), "2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z"},
		{"the beginning is left out", berlin("02:30", "04:00"), "2026-03-29T01:00:00Z", "2026-03-29T02:00:00Z"},
		{"all of it is left out", berlin("02:10", "02:50"), "2026-03-29T01:00:00Z", "2026-03-29T01:00:00Z"},
		{"the end comes twice", berlin("22:00", "02:30"), "2026-10-25T00:45:00Z", "2026-10-25T01:30:00Z"},
		{"the beginning comes twice", berlin("02:30", "04:00"), "2026-10-25T01:10:00Z", "2026-10-25T03:00:00Z"},
		{"a zone that is refused holds up nothing", []feedonce.Hours{{From: "00:00", To: "23:59", Zone: "x"}}, "2026-03-02T12:00:00Z", "2026-03-02T12:00:00Z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := QuietUntil(c.hours, moment(t, c.at)); !got.Equal(moment(t, c.want)) {
				t.Errorf("%+v at %s: quiet until %s, want %s", c.hours, c.at, got.Format(time.RFC3339), c.want)
			}
		})
	}
}

func TestDue(t *testing.T) {
	at := moment(t, "2026-03-02T23:30:00Z")
	quiet := []feedonce.Hours{{From: "22:00", To: "07:00"}}
	for _, c := range []struct {
		name  string
		route feedonce.Route
		want  string
	}{
		{"at once", feedonce.Route{}, "2026-03-02T23:30:00Z"},
		{"after the quiet hours", feedonce.Route{Quiet: quiet}, "2026-03-03T07:00:00Z"},
		{"with the digest", feedonce.Route{Digest: &feedonce.Digest{Every: "day", At: "18:00"}}, "2026-03-03T18:00:00Z"},
		{"a digest in quiet hours", feedonce.Route{Quiet: quiet, Digest: &feedonce.Digest{Every: "hour"}}, "2026-03-03T07:00:00Z"},
	} {
		if got := Due(c.route, at); !got.Equal(moment(t, c.want)) || got.Location() != time.UTC {
			t.Errorf("%s: due %s, want %s", c.name, got, c.want)
		}
	}
}

// Whatever the zone, digests of a day are about a day apart and never before what they tell, and a time is never quiet
// when its quiet hours are over.
func TestEveryDayOfTheYear(t *testing.T) {
	for _, name := range []string{"UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Africa/Casablanca", "America/Santiago", "Asia/Gaza", "Pacific/Chatham"} {
		for _, at := range []string{"00:00", "02:00", "02:30", "23:59"} {
			digest := feedonce.Digest{Every: "day", At: at, Zone: name}
			quiet := []feedonce.Hours{{From: at, To: "05:00", Zone: name}}
			last := NextDigest(digest, time.Date(2025, 12, 31, 12, 0, 0, 0, time.UTC))
			for range 366 {
				next := NextDigest(digest, last)
				if gap := next.Sub(last); gap < 22*time.Hour || gap > 26*time.Hour {
					t.Fatalf("%s in %s: after %s comes %s", at, name, last, next)
				}
				end := QuietUntil(quiet, next)
				if end.Sub(next) > 9*time.Hour || !QuietUntil(quiet, end).Equal(end) {
					t.Fatalf("%s in %s: at %s it is quiet until %s, and then until %s", at, name, next, end, QuietUntil(quiet, end))
				}
				last = next
			}
		}
	}
}
