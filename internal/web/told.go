package web

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"feedonce"
	"feedonce/internal/store"
)

// A telling is what a destination was told of an article, as a line of its page.
type telling struct {
	To    string
	Path  string // of the destination
	State feedonce.DeliveryState
	Verb  string // "told", "to be told", "not told"
	What  string // "" is the article itself
	When  moment
	Note  string
}

// maxTellings is how many lines an article's page has of who was told.
const maxTellings = 100

// tellings says who was told of an article, the oldest first.
func (s *server) tellings(tx *store.Tx, id feedonce.EntryID) (rows []telling, err error) {
	all, err := tx.Deliveries(store.DeliveryFilter{Entry: id, Limit: maxTellings})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	destinations, err := tx.Destinations()
	if err != nil {
		return nil, err
	}
	slices.Reverse(all)
	for _, d := range all {
		var to feedonce.Destination
		if i := slices.IndexFunc(destinations, func(to feedonce.Destination) bool { return to.ID == d.Destination }); i >= 0 {
			to = destinations[i]
		}
		t := telling{To: to.Name, Path: destinationPath(d.Destination), State: d.State, When: s.at(d.Created), Note: d.Note}
		if d.Kind == feedonce.DeliverUpdate {
			t.What = "of an update"
		}
		switch d.State {
		case feedonce.DeliverySent:
			t.Verb, t.When = "told", s.at(d.Done)
		case feedonce.DeliveryPending, feedonce.DeliveryRetry:
			t.Verb, t.When = "to be told", s.at(d.Due)
			if !d.Due.After(s.Now()) {
				t.When, t.Note = s.at(d.Created), cmp.Or(s.waits(to), d.Note)
			}
		case feedonce.DeliverySending:
			t.Verb = "being told"
		case feedonce.DeliveryHeld:
			t.Verb = "to be told when the flood brake is released"
		case feedonce.DeliveryUnknown:
			t.Verb, t.When = "perhaps told", s.at(d.Done)
		default:
			t.Verb, t.When = "not told", s.at(d.Done)
		}
		if !t.When.Known() {
			t.When = s.at(d.Created)
		}
		rows = append(rows, t)
	}
	return rows, nil
}

// took writes how long an attempt took.
func took(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
