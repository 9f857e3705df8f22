package dedup

import (
	"cmp"
	"slices"
)

// A candidate is a stored entry that an arrival may be, or an entry that this document creates.
type candidate struct {
	id       EntryID
	entry    *Entry // nil for one that this document creates
	f        *features
	arrivals []*arrival // that are this entry; the first one speaks for it
	vanished bool
	order    int // place among candidates, for a fixed order
}

// A lookup is what the store knows, by what it is looked up with.
type lookup struct {
	byID    map[EntryID]*candidate
	byKey   map[Hash]EntryID
	all     []*candidate
	byLink  map[string][]*candidate
	byPath  map[string][]*candidate
	byIdent map[string][]*candidate
	byEncl  map[string][]*candidate
	byGUID  map[string][]*candidate
	byTitle map[string][]*candidate
	byText  map[uint64][]*candidate
	byLead  map[uint64][]*candidate // of those that were looked up for another reason
	split   map[[2]EntryID]bool     // pairs a person said are two
	merged  map[EntryID]bool        // entries a person said are the same as another one
}

func (j *Judge) index(known *Known) *lookup {
	l := &lookup{
		byID: make(map[EntryID]*candidate, len(known.Entries)), byKey: make(map[Hash]EntryID, len(known.Keys)),
		byLink: map[string][]*candidate{}, byPath: map[string][]*candidate{}, byIdent: map[string][]*candidate{}, byEncl: map[string][]*candidate{},
		byGUID: map[string][]*candidate{}, byTitle: map[string][]*candidate{}, byText: map[uint64][]*candidate{}, byLead: map[uint64][]*candidate{},
		split: map[[2]EntryID]bool{}, merged: map[EntryID]bool{},
	}
	for _, k := range known.Keys {
		l.byKey[k.Key.Hash] = k.Entry
	}
	entries := make([]*Entry, len(known.Entries))
	for i := range known.Entries {
		entries[i] = &known.Entries[i]
	}
	slices.SortFunc(entries, func(a, b *Entry) int { return cmp.Compare(a.ID, b.ID) })
	skip := j.skipParam()
	for _, e := range entries {
		if l.byID[e.ID] == nil {
			l.add(&candidate{id: e.ID, entry: e, f: newFeatures(&e.Item, e.FirstSeen, skip)})
		}
	}
	for _, v := range known.Verdicts {
		if v.Same {
			l.merged[v.A], l.merged[v.B] = true, true
		} else {
			l.split[[2]EntryID{min(v.A, v.B), max(v.A, v.B)}] = true
		}
	}
	return l
}

func (l *lookup) add(c *candidate) {
	c.order = len(l.all)
	l.all = append(l.all, c)
	l.byID[c.id] = c
	f := c.f
	if f.link != "" {
		l.byLink[f.link] = append(l.byLink[f.link], c)
	}
	if f.path != "" {
		l.byPath[f.path] = append(l.byPath[f.path], c)
	}
	if p := pathOf(f.guidURL); p != "" && p != f.path {
		l.byPath[p] = append(l.byPath[p], c)
	}
	if f.ident != "" {
		l.byIdent[f.ident] = append(l.byIdent[f.ident], c)
	}
	if f.encl != "" {
		l.byEncl[f.encl] = append(l.byEncl[f.encl], c)
	}
	if f.guidURL != "" {
		l.byGUID[f.guidURL] = append(l.byGUID[f.guidURL], c)
	}
	t := f.words()
	if t.titleK != "" {
		l.byTitle[t.titleK] = append(l.byTitle[t.titleK], c)
	}
	if len(t.words) > 0 {
		l.byText[t.textH] = append(l.byText[t.textH], c)
		if t.leadH != 0 {
			l.byLead[t.leadH] = append(l.byLead[t.leadH], c)
		}
	}
}

