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
	row.Remedy = remedy(&v)
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

// remedies are what to do about an error, by its kind, where its words do not say so themselves: those of package fetch do.
var remedies = map[string]string{
	"not a feed": "Open the address in a browser. If it shows a page, add that page: the feeds that it names are found.",
	"limit":      "Ask the publisher for a feed with fewer or shorter items.",
	"fault":      "This is a fault of the program: report it with the address of the feed.",
}

// remedy returns what to do about the error of a feed's last poll; "" where its words say it.
func remedy(v *store.FeedView) string {
	if v.Error == "" || v.ErrorKind == "not a feed" && strings.Contains(v.Error, "It names a feed") {
		return ""
	}
	return remedies[v.ErrorKind]
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
