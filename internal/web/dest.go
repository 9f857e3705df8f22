package web

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"feedonce"
	"feedonce/internal/deliver"
	"feedonce/internal/dest"
	"feedonce/internal/store"
)

type destinationsPage struct {
	page
	Rows  []destinationRow
	Kinds []*dest.Kind
}

// A destinationRow is a destination and how it is.
type destinationRow struct {
	feedonce.Destination
	Status  string // "ok", "failing", "paused", "gone", "waiting": a class and, in words, StatusWords
	Counts  []stateCount
	LastOK  moment
	ErrorAt moment
	Rests   moment // nothing is sent until then; unknown where something is
	AddedAt moment
}

// StatusWords says how a destination is.
func (d destinationRow) StatusWords() string {
	switch {
	case d.Status == "paused":
		return "paused"
	case d.Status == "gone":
		return "switched off"
	case d.Rests.Known():
		return "resting"
	case d.Status == "failing":
		return "failing"
	case d.Status == "waiting":
		return "nothing sent yet"
	}
	return "fine"
}

// Active reports whether it is sent to.
func (d destinationRow) Active() bool { return d.State == feedonce.DestinationActive }

func (s *server) destinationRow(d feedonce.Destination, counts map[feedonce.DeliveryState]int64) destinationRow {
	row := destinationRow{Destination: d, Status: "ok", LastOK: s.at(d.LastOK), ErrorAt: s.at(d.ErrorAt), Rests: s.at(time.Time{}), AddedAt: s.at(d.Created)}
	switch {
	case d.State == feedonce.DestinationPaused:
		row.Status = "paused"
	case d.State == feedonce.DestinationDisabled:
		row.Status = "gone"
	case d.Error != "":
		row.Status = "failing"
	case d.LastOK.IsZero():
		row.Status = "waiting"
	}
	if row.Active() && d.OpenUntil.After(s.Now()) {
		row.Rests = s.at(d.OpenUntil)
	}
	for _, st := range stateWords {
		if n := counts[st.state]; n > 0 {
			address := "/deliveries?dest=" + strconv.FormatInt(int64(d.ID), 10) + "&state=" + string(st.state)
			row.Counts = append(row.Counts, stateCount{State: st.state, Words: st.words, N: n, Address: address})
		}
	}
	return row
}

// destinations lists where articles are told.
func (s *server) destinations(w http.ResponseWriter, r *http.Request) error {
	p := destinationsPage{page: s.page(r, "Destinations", "destinations"), Kinds: dest.Kinds()}
	err := s.Store.View(r.Context(), func(tx *store.Tx) error {
		all, err := tx.Destinations()
		if err != nil {
			return err
		}
		counts, err := tx.DeliveryCounts()
		p.Rows = nil
		for _, d := range all {
			p.Rows = append(p.Rows, s.destinationRow(d, counts[d.ID]))
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.render(w, "destinations", p)
}

type destinationPage struct {
	page
	Row      destinationRow
	About    string
	Settings []settingRow
	Problem  string // why the settings cannot be read
	Told     []string
	Recent   []deliveryRow
}

type settingRow struct {
	Label  string
	Value  string
	Secret bool
}

// recentDeliveries is how many deliveries a destination's page shows.
const recentDeliveries = 8

// destination shows one destination: how it is, what it is told, its settings without secrets.
func (s *server) destination(w http.ResponseWriter, r *http.Request) error {
	p := destinationPage{page: s.page(r, "", "destinations")}
	err := s.Store.View(r.Context(), func(tx *store.Tx) error {
		d, err := s.pathDestination(tx, r)
		if err != nil {
			return err
		}
		counts, err := tx.DeliveryCounts()
		if err != nil {
			return err
		}
		p.Row = s.destinationRow(d, counts[d.ID])
		if p.Told, err = s.routeSays(tx, d.Route); err != nil {
			return err
		}
		recent, err := tx.Deliveries(store.DeliveryFilter{Destination: d.ID, Limit: recentDeliveries})
		if err != nil {
			return err
		}
		p.Recent, err = s.deliveryRows(tx, recent, map[feedonce.DestinationID]feedonce.Destination{d.ID: d})
		for i := range p.Recent {
			p.Recent[i].To = "" // the page is its
		}
		return err
	})
	if err != nil {
		return err
	}
	p.Title = clip(p.Row.Name, 300)
	p.Settings, p.About, p.Problem = s.settings(p.Row.Destination)
	return s.render(w, "destination", p)
}

// settings are a destination's settings as they may be shown.
func (s *server) settings(d feedonce.Destination) (rows []settingRow, about, problem string) {
	kind := dest.ByName(d.Kind)
	if kind == nil {
		return nil, "", "This version of feedonce knows no destination of kind “" + d.Kind + "”. Its messages wait; start the version that added it, or remove it."
	}
	masked, err := s.Engine.Masked(d)
	if err != nil {
		return nil, kind.About, sentence(err.Error()) + " Edit the destination to enter them again."
	}
	for _, f := range kind.Fields {
		if v := masked[f.Name]; v != "" {
			rows = append(rows, settingRow{fieldLabel(f.Name), v, f.Secret})
		}
	}
	return rows, kind.About, ""
}

func (s *server) pauseDestination(w http.ResponseWriter, r *http.Request) error {
	return s.moveDestination(w, r, (*deliver.Engine).Pause, "destination-paused")
}

func (s *server) resumeDestination(w http.ResponseWriter, r *http.Request) error {
	return s.moveDestination(w, r, (*deliver.Engine).Resume, "destination-resumed")
}

func (s *server) moveDestination(w http.ResponseWriter, r *http.Request, do func(*deliver.Engine, context.Context, feedonce.DestinationID) error, done string) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	if err := do(s.Engine, r.Context(), feedonce.DestinationID(id)); err != nil {
		return err
	}
	http.Redirect(w, r, destinationPath(feedonce.DestinationID(id))+"?done="+done, http.StatusSeeOther)
	return nil
}

// confirmRemoveDestination asks before a destination goes with the record of what it was told.
func (s *server) confirmRemoveDestination(w http.ResponseWriter, r *http.Request) error {
	p := askPage{page: s.page(r, "Remove a destination", "destinations"), Heading: "Remove this destination?", Button: "Remove it", Keep: "Keep it"}
	var d feedonce.Destination
	var counts map[feedonce.DestinationID]map[feedonce.DeliveryState]int64
	err := s.Store.View(r.Context(), func(tx *store.Tx) (err error) {
		if d, err = s.pathDestination(tx, r); err == nil {
			counts, err = tx.DeliveryCounts()
		}
		return err
	})
	if err != nil {
		return err
	}
	waiting := counts[d.ID][feedonce.DeliveryPending] + counts[d.ID][feedonce.DeliveryRetry] + counts[d.ID][feedonce.DeliveryHeld]
	p.Name, p.Back = d.Name, destinationPath(d.ID)
	p.Action = p.Back + "/remove"
	p.Says = []string{
		plural(counts[d.ID][feedonce.DeliverySent], "message that it was sent is forgotten", "messages that it was sent are forgotten") + ", with their attempts. What stands there already stays there.",
		plural(waiting, "message that waits is never sent.", "messages that wait are never sent."),
		"To keep both and only stop sending, pause it instead.",
	}
	return s.render(w, "ask", p)
}

func (s *server) removeDestination(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	err = s.Store.Update(r.Context(), func(tx *store.Tx) error { return tx.RemoveDestination(feedonce.DestinationID(id)) })
	if err != nil {
		return err
	}
	http.Redirect(w, r, "/destinations?done=destination-removed", http.StatusSeeOther)
	return nil
}
