package fetch

import (
	"bytes"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
)

// A Candidate is a feed that a web page points to.
type Candidate struct {
	URL   string // absolute, without fragment
	Title string // as the page gives it, white space collapsed; "" where it gives none
	Type  string // media type as the page gives it, lower case, without parameters; "" where it gives none
	Guess bool   // one of the usual paths, not named by the page
}

const (
	// maxPage is how much of a page is looked at; feeds are named in the head.
	maxPage = 1 << 20
	// maxCandidates is how many feeds of a page are returned, guesses not counted.
	maxCandidates = 100
)

// feedTypes are the media types that only feeds have.
var feedTypes = []string{
	"application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml",
	"application/x-rss+xml", "application/x-atom+xml", "application/x.atom+xml", "text/rss+xml", "text/atom+xml",
}

// looseTypes are given to feeds, and to much else: WordPress calls its API an alternate of type application/json.
var looseTypes = []string{"application/json", "application/xml", "text/xml", "text/rss", "text/json", "application/rss", "application/atom"}

// Discover finds the feeds of a web page: <link rel=alternate> with a feed's media type and <a> that look like feeds,
// in document order, then the usual paths as guesses. It reads tokens only, and at most 1 MiB. base is the URL the
// page came from; without a valid one nothing is found.
func Discover(page []byte, base string) []Candidate {
	at, err := url.Parse(base)
	if err != nil || at.Host == "" {
		return nil
	}
	s := &pageScanner{base: at}
	s.scan(toUTF8(page[:min(len(page), maxPage)]))
	found := &candidates{seen: map[string]bool{}}
	for _, c := range s.found {
		if len(found.list) < maxCandidates {
			found.add(s.base, c)
		}
	}
	if c, ok := s.youTube(at); ok {
		found.add(s.base, c)
	}
	for _, g := range guesses(at) {
		found.add(at, g)
	}
	return found.list
}

// toUTF8 decodes a page by its byte order mark or meta element, so that titles are readable. What is valid UTF-8 is
// taken for it, whatever the page says: other encodings of other than ASCII never are, but by accident.
func toUTF8(page []byte) []byte {
	_, name, _ := charset.DetermineEncoding(page, "")
	if name == "utf-8" || name != "iso-2022-jp" && validUTF8(page) {
		return page
	}
	r, err := charset.NewReaderLabel(name, bytes.NewReader(page))
	if err != nil {
		return page
	}
	if b, err := io.ReadAll(r); err == nil {
		return b
	}
	return page
}

// validUTF8 allows for a last rune that was cut.
func validUTF8(page []byte) bool {
	for i := 0; i < utf8.UTFMax && len(page) > i; i++ {
		if utf8.Valid(page[:len(page)-i]) {
			return true
		}
	}
	return len(page) == 0
}

// candidates collects without repeating.
type candidates struct {
	list []Candidate
	seen map[string]bool
}

func (cs *candidates) add(base *url.URL, c Candidate) {
	href := strings.TrimSpace(c.URL)
	if rest, ok := cutPrefixFold(href, "feed:"); ok { // feed://host/path or feed:https://host/path
		href = rest
		if strings.HasPrefix(rest, "//") {
			href = "http:" + rest
		}
	}
	u, err := base.Parse(href)
	if err != nil {
		return
	}
	if _, err := normalize(u); err != nil {
		return
	}
	c.URL = u.String()
	// One feed is often named with and without the last slash.
	key := strings.TrimSuffix(c.URL, "/")
	if cs.seen[key] {
		return
	}
	cs.seen[key] = true
	c.Title = strings.Join(strings.Fields(c.Title), " ")
	cs.list = append(cs.list, c)
}

// A pageScanner collects what a page says of feeds. URLs stay as written until the end, since a <base> counts for all.
type pageScanner struct {
	base     *url.URL
	based    bool
	found    []Candidate
	channel  string // YouTube's id of the channel shown
	anchor   int    // index in found of the <a> that is open, plus one
	anchored strings.Builder
}

func (s *pageScanner) scan(page []byte) {
	z := html.NewTokenizer(bytes.NewReader(page))
	z.SetMaxBuf(maxPage + 1)
	for {
		switch z.Next() {
		case html.ErrorToken:
			s.closeAnchor()
			return
		case html.TextToken:
			if s.anchor > 0 && s.anchored.Len() < 200 {
				s.anchored.Write(z.Text())
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); string(name) == "a" {
				s.closeAnchor()
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			switch string(name) {
			case "base":
				s.setBase(attributes(z, more)["href"])
			case "link":
				s.link(attributes(z, more))
			case "a":
				s.closeAnchor()
				s.openAnchor(attributes(z, more))
			case "meta":
				s.meta(attributes(z, more))
			}
		}
	}
}

// attributes reads those of the current tag; of a repeated one the first counts, as in browsers.
func attributes(z *html.Tokenizer, more bool) map[string]string {
	m := make(map[string]string, 4)
	for more && len(m) < 32 {
		var k, v []byte
		k, v, more = z.TagAttr()
		if _, ok := m[string(k)]; !ok {
			m[string(k)] = string(v)
		}
	}
	return m
}

func (s *pageScanner) setBase(href string) {
	if s.based || strings.TrimSpace(href) == "" {
		return
	}
	if u, err := s.base.Parse(strings.TrimSpace(href)); err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") {
		s.base, s.based = u, true
	}
}

