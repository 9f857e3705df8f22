package web

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/chart"
	"feedonce/internal/store"
)

// The dashboard: how many items came, and what became of them. What the poller has counted and not stored yet is added, so
// that it is true to the minute where polling and pages are one process.

// topRows is how many rules, feeds and pairs of feeds are listed.
const topRows = 12

type dashboardPage struct {
	page
	Range    string
	Ranges   []rangeTab
	Empty    bool // nothing came
	Whole    bool // it is about all feeds, and has the figures that are not kept by feed
	Items    int64
	New, Out int64 // articles that were new, and those of them that no other feed had brought
	Funnel   []barRow
	Arrivals *figure
	Rate     *figure
	Rules    []barRow
	Feeds    []barRow
	Pairs    []barRow

	Unchanged  int64 // arrivals that wrote nothing
	Quiet      int64 // polls that were not even parsed
	Polls      int64
	QuietShare string
	Kinds      []barRow
	ByTime     *figure
	Late, Lag  []barRow
}

type rangeTab struct {
	Value, Name string
	Current     bool
}

// A period is what the dashboard is about.
type period struct {
	value, name string
	since       time.Time
	columns     []time.Time // hours or days, each named by its beginning
	hourly      bool
}

// periods returns those one can choose. Today is by the hours of the place the pages are made for; days are those of UTC,
// in which they are counted.
func (s *server) periods() []period {
	now := s.Now()
	local := now.In(s.Location)
	midnight := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, s.Location)
	today := period{value: "today", name: "Today", since: midnight.UTC().Truncate(time.Hour), hourly: true}
	for h := today.since; !h.After(now); h = h.Add(time.Hour) {
		today.columns = append(today.columns, h)
	}
	all := []period{today}
	for _, days := range []int{7, 30, 90} {
		p := period{value: fmt.Sprint(days), name: fmt.Sprint(days, " days")}
		last := now.UTC().Truncate(24 * time.Hour)
		for d := days - 1; d >= 0; d-- {
			p.columns = append(p.columns, last.AddDate(0, 0, -d))
		}
		p.since = p.columns[0]
		all = append(all, p)
	}
	return all
}

// column returns the beginning of the column that an hour belongs in.
func (p period) column(hour time.Time) time.Time {
	if p.hourly {
		return hour
	}
	return hour.UTC().Truncate(24 * time.Hour)
}

func (p period) label(t time.Time, in *time.Location) string {
	if p.hourly {
		return t.In(in).Format("15:04")
	}
	return t.Format("2 Jan")
}

// shownFeeds returns the feeds that a list and its figures are about: what a reader follows; nil, which is all, for an
// administrator.
func shownFeeds(tx *store.Tx, r *http.Request) ([]feedonce.FeedID, error) {
	reader := followed(r)
	if reader == 0 {
		return nil, nil
	}
	return subscribed(tx, reader)
}

// counted is what was counted in a period.
type counted struct {
	period
	arrivals map[time.Time]feedonce.Counts  // by column
	polls    map[time.Time]store.HourCounts // by column
	sum      feedonce.Counts
	pollSum  store.HourCounts
	rules    []ranked[string]                    // copies recorded, most first
	copies   []ranked[feedonce.FeedID]           // copies recorded, of the feeds with most
	feeds    map[feedonce.FeedID]feedonce.Counts // of these
	pairs    []store.PairCount
	joined   int64
	names    map[feedonce.FeedID]string
}

// count reads the figures, in a number of statements that does not depend on how many feeds there are.
func (s *server) count(tx *store.Tx, p period, feeds []feedonce.FeedID) (*counted, error) {
	c := &counted{period: p, polls: map[time.Time]store.HourCounts{}, pollSum: store.HourCounts{}}
	var err error
	if p.hourly {
		c.arrivals, err = tx.ArrivalsByHour(p.since, feeds)
	} else {
		c.arrivals, err = tx.ArrivalsByDay(p.since, feeds)
	}
	if err != nil {
		return nil, err
	}
	hours := map[time.Time]store.HourCounts{}
	if feeds == nil { // they are of all feeds together
		if hours, err = tx.HourCounts(p.since); err != nil {
			return nil, err
		}
	}
	duplicates, err := tx.Duplicates(p.since, feeds)
	if err != nil {
		return nil, err
	}
	c.rules = rank(duplicates, func(d store.RuleCount) string { return d.Rule })
	c.copies = rank(duplicates, func(d store.RuleCount) feedonce.FeedID { return d.Feed })
	if c.joined, err = tx.Joined(p.since, feeds); err != nil {
		return nil, err
	}
	if c.pairs, err = tx.SharedByPair(p.since, feeds, topRows); err != nil {
		return nil, err
	}
	if s.Poller != nil {
		for _, u := range s.Poller.Uncounted() {
			if u.Hour.Before(p.since) {
				continue
			}
			if feeds == nil {
				if hours[u.Hour] == nil {
					hours[u.Hour] = store.HourCounts{}
				}
				hours[u.Hour].Add(u.Polls)
			}
			for id, n := range u.Feeds {
				if feeds == nil || slices.Contains(feeds, id) {
					addTo(c.arrivals, p.column(u.Hour), n)
				}
			}
		}
	}
	for hour, n := range hours {
		column := p.column(hour)
		if c.polls[column] == nil {
			c.polls[column] = store.HourCounts{}
		}
		c.polls[column].Add(n)
		c.pollSum.Add(n)
	}
	for _, n := range c.arrivals {
		c.sum.Add(n)
	}
	var named []feedonce.FeedID
	for _, pair := range c.pairs {
		named = append(named, pair.A, pair.B)
	}
	most := make([]feedonce.FeedID, len(c.copies))
	for i, r := range c.copies {
		most[i] = r.key
	}
	if c.feeds, err = tx.DayCountsByFeed(p.since, most); err != nil {
		return nil, err
	}
	c.names, err = tx.FeedNames(append(named, most...))
	return c, err
}

