package api

import (
	"context"
	"net/http"
	"time"

	"feedonce"
	"feedonce/internal/amend"
	"feedonce/internal/shape"
	"feedonce/internal/store"
)

func (s *server) quarantineRoutes() {
	route(s, operation{id: "list-held", method: http.MethodGet, path: "/quarantine", tag: "quarantine", summary: "List held items, latest first"}, s.listHeld)
	route(s, operation{id: "accept-held", method: http.MethodPost, path: "/quarantine/{decision}/accept", tag: "quarantine", summary: "Make an article of a held item",
		about:  "It is new, and told as it would have been. With always, the feed is judged so that its items are not held any more, and all that is held of it is accepted.",
		errors: []int{http.StatusNotFound, http.StatusConflict}}, s.acceptHeld)
	route(s, operation{id: "reject-held", method: http.MethodPost, path: "/quarantine/{decision}/reject", tag: "quarantine", summary: "Leave a held item out for good",
		status: http.StatusNoContent, errors: []int{http.StatusNotFound, http.StatusConflict}}, s.rejectHeld)
}

// Held is an arrival that a policy holds.
type Held struct {
	Decision shape.Decision   `json:"decision" doc:"Of its latest arrival, with what came"`
	FeedName string           `json:"feed_name"`
	Since    time.Time        `json:"since" doc:"When it was held first"`
	State    string           `json:"state" enum:"open,accepted,rejected"`
	Closed   *time.Time       `json:"closed,omitempty" doc:"When a person decided"`
	Who      string           `json:"who,omitempty"`
	Entry    feedonce.EntryID `json:"entry,omitempty" doc:"The article it became"`
}

// HeldOf is a held item.
func HeldOf(h store.Held) Held {
	return Held{Decision: shape.DecisionOf(h.Decision), FeedName: h.FeedName, Since: h.Since.UTC(), State: string(h.State), Closed: shape.Moment(h.Closed), Who: h.Who, Entry: h.Entry}
}

type heldQuery struct {
	Feed  feedonce.FeedID `query:"feed" minimum:"1" doc:"Only of this feed"`
	State string          `query:"state" enum:"open,accepted,rejected" default:"open" doc:"Only in this state"`
	Paging
}

// heldList is a page of held items.
type heldList struct {
	Held []Held `json:"held"`
	Next string `json:"next,omitempty" doc:"The after of the next page; absent on the last one"`
}

func (s *server) listHeld(ctx context.Context, in *heldQuery) (*body[heldList], error) {
	before, err := in.numberAfter()
	if err != nil {
		return nil, err
	}
	var out heldList
	err = s.view(ctx, func(tx *store.Tx) error {
		out = heldList{}
		found, err := tx.HeldItems(store.HeldFilter{Feed: in.Feed, State: store.HeldState(in.State), Limit: in.Limit + 1, Before: before})
		page, isMore := more(found, in.Limit)
		if isMore {
			out.Next = number(page[len(page)-1].Decision.ID)
		}
		out.Held = make([]Held, len(page))
		for i, h := range page {
			out.Held[i] = HeldOf(h)
		}
		return err
	})
	return answer(out, err)
}

type acceptInput struct {
	DecisionPath
	Always bool `query:"always" doc:"Hold nothing more of its feed"`
}

// accepted is what held items became.
type accepted struct {
	Entries []feedonce.EntryID `json:"entries" doc:"The articles, in the order in which their items came"`
}

func (s *server) acceptHeld(ctx context.Context, in *acceptInput) (*body[accepted], error) {
	if !in.Always {
		id, err := amend.Accept(ctx, s.Store, in.Decision, s.by(ctx))
		return answer(accepted{[]feedonce.EntryID{id}}, err)
	}
	var h store.Held
	err := s.view(ctx, func(tx *store.Tx) (err error) {
		h, err = tx.HeldItem(in.Decision)
		return err
	})
	if err != nil {
		return nil, err
	}
	entries, err := amend.AcceptAlways(ctx, s.Store, h.Decision.Feed, s.by(ctx))
	if entries == nil {
		entries = []feedonce.EntryID{}
	}
	return answer(accepted{entries}, err)
}

func (s *server) rejectHeld(ctx context.Context, in *DecisionPath) (*none, error) {
	return nil, amend.Reject(ctx, s.Store, in.Decision, s.by(ctx))
}
