package api

import (
	"context"
	"net/http"
	"time"

	"feedonce"
	"feedonce/internal/store"
)

func (s *server) quarantineRoutes() {
	route(s, operation{id: "list-held", method: http.MethodGet, path: "/quarantine", tag: "quarantine", summary: "List held items, latest first"}, s.listHeld)
}

// Held is an arrival that a policy holds.
type Held struct {
	Decision Decision         `json:"decision" doc:"Of its latest arrival, with what came"`
	FeedName string           `json:"feed_name"`
	Since    time.Time        `json:"since" doc:"When it was held first"`
	State    string           `json:"state" enum:"open,accepted,rejected"`
	Closed   *time.Time       `json:"closed,omitempty" doc:"When a person decided"`
	Who      string           `json:"who,omitempty"`
	Entry    feedonce.EntryID `json:"entry,omitempty" doc:"The article it became"`
}

// HeldOf is a held item.
func HeldOf(h store.Held) Held {
	return Held{Decision: DecisionOf(h.Decision), FeedName: h.FeedName, Since: h.Since.UTC(), State: string(h.State), Closed: moment(h.Closed), Who: h.Who, Entry: h.Entry}
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
