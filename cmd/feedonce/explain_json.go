package main

import (
	"encoding/json"
	"time"

	"feedonce"
	"feedonce/dedup"
)

// decisionJSON is a decision for programs.
type decisionJSON struct {
	Decision int64            `json:"decision"`
	At       time.Time        `json:"at"`
	Feed     feedonce.FeedID  `json:"feed"`
	Entry    feedonce.EntryID `json:"entry,omitempty"`
	Outcome  string           `json:"outcome"`
	Rule     string           `json:"rule"`
	Name     string           `json:"name"`
	Sentence string           `json:"sentence"`
	GUID     string           `json:"guid"`
	URL      string           `json:"url"`
	Title    string           `json:"title"`
	Evidence json.RawMessage  `json:"evidence,omitempty"`
	Told     bool             `json:"told"`
	Quiet    string           `json:"quiet,omitempty"`
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

func storyForPrograms(st story) any {
	type key struct {
		Kind string `json:"kind"`
		Text string `json:"text"`
	}
	type version struct {
		Revision int       `json:"revision"`
		Replaced time.Time `json:"replaced"`
		Title    string    `json:"title"`
		URL      string    `json:"url"`
		Author   string    `json:"author,omitempty"`
		Summary  string    `json:"summary,omitempty"`
		Content  string    `json:"content,omitempty"`
	}
	out := struct {
		Entry     entryJSON      `json:"entry"`
		Feed      feedJSON       `json:"feed"`
		Decisions []decisionJSON `json:"decisions"`
		Keys      []key          `json:"keys"`
		Versions  []version      `json:"versions"`
	}{Entry: entryForPrograms(st.entry), Decisions: []decisionJSON{}, Keys: []key{}, Versions: []version{}}
	out.Feed = feedForPrograms(st.feed, 0)
	for _, d := range st.decisions {
		out.Decisions = append(out.Decisions, decisionForPrograms(d))
	}
	for _, k := range st.keys {
		out.Keys = append(out.Keys, key{keyName(k.Kind), k.Text})
	}
	for _, v := range st.versions {
		out.Versions = append(out.Versions, version{v.Revision, v.Replaced.UTC(), v.Title, v.URL, v.Author, v.Summary, v.Content})
	}
	return out
}
