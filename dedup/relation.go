package dedup

import (
	"regexp"
	"slices"
	"strings"
)

// A relation is what an arrival and an entry have in common. Text is compared only when a rule asks for it.
type relation struct {
	a, e *features

	titleEq, titleNear bool // equal; equal or a typing error apart
	titleGrown         bool // one is the other with one or two words before or behind it, as editors mark what they touched
	linkEq             bool
	linkStrong         bool // equal, and a link tells items apart in this feed
	pathEq             bool
	slugEq             bool // the last segment of the links is the same, three words or more
	guidURLEq          bool
	guidBaseEq         bool // equal but for the fragment
	identEq            bool // the links carry the same identifier
	enclEq, enclDiffer bool
	undated            bool // dates are no evidence in this feed
	dated              bool // both have a date
	gap                int64
	sameTime           bool // equal to the second, and not just a day
	sameDay            bool // equal, though it may be just a day
	oddClock           bool // that, and minutes and seconds are not round: hardly by chance
	sameClock          bool // equal but for the time zone: a multiple of 15 minutes, at most 14 hours

	text *textRelation
	list *Judge // whose lists may have a line under every item; nil where texts are compared as they are
}

// textRelation says how two texts relate.
type textRelation struct {
	equal     bool // the same words (and, where words are few, the same links and pictures)
	near      bool // an edit of each other (DEDUP 3.3), on at least minNear words
	contained bool // the same, on at least minContained words
	absent    bool // at least one has no words
	lineless  bool // compared without the line that stands under every item of one list
	shape
	overlap float64  // share of the words of the shorter that the longer has
	a, e    []string // the words that were compared
}

// The thresholds of DEDUP 3.3, measured on 43,806 pairs: 6 of 23,009 pairs of different items pass.
const (
	minContainment = 0.90 // of the shorter text's words, in order
	maxReplaced    = 0.02 // words replaced by others, of the shorter text
	minNear        = 20   // words; under that every method takes different items for the same
	minContained   = 12   // words; enough only together with link or place
	minOverlap     = 0.85 // of words in any order: under that the alignment is not worth making
	dissimilar     = 0.80 // under that the texts are different
)

func relate(a, e *features, strongLink func(string) bool) *relation {
	r := &relation{a: a, e: e}
	at, et := a.titles(), e.titles()
	r.titleEq = at.titleK == et.titleK
	r.titleNear = r.titleEq && at.titleK != "" || titleNear(at, et)
	r.titleGrown = !r.titleNear && grown(at.title, et.title)
	r.linkEq = a.link != "" && a.link == e.link
	r.linkStrong = r.linkEq && strongLink(a.link)
	r.pathEq = a.path != "" && a.path == e.path
	if !r.pathEq && a.guidURL != e.guidURL && a.guidURL != "" && e.guidURL != "" {
		p := pathOf(a.guidURL)
		r.pathEq = p != "" && p == pathOf(e.guidURL)
	}
	r.slugEq = !r.pathEq && a.path != "" && e.path != "" && slugOf(a.path) != "" && slugOf(a.path) == slugOf(e.path)
	r.guidURLEq = a.guidURL != "" && a.guidURL == e.guidURL
	r.guidBaseEq = !r.guidURLEq && sameBase(a.guidURL, e.guidURL)
	r.identEq = a.ident != "" && a.ident == e.ident
	r.enclEq = a.encl != "" && a.encl == e.encl
	// The same file on another host is no other file: podcasts move.
	r.enclDiffer = a.encl != "" && e.encl != "" && a.encl != e.encl && (pathOf(a.encl) == "" || pathOf(a.encl) != pathOf(e.encl))
	if a.pub != 0 && e.pub != 0 && (!a.ahead && !e.ahead || a.pub == e.pub) {
		r.dated = true
		r.gap = a.pub - e.pub
		if r.gap < 0 {
			r.gap = -r.gap
		}
		r.sameDay = r.gap == 0
		r.sameTime = r.gap == 0 && !a.coarse
		r.sameClock = r.gap%900 == 0 && r.gap <= 14*3600
		r.oddClock = r.sameClock && a.pub%300 != 0
	}
	return r
}

// undate leaves the dates out of account.
func (r *relation) undate() {
	r.undated = true
	r.dated, r.sameTime, r.sameDay, r.sameClock, r.oddClock, r.gap = false, false, false, false, false, 0
}

