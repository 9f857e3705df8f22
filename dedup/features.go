package dedup

import (
	"encoding/binary"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/zeebo/xxh3"

	"feedonce/internal/urls"
)

// features are an item in the form in which items are compared (DEDUP 2.1). Text features cost most and are computed
// only when they are asked for, which for an unchanged item never happens.
type features struct {
	item *Item
	skip func(string) bool // learned volatile link parameters

	guid    string // trimmed; "" where absent or a placeholder
	guidURL string // canonical key of a guid that is a URL; its fragment kept
	link    string // canonical link key
	path    string // path and query of link, without host
	ident   string // what in path looks like a database's identifier
	encl    string // canonical key of the first audio, video or document
	pub     int64  // published, else updated; Unix seconds; 0 is none
	coarse  bool   // the date has no time of day
	ahead   bool   // the date lies in the future: it can be equal to another, but says nothing of before and after

	strict Hash

	text *textFeatures
}

// tracked are the fields whose change makes a new version.
const (
	fieldTitle         = "title"
	fieldContent       = "content"
	fieldSummary       = "summary"
	fieldAuthor        = "author"
	fieldURL           = "url"
	fieldEnclosureURL  = "enclosure url"
	fieldEnclosureType = "enclosure type"
)

// newFeatures returns the features of an item that arrived: its strict hash tells whether it is known as it is.
func newFeatures(it *Item, fetched time.Time, skip func(string) bool) *features {
	f := keptFeatures(it, fetched, skip)
	f.strict = strictHash(it, f.link)
	return f
}

// keptFeatures returns the features of an item that is stored already, without the strict hash: most are looked at for
// something else.
func keptFeatures(it *Item, fetched time.Time, skip func(string) bool) *features {
	f := &features{item: it, skip: skip}
	f.guid = trimGUID(it.GUID)
	if isURL(f.guid) {
		f.guidURL, _ = urls.Key(f.guid, skip)
	} else if bareURL(f.guid) {
		f.guidURL, _ = urls.Key("https://"+f.guid, skip)
	}
	f.link, f.path = linkOf(it, f.guid, f.guidURL, skip)
	if hexRun(f.path) {
		f.ident = identifierOf(f.path)
	}
	f.encl = enclosureKey(it)
	f.pub, f.coarse, f.ahead = published(it, fetched)
	return f
}

// hexRun reports whether six hexadecimal digits stand in a row, without which there is no identifier.
func hexRun(s string) bool {
	n := 0
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= '0' && c <= '9' || c >= 'a' && c <= 'f' {
			if n++; n == 6 {
				return true
			}
		} else {
			n = 0
		}
	}
	return false
}

// placeholders are guids that software writes where it has none.
var placeholders = map[string]bool{
	"null": true, "(null)": true, "undefined": true, "none": true, "nil": true, "n/a": true, "na": true, "nan": true,
	"unknown": true, "guid": true, "-": true, "#": true, "about:blank": true, "http://": true, "https://": true,
	"tag:": true, "urn:uuid:": true, "{}": true, "[object object]": true,
	"00000000-0000-0000-0000-000000000000":          true,
	"urn:uuid:00000000-0000-0000-0000-000000000000": true,
}

// trimGUID removes white space and invisible characters around a guid (RSS and Atom compare ids as strings, and XML
// tools add line breaks), and answers "" for a placeholder.
func trimGUID(s string) string {
	s = strings.Trim(s, " \t\r\n\ufeff\u200b\u00a0")
	if len(s) <= 45 && placeholders[strings.ToLower(s)] {
		return ""
	}
	return s
}

func isURL(s string) bool {
	return len(s) > 8 && (strings.EqualFold(s[:7], "http://") || strings.EqualFold(s[:8], "https://"))
}

