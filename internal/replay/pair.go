package replay

import (
	"slices"

	"feedonce/dedup"
	"feedonce/internal/evolve"
)

// overlapping are pairs of feeds that carry the same articles: one blog in two formats, and two tags of another.
var overlapping = [][2]string{
	{"facebook+jest@atom", "facebook+jest@rss"},
	{"pydanny+pydanny.github.com@book", "pydanny+pydanny.github.com@python"},
}

// A PairScore says what a reader of two feeds with the same articles is told.
type PairScore struct {
	A, B     string
	Mode     Mode
	Items    int // in all versions of both
	True     int // articles, of both feeds together
	Both     int // of these, seen in both
	Entries  int // made in the two feeds
	Stories  int // that these make; an entry that joins none is a story by itself
	Apart    int // stories beyond the first of an article
	Mixed    int // entries in a story of another article
	Told     int // times that people were told
	Again    int // of these, times that they were told of an article again
	Silenced int // articles that nobody was told of only because they joined the story of another
	GUIDOnly int // times people would be told again by a reader that goes by the guid, feed by feed
}

// Together replays two histories at once, as two subscriptions of one reader: each feed decides by itself, and every new
// article is then looked up among the other feed's, as the store does it, and joins the story that dedup.Story says.
// Nobody is told of an article that joins a story, or stands in the first document of its feed.
func Together(a, b *History, mode Mode) PairScore {
	sc := PairScore{A: a.Name, B: b.Name, Mode: mode}
	common := union(a.Truth, b.Truth)
	arts := [2]map[string]bool{{}, {}}
	stories := newShelf()
	told, silent := map[string]int{}, map[string]bool{}
	storyOf := map[int64]string{} // story -> the article of its first member
	has := map[string]map[int64]bool{}
	engine := evolve.NewProduct()
	sc.GUIDOnly = again(a, b, mode, common, evolve.NewGUIDOnly())
	for _, v := range merged(a, b, mode) {
		h := [2]*History{a, b}[v.feed]
		for k, ans := range engine.Document(v.feed, v.Doc) {
			it := &v.Doc.Items[k]
			art := common.name(v.feed, h.Truth, it, v.Dates[k])
			arts[v.feed][art] = true
			sc.Items++
			if ans.Outcome != dedup.New {
				continue
			}
			sc.Entries++
			story, joined := stories.add(dedup.StoryItem{Feed: int64(v.feed + 1), Site: v.Doc.Site, Item: *it, Seen: v.Doc.Fetched})
			if !joined {
				sc.Stories++
				storyOf[story] = art
			}
			if storyOf[story] != art {
				sc.Mixed++
			}
			if has[art] == nil {
				has[art] = map[int64]bool{}
			}
			has[art][story] = true
			switch {
			case !ans.Tell: // quiet for a reason of its own feed
			case joined && storyOf[story] != art:
				silent[art] = true
			case !joined:
				told[art]++
				sc.Told++
			}
		}
	}
	for art, n := range told {
		sc.Again += n - 1
		delete(silent, art)
	}
	sc.Silenced = len(silent)
	for _, s := range has {
		sc.Apart += len(s) - 1
	}
	sc.True = len(arts[0])
	for art := range arts[1] {
		if arts[0][art] {
			sc.Both++
		} else {
			sc.True++
		}
	}
	return sc
}

// again counts how often a strategy that knows no stories tells of an article again.
func again(a, b *History, mode Mode, common *unionOf, s evolve.Strategy) (n int) {
	told := map[string]bool{}
	var started [2]bool
	for _, v := range merged(a, b, mode) {
		h := [2]*History{a, b}[v.feed]
		for k, ans := range s.Document(v.feed, v.Doc) {
			if ans.Outcome != dedup.New || !started[v.feed] {
				continue
			}
			art := common.name(v.feed, h.Truth, &v.Doc.Items[k], v.Dates[k])
			if told[art] {
				n++
			}
			told[art] = true
		}
		started[v.feed] = true
	}
	return n
}

// fetched is a version of one of two feeds.
type fetched struct {
	*Version
	feed int // 0 or 1
}

// merged are the versions of two histories that a mode picks, in the order of their times.
func merged(a, b *History, mode Mode) (out []fetched) {
	for feed, h := range [2]*History{a, b} {
		for _, i := range mode.pick(len(h.Versions)) {
			if h.Versions[i].Doc != nil {
				out = append(out, fetched{&h.Versions[i], feed})
			}
		}
	}
	slices.SortStableFunc(out, func(x, y fetched) int { return x.Time.Compare(y.Time) })
	return out
}

// unionOf names the articles of two feeds: those that had a key or a link in common are one.
type unionOf struct{ of map[string]string } // article of the second feed -> of the first

func union(a, b *Truth) *unionOf {
	byKey := map[string]string{}
	for art, keys := range a.links {
		for _, k := range keys {
			if k != "" {
				byKey[k] = art
			}
		}
	}
	u := &unionOf{of: map[string]string{}}
	for art, keys := range b.links {
		for _, k := range keys {
			if other, ok := byKey[k]; ok {
				u.of[art] = other
			}
		}
	}
	return u
}

func (u *unionOf) name(feed int, t *Truth, it *dedup.Item, date string) string {
	art, _ := t.Article(it, date)
	if feed == 1 {
		if other, ok := u.of[art]; ok {
			return other
		}
		return "second feed's " + art
	}
	return art
}

// A shelf finds articles of several feeds by their marks, as a store does.
type shelf struct {
	items  []dedup.StoryItem
	exact  map[dedup.Mark][]int
	sketch map[dedup.Mark][]int
	last   int64
}

func newShelf() *shelf {
	return &shelf{exact: map[dedup.Mark][]int{}, sketch: map[dedup.Mark][]int{}}
}

// add puts an article up, and returns its story. joined says that it is one that another feed's article began.
func (s *shelf) add(a dedup.StoryItem) (story int64, joined bool) {
	a.Entry = dedup.EntryID(len(s.items) + 1)
	exact, sketch := dedup.StoryMarks(&a.Item)
	found := map[int]bool{}
	shared := map[int]int{}
	for _, m := range exact {
		for _, i := range s.exact[m] {
			found[i] = true
		}
	}
	for _, m := range sketch {
		if len(s.sketch[m]) > dedup.SketchStop {
			continue
		}
		for _, i := range s.sketch[m] {
			if shared[i]++; shared[i] >= dedup.SketchShared {
				found[i] = true
			}
		}
	}
	var others []dedup.StoryItem
	for i := range found {
		if s.items[i].Feed != a.Feed {
			others = append(others, s.items[i])
		}
	}
	if m, ok := dedup.Story(a, others); ok && !m.About {
		a.Story, joined = m.With.Story, true
		a.Feeds = append(slices.Clone(m.With.Feeds), a.Feed)
		for i := range s.items {
			if s.items[i].Story == a.Story {
				s.items[i].Feeds = a.Feeds
			}
		}
	} else {
		s.last++
		a.Story, a.Feeds = s.last, []int64{a.Feed}
	}
	i := len(s.items)
	s.items = append(s.items, a)
	for _, m := range exact {
		s.exact[m] = append(s.exact[m], i)
	}
	for _, m := range sketch {
		s.sketch[m] = append(s.sketch[m], i)
	}
	return a.Story, joined
}
