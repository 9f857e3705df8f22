package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/explain"
	"feedonce/internal/store"
)

type decisionsPage struct {
	page
	Outcomes []choice
	Rules    []choice
	Feeds    []choice
	Feed     *feedonce.Feed // only of this feed
	FeedID   string
	Day      string
	Words    string
	Filtered bool
	Rows     []decisionRow
	Older    string
	Newer    string
	CSV      string // address of the same as a file
	NDJSON   string
}

// choice is an option of a form.
type choice struct {
	Value, Label string
	Chosen       bool
}

// suppressed are the outcomes that the page shows unless others are asked for: what was not shown as new.
var suppressed = []string{string(dedup.Duplicate), string(dedup.Updated), string(dedup.Quarantined), string(dedup.Invalid)}

// maxFeedChoices is up to how many feeds there are, they can be chosen from a list.
const maxFeedChoices = 1000

// A decisionQuery is the filter of the page and of its export.
type decisionQuery struct {
	store.DecisionFilter
	day *daySpan
}

func (s *server) decisionQuery(r *http.Request) (decisionQuery, error) {
	q := r.URL.Query()
	f := decisionQuery{DecisionFilter: store.DecisionFilter{User: followed(r), Rule: q.Get("rule"), Words: strings.TrimSpace(q.Get("q")), Outcomes: suppressed}}
	if asked := slices.DeleteFunc(slices.Clone(q["outcome"]), func(o string) bool { return verbs[o] == "" || o == string(dedup.Unchanged) }); len(asked) > 0 {
		f.Outcomes = asked
	}
	if id := q.Get("feed"); id != "" {
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil || n <= 0 {
			return f, &feedonce.InvalidError{Field: "feed", Reason: "must be the number of a feed, as in the address of its page"}
		}
		f.Feed = feedonce.FeedID(n)
	}
	if before := q.Get("before"); before != "" {
		n, err := strconv.ParseInt(before, 10, 64)
		if err != nil || n <= 0 {
			return f, &feedonce.InvalidError{Field: "the place in the list", Reason: "cannot be read; go back to the first page"}
		}
		f.Before = n
	}
	if text := q.Get("day"); text != "" {
		day, err := s.parseDay(text)
		if err != nil {
			return f, err
		}
		f.day = &day
	}
	return f, nil
}

// read returns at most n decisions of the query, latest first, and the number before which to go on; 0 at the end.
func (f decisionQuery) read(tx *store.Tx, n int) (out []feedonce.Decision, next int64, err error) {
	filter := f.DecisionFilter
	filter.Limit = n + 1
	if f.day != nil {
		if err := f.day.seek(tx); err != nil {
			return nil, 0, err
		}
		if f.day.before > 0 && (filter.Before == 0 || f.day.before < filter.Before) {
			filter.Before = f.day.before
		}
	}
	for {
		list, err := tx.Decisions(filter)
		if err != nil {
			return nil, 0, err
		}
		for _, d := range list {
			filter.Before = d.ID
			switch {
			case f.day == nil || f.day.has(d.At):
				if len(out) == n {
					return out, out[n-1].ID, nil
				}
				out = append(out, d)
			case f.day.past(d.At):
				return out, 0, nil
			}
		}
		if len(list) < filter.Limit {
			return out, 0, nil
		}
	}
}

