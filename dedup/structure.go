package dedup

// structure looks at what left the document: what vanished from above its end did not scroll off but was replaced, and
// where most of the list was replaced by its own double, the publisher sent it anew.
func (j *Judge) structure() *matching {
	m := &matching{vanished: map[EntryID]bool{}}
	if j.doc.Partial || len(j.arrivals) == 0 {
		return m
	}
	rows := j.state.Manifest
	present := map[EntryID]bool{}
	for _, a := range j.arrivals {
		if a.id != 0 {
			present[a.id] = true
		}
	}
	unknown := 0
	for _, a := range j.arrivals {
		if a.id == 0 {
			unknown++
		}
	}
	var gone []int
	stay := 0
	once := map[EntryID]bool{}
	for i := range rows {
		if once[rows[i].Entry] {
			continue
		}
		once[rows[i].Entry] = true
		if present[rows[i].Entry] {
			stay++
		} else {
			gone = append(gone, i)
		}
	}
	for _, i := range gone {
		if c := j.known.byID[rows[i].Entry]; c != nil {
			m.gone = append(m.gone, c)
		}
	}
	if len(once) >= 5 && stay*5 < len(once) && unknown >= 5 {
		m.reissue, m.datesKept = j.pairsUp(m.gone, unknown)
	}
	if len(gone) > 0 && unknown > 0 {
		j.places(present)
	}
	if m.reissue {
		j.note("the publisher sent the whole list anew under other identities")
	}
	// v items are gone: as many at the bottom, by position and by date, would have scrolled off, with some slack.
	v := len(gone)
	slack := v + 1 + v/4
	for _, i := range gone {
		c := j.known.byID[rows[i].Entry]
		below, older := len(rows)-1-i, 0
		for k := range rows {
			if rows[k].Published != 0 && rows[k].Published < rows[i].Published {
				older++
			}
		}
		if m.reissue || below >= slack && (rows[i].Published == 0 || older >= slack) {
			m.vanished[rows[i].Entry] = true
			if c != nil {
				c.vanished = true
			}
		}
	}
	for _, g := range j.state.Gone {
		if c := j.known.byID[g.Entry]; c != nil && !present[g.Entry] && j.state.Documents-g.Document <= goneDocuments {
			c.vanished = true
		}
	}
	return m
}

// goneDocuments is for how many changed documents an item that vanished may still be what a new item replaces.
const goneDocuments = 3

// pairsUp reports whether most of the items that are gone pair one to one with unknown ones: at least five, and at least
// half. That nothing of the last document is left proves no more than that the feed is busy (DEDUP 2.10, 2), and busy
// feeds use the same headlines over and over: only a title or text that stands once in both documents pairs, and the
// dates must not speak against it. They agree for most pairs where a list moved; where the move re-dated all of it, they
// are missing, the same for many, or all of the last minutes.
func (j *Judge) pairsUp(gone []*candidate, unknown int) (reissue, datesKept bool) {
	titles, texts, leads, dates := map[string][]*features{}, map[uint64][]*features{}, map[uint64][]*features{}, map[int64][]*features{}
	note := func(f *features) {
		t := f.words()
		if t.titleK != "" {
			titles[t.titleK] = append(titles[t.titleK], f)
		}
		if len(t.words) >= minContained {
			texts[t.textH] = append(texts[t.textH], f)
			leads[t.leadH] = append(leads[t.leadH], f)
		}
		if f.pub != 0 && !f.coarse {
			dates[f.pub] = append(dates[f.pub], f)
		}
	}
	old := map[*features]bool{}
	for _, c := range gone {
		old[c.f] = true
		note(c.f)
	}
	for _, a := range j.arrivals {
		if a.id == 0 {
			note(a.f)
		}
	}
	// partner is the other one of two, if one is old.
	partner := func(f *features, both []*features) *features {
		if len(both) != 2 {
			return nil
		}
		for _, o := range both {
			if o != f && old[o] {
				return o
			}
		}
		return nil
	}
	pairs, agree, undated := 0, 0, 0
	var fresh []int64
	for _, a := range j.arrivals {
		if a.id != 0 {
			continue
		}
		t := a.f.words()
		o := partner(a.f, titles[t.titleK])
		if o == nil && len(t.words) >= minContained {
			if o = partner(a.f, texts[t.textH]); o == nil {
				o = partner(a.f, leads[t.leadH])
			}
		}
		if o == nil && !a.f.coarse {
			o = partner(a.f, dates[a.f.pub])
		}
		if o == nil {
			continue
		}
		pairs++
		gap := a.f.pub - o.pub
		switch {
		case a.f.pub == 0 || o.pub == 0:
			undated++
		case gap%900 == 0 && gap <= 14*3600 && gap >= -14*3600:
			agree++
		default:
			fresh = append(fresh, a.f.pub)
		}
	}
	if pairs < 5 || pairs*2 < min(len(gone), unknown) {
		return false, false
	}
	return (agree+undated)*2 >= pairs || redated(fresh, j.doc.Fetched.Unix()), agree*2 >= pairs
}

// redated reports whether dates look as if they had been given to a list all at once: half of them are the same as
// another one, or all are of the last minutes.
func redated(dates []int64, now int64) bool {
	distinct := map[int64]bool{}
	recent := true
	for _, d := range dates {
		distinct[d] = true
		recent = recent && now-d < 10*60 && d-now < 10*60
	}
	return len(distinct)*2 <= len(dates) || recent
}

func (j *Judge) note(s string) { j.notes = append(j.notes, s) }
