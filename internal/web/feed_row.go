package web

import (
	"fmt"
	"html/template"
	"strings"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/chart"
	"feedonce/internal/store"
)

// A feedRow is a feed and how it is.
type feedRow struct {
	feedonce.Feed
	Counts    feedonce.Counts
	Home      link
	Address   link
	Status    string // "ok", "failing", "paused", "gone", "waiting", "silent": a class and, in words, StatusWords
	LastPoll  moment
	NextPoll  moment
	LastNew   moment
	ErrorAt   moment
	FirstOK   moment
	AddedAt   moment
	Every     string
	MovedLink link

	Month    feedonce.Counts // of the last 30 days
	Copies   string          // the share of copies in it; "" where there were none
	Polls    template.HTML   // the last of them
	Identity identity
	Remedy   string // for the error, "" where there is none
}

// StatusWords is the status for a person.
func (f feedRow) StatusWords() string {
	switch f.Status {
	case "failing":
		return "failing"
	case "paused":
		return "paused"
	case "gone":
		return "gone"
	case "waiting":
		return "not polled yet"
	case "silent":
		return fmt.Sprintf("nothing new for %d days", recentDays)
	}
	return "fine"
}

func (s *server) feedRow(f feedonce.Feed, c feedonce.Counts) feedRow {
	row := feedRow{
		Feed: f, Counts: c, Home: linkTo(f.SiteURL), Address: linkTo(f.URL),
		Status:   status(f.State, f.Error != "", f.Schedule.LastPoll, f.Schedule.LastNew, s.Now()),
		LastPoll: s.at(f.Schedule.LastPoll), NextPoll: s.at(f.Schedule.NextPoll), LastNew: s.at(f.Schedule.LastNew),
		ErrorAt: s.at(f.ErrorAt), FirstOK: s.at(f.FirstOK), AddedAt: s.at(f.Added), MovedLink: linkTo(f.MovedTo),
	}
	if f.Schedule.Interval > 0 {
		row.Every = span(max(f.Schedule.Interval, f.Schedule.Floor))
	}
	return row
}

// viewRow is feedRow with what is remembered of the feed's polls, and its counts of the last 30 days.
func (s *server) viewRow(v store.FeedView, month feedonce.Counts) feedRow {
	row := s.feedRow(v.Feed, feedonce.Counts{})
	row.Month = month
	if month.Duplicate > 0 {
		row.Copies = share(month.Duplicate, month.Duplicate+month.New)
	}
	outcomes := v.Recent.Outcomes()
	row.Polls = template.HTML(chart.Marks(fmt.Sprintf("polls-%d", v.ID), pollWords(outcomes), pollMarks(outcomes), store.RecentPolls))
	row.Identity = identityOf(&v.Learned)
	if v.Error != "" {
		row.Remedy = remedy(v.ErrorKind, int(v.ErrorStatus))
	}
	return row
}

// pollMarks are the bars of polls: the more was found, the higher; one that failed hangs below the line.
func pollMarks(outcomes []store.PollOutcome) []chart.Mark {
	var marks []chart.Mark
	for _, o := range outcomes {
		switch o {
		case store.PollNew:
			marks = append(marks, chart.Mark{Height: 1, Class: "c-new"})
		case store.PollChanged:
			marks = append(marks, chart.Mark{Height: .6, Class: "c-changed"})
		case store.PollFailed:
			marks = append(marks, chart.Mark{Height: 1, Below: true, Class: "c-error"})
		default:
			marks = append(marks, chart.Mark{Height: .2, Class: "c-unchanged"})
		}
	}
	return marks
}

// pollWords says what the bars show.
func pollWords(outcomes []store.PollOutcome) string {
	if len(outcomes) == 0 {
		return "Not polled yet"
	}
	counts := map[store.PollOutcome]int64{}
	for _, o := range outcomes {
		counts[o]++
	}
	var parts []string
	for _, o := range []store.PollOutcome{store.PollNew, store.PollChanged, store.PollNothing, store.PollFailed} {
		if n := counts[o]; n > 0 {
			parts = append(parts, number(n)+" "+outcomeWords(o))
		}
	}
	return fmt.Sprintf("Last %s: %s; the latest %s", plural(int64(len(outcomes)), "poll", "polls"), strings.Join(parts, ", "), outcomeWords(outcomes[len(outcomes)-1]))
}

func outcomeWords(o store.PollOutcome) string {
	switch o {
	case store.PollNew:
		return "brought new articles"
	case store.PollChanged:
		return "changed something"
	case store.PollFailed:
		return "failed"
	}
	return "found nothing"
}

// An identity says by what the articles of a feed can be known again, as far as its documents have taught it.
type identity struct {
	Word string
	Why  string // a sentence
}

