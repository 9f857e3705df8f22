package evolve

import "fmt"

// A Course is a run that a strategy must pass, and its gates.
type Course struct {
	Name  string
	About string
	// Least is what the run must have for its zeros to mean something: arrivals and new articles.
	LeastArrivals, LeastNew int
	Gates                   []Gate
	// Feeds and Polls are the size that reaches the least.
	Feeds, Polls int
	Dense        bool
	Archetypes   func() []*Archetype
}

// A Gate is a limit on one metric.
type Gate struct {
	Name  string
	Limit string // for people
	Rate  func(*Score) (count, of int)
	OK    func(count, of int) bool
}

// The courses that the product must pass, and no baseline may.
var (
	Normal = Course{
		Name: "archetypes", About: "every archetype at its normal pace", LeastArrivals: 1_000_000, Feeds: 5, Polls: 130,
		Archetypes: Archetypes,
		Gates: []Gate{
			none("false drops", func(s *Score) (int, int) { return s.Drops, s.New }),
			none("wrong merges", func(s *Score) (int, int) { return s.Wrong, s.Arrivals }),
			below("leaks", 1e-3, func(s *Score) (int, int) { return s.Leaks, s.Duplicates }),
			atMost("updates missed", 1e-2, func(s *Score) (int, int) { return s.Missed, s.Updates }),
			atMost("spurious updates", 1e-3, func(s *Score) (int, int) { return s.Spurious, s.Unchanged }),
		},
	}
	Dense = Course{
		Name: "dense", About: "every archetype with many times more new articles", LeastNew: 300_000, Feeds: 8, Polls: 130, Dense: true,
		Archetypes: Archetypes,
		Gates: []Gate{
			none("false drops", func(s *Score) (int, int) { return s.Drops, s.New }),
			none("wrong merges", func(s *Score) (int, int) { return s.Wrong, s.Arrivals }),
		},
	}
	Chaotic = Course{
		Name: "chaos", About: "faults combined at random", LeastArrivals: 1_000_000, Feeds: 450, Polls: 130,
		Archetypes: func() []*Archetype { return []*Archetype{Chaos} },
		Gates: []Gate{
			atMost("false drops", 1e-4, func(s *Score) (int, int) { return s.Drops, s.New }),
			atMost("wrong merges", 1e-4, func(s *Score) (int, int) { return s.Wrong, s.Arrivals }),
			below("leaks told", 1e-3, func(s *Score) (int, int) { return s.Told, s.Duplicates }),
		},
	}
)

// Courses are all courses.
func Courses() []Course { return []Course{Normal, Dense, Chaotic} }

func none(name string, rate func(*Score) (int, int)) Gate {
	return Gate{Name: name, Limit: "none", Rate: rate, OK: func(count, _ int) bool { return count == 0 }}
}

func below(name string, limit float64, rate func(*Score) (int, int)) Gate {
	return Gate{
		Name: name, Limit: "below " + percent(limit), Rate: rate,
		OK: func(count, of int) bool { return float64(count) < limit*float64(of) || count == 0 },
	}
}

func atMost(name string, limit float64, rate func(*Score) (int, int)) Gate {
	return Gate{
		Name: name, Limit: "at most " + percent(limit), Rate: rate,
		OK: func(count, of int) bool { return float64(count) <= limit*float64(of) },
	}
}

// Missed are the names of the gates that a score misses.
func (c *Course) Missed(s *Score) []string {
	var missed []string
	for _, g := range c.Gates {
		if !g.OK(g.Rate(s)) {
			missed = append(missed, g.Name)
		}
	}
	return missed
}

// Verdict says what is wrong with the outcome of a course: gates that the product misses and, of a whole run, baselines
// that pass them all, or a size that proves nothing. A run of a part need not do that. No complaint is a pass.
func (c *Course) Verdict(rep *Report, whole bool) []string {
	var complaints []string
	for i := range rep.Total {
		s := &rep.Total[i]
		missed := c.Missed(s)
		switch {
		case i == 0 && whole && (s.Arrivals < c.LeastArrivals || s.New < c.LeastNew):
			complaints = append(complaints, fmt.Sprintf("the run is too small to prove anything: %d arrivals and %d new articles, "+
				"where at least %d and %d are needed; give more -feeds", s.Arrivals, s.New, c.LeastArrivals, c.LeastNew))
			fallthrough
		case i == 0:
			for _, name := range missed {
				complaints = append(complaints, rep.Strategies[i]+" misses the gate for "+name)
			}
		case whole && len(missed) == 0:
			complaints = append(complaints, "the baseline "+rep.Strategies[i]+" passes every gate: the simulator has lost its teeth")
		}
	}
	return complaints
}
