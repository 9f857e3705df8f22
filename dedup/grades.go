package dedup

import (
	"slices"
	"strings"

	"github.com/zeebo/xxh3"
)

// What tells items apart in this feed: measured, never assumed (DEDUP 2.3).

// count takes the multiplicities of the document.
func (j *Judge) count() {
	n := len(j.arrivals)
	j.guidCount = make(map[string]int, n)
	j.linkCount = make(map[string]int, n)
	j.pubCount = make(map[int64]int, n)
	j.pathCount = make(map[string]int, n)
	j.linkMixed = map[string]bool{}
	j.docHosts = map[string]int{}
	j.docEncls = map[string]int{}
	first := make(map[string]*arrival, n)
	for _, a := range j.arrivals {
		if !equalFold(a.f.item.Lang, j.arrivals[0].f.item.Lang) {
			j.languages = true
		}
		if a.f.guid != "" {
			j.guidCount[a.f.guid]++
		}
		if a.f.pub != 0 {
			j.pubCount[a.f.pub]++
		}
		if a.f.path != "" {
			j.pathCount[a.f.path]++
		}
		if a.f.encl != "" {
			j.docEncls[a.f.encl]++
		}
		if l := a.f.link; l != "" {
			j.linkCount[l]++
			if b := first[l]; b == nil {
				first[l] = a
				j.docLinks++
				j.docHosts[hostOf(l)]++
			} else {
				j.linkPairs = append(j.linkPairs, [2]*features{b.f, a.f})
			}
		}
	}
}

// mixedLinks returns the links that stand on several articles of this document. Items are compared when they are first
// asked for, which in an unchanged document never happens.
func (j *Judge) mixedLinks() map[string]bool {
	for _, p := range j.linkPairs {
		if l := p[0].link; !j.linkMixed[l] && !sameButGUID(p[0], p[1]) {
			j.linkMixed[l] = true
		}
	}
	j.linkPairs = nil
	return j.linkMixed
}

// sameButGUID reports whether two items that share a link are one article listed under two guids: title and text the
// same, and published within a minute of each other.
func sameButGUID(a, b *features) bool {
	if d := a.pub - b.pub; (d > 60 || d < -60) && !sameBase(a.guidURL, b.guidURL) {
		return false
	}
	if a.titles().titleK != b.titles().titleK {
		return false
	}
	x, y := a.words(), b.words()
	return x.textH == y.textH && x.refs == y.refs
}

// titleDates counts title and date together, where several arrivals have the date.
func (j *Judge) titleDates() map[titleDate]int {
	if j.titleDate == nil {
		j.titleDate = map[titleDate]int{}
		for _, a := range j.arrivals {
			if j.pubCount[a.f.pub] > 1 {
				if t := a.f.titles().titleK; t != "" {
					j.titleDate[titleDate{t, a.f.pub}]++
				}
			}
		}
	}
	return j.titleDate
}

// sharedGUID reports whether a guid stands, or once stood, on different articles at once.
func (j *Judge) sharedGUID(guid string) bool {
	if j.guidCount[guid] > 1 {
		return true
	}
	_, found := slices.BinarySearch(j.state.SharedGUIDs, xxh3.HashString(guid))
	return found
}

// triples counts guid, link and title together, among arrivals whose guid is shared.
func (j *Judge) triples() map[uint64]int {
	if j.triple == nil {
		j.triple = map[uint64]int{}
		for _, a := range j.arrivals {
			if a.f.guid != "" && j.guidCount[a.f.guid] > 1 {
				j.triple[tripleHash(a.f)]++
			}
		}
	}
	return j.triple
}

func tripleHash(f *features) uint64 { return hashWords([]string{f.guid, f.link, f.titles().titleK}) }

// sharedTriple reports whether several articles have, or once had at once, the same guid, link and title.
func (j *Judge) sharedTriple(f *features) bool {
	h := tripleHash(f)
	if j.triples()[h] > 1 {
		return true
	}
	_, found := slices.BinarySearch(j.state.SharedGUIDs, h)
	return found
}

// minLinks is how many different links prove that a feed's links tell its items apart.
const minLinks = 5

// linkStrong reports whether a link is an identity in this feed: it is no site's root, belongs to the feed's own site,
// is not on several articles, links are rarely shared here, and there are enough of them to say so; in a young feed the
// link must be specific by itself.
func (j *Judge) linkStrong(link string) bool {
	if link == "" || pathOf(link) == "" || j.linkShared(link) {
		return false
	}
	distinct := j.state.Links.Distinct
	hosts, total := j.state.Hosts, 0
	if distinct < j.docLinks {
		distinct, hosts = j.docLinks, j.docHosts
	}
	for _, n := range hosts {
		total += n
	}
	if h := hostOf(link); total >= minLinks && hosts[h]*2 < total && (j.docLinks < minLinks || j.docHosts[h]*2 < j.docLinks) {
		return false // it points away from the feed's own site: it is what the item is about
	}
	shared := max(j.state.Links.Shared, len(j.mixedLinks()))
	if distinct >= minLinks && shared*5 > distinct {
		return false
	}
	return distinct >= minLinks || specific(link)
}

// linkAlone reports whether a link is strong and only one arrival has it: fit to be an identity by itself.
func (j *Judge) linkAlone(link string) bool { return j.linkCount[link] == 1 && j.linkStrong(link) }

// linkShared reports whether several articles have this link.
func (j *Judge) linkShared(link string) bool {
	return j.mixedLinks()[link] || j.known != nil && len(j.known.byLink[link]) > 1
}

// specific reports whether the last segment of a link looks like one article's: a slug of three words or a number of
// three digits.
func specific(link string) bool {
	p := pathOf(link)
	last := p[strings.LastIndexByte(p, '/')+1:]
	return strings.Count(last, "-") >= 2 || strings.Count(last, "_") >= 2 || digitRun(last, 3)
}

func digitRun(s string, n int) bool {
	k := 0
	for i := 0; i < len(s); i++ {
		if s[i] >= '0' && s[i] <= '9' {
			if k++; k >= n {
				return true
			}
		} else {
			k = 0
		}
	}
	return false
}

// enclStrong reports whether an enclosure tells items apart: one entry has it, and the feed has at least five
// different ones that are hardly shared, or the file's name carries a number.
func (j *Judge) enclStrong(encl string) bool {
	if encl == "" || j.docEncls[encl] > 1 || len(j.known.byEncl[encl]) != 1 {
		return false
	}
	distinct := max(j.state.Enclosures.Distinct, len(j.docEncls))
	if distinct >= minLinks && j.state.Enclosures.Shared*5 <= distinct {
		return true
	}
	return digitRun(encl[strings.LastIndexByte(encl, '/')+1:], 3)
}

// skipParam returns a test for the link parameters that this feed taught to ignore; nil where there are none.
func (j *Judge) skipParam() func(string) bool { return skipParam(j.state) }

func skipParam(s *State) func(string) bool {
	if s == nil || len(s.VolatileParams) == 0 {
		return nil
	}
	return func(p string) bool { return slices.Contains(s.VolatileParams, p) }
}