// enough is how many links must have differed before they are said to tell articles apart.
const enough = 5

func identityOf(st *dedup.State) identity {
	guids := 0
	for _, row := range st.Manifest {
		if row.GUID != 0 {
			guids++
		}
	}
	links := st.Links.Shared == 0 && st.Links.Distinct >= enough
	var id identity
	switch {
	case len(st.Manifest) == 0:
		return identity{"not known yet", "No document with items came yet."}
	case !st.GUIDVolatile && len(st.SharedGUIDs) == 0 && guids == len(st.Manifest):
		id = identity{"by guid", "Every item has a guid, and the guids have held."}
	case !st.GUIDVolatile && len(st.SharedGUIDs) > 0:
		id = identity{"guids shared", fmt.Sprintf("%s stood on different articles at once.", plural(int64(len(st.SharedGUIDs)), "guid", "guids"))}
	case st.GUIDVolatile && links:
		id = identity{"by link", "The guids change from poll to poll, and the links tell articles apart."}
	case st.GUIDVolatile:
		id = identity{"by content", "The guids change from poll to poll, and the links do not tell articles apart."}
	case links:
		id = identity{"by link", "Not every item has a guid, and the links tell articles apart."}
	default:
		id = identity{"by content", "Not every item has a guid, and links have not shown yet that they tell articles apart."}
	}
	if st.Links.Shared > 0 {
		id.Why += fmt.Sprintf(" %s on several articles.", plural(int64(st.Links.Shared), "link stood", "links stood"))
	}
	if st.DatesVolatile {
		id.Why += " Its dates change from poll to poll, and are no evidence."
	}
	return id
}

// remedies are what to do about an error, by its kind.
var remedies = map[string]string{
	"url":        "Remove the feed and add it with its right address.",
	"dns":        "Look for a typing error in the address. If the site is gone for good, remove the feed.",
	"connect":    "The server may be down. It is tried again by itself; after some days, look on the site for a new address.",
	"tls":        "Only the owner of the site can put its certificate right.",
	"forbidden":  "If the feed is in your own network, allow that: setting allow-net.",
	"timeout":    "It is tried again by itself. If it stays so, the server is too slow for this feed.",
	"redirect":   "Open the address in a browser, and add the feed where that ends.",
	"too large":  "Ask the publisher for a feed with fewer or shorter items.",
	"limit":      "Ask the publisher for a feed with fewer or shorter items.",
	"encoding":   "The answer is broken on its way or at the server. It is tried again by itself.",
	"protocol":   "The server does not answer as web servers do. Check the address.",
	"gone":       "Look on the site for a new address. Resume the feed to try this one again.",
	"not a feed": "Open the address in a browser. If it shows a page, add that page: the feeds that it names are found.",
	"conflict":   "Nothing is to be done: the next poll tries again.",
	"store":      "See that the database has space and answers. The next poll tries again.",
	"fault":      "This is a fault of the program: report it with the address of the feed.",
}

func remedy(kind string, status int) string {
	if kind != "status" {
		return remedies[kind]
	}
	switch {
	case status == 401 || status == 407:
		return "The feed needs a name and password: add it with them, as https://name:password@…"
	case status == 403 || status == 451:
		return "The server refuses this program. Ask the publisher to allow feed readers."
	case status == 404:
		return "Look on the site for the feed's new address. If there is none, remove the feed."
	case status == 429:
		return "Nothing is to be done: the server is left alone as long as it asks for."
	case status >= 500:
		return "The fault is the server's. It is tried again by itself."
	}
	return "Open the address in a browser to see what the server says."
}

// A pollRow is a poll in the log of a feed.
type pollRow struct {
	At     moment
	Words  string
	Failed bool
	Status int // 0: no answer
	Size   string
	Took   string
	Found  string
}

func (s *server) pollRow(p store.Poll) pollRow {
	row := pollRow{At: s.at(p.At), Words: sentence(outcomeWords(p.Outcome)), Failed: p.Outcome == store.PollFailed, Status: p.Status, Took: took(p.Took), Found: sentence(p.Error)}
	if p.Wire > 0 {
		row.Size = size(p.Wire)
	}
	if row.Failed {
		return row
	}
	var parts []string
	for _, n := range []struct {
		n     int64
		words string
	}{{p.Counts.New, "new"}, {p.Counts.Updated, "updated"}, {p.Counts.Duplicate, "copies"}, {p.Counts.Quarantined, "held"}, {p.Counts.Invalid, "unreadable"}, {p.Counts.Unchanged, "unchanged"}} {
		if n.n > 0 {
			parts = append(parts, number(n.n)+" "+n.words)
		}
	}
	row.Found = strings.Join(parts, ", ")
	return row
}