// claim gives every arrival whose key is known the entry of that key, unless the key belonged to another article.
func (j *Judge) claim() {
	for _, a := range j.arrivals {
		if a.plain {
			a.id, a.exact = a.row.Entry, true
			a.rule = j.exactRule(a)
			if c := j.known.byID[a.id]; c != nil {
				a.entry = c
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
	r := RuleByID(id)
	return &r
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

// matching is what match found about the document as a whole.
type matching struct {
	reissue   bool
	datesKept bool         // the re-issued items kept their dates
	gone      []*candidate // entries of the last document that are not in this one, by any identity
	vanished  map[EntryID]bool
}

// counts are multiplicities among the arrivals whose identity is unknown.
type counts struct {
	titles, paths, idents map[string]int
	texts, leads          map[uint64]int
}

// match finds the entry of every arrival whose key is unknown: all pairs are judged, the best taken first, so that the
// order of items does not matter.
func (j *Judge) match() *matching {
	m := j.structure()
	var unknown []*arrival
	for _, a := range j.arrivals {
		if a.id == 0 {
			unknown = append(unknown, a)
		}
	}
	if len(unknown) == 0 {
		return m
	}
	n := counts{titles: map[string]int{}, texts: map[uint64]int{}, leads: map[uint64]int{}, paths: map[string]int{}, idents: map[string]int{}}
	for _, a := range unknown {
		t := a.f.words()
		n.titles[t.titleK]++
		n.texts[t.textH]++
		n.leads[t.leadH]++
		n.paths[a.f.path]++
		n.idents[a.f.ident]++
	}
	type proposal struct {
		p    *pair
		a    *arrival
		rule *Rule
		rank int
	}
	var list []proposal
	if j.policy.Identity != IdentityGUID {
		for _, a := range unknown {
			for _, c := range j.candidates(a) {
				p := j.pair(a, c, m, &n)
				if j.split(a, c) {
					continue
				}
				r, rank, suspect := p.match(&j.policy)
				if r != nil {
					list = append(list, proposal{p, a, r, rank})
				} else if suspect != nil {
					a.turned = append(a.turned, Other{c.id, "rule " + string(suspect.ID) + " (" + suspect.Name + ") may only raise suspicion in this feed"})
				} else if len(a.turned) < 5 {
					if why := p.turnedDown(); why != "" {
						a.turned = append(a.turned, Other{c.id, why})
					}
				}
			}
		}
	}
	slices.SortStableFunc(list, func(x, y proposal) int {
		return cmp.Or(cmp.Compare(x.rank, y.rank), cmp.Compare(x.p.gap, y.p.gap), cmp.Compare(x.p.entry.id, y.p.entry.id),
			cmp.Compare(x.a.f.strict.short(), y.a.f.strict.short()))
	})
	for _, pr := range list {
		if pr.a.id != 0 {
			continue
		}
		c := pr.p.entry
		if len(c.arrivals) > 0 && !pr.p.together {
			// Taken meanwhile by a better pair: now they stand together.
			pr.p = j.pair(pr.a, c, m, &n)
			r, _, _ := pr.p.match(&j.policy)
			if r == nil {
				pr.a.turned = append(pr.a.turned, Other{c.id, vetoes[0].Why})
				continue
			}
			pr.rule = r
		}
		pr.a.entry, pr.a.id, pr.a.rule, pr.a.pair = c, c.id, pr.rule, pr.p
		pr.a.primary = len(c.arrivals) == 0
		c.arrivals = append(c.arrivals, pr.a)
	}
	j.newcomers(unknown, m, &n)
	return m
}

// newcomers makes new entries of what is left; items that are one article under two identities become one.
func (j *Judge) newcomers(unknown []*arrival, m *matching, n *counts) {
	next := EntryID(-1)
	byLink := map[string][]*candidate{}
	for _, a := range unknown {
		if a.id != 0 {
			continue
		}
		if j.policy.Identity != IdentityGUID && a.f.link != "" {
			for _, c := range byLink[a.f.link] {
				p := j.pair(a, c, m, n)
				p.together = true
				if r, _, _ := p.match(&j.policy); r != nil {
					a.entry, a.id, a.rule, a.pair = c, c.id, r, p
					c.arrivals = append(c.arrivals, a)
					break
				}
			}
			if a.id != 0 {
				continue
			}
		}
		r := RuleByID("N")
		if a.recycled {
			r = RuleByID("NR")
		}
		c := &candidate{id: next, f: a.f, arrivals: []*arrival{a}}
		next--
		a.entry, a.id, a.rule, a.primary = c, c.id, &r, true
		j.known.byID[c.id] = c
		if a.f.link != "" {
			byLink[a.f.link] = append(byLink[a.f.link], c)
		}
	}
}

// candidates returns the entries that may be a, in a fixed order.
func (j *Judge) candidates(a *arrival) []*candidate {
	l, f, t := j.known, a.f, a.f.words()
	seen := map[*candidate]bool{}
	var out []*candidate
	add := func(cs []*candidate) {
		for _, c := range cs[max(0, len(cs)-MaxPerMark):] {
			if !seen[c] && c.entry != nil {
				seen[c] = true
				out = append(out, c)
			}
		}
	}
	if f.guidURL != "" {
		add(l.byGUID[f.guidURL])
		if p := pathOf(f.guidURL); p != "" {
			add(l.byPath[p])
		}
	}
	if f.link != "" {
		add(l.byLink[f.link])
	}
	if f.path != "" {
		add(l.byPath[f.path])
	}
	if f.ident != "" {
		add(l.byIdent[f.ident])
	}
	if f.encl != "" {
		add(l.byEncl[f.encl])
	}
	if t.titleK != "" {
		add(l.byTitle[t.titleK])
	}
	if len(t.words) > 0 {
		add(l.byText[t.textH])
	}
	// An entry that left as this arrival came may have been edited in its title, too, or retitled under its date.
	for _, c := range l.all {
		if c.vanished && !seen[c] && c.entry != nil && (f.pub != 0 && f.pub == c.f.pub || t.leadH != 0 && t.leadH == c.f.words().leadH || titleNear(t, c.f.words())) {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(x, y *candidate) int { return cmp.Compare(x.id, y.id) })
	return out
}

func (j *Judge) pair(a *arrival, c *candidate, m *matching, n *counts) *pair {
	is := c.f
	if len(c.arrivals) > 0 {
		is = c.arrivals[0].f // as it now stands in the document
	}
	p := &pair{relation: j.relate(a.f, is), entry: c, together: len(c.arrivals) > 0, vanished: c.vanished, reissue: m.reissue, datesKept: m.datesKept}
	t, l := a.f.words(), j.known
	p.uniqueText = n.texts[t.textH] == 1 && others1(l.byText[t.textH], c)
	if t.titleK != "" {
		p.uniqueTitle = n.titles[t.titleK] == 1 && others1(l.byTitle[t.titleK], c) && others1(l.byTitle[c.f.words().titleK], c)
	} else {
		p.uniqueTitle = p.uniqueText
	}
	p.uniqueLead = t.leadH != 0 && t.leadH == c.f.words().leadH && n.leads[t.leadH] == 1 && others1(l.byLead[t.leadH], c)
	p.uniqueTime = p.dated && j.pubCount[a.f.pub] == 1
	p.uniqueBoth = true
	for _, o := range l.byTitle[t.titleK] {
		if o != c && o.f.pub == a.f.pub {
			p.uniqueBoth = false
		}
	}
	if j.titleDates()[titleDate{t.titleK, a.f.pub}] > 1 {
		p.uniqueBoth = false
	}
	p.enclStrong = p.enclEq && j.enclStrong(a.f.encl)
	p.languages = j.languages
	p.linkShared = j.linkShared(a.f.link)
	p.linkAlone = j.state.Links.Shared == 0 && len(j.linkMixed) == 0 && max(j.state.Links.Distinct, j.docLinks) >= minLinks
	p.guidWeak = a.f.guid == "" || j.guidsWeak() || j.sharedGUID(a.f.guid)
	p.uniqueIdent = p.identEq && n.idents[a.f.ident] == 1 && others1(l.byIdent[a.f.ident], c)
	if p.pathEq {
		p.pathUnique = n.paths[a.f.path] <= 1 && others1(l.byPath[a.f.path], c) && others1(l.byPath[c.f.path], c)
	}
	return p
}

// others1 reports whether no other entry than c is in the list.
func others1(list []*candidate, c *candidate) bool {
	for _, o := range list {
		if o != c {
			return false
		}
	}
	return true
}

// split reports whether a person said that the arrival's entry and c are two articles.
func (j *Judge) split(a *arrival, c *candidate) bool {
	for _, k := range a.keys {
		if id, ok := j.known.byKey[k.Hash]; ok && id != c.id && j.known.split[[2]EntryID{min(id, c.id), max(id, c.id)}] {
			return true
		}
	}
	return false
}

// turnedDown says why an entry that has much in common with the arrival is not taken for it; "" where little is.
func (p *pair) turnedDown() string {
	alike := 0
	for _, b := range [...]bool{p.linkEq || p.pathEq, p.titleNear, p.sameTime, p.enclEq, p.a.words().textH == p.e.words().textH && len(p.a.words().words) >= minContained} {
		if b {
			alike++
		}
	}
	if alike < 2 && !(p.titleNear && p.texts().near) {
		return ""
	}
	for i := range vetoes {
		if vetoes[i].hold(p) {
			return vetoes[i].Why
		}
	}
	switch {
	case p.linkEq && !p.linkStrong:
		return "the link is no evidence: several articles have it, or it points to the front page or elsewhere"
	case !p.vanished && !p.sameDay:
		return "the older one may just have scrolled off the list, and the dates differ"
	case !p.uniqueTitle:
		return "several articles have this title"
	}
	return "the evidence is not enough"
}
