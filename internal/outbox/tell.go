package outbox

import (
	"slices"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
)

// telling is one document on its way to destinations.
type telling struct {
	tx    *store.Tx
	doc   *Document
	plans []*plan
	held  int64 // the brake that holds what is new; 0: none
	rows  []feedonce.Delivery
	// asleep are destinations that are not sent to now.
	asleep map[feedonce.DestinationID]bool
}

// A plan is what one destination is told.
type plan struct {
	to      store.Routed
	news    []*Event
	updates []*Event
}

// story says that the destination hears once of an article that stands in several feeds.
func (p *plan) story() bool { return p.to.Route.Scope != feedonce.ScopeFeed }

// choose asks every route what it wants of the document.
func (t *telling) choose(routes []store.Routed) {
	events := t.doc.Events
	articles := make([]article, len(events))
	for i := range events {
		articles[i].entry = &events[i].Entry
	}
	t.asleep = asleep(routes)
	for _, r := range routes {
		choice, _ := choose(r.Route)
		if !choice.Feed(t.doc.Feed) {
			continue
		}
		p := &plan{to: r}
		from := 0
		if t.doc.First {
			from = backlogFrom(r.Route.Backlog, events)
		}
		for i := range events {
			ev := &events[i]
			wanted := ev.tellsNew()
			if t.doc.First {
				wanted = ev.Kind == feedonce.DeliverNew && i >= from
			}
			if wanted && choice.article(&articles[i]) {
				p.news = append(p.news, ev)
			}
		}
		t.plans = append(t.plans, p)
		if !r.Route.Updates {
			continue
		}
		for i := range events {
			if events[i].tellsUpdate() && choice.article(&articles[i]) {
				p.updates = append(p.updates, &events[i])
			}
		}
	}
}

// backlogFrom returns the index of the first event, oldest first, that a backlog asks for.
func backlogFrom(b feedonce.Backlog, events []Event) int {
	if b == (feedonce.Backlog{}) {
		return len(events)
	}
	n := b.Latest
	if n <= 0 || n > MaxBacklog {
		n = MaxBacklog
	}
	from := max(0, len(events)-n)
	for !b.Since.IsZero() && from < len(events) && events[from].Entry.Time().Before(b.Since) {
		from++
	}
	return from
}

// stories leaves out articles where another one of their story was told.
func (t *telling) stories() error {
	var to []feedonce.DestinationID
	var entries, repeated []feedonce.EntryID
	for _, p := range t.plans {
		if !p.story() {
			continue
		}
		asks := false
		for _, ev := range p.news {
			if ev.Story && !slices.Contains(entries, ev.Entry.ID) {
				entries = append(entries, ev.Entry.ID)
			}
			repeated = append(repeated, ev.Repeats...)
			asks = asks || ev.Story
		}
		if asks {
			to = append(to, p.to.ID)
		}
	}
	told, err := map[feedonce.DestinationID]map[feedonce.EntryID]bool{}, error(nil)
	if len(to) > 0 {
		if told, err = t.tx.ToldInStory(to, entries); err != nil {
			return err
		}
	}
	repeats, err := deliveries(t.tx, repeated)
	if err != nil {
		return err
	}
	for _, p := range t.plans {
		if !p.story() {
			continue
		}
		p.news = slices.DeleteFunc(p.news, func(ev *Event) bool {
			return ev.Story && told[p.to.ID][ev.Entry.ID] ||
				slices.ContainsFunc(ev.Repeats, func(id feedonce.EntryID) bool { return slices.ContainsFunc(repeats[p.to.ID][id], isTold) })
		})
	}
	return nil
}

// isTold says that a delivery tells of a new article, some day at the latest.
func isTold(d feedonce.Delivery) bool {
	return d.Kind == feedonce.DeliverNew && d.State != feedonce.DeliverySkipped
}

