package dedup

import "strings"

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
	kept = w[:0]
	for i := 0; i < len(w); i++ {
		n := 0
		switch {
		case isNumber(w[i]) && i+1 < len(w):
			switch {
			case i+2 < len(w) && ago[w[i+1]] && w[i+2] == "ago":
				n = 3
			case counted[w[i+1]]:
				n = 2
			case i+2 < len(w) && (w[i+1] == "min" || w[i+1] == "mins" || w[i+1] == "minute" || w[i+1] == "minutes") && w[i+2] == "read":
				n = 3
			}
		case strings.HasSuffix(w[i], "-min") || strings.HasSuffix(w[i], "-minute"):
			if i+1 < len(w) && w[i+1] == "read" && hasDigit(w[i]) {
				n = 2
			}
		}
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

// dropTail removes what blog software appends to the end of an excerpt or article: "The post … appeared first on …",
// "Continue reading …", "submitted by u/… [link] [comments]".
func dropTail(w []string) []string {
	const reach = 60
	from := max(0, len(w)-reach)
	at := func(i int, phrase ...string) bool {
		if i+len(phrase) > len(w) {
			return false
		}
		for k, p := range phrase {
			if w[i+k] != p {
				return false
			}
		}
		return true
	}
	for i := from; i < len(w); i++ {
		switch {
		case at(i, "the", "post"):
			for k := i + 2; k < len(w); k++ {
				if at(k, "appeared", "first", "on") || at(k, "first", "appeared", "on") || at(k, "was", "originally", "published") {
					return w[:i]
				}
			}
		case at(i, "read", "more") || at(i, "continue", "reading") || at(i, "keep", "reading") ||
			at(i, "read", "the", "full", "story") || at(i, "read", "the", "full", "article") || at(i, "read", "the", "full", "post"):
			if len(w)-i <= 22 {
				return w[:i]
			}
		case at(i, "submitted", "by"):
			if len(w)-i <= 10 && (at(len(w)-1, "comments") || at(i+2, "u")) {
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
