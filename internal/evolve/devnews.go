package evolve

import (
	"crypto/sha256"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"feedonce/dedup"
)

// devNews is the method article's recipe as its case study used it: a hash of title, description, author and date; or
// the same canonical URL, or the same guid, with dates at most twelve hours apart. It never updates.
//
// The canonical URL, which the case study fetched from the page, is here what a page would say: the link without
// tracking, on the publisher's main host.
type devNews struct{ feeds map[int]*devTable }

type devTable struct {
	byHash         map[string]int64
	byLink, byGUID map[string][]dated
	last           int64
}

// dated is an entry and when it was published.
type dated struct {
	entry int64
	at    time.Time
}

// NewDevNews returns the strategy of the method article.
func NewDevNews() Strategy { return &devNews{feeds: map[int]*devTable{}} }

func (s *devNews) Name() string { return "DevNews" }

func (s *devNews) Document(feed int, doc *dedup.Document) []Answer {
	t := s.feeds[feed]
	if t == nil {
		t = &devTable{byHash: map[string]int64{}, byLink: map[string][]dated{}, byGUID: map[string][]dated{}}
		s.feeds[feed] = t
	}
	answers := make([]Answer, len(doc.Items))
	for i := range doc.Items {
		answers[i] = t.item(&doc.Items[i])
	}
	return answers
}

func (t *devTable) item(it *dedup.Item) Answer {
	hash := devHash(it)
	if entry := t.byHash[hash]; entry != 0 {
		return Answer{Outcome: dedup.Duplicate, Entry: entry, Rule: "hash"}
	}
	link := devCanonical(it.URL)
	if entry := around(t.byLink[link], it.Published); entry != 0 {
		return Answer{Outcome: dedup.Duplicate, Entry: entry, Rule: "canonical URL"}
	}
	guid := strings.TrimSpace(it.GUID)
	if entry := around(t.byGUID[guid], it.Published); entry != 0 {
		return Answer{Outcome: dedup.Duplicate, Entry: entry, Rule: "guid and date"}
	}
	t.last++
	now := dated{t.last, it.Published}
	t.byHash[hash] = now.entry
	if link != "" {
		t.byLink[link] = append(t.byLink[link], now)
	}
	if guid != "" {
		t.byGUID[guid] = append(t.byGUID[guid], now)
	}
	return Answer{Outcome: dedup.New, Entry: now.entry, Rule: "none", Tell: true}
}

// around returns the first entry published within twelve hours of at; 0 for none. An unknown date is near to nothing,
// as null in SQL.
func around(entries []dated, at time.Time) int64 {
	for _, e := range entries {
		if !at.IsZero() && !e.at.IsZero() && at.Sub(e.at).Abs() <= 12*time.Hour {
			return e.entry
		}
	}
	return 0
}

// devHash is Method 1: normalised title, description, author and ISO date, joined by pipes.
func devHash(it *dedup.Item) string {
	date := ""
	if !it.Published.IsZero() {
		date = it.Published.UTC().Format(time.RFC3339)
	}
	sum := sha256.Sum256([]byte(devText(it.Title) + "|" + devText(it.Content) + "|" + strings.TrimSpace(it.Author) + "|" + date))
	return string(sum[:])
}

// devText strips tags, collapses white space and lowers case.
func devText(s string) string {
	b := make([]byte, 0, len(s))
	tag, gap := false, false
	for _, r := range s {
		switch {
		case r == '<':
			tag, gap = true, true
		case r == '>':
			tag = false
		case tag:
		case r == ' ' || r == '\n' || r == '\t' || r == '\r':
			gap = true
		default:
			if gap && len(b) > 0 {
				b = append(b, ' ')
			}
			gap = false
			if r < utf8.RuneSelf {
				if 'A' <= r && r <= 'Z' {
					r += 'a' - 'A'
				}
				b = append(b, byte(r))
			} else {
				b = utf8.AppendRune(b, unicode.ToLower(r))
			}
		}
	}
	return string(b)
}

// devCanonical is the address that the page behind a link would name as its own.
func devCanonical(link string) string {
	u, err := url.Parse(link)
	if err != nil || link == "" {
		return ""
	}
	q := u.Query()
	for name := range q {
		if strings.HasPrefix(name, "utm_") {
			q.Del(name)
		}
	}
	s := strings.TrimPrefix(strings.ToLower(u.Host), "www.") + strings.TrimSuffix(u.EscapedPath(), "/")
	if len(q) > 0 {
		s += "?" + q.Encode()
	}
	return s
}