// bareURL reports whether a guid is an address without its scheme, "example.org/2026/hello": some software leaves it
// off, and puts it back later.
func bareURL(s string) bool {
	host, path, ok := strings.Cut(s, "/")
	if !ok || path == "" || len(host) > 80 || strings.ContainsAny(s, " \t\r\n,<>\"") {
		return false
	}
	dot := strings.LastIndexByte(host, '.')
	if dot < 1 || len(host)-dot < 3 {
		return false
	}
	for i := 0; i < len(host); i++ {
		c := host[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i > dot || c != '.' && c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return true
}

// slugOf returns the last segment of a link's path without extension and leading date, where it is specific: three
// words or more. Sites that move an article to another folder or date keep it.
func slugOf(path string) string {
	if k := strings.IndexAny(path, "?#"); k >= 0 {
		path = path[:k]
	}
	path = strings.TrimRight(path, "/")
	s := path[strings.LastIndexByte(path, '/')+1:]
	for _, x := range [...]string{".html", ".htm", ".php", ".aspx", ".md"} {
		s = strings.TrimSuffix(s, x)
	}
	if len(s) > 11 && s[4] == '-' && s[7] == '-' && s[10] == '-' && strings.Trim(s[:10], "0123456789-") == "" {
		s = s[11:]
	}
	if strings.Count(s, "-") < 2 && strings.Count(s, "_") < 2 {
		return ""
	}
	return s
}

// linkOf chooses the page of an item: what a proxy declares as the original, the link, a permalink guid.
// guidURL is the key of a guid that is a URL.
func linkOf(it *Item, guid, guidURL string, skip func(string) bool) (key, path string) {
	for _, u := range [...]string{it.OrigURL, it.URL} {
		if u == "" {
			continue
		}
		if u == guid && guidURL != "" && isURL(guid) {
			return guidURL, pathOf(guidURL)
		}
		if k, ok := urls.Key(u, skip); ok {
			return k, pathOf(k)
		}
		if u = strings.TrimSpace(u); strings.HasPrefix(u, "/") && !strings.HasPrefix(u, "//") {
			k, _ := urls.Key("https://relative.invalid"+u, skip) // nobody said where the feed lives: the path is all there is
			return u, pathOf(k)
		} else if u != "" {
			return u, ""
		}
	}
	if it.Permalink && guidURL != "" && isURL(guid) {
		return guidURL, pathOf(guidURL)
	}
	return "", ""
}

// pathOf returns path, query and fragment of a canonical key; "" for a site's root.
func pathOf(key string) string {
	rest := strings.TrimPrefix(key, "https://")
	k := strings.IndexByte(rest, '/')
	if k < 0 || k == len(rest)-1 {
		return ""
	}
	return rest[k:]
}

// hostOf returns the host of a canonical key.
func hostOf(key string) string {
	rest, ok := strings.CutPrefix(key, "https://")
	if !ok {
		return ""
	}
	if k := strings.IndexAny(rest, "/?#"); k >= 0 {
		rest = rest[:k]
	}
	return rest
}

// podcastPrefixes are hosts that count downloads by standing in front of the real URL.
var podcastPrefixes = []string{
	"dts.podtrac.com/redirect.mp3/", "www.podtrac.com/pts/redirect.mp3/", "podtrac.com/pts/redirect.mp3/", "chtbl.com/track/",
	"chrt.fm/track/", "op3.dev/e/", "pdst.fm/e/", "pdcn.co/e/", "mgln.ai/e/", "arttrk.com/p/", "prfx.byspotify.com/e/",
	"verifi.podscribe.com/rss/p/", "claritaspod.com/measure/", "pscrb.fm/rss/p/",
}

// enclosureKey is the canonical key of the first enclosure that is the article's substance: audio, video or a
// document. Pictures are decoration: news feeds attach the same photograph to several articles.
func enclosureKey(it *Item) string {
	for _, e := range it.Enclosures {
		if e.URL == "" || isPicture(e) {
			continue
		}
		u := unwrapped(e.URL)
		if q := strings.IndexAny(u, "?#"); q >= 0 {
			u = u[:q]
		}
		if k, ok := urls.Key(u, nil); ok {
			return k
		}
		return u
	}
	return ""
}

// unwrapped returns an enclosure's address without the counters that stand in front of it.
func unwrapped(u string) string {
	for again := true; again; {
		again = false
		for _, p := range podcastPrefixes {
			k := strings.Index(u, p)
			if k < 0 || k > len("https://") {
				continue
			}
			rest := u[k+len(p):]
			if p == "chtbl.com/track/" || p == "chrt.fm/track/" || strings.HasSuffix(p, "/p/") {
				if c := strings.IndexByte(rest, '/'); c >= 0 { // an account stands first
					rest = rest[c+1:]
				}
			}
			if !strings.Contains(rest, "://") {
				rest = "https://" + rest
			}
			u, again = rest, true
		}
	}
	return u
}

func isPicture(e Enclosure) bool {
	if strings.HasPrefix(strings.ToLower(e.Type), "image") {
		return true
	}
	u := strings.ToLower(e.URL)
	if q := strings.IndexAny(u, "?#"); q >= 0 {
		u = u[:q]
	}
	for _, x := range [...]string{".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg", ".avif", ".bmp"} {
		if strings.HasSuffix(u, x) {
			return true
		}
	}
	return false
}

// futureSlack is how far in the future a date may lie (a wrong time zone, both ways round the world) and still count.
const futureSlack = 26 * time.Hour

// published returns the date of an item, whether it has no time of day, and whether it lies in the future by more than
// a time zone explains. A date before 1970 is none.
func published(it *Item, fetched time.Time) (unix int64, coarse, ahead bool) {
	t := it.Published
	if t.IsZero() {
		t = it.Updated
	}
	if t.IsZero() || t.Unix() <= 0 {
		return 0, false, false
	}
	unix = t.Unix()
	return unix, unix%86400 == 0, !fetched.IsZero() && t.After(fetched.Add(futureSlack))
}

// A mark's kind is mixed into its hash.
const (
	markLink  = 'l'
	markPath  = 'p'
	markEncl  = 'e'
	markTitle = 't'
	markText  = 'x'
	markIdent = 'i'
	markGUID  = 'g' // canonical form of a guid that is a URL
)

func mark(kind byte, v string) Mark {
	var room [256]byte
	return Mark(xxh3.Hash(append(append(room[:0], kind), v...)))
}

// markHash is the mark of a value of which only the hash is known.
func markHash(kind byte, h uint64) Mark {
	var room [9]byte
	return Mark(xxh3.Hash(binary.BigEndian.AppendUint64(append(room[:0], kind), h)))
}

// marks are the features by which an entry with these features is looked up later.
func (f *features) marks() []Mark {
	m := make([]Mark, 0, 7)
	if f.link != "" {
		m = append(m, mark(markLink, f.link))
	}
	if f.path != "" {
		m = append(m, mark(markPath, f.path))
	}
	if f.ident != "" {
		m = append(m, mark(markIdent, f.ident))
	}
	if f.encl != "" {
		m = append(m, mark(markEncl, f.encl))
	}
	if f.guidURL != "" {
		m = append(m, mark(markGUID, f.guidURL))
	}
	t := f.words()
	if t.titleK != "" {
		m = append(m, mark(markTitle, t.titleK))
	}
	if len(t.words) > 0 {
		m = append(m, markHash(markText, t.textH))
	}
	return m
}

// empty reports whether nothing identifies the item.
func (f *features) empty() bool {
	if f.guid != "" || f.link != "" || len(f.item.Enclosures) > 0 {
		return false
	}
	if r, _ := utf8.DecodeRuneInString(strings.TrimSpace(cut(f.item.Title, maxTitleBytes))); r > ' ' && r < utf8.RuneSelf && r != '<' && r != '&' || kindOf(r)&inWord != 0 {
		return false // that stays, whatever markup follows: a title, without looking any closer
	}
	t := f.words()
	return t.titleK == "" && len(t.words) == 0 && t.refs == noRefs
}
