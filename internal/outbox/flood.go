package outbox

import (
	"fmt"
	"strconv"

	"feedonce"
)

// When a brake holds what is new in a document (docs/decisions/0005-flood.md): more than floodLeast articles, and more
// than floodShare of what the feed ever had, and more than floodUsual times what is usual.
const (
	floodLeast = 20
	floodShare = 0.5
	floodUsual = 10

	// While a brake of the feed is open, what is no flood is told: at most floodMore articles, or floodMoreUsual times what
	// was usual before the flood. Anything above is the same flood, and held with it.
	floodMore      = 10
	floodMoreUsual = 5
)

// brake holds the document's messages about new articles, if they are a flood.
func (t *telling) brake() error {
	if t.doc.ByHand || t.doc.First {
		return nil
	}
	n := 0
	for i := range t.doc.Events {
		if t.doc.Events[i].Kind == feedonce.DeliverNew {
			n++
		}
	}
	wanted := false
	for _, p := range t.plans {
		wanted = wanted || len(p.news) > 0
	}
	if !wanted || n <= floodMore {
		return nil
	}
	open, err := t.tx.OpenBrake(t.doc.Feed.ID)
	if err != nil {
		return err
	}
	if open.ID != 0 && float64(n) > floodMoreUsual*open.Usual {
		t.held = open.ID
		return nil
	}
	if n <= floodLeast || float64(n) <= floodUsual*t.doc.Usual {
		return nil
	}
	ever, err := t.tx.EntryCount(t.doc.Feed.ID)
	if err != nil || float64(n) <= floodShare*float64(ever-int64(n)) {
		return err
	}
	if open.ID != 0 {
		t.held = open.ID
		return nil
	}
	if t.held, err = t.tx.AddBrake(feedonce.Brake{Feed: t.doc.Feed.ID, At: t.doc.At, Count: n, Usual: t.doc.Usual, State: feedonce.BrakeOpen}); err != nil {
		return err
	}
	return Notify(t.tx, feedonce.Notice{At: t.doc.At, Kind: NoticeFlood, Feed: t.doc.Feed.ID, Text: fmt.Sprintf(
		"%s had %d new articles in one document, where %s usual. They are stored and shown, but the messages about them are held "+
			"until you say whether they are sent one by one, sent as one, or discarded (feedonce deliveries release %d).",
		t.doc.Feed.Name(), n, usually(t.doc.Usual), t.held)})
}

// usually says how many are usual: "1 is", "3.5 are".
func usually(n float64) string {
	s := strconv.FormatFloat(n, 'f', -1, 64)
	if s != "1" {
		s = strconv.FormatFloat(float64(int64(n*10+0.5))/10, 'f', -1, 64)
	}
	if s == "1" {
		return "1 is"
	}
	return s + " are"
}
