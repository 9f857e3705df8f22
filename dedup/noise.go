package dedup

import (
	"slices"
	"strings"
)

// What changes in a text without the article changing: counters, relative times, and the lines that software appends.

var counted = map[string]bool{
	"comment": true, "comments": true, "view": true, "views": true, "like": true, "likes": true, "share": true, "shares": true,
	"point": true, "points": true, "reply": true, "replies": true, "upvote": true, "upvotes": true, "vote": true, "votes": true,
	"reaction": true, "reactions": true,
}

var ago = map[string]bool{
	"second": true, "seconds": true, "minute": true, "minutes": true, "min": true, "mins": true, "hour": true, "hours": true,
	"hr": true, "hrs": true, "day": true, "days": true, "week": true, "weeks": true, "month": true, "months": true,
	"year": true, "years": true,
}

func isNumber(s string) bool {
	if s == "" {
		return false
	}
	for i := 0; i < len(s); i++ {
		if (s[i] < '0' || s[i] > '9') && s[i] != ',' && s[i] != '.' {
			return false
		}
	}
	return true
}

// dropVolatile removes relative times ("posted 3 hours ago"), counters ("12 comments") and reading times
// ("4 min read", "4-min read") from words, in place, and returns what it removed.
func dropVolatile(w []string) (kept, gone []string) {
	first := 0
	for first < len(w) && volatileAt(w[first:]) == 0 {
		first++
	}
	if first == len(w) {
		return w, nil
	}
	kept = w[:first]
	for i := first; i < len(w); i++ {
		n := volatileAt(w[i:])
		if n == 0 {
			kept = append(kept, w[i])
			continue
		}
		gone = append(gone, w[i:i+n]...)
		if k := len(kept); n == 3 && k > 0 && w[i+n-1] == "ago" && (kept[k-1] == "posted" || kept[k-1] == "published" || kept[k-1] == "updated") {
			kept = kept[:k-1]
		}
		i += n - 1
	}
	return kept, gone
}

// volatileAt returns how many words from the first on are volatile.
func volatileAt(w []string) int {
	x := w[0]
	if len(w) < 2 || x == "" {
		return 0
	}
	if c := x[0]; c <= '9' && isNumber(x) {
		switch next := w[1]; {
		case len(w) > 2 && ago[next] && w[2] == "ago":
			return 3
		case counted[next]:
			return 2
		case len(w) > 2 && (next == "min" || next == "mins" || next == "minute" || next == "minutes") && w[2] == "read":
			return 3
		}
		return 0
	}
	if c := x[len(x)-1]; (c == 'n' || c == 'e') && w[1] == "read" && hasDigit(x) && (strings.HasSuffix(x, "-min") || strings.HasSuffix(x, "-minute")) {
		return 2
	}
	return 0
}

// dropTail removes what blog software appends to the end of an excerpt or article: "The post … appeared first on …",
// "Continue reading …", "submitted by u/… [link] [comments]".
func dropTail(w []string) []string {
	const reach = 60
	at := func(i int, phrase ...string) bool {
		return i+len(phrase) <= len(w) && slices.Equal(w[i:i+len(phrase)], phrase)
	}
	for i := max(0, len(w)-reach); i < len(w); i++ {
		switch w[i] {
		case "the":
			if !at(i+1, "post") {
				continue
			}
			for k := i + 2; k < len(w); k++ {
				if at(k, "appeared", "first", "on") || at(k, "first", "appeared", "on") || at(k, "was", "originally", "published") {
					return w[:i]
				}
			}
		case "read", "continue", "keep":
			if len(w)-i <= 22 && (at(i, "read", "more") || at(i, "continue", "reading") || at(i, "keep", "reading") ||
				at(i, "read", "the", "full", "story") || at(i, "read", "the", "full", "article") || at(i, "read", "the", "full", "post")) {
				return w[:i]
			}
		case "submitted":
			if at(i+1, "by") && len(w)-i <= 10 && (at(len(w)-1, "comments") || at(i+2, "u")) {
				return w[:i]
			}
		}
	}
	return w
}

// statusWords are what editors put before or behind the title of an article they touched.
var statusWords = map[string]bool{
	"update": true, "updated": true, "updates": true, "upd": true, "correction": true, "corrected": true, "breaking": true,
	"edit": true, "edited": true, "repost": true, "re-post": true, "reposted": true, "amended": true,
}

// bareTitle strips status markers from a plain title, up to four times: "(Updated)", "UPDATE:", "[Corrected] ", " - updated".
func bareTitle(t string) string {
	for range 4 {
		t = strings.Trim(t, " \t\r\n")
		s := stripMarker(t)
		if s == t || strings.Trim(s, " \t\r\n-:|") == "" {
			return t
		}
		t = s
	}
	return t
}

func stripMarker(t string) string {
	if t == "" {
		return t
	}
	if o := t[0]; o == '(' || o == '[' {
		if e := strings.IndexAny(t, ")]"); e > 0 && statusWords[firstWord(t[1:e])] && e <= 24 {
			return strings.TrimLeft(t[e+1:], " :-|")
		}
	}
	if e := strings.IndexAny(t, ":|-"); e > 0 && e <= 24 {
		w := strings.TrimSpace(t[:e])
		if statusWords[strings.ToLower(w)] && (t[e] != '-' || e+1 < len(t) && t[e+1] == ' ') {
			return strings.TrimLeft(t[e+1:], " ")
		}
	}
	if c := t[len(t)-1]; c == ')' || c == ']' {
		if o := strings.LastIndexAny(t, "(["); o > 0 && len(t)-o <= 32 && statusWords[firstWord(t[o+1:len(t)-1])] {
			return strings.TrimRight(t[:o], " ")
		}
	}
	if o := strings.LastIndexAny(t, "-:|"); o > 0 && statusWords[strings.ToLower(strings.TrimSpace(t[o+1:]))] && t[o-1] == ' ' {
		return strings.TrimRight(t[:o], " -:|")
	}
	return t
}

func firstWord(s string) string {
	s = strings.TrimSpace(s)
	if k := strings.IndexAny(s, " :,"); k >= 0 {
		s = s[:k]
	}
	return strings.ToLower(s)
}
