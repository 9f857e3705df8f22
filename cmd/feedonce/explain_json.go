package main

import (
	"encoding/json"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/explain"
)

// decisionJSON is a decision for programs.
type decisionJSON struct {
	Decision   int64            `json:"decision"`
	At         time.Time        `json:"at"`
	Feed       feedonce.FeedID  `json:"feed"`
	Entry      feedonce.EntryID `json:"entry,omitempty"`
	Outcome    string           `json:"outcome"`
	Rule       string           `json:"rule"`
	Name       string           `json:"name"`
	Sentence   string           `json:"sentence"`
	Headline   string           `json:"headline,omitempty"`
	GUID       string           `json:"guid"`
	URL        string           `json:"url"`
	Title      string           `json:"title"`
	Evidence   json.RawMessage  `json:"evidence,omitempty"`
	Findings   []findingJSON    `json:"findings,omitempty"`
	Considered []consideredJSON `json:"considered,omitempty"`
	Remarks    []string         `json:"remarks,omitempty"`
	Told       bool             `json:"told"`
	Quiet      string           `json:"quiet,omitempty"`
	Check      *checkJSON       `json:"check,omitempty"`
}

type findingJSON struct {
	Text   string `json:"text"`
	Weight string `json:"weight"` // for, against or neutral
	Came   string `json:"came,omitempty"`
	Had    string `json:"had,omitempty"`
	Needed string `json:"needed,omitempty"`
}

type consideredJSON struct {
	Entry feedonce.EntryID `json:"entry"`
	Title string           `json:"title,omitempty"`
	Why   string           `json:"why"`
}

type checkJSON struct {
	Same    bool             `json:"same"`
	Outcome dedup.Outcome    `json:"outcome,omitempty"`
	Rule    dedup.RuleID     `json:"rule,omitempty"`
	Entry   feedonce.EntryID `json:"entry,omitempty"`
	Why     string           `json:"why,omitempty"`
}

func decisionForPrograms(d feedonce.Decision) decisionJSON {
	rule := dedup.RuleByID(dedup.RuleID(d.Rule))
	j := decisionJSON{
		Decision: d.ID, At: d.At.UTC(), Feed: d.Feed, Entry: d.Entry, Outcome: d.Outcome,
		Rule: d.Rule, Name: rule.Name, Sentence: rule.Sentence,
		GUID: d.GUID, URL: d.URL, Title: d.Title, Told: d.Told, Quiet: d.Quiet,
	}
	if json.Valid(d.Evidence) {
		j.Evidence = d.Evidence
	}
	return j
}

func explainedForPrograms(d *explain.Decision, checks map[int64]explain.Check) decisionJSON {
	j := decisionForPrograms(d.Decision)
	j.Headline, j.Remarks = d.Headline(), d.Remarks()
	for _, f := range d.Findings() {
		weight := map[explain.Weight]string{explain.For: "for", explain.Against: "against", explain.Neutral: "neutral"}[f.Weight]
		j.Findings = append(j.Findings, findingJSON{f.Text, weight, f.Came, f.Had, f.Needed})
	}
	for _, o := range d.Others {
		j.Considered = append(j.Considered, consideredJSON{o.Entry, o.Title, o.Why})
	}
	if c, ok := checks[d.ID]; ok {
		j.Check = &checkJSON{Same: c.Same, Outcome: c.Outcome, Rule: c.Rule, Entry: c.Entry, Why: c.Why}
	}
	return j
}

type keyJSON struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

type versionJSON struct {
	Revision int          `json:"revision"`
	Replaced time.Time    `json:"replaced"`
	Title    string       `json:"title"`
	URL      string       `json:"url"`
	Author   string       `json:"author,omitempty"`
	Summary  string       `json:"summary,omitempty"`
	Content  string       `json:"content,omitempty"`
	Changes  []changeJSON `json:"changes"` // what the next version changed
}

type changeJSON struct {
	Field string      `json:"field"`
	Words []pieceJSON `json:"words"`
}

type pieceJSON struct {
	Is   explain.PieceKind `json:"is"`
	Text string            `json:"text"`
}

type verdictJSON struct {
	A    feedonce.EntryID `json:"a"`
	B    feedonce.EntryID `json:"b"`
	Same bool             `json:"same"`
	At   time.Time        `json:"at"`
	Who  string           `json:"who,omitempty"`
}

type articleJSON struct {
	Entry      entryJSON       `json:"entry"`
	Feed       feedJSON        `json:"feed"`
	Summary    []string        `json:"summary"`
	Decisions  []decisionJSON  `json:"decisions"`
	Keys       []keyJSON       `json:"keys"`
	Versions   []versionJSON   `json:"versions"`
	Story      *storyJSON      `json:"story,omitempty"`
	Verdicts   []verdictJSON   `json:"verdicts"`
	Amendments []amendmentJSON `json:"amendments"`
}

func (a *app) explainForPrograms(x *explanation) error {
	lines := newJSONLines(a.out)
	for _, e := range x.articles {
		if err := lines.write(articleForPrograms(&e)); err != nil {
			return err
		}
	}
	for i := range x.arrivals {
		if err := lines.write(map[string]any{"decision": explainedForPrograms(&x.arrivals[i].Decision, nil)}); err != nil {
			return err
		}
	}
	return nil
}

func articleForPrograms(e *explained) articleJSON {
	art := e.Article
	out := articleJSON{
		Entry: entryForPrograms(art.Entry), Feed: feedForPrograms(art.Feed, 0), Summary: art.Summary(func(t time.Time) string { return t.UTC().Format(time.RFC3339) }),
		Decisions: []decisionJSON{}, Keys: []keyJSON{}, Versions: []versionJSON{}, Verdicts: []verdictJSON{}, Amendments: []amendmentJSON{},
	}
	for i := range art.Decisions {
		out.Decisions = append(out.Decisions, explainedForPrograms(&art.Decisions[i], e.checks))
	}
	for _, k := range art.Keys {
		out.Keys = append(out.Keys, keyJSON{explain.KeyName(k.Kind), k.Text})
	}
	for _, c := range art.Changes {
		v := c.Before
		j := versionJSON{v.Revision, v.Replaced.UTC(), v.Title, v.URL, v.Author, v.Summary, v.Content, []changeJSON{}}
		for _, f := range c.Fields {
			change := changeJSON{Field: f.Name, Words: []pieceJSON{}}
			for _, w := range f.Words {
				change.Words = append(change.Words, pieceJSON{w.Is, w.Text})
			}
			j.Changes = append(j.Changes, change)
		}
		out.Versions = append(out.Versions, j)
	}
	if art.Story != nil {
		j := storyForPrograms(*art.Story)
		out.Story = &j
	}
	for _, v := range art.Verdicts {
		out.Verdicts = append(out.Verdicts, verdictJSON{v.A, v.B, v.Same, v.At.UTC(), v.Who})
	}
	for _, m := range art.Amendments {
		out.Amendments = append(out.Amendments, amendmentForPrograms(m))
	}
	return out
}
