package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// TestDeliveries lists and filters messages of every state, and does what each of its buttons says.
func TestDeliveries(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := filledOn(t, st)
		page := s.get("/deliveries", http.StatusOK)
		mustSay(t, "the list", page, "Flood: ", "had 40 new articles at once", "about 3", `value="released"`, "Hook", "<b>8</b> in all", "Note of given up.")
		for _, st := range stateWords {
			path := "/deliveries?dest=1&feed=1&entry=1&state=" + string(st.state)
			page := s.get(path, http.StatusOK)
			mustSay(t, path, page, "Note of "+st.words, "1 flood brake holds")
			if got := strings.Count(page, `<li class="message`); got != 1 {
				t.Errorf("%s lists %d messages, want 1", path, got)
			}
		}
		mustSay(t, "a state without messages", s.get("/deliveries?dest=1&brake=1&state=dead", http.StatusOK), "No message is like that")
		for _, q := range []string{"dest=x", "feed=-1", "entry=a", "brake=0x", "before=x", "state=lost"} {
			s.get("/deliveries?"+q, http.StatusBadRequest)
		}
		s.get("/deliveries?feed=77", http.StatusNotFound)
		s.get("/deliveries?entry=77", http.StatusNotFound)

		// The numbers are those of stateWords.
		number := func(state feedonce.DeliveryState) string {
			for i, st := range stateWords {
				if st.state == state {
					return string(rune('1' + i))
				}
			}
			return ""
		}
		want := s.states()
		do := func(form url.Values, notice string, moved map[feedonce.DeliveryState]feedonce.DeliveryState) {
			t.Helper()
			at, _ := s.post("/deliveries", form, http.StatusSeeOther)
			mustSay(t, "after "+form.Encode(), s.get(at, http.StatusOK), notice)
			for i, st := range stateWords {
				if to, ok := moved[st.state]; ok {
					want[i] = to
				}
			}
			if diff := cmp.Diff(want, s.states()); diff != "" {
				t.Fatalf("states after %s (-want +got):\n%s", form.Encode(), diff)
			}
		}
		const unknown, dead, held, retry, pending, sending, sent, skipped = feedonce.DeliveryUnknown, feedonce.DeliveryDead, feedonce.DeliveryHeld, feedonce.DeliveryRetry,
			feedonce.DeliveryPending, feedonce.DeliverySending, feedonce.DeliverySent, feedonce.DeliverySkipped
		type moves = map[feedonce.DeliveryState]feedonce.DeliveryState
		do(url.Values{"do": {"retry"}}, "no message was chosen", nil)
		do(url.Values{"one": {"arrived:" + number(unknown)}, "id": {number(dead)}}, "1 message marked as sent.", moves{unknown: sent})
		do(url.Values{"one": {"retry:" + number(dead)}}, "1 message to be sent now.", moves{dead: pending})
		do(url.Values{"do": {"skip"}, "id": {number(retry), number(sending)}}, "1 message skipped.", moves{retry: skipped})
		do(url.Values{"do": {"retry"}, "all": {"1"}, "state": {"skipped"}, "dest": {"1"}}, "2 messages to be sent now.", moves{retry: pending, skipped: pending})
		do(url.Values{"do": {"skip"}, "all": {"1"}}, "no message was chosen", nil) // all of what is only asked for by state
		do(url.Values{"do": {"arrived"}, "id": {number(sent), number(pending)}}, "0 messages marked as sent.", nil)
		for _, form := range []url.Values{{"do": {"burn"}, "id": {"1"}}, {"one": {"burn:1"}}, {"do": {"skip"}, "id": {"x"}}, {"do": {"skip"}, "state": {"x"}, "all": {"1"}}, {"one": {"skip:"}}} {
			s.post("/deliveries", form, http.StatusBadRequest)
		}
		if diff := cmp.Diff(want, s.states()); diff != "" {
			t.Errorf("states after forms that make no sense (-want +got):\n%s", diff)
		}
	})
}

