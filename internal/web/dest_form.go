package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"feedonce"
	"feedonce/internal/dest"
	"feedonce/internal/store"
)

type kindsPage struct {
	page
	Kinds []*dest.Kind
}

type destinationForm struct {
	page
	ID      feedonce.DestinationID // 0: it is being added
	Kind    *dest.Kind
	Name    string
	Fields  []fieldRow
	Route   routeForm
	Problem string
}

// A fieldRow is a setting of a kind of destination, as an input of a form. Secrets are never in it.
type fieldRow struct {
	dest.Field
	Label   string
	Value   string
	Options []choice // where only some values are allowed
	Long    bool     // several lines
	Set     bool     // a secret that is there; it stays where nothing is entered
}

// longFields are settings of several lines: a password's input would join them.
var longFields = []string{"ca", "credentials", "subscription"}

func fieldLabel(name string) string {
	name = strings.ReplaceAll(name, "_", " ")
	switch name {
	case "url", "ca", "tls":
		return strings.ToUpper(name)
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// fields makes inputs of a kind's settings, with what is set of those that are no secrets, and the names of the secrets that are.
func fields(kind *dest.Kind, set dest.Settings, secrets []string) (rows []fieldRow) {
	for _, f := range kind.Fields {
		row := fieldRow{Field: f, Label: fieldLabel(f.Name), Long: slices.Contains(longFields, f.Name)}
		if f.Secret {
			row.Set = slices.Contains(secrets, f.Name)
		} else {
			row.Value = set[f.Name]
		}
		for _, v := range f.Values {
			chosen := row.Value == v || row.Value == "" && f.Default == v
			row.Options = append(row.Options, choice{v, v, chosen})
		}
		rows = append(rows, row)
	}
	return rows
}

// fieldsOf reads the settings that a form gives. A secret for which nothing is entered is left out: it stays as it is, unless
// its box "drop" is ticked.
func fieldsOf(kind *dest.Kind, form url.Values) dest.Settings {
	set := dest.Settings{}
	for _, f := range kind.Fields {
		value := strings.ReplaceAll(form.Get("set."+f.Name), "\r\n", "\n")
		if f.Name != "password" { // the only one in which a space may mean something
			value = strings.TrimSpace(value)
		}
		switch {
		case f.Secret && slices.Contains(form["drop"], f.Name):
			value = ""
		case f.Secret && value == "":
			continue
		case value == f.Default:
			value = ""
		}
		set[f.Name] = value
	}
	return set
}

// newDestination shows the kinds that there are, or the form of one.
func (s *server) newDestination(w http.ResponseWriter, r *http.Request) error {
	name := r.URL.Query().Get("kind")
	if name == "" {
		return s.render(w, "destination_kinds", kindsPage{s.page(r, "Add a destination", "destinations"), dest.Kinds()})
	}
	kind := dest.ByName(name)
	if kind == nil {
		return errNoPage
	}
	p := destinationForm{Kind: kind, Fields: fields(kind, nil, nil)}
	return s.renderDestinationForm(w, r, http.StatusOK, p, feedonce.Route{})
}

// renderDestinationForm renders the form with a route, which it fills with the feeds and folders that there are.
func (s *server) renderDestinationForm(w http.ResponseWriter, r *http.Request, status int, p destinationForm, route feedonce.Route) error {
	p.page = s.page(r, "Add a destination", "destinations")
	if p.ID != 0 {
		p.Title = "Edit a destination"
	}
	var feeds []feedonce.Feed
	err := s.Store.View(r.Context(), func(tx *store.Tx) (err error) {
		feeds, err = tx.Feeds()
		return err
	})
	if err != nil {
		return err
	}
	some := p.Route.Some
	p.Route = s.routeForm(route, feeds, p.Kind)
	p.Route.Some = p.Route.Some || some
	return s.renderStatus(w, status, "destination_form", p)
}

// addDestination adds what the form describes, or returns it with what is wrong.
func (s *server) addDestination(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return formBroken(err)
	}
	kind := dest.ByName(r.PostForm.Get("kind"))
	if kind == nil {
		return &feedonce.InvalidError{Field: "the kind of destination", Reason: "must be chosen from the list at “Add a destination”"}
	}
	d := feedonce.Destination{Name: strings.TrimSpace(r.PostForm.Get("name")), Kind: kind.Name}
	set := fieldsOf(kind, r.PostForm)
	err := s.readRoute(r.PostForm, &d.Route)
	backlog := 0
	if err == nil {
		d, backlog, err = s.Engine.Add(r.Context(), d, set)
	}
	var invalid *feedonce.InvalidError
	if errors.As(err, &invalid) {
		p := destinationForm{Kind: kind, Name: d.Name, Fields: fields(kind, set, nil), Problem: sentence(routeFault(invalid)), Route: routeForm{Some: r.PostForm.Get("of") == "some"}}
		return s.renderDestinationForm(w, r, http.StatusBadRequest, p, d.Route)
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, destinationPath(d.ID)+"?done=destination-added&n="+strconv.Itoa(backlog), http.StatusSeeOther)
	return nil
}

// editing reads a destination that is to be edited, its settings without secrets, and the names of its secrets.
func (s *server) editing(r *http.Request) (d feedonce.Destination, kind *dest.Kind, set dest.Settings, secrets []string, problem string, err error) {
	err = s.Store.View(r.Context(), func(tx *store.Tx) (err error) {
		d, err = s.pathDestination(tx, r)
		return err
	})
	if err != nil {
		return
	}
	if kind = dest.ByName(d.Kind); kind == nil {
		err = &feedonce.InvalidError{Field: "this destination", Reason: "is of a kind that this version of feedonce does not know"}
		return
	}
	if json.Unmarshal([]byte(d.Config), &set) != nil {
		set = dest.Settings{}
	}
	all, serr := s.Engine.Settings(d)
	if serr != nil {
		problem = sentence(serr.Error()) + " Enter them again."
	}
	for _, f := range kind.Fields {
		if f.Secret && all[f.Name] != "" {
			secrets = append(secrets, f.Name)
		}
	}
	return
}

func (s *server) editDestination(w http.ResponseWriter, r *http.Request) error {
	d, kind, set, secrets, problem, err := s.editing(r)
	if err != nil {
		return err
	}
	p := destinationForm{ID: d.ID, Kind: kind, Name: d.Name, Fields: fields(kind, set, secrets), Problem: problem}
	return s.renderDestinationForm(w, r, http.StatusOK, p, d.Route)
}

// saveDestination changes a destination's name, settings and route, or returns the form with what is wrong.
func (s *server) saveDestination(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return formBroken(err)
	}
	d, kind, _, secrets, _, err := s.editing(r)
	if err != nil {
		return err
	}
	d.Name = strings.TrimSpace(r.PostForm.Get("name"))
	set := fieldsOf(kind, r.PostForm)
	if err = s.readRoute(r.PostForm, &d.Route); err == nil {
		err = s.Engine.Change(r.Context(), d, set)
	}
	var invalid *feedonce.InvalidError
	if errors.As(err, &invalid) {
		p := destinationForm{ID: d.ID, Kind: kind, Name: d.Name, Fields: fields(kind, set, secrets), Problem: sentence(routeFault(invalid)), Route: routeForm{Some: r.PostForm.Get("of") == "some"}}
		return s.renderDestinationForm(w, r, http.StatusBadRequest, p, d.Route)
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, destinationPath(d.ID)+"?done=destination-saved", http.StatusSeeOther)
	return nil
}

// formBroken says what a form that cannot be read is.
func formBroken(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return err
	}
	return &feedonce.InvalidError{Field: "the form", Reason: "did not arrive whole; go back and try again"}
}
