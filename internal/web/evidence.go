package web

import (
	"encoding/json"
	"strings"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/sanitize"
)

// A decisionRow is one decision, in words.
type decisionRow struct {
	ID       int64
	At       moment
	Feed     feedonce.FeedID
	Source   string
	Entry    feedonce.EntryID
	Outcome  string
	Verb     string // what was done with the arrival
	Rule     string
	RuleName string
	Sentence string
	Title    string
	URL      link
	GUID     string
	Facts    []factRow
	Changed  string
	Material bool
	Note     string
	Others   []dedup.Other
	Told     bool
	Quiet    string
	Arrival  *arrival
}

type factRow struct {
	Name, Is, Have, Want string
	Agrees               bool
}

// arrival is what came and was not shown: kept, so that nothing is lost.
type arrival struct {
	Author    string
	Published moment
	Text      string
	Enclosed  []link
	Reason    string
}

var verbs = map[string]string{
	string(dedup.New):         "new article",
	string(dedup.Updated):     "update",
	string(dedup.Unchanged):   "unchanged",
	string(dedup.Duplicate):   "duplicate",
	string(dedup.Quarantined): "held",
	string(dedup.Invalid):     "unreadable",
}

// decision puts a stored decision into words. Evidence that cannot be read (of a later version of the program) is left
// out; the rule still says why.
func (s *server) decision(d feedonce.Decision, source string) decisionRow {
	rule := dedup.RuleByID(dedup.RuleID(d.Rule))
	row := decisionRow{
		ID: d.ID, At: s.at(d.At), Feed: d.Feed, Source: source, Entry: d.Entry, Outcome: d.Outcome, Verb: verbs[d.Outcome],
		Rule: d.Rule, RuleName: rule.Name, Sentence: rule.Sentence, Title: d.Title, URL: linkTo(d.URL), GUID: d.GUID, Told: d.Told, Quiet: d.Quiet,
	}
	if row.Verb == "" {
		row.Verb = d.Outcome
	}
	if row.Sentence == "" {
		row.Sentence = "The rule “" + d.Rule + "” of another version of feedonce decided this."
	}
	var e dedup.Evidence
	if json.Unmarshal(d.Evidence, &e) == nil {
		for _, f := range e.Facts {
			row.Facts = append(row.Facts, factRow{f.Name, finding(f.Is), f.Have, f.Want, agrees(f.Is)})
		}
		row.Changed, row.Material, row.Note, row.Others = strings.Join(e.Changed, ", "), e.Material, e.Note, e.Others
	}
	var item dedup.Item
	if len(d.Arrival) > 0 && json.Unmarshal(d.Arrival, &item) == nil {
		text := item.Content
		if strings.TrimSpace(text) == "" {
			text = item.Summary
		}
		a := arrival{Author: item.Author, Published: s.at(item.Published), Text: sanitize.Text(text, 600), Reason: item.Invalid}
		for _, enclosure := range item.Enclosures {
			a.Enclosed = append(a.Enclosed, linkTo(enclosure.URL))
		}
		row.Arrival = &a
	}
	return row
}

// finding says what a comparison found.
func finding(is string) string {
	switch is {
	case "equal":
		return "the same"
	case "absent":
		return "missing"
	case "unknown":
		return "never seen before"
	case "recycled":
		return "another article's before"
	case "shared":
		return "on several articles"
	case "ignored":
		return "not looked up"
	case "vanished":
		return "gone from the feed"
	}
	if rest, ok := strings.CutPrefix(is, "differs"); ok {
		return "different" + strings.Replace(rest, " by", ", by", 1)
	}
	return is
}

// agrees reports whether a finding speaks for two items being the same article.
func agrees(is string) bool {
	for _, against := range []string{"differs", "absent", "unknown", "recycled", "shared", "ignored", "on ", "both "} {
		if strings.HasPrefix(is, against) {
			return false
		}
	}
	return true
}