// sameBase reports whether two guids that are URLs are equal but for the fragment.
func sameBase(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	x, _, okX := strings.Cut(a, "#")
	y, _, okY := strings.Cut(b, "#")
	return x == y && (okX || okY)
}

// titleNear reports whether two titles of at least three words differ by typing errors only, in at most two places.
func titleNear(a, b *titleFeatures) bool {
	if len(a.title) < 3 || len(b.title) < 3 || a.numbers != b.numbers || len(a.title) != len(b.title) {
		return false
	}
	places := 0
	in := false
	for i := range a.title {
		if a.title[i] == b.title[i] {
			in = false
			continue
		}
		if !typo(a.title[i], b.title[i]) {
			return false
		}
		if !in {
			places++
		}
		in = true
	}
	return places <= 2
}

// grown reports whether the longer word sequence is the shorter one with one or two words before or behind it.
func grown(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if n := len(b) - len(a); len(a) == 0 || n < 1 || n > 2 {
		return false
	}
	return slices.Equal(a, b[:len(a)]) || slices.Equal(a, b[len(b)-len(a):])
}

func (r *relation) texts() *textRelation {
	if r.text == nil {
		r.text = relateTexts(r.a.words(), r.e.words())
		if t := r.linelessTexts(); t != nil {
			r.text = t
		}
	}
	return r.text
}

func relateTexts(a, b *textFeatures) *textRelation {
	t := &textRelation{a: a.words, e: b.words}
	n, m := len(a.words), len(b.words)
	if n == 0 && m == 0 {
		t.equal = a.refs == b.refs
		t.near, t.absent = t.equal, true
		return t
	}
	if n == 0 || m == 0 {
		t.absent = true
		return t
	}
	if a.textH == b.textH {
		t.equal, t.near, t.contained = a.refs == b.refs || n >= minNear, true, true
		t.overlap, t.shape = 1, shape{similarity: 1, containment: 1}
		return t
	}
	t.overlap = overlap(a.words, b.words)
	t.containment = t.overlap
	if t.overlap < minOverlap {
		return t
	}
	t.shape = shapeOf(a.words, b.words)
	least := min(n, m)
	edit := !t.bounded && t.numbers == 0 && float64(t.replaced) <= maxReplaced*float64(least) && t.containment >= minContainment
	t.near = edit && t.similarity >= 0.5 && least >= minNear
	t.contained = edit && least >= minContained
	return t
}

// overlap is the share of the shorter text's words that the longer one has, in any order.
func overlap(a, b []string) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) == 0 {
		return 0
	}
	has := make(map[string]struct{}, len(b))
	for _, w := range b {
		has[w] = struct{}{}
	}
	n := 0
	for _, w := range a {
		if _, ok := has[w]; ok {
			n++
		}
	}
	return float64(n) / float64(len(a))
}

// different reports whether the texts are too far apart to be versions of one.
func (r *relation) different() bool {
	t := r.texts()
	if t.equal || t.near || t.contained || t.absent {
		return false
	}
	if t.containment >= dissimilar && t.overlap < minOverlap {
		// Not aligned yet. In scripts that are split by character two texts share most of their words, in another order.
		t.shape = shapeOf(t.a, t.e)
	}
	return max(t.containment, 0) < dissimilar
}

// titleOverlap is the share of words two titles have in common, of the longer one.
func (r *relation) titleOverlap() float64 {
	a, b := r.a.titles().title, r.e.titles().title
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	return overlap(a, b) * float64(min(len(a), len(b))) / float64(max(len(a), len(b)))
}

var identifier = regexp.MustCompile(`[0-9]{5,}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{12,}`)

// identifierOf returns what in a link looks like a database's identifier: a run of six or more digits that is no date, or
// a hash; the longest. News sites rewrite the slug beside it.
func identifierOf(path string) string {
	best := ""
	if len(path) > 2048 {
		return best
	}
	for _, x := range identifier.FindAllString(path, 8) {
		if len(x) >= 6 && !looksLikeDate(x) && len(x) > len(best) {
			best = x
		}
	}
	return best
}

// looksLikeDate reports whether digits are 20260131 or 202601.
func looksLikeDate(x string) bool {
	return (len(x) == 8 || len(x) == 6) && (strings.HasPrefix(x, "19") || strings.HasPrefix(x, "20"))
}