// TestWhatADestinationWaitsFor reads why a message that is due is not sent.
func TestWhatADestinationWaitsFor(t *testing.T) {
	s := filled(t)
	s.view(func(tx *store.Tx) error {
		d, err := tx.Destination(1)
		if err != nil {
			return err
		}
		server := &server{Options: Options{Now: func() time.Time { return now }, Location: time.UTC}}
		for want, change := range map[string]func(*feedonce.Destination){
			"": func(*feedonce.Destination) {},
			"Waits until the destination is resumed.":                   func(d *feedonce.Destination) { d.State = feedonce.DestinationPaused },
			"Waits: the destination is switched off.":                   func(d *feedonce.Destination) { d.State = feedonce.DestinationDisabled },
			"Waits until the destination is tried again, in 5 minutes.": func(d *feedonce.Destination) { d.OpenUntil = now.Add(5 * time.Minute) },
			"Waits until its quiet hours are over, in 30 minutes.":      func(d *feedonce.Destination) { d.Route.Quiet = []feedonce.Hours{{From: "14:00", To: "16:00"}} },
		} {
			d := d
			change(&d)
			if got := server.waits(d); got != want {
				t.Errorf("it waits: %q, want %q", got, want)
			}
		}
		return nil
	})
	s.post("/destinations/1/pause", nil, http.StatusSeeOther)
	mustSay(t, "what waits at a destination that is paused", s.get("/deliveries?state=pending", http.StatusOK), "Waits until the destination is resumed.")
	mustSay(t, "the article", s.get("/entries/1", http.StatusOK), "Waits until the destination is resumed.")
}

func TestBrake(t *testing.T) {
	for how, c := range map[string]struct {
		state feedonce.DeliveryState
		says  string
	}{
		"released":  {feedonce.DeliveryPending, "1 message to be sent, one by one"},
		"digested":  {feedonce.DeliveryPending, "gathered into one for each destination"},
		"discarded": {feedonce.DeliverySkipped, "1 message discarded"},
	} {
		s := filled(t)
		s.post("/brakes/1/release", url.Values{"how": {"open"}}, http.StatusBadRequest)
		at, _ := s.post("/brakes/1/release", url.Values{"how": {how}}, http.StatusSeeOther)
		page := s.get(at, http.StatusOK)
		mustSay(t, how, page, c.says)
		if strings.Contains(page, "Flood:") {
			t.Errorf("%s: the brake is still shown as open:\n%s", how, page)
		}
		i := slices.IndexFunc(stateWords, func(st struct {
			state feedonce.DeliveryState
			words string
		}) bool {
			return st.state == feedonce.DeliveryHeld
		})
		if got := s.states()[i]; got != c.state {
			t.Errorf("%s: the message that was held is %s, want %s", how, got, c.state)
		}
		_, page = s.post("/brakes/1/release", url.Values{"how": {how}}, http.StatusBadRequest)
		mustSay(t, how+" again", page, "must be open")
		s.post("/brakes/2/release", url.Values{"how": {how}}, http.StatusNotFound)
	}
}

// TestDeliveryPages walks through more messages than a page has, and does something to all of them from one page.
func TestDeliveryPages(t *testing.T) {
	s := filled(t)
	const extra = 2*pageSize + 3
	s.update(func(tx *store.Tx) error {
		var rows []feedonce.Delivery
		for i := range extra {
			rows = append(rows, feedonce.Delivery{Destination: 1, Kind: feedonce.DeliverUpdate, Entry: 1, Feed: 1, Revision: 100 + i, State: feedonce.DeliveryDead, Created: now, Due: now})
		}
		_, err := tx.PutDeliveries(rows)
		return err
	})
	seen := 0
	for path := "/deliveries?state=dead"; path != ""; {
		page := s.get(path, http.StatusOK)
		seen += strings.Count(page, `<li class="message`)
		mustSay(t, path, page, `name="all"`)
		_, rest, more := strings.Cut(page, `class="next" href="`)
		path, _, _ = strings.Cut(rest, `"`)
		if path = strings.ReplaceAll(path, "&amp;", "&"); !more {
			path = ""
		}
	}
	if seen != extra+1 {
		t.Errorf("walked past %d messages, want %d", seen, extra+1)
	}
	at, _ := s.post("/deliveries", url.Values{"do": {"skip"}, "all": {"1"}, "state": {"dead"}, "before": {"50"}}, http.StatusSeeOther)
	mustSay(t, "after all", s.get(at, http.StatusOK), "104 messages skipped.")
}
