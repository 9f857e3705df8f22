package shape

import (
	"time"

	"feedonce"
	"feedonce/internal/explain"
)

// Explanation is all that is known of an article.
type Explanation struct {
	Entry      Entry       `json:"entry"`
	FeedName   string      `json:"feed_name"`
	Summary    []string    `json:"summary" doc:"What became of it, in sentences"`
	Decisions  []Explained `json:"decisions" doc:"Oldest first"`
	Keys       []Key       `json:"keys" doc:"The identities that lead to it"`
	Changes    []Change    `json:"changes" doc:"What each new version changed, oldest first"`
	Story      *Story      `json:"story,omitempty"`
	Verdicts   []Verdict   `json:"verdicts" doc:"What people said of it and another article, which holds until it is undone"`
	Amendments []Amendment `json:"amendments" doc:"What people did, oldest first"`
}

// Explained is a decision in words.
type Explained struct {
	Decision
	Headline   string       `json:"headline"`
	Remarks    []string     `json:"remarks,omitempty"`
	Findings   []Finding    `json:"findings"`
	Considered []Considered `json:"considered" doc:"Articles it might have been, and why it is not"`
	Check      *Check       `json:"check,omitempty" doc:"Where it was asked for: what it comes to when it is decided again"`
}

// Finding is one comparison in words.
type Finding struct {
	Text   string `json:"text"`
	Weight string `json:"weight" enum:"for,against,neutral" doc:"What it speaks for: being the same article, or not"`
	Came   string `json:"came,omitempty" doc:"The value of the arrival"`
	Had    string `json:"had,omitempty" doc:"The value of the article, where it is another one"`
	Needed string `json:"needed,omitempty" doc:"The threshold"`
}

// Considered is an article that an arrival might have been.
type Considered struct {
	Entry feedonce.EntryID `json:"entry"`
	Title string           `json:"title,omitempty"`
	Why   string           `json:"why"`
}

// Check is what a decision comes to when it is made again from what is stored.
type Check struct {
	Same    bool             `json:"same"`
	Outcome string           `json:"outcome,omitempty"`
	Rule    string           `json:"rule,omitempty"`
	Entry   feedonce.EntryID `json:"entry,omitempty"`
	Text    string           `json:"text"`
}

// Key is an identity of an article.
type Key struct {
	Kind string `json:"kind" doc:"What it is made of: guid, link, title and date, ..."`
	Text string `json:"text"`
}

// Change is what a new version changed.
type Change struct {
	At       time.Time     `json:"at"`
	Revision int           `json:"revision" doc:"Of the new version"`
	Before   Version       `json:"before" doc:"The version whose place it took"`
	Fields   []FieldChange `json:"fields"`
}

// FieldChange is the difference of one field, word by word.
type FieldChange struct {
	Field string  `json:"field" enum:"title,link,author,enclosures,summary,content"`
	Words []Piece `json:"words"`
}

// Piece is a part of two texts that were compared.
type Piece struct {
	Is   string `json:"is" enum:"same,removed,added,left" doc:"left: words that both have, and are left out here"`
	Text string `json:"text"`
}

// Verdict is what a person said of two articles.
type Verdict struct {
	A    feedonce.EntryID `json:"a"`
	B    feedonce.EntryID `json:"b"`
	Same bool             `json:"same"`
	At   time.Time        `json:"at"`
	Who  string           `json:"who,omitempty"`
}

// ExplanationOf is an explanation, with the decisions that were made again, by their numbers.
func ExplanationOf(a *explain.Article, checks map[int64]explain.Check) Explanation {
	out := Explanation{
		Entry: EntryOf(a.Entry), FeedName: a.Feed.Name(), Summary: a.Summary(func(t time.Time) string { return t.UTC().Format(time.RFC3339) }),
		Decisions: []Explained{}, Keys: []Key{}, Changes: []Change{}, Verdicts: []Verdict{}, Amendments: []Amendment{},
	}
	for i := range a.Decisions {
		out.Decisions = append(out.Decisions, ExplainedOf(&a.Decisions[i], checks))
	}
	for _, k := range a.Keys {
		out.Keys = append(out.Keys, Key{explain.KeyName(k.Kind), k.Text})
	}
	for _, c := range a.Changes {
		change := Change{At: c.At.UTC(), Revision: c.Revision, Before: VersionOf(c.Before), Fields: []FieldChange{}}
		for _, f := range c.Fields {
			field := FieldChange{Field: f.Name, Words: []Piece{}}
			for _, w := range f.Words {
				field.Words = append(field.Words, Piece{string(w.Is), w.Text})
			}
			change.Fields = append(change.Fields, field)
		}
		out.Changes = append(out.Changes, change)
	}
	if a.Story != nil {
		st := StoryOf(*a.Story)
		out.Story = &st
	}
	for _, v := range a.Verdicts {
		out.Verdicts = append(out.Verdicts, Verdict{v.A, v.B, v.Same, v.At.UTC(), v.Who})
	}
	for _, m := range a.Amendments {
		out.Amendments = append(out.Amendments, AmendmentOf(m))
	}
	return out
}

// ExplainedOf is a decision in words; checks are those that were made again, by their numbers.
func ExplainedOf(d *explain.Decision, checks map[int64]explain.Check) Explained {
	out := Explained{Decision: DecisionOf(d.Decision), Headline: d.Headline(), Remarks: d.Remarks(), Findings: []Finding{}, Considered: []Considered{}}
	for _, f := range d.Findings() {
		weight := "neutral"
		switch f.Weight {
		case explain.For:
			weight = "for"
		case explain.Against:
			weight = "against"
		}
		out.Findings = append(out.Findings, Finding{f.Text, weight, f.Came, f.Had, f.Needed})
	}
	for _, o := range d.Others {
		out.Considered = append(out.Considered, Considered{o.Entry, o.Title, o.Why})
	}
	if c, ok := checks[d.ID]; ok {
		out.Check = &Check{c.Same, string(c.Outcome), string(c.Rule), c.Entry, c.Text()}
	}
	return out
}
