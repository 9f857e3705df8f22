package web

import (
	"net/http"
	"strconv"

	"feedonce"
	"feedonce/internal/store"
)

// Destinations, deliveries and outputs: what leaves this installation. dest*.go, deliveries.go and outputs.go have a page each;
// told.go says on an article's page who was told of it.

// sending is a handler of a page that needs what sends messages. Without it (in the demo), the page says so.
func (s *server) sending(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if s.Engine == nil {
			return s.unavailable(w, r, "Destinations", "Messages are not sent from here.")
		}
		return h(w, r)
	}
}

// publishing is the same of a page that needs the key of the outputs' addresses.
func (s *server) publishing(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if s.Box == nil {
			return s.unavailable(w, r, "Output feeds", "Feeds are not published from here.")
		}
		return h(w, r)
	}
}

type unavailablePage struct {
	page
	Text string
}

func (s *server) unavailable(w http.ResponseWriter, r *http.Request, title, text string) error {
	if r.Method == http.MethodPost {
		return &feedonce.InvalidError{Field: "this", Reason: "cannot be done here: a demo keeps nothing and tells nobody; start `feedonce serve` for it"}
	}
	return s.render(w, "unavailable", unavailablePage{page: s.page(r, title, "destinations"), Text: text})
}

// sendingNotice says what a form of these pages did.
func sendingNotice(done string, n int64) string {
	messages := plural(n, "message", "messages")
	switch done {
	case "destination-added":
		if n > 0 {
			return "The destination was added. " + sentence(plural(n, "article", "articles")+" of the backlog will be sent") + " Send a test to see whether it works."
		}
		return "The destination was added, and is told of what comes from now on. Send a test to see whether it works."
	case "destination-saved":
		return "Saved. What waits to be sent is sent in this way."
	case "destination-paused":
		return "The destination is paused. Its messages wait until you resume it."
	case "destination-resumed":
		return "The destination is sent to again."
	case "destination-removed":
		return "The destination was removed, with the record of what it was told."
	case "retry":
		return messages + " to be sent now."
	case "skip":
		return messages + " skipped."
	case "arrived":
		return messages + " marked as sent."
	case "none-chosen":
		return "Nothing was done: no message was chosen."
	case "released":
		return "The flood brake is released: " + messages + " to be sent, one by one."
	case "digested":
		return "The flood brake is released: " + messages + " to be sent, gathered into one for each destination."
	case "discarded":
		return "The flood brake is closed: " + messages + " discarded. The articles stay."
	case "output-added":
		return "The output feed was added. Its addresses are below."
	case "output-saved":
		return "Saved. Its addresses stay the same."
	case "output-changed":
		return "The output feed was changed. Its addresses are the same."
	case "output-renewed":
		return "The output feed has new addresses. The old ones lead nowhere any more."
	case "output-removed":
		return "The output feed was removed. Its addresses lead nowhere any more."
	}
	return ""
}

// stateWords are the states of deliveries in the order in which they are listed: first what may want a person.
var stateWords = []struct {
	state feedonce.DeliveryState
	words string
}{
	{feedonce.DeliveryUnknown, "unknown"}, {feedonce.DeliveryDead, "given up"}, {feedonce.DeliveryHeld, "held"}, {feedonce.DeliveryRetry, "retrying"},
	{feedonce.DeliveryPending, "waiting"}, {feedonce.DeliverySending, "being sent"}, {feedonce.DeliverySent, "sent"}, {feedonce.DeliverySkipped, "skipped"},
}

func wordsOf(state feedonce.DeliveryState) string {
	for _, s := range stateWords {
		if s.state == state {
			return s.words
		}
	}
	return string(state)
}

// A stateCount is how many deliveries are in a state, and where they are listed.
type stateCount struct {
	State   feedonce.DeliveryState
	Words   string
	N       int64
	Address string
	Chosen  bool
}

func destinationPath(id feedonce.DestinationID) string {
	return "/destinations/" + strconv.FormatInt(int64(id), 10)
}

func (s *server) pathDestination(tx *store.Tx, r *http.Request) (feedonce.Destination, error) {
	id, err := pathID(r, "id")
	if err != nil {
		return feedonce.Destination{}, err
	}
	return tx.Destination(feedonce.DestinationID(id))
}

// askPage asks before something goes for good.
type askPage struct {
	page
	Heading string
	Name    string
	Says    []string
	Action  string
	Button  string
	Back    string
	Keep    string // on the button that leads back
}
