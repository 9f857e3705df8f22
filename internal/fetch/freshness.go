package fetch

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// maxRetryAfter bounds what a server can make us wait.
	maxRetryAfter = 7 * 24 * time.Hour
	// longestAge bounds MaxAge; RFC 9111 section 1.2.2 allows 68 years.
	longestAge = 365 * 24 * time.Hour
)

// maxAge is how long an answer stays fresh from now on for a private cache (RFC 9111 section 4.2): max-age less Age,
// else Expires less Date. It is 0 where nothing is said, where the answer is stale already, and with no-store and
// no-cache. s-maxage is for shared caches and not heeded. It is written by hand because pquerna/cachecontrol rejects
// the whole header for one odd directive, and publishers write many.
func maxAge(h http.Header, now time.Time) time.Duration {
	age, said := time.Duration(0), false
	for _, line := range h["Cache-Control"] {
		for d := range strings.SplitSeq(line, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(d), "=")
			switch strings.ToLower(strings.TrimSpace(name)) {
			case "no-store":
				return 0
			case "no-cache":
				if value == "" { // with field names it is about those fields only
					return 0
				}
			case "max-age":
				if s, ok := deltaSeconds(strings.Trim(strings.TrimSpace(value), `"`)); ok && !said {
					age, said = s, true
				}
			}
		}
	}
	if !said {
		v := h.Get("Expires")
		if v == "" {
			return 0
		}
		expires, err := http.ParseTime(v)
		if err != nil {
			return 0
		}
		if date, err := http.ParseTime(h.Get("Date")); err == nil {
			now = date // the server's clock for both
		}
		age = expires.Sub(now)
	}
	if s, ok := deltaSeconds(h.Get("Age")); ok {
		age -= s
	}
	return min(max(age, 0), longestAge)
}

// retryAfter is the wait that a server asks for (RFC 9110 section 10.2.3), in seconds or as a date; 0 is unsaid.
func retryAfter(h http.Header, now time.Time) time.Duration {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, ok := deltaSeconds(v); ok {
		return min(s, maxRetryAfter)
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	return min(max(at.Sub(now), 0), maxRetryAfter)
}

// deltaSeconds reads a number of seconds; one that is too large to hold counts as the largest (RFC 9111 section 1.2.2).
func deltaSeconds(v string) (time.Duration, bool) {
	v = strings.TrimSpace(v)
	if v == "" {
		return 0, false
	}
	for i := range len(v) {
		if v[i] < '0' || v[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if limit := int64(longestAge / time.Second); err != nil || n > limit {
		n = limit
	}
	return time.Duration(n) * time.Second, true
}
