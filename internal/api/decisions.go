package api

import (
	"context"
	"net/http"

	"feedonce"
	"feedonce/internal/shape"
	"feedonce/internal/store"
)

// DecisionPath is the decision in a path.
type DecisionPath struct {
	Decision int64 `path:"decision" minimum:"1" doc:"Number of the decision"`
}

func (s *server) decisionRoutes() {
	route(s, operation{id: "list-decisions", method: http.MethodGet, path: "/decisions", tag: "decisions", summary: "List decisions, latest first",
		about: "There is one for every arrival that was not unchanged. An arrival that comes again is not recorded again."}, s.listDecisions)
	route(s, operation{id: "get-decision", method: http.MethodGet, path: "/decisions/{decision}", tag: "decisions", summary: "A decision",
		errors: []int{http.StatusNotFound}}, s.getDecision)
}

type decisionQuery struct {
	Feed    feedonce.FeedID  `query:"feed" minimum:"1" doc:"Only of this feed"`
	Entry   feedonce.EntryID `query:"entry" minimum:"1" doc:"Only about this article"`
	Outcome []string         `query:"outcome" maxItems:"6" enum:"new,updated,unchanged,duplicate,quarantined,invalid" doc:"Only with one of these outcomes, separated by commas"`
	Rule    string           `query:"rule" maxLength:"20" example:"R1" doc:"Only by this rule"`
	Words   string           `query:"words" maxLength:"4096" doc:"Only arrivals with this guid or URL, or with all of these words in the title"`
	Paging
}

// decisionList is a page of decisions.
type decisionList struct {
	Decisions []shape.Decision `json:"decisions"`
	Next      string           `json:"next,omitempty" doc:"The after of the next page; absent on the last one"`
}

func (s *server) listDecisions(ctx context.Context, in *decisionQuery) (*body[decisionList], error) {
	before, err := in.numberAfter()
	if err != nil {
		return nil, err
	}
	var out decisionList
	err = s.view(ctx, func(tx *store.Tx) error {
		out = decisionList{}
		found, err := tx.Decisions(store.DecisionFilter{
			Feed: in.Feed, Entry: in.Entry, Outcomes: in.Outcome, Rule: in.Rule, Words: in.Words, Limit: in.Limit + 1, Before: before,
		})
		page, isMore := more(found, in.Limit)
		if isMore {
			out.Next = number(page[len(page)-1].ID)
		}
		out.Decisions = make([]shape.Decision, len(page))
		for i, d := range page {
			out.Decisions[i] = shape.DecisionOf(d)
		}
		return err
	})
	return answer(out, err)
}

func (s *server) getDecision(ctx context.Context, in *DecisionPath) (*body[shape.Decision], error) {
	var out shape.Decision
	err := s.view(ctx, func(tx *store.Tx) error {
		d, err := tx.Decision(in.Decision)
		out = shape.DecisionOf(d)
		return err
	})
	return answer(out, err)
}
