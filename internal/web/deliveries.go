package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"feedonce"
	"feedonce/internal/deliver"
	"feedonce/internal/outbox"
	"feedonce/internal/store"
)

type deliveriesPage struct {
	page
	Brakes       []brakeRow
	Notices      []noticeRow
	Destinations []choice
	Feeds        []choice // to choose from; empty where there are too many
	Feed         string   // the number of the one that is chosen
	FeedName     string
	States       []stateCount
	Choices      []choice // of all states
	Filter       []hidden // what the list was made with, for its form
	Filtered     bool
	Entry        *feedonce.Entry // only about this article
	Brake        int64           // only of this brake
	Rows         []deliveryRow
	All          bool // more than this page can be chosen
	Older        string
	Newer        string
}

type brakeRow struct {
	feedonce.Brake
	FeedName string
	When     moment
}

// Many is how many new articles there were.
func (b brakeRow) Many() int64 { return int64(b.Count) }

// Normally is how many new articles the feed usually brings, rounded.
func (b brakeRow) Normally() int64 { return int64(b.Usual + .5) }

type noticeRow struct {
	feedonce.Notice
	When moment
}

// A deliveryRow is a delivery with its attempts.
type deliveryRow struct {
	feedonce.Delivery
	To       string // the destination's name
	FeedName string
	Words    string // its state
	Made     moment
	DueAt    moment // when the next attempt is to be made; unknown where there is none
	Waits    string // for what, where it would be due
	DoneAt   moment
	Tries    []tryRow
	Moves    []move
}

type tryRow struct {
	feedonce.Attempt
	When moment
	Took string
	Says string
}

// A move is what a person can do about a delivery.
type move struct{ Do, Label string }

// movesOf says what can be done about a delivery in a state.
func movesOf(state feedonce.DeliveryState) []move {
	switch state {
	case feedonce.DeliveryPending, feedonce.DeliveryHeld:
		return []move{{"retry", "Send now"}, {"skip", "Skip"}}
	case feedonce.DeliveryRetry:
		return []move{{"retry", "Retry now"}, {"skip", "Skip"}}
	case feedonce.DeliveryUnknown:
		return []move{{"arrived", "It arrived"}, {"retry", "Send again"}, {"skip", "Leave it"}}
	case feedonce.DeliveryDead:
		return []move{{"retry", "Send again"}, {"skip", "Skip"}}
	case feedonce.DeliverySkipped:
		return []move{{"retry", "Send after all"}}
	}
	return nil
}

// deliveryFilter reads what a list is to have from an address or a form.
func deliveryFilter(q url.Values) (f store.DeliveryFilter, err error) {
	f.State = feedonce.DeliveryState(q.Get("state"))
	if f.State != "" && !slices.ContainsFunc(stateWords, func(s struct {
		state feedonce.DeliveryState
		words string
	}) bool {
		return s.state == f.State
	}) {
		return f, &feedonce.InvalidError{Field: "the state", Reason: "must be one of those that the page offers"}
	}
	for _, part := range []struct {
		name, field string
		set         func(int64)
	}{
		{"dest", "the destination", func(n int64) { f.Destination = feedonce.DestinationID(n) }},
		{"feed", "the feed", func(n int64) { f.Feed = feedonce.FeedID(n) }},
		{"entry", "the article", func(n int64) { f.Entry = feedonce.EntryID(n) }},
		{"brake", "the flood brake", func(n int64) { f.Brake = n }},
		{"before", "the place in the list", func(n int64) { f.Before = feedonce.DeliveryID(n) }},
	} {
		v := strings.TrimSpace(q.Get(part.name))
		if v == "" {
			continue
		}
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < 1 {
			return f, &feedonce.InvalidError{Field: part.field, Reason: "must be a number from the address of a page"}
		}
		part.set(n)
	}
	return f, nil
}

// deliveriesPath is the address of the list that a filter makes.
func deliveriesPath(f store.DeliveryFilter) string {
	if q := deliveryQuery(f); len(q) > 0 {
		return "/deliveries?" + q.Encode()
	}
	return "/deliveries"
}

func deliveryQuery(f store.DeliveryFilter) url.Values {
	q := url.Values{}
	for name, n := range map[string]int64{"dest": int64(f.Destination), "feed": int64(f.Feed), "entry": int64(f.Entry), "brake": f.Brake, "before": int64(f.Before)} {
		if n > 0 {
			q.Set(name, strconv.FormatInt(n, 10))
		}
	}
	if f.State != "" {
		q.Set("state", string(f.State))
	}
	return q
}

