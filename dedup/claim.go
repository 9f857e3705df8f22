package dedup

import (
	"cmp"
	"slices"
)

// claim gives every arrival whose key is known the entry of that key, unless the key belonged to another article.
func (j *Judge) claim() {
	for _, a := range j.arrivals {
		if a.plain {
			a.id, a.exact = a.row.Entry, true
			a.rule = j.exactRule(a)
			if c := j.known.byID[a.id]; c != nil {
				a.entry = c
				a.f.share(c.f)
			}
			continue
		}
		for _, k := range a.keys {
			if j.tryKey(a, k) {
				break
			}
		}
		if a.entry == nil && !a.recycled && a.f.guid != "" && !a.keys[0].isGUID() && !j.guidsWeak() {
			// The guid is shared now, but was one article's before: it stays with what agrees.
			c := j.known.byID[j.known.byKey[newKey(KeyGUID, a.f.guid).Hash]]
			if c != nil && j.relate(a.f, c.f).oneArticle() {
				a.take(c, j.exactRule(a))
			}
		}
	}
	// What claims an entry: the item that the last document had comes first, then the newer, then the earlier.
	for _, a := range j.arrivals {
		if a.id != 0 {
			c := j.candidateOf(a)
			c.arrivals = append(c.arrivals, a)
		}
	}
	for _, c := range j.known.all {
		if len(c.arrivals) == 0 {
			continue
		}
		slices.SortStableFunc(c.arrivals, func(a, b *arrival) int {
			if a.plain != b.plain {
				return boolFirst(a.plain, b.plain)
			}
			if a.f.pub != b.f.pub {
				return cmp.Compare(b.f.pub, a.f.pub)
			}
			return cmp.Compare(a.f.strict.short(), b.f.strict.short())
		})
		c.arrivals[0].primary = true
		// Two items at once under identities that were folded into one entry, and now plainly different articles:
		// the one that the entry is not becomes unknown, so that it is not lost.
		keep := c.arrivals[:1]
		for _, a := range c.arrivals[1:] {
			if !a.plain && !j.known.merged[c.id] && j.relate(a.f, c.arrivals[0].f).otherArticle() {
				a.entry, a.id, a.rule, a.exact, a.recycled = nil, 0, nil, false, true
				continue
			}
			keep = append(keep, a)
		}
		c.arrivals = keep
		// An edit is not lost because another identity of the article stands there as it was.
		if i := slices.IndexFunc(keep, (*arrival).edited); i > 0 && keep[0].plain {
			keep[0].primary, keep[i].primary = false, true
			keep[0], keep[i] = keep[i], keep[0]
		}
	}
}

// edited reports whether the last document had the item, under this identity, with another content.
func (a *arrival) edited() bool {
	return !a.plain && a.row != nil && a.row.Strict != a.f.strict.short()
}

// relate compares an arrival with an entry, by what is evidence in this feed.
func (j *Judge) relate(a, e *features) *relation {
	r := relate(a, e, j.linkStrong)
	if j.state.DatesVolatile {
		r.undate()
	}
	return r
}

func boolFirst(a, b bool) int {
	if a == b {
		return 0
	}
	if a {
		return -1
	}
	return 1
}

// candidateOf returns the candidate of an arrival whose entry is known; it makes one where the store was not asked.
func (j *Judge) candidateOf(a *arrival) *candidate {
	if a.entry != nil {
		return a.entry
	}
	if c := j.known.byID[a.id]; c != nil {
		a.entry = c
		return c
	}
	// Not looked up because nothing about it is in question: only that it is present counts.
	c := &candidate{id: a.id, f: a.f, order: len(j.known.all)}
	j.known.all = append(j.known.all, c)
	j.known.byID[c.id] = c
	a.entry = c
	return c
}

func (a *arrival) take(c *candidate, r *Rule) {
	a.entry, a.id, a.rule, a.exact = c, c.id, r, true
}

func (j *Judge) exactRule(a *arrival) *Rule {
	id := RuleID("K")
	if a.f.guid != "" && !j.guidsWeak() {
		id = "G2"
	}
	return ruleByID(id)
}

// tryKey gives a the entry that has key k. It reports whether the search is over.
func (j *Judge) tryKey(a *arrival, k Key) bool {
	id, ok := j.known.byKey[k.Hash]
	if !ok {
		return false
	}
	c := j.known.byID[id]
	if c == nil {
		return false
	}
	r := j.relate(a.f, c.f)
	if c.entry != nil && c.entry.Purged {
		a.take(c, j.exactRule(a))
		return true
	}
	switch k.Kind {
	case KeyGUID:
		if r.otherArticle() && !j.known.merged[c.id] {
			a.recycled = true
			a.turned = append(a.turned, Other{c.id, "had the guid, but link, title, text and date are all different"})
			return true
		}
	case KeyLink:
		// A link that could be a page whose content is replaced, "/latest", is not believed against all the rest.
		if !specific(a.f.link) && r.dated && r.gap > 0 && !r.titleNear && r.titleOverlap() < 0.5 && r.different() {
			a.turned = append(a.turned, Other{c.id, "had the link, but title, text and date are all different, and the link may be a page that is rewritten"})
			return false
		}
	case KeyTitleDate, KeyTitleDateText:
		// The synthesised identity is checked: another text and another link, or just a day for a date.
		if (!r.linkEq || a.f.coarse) && r.different() {
			return false
		}
	case KeyLinkTitleDate:
		if a.f.coarse && !r.linkStrong && r.different() {
			return false
		}
	}
	a.take(c, j.exactRule(a))
	return true
}
