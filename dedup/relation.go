package dedup

import (
	"regexp"
	"strings"
)

// A relation is what an arrival and an entry have in common. Text is compared only when a rule asks for it.
type relation struct {
	a, e *features

	titleEq, titleNear bool // equal; equal or a typing error apart
	linkEq             bool
	linkStrong         bool // equal, and a link tells items apart in this feed
	pathEq             bool
	slugEq             bool // the last segment of the links is the same, three words or more
	guidURLEq          bool
	enclEq, enclDiffer bool
	dated              bool // both have a date
	gap                int64
	sameTime           bool // equal to the second, and not just a day
	sameDay            bool // equal, though it may be just a day
	sameClock          bool // equal but for the time zone: a multiple of 15 minutes, at most 14 hours

	text *textRelation
}

// textRelation says how two texts relate.
type textRelation struct {
	equal     bool // the same words (and, where words are few, the same links and pictures)
	near      bool // an edit of each other (DEDUP 3.3), on at least minNear words
	contained bool // the same, on at least minContained words
	absent    bool // at least one has no words
	shape
	overlap float64 // share of the words of the shorter that the longer has
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
	at, et := a.words(), e.words()
	r.titleEq = at.titleK == et.titleK
	r.titleNear = r.titleEq && at.titleK != "" || titleNear(at, et)
	r.linkEq = a.link != "" && a.link == e.link
	r.linkStrong = r.linkEq && strongLink(a.link)
	r.pathEq = a.path != "" && a.path == e.path
	if !r.pathEq && a.guidURL != "" && e.guidURL != "" {
		p := pathOf(a.guidURL)
		r.pathEq = p != "" && p == pathOf(e.guidURL)
	}
	r.slugEq = !r.pathEq && a.path != "" && e.path != "" && slugOf(a.path) != "" && slugOf(a.path) == slugOf(e.path)
	r.guidURLEq = a.guidURL != "" && a.guidURL == e.guidURL
	r.enclEq = a.encl != "" && a.encl == e.encl
	r.enclDiffer = a.encl != "" && e.encl != "" && a.encl != e.encl
	if a.pub != 0 && e.pub != 0 {
		r.dated = true
		r.gap = a.pub - e.pub
		if r.gap < 0 {
			r.gap = -r.gap
		}
		r.sameDay = r.gap == 0
		r.sameTime = r.gap == 0 && !a.coarse
		r.sameClock = r.gap%900 == 0 && r.gap <= 14*3600
	}
	return r
}

// titleNear reports whether two titles of at least three words differ by typing errors only, in at most two places.
func titleNear(a, b *textFeatures) bool {
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

func (r *relation) texts() *textRelation {
	if r.text == nil {
		r.text = relateTexts(r.a.words(), r.e.words())
	}
	return r.text
}

func relateTexts(a, b *textFeatures) *textRelation {
	n, m := len(a.words), len(b.words)
	if n == 0 && m == 0 {
		same := a.refs == b.refs
		return &textRelation{equal: same, near: same, absent: true}
	}
	if n == 0 || m == 0 {
		return &textRelation{absent: true}
	}
	if a.textH == b.textH {
		return &textRelation{
			equal: a.refs == b.refs || n >= minNear, near: true, contained: true, overlap: 1,
			shape: shape{similarity: 1, containment: 1},
		}
	}
	t := &textRelation{overlap: overlap(a.words, b.words)}
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
	return max(t.containment, 0) < dissimilar
}

// titleOverlap is the share of words two titles have in common, of the longer one.
func (r *relation) titleOverlap() float64 {
	a, b := r.a.words().title, r.e.words().title
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	return overlap(a, b) * float64(min(len(a), len(b))) / float64(max(len(a), len(b)))
}

var identifier = regexp.MustCompile(`[0-9]{5,}|[0-9a-f]{12,}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// sharesIdentifier reports whether two links carry the same identifier: a run of five or more digits that is no date,
// or a hash. News sites rewrite the slug beside it.
func sharesIdentifier(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	for _, x := range identifier.FindAllString(a, 8) {
		if len(x) == 8 && (strings.HasPrefix(x, "19") || strings.HasPrefix(x, "20")) || len(x) == 6 && strings.HasPrefix(x, "20") {
			continue // 20260131, 202601
		}
		for _, y := range identifier.FindAllString(b, 8) {
			if x == y {
				return true
			}
		}
	}
	return false
}

// otherArticle reports whether an item under a known guid is another article: the guid was recycled (DEDUP 2.6, G1, with
// correction 4 of 2.10). Link, title, text and date must all speak for it; what is absent does not speak.
func (r *relation) otherArticle() bool {
	a, e := r.a, r.e
	if a.link == "" || e.link == "" || r.linkEq || r.pathEq {
		return false
	}
	if r.enclEq || r.dated && r.gap == 0 {
		return false
	}
	if sharesIdentifier(a.link, e.link) {
		return false
	}
	at, et := a.words(), e.words()
	if at.titleK == "" && et.titleK == "" {
		return r.different()
	}
	if r.titleNear {
		return false
	}
	if len(at.words) >= minNear && len(et.words) >= minNear {
		return r.different()
	}
	return r.titleOverlap() < 0.5 && (len(at.words) == 0 || len(et.words) == 0 || r.different())
}

// oneArticle reports whether two items under one shared guid are versions of one article: they must agree in two of
// link, title, text, date and enclosure, or in the one that both have.
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
	at, et := r.a.words(), r.e.words()
	count(r.a.link != "" && r.e.link != "", r.linkEq)
	count(at.titleK != "" && et.titleK != "", r.titleNear)
	t := r.texts()
	count(len(at.words) > 0 && len(et.words) > 0, t.equal || t.near || t.contained)
	count(r.a.encl != "" && r.e.encl != "", r.enclEq)
	return agree >= 2 && !r.enclDiffer || have == 1 && agree == 1
}