// deliveries lists what was sent, waits, failed or is held, the newest first, with open flood brakes on top.
func (s *server) deliveries(w http.ResponseWriter, r *http.Request) error {
	f, err := deliveryFilter(r.URL.Query())
	if err != nil {
		return err
	}
	p := deliveriesPage{page: s.page(r, "Deliveries", "destinations"), Brake: f.Brake}
	err = s.Store.View(r.Context(), func(tx *store.Tx) error { return s.listDeliveries(tx, f, &p) })
	if err != nil {
		return err
	}
	return s.render(w, "deliveries", p)
}

func (s *server) listDeliveries(tx *store.Tx, f store.DeliveryFilter, p *deliveriesPage) error {
	p.Brakes, p.Notices, p.Destinations, p.Feeds, p.States, p.Filter = nil, nil, nil, nil, nil, nil
	names := namer{tx: tx}
	brakes, err := tx.Brakes(true, 20)
	if err != nil {
		return err
	}
	for _, b := range brakes {
		if f.Brake != 0 && f.Brake != b.ID {
			continue
		}
		fd, err := names.feed(b.Feed)
		if err != nil {
			return err
		}
		p.Brakes = append(p.Brakes, brakeRow{b, fd.Name(), s.at(b.At)})
	}
	notices, err := tx.Notices(10)
	if err != nil {
		return err
	}
	for _, n := range notices {
		p.Notices = append(p.Notices, noticeRow{n, s.at(n.At)})
	}
	all, err := tx.Destinations()
	if err != nil {
		return err
	}
	to := map[feedonce.DestinationID]feedonce.Destination{}
	for _, d := range all {
		to[d.ID] = d
		p.Destinations = append(p.Destinations, choice{strconv.FormatInt(int64(d.ID), 10), clip(d.Name, 60), d.ID == f.Destination})
	}
	if f.Entry != 0 {
		e, err := tx.Entry(f.Entry)
		if err != nil {
			return err
		}
		p.Entry = &e
	}
	if f.Feed != 0 {
		fd, err := tx.Feed(f.Feed)
		if err != nil {
			return err
		}
		p.Feed, p.FeedName = strconv.FormatInt(int64(f.Feed), 10), fd.Name()
	}
	feeds, err := tx.Feeds()
	if err != nil {
		return err
	}
	if len(feeds) <= maxListed {
		for _, fd := range feeds {
			p.Feeds = append(p.Feeds, choice{strconv.FormatInt(int64(fd.ID), 10), clip(fd.Name(), 60), fd.ID == f.Feed})
		}
	}
	counts, err := tx.DeliveryCounts()
	if err != nil {
		return err
	}
	p.States = stateTabs(f, counts)
	p.Choices = []choice{{"", "any", f.State == ""}}
	for _, st := range stateWords {
		p.Choices = append(p.Choices, choice{string(st.state), st.words, st.state == f.State})
	}
	limit := f
	limit.Limit = pageSize + 1
	rows, err := tx.Deliveries(limit)
	if err != nil {
		return err
	}
	first := f
	first.Before = 0
	if len(rows) > pageSize {
		rows = rows[:pageSize]
		older := f
		older.Before = rows[pageSize-1].ID
		p.Older = deliveriesPath(older)
	}
	if f.Before != 0 {
		p.Newer = deliveriesPath(first)
	}
	p.All = f.State != "" && (p.Older != "" || p.Newer != "")
	p.Filtered = first != store.DeliveryFilter{}
	q := deliveryQuery(f)
	for _, name := range []string{"dest", "state", "feed", "entry", "brake", "before"} {
		if v := q.Get(name); v != "" {
			p.Filter = append(p.Filter, hidden{name, v})
		}
	}
	p.Rows, err = s.deliveryRows(tx, rows, to)
	return err
}

// stateTabs are the states that there are in what a filter selects, with their numbers where these are known.
func stateTabs(f store.DeliveryFilter, counts map[feedonce.DestinationID]map[feedonce.DeliveryState]int64) (tabs []stateCount) {
	numbered := f.Feed == 0 && f.Entry == 0 && f.Brake == 0
	f.Before = 0
	sum := map[feedonce.DeliveryState]int64{}
	total := int64(0)
	for id, of := range counts {
		for state, n := range of {
			if f.Destination == 0 || f.Destination == id {
				sum[state] += n
				total += n
			}
		}
	}
	tab := func(state feedonce.DeliveryState, words string, n int64) {
		if n == 0 && state != f.State {
			return
		}
		if !numbered {
			n = 0
		}
		to := f
		to.State = state
		tabs = append(tabs, stateCount{state, words, n, deliveriesPath(to), state == f.State})
	}
	tab("", "in all", total)
	for _, st := range stateWords {
		tab(st.state, st.words, sum[st.state])
	}
	return tabs
}

