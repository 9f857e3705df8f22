package dedup

import "slices"

// A line under every item: some of a site's servers add it, or a campaign does, and it goes as it came. It is no part of the
// articles, and texts are compared without it.

// How many other items of a list are looked at for such a line, on how many it must stand, and how many words it has at least.
const (
	linePeers = 12
	lineLeast = 3
	lineWords = 2
)

// linelessTexts compares the texts without the line that stands under every item of the document but not under the entry, or
// under most entries but no item of the document. It returns nil where there is none, or where the texts are no more alike without.
func (r *relation) linelessTexts() *textRelation {
	with := r.text
	if r.list == nil || with.equal || with.absent || with.overlap < 0.5 || !r.titleEq && !r.titleNear {
		return nil
	}
	a, e := r.a.words(), r.e.words()
	if commonEnd(a.words, e.words) > 0 {
		return nil
	}
	items := r.list.itemTexts(r.a)
	if n := lineUnder(a.words, e.words, items, len(items)); n > 0 {
		a = a.first(len(a.words) - n)
	} else {
		entries := r.list.known.entryTexts(r.e)
		n := lineUnder(e.words, a.words, entries, (len(entries)+1)/2)
		if n == 0 || slices.ContainsFunc(items, func(t []string) bool { return commonEnd(t, e.words) >= n }) {
			return nil
		}
		e = e.first(len(e.words) - n)
	}
	without := relateTexts(a, e)
	if !without.closer(with) {
		return nil
	}
	without.lineless = true
	return without
}

// lineUnder returns how many words at the end of a text are such a line: so many of its peers end with them, too. 0 is none.
func lineUnder(text, other []string, peers [][]string, least int) int {
	least = max(least, lineLeast)
	if len(peers) < least {
		return 0
	}
	ends := make([]int, len(peers))
	for i, p := range peers {
		ends[i] = commonEnd(text, p)
	}
	slices.Sort(ends)
	most := min(ends[len(ends)-least], len(text)-1)
	if most < lineWords {
		return 0
	}
	// Form letters have more in common at the end than the line: the line is what stands behind the end of the other text.
	line, before := most, 0
	for n := lineWords; n <= most; n++ {
		if k := commonEnd(text[:len(text)-n], other); k > before {
			line, before = n, k
		}
	}
	return line
}

// commonEnd returns how many words two texts have in common at their ends.
func commonEnd(a, b []string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// itemTexts are texts of other items of the document.
func (j *Judge) itemTexts(f *features) (texts [][]string) {
	for _, b := range j.arrivals {
		if b.f != f && len(b.f.words().words) > 0 {
			if texts = append(texts, b.f.words().words); len(texts) == linePeers {
				break
			}
		}
	}
	return texts
}

// entryTexts are texts of other entries, the newest first.
func (l *lookup) entryTexts(f *features) (texts [][]string) {
	for i := len(l.all) - 1; i >= 0 && len(texts) < linePeers; i-- {
		if c := l.all[i]; c.entry != nil && c.f != f && len(c.f.words().words) > 0 {
			texts = append(texts, c.f.words().words)
		}
	}
	return texts
}

// first returns the features of the first n words of a text.
func (t *textFeatures) first(n int) *textFeatures {
	return &textFeatures{titleFeatures: t.titleFeatures, titled: true, whole: true, words: t.words[:n], textH: hashWords(t.words[:n]), refs: t.refs}
}

// closer reports whether two texts are more alike by t than by o.
func (t *textRelation) closer(o *textRelation) bool {
	switch {
	case t.equal != o.equal:
		return t.equal
	case t.near != o.near:
		return t.near
	case t.contained != o.contained:
		return t.contained
	}
	return t.containment > o.containment
}
