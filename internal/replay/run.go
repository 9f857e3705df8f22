package replay

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"feedonce/dedup"
	"feedonce/internal/evolve"
)

// A Score says what a strategy would have shown of a history.
type Score struct {
	Versions   int // that could be read
	Items      int // in them
	True       int // articles
	Shown      int // entries made
	Duplicates int // entries beyond the first of an article
	Told       int // of these, told to people; nobody tells what stands in a feed's first document
	Lost       int // articles that got no entry of their own
	Wrong      int // items taken for another article's entry
	Updates    int
}

// Add adds another history's score.
func (s *Score) Add(o Score) {
	s.Versions += o.Versions
	s.Items += o.Items
	s.True += o.True
	s.Shown += o.Shown
	s.Duplicates += o.Duplicates
	s.Told += o.Told
	s.Lost += o.Lost
	s.Wrong += o.Wrong
	s.Updates += o.Updates
}

// A FaultKind is what may go wrong with an item.
type FaultKind string

const (
	Duplicate FaultKind = "duplicate" // shown again
	Wrong     FaultKind = "wrong"     // taken for another article
	Lost      FaultKind = "lost"      // never shown
	Unknown   FaultKind = "unknown"   // the truth has no key for it
)

// A Fault is a difference between a strategy and the truth.
type Fault struct {
	Kind    FaultKind
	Version int // its number
	Article string
	Taken   string // the article it was taken for, where Wrong
	Item    *dedup.Item
	Answer  evolve.Answer
	First   *sighting // of the article
}

// A sighting is where an article was seen.
type sighting struct {
	version int
	item    *dedup.Item
}

// String describes a fault in a few lines, for people.
func (f Fault) String() string {
	s := fmt.Sprintf("%s: version %d, article %s, rule %s, told %v\n\titem  %s", f.Kind, f.Version, f.Article, f.Answer.Rule, f.Answer.Tell, brief(f.Item))
	if f.Taken != "" {
		s += "\n\ttaken for article " + f.Taken
	}
	if f.First != nil {
		s += fmt.Sprintf("\n\tfirst seen in version %d: %s", f.First.version, brief(f.First.item))
	}
	if d := f.Answer.Decision; d != nil {
		for _, x := range d.Evidence.Facts {
			s += fmt.Sprintf("\n\t  %s %s: %q, %q", x.Name, x.Is, x.Have, x.Want)
		}
		for _, o := range d.Evidence.Others {
			s += fmt.Sprintf("\n\t  not entry %d: %s", o.Entry, o.Why)
		}
	}
	return s
}

func brief(it *dedup.Item) string {
	return fmt.Sprintf("%q guid=%s link=%s date=%s", it.Title, it.GUID, it.URL, it.Published.Format(time.DateTime))
}

// Replay shows a strategy the versions of a history that a mode picks, and scores its answers. Every difference from
// the truth goes to look, unless that is nil: as it happens, what was lost at the end.
func (h *History) Replay(s evolve.Strategy, mode Mode, look func(Fault)) Score {
	if look == nil {
		look = func(Fault) {}
	}
	var sc Score
	seen := map[string]*sighting{} // by article
	shown := map[string]int{}      // entries, by article
	owner := map[int64]string{}    // article, by entry
	last := -1
	for _, i := range mode.pick(len(h.Versions)) {
		v := &h.Versions[i]
		if v.Doc == nil {
			continue
		}
		doc := v.Doc
		if i == last {
			again := *doc
			again.Fetched = again.Fetched.Add(time.Hour)
			doc = &again
		}
		last = i
		sc.Versions++
		first := sc.Versions == 1
		for k, a := range s.Document(1, doc) {
			it := &doc.Items[k]
			art, known := h.Truth.Article(it, v.Dates[k])
			f := Fault{Version: v.N, Article: art, Item: it, Answer: a, First: seen[art]}
			sc.Items++
			if seen[art] == nil {
				seen[art] = &sighting{v.N, it}
				if !known {
					f.Kind = Unknown
					look(f)
				}
			}
			if a.Outcome == dedup.Updated {
				sc.Updates++
			}
			if a.Outcome == dedup.New {
				sc.Shown++
				shown[art]++
				owner[a.Entry] = art
				if shown[art] > 1 {
					sc.Duplicates++
					if a.Tell && !first {
						sc.Told++
					}
					f.Kind = Duplicate
					look(f)
				}
			} else if own, ok := owner[a.Entry]; ok && own != art {
				sc.Wrong++
				f.Kind, f.Taken = Wrong, own
				look(f)
			}
		}
	}
	sc.True = len(seen)
	var lost []Fault
	for art, at := range seen {
		if shown[art] == 0 {
			lost = append(lost, Fault{Kind: Lost, Version: at.version, Article: art, Item: at.item})
		}
	}
	slices.SortFunc(lost, func(a, b Fault) int { return cmp.Or(a.Version-b.Version, cmp.Compare(a.Article, b.Article)) })
	sc.Lost = len(lost)
	for _, f := range lost {
		look(f)
	}
	return sc
}
