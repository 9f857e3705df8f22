package dest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"unicode"

	gomail "github.com/wneessen/go-mail"

	"feedonce"
)

const (
	maxSubject = 150 // characters
	maxName    = 80  // characters of a name beside an address
)

// compose makes the whole message (RFC 5322), with lines that end in CRLF. All of it is ASCII.
func (e *email) compose(m Message) ([]byte, error) {
	from := e.from
	if from.Name == "" {
		from.Name = oneLine(m.From, maxName)
	}
	text, html, err := e.bodies(m)
	if err != nil {
		return nil, err
	}
	msg := gomail.NewMsg(gomail.WithEncoding(gomail.EncodingQP), gomail.WithBoundary(boundary(m.Key, text, html)))
	msg.SetUserAgent("feedonce")
	msg.FromMailAddress(&from)
	if len(e.to) == 1 {
		msg.ToMailAddress(&e.to[0])
	} else {
		msg.SetGenHeader("To", "undisclosed-recipients:;") // a group without members (RFC 5322 3.4)
	}
	msg.Subject(encoded(subject(m)))
	// The time of sending, not of the article or the decision: a message that waited is not to be sorted in out of sight.
	msg.SetDateWithValue(e.env.Now())
	msg.SetMessageIDWithValue(e.messageID(m.Key))
	msg.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834 5: no answers from machines
	msg.SetGenHeader("X-Auto-Response-Suppress", "All")  // the same for Exchange, which does not know it
	msg.SetGenHeader("List-Id", "<"+e.listID()+">")
	msg.SetGenHeader("List-Unsubscribe", "<"+e.unsubscribe+">")
	if !m.Digest && len(m.Articles) == 1 {
		a := m.Articles[0]
		// Everything about an article is a thread, whose first message is one that nobody has: so it holds together whether
		// the news of the article came by itself, in a digest, or to somebody else.
		thread := "<" + e.messageID(strings.TrimPrefix(a.ID, "urn:uuid:")+".article") + ">"
		msg.SetGenHeader("References", thread)
		if m.Kind == feedonce.DeliverUpdate {
			msg.SetGenHeader("In-Reply-To", thread)
			if m.First != "" {
				first := "<" + e.messageID(m.First) + ">"
				msg.SetGenHeader("In-Reply-To", first)
				msg.SetGenHeader("References", thread+" "+first)
			}
		}
		// For filters, as rss2email names it.
		if u := headerURL(a.FeedURL); u != "" {
			msg.SetGenHeader("X-RSS-Feed", u)
		}
	}
	msg.SetBodyString(gomail.TypeTextPlain, text)
	msg.AddAlternativeString(gomail.TypeTextHTML, html)
	var b bytes.Buffer
	_, err = msg.WriteTo(&b)
	return b.Bytes(), err
}

// messageID is an identifier for a Message-ID, without the brackets: a message's key, and the sender's domain.
func (e *email) messageID(key string) string {
	if !dotAtom(key) {
		key = fmt.Sprintf("%x", sha256.Sum256([]byte(key)))
	}
	return key + "@" + e.domain()
}

// listID names all messages from this sender (RFC 2919 2): feeds@example.org is the list feeds.example.org.
func (e *email) listID() string {
	local := strings.TrimSuffix(e.from.Address, "@"+e.domain())
	if !dotAtom(local) {
		local = "feedonce"
	}
	return local + "." + strings.Trim(e.domain(), "[]")
}

// dotAtom reports whether s is a dot-atom (RFC 5322 3.2.3).
func dotAtom(s string) bool {
	return s != "" && len(s) <= 200 && !strings.HasPrefix(s, ".") && !strings.HasSuffix(s, ".") && !strings.Contains(s, "..") &&
		!strings.ContainsFunc(s, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-/=?^_`{|}~.", r))
		})
}

// boundary separates the parts: the same for the same message, and such that nobody can write it into a text, because it is
// made of the whole of it.
func boundary(parts ...string) string {
	return fmt.Sprintf("part-%x", sha256.Sum256([]byte(strings.Join(parts, "\x00"))))[:37]
}

// headerURL is an address as a header may have it, or "".
func headerURL(u string) string {
	if len(u) > 900 || strings.ContainsFunc(u, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	return u
}

// subject is what stands in the list of messages.
func subject(m Message) string {
	switch {
	case m.Kind == feedonce.DeliverNotice:
		return oneLine(m.From+": "+m.Notice, maxSubject)
	case m.Digest:
		n := fmt.Sprintf(": %d articles", len(m.Articles))
		if len(m.Articles) == 1 {
			n = ": " + heading(m.Articles[0])
		}
		return oneLine(oneLine(m.Title, maxSubject/2)+n, maxSubject)
	case m.Kind == feedonce.DeliverUpdate:
		return oneLine("Updated: "+heading(m.Articles[0]), maxSubject)
	}
	return oneLine(heading(m.Articles[0]), maxSubject)
}

// heading is an article's title, or what can stand in its place.
func heading(a Article) string {
	for _, s := range []string{a.Title, a.Text} {
		if s = oneLine(s, maxSubject); s != "" {
			return s
		}
	}
	return "New in " + oneLine(a.FeedName, maxName)
}

// encoded is a text as a header may have it, where it would be read as something else: an encoded word (RFC 2047) of a
// stranger's could bring in what oneLine has taken out. Everything else is for the library to encode.
func encoded(s string) string {
	if !strings.Contains(s, "=?") {
		return s
	}
	var words []string
	for len(s) > 0 {
		part := cut(s, 42) // 75 characters with what stands around them
		s = s[len(part):]
		words = append(words, "=?UTF-8?B?"+base64.StdEncoding.EncodeToString([]byte(part))+"?=")
	}
	return strings.Join(words, " ")
}

// oneLine makes a line of a stranger's text, of at most max characters: without control characters, and without those that
// turn the direction of what follows.
func oneLine(s string, max int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.Is(unicode.Cc, r), r == '\ufeff', r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	s = strings.Join(strings.Fields(s), " ")
	runes := []rune(s)
	switch {
	case len(runes) <= max:
		return s
	case max < 1:
		return ""
	}
	n := max - 1 // room for …
	for i := n; i > n-30 && i > 0; i-- {
		if runes[i] == ' ' {
			n = i
			break
		}
	}
	for n > 0 && joins(runes[n]) || n > 1 && runes[n-1] == '\u200d' { // not within what is one character to the eye
		n--
	}
	return strings.TrimRight(string(runes[:n]), " ") + "…"
}

// joins reports whether a character belongs to the one before it.
func joins(r rune) bool {
	return unicode.Is(unicode.M, r) || r == '\u200d' || r >= '\U0001f3fb' && r <= '\U0001f3ff' || r >= '\U000e0020' && r <= '\U000e007f'
}
