package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
)

type decisionsPage struct {
	page
	Outcomes []choice
	Rules    []choice
	Feed     *feedonce.Feed // only of this feed
	FeedID   string
	Words    string
	Filtered bool
	Rows     []decisionRow
	Older    string
	Newer    string
}

// choice is an option of a form.
type choice struct {
	Value, Label string
	Chosen       bool
}

// suppressed are the outcomes that the page shows unless others are asked for: what was not shown as new.
var suppressed = []string{string(dedup.Duplicate), string(dedup.Updated), string(dedup.Quarantined), string(dedup.Invalid)}

func (s *server) decisions(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	p := decisionsPage{page: s.page(r, "Decisions", "decisions"), Words: strings.TrimSpace(q.Get("q"))}
	f := store.DecisionFilter{Rule: q.Get("rule"), Words: p.Words, Outcomes: suppressed, Limit: pageSize + 1}
	all := append([]string{string(dedup.New)}, suppressed...)
	if asked := slices.DeleteFunc(slices.Clone(q["outcome"]), func(o string) bool { return !slices.Contains(all, o) }); len(asked) > 0 {
		f.Outcomes = asked
	}
	for _, outcome := range all {
		p.Outcomes = append(p.Outcomes, choice{outcome, verbs[outcome], slices.Contains(f.Outcomes, outcome)})
	}
	for _, rule := range dedup.Rules() {
		p.Rules = append(p.Rules, choice{string(rule.ID), string(rule.ID) + " – " + rule.Name, string(rule.ID) == f.Rule})
	}
	if id := q.Get("feed"); id != "" {
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil || n <= 0 {
			return &feedonce.InvalidError{Field: "feed", Reason: "must be the number of a feed, as in the address of its page"}
		}
		f.Feed, p.FeedID = feedonce.FeedID(n), id
	}
	if before := q.Get("before"); before != "" {
		n, err := strconv.ParseInt(before, 10, 64)
		if err != nil || n <= 0 {
			return &feedonce.InvalidError{Field: "the place in the list", Reason: "cannot be read; go back to the first page"}
		}
		f.Before = n
		p.Newer = decisionsPath(q, 0)
	}
	p.Filtered = p.Words != "" || f.Rule != "" || f.Feed != 0 || len(q["outcome"]) > 0
	err := s.Store.View(r.Context(), func(tx *store.Tx) error {
		names := namer{tx: tx}
		if f.Feed != 0 {
			feed, err := tx.Feed(f.Feed)
			if err != nil {
				return err
			}
			p.Feed = &feed
		}
		decisions, err := tx.Decisions(f)
		if err != nil {
			return err
		}
		if len(decisions) > pageSize {
			decisions = decisions[:pageSize]
			p.Older = decisionsPath(q, decisions[pageSize-1].ID)
		}
		p.Rows = nil
		for _, d := range decisions {
			feed, err := names.feed(d.Feed)
			if err != nil {
				return err
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
func decisionsPath(q url.Values, before int64) string {
	next := url.Values{}
	for _, name := range []string{"outcome", "rule", "feed", "q"} {
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
		return "/decisions"
	}
	return "/decisions?" + next.Encode()
}

func queryEscape(s string) string { return url.QueryEscape(s) }
