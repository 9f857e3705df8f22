package web

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"feedonce"
	"feedonce/internal/store"
)

// feedsPerPage is how many feeds a page lists.
const feedsPerPage = 200

type feedsPage struct {
	page
	Rows    []feedRow
	Total   int64 // feeds in all
	Failing int64
	Paused  int64
	Words   string
	Show    string // "", "failing" or "paused"
	Found   int64  // feeds that the filter lets through
	Next    string
	Prev    string
	CanPoll bool
	Counts  feedonce.Counts
}

// A feedRow is a feed and how it is.
type feedRow struct {
	feedonce.Feed
	Counts    feedonce.Counts
	Home      link
	Address   link
	Status    string // "ok", "failing", "paused", "gone", "waiting": a class and, in words, StatusWords
	LastPoll  moment
	NextPoll  moment
	LastNew   moment
	ErrorAt   moment
	FirstOK   moment
	AddedAt   moment
	Every     string
	MovedLink link
}

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
	}
	return "fine"
}

// Articles is how many articles ever came.
func (f feedRow) Articles() int64 { return f.Counts.New }

func (s *server) feedRow(f feedonce.Feed, c feedonce.Counts) feedRow {
	row := feedRow{
		Feed: f, Counts: c, Home: linkTo(f.SiteURL), Address: linkTo(f.URL), Status: "ok",
		LastPoll: s.at(f.Schedule.LastPoll), NextPoll: s.at(f.Schedule.NextPoll), LastNew: s.at(f.Schedule.LastNew),
		ErrorAt: s.at(f.ErrorAt), FirstOK: s.at(f.FirstOK), AddedAt: s.at(f.Added), MovedLink: linkTo(f.MovedTo),
	}
	switch {
	case f.State == feedonce.FeedPaused:
		row.Status = "paused"
	case f.State == feedonce.FeedGone:
		row.Status = "gone"
	case f.Error != "":
		row.Status = "failing"
	case f.Schedule.LastPoll.IsZero():
		row.Status = "waiting"
	}
	if f.Schedule.Interval > 0 {
		row.Every = span(max(f.Schedule.Interval, f.Schedule.Floor))
	}
	return row
}

func (s *server) feeds(w http.ResponseWriter, r *http.Request) error {
	p := feedsPage{page: s.page(r, "Feeds", "feeds"), Words: strings.TrimSpace(r.FormValue("q")), Show: r.FormValue("show"), CanPoll: s.Poller != nil}
	var feeds []feedonce.Feed
	var counts map[feedonce.FeedID]feedonce.Counts
	err := s.Store.View(r.Context(), func(tx *store.Tx) (err error) {
		if feeds, err = tx.Feeds(); err != nil {
			return err
		}
		counts, err = tx.FeedCounts(time.Time{})
		return err
	})
	if err != nil {
		return err
	}
	number, err := strconv.Atoi(r.FormValue("page"))
	if err != nil || number < 1 {
		number = 1
	}
	words := strings.Fields(strings.ToLower(p.Words))
	for _, f := range feeds {
		p.Total++
		p.Counts.Add(counts[f.ID])
		row := s.feedRow(f, counts[f.ID])
		switch row.Status {
		case "failing", "gone":
			p.Failing++
		case "paused":
			p.Paused++
		}
		if p.Show == "failing" && row.Status != "failing" && row.Status != "gone" || p.Show == "paused" && row.Status != "paused" || !has(f, words) {
			continue
		}
		p.Found++
		if p.Found > int64(number-1)*feedsPerPage && p.Found <= int64(number)*feedsPerPage {
			p.Rows = append(p.Rows, row)
		}
	}
	address := func(n int) string {
		return "/feeds?show=" + queryEscape(p.Show) + "&q=" + queryEscape(p.Words) + "&page=" + strconv.Itoa(n)
	}
	if p.Found > int64(number)*feedsPerPage {
		p.Next = address(number + 1)
	}
	if number > 1 {
		p.Prev = address(number - 1)
	}
	return s.render(w, "feeds", p)
}

// has reports whether a feed has all words in its name, folder or address.
func has(f feedonce.Feed, words []string) bool {
	text := strings.ToLower(f.Title + " " + f.Folder + " " + f.URL)
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}
