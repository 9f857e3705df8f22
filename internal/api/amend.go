package api

import (
	"context"
	"net/http"

	"feedonce"
	"feedonce/internal/amend"
	"feedonce/internal/shape"
	"feedonce/internal/store"
)

func (s *server) amendRoutes() {
	route(s, operation{id: "split", method: http.MethodPost, path: "/decisions/{decision}/split", tag: "amendments", summary: "Say that a decision took an arrival for another article, wrongly",
		about:  "What was folded becomes an article of its own, and the two are never taken for the same again, until that is undone. A rule that was reversed twice in a feed only raises suspicion there.",
		errors: []int{http.StatusNotFound, http.StatusConflict}}, s.split)
	route(s, operation{id: "merge", method: http.MethodPost, path: "/entries/{entry}/merge", tag: "amendments", summary: "Say that two articles are the same",
		about:  "Of two of one feed the younger becomes part of the older; two of different feeds become one story.",
		errors: []int{http.StatusNotFound, http.StatusConflict}}, s.merge)
	route(s, operation{id: "leave-story", method: http.MethodPost, path: "/entries/{entry}/leave", tag: "amendments", summary: "Take an article out of its story",
		errors: []int{http.StatusNotFound, http.StatusConflict}}, s.leave)
	route(s, operation{id: "list-amendments", method: http.MethodGet, path: "/amendments", tag: "amendments", summary: "List what people did about decisions, latest first"}, s.listAmendments)
	route(s, operation{id: "undo", method: http.MethodPost, path: "/amendments/{amendment}/undo", tag: "amendments", summary: "Take back a split, a merge, or what was done to a story",
		errors: []int{http.StatusNotFound, http.StatusConflict}}, s.undo)
}

func amended(m store.Amendment, err error) (*body[shape.Amendment], error) {
	return answer(shape.AmendmentOf(m), err)
}

func (s *server) split(ctx context.Context, in *DecisionPath) (*body[shape.Amendment], error) {
	return amended(amend.Split(ctx, s.Store, in.Decision, s.by(ctx)))
}

type mergeInput struct {
	EntryPath
	Body struct {
		With feedonce.EntryID `json:"with" minimum:"1" doc:"Number of the other article"`
	}
}

func (s *server) merge(ctx context.Context, in *mergeInput) (*body[shape.Amendment], error) {
	return amended(amend.Merge(ctx, s.Store, in.Entry, in.Body.With, s.by(ctx)))
}

func (s *server) leave(ctx context.Context, in *EntryPath) (*body[shape.Amendment], error) {
	return amended(amend.Leave(ctx, s.Store, in.Entry, s.by(ctx)))
}

type amendmentInput struct {
	Amendment int64 `path:"amendment" minimum:"1" doc:"Number of the amendment"`
}

func (s *server) undo(ctx context.Context, in *amendmentInput) (*body[shape.Amendment], error) {
	return amended(amend.Undo(ctx, s.Store, in.Amendment, s.by(ctx)))
}

type amendmentQuery struct {
	Feed  feedonce.FeedID  `query:"feed" minimum:"1" doc:"Only in this feed"`
	Entry feedonce.EntryID `query:"entry" minimum:"1" doc:"Only about this article"`
	Holds bool             `query:"holds" doc:"Only those that are not undone"`
	Paging
}

// amendmentList is a page of amendments.
type amendmentList struct {
	Amendments []shape.Amendment `json:"amendments"`
	Next       string            `json:"next,omitempty" doc:"The after of the next page; absent on the last one"`
}

func (s *server) listAmendments(ctx context.Context, in *amendmentQuery) (*body[amendmentList], error) {
	before, err := in.numberAfter()
	if err != nil {
		return nil, err
	}
	var out amendmentList
	err = s.view(ctx, func(tx *store.Tx) error {
		out = amendmentList{}
		found, err := tx.Amendments(store.AmendmentFilter{Feed: in.Feed, Entry: in.Entry, Holds: in.Holds, Limit: in.Limit + 1, Before: before})
		page, isMore := more(found, in.Limit)
		if isMore {
			out.Next = number(page[len(page)-1].ID)
		}
		out.Amendments = make([]shape.Amendment, len(page))
		for i, m := range page {
			out.Amendments[i] = shape.AmendmentOf(m)
		}
		return err
	})
	return answer(out, err)
}
