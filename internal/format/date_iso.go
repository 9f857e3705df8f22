package format

import (
	"strings"
	"time"
)

// parseISO reads the profiles of ISO 8601: 2004, 2004-05, 2004-05-25, 20040525, 2004-146, each with a time of day and
// a zone or without (then it is UTC), and the short forms -0405, 04-05-25 and 040525 that the first feeds used. A
// number of 10 or 13 digits is seconds or milliseconds since 1970.
func parseISO(s string) (time.Time, bool) {
	if s[0] != '-' && (s[0] < '0' || s[0] > '9') {
		return time.Time{}, false
	}
	date, clock := s, ""
	if i := strings.IndexAny(s, "Tt "); i > 0 {
		date, clock = s[:i], strings.TrimLeft(s[i+1:], " ")
		if clock == "" || date == "" {
			return time.Time{}, false
		}
	}
	year, month, day, ok := isoDate(date)
	if !ok {
		return epoch(s)
	}
	if clock == "" {
		return makeTime(year, month, day, 0, 0, 0, 0, 0)
	}
	return isoClock(clock, year, month, day)
}

func isoDate(s string) (year int, month time.Month, day int, ok bool) {
	f := strings.Split(s, "-")
	var v [3]int
	for i, part := range f {
		if i > 2 || i > 0 && part == "" || !digitsOnly(part) {
			return 0, 0, 0, false
		}
		v[min(i, 2)] = number(part)
	}
	century := func(y int) int {
		if y < 50 {
			return y + 2000
		}
		return y + 1900
	}
	switch {
	case len(f) == 1 && len(s) == 4:
		return v[0], 1, 1, true
	case len(f) == 1 && len(s) == 8:
		return v[0] / 10000, time.Month(v[0] / 100 % 100), v[0] % 100, true
	case len(f) == 1 && len(s) == 6:
		return century(v[0] / 10000), time.Month(v[0] / 100 % 100), v[0] % 100, true
	case len(f) == 2 && len(f[0]) == 4 && len(f[1]) == 2:
		return v[0], time.Month(v[1]), 1, true
	case len(f) == 2 && len(f[0]) == 4 && len(f[1]) == 3 && v[1] >= 1 && v[1] <= 366: // day of the year
		t := time.Date(v[0], 1, v[1], 0, 0, 0, 0, time.UTC)
		return t.Year(), t.Month(), t.Day(), true
	case len(f) == 2 && f[0] == "" && len(f[1]) == 4: // -0405
		return century(v[1] / 100), time.Month(v[1] % 100), 1, true
	case len(f) == 3 && f[0] == "" && len(f[1]) == 2 && len(f[2]) == 2: // -04-05
		return century(v[1]), time.Month(v[2]), 1, true
	case len(f) == 3 && len(f[0]) == 4 && len(f[1]) <= 3 && len(f[2]) <= 2:
		return v[0], time.Month(v[1]), v[2], true
	case len(f) == 3 && len(f[0]) == 2 && len(f[1]) == 2 && len(f[2]) == 2:
		return century(v[0]), time.Month(v[1]), v[2], true
	}
	return 0, 0, 0, false
}

// isoClock reads the time of day and the zone. The names of zones are read too, and am and pm are not.
func isoClock(s string, year int, month time.Month, day int) (time.Time, bool) {
	var d dateReader
	i := 0
	for i < len(s) && (s[i] >= '0' && s[i] <= '9') {
		i++
	}
	switch {
	case i < len(s) && s[i] == ':':
		if i = d.clock(s, 0); i < 0 {
			return time.Time{}, false
		}
	case i == 2:
		d.h = number(s[:2])
	case i == 4:
		d.h, d.m = number(s[:2]), number(s[2:4])
	case i == 6:
		d.h, d.m, d.s = number(s[:2]), number(s[2:4]), number(s[4:6])
		if i < len(s) && s[i] == '.' {
			for i++; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
			}
		}
	default:
		return time.Time{}, false
	}
	offset := 0
	switch zone := strings.TrimSpace(s[i:]); {
	case zone == "" || zone == "Z" || zone == "z":
	case zone[0] == '+' || zone[0] == '-':
		off, end, ok := zoneOffset(zone, 1)
		if !ok || end != len(zone) {
			return time.Time{}, false
		}
		if offset = off; zone[0] == '-' {
			offset = -off
		}
	default:
		off, ok := zones[strings.ToLower(zone)]
		if !ok {
			return time.Time{}, false
		}
		offset = off
	}
	return makeTime(year, month, day, d.h, d.m, d.s, d.nanos, offset)
}

func epoch(s string) (time.Time, bool) {
	if !digitsOnly(s) {
		return time.Time{}, false
	}
	switch len(s) {
	case 10:
		return time.Unix(int64(number(s)), 0).UTC(), true
	case 13:
		return time.UnixMilli(int64(number(s))).UTC(), true
	}
	return time.Time{}, false
}

func digitsOnly(s string) bool { return strings.Trim(s, "0123456789") == "" }

func number(s string) int {
	v := 0
	for _, c := range s[:min(len(s), 15)] {
		v = v*10 + int(c-'0')
	}
	return v
}