// samePlace reports whether two links that differ still name the same place: they carry the same identifier, or the guid
// itself, or differ only in the slug beside an identifier (DEDUP 2.10, 4).
func samePlace(a, b, guid string) bool {
	if a == "" || b == "" || len(a) > 2048 || len(b) > 2048 {
		return false
	}
	for _, x := range identifier.FindAllString(a, 8) {
		if looksLikeDate(x) {
			continue
		}
		for _, y := range identifier.FindAllString(b, 8) {
			if x == y {
				return true
			}
		}
	}
	x, y := segments(a), segments(b)
	if len(guid) >= 3 && slices.Contains(x, guid) && slices.Contains(y, guid) {
		return true
	}
	if len(x) != len(y) {
		return false
	}
	differ, id := 0, false
	for i := range x {
		if x[i] != y[i] {
			differ++
		} else if i > 0 && idLike(x[i]) {
			id = true
		}
	}
	return differ == 1 && id
}

// segments splits a canonical link into host and path segments.
func segments(link string) []string {
	return strings.FieldsFunc(strings.TrimPrefix(link, "https://"), func(r rune) bool { return r == '/' || r == '?' || r == '&' || r == '=' })
}

// idLike reports whether a path segment is an identifier: a number that is no year, month or day, or letters and digits
// mixed.
func idLike(s string) bool {
	digits, letters := 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			letters++
		default:
			return false
		}
	}
	if letters == 0 {
		return digits >= 3 && !(digits == 4 && (s[:2] == "19" || s[:2] == "20")) && !looksLikeDate(s)
	}
	return digits > 0 && len(s) >= 5
}

// otherArticle reports whether an item under a known guid is another article: the guid was recycled (DEDUP 2.6, G1, with
// correction 4 of 2.10). Link, title, text and date must all speak for it; what is absent does not speak. A link that
// tells nothing apart does not speak either; then date and title must differ, and text or enclosure.
func (r *relation) otherArticle() bool {
	a, e := r.a, r.e
	if r.linkEq && r.linkStrong || r.pathEq || r.enclEq || r.dated && r.gap == 0 || r.titleNear {
		return false
	}
	if a.link == "" || e.link == "" || r.linkEq {
		return r.dated && a.titles().titleK != "" && e.titles().titleK != "" && r.titleOverlap() < 0.5 &&
			(r.enclDiffer || min(len(a.words().words), len(e.words().words)) >= minNear && r.different())
	}
	if samePlace(a.link, e.link, a.guid) {
		return false
	}
	at, et := a.words(), e.words()
	if at.titleK == "" && et.titleK == "" {
		return r.different()
	}
	if len(at.words) >= minNear && len(et.words) >= minNear {
		return r.different()
	}
	return r.titleOverlap() < 0.5 && (len(at.words) == 0 || len(et.words) == 0 || r.different())
}

// oneArticle reports whether two items under one shared guid are versions of one article: their texts do not differ by
// more than an edit, unless the feed itself dates a modification (Atom updated, RFC 4287 4.1.1), and two of link, title,
// text and enclosure agree, or the one that both have.
func (r *relation) oneArticle() bool {
	agree, have := 0, 0
	count := func(both, same bool) {
		if both {
			have++
			if same {
				agree++
			}
		}
	}
	titled := r.a.titles().titleK != "" && r.e.titles().titleK != ""
	if r.enclDiffer || titled && r.a.titles().numbers != r.e.titles().numbers {
		return false
	}
	count(r.a.link != "" && r.e.link != "", r.linkEq)
	count(titled, r.titleNear)
	count(r.a.encl != "" && r.e.encl != "", r.enclEq)
	if have > 0 && agree == 0 {
		return false // whatever the texts say
	}
	a, e := r.a.item, r.e.item
	at, et := r.a.words(), r.e.words()
	t := r.texts()
	close := t.equal || t.near || t.contained
	both := len(at.words) > 0 && len(et.words) > 0
	switch {
	case both && !close:
		modified := !a.Updated.IsZero() && !e.Updated.IsZero() && !a.Updated.Equal(e.Updated) && a.Published.Equal(e.Published)
		if !modified {
			return false
		}
	case !both && at.refs != et.refs && at.refs != noRefs && et.refs != noRefs:
		return false
	}
	count(both, close)
	return agree >= 2 || have == 1 && agree == 1
}

var noRefs = hashWords(nil)
