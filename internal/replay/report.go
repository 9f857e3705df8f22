package replay

import (
	"fmt"
	"slices"

	"feedonce/internal/evolve"
)

// calm are the histories whose publishers keep their guids: nothing may be told twice of them.
var calm = []string{
	"NixOS+nixos-weekly", "apache+servicecomb-website", "grails+grails-static-website", "rust-lang+blog.rust-lang.org",
	"rustsec+advisory-db", "servo+servo.org",
}

// toldLimit is how many duplicates may be told, of those that go by the guid alone tell.
const toldLimit = 0.02

// A Report has the scores of every history, mode and strategy, the product first.
type Report struct {
	Strategies []string
	Rows       []Row // by mode, then by history
	Pairs      []PairScore
}

// A Row is one history in one mode.
type Row struct {
	Mode    Mode
	History string
	Scores  []Score // by strategy
	Faults  []Fault // the product's
}

// Run replays histories in the modes with the product's engine and all baselines, and pairs of them as stories.
func Run(histories []*History, modes []Mode) *Report {
	rep := &Report{}
	for _, create := range evolve.Contenders() {
		rep.Strategies = append(rep.Strategies, create().Name())
	}
	for _, m := range modes {
		for _, h := range histories {
			row := Row{Mode: m, History: h.Name}
			for i, create := range evolve.Contenders() {
				look := func(f Fault) { row.Faults = append(row.Faults, f) }
				if i > 0 {
					look = nil
				}
				row.Scores = append(row.Scores, h.Replay(create(), m, look))
			}
			rep.Rows = append(rep.Rows, row)
		}
	}
	for _, p := range overlapping {
		a, b := named(histories, p[0]), named(histories, p[1])
		if a == nil || b == nil {
			continue
		}
		for _, m := range modes {
			rep.Pairs = append(rep.Pairs, Together(a, b, m))
		}
	}
	return rep
}

func named(histories []*History, name string) *History {
	for _, h := range histories {
		if h.Name == name {
			return h
		}
	}
	return nil
}

// Sum adds up the scores of a mode, by strategy.
func (rep *Report) Sum(mode string) []Score {
	sum := make([]Score, len(rep.Strategies))
	for _, r := range rep.Rows {
		if r.Mode.Name != mode {
			continue
		}
		for i := range r.Scores {
			sum[i].Add(r.Scores[i])
		}
	}
	return sum
}

// modes are the modes that the report has, in order.
func (rep *Report) modes() (out []Mode) {
	for _, r := range rep.Rows {
		if len(out) == 0 || out[len(out)-1].Name != r.Mode.Name {
			out = append(out, r.Mode)
		}
	}
	return out
}

// Complaints says which gates the product misses; none is a pass. In every mode: no article lost, of any history;
// nothing told twice of a calm one; and duplicates told, in sum, at most 2 % of those that guid identity tells. Of a
// pair: nothing told twice, and nothing silenced.
func (rep *Report) Complaints() (out []string) {
	complain := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, r := range rep.Rows {
		s := r.Scores[0]
		if s.Lost > 0 {
			complain("%s, %s: %d of %d articles lost", r.History, r.Mode.About, s.Lost, s.True)
		}
		if s.Told > 0 && slices.Contains(calm, r.History) {
			complain("%s, %s: %d duplicates told of a calm feed", r.History, r.Mode.About, s.Told)
		}
	}
	guidOnly := slices.Index(rep.Strategies, "guid only")
	for _, m := range rep.modes() {
		sum := rep.Sum(m.Name)
		if told, limit := sum[0].Told, toldLimit*float64(sum[guidOnly].Told); float64(told) > limit {
			complain("%s: %d duplicates told, more than %.0f %% of the %d that guid identity tells", m.About, told, 100*toldLimit, sum[guidOnly].Told)
		}
	}
	for _, p := range rep.Pairs {
		if p.Silenced > 0 {
			complain("%s and %s, %s: %d articles that nobody is told of, because another one's story was", p.A, p.B, p.Mode.About, p.Silenced)
		}
	}
	return out
}
