package evolve

import (
	"maps"
	"slices"
	"time"

	"feedonce/dedup"
)

// A Score counts what a strategy did right and wrong.
type Score struct {
	// The truth: arrivals, and how many of them were what. The kinds overlap: a known article can come under a new
	// identity and in a new version at once. Updates whose time to be noticed had not run out at the end do not count.
	Arrivals   int `json:"arrivals"`
	New        int `json:"new"`
	Duplicates int `json:"duplicates"`
	Updates    int `json:"updates"`
	Unchanged  int `json:"unchanged"`

	Drops    int `json:"drops"`    // new articles not answered "new": false drops
	Leaks    int `json:"leaks"`    // known articles answered "new"
	Told     int `json:"told"`     // of the leaks, those told to people
	Wrong    int `json:"wrong"`    // arrivals attributed to an entry of another article: wrong merges
	Missed   int `json:"missed"`   // updates not answered "updated" within six hours
	Spurious int `json:"spurious"` // answered "updated" on a rendering stored before, unless it came back to stay
	Held     int `json:"held"`     // new articles stored, but not told, after a feed's first document
	Refused  int `json:"refused"`  // answered "quarantined" or "invalid"

	Took time.Duration `json:"nanoseconds"` // in the strategy
}

// Add adds t to s.
func (s *Score) Add(t Score) {
	s.Arrivals += t.Arrivals
	s.New += t.New
	s.Duplicates += t.Duplicates
	s.Updates += t.Updates
	s.Unchanged += t.Unchanged
	s.Drops += t.Drops
	s.Leaks += t.Leaks
	s.Told += t.Told
	s.Wrong += t.Wrong
	s.Missed += t.Missed
	s.Spurious += t.Spurious
	s.Held += t.Held
	s.Refused += t.Refused
	s.Took += t.Took
}

// PerArrival is the time spent on one arrival.
func (s *Score) PerArrival() time.Duration {
	if s.Arrivals == 0 {
		return 0
	}
	return s.Took / time.Duration(s.Arrivals)
}

// A Mistake is what kind of wrong an answer was; "" is right.
type Mistake string

// The mistakes, worst first.
const (
	FalseDrop      Mistake = "false drop"
	WrongMerge     Mistake = "wrong merge"
	Leak           Mistake = "leak"
	MissedUpdate   Mistake = "missed update"
	SpuriousUpdate Mistake = "spurious update"
)

// Mistakes are all mistakes, worst first.
func Mistakes() []Mistake {
	return []Mistake{FalseDrop, WrongMerge, Leak, MissedUpdate, SpuriousUpdate}
}

// A fault is a mistake, and the arrival it was made on.
type fault struct {
	Mistake
	doc, item int
}

// A referee compares the answers of one strategy on one feed with the truth.
type referee struct {
	Score
	faults   []fault
	owner    map[int64]int         // entry → article
	accepted map[int]map[look]bool // article → renderings that were stored
	current  map[int]look          // article → rendering that is stored
	seen     map[int]map[look]time.Time
	pending  map[int][]due // article → updates not noticed yet
	docs     int           // judged so far
}

// due is an update that is to be noticed.
type due struct {
	version   int
	since     time.Time
	doc, item int // where it arrived
}

func newReferee() *referee {
	return &referee{
		owner: map[int64]int{}, accepted: map[int]map[look]bool{}, current: map[int]look{},
		seen: map[int]map[look]time.Time{}, pending: map[int][]due{},
	}
}

// judge scores the answers to the next document of the feed.
func (r *referee) judge(d *Document, truths []Truth, answers []Answer) {
	for i, t := range truths {
		a, o := answers[i], d.Origins[i]
		r.count(t)
		if a.Outcome == dedup.Quarantined || a.Outcome == dedup.Invalid {
			r.Refused++
		}
		if t.New {
			r.unknown(i, a)
		} else {
			r.known(i, d, t, a)
		}
		if a.Outcome == dedup.New {
			r.owner[a.Entry] = o.Article
		}
		if a.Outcome == dedup.New || a.Outcome == dedup.Updated {
			r.accept(o)
		}
		if r.seen[o.Article] == nil {
			r.seen[o.Article] = map[look]time.Time{}
		}
		r.seen[o.Article][o.look()] = d.Fetched
	}
	r.docs++
}

func (r *referee) count(t Truth) {
	r.Arrivals++
	if t.New {
		r.New++
	}
	if t.Duplicate {
		r.Duplicates++
	}
	if t.Unchanged() {
		r.Unchanged++
	}
}

// unknown judges the answer to an article that the reader never had.
func (r *referee) unknown(i int, a Answer) {
	switch {
	case a.Outcome != dedup.New:
		r.Drops++
		r.fault(FalseDrop, r.docs, i)
	case !a.Tell && r.docs > 0:
		r.Held++
	}
}

// known judges the answer to an article that the reader had.
func (r *referee) known(i int, d *Document, t Truth, a Answer) {
	o := d.Origins[i]
	if t.Updated {
		r.pending[o.Article] = append(r.pending[o.Article], due{o.Version, d.Fetched, r.docs, i})
	}
	switch {
	case a.Outcome == dedup.New:
		r.Leaks++
		if a.Tell {
			r.Told++
		}
		r.fault(Leak, r.docs, i)
	case a.Outcome == dedup.Quarantined || a.Outcome == dedup.Invalid:
	case r.owner[a.Entry] != o.Article:
		r.Wrong++
		r.fault(WrongMerge, r.docs, i)
	case a.Outcome == dedup.Updated:
		if !r.notice(o, d.Fetched) && r.accepted[o.Article][o.look()] && !r.stays(o, d.Fetched) {
			r.Spurious++
			r.fault(SpuriousUpdate, r.docs, i)
		}
	}
}

// notice counts the updates that were noticed now that an article was stored, and reports whether there were any.
func (r *referee) notice(o Origin, now time.Time) bool {
	if o.Short {
		return false
	}
	var still []due
	for _, w := range r.pending[o.Article] {
		switch {
		case w.version > o.Version:
			still = append(still, w)
			continue
		case now.Sub(w.since) > recall:
			r.Missed++
			r.fault(MissedUpdate, w.doc, w.item)
		}
		r.Updates++
	}
	noticed := len(still) < len(r.pending[o.Article])
	r.pending[o.Article] = still
	return noticed
}

// stays reports whether a rendering that was stored before came back to stay: for a day nothing was seen of the one
// that took its place.
func (r *referee) stays(o Origin, now time.Time) bool {
	stored := r.current[o.Article]
	return stored != o.look() && now.Sub(r.seen[o.Article][stored]) >= 24*time.Hour
}

func (r *referee) accept(o Origin) {
	r.current[o.Article] = o.look()
	if r.accepted[o.Article] == nil {
		r.accepted[o.Article] = map[look]bool{}
	}
	r.accepted[o.Article][o.look()] = true
}

// end counts the updates that were never noticed, now that the feed ended.
func (r *referee) end(now time.Time) {
	for _, article := range slices.Sorted(maps.Keys(r.pending)) {
		for _, w := range r.pending[article] {
			if now.Sub(w.since) > recall {
				r.Updates++
				r.Missed++
				r.fault(MissedUpdate, w.doc, w.item)
			}
		}
	}
}

func (r *referee) fault(m Mistake, doc, item int) { r.faults = append(r.faults, fault{m, doc, item}) }