func (s *server) decisions(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	p := decisionsPage{page: s.page(r, "Decisions", "decisions"), Words: strings.TrimSpace(q.Get("q")), FeedID: q.Get("feed"), Day: q.Get("day")}
	f, err := s.decisionQuery(r)
	if err != nil {
		return err
	}
	for _, outcome := range append([]string{string(dedup.New)}, suppressed...) {
		p.Outcomes = append(p.Outcomes, choice{outcome, verbs[outcome], slices.Contains(f.Outcomes, outcome)})
	}
	for _, rule := range dedup.Rules() {
		p.Rules = append(p.Rules, choice{string(rule.ID), string(rule.ID) + " – " + rule.Name, string(rule.ID) == f.Rule})
	}
	if f.Before > 0 {
		p.Newer = decisionsPath("/decisions", q, 0)
	}
	p.Filtered = p.Words != "" || f.Rule != "" || f.Feed != 0 || f.day != nil || len(q["outcome"]) > 0
	p.CSV, p.NDJSON = decisionsPath("/decisions.csv", q, 0), decisionsPath("/decisions.ndjson", q, 0)
	err = s.Store.View(r.Context(), func(tx *store.Tx) error {
		p.Rows, p.Feeds, p.Older = nil, nil, ""
		names := namer{tx: tx}
		if f.Feed != 0 {
			if err := maySee(tx, f.User, f.Feed); err != nil {
				return err
			}
			feed, err := tx.Feed(f.Feed)
			if err != nil {
				return err
			}
			p.Feed = &feed
		}
		feeds, err := visibleFeeds(tx, r)
		if err != nil {
			return err
		}
		if len(feeds) <= maxFeedChoices {
			slices.SortFunc(feeds, func(a, b feedonce.Feed) int {
				return strings.Compare(strings.ToLower(a.Name()), strings.ToLower(b.Name()))
			})
			for _, feed := range feeds {
				p.Feeds = append(p.Feeds, choice{strconv.FormatInt(int64(feed.ID), 10), clip(feed.Name(), 80), feed.ID == f.Feed})
			}
		}
		decisions, next, err := f.read(tx, pageSize)
		if err != nil {
			return err
		}
		if next > 0 {
			p.Older = decisionsPath("/decisions", q, next)
		}
		for _, d := range decisions {
			feed, err := names.feed(d.Feed)
			if err != nil {
				return err
			}
			if !p.User.Admin() {
				d.Quiet = explain.Hush(d.Quiet)
			}
			p.Rows = append(p.Rows, s.decision(d, feed.Name()))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.render(w, "decisions", p)
}

// decisionsPath is the address of the decisions before one, with the same filter.
func decisionsPath(path string, q url.Values, before int64) string {
	next := url.Values{}
	for _, name := range []string{"outcome", "rule", "feed", "q", "day"} {
		for _, v := range q[name] {
			if v != "" {
				next.Add(name, v)
			}
		}
	}
	if before > 0 {
		next.Set("before", strconv.FormatInt(before, 10))
	}
	if len(next) == 0 {
		return path
	}
	return path + "?" + next.Encode()
}

func queryEscape(s string) string { return url.QueryEscape(s) }

// An arrivalPage is one decision, whole.
type arrivalPage struct {
	page
	Row      decisionRow
	Headline string
	Remarks  []string
	Entry    *brief
	Held     string // "open", "accepted", "rejected": where it is or was held
}

// arrived shows one decision: what came, and why it was decided so.
func (s *server) arrived(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	p := arrivalPage{page: s.page(r, "", "decisions")}
	err = s.Store.View(r.Context(), func(tx *store.Tx) error {
		d, err := tx.Decision(id)
		if err != nil {
			return err
		}
		if !p.User.Admin() {
			d.Quiet = explain.Hush(d.Quiet)
		}
		lone, err := explain.Arrival(tx, d)
		if err != nil {
			return err
		}
		p.Row, p.Headline, p.Remarks, p.Entry, p.Held = s.decision(d, lone.Feed.Name()), lone.Headline(), lone.Remarks(), nil, ""
		if d.Entry != 0 {
			all, err := s.briefs(tx, d.Entry)
			if notFoundIsNothing(err) != nil {
				return err
			}
			if len(all) > 0 {
				p.Entry = &all[0]
			}
		}
		h, err := tx.HeldItem(id)
		if err == nil {
			p.Held = string(h.State)
		}
		return notFoundIsNothing(err)
	})
	if err != nil {
		return err
	}
	p.Title = titleOr(p.Row.Title)
	return s.render(w, "arrival", p)
}
