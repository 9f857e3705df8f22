package fetch

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// headers reads "Name: value" lines.
func headers(lines string) http.Header {
	h := http.Header{}
	for line := range strings.SplitSeq(lines, "\n") {
		if name, value, ok := strings.Cut(line, ": "); ok {
			h.Add(name, value)
		}
	}
	return h
}

var noon = time.Date(2025, 7, 1, 12, 0, 0, 0, time.UTC)

func TestMaxAge(t *testing.T) {
	const date = "Date: Tue, 01 Jul 2025 10:00:00 GMT\n"
	for _, tt := range []struct {
		headers string
		want    time.Duration
	}{
		{"", 0},
		{"Cache-Control: max-age=300", 5 * time.Minute},
		{"Cache-Control: public, MAX-AGE=300, must-revalidate", 5 * time.Minute},
		{"Cache-Control: private, max-age=300", 5 * time.Minute},
		{`Cache-Control: max-age="300"`, 5 * time.Minute},
		{"Cache-Control: max-age = 300", 5 * time.Minute},
		{"Cache-Control: s-maxage=9000, max-age=300", 5 * time.Minute},
		{"Cache-Control: s-maxage=9000", 0},
		{"Cache-Control: max-age=300, max-age=9000", 5 * time.Minute},
		{"Cache-Control: foo=\"bar, max-age=300", 5 * time.Minute}, // one odd directive does not spoil the others
		{"Cache-Control: no-transform\nCache-Control: max-age=300", 5 * time.Minute},
		{"Cache-Control: no-store, max-age=300", 0},
		{"Cache-Control: max-age=300, no-cache", 0},
		{`Cache-Control: no-cache="Set-Cookie", max-age=300`, 5 * time.Minute},
		{"Cache-Control: max-age=0", 0},
		{"Cache-Control: max-age=-1", 0},
		{"Cache-Control: max-age=abc", 0},
		{"Cache-Control: max-age=99999999999999999999999", longestAge},
		{"Cache-Control: max-age=300\nAge: 100", 200 * time.Second},
		{"Cache-Control: max-age=300\nAge: 900", 0},
		{"Expires: Tue, 01 Jul 2025 13:00:00 GMT", time.Hour},
		{date + "Expires: Tue, 01 Jul 2025 13:00:00 GMT", 3 * time.Hour},
		{date + "Expires: Tue, 01 Jul 2025 13:00:00 GMT\nAge: 3600", 2 * time.Hour},
		{date + "Expires: Tue, 01 Jul 2025 13:00:00 GMT\nCache-Control: max-age=60", time.Minute},
		{"Expires: Thu, 19 Nov 1981 08:52:00 GMT", 0},
		{"Expires: 0", 0},
		{"Expires: -1", 0},
		{"Expires: Fri, 31 Dec 9999 23:59:59 GMT", longestAge},
		{"Expires: Tue, 01 Jul 2025 13:00:00 GMT\nCache-Control: no-cache", 0},
	} {
		if got := maxAge(headers(tt.headers), noon); got != tt.want {
			t.Errorf("%q: max age %v, want %v", tt.headers, got, tt.want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	for _, tt := range []struct {
		headers string
		want    time.Duration
	}{
		{"", 0},
		{"Retry-After: 120", 2 * time.Minute},
		{"Retry-After: 0", 0},
		{"Retry-After: -5", 0},
		{"Retry-After: 1.5", 0},
		{"Retry-After: 604801", maxRetryAfter},
		{"Retry-After: 99999999999999999999", maxRetryAfter},
		{"Retry-After: Tue, 01 Jul 2025 12:30:00 GMT", 30 * time.Minute},
		{"Date: Tue, 01 Jul 2025 12:20:00 GMT\nRetry-After: Tue, 01 Jul 2025 12:30:00 GMT", 10 * time.Minute},
		{"Retry-After: Tuesday, 01-Jul-25 12:30:00 GMT", 30 * time.Minute},
		{"Retry-After: Tue, 01 Jul 2025 11:30:00 GMT", 0},
		{"Retry-After: Tue, 01 Jul 2031 11:30:00 GMT", maxRetryAfter},
		{"Retry-After: later", 0},
	} {
		if got := retryAfter(headers(tt.headers), noon); got != tt.want {
			t.Errorf("%q: retry after %v, want %v", tt.headers, got, tt.want)
		}
	}
}
