package api

import (
	"context"
	"net/http"

	"feedonce/internal/explain"
	"feedonce/internal/shape"
	"feedonce/internal/store"
)

func (s *server) explainRoutes() {
	route(s, operation{id: "explain-entry", method: http.MethodGet, path: "/entries/{entry}/explain", tag: "entries", summary: "Why an article is here",
		about:  "What was decided about everything that came for it, by which rule and on what evidence, what else it might have been, what people said, and what changed from version to version.",
		errors: []int{http.StatusNotFound}}, s.explainEntry)
	route(s, operation{id: "explain-decision", method: http.MethodGet, path: "/decisions/{decision}/explain", tag: "decisions", summary: "Why it was decided so",
		about:  "The decision in words. Of an arrival that is held or refused, and so is no article, it says all there is to say.",
		errors: []int{http.StatusNotFound}}, s.explainDecision)
	route(s, operation{id: "find", method: http.MethodGet, path: "/find", tag: "entries", summary: "Find articles and arrivals by URL, guid or words of a title",
		about: "An arrival that is not shown (folded, held or refused) is found, too. Titles are looked through where nothing has the URL, guid or number."}, s.findArticles)
}

type explainQuery struct {
	EntryPath
	Check bool `query:"check" doc:"Decide again from what is stored, and say whether the same comes out"`
}

func (s *server) explainEntry(ctx context.Context, in *explainQuery) (*body[shape.Explanation], error) {
	var out shape.Explanation
	err := s.view(ctx, func(tx *store.Tx) error {
		a, err := explain.Of(tx, in.Entry)
		if err != nil {
			return err
		}
		var checks map[int64]explain.Check
		if in.Check {
			if checks, err = explain.Again(tx, a); err != nil {
				return err
			}
		}
		out = shape.ExplanationOf(a, checks)
		return nil
	})
	return answer(out, err)
}

func (s *server) explainDecision(ctx context.Context, in *DecisionPath) (*body[shape.Explained], error) {
	var out shape.Explained
	err := s.view(ctx, func(tx *store.Tx) error {
		d, err := tx.Decision(in.Decision)
		if err != nil {
			return err
		}
		lone, err := explain.Arrival(tx, d)
		if err != nil {
			return err
		}
		out = shape.ExplainedOf(&lone.Decision, nil)
		return nil
	})
	return answer(out, err)
}

type findQuery struct {
	Q string `query:"q" required:"true" minLength:"1" maxLength:"4096" doc:"A number of an article, a URL in whatever spelling, a guid, or words of a title"`
}

// Found is what was found.
type Found struct {
	Entries  []shape.Entry    `json:"entries" doc:"Articles that have it, or into which something was folded that has it; or whose titles have the words"`
	Arrivals []shape.Decision `json:"arrivals" doc:"Decisions about arrivals that have it and are not shown by themselves"`
}

func (s *server) findArticles(ctx context.Context, in *findQuery) (*body[Found], error) {
	var out Found
	err := s.view(ctx, func(tx *store.Tx) error {
		out = Found{Entries: []shape.Entry{}, Arrivals: []shape.Decision{}}
		f, err := explain.Find(tx, in.Q)
		if err != nil {
			return err
		}
		for _, id := range f.Articles {
			e, err := tx.Entry(id)
			if err != nil {
				return err
			}
			e.Summary, e.Content = "", ""
			out.Entries = append(out.Entries, shape.EntryOf(e))
		}
		for _, e := range f.Titled {
			out.Entries = append(out.Entries, shape.EntryOf(e))
		}
		for _, d := range append(f.Arrivals, f.TitledArrivals...) {
			out.Arrivals = append(out.Arrivals, shape.DecisionOf(d))
		}
		return nil
	})
	return answer(out, err)
}
