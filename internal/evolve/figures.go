package evolve

// Figures are a report in a form for programs.
type Figures struct {
	Course     string                      `json:"course"`
	Seed       uint64                      `json:"seed"`
	Feeds      int                         `json:"feeds"` // of each archetype
	Polls      int                         `json:"polls"`
	Total      map[string]Score            `json:"total"`      // by strategy
	Archetypes map[string]map[string]Score `json:"archetypes"` // by archetype and strategy
	Complaints []string                    `json:"complaints"` // see Course.Verdict; empty when passed
}

// Figures returns the report as figures.
func (rep *Report) Figures(c *Course, complaints []string) Figures {
	f := Figures{
		Course: c.Name, Seed: rep.Config.Seed, Feeds: rep.Config.Feeds, Polls: rep.Config.Polls, Complaints: complaints,
		Total: rep.byStrategy(rep.Total), Archetypes: map[string]map[string]Score{},
	}
	for _, row := range rep.Rows {
		f.Archetypes[row.Archetype.Name] = rep.byStrategy(row.Scores)
	}
	return f
}

func (rep *Report) byStrategy(scores []Score) map[string]Score {
	m := map[string]Score{}
	for i, name := range rep.Strategies {
		m[name] = scores[i]
	}
	return m
}
