package dedup

import "math"

// What stands where something else stood. New articles come at the top of a list, and old ones leave at its end. So an unknown
// item between two neighbours that stay, where an item stood that is gone, took its place: as structure that is more than to
// have come when the other left.

// places notes for every unknown arrival the entry whose place it took: the nearest neighbours that stay are the same above and
// below, and as many items stand between them as did. At the top, where new articles may have come above it, the neighbour below is
// enough. At the end nothing has a place, for there items scroll off.
func (j *Judge) places(present map[EntryID]bool) {
	type gap struct{ above, below EntryID } // 0 is the top
	left := map[gap][]EntryID{}
	var run []EntryID
	var above EntryID
	once := map[EntryID]bool{}
	for i := range j.state.Manifest {
		id := j.state.Manifest[i].Entry
		switch {
		case once[id]:
		case !present[id]:
			run = append(run, id)
		default:
			if len(run) > 0 {
				left[gap{above, id}] = run
			}
			run, above = nil, id
		}
		once[id] = true
	}
	if len(left) == 0 {
		return
	}
	var came []*arrival
	above = 0
	for _, a := range j.arrivals {
		if a.id == 0 {
			came = append(came, a)
			continue
		}
		were := left[gap{above, a.id}]
		if more := len(came) - len(were); more == 0 || more > 0 && above == 0 {
			for i, id := range were {
				came[more+i].replaces, came[more+i].between = id, above != 0
			}
		}
		came, above = came[:0], a.id
	}
}

// A text that says which it is: how many words make a title or a text that a series would hardly repeat. Under these an item with
// a new date that took another's place may be the next of its kind: "Lifts: all open".
const (
	tellingTitle = 4
	tellingText  = 6
)

// editedInPlace reports whether an arrival that took the entry's place is what an edit makes of it: words added to title or text or
// cut off, and typing errors, in a text of any length where nothing else has the title. The next of a series has other words, or
// the same under another date.
func (p *pair) editedInPlace() bool {
	if !p.inPlace || p.dated && !p.sameClock && p.gap > week || p.formAgain() {
		return false
	}
	t, title := p.texts(), p.a.titles()
	least := min(len(t.a), len(t.e))
	if least == 0 {
		return false
	}
	edited := t.near || t.contained || t.added()
	moved := p.dated && !p.sameClock
	short := moved && least < minNear && title.numbers == ""
	switch {
	case title.titleK == "" && p.e.titles().titleK == "":
		return p.uniqueText && t.near
	case p.titleNear && !p.uniqueTitle:
		return !t.equal && (t.near || t.contained) && p.uniqueLead && !p.templated()
	case p.titleNear && short:
		return !t.equal && t.added() && len(title.title) >= tellingTitle && least >= tellingText
	case p.titleNear:
		return edited
	case p.titleGrown && (t.equal || t.near || t.contained):
		return p.uniqueText && least >= minContained || p.uniqueTitle && !moved && p.between
	}
	return false
}

// added reports whether the longer text is the shorter one with words added, but for typing errors in one word and in one of ten.
func (t *textRelation) added() bool {
	s, least := t.shape, min(len(t.a), len(t.e))
	if s.similarity == 0 { // not aligned, as few words are the same: in a short text one typing error is enough for that
		s = shapeOf(t.a, t.e)
	}
	same := int(math.Round(s.containment * float64(least)))
	return !s.bounded && s.replaced == 0 && least-same <= 1+least/10
}
