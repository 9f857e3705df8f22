package dest

import (
	"fmt"
	"net/url"
	"strings"
	"unicode/utf16"

	"golang.org/x/net/idna"

	"feedonce"
)

const (
	// maxListed is how long a title in a list may be, in characters.
	maxListed = 150
	// maxListedURL is how long the address behind it may be, in bytes; a longer one is left out.
	maxListedURL = 1000
	// maxLink is how long an address may be elsewhere, in bytes: the least that any of the endpoints documents (Discord:
	// an embed's url).
	maxLink = 2048
)

// units counts characters as UTF-16 does, which is never less than an endpoint counts that documents "characters".
func units(s string) int {
	n := 0
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// asIs escapes nothing.
func asIs(s string) string { return s }

// within makes one line of a stranger's text and escapes it, shortened so that at most max units are left of it.
func within(s string, max int, escape func(string) string) string {
	n := max
	line := escape(oneLine(s, n))
	for n > 1 && units(line) > max {
		n -= 1 + n/8
		line = escape(oneLine(s, n))
	}
	if units(line) > max {
		return ""
	}
	return line
}

// link returns an address that an endpoint takes as one and that ends no markup around it, or "". What does not belong into
// an address is percent-encoded (RFC 3986 2), and besides it each character of extra; names in other scripts are written as
// DNS has them (RFC 5891).
func link(u string, max int, extra string) string {
	parsed, err := url.Parse(u)
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Hostname() == "" || parsed.User != nil {
		return ""
	}
	host := parsed.Host
	if strings.ContainsFunc(host, func(r rune) bool { return r >= 0x7f }) {
		if host, err = idna.Lookup.ToASCII(parsed.Hostname()); err != nil {
			return ""
		}
		if parsed.Port() != "" {
			host += ":" + parsed.Port()
		}
	}
	if strings.ContainsAny(host, " \"<>\\^`{|}()*_~&@") {
		return ""
	}
	rest := u[strings.Index(u, "://")+3:]
	rest = rest[strings.IndexAny(rest+"/", "/?#"):]
	var b strings.Builder
	b.WriteString(parsed.Scheme + "://" + host)
	for _, c := range []byte(rest) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}"+extra, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	if b.Len() > max {
		return ""
	}
	return b.String()
}

// byline names where an article is from: the feed and the author.
func byline(a Article) string {
	feed, author := oneLine(a.FeedName, maxName), oneLine(a.Author, maxName)
	if author == "" || author == feed {
		return feed
	}
	return strings.TrimPrefix(feed+" · "+author, " · ")
}

// changed says what an update changed, or "".
func changed(m Message, a Article) string {
	if m.Kind != feedonce.DeliverUpdate {
		return ""
	}
	if len(a.Changed) == 0 {
		return "Updated"
	}
	return "Updated: " + strings.Join(names(a.Changed), ", ")
}

// alsoIn names the other feeds of the story, or is "".
func alsoIn(a Article) string {
	const most = 5
	list := names(a.Also)
	switch {
	case len(list) == 0:
		return ""
	case len(list) > most:
		return fmt.Sprintf("Also in %s and %d more", strings.Join(list[:most], ", "), len(list)-most)
	}
	return "Also in " + strings.Join(list, ", ")
}

// body is the beginning of an article's text, or "" where it stands in the title's place already.
func body(a Article) string {
	if strings.TrimSpace(a.Title) == "" {
		if units(a.Text) <= maxSubject {
			return ""
		}
	}
	return plainLines(a.Text)
}

// plainLines is a stranger's text with its line breaks, and without what oneLine takes out.
func plainLines(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i, l := range lines {
		lines[i] = oneLine(l, len(l)+1)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// present are the parts that are not empty.
func present(parts ...string) []string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return out
}

// A listing is how a list of articles is written at an endpoint.
type listing struct {
	title  func(a Article) string // a line without its link
	linked func(a Article) string // the same with it
	size   func(line string) int  // with what comes between lines
	room   int                    // for all lines together
	most   int                    // lines; 0: any number
}

// lines writes a list. Titles come first: as many as fit stand in it, and the first of them have links, as far as there is
// room. left is how many do not stand in it; the caller has kept room to say so.
func (l listing) lines(articles []Article) (lines []string, left int) {
	room := l.room
	for i, a := range articles {
		line := l.title(a)
		if n := l.size(line); n > room || l.most > 0 && i == l.most {
			break
		} else {
			room -= n
		}
		lines = append(lines, line)
	}
	for i := range lines {
		full := l.linked(articles[i])
		if more := l.size(full) - l.size(lines[i]); more > room {
			break
		} else {
			room -= more
		}
		lines[i] = full
	}
	return lines, len(articles) - len(lines)
}

// more says how many articles a list leaves out.
func more(left int) string { return fmt.Sprintf("and %d more", left) }

// chunks joins lines to texts of at most max units each. A line must not be longer.
func chunks(lines []string, max int) []string {
	var out []string
	for _, line := range lines {
		if n := len(out); n > 0 && units(out[n-1])+1+units(line) <= max {
			out[n-1] += "\n" + line
		} else {
			out = append(out, line)
		}
	}
	return out
}
