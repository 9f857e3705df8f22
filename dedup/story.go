package dedup

import (
	"cmp"
	"encoding/binary"
	"slices"
	"time"

	"github.com/zeebo/xxh3"

	"feedonce/internal/urls"
)

// Stories: the same article in several feeds (DEDUP 2.4). A story is a view: every article stays in its feed, counted and
// readable there; readers see one, and are told once.
//
// Feeds are strangers to each other. What decides within a feed - a guid, a link, a title - proves nothing between two,
// because anybody can copy it: a hostile feed must not be able to keep another feed's article from being told. So an
// article joins another publisher's story only if its text is the same, in which case nothing is lost; feeds of one
// publisher are trusted with links and guids.

// A StoryItem is an article as a candidate for a story.
type StoryItem struct {
	Entry EntryID   `json:"entry"`
	Feed  int64     `json:"feed"`
	Site  string    `json:"site,omitempty"` // the feed's site, or its URL
	Item  Item      `json:"item"`
	Seen  time.Time `json:"seen"` // when it was first seen
	// Group and Apart are of the feed's policy.
	Group string   `json:"group,omitempty"`
	Apart []string `json:"apart,omitempty"`
	// Story is the story it is in; 0 is none. Members is how many articles that has, Feeds whose.
	Story int64   `json:"story,omitempty"`
	Feeds []int64 `json:"feeds,omitempty"`
}

// A StoryMatch says which story an article joins.
type StoryMatch struct {
	With StoryItem // the article it joins
	Rule RuleID
	// About says that the article only points to the other one: it is shown beside it and told by itself.
	About    bool
	Evidence Evidence
}

// Bounds of stories.
const (
	storyWindow  = 7 * 24 * time.Hour  // between two articles of one story
	storyMembers = 40                  // a story that large is a phrase everybody uses
	storyWords   = 50                  // of texts that are compared without a common link
	storyTitle   = 4                   // words of titles that are compared
	sketchSize   = 8                   // smallest hashes of word 3-shingles (DEDUP 3.4)
	SketchShared = 2                   // of these must be shared to be a candidate
	SketchStop   = 50                  // a hash that more entries have is a phrase, no evidence
	StoryKeep    = 30 * 24 * time.Hour // how long marks of stories need to be kept
)

// StoryMarks are what an article is found by across feeds: exact ones, of which one suffices (link, title), and a sketch
// of its text, of which SketchShared must be shared.
func StoryMarks(it *Item) (exact, sketch []Mark) {
	f := keptFeatures(it, time.Time{}, nil)
	if f.link != "" && f.path != "" {
		exact = append(exact, mark('L', f.link))
	}
	t := f.words()
	if len(t.title) >= storyTitle {
		exact = append(exact, mark('T', t.titleK))
	}
	if g := f.guidURL; g != "" && pathOf(g) != "" && g != f.link {
		exact = append(exact, mark('L', g))
	}
	return exact, sketchOf(t.words)
}

func sketchOf(w []string) []Mark {
	if len(w) < minNear {
		return nil
	}
	hashes := make([]uint64, 0, len(w))
	var h xxh3.Hasher
	for i := 0; i+3 <= len(w); i++ {
		h.Reset()
		for _, x := range w[i : i+3] {
			h.WriteString(x)
			h.WriteString("\x00")
		}
		hashes = append(hashes, h.Sum64())
	}
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	out := make([]Mark, 0, sketchSize)
	for _, x := range hashes[:min(sketchSize, len(hashes))] {
		out = append(out, mark('S', string(binary.BigEndian.AppendUint64(nil, x))))
	}
	return out
}

// storyRules are the ways to join a story, best first.
var storyRules = []Rule{
	{ID: "S1", Name: "same publisher", Sentence: "Two feeds of one publisher carry the same link or guid."},
	{ID: "S2", Name: "same link and text", Sentence: "Two feeds link to the same page, and the text is the same or an edit of it."},
	{ID: "S3", Name: "same title and text", Sentence: "Title and text are the same in another feed, or edits of each other, within a week."},
	{ID: "S4", Name: "about it", Sentence: "It links to the page of the other article, with words of its own: it is shown beside it, and told by itself."},
}

