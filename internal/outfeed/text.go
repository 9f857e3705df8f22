package outfeed

import (
	"html"
	"mime"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// What publishers wrote, as a document may hold it: whatever it is, the document stays one, and within limits.

// Longest texts, in characters. The longest title of a corpus of 55,000 articles has 600.
const (
	maxTitle = 1000
	maxName  = 200
)

// clean is text without what XML cannot hold (XML 1.0 2.2) and without other control characters: those that are bytes of no
// character become U+FFFD.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ', r >= 0x7f && r < 0xa0, r == 0xfffe, r == 0xffff:
			return -1
		}
		return r
	}, s)
}

// line is text in one line, of at most max characters; longer text ends in "…". Its direction of writing ends where it does.
func line(s string, max int) string {
	if n := 8 * max; len(s) > n { // whoever pads a megabyte with blanks gets less
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	s = strings.Join(strings.Fields(clean(s)), " ")
	if utf8.RuneCountInString(s) > max {
		s = strings.TrimRight(string([]rune(s)[:max-1]), " ") + "…"
	}
	return closed(s)
}

// closed ends the embeddings, overrides and isolates that a text leaves open (Unicode Standard Annex 9): else what a reader
// shows behind it would run the other way.
func closed(s string) string {
	const popEmbedding, popIsolate = '\u202c', '\u2069'
	var open []rune
	for _, r := range s {
		switch r {
		case '\u202a', '\u202b', '\u202d', '\u202e':
			open = append(open, popEmbedding)
		case '\u2066', '\u2067', '\u2068':
			open = append(open, popIsolate)
		case popEmbedding:
			if n := len(open); n > 0 && open[n-1] == popEmbedding {
				open = open[:n-1]
			}
		case popIsolate: // it ends what was opened within it, too
			for i := len(open) - 1; i >= 0; i-- {
				if open[i] == popIsolate {
					open = open[:i]
					break
				}
			}
		}
	}
	slices.Reverse(open)
	return s + string(open)
}

// markup is plain text for a place where some readers expect text and others HTML, such as the title of RSS. What both take
// for the same is left alone; else it is written for those that expect HTML, as with the others only beauty is at stake.
func markup(s string) string {
	if !strings.Contains(s, "<") && html.UnescapeString(s) == s {
		return s
	}
	return strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(s)
}

// maxLink is the longest address that is given on, in bytes: twice what RFC 9110 4.1 asks all to understand. Servers refuse
// longer ones.
const maxLink = 16000

// link is an absolute http(s) address as RFC 3986 has it, or "" where there is none that could be asked for. Characters that may not stand in one are
// written as %XX, and the name of the host in ASCII.
func link(s string) string {
	if s = strings.TrimSpace(s); len(s) > maxLink {
		return ""
	}
	u, err := url.Parse(strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return -1 // as browsers do
		}
		return r
	}, s))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return ""
	}
	if !ascii(u.Host) {
		host, err := idna.Lookup.ToASCII(u.Hostname())
		if err != nil {
			return ""
		}
		if port := u.Port(); port != "" {
			host += ":" + port
		}
		u.Host = host
	}
	return escape(u.String())
}

func ascii(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// escape writes the bytes that may not stand in a URI as %XX.
func escape(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			const hex = "0123456789ABCDEF"
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// mediaType is a media type without parameters, or "".
func mediaType(s string) string {
	t, _, err := mime.ParseMediaType(s)
	if err != nil || !strings.Contains(t, "/") {
		return ""
	}
	return t
}

var languageTag = regexp.MustCompile(`^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$`)

// language is a language tag in the form that RFC 4287 asks for, or "".
func language(s string) string {
	if s = strings.TrimSpace(s); len(s) > 35 || !languageTag.MatchString(s) {
		return ""
	}
	return s
}