// updates tells destinations of updates of what they were told of. One that is not sent yet is sent as the article is
// then, so it needs no second message; of two updates that wait, the later one is sent.
func (t *telling) updates() error {
	var entries []feedonce.EntryID
	for _, p := range t.plans {
		for _, ev := range p.updates {
			if !slices.Contains(entries, ev.Entry.ID) {
				entries = append(entries, ev.Entry.ID)
			}
		}
	}
	all, err := deliveries(t.tx, entries)
	if err != nil || len(entries) == 0 {
		return err
	}
	var late []feedonce.DeliveryID
	for _, p := range t.plans {
		for _, ev := range p.updates {
			known := false
			for _, d := range all[p.to.ID][ev.Entry.ID] {
				switch {
				case d.Kind == feedonce.DeliverNew:
					known = d.State == feedonce.DeliverySent || d.State == feedonce.DeliverySending || d.State == feedonce.DeliveryUnknown
				case d.Kind == feedonce.DeliverUpdate && waits(d.State):
					late = append(late, d.ID)
				}
			}
			if known {
				t.add(p, ev, feedonce.DeliveryPending)
			}
		}
	}
	if len(late) == 0 {
		return nil
	}
	_, err = t.tx.SetDeliveries(late, waiting, feedonce.DeliverySkipped, t.doc.At, "a later version is told instead")
	return err
}

// waiting are the states of deliveries that were not sent and will be, or may be.
var waiting = []feedonce.DeliveryState{feedonce.DeliveryPending, feedonce.DeliveryRetry, feedonce.DeliveryHeld}

func waits(s feedonce.DeliveryState) bool { return slices.Contains(waiting, s) }

// add adds a row for a destination.
func (t *telling) add(p *plan, ev *Event, state feedonce.DeliveryState) *feedonce.Delivery {
	d := feedonce.Delivery{Destination: p.to.ID, Kind: ev.Kind, Entry: ev.Entry.ID, Feed: t.doc.Feed.ID, State: state,
		Created: t.doc.At, Due: Due(p.to.Route, t.doc.At)}
	if ev.Kind == feedonce.DeliverUpdate {
		d.Revision = ev.Entry.Revision
	}
	t.rows = append(t.rows, d)
	return &t.rows[len(t.rows)-1]
}

// write stores the rows. Articles that came many at once are one message for each destination, which a digest is anyway.
func (t *telling) write() error {
	for _, p := range t.plans {
		batch := int64(0)
		if t.held == 0 && len(p.news) > 1 && p.to.Route.Digest == nil && slices.ContainsFunc(p.news, func(ev *Event) bool { return ev.Quiet == dedup.QuietMany }) {
			var err error
			if batch, err = t.tx.NewBatch(); err != nil {
				return err
			}
		}
		for _, ev := range p.news {
			d := t.add(p, ev, feedonce.DeliveryPending)
			d.Batch = batch
			if t.held != 0 {
				d.State, d.Brake, d.Note = feedonce.DeliveryHeld, t.held, "held, as the feed had far more new articles at once than ever"
			}
		}
	}
	return put(t.tx, t.rows, t.asleep)
}

// asleep returns the destinations that are paused or switched off: their messages wait, and nobody needs to be woken.
func asleep(routes []store.Routed) map[feedonce.DestinationID]bool {
	ids := map[feedonce.DestinationID]bool{}
	for _, r := range routes {
		if r.State != feedonce.DestinationActive {
			ids[r.ID] = true
		}
	}
	return ids
}

// put stores rows, and wakes who has to send them.
func put(tx *store.Tx, rows []feedonce.Delivery, asleep map[feedonce.DestinationID]bool) error {
	if len(rows) == 0 {
		return nil
	}
	if _, err := tx.PutDeliveries(rows); err != nil {
		return err
	}
	return wake(tx, rows, asleep)
}

// ledger is deliveries by destination and entry.
type ledger map[feedonce.DestinationID]map[feedonce.EntryID][]feedonce.Delivery

// deliveries reads the deliveries about entries; nothing is asked for none.
func deliveries(tx *store.Tx, entries []feedonce.EntryID) (ledger, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	rows, err := tx.DeliveriesAbout(entries)
	if err != nil {
		return nil, err
	}
	l := ledger{}
	for _, d := range rows {
		if l[d.Destination] == nil {
			l[d.Destination] = map[feedonce.EntryID][]feedonce.Delivery{}
		}
		l[d.Destination][d.Entry] = append(l[d.Destination][d.Entry], d)
	}
	return l, nil
}
