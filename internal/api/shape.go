package api

import (
	"encoding/json"
	"time"

	"feedonce"
	"feedonce/dedup"
)

// The shapes of answers. A field that may be absent is omitted where it has nothing to say.

// Feed is a feed.
type Feed struct {
	ID       feedonce.FeedID `json:"id"`
	URL      string          `json:"url" doc:"Where it is polled"`
	Title    string          `json:"title"`
	Site     string          `json:"site,omitempty" doc:"The page the feed belongs to"`
	Folder   string          `json:"folder,omitempty"`
	Format   string          `json:"format,omitempty" doc:"Of the last document, such as rss 2.0"`
	State    string          `json:"state" enum:"active,paused,gone"`
	Added    time.Time       `json:"added"`
	Articles int64           `json:"articles"`
	Counts   Counts          `json:"counts" doc:"Arrivals by outcome, ever"`
	LastPoll *time.Time      `json:"last_poll,omitempty"`
	NextPoll *time.Time      `json:"next_poll,omitempty"`
	LastNew  *time.Time      `json:"last_new,omitempty" doc:"When it last had a new article"`
	Interval float64         `json:"interval_seconds" doc:"Time between polls, learned from how often it publishes"`
	Errors   int             `json:"errors" doc:"Failed polls in a row"`
	Error    string          `json:"error,omitempty" doc:"What the last poll met, in words"`
	Warning  string          `json:"warning,omitempty" doc:"What was odd about the last document though it could be read"`
}

// Counts are arrivals by outcome.
type Counts struct {
	New         int64 `json:"new"`
	Updated     int64 `json:"updated"`
	Unchanged   int64 `json:"unchanged"`
	Duplicate   int64 `json:"duplicate"`
	Quarantined int64 `json:"quarantined"`
	Invalid     int64 `json:"invalid"`
}

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

// FeedOf is a feed with what is counted of it.
func FeedOf(f feedonce.Feed, articles int64, c feedonce.Counts) Feed {
	return Feed{
		ID: f.ID, URL: f.URL, Title: f.Title, Site: f.SiteURL, Folder: f.Folder, Format: f.Format, State: string(f.State), Added: f.Added.UTC(),
		Articles: articles, Counts: Counts(c),
		LastPoll: moment(f.Schedule.LastPoll), NextPoll: moment(f.Schedule.NextPoll), LastNew: moment(f.Schedule.LastNew),
		Interval: f.Schedule.Interval.Seconds(), Errors: f.Errors, Error: f.Error, Warning: f.Warning,
	}
}

// EntryOf is an article.
func EntryOf(e feedonce.Entry) Entry {
	return Entry{
		ID: e.ID, Feed: e.Feed, Title: e.Title, URL: e.URL, GUID: e.GUID, Author: e.Author, Lang: e.Lang,
		Published: moment(e.Published), Updated: moment(e.Updated), FirstSeen: e.FirstSeen.UTC(), Changed: e.Changed.UTC(),
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
	rule := dedup.RuleByID(dedup.RuleID(d.Rule))
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

// moment is a time that may be absent.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