// A ranked is a key with how often it was counted.
type ranked[K cmp.Ordered] struct {
	key K
	n   int64
}

// rank adds up copies by a key, and returns the keys with most.
func rank[K cmp.Ordered](duplicates []store.RuleCount, key func(store.RuleCount) K) []ranked[K] {
	sums := map[K]int64{}
	for _, d := range duplicates {
		sums[key(d)] += d.N
	}
	all := make([]ranked[K], 0, len(sums))
	for k, n := range sums {
		all = append(all, ranked[K]{k, n})
	}
	slices.SortFunc(all, func(a, b ranked[K]) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.key, b.key)) })
	return all[:min(len(all), topRows)]
}

func addTo[K comparable](m map[K]feedonce.Counts, key K, n feedonce.Counts) {
	sum := m[key]
	sum.Add(n)
	m[key] = sum
}

func (s *server) dashboard(w http.ResponseWriter, r *http.Request) error {
	p := dashboardPage{page: s.page(r, "Dashboard", "dashboard")}
	all := s.periods()
	chosen := all[1]
	for _, one := range all {
		if one.value == r.FormValue("range") {
			chosen = one
		}
	}
	for _, one := range all {
		p.Ranges = append(p.Ranges, rangeTab{one.value, one.name, one.value == chosen.value})
	}
	p.Range = chosen.name
	var c *counted
	err := s.Store.View(r.Context(), func(tx *store.Tx) error {
		feeds, err := shownFeeds(tx, r)
		if err != nil {
			return err
		}
		p.Whole = feeds == nil
		c, err = s.count(tx, chosen, feeds)
		return err
	})
	if err != nil {
		return err
	}
	p.Items, p.New, p.Out, p.Unchanged = c.sum.Total(), c.sum.New, max(c.sum.New-c.joined, 0), c.sum.Unchanged
	p.Funnel = c.funnel()
	p.Arrivals, p.Rate = c.arrivalsFigure(s.Location), c.rateFigure(s.Location)
	p.Rules, p.Feeds, p.Pairs = c.ruleRows(), c.feedRows(), c.pairRows()
	p.Kinds = bucketRows(c.pollSum, kindsOfPolls)
	for _, k := range p.Kinds {
		p.Polls += k.N
	}
	p.Quiet = c.pollSum[store.PollsNotModified] + c.pollSum[store.PollsSameBytes]
	p.QuietShare = share(p.Quiet, p.Polls)
	p.ByTime = c.pollsFigure(s.Location)
	p.Late, p.Lag = bucketRows(c.pollSum, lateness), bucketRows(c.pollSum, lagging)
	p.Empty = p.Items == 0 && p.Polls == 0
	return s.render(w, "dashboard", p)
}

// funnel is what became of the items, from all that arrived down to the articles that are left.
func (c *counted) funnel() []barRow {
	n := c.sum
	rows := []barRow{
		{Label: "Items arrived", N: n.Total(), Class: "c-all", Note: "in the documents of all polls"},
		{Label: "− unchanged", N: n.Unchanged, Class: "c-unchanged", Note: "as they are stored"},
		{Label: "− updates", N: n.Updated, Class: "c-updated", Note: "of articles that are there"},
		{Label: "− copies", N: n.Duplicate, Class: "c-copy", Note: "folded into their article", URL: "/decisions?outcome=duplicate"},
		{Label: "− held", N: n.Quarantined, Class: "c-held", Note: "until a person accepts them", URL: "/quarantine"},
		{Label: "− unreadable", N: n.Invalid, Class: "c-invalid", Note: "with nothing to know them by", URL: "/decisions?outcome=invalid"},
		{Label: "= new articles", N: n.New, Class: "c-new", Note: "in their feed"},
		{Label: "− had by another feed", N: c.joined, Class: "c-copy", Note: "the same article, in one story"},
		{Label: "= articles out", N: max(n.New-c.joined, 0), Class: "c-new", Note: "each once"},
	}
	for i := range rows {
		rows[i].Share = share(rows[i].N, n.Total())
		rows[i].Strong = strings.HasPrefix(rows[i].Label, "=") || i == 0
		rows[i].Bar = template.HTML(chart.Bar(rows[i].N, n.Total(), rows[i].Class))
	}
	return rows
}

func (c *counted) ruleRows() []barRow {
	var rows []barRow
	for _, r := range c.rules {
		rule := dedup.RuleByID(dedup.RuleID(r.key))
		rows = append(rows, barRow{Label: r.key, Note: rule.Sentence, N: r.n, Class: "c-copy", URL: "/decisions?outcome=duplicate&rule=" + queryEscape(r.key)})
	}
	return bars(rows, false)
}

func (c *counted) feedRows() []barRow {
	var rows []barRow
	for _, r := range c.copies {
		row := barRow{Label: c.names[r.key], Untrusted: true, N: r.n, Class: "c-copy", URL: fmt.Sprintf("/decisions?feed=%d&outcome=duplicate", r.key)}
		if n := c.feeds[r.key]; n.Duplicate > 0 {
			row.Note = share(n.Duplicate, n.Duplicate+n.New) + " of what was not there yet"
		}
		rows = append(rows, row)
	}
	return bars(rows, false)
}

func (c *counted) pairRows() []barRow {
	var rows []barRow
	for _, pair := range c.pairs {
		rows = append(rows, barRow{Label: c.names[pair.A], Other: c.names[pair.B], Untrusted: true, N: pair.N, Class: "c-copy", URL: feedPath(pair.A), OtherURL: feedPath(pair.B)})
	}
	return bars(rows, false)
}
