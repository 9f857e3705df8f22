package outbox

import (
	"feedonce"
	"feedonce/internal/store"
)

// Kinds of notices.
const (
	NoticeFlood       = "flood"       // a brake holds what is new in a feed
	NoticeDestination = "destination" // a destination cannot be sent to any more
)

// Notify stores a notice, and tells it to the destinations that want notices, each once; but not to the one it is about.
// Quiet hours hold for notices, too; they come in no digest.
func Notify(tx *store.Tx, n feedonce.Notice) error {
	id, err := tx.AddNotice(n)
	if err != nil {
		return err
	}
	routes, err := tx.ActiveRoutes()
	if err != nil {
		return err
	}
	var rows []feedonce.Delivery
	for _, r := range routes {
		if r.Route.Notices && r.ID != n.Destination {
			rows = append(rows, feedonce.Delivery{Destination: r.ID, Kind: feedonce.DeliverNotice, Feed: n.Feed, Revision: int(id),
				State: feedonce.DeliveryPending, Created: n.At, Due: QuietUntil(r.Route.Quiet, n.At)})
		}
	}
	return put(tx, rows, asleep(routes))
}
