// Package shape is the JSON in which programs are told of articles, decisions, stories, amendments and explanations: one shape
// each, whether the API answers or a command with --json. The API's OpenAPI document is made from the tags here, so it
// describes what the commands print, too.
//
// A field that may be absent is omitted where it has nothing to say; a list never is. Times are in UTC. Texts are as
// published: whoever shows content and summary must make them safe.
package shape

import (
	"encoding/json"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/explain"
)

// Entry is an article, without its texts in lists.
type Entry struct {
	ID         feedonce.EntryID  `json:"id"`
	Feed       feedonce.FeedID   `json:"feed"`
	Title      string            `json:"title" doc:"Plain text"`
	URL        string            `json:"url,omitempty"`
	GUID       string            `json:"guid,omitempty" doc:"As published when it came first"`
	Author     string            `json:"author,omitempty"`
	Lang       string            `json:"lang,omitempty"`
	Published  *time.Time        `json:"published,omitempty"`
	Updated    *time.Time        `json:"updated,omitempty" doc:"The feed's own date of modification"`
	FirstSeen  time.Time         `json:"first_seen"`
	Changed    time.Time         `json:"changed" doc:"When the last version was accepted"`
	Revision   int               `json:"revision" doc:"1 until it is updated"`
	MergedInto feedonce.EntryID  `json:"merged_into,omitempty" doc:"The article a person said it is the same as, which is shown in its place"`
	Categories []string          `json:"categories,omitempty"`
	Enclosures []dedup.Enclosure `json:"enclosures,omitempty"`
	Summary    string            `json:"summary,omitempty" doc:"Untrusted HTML, as published"`
	Content    string            `json:"content,omitempty" doc:"Untrusted HTML, as published"`
}

// Version is an earlier content of an article.
type Version struct {
	Revision   int               `json:"revision"`
	Replaced   time.Time         `json:"replaced" doc:"When the next revision took its place"`
	Title      string            `json:"title"`
	URL        string            `json:"url,omitempty"`
	Author     string            `json:"author,omitempty"`
	Summary    string            `json:"summary,omitempty" doc:"Untrusted HTML"`
	Content    string            `json:"content,omitempty" doc:"Untrusted HTML"`
	Enclosures []dedup.Enclosure `json:"enclosures,omitempty"`
}

// Decision is what was decided about an arrival.
type Decision struct {
	ID       int64            `json:"id"`
	At       time.Time        `json:"at"`
	Feed     feedonce.FeedID  `json:"feed"`
	Entry    feedonce.EntryID `json:"entry,omitempty" doc:"The article it created, updated or was folded into"`
	Outcome  string           `json:"outcome" enum:"new,updated,unchanged,duplicate,quarantined,invalid"`
	Rule     string           `json:"rule"`
	Name     string           `json:"name" doc:"The rule in a few words"`
	Sentence string           `json:"sentence" doc:"The rule in a sentence"`
	GUID     string           `json:"guid,omitempty" doc:"Of the arrival, as are url and title"`
	URL      string           `json:"url,omitempty"`
	Title    string           `json:"title,omitempty"`
	Evidence dedup.Evidence   `json:"evidence" doc:"What was compared, with values and thresholds"`
	Told     bool             `json:"told" doc:"Whether it was to be told to destinations"`
	Quiet    string           `json:"quiet,omitempty" doc:"Why not, where it is new and was not told"`
	Arrival  *dedup.Item      `json:"arrival,omitempty" doc:"What came, where it was not shown"`
}

// EntryOf is an article.
func EntryOf(e feedonce.Entry) Entry {
	return Entry{
		ID: e.ID, Feed: e.Feed, Title: e.Title, URL: e.URL, GUID: e.GUID, Author: e.Author, Lang: e.Lang,
		Published: Moment(e.Published), Updated: Moment(e.Updated), FirstSeen: e.FirstSeen.UTC(), Changed: e.Changed.UTC(),
		Revision: e.Revision, MergedInto: e.MergedInto, Categories: e.Categories, Enclosures: enclosures(e.Enclosures), Summary: e.Summary, Content: e.Content,
	}
}

// VersionOf is an earlier content.
func VersionOf(v feedonce.Version) Version {
	return Version{Revision: v.Revision, Replaced: v.Replaced.UTC(), Title: v.Title, URL: v.URL, Author: v.Author,
		Summary: v.Summary, Content: v.Content, Enclosures: enclosures(v.Enclosures)}
}

// DecisionOf is a decision. Evidence and arrival that a later version of the program wrote and this one cannot read are
// left out.
func DecisionOf(d feedonce.Decision) Decision {
	rule := explain.RuleOf(dedup.RuleID(d.Rule), dedup.Outcome(d.Outcome))
	out := Decision{
		ID: d.ID, At: d.At.UTC(), Feed: d.Feed, Entry: d.Entry, Outcome: d.Outcome, Rule: d.Rule, Name: rule.Name, Sentence: rule.Sentence,
		GUID: d.GUID, URL: d.URL, Title: d.Title, Told: d.Told, Quiet: d.Quiet,
	}
	if json.Unmarshal(d.Evidence, &out.Evidence) != nil {
		out.Evidence = dedup.Evidence{}
	}
	var item dedup.Item
	if len(d.Arrival) > 0 && json.Unmarshal(d.Arrival, &item) == nil {
		out.Arrival = &item
	}
	return out
}

func enclosures(list []feedonce.Enclosure) []dedup.Enclosure {
	var out []dedup.Enclosure
	for _, e := range list {
		out = append(out, dedup.Enclosure(e))
	}
	return out
}

// Moment is a time that may be absent: nil where it is zero.
func Moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
