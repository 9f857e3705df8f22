package web

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"feedonce"
	"feedonce/internal/store"
)

// feedsPerPage is how many feeds a page lists.
const feedsPerPage = 100

// recentDays is what the figures of a feed in the list are about, and after so many days without an article a feed is silent.
const recentDays = 30

type feedsPage struct {
	page
	Rows    []feedRow
	Total   int64 // feeds in all
	Failing int64
	Paused  int64
	Silent  int64
	Words   string
	Show    string // "", "failing", "paused" or "silent"
	Sort    string
	Sorts   []choice
	Found   int64 // feeds that the filter lets through
	Next    string
	Prev    string
	CanPoll bool
}

// Tab returns the address of the list with another filter.
func (p feedsPage) Tab(show string) string { return p.address(show, 1) }

func (p feedsPage) address(show string, number int) string {
	q := url.Values{}
	for name, value := range map[string]string{"show": show, "q": p.Words, "sort": p.Sort} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if number > 1 {
		q.Set("page", strconv.Itoa(number))
	}
	if len(q) == 0 {
		return "/feeds"
	}
	return "/feeds?" + q.Encode()
}

// feedSorts are the orders of the list, each with what compares two feeds; 0 leaves them by folder and name.
var feedSorts = []struct {
	value, label string
	compare      func(a, b *feedLine) int
}{
	{"", "folder and name", func(a, b *feedLine) int { return 0 }},
	{"copies", "most copies", func(a, b *feedLine) int { return cmp.Compare(b.rate(), a.rate()) }},
	{"articles", "most articles", func(a, b *feedLine) int { return cmp.Compare(b.month.New, a.month.New) }},
	{"next", "next poll", func(a, b *feedLine) int { return compareTimes(a.NextPoll, b.NextPoll, 1) }},
	{"last", "latest article", func(a, b *feedLine) int { return compareTimes(a.LastNew, b.LastNew, -1) }},
	{"added", "added last", func(a, b *feedLine) int { return b.Added.Compare(a.Added) }},
}

// compareTimes sorts by time, in the direction 1 or -1, and what has none last in both.
func compareTimes(a, b time.Time, direction int) int {
	if a.IsZero() != b.IsZero() {
		if a.IsZero() {
			return 1
		}
		return -1
	}
	return direction * a.Compare(b)
}

// A feedLine is a feed in the list before it is known which of them the page shows.
type feedLine struct {
	store.FeedLine
	status string
	key    string // what it is sorted by
	month  feedonce.Counts
}

// rate is the share of copies among the arrivals that were not there yet, with many articles before few.
func (f *feedLine) rate() float64 {
	if f.month.Duplicate == 0 {
		return 0
	}
	return float64(f.month.Duplicate) / float64(f.month.Duplicate+f.month.New)
}

// status says how a feed is.
func status(state feedonce.FeedState, failing bool, lastPoll, lastNew, now time.Time) string {
	switch {
	case state == feedonce.FeedPaused:
		return "paused"
	case state == feedonce.FeedGone:
		return "gone"
	case failing:
		return "failing"
	case lastPoll.IsZero():
		return "waiting"
	case !lastNew.IsZero() && now.Sub(lastNew) > recentDays*24*time.Hour:
		return "silent"
	}
	return "ok"
}

func shows(show, status string) bool {
	switch show {
	case "failing":
		return status == "failing" || status == "gone"
	case "paused", "silent":
		return status == show
	}
	return true
}

// feeds lists feeds. What thousands of them are sorted and filtered by is little; the rest is read for those of the page.
func (s *server) feeds(w http.ResponseWriter, r *http.Request) error {
	p := feedsPage{page: s.page(r, "Feeds", "feeds"), Words: strings.TrimSpace(r.FormValue("q")), CanPoll: s.Poller != nil}
	if show := r.FormValue("show"); show == "failing" || show == "paused" || show == "silent" {
		p.Show = show
	}
	compare := feedSorts[0].compare
	for _, o := range feedSorts {
		if o.value == r.FormValue("sort") {
			p.Sort, compare = o.value, o.compare
		}
	}
	for _, o := range feedSorts {
		p.Sorts = append(p.Sorts, choice{o.value, o.label, o.value == p.Sort})
	}
	number, err := strconv.Atoi(r.FormValue("page"))
	if err != nil || number < 1 || number > 1_000_000 {
		number = 1
	}
	var ids []feedonce.FeedID
	var views map[feedonce.FeedID]store.FeedView
	var months map[feedonce.FeedID]feedonce.Counts
	err = s.Store.View(r.Context(), func(tx *store.Tx) error {
		lines, err := s.feedLines(tx, r, &p)
		if err != nil {
			return err
		}
		since := s.Now().AddDate(0, 0, -recentDays+1)
		if p.Sort == "copies" || p.Sort == "articles" { // of all of them, as any may be first
			if months, err = tx.DayCountsByFeed(since, nil); err != nil {
				return err
			}
			for _, l := range lines {
				l.month = months[l.ID]
			}
		}
		slices.SortFunc(lines, func(a, b *feedLine) int {
			return cmp.Or(compare(a, b), strings.Compare(a.key, b.key), cmp.Compare(a.ID, b.ID))
		})
		lines = lines[min((number-1)*feedsPerPage, len(lines)):min(number*feedsPerPage, len(lines))]
		ids = make([]feedonce.FeedID, len(lines))
		for i, l := range lines {
			ids[i] = l.ID
		}
		if months == nil {
			if months, err = tx.DayCountsByFeed(since, ids); err != nil {
				return err
			}
		}
		if views, err = tx.FeedViews(ids); err != nil {
			return err
		}
		return s.renameViews(tx, r, views)
	})
	if err != nil {
		return err
	}
	for _, id := range ids {
		p.Rows = append(p.Rows, s.viewRow(views[id], months[id]))
	}
	if p.Found > int64(number)*feedsPerPage {
		p.Next = p.address(p.Show, number+1)
	}
	if number > 1 {
		p.Prev = p.address(p.Show, number-1)
	}
	return s.render(w, "feeds", p)
}

// feedLines counts the feeds that the page is about, and returns those that its filter lets through.
func (s *server) feedLines(tx *store.Tx, r *http.Request, p *feedsPage) ([]*feedLine, error) {
	shown, err := shownFeeds(tx, r)
	if err != nil {
		return nil, err
	}
	all, err := tx.FeedLines(shown)
	if err != nil {
		return nil, err
	}
	own, err := ownNames(tx, r)
	if err != nil {
		return nil, err
	}
	if own != nil {
		for i := range all {
			own.rename(all[i].ID, &all[i].Title, &all[i].Folder)
		}
	}
	words := strings.Fields(strings.ToLower(p.Words))
	now := s.Now()
	var lines []*feedLine
	for _, f := range all {
		l := &feedLine{FeedLine: f, status: status(f.State, f.Failing, f.LastPoll, f.LastNew, now)}
		p.Total++
		switch l.status {
		case "failing", "gone":
			p.Failing++
		case "paused":
			p.Paused++
		case "silent":
			p.Silent++
		}
		if shows(p.Show, l.status) && has(f, words) {
			// Sorted here, as the databases differ in what they take for the same letter in another case.
			l.key = strings.ToLower(f.Folder) + "\x00" + strings.ToLower(f.Name())
			lines = append(lines, l)
		}
	}
	p.Found = int64(len(lines))
	return lines, nil
}

// has reports whether a feed has all words in its name, folder or address.
func has(f store.FeedLine, words []string) bool {
	text := strings.ToLower(f.Title + " " + f.Folder + " " + f.URL)
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}