// Story decides which story a new article joins, among articles of other feeds that share marks with it. ok is false
// where it joins none. The order of others does not matter.
func Story(a StoryItem, others []StoryItem) (m StoryMatch, ok bool) {
	best := len(storyRules)
	f := keptFeatures(&a.Item, a.Seen, nil)
	others = slices.Clone(others)
	slices.SortFunc(others, func(x, y StoryItem) int { return cmp.Compare(x.Entry, y.Entry) })
	for _, o := range others {
		if o.Feed == a.Feed || apart(a, o) || len(o.Feeds) >= storyMembers || slices.Contains(o.Feeds, a.Feed) {
			continue
		}
		if d := a.Seen.Sub(o.Seen); d > storyWindow || d < -storyWindow {
			continue
		}
		r := relate(f, keptFeatures(&o.Item, o.Seen, nil), specific)
		rank := storyRank(a, o, r)
		if rank < best {
			best, ok = rank, true
			p := &pair{relation: r}
			m = StoryMatch{With: o, Rule: storyRules[rank].ID, About: storyRules[rank].ID == "S4", Evidence: Evidence{Facts: p.facts()}}
		}
	}
	return m, ok
}

// storyRank returns the index of the first rule that holds, or len(storyRules).
func storyRank(a, o StoryItem, r *relation) int {
	none := len(storyRules)
	if x, y := a.Item.Lang, o.Item.Lang; x != "" && y != "" && !equalFold(baseLang(x), baseLang(y)) || r.enclDiffer {
		return none
	}
	if r.dated && r.gap > int64(storyWindow/time.Second) {
		return none
	}
	page := r.linkEq && r.a.path != "" || r.guidURLEq && pathOf(r.a.guidURL) != ""
	t := r.texts()
	own := func(s StoryItem) bool { return urls.Host(s.Site) != "" && urls.Host(s.Site) == urls.Host(s.Item.URL) }
	switch {
	case page && samePublisher(a, o) && (own(a) && own(o) || a.Group != "" && a.Group == o.Group):
		return 0
	case page && (t.equal && !t.absent && len(r.a.words().words) >= minContained || t.near): // an excerpt is not the article
		return 1
	case r.titleNear && len(r.a.words().title) >= storyTitle && min(len(r.a.words().words), len(r.e.words().words)) >= storyWords && t.near:
		return 2
	case page:
		return 3
	}
	return none
}

// samePublisher reports whether two feeds are of one publisher: their sites have the same registrable domain, or a person
// put them into one group.
func samePublisher(a, o StoryItem) bool {
	if a.Group != "" && a.Group == o.Group {
		return true
	}
	h := urls.Host(a.Site)
	return h != "" && h == urls.Host(o.Site)
}

// apart reports whether a person said that two feeds never share a story.
func apart(a, o StoryItem) bool {
	return o.Group != "" && slices.Contains(a.Apart, o.Group) || a.Group != "" && slices.Contains(o.Apart, a.Group)
}

// Lead says which article of a story is shown first.
type Lead string

const (
	LeadFirst   Lead = "first"   // the one that came first (default)
	LeadLongest Lead = "longest" // the one with the longest text
)

// ChooseLead returns the index of the article that leads a story: of the preferred feed if it has one in it, else as lead
// says; ties go to the one that came first.
func ChooseLead(members []StoryItem, lead Lead, preferred func(feed int64) bool) int {
	best := 0
	better := func(x, y StoryItem) bool {
		if preferred != nil {
			if p, q := preferred(x.Feed), preferred(y.Feed); p != q {
				return p
			}
		}
		if lead == LeadLongest {
			if n, m := len(x.Item.Content)+len(x.Item.Summary), len(y.Item.Content)+len(y.Item.Summary); n != m {
				return n > m
			}
		}
		return x.Entry < y.Entry
	}
	for i := range members {
		if better(members[i], members[best]) {
			best = i
		}
	}
	return best
}
