package dedup

import (
	"cmp"
	"slices"
)

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

// match finds the entry of every arrival whose key is unknown: all pairs are judged, the best taken first, so that it does
// not matter which arrival is looked at first.
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
		j.known.texts()
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
		r := ruleByID("N")
		if a.recycled {
			r = ruleByID("NR")
		}
		c := &candidate{id: next, f: a.f, arrivals: []*arrival{a}}
		next--
		a.entry, a.id, a.rule, a.primary = c, c.id, r, true
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
	// An entry that left as this arrival came may have been edited in its title, too, or retitled under its date; what stood in
	// its place is looked at whatever it says.
	for _, c := range l.all {
		if seen[c] || c.entry == nil {
			continue
		}
		if c.id == a.replaces || c.vanished && (f.pub != 0 && f.pub == c.f.pub || t.leadH != 0 && t.leadH == c.f.words().leadH || titleNear(&t.titleFeatures, c.f.titles())) {
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
	p.list = j
	p.inPlace = c.id == a.replaces
	p.between = p.inPlace && a.between
	t, l := a.f.words(), j.known
	p.uniqueText = n.texts[t.textH] == 1 && others1(l.byText[t.textH], c)
	if t.titleK != "" {
		p.uniqueTitle = n.titles[t.titleK] == 1 && others1(l.byTitle[t.titleK], c) && others1(l.byTitle[c.f.titles().titleK], c)
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
	p.shifted = p.dated && p.sameClock && p.gap != 0 && j.dateShifts()[a.f.pub-is.pub] > 1
	p.templated = func() bool { return j.templated(a) }
	p.enclStrong = p.enclEq && j.enclStrong(a.f.encl)
	p.languages = j.languages
	p.linkShared = j.linkShared(a.f.link)
	p.linkAlone = j.state.Links.Shared == 0 && len(j.mixedLinks()) == 0 && max(j.state.Links.Distinct, j.docLinks) >= minLinks
	p.guidWeak = a.f.guid == "" || j.guidsWeak() || j.sharedGUID(a.f.guid)
	p.uniqueIdent = p.identEq && n.idents[a.f.ident] == 1 && others1(l.byIdent[a.f.ident], c)
	if p.pathEq {
		p.pathUnique = n.paths[a.f.path] <= 1 && others1(l.byPath[a.f.path], c) && others1(l.byPath[c.f.path], c)
	}
	return p
}

// dateShifts counts by how much the dates of the document's items differ from those of entries with the same title, where
// that may be a time zone: one that many share is the server's doing, one alone may be chance.
func (j *Judge) dateShifts() map[int64]int {
	if j.shifts != nil {
		return j.shifts
	}
	j.shifts = map[int64]int{}
	for _, a := range j.arrivals {
		if a.plain || a.f.pub == 0 {
			continue
		}
		seen := map[int64]bool{}
		for _, c := range j.known.byTitle[a.f.words().titleK] {
			if gap := a.f.pub - c.f.pub; c.f.pub != 0 && gap != 0 && gap%900 == 0 && !seen[gap] {
				seen[gap] = true
				j.shifts[gap]++
			}
		}
	}
	return j.shifts
}

// templated reports whether another item of the document has nearly all words of the arrival's text: advertisements,
// advisories, alerts.
func (j *Judge) templated(a *arrival) bool {
	const peers = 12 // looked at: a form letter shows in the first of them
	n := 0
	for _, b := range j.arrivals {
		if b == a || len(b.f.words().words) == 0 {
			continue
		}
		if overlap(a.f.words().words, b.f.words().words) >= minContainment {
			return true
		}
		if n++; n == peers {
			break
		}
	}
	return false
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
