package dedup

import (
	"fmt"
	"time"
)

// facts says what was compared between an arrival and its entry, with values and thresholds.
func (p *pair) facts() []Fact {
	a, e := p.a, p.e
	at, et := a.words(), e.words()
	var out []Fact
	add := func(name, is, have, want string) {
		out = append(out, Fact{Name: name, Is: is, Have: cut(have, 300), Want: cut(want, 300)})
	}
	switch {
	case a.guid == "" && e.guid == "":
		add("guid", "absent", "", "")
	case a.guid == e.guid:
		add("guid", "equal", a.guid, "")
	case p.guidURLEq:
		add("guid", "equal but for spelling", a.guid, e.guid)
	default:
		add("guid", "differs", a.guid, e.guid)
	}
	switch {
	case a.link == "" && e.link == "":
	case p.linkStrong:
		add("link", "equal", a.link, "tells items apart in this feed")
	case p.linkEq:
		add("link", "equal, but weak", a.link, "shared, a front page, or on another site")
	case p.pathEq:
		add("link", "same path on another host", a.link, e.link)
	default:
		add("link", "differs", a.link, e.link)
	}
	switch {
	case at.titleK == "" && et.titleK == "":
	case p.titleEq:
		add("title", "equal", at.titleK, "")
	case p.titleNear:
		add("title", "a typing error apart", at.titleK, et.titleK)
	default:
		add("title", "differs", at.titleK, et.titleK)
	}
	t := p.texts()
	switch {
	case t.absent:
		add("text", "absent", "", "")
	case t.equal && t.lineless:
		add("text", "equal but for a line under every item", fmt.Sprintf("%d words", len(t.a)), "")
	case t.equal:
		add("text", "equal", fmt.Sprintf("%d words", len(at.words)), "")
	case t.near || t.contained:
		add("text", "an edit", fmt.Sprintf("%.0f %% of the shorter text's words in order, %d replaced", 100*t.containment, t.replaced),
			fmt.Sprintf("at least %.0f %%, at most %.0f %% replaced, no number changed", 100*minContainment, 100*maxReplaced))
	default:
		add("text", "differs", fmt.Sprintf("%.0f %% of the shorter text's words", 100*max(t.containment, 0)), fmt.Sprintf("at least %.0f %%", 100*minContainment))
	}
	switch {
	case !p.dated:
		add("published", "absent", "", "")
	case p.gap == 0 && p.sameTime:
		add("published", "equal to the second", time.Unix(a.pub, 0).UTC().Format(time.RFC3339), "")
	case p.gap == 0:
		add("published", "the same day", time.Unix(a.pub, 0).UTC().Format(time.DateOnly), "")
	default:
		add("published", "differs by "+(time.Duration(p.gap)*time.Second).String(), time.Unix(a.pub, 0).UTC().Format(time.RFC3339), time.Unix(e.pub, 0).UTC().Format(time.RFC3339))
	}
	if p.enclEq {
		add("enclosure", "equal", a.encl, "")
	} else if p.enclDiffer {
		add("enclosure", "differs", a.encl, e.encl)
	}
	switch {
	case p.reissue:
		add("structure", "the whole list was sent anew", "", "")
	case p.inPlace:
		add("structure", "it stands where the old item stood", "", "")
	case p.vanished:
		add("structure", "the old item left the feed as this one came", "", "")
	case p.together:
		add("structure", "both stand in the document at once", "", "")
	}
	return out
}