// deliveryRows shows deliveries with their attempts.
func (s *server) deliveryRows(tx *store.Tx, all []feedonce.Delivery, to map[feedonce.DestinationID]feedonce.Destination) (rows []deliveryRow, err error) {
	names := namer{tx: tx}
	for _, d := range all {
		row := deliveryRow{Delivery: d, To: to[d.Destination].Name, Words: wordsOf(d.State), Made: s.at(d.Created), DoneAt: s.at(d.Done), Moves: movesOf(d.State)}
		if d.State == feedonce.DeliveryPending || d.State == feedonce.DeliveryRetry {
			row.DueAt = s.at(d.Due)
			if !d.Due.After(s.Now()) {
				row.Waits = s.waits(to[d.Destination])
			}
		}
		if d.Feed != 0 {
			f, err := names.feed(d.Feed)
			if err != nil {
				return nil, err
			}
			row.FeedName = f.Name()
		}
		if d.Attempts > 0 {
			tries, err := tx.Attempts(d.ID)
			if err != nil {
				return nil, err
			}
			for _, t := range tries {
				try := tryRow{Attempt: t, When: s.at(t.At), Took: took(t.Took), Says: "accepted"}
				if t.Error != "" {
					try.Says = t.Error
				}
				row.Tries = append(row.Tries, try)
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// waits says why what is due at a destination is not sent; "" where it is.
func (s *server) waits(d feedonce.Destination) string {
	switch {
	case d.State == feedonce.DestinationPaused:
		return "Waits until the destination is resumed."
	case d.State == feedonce.DestinationDisabled:
		return "Waits: the destination is switched off."
	case d.OpenUntil.After(s.Now()):
		return "Waits until the destination is tried again, " + s.at(d.OpenUntil).Words() + "."
	}
	if until := outbox.QuietUntil(d.Route.Quiet, s.Now()); until.After(s.Now()) {
		return "Waits until its quiet hours are over, " + s.at(until).Words() + "."
	}
	return ""
}

// moveDeliveries does what a person decided about one delivery, the chosen ones, or all that the filter selects.
func (s *server) moveDeliveries(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return formBroken(err)
	}
	form := r.PostForm
	f, err := deliveryFilter(form)
	if err != nil {
		return err
	}
	do, given := form.Get("do"), form["id"]
	one, id, isOne := strings.Cut(form.Get("one"), ":")
	if isOne {
		do, given = one, []string{id}
	}
	moves := map[string]func(*deliver.Engine, context.Context, []feedonce.DeliveryID) (int64, error){
		"retry": (*deliver.Engine).Retry, "skip": (*deliver.Engine).Skip, "arrived": (*deliver.Engine).Arrived,
	}
	move := moves[do]
	if move == nil {
		return &feedonce.InvalidError{Field: "what is to be done", Reason: "must be one of the buttons of the list"}
	}
	var ids []feedonce.DeliveryID
	for _, v := range given {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < 1 {
			return &feedonce.InvalidError{Field: "a message", Reason: "must be chosen from the list"}
		}
		ids = append(ids, feedonce.DeliveryID(n))
	}
	if form.Get("all") != "" && !isOne && f.State != "" {
		if ids, err = s.selected(r.Context(), f); err != nil {
			return err
		}
	}
	back := deliveryQuery(f)
	if len(ids) == 0 {
		back.Set("done", "none-chosen")
	} else {
		n, err := move(s.Engine, r.Context(), ids)
		if err != nil {
			return err
		}
		back.Set("done", do)
		back.Set("n", strconv.FormatInt(n, 10))
	}
	http.Redirect(w, r, "/deliveries?"+back.Encode(), http.StatusSeeOther)
	return nil
}

// maxMoved bounds what one form can do.
const maxMoved = 1_000_000

func (s *server) selected(ctx context.Context, f store.DeliveryFilter) (ids []feedonce.DeliveryID, err error) {
	f.Before, f.Limit = 0, maxMoved
	err = s.Store.View(ctx, func(tx *store.Tx) error {
		all, err := tx.Deliveries(f)
		ids = nil
		for _, d := range all {
			ids = append(ids, d.ID)
		}
		return err
	})
	return ids, err
}

// releaseBrake does what a person decided about the messages that a flood brake holds.
func (s *server) releaseBrake(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	how := feedonce.BrakeState(r.PostFormValue("how"))
	if how != feedonce.BrakeReleased && how != feedonce.BrakeDigested && how != feedonce.BrakeDiscarded {
		return &feedonce.InvalidError{Field: "what is to be done", Reason: "must be one of the buttons at the flood brake"}
	}
	n, err := s.Engine.Release(r.Context(), id, how, "")
	if err != nil {
		return err
	}
	http.Redirect(w, r, "/deliveries?done="+string(how)+"&n="+strconv.FormatInt(n, 10), http.StatusSeeOther)
	return nil
}
