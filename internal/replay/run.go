package replay

import (
	"fmt"
	"sort"

	"feedonce/dedup"
)

// An Option is a way to look at a history.
type Option struct {
	Every int  // take every k-th version; 0 is 1
	From  int  // start at this version's index
	Twice bool // each version twice
}

// A Report says what a strategy would have shown of a history.
type Report struct {
	History    string
	Arrivals   int
	True       int // articles
	Shown      int // decided new
	Duplicates int // shown beyond true
	Told       int // of these, told to destinations
	Lost       int // true but never shown
	Merged     int // arrivals taken for another article's entry
	Updates    int
	Faults     []string
}

// An Answer is what a strategy says of one item: the entry it is, and whether it shows it as new and tells it.
type Answer struct {
	Entry     int64
	New, Told bool
	Updated   bool
	Rule      string
}

// A Strategy answers documents of one feed, in order.
type Strategy func(doc *dedup.Document) []Answer

// Engine is the product's own decision.
func Engine() Strategy {
	m := dedup.NewMemory(dedup.Policy{})
	return func(doc *dedup.Document) []Answer {
		res := m.Process(doc)
		out := make([]Answer, len(res.Decisions))
		for i, d := range res.Decisions {
			out[i] = Answer{Entry: int64(d.Entry), New: d.Outcome == dedup.New, Told: d.Tell, Updated: d.Outcome == dedup.Updated, Rule: string(d.Rule)}
			for _, o := range d.Evidence.Others {
				out[i].Rule += fmt.Sprintf(" [not %d: %s]", o.Entry, o.Why)
			}
		}
		return out
	}
}

// GUIDOnly is what most aggregators do: the guid, else the link, else title and text are the identity.
func GUIDOnly() Strategy {
	ids := map[string]int64{}
	first := true
	return func(doc *dedup.Document) []Answer {
		out := make([]Answer, len(doc.Items))
		for i, it := range doc.Items {
			k := it.GUID
			if k == "" {
				k = it.URL
			}
			if k == "" {
				k = it.Title + "\x00" + it.Content + it.Summary
			}
			id, ok := ids[k]
			if !ok {
				id = int64(len(ids) + 1)
				ids[k] = id
			}
			out[i] = Answer{Entry: id, New: !ok, Told: !ok && !first}
		}
		first = false
		return out
	}
}

// Run replays a history.
func (h *History) Run(s Strategy, o Option) Report {
	r := Report{History: h.Name}
	shown := map[string]int{} // article -> entries
	told := map[string]int{}
	owner := map[int64]string{}
	seen := map[string]string{}
	every := max(o.Every, 1)
	for i := o.From; i < len(h.Versions); i += every {
		v := h.Versions[i]
		if v.Doc == nil {
			continue
		}
		times := 1
		if o.Twice {
			times = 2
		}
		for range times {
			for k, a := range s(v.Doc) {
				it := &v.Doc.Items[k]
				art := h.Truth.Article(it, v.Dates[k])
				r.Arrivals++
				if _, ok := seen[art]; !ok {
					seen[art] = fmt.Sprintf("version %d: %q %s %s", v.N, it.Title, it.GUID, it.URL)
				}
				if a.Updated {
					r.Updates++
				}
				if a.New {
					r.Shown++
					shown[art]++
					if shown[art] > 1 {
						if a.Told {
							told[art]++
							r.Told++
						}
						r.Faults = append(r.Faults, fmt.Sprintf("dup  v%d %s entry %d %q guid=%s link=%s date=%s rule=%s; first: %s", v.N, art, a.Entry, it.Title, it.GUID, it.URL, it.Published.Format("2006-01-02T15:04"), a.Rule, seen[art]))
					}
					owner[a.Entry] = art
				} else if own, ok := owner[a.Entry]; ok && own != art {
					r.Merged++
					if r.Merged <= 20 {
						r.Faults = append(r.Faults, fmt.Sprintf("wrong v%d %s into %s by %s: %q guid=%s link=%s date=%s", v.N, art, own, a.Rule, it.Title, it.GUID, it.URL, it.Published.Format("2006-01-02T15:04")))
					}
				}
			}
		}
	}
	r.True = len(seen)
	var lost []string
	for art := range seen {
		if shown[art] == 0 {
			lost = append(lost, art)
		} else {
			r.Duplicates += shown[art] - 1
		}
	}
	sort.Strings(lost)
	r.Lost = len(lost)
	for _, a := range lost {
		r.Faults = append(r.Faults, "lost "+a+": "+seen[a])
	}
	return r
}
