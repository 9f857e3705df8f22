package shape

import (
	"time"

	"feedonce"
	"feedonce/internal/store"
)

// Amendment is what a person did about a decision.
type Amendment struct {
	ID       int64            `json:"id"`
	At       time.Time        `json:"at"`
	Who      string           `json:"who,omitempty"`
	Kind     string           `json:"kind" enum:"split,merge,join,leave,policy" doc:"split: b was split off a; merge: b became part of a; join: b joined the story of a; leave: a left its story; policy: the feed's policy was changed"`
	Feed     feedonce.FeedID  `json:"feed"`
	A        feedonce.EntryID `json:"a,omitempty"`
	B        feedonce.EntryID `json:"b,omitempty"`
	Decision int64            `json:"decision,omitempty" doc:"That was contradicted"`
	Rule     string           `json:"rule,omitempty" doc:"Of that decision"`
	Note     string           `json:"note" doc:"What happened, for a person"`
	Undone   *time.Time       `json:"undone,omitempty"`
	UndoneBy string           `json:"undone_by,omitempty"`
}

// AmendmentOf is an amendment.
func AmendmentOf(m store.Amendment) Amendment {
	return Amendment{m.ID, m.At.UTC(), m.Who, string(m.Kind), m.Feed, m.A, m.B, m.Decision, m.Rule, m.Note, Moment(m.Undone), m.UndoneBy}
}