func (s *pageScanner) link(a map[string]string) {
	href, typ := a["href"], mediaType(a["type"])
	rel := strings.Fields(strings.ToLower(a["rel"]))
	if slices.Contains(rel, "canonical") {
		s.canonical(href)
	}
	if strings.TrimSpace(href) == "" || slices.Contains(rel, "stylesheet") {
		return
	}
	isFeed := slices.Contains(rel, "feed") && (typ == "" || typ != "text/html")
	if slices.Contains(rel, "alternate") {
		isFeed = isFeed || slices.Contains(feedTypes, typ) ||
			slices.Contains(looseTypes, typ) && (looksLikeFeedURL(href) || strings.Contains(strings.ToLower(a["title"]), "feed"))
	}
	if isFeed {
		s.found = append(s.found, Candidate{URL: href, Title: a["title"], Type: typ})
	}
}

func (s *pageScanner) openAnchor(a map[string]string) {
	href, typ := strings.TrimSpace(a["href"]), mediaType(a["type"])
	if href == "" || !slices.Contains(feedTypes, typ) && !looksLikeFeedURL(href) {
		return
	}
	s.found = append(s.found, Candidate{URL: href, Title: a["title"], Type: typ})
	s.anchor = len(s.found)
}

// closeAnchor gives the text of a link to a feed for its title.
func (s *pageScanner) closeAnchor() {
	if s.anchor > 0 {
		if c := &s.found[s.anchor-1]; strings.TrimSpace(c.Title) == "" {
			c.Title = s.anchored.String()
		}
	}
	s.anchor = 0
	s.anchored.Reset()
}

func (s *pageScanner) meta(a map[string]string) {
	if strings.EqualFold(a["itemprop"], "identifier") || strings.EqualFold(a["itemprop"], "channelId") {
		s.setChannel(a["content"])
	}
}

func (s *pageScanner) canonical(href string) {
	if _, id, ok := strings.Cut(href, "youtube.com/channel/"); ok {
		s.setChannel(strings.TrimRight(id, "/"))
	}
}

// setChannel takes an id of a YouTube channel: "UC" and 22 characters of base64url.
func (s *pageScanner) setChannel(id string) {
	if s.channel == "" && len(id) == 24 && strings.HasPrefix(id, "UC") && strings.Trim(id,
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") == "" {
		s.channel = id
	}
}

// youTube is the feed of the channel a YouTube page says it is about. Most such pages name it by <link> as well.
func (s *pageScanner) youTube(page *url.URL) (Candidate, bool) {
	host := strings.ToLower(page.Hostname())
	if s.channel == "" || host != "youtube.com" && !strings.HasSuffix(host, ".youtube.com") {
		return Candidate{}, false
	}
	return Candidate{
		URL:  "https://www.youtube.com/feeds/videos.xml?channel_id=" + s.channel,
		Type: "application/atom+xml",
	}, true
}

func mediaType(s string) string {
	s, _, _ = strings.Cut(s, ";")
	return strings.ToLower(strings.TrimSpace(s))
}

// looksLikeFeedURL says whether a link is likely to lead to a feed rather than to a page about feeds.
func looksLikeFeedURL(href string) bool {
	if _, ok := cutPrefixFold(href, "feed:"); ok {
		return true
	}
	u, err := url.Parse(strings.TrimSpace(href))
	if err != nil || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	p := strings.ToLower(strings.TrimRight(u.Path, "/"))
	base := path.Base(p)
	switch ext := path.Ext(base); ext {
	case ".rss", ".atom", ".rdf":
		return true
	case ".xml", ".json", ".php":
		name := strings.TrimSuffix(base, ext)
		for _, word := range []string{"rss", "feed", "atom"} {
			if strings.Contains(name, word) {
				return true
			}
		}
		if ext == ".xml" && (name == "index" || name == "videos") {
			return true
		}
	}
	if q := u.Query(); slices.Contains([]string{"rss", "rss2", "atom", "rdf"}, strings.ToLower(q.Get("feed"))) ||
		slices.Contains([]string{"rss", "atom", "feed", "json-feed"}, strings.ToLower(q.Get("format"))) {
		return true
	}
	if slices.Contains([]string{"feed", "feeds", "rss", "rss2", "atom"}, base) {
		return true
	}
	host := strings.ToLower(u.Hostname())
	return p != "" && (strings.HasPrefix(host, "feeds.") || strings.HasPrefix(host, "rss."))
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return s[len(prefix):], true
	}
	return s, false
}
