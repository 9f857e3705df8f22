package web

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"feedonce"
	"feedonce/internal/outfeed"
	"feedonce/internal/store"
)

type outputsPage struct {
	page
	Rows    []outputRow
	Form    outputForm
	Problem string
}

// An outputRow is an output feed with its addresses.
type outputRow struct {
	feedonce.Output
	Says      []string // what it has
	Addresses []address
	Problem   string // why the addresses cannot be shown
	Made      moment
}

type address struct {
	Form string // "Atom"
	URL  string
	Path string
}

// outputForm is an output feed as inputs of a form.
type outputForm struct {
	ID      feedonce.OutputID // 0: it is being added
	Name    string
	Of      string // "all", "feed" or "folder"
	Feeds   []choice
	Folders []choice
	Feed    string
	Folder  string
	Search  string
	PerFeed bool
	Also    bool
	Limit   string
}

var formNames = map[outfeed.Form]string{outfeed.Atom: "Atom", outfeed.RSS: "RSS", outfeed.JSON: "JSON Feed"}

// base is where people open the pages, as the settings or the request say.
func (s *server) base(r *http.Request) string {
	if s.URL != "" {
		return s.URL
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}

func (s *server) outputs(w http.ResponseWriter, r *http.Request) error {
	return s.renderOutputs(w, r, http.StatusOK, outputForm{Of: "all", Also: true}, "")
}

// renderOutputs lists the output feeds, with the form to add one as it was filled in.
func (s *server) renderOutputs(w http.ResponseWriter, r *http.Request, status int, form outputForm, problem string) error {
	p := outputsPage{page: s.page(r, "Output feeds", "destinations"), Form: form, Problem: problem}
	err := s.Store.View(r.Context(), func(tx *store.Tx) error {
		p.Rows = nil
		all, err := tx.Outputs()
		if err != nil {
			return err
		}
		names := namer{tx: tx}
		for _, o := range all {
			row, err := s.outputRow(r, &names, o)
			if err != nil {
				return err
			}
			p.Rows = append(p.Rows, row)
		}
		return s.fillOutputForm(tx, &p.Form)
	})
	if err != nil {
		return err
	}
	return s.renderStatus(w, status, "outputs", p)
}

// fillOutputForm fills in what can be chosen.
func (s *server) fillOutputForm(tx *store.Tx, form *outputForm) error {
	feeds, err := tx.Feeds()
	if err != nil {
		return err
	}
	form.Feeds, form.Folders = nil, nil
	seen := map[string]bool{}
	if form.Folder != "" && !slices.ContainsFunc(feeds, func(f feedonce.Feed) bool { return f.Folder == form.Folder }) {
		form.Folders = append(form.Folders, choice{form.Folder, clip(form.Folder, 80), true}) // no feed is in it any more
	}
	for _, f := range feeds {
		id := strconv.FormatInt(int64(f.ID), 10)
		if len(form.Feeds) < maxListed || id == form.Feed {
			form.Feeds = append(form.Feeds, choice{id, clip(f.Name(), 80), id == form.Feed})
		}
		if f.Folder != "" && !seen[f.Folder] {
			seen[f.Folder] = true
			form.Folders = append(form.Folders, choice{f.Folder, clip(f.Folder, 80), f.Folder == form.Folder})
		}
	}
	return nil
}

func (s *server) outputRow(r *http.Request, names *namer, o feedonce.Output) (outputRow, error) {
	row := outputRow{Output: o, Made: s.at(o.Created)}
	sel := o.Selection
	switch {
	case sel.Feed != 0:
		f, err := names.feed(sel.Feed)
		if err != nil {
			return row, err
		}
		row.Says = append(row.Says, "of "+clip(f.Name(), 80))
	case sel.Folder != "":
		row.Says = append(row.Says, "of the folder “"+clip(sel.Folder, 80)+"”")
	default:
		row.Says = append(row.Says, "of all feeds")
	}
	if sel.Search != "" {
		row.Says = append(row.Says, "with “"+clip(sel.Search, 80)+"”")
	}
	if sel.Scope == feedonce.ScopeFeed {
		row.Says = append(row.Says, "once for each feed")
	}
	for _, form := range outfeed.Forms {
		path, err := outfeed.Address("", o, form, s.Box)
		if err != nil {
			row.Problem = sentence(err.Error())
			row.Addresses = nil
			return row, nil
		}
		row.Addresses = append(row.Addresses, address{formNames[form], strings.TrimSuffix(s.base(r), "/") + path, path})
	}
	return row, nil
}

// readOutput reads an output feed from a form, and the form itself for when it comes back.
func readOutput(r *http.Request) (o feedonce.Output, form outputForm, err error) {
	form = outputForm{Name: strings.TrimSpace(r.PostForm.Get("name")), Of: r.PostForm.Get("of"), Feed: r.PostForm.Get("feed"), Folder: r.PostForm.Get("folder"),
		Search: strings.TrimSpace(r.PostForm.Get("search")), PerFeed: r.PostForm.Get("scope") == "feed", Also: r.PostForm.Get("also") != "", Limit: strings.TrimSpace(r.PostForm.Get("limit"))}
	o.Name, o.Selection.Search, o.Selection.Also, o.Selection.Scope = form.Name, form.Search, form.Also, feedonce.Scope(r.PostForm.Get("scope"))
	switch form.Of {
	case "feed":
		id, err := strconv.ParseInt(form.Feed, 10, 64)
		if err != nil || id < 1 {
			return o, form, &feedonce.InvalidError{Field: "the feed", Reason: "must be chosen from the list"}
		}
		o.Selection.Feed = feedonce.FeedID(id)
	case "folder":
		if form.Folder == "" {
			return o, form, &feedonce.InvalidError{Field: "the folder", Reason: "must be chosen from the list"}
		}
		o.Selection.Folder = form.Folder
	default:
		form.Of = "all"
	}
	if form.Limit != "" {
		if o.Selection.Limit, err = strconv.Atoi(form.Limit); err != nil {
			return o, form, &feedonce.InvalidError{Field: "the number of entries a page", Reason: "must be a number, or empty"}
		}
	}
	return o, form, nil
}

func (s *server) addOutput(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return formBroken(err)
	}
	o, form, err := readOutput(r)
	if err == nil {
		o.Created = s.Now()
		o, err = outfeed.Add(r.Context(), s.Store, s.Box, o)
	}
	return s.outputSaved(w, r, o.ID, form, err, "output-added")
}

// outputSaved sends the browser to an output feed that was saved, or back to the form with what a person can put right.
func (s *server) outputSaved(w http.ResponseWriter, r *http.Request, id feedonce.OutputID, form outputForm, err error, done string) error {
	var invalid *feedonce.InvalidError
	switch {
	case errors.As(err, &invalid):
		return s.renderOutputs(w, r, http.StatusBadRequest, form, sentence(invalid.Error()))
	case err != nil:
		return err
	}
	return seeOutput(w, r, id, done)
}

// editOutput is the list with the form of one output feed.
func (s *server) editOutput(w http.ResponseWriter, r *http.Request) error {
	o, err := s.pathOutput(r)
	if err != nil {
		return err
	}
	sel := o.Selection
	form := outputForm{ID: o.ID, Name: o.Name, Of: "all", Folder: sel.Folder, Search: sel.Search, PerFeed: sel.Scope == feedonce.ScopeFeed, Also: sel.Also}
	switch {
	case sel.Feed != 0:
		form.Of, form.Feed = "feed", strconv.FormatInt(int64(sel.Feed), 10)
	case sel.Folder != "":
		form.Of = "folder"
	}
	if sel.Limit != 0 {
		form.Limit = strconv.Itoa(sel.Limit)
	}
	return s.renderOutputs(w, r, http.StatusOK, form, "")
}

func (s *server) changeOutput(w http.ResponseWriter, r *http.Request) error {
	was, err := s.pathOutput(r)
	if err != nil {
		return err
	}
	if err := r.ParseForm(); err != nil {
		return formBroken(err)
	}
	o, form, err := readOutput(r)
	if err == nil {
		o.ID = was.ID
		// One of the cleaned feeds of a list stays one, as long as that goes with what was chosen.
		o.Selection.Once = was.Selection.Once && o.Selection.Feed == was.Selection.Feed && o.Selection.Search == "" && o.Selection.Scope == feedonce.ScopeStory
		err = outfeed.Change(r.Context(), s.Store, o)
	}
	form.ID = was.ID
	return s.outputSaved(w, r, o.ID, form, err, "output-changed")
}

// seeOutput sends the browser to an output feed in the list.
func seeOutput(w http.ResponseWriter, r *http.Request, id feedonce.OutputID, done string) error {
	http.Redirect(w, r, "/outputs?done="+done+"#output-"+strconv.FormatInt(int64(id), 10), http.StatusSeeOther)
	return nil
}

func (s *server) pathOutput(r *http.Request) (o feedonce.Output, err error) {
	id, err := pathID(r, "id")
	if err != nil {
		return o, err
	}
	err = s.Store.View(r.Context(), func(tx *store.Tx) (err error) {
		o, err = tx.Output(feedonce.OutputID(id))
		return err
	})
	return o, err
}

// confirmRenewOutput asks before the addresses of an output feed change.
func (s *server) confirmRenewOutput(w http.ResponseWriter, r *http.Request) error {
	o, err := s.pathOutput(r)
	if err != nil {
		return err
	}
	return s.render(w, "ask", askPage{
		page: s.page(r, "Renew the addresses of an output feed", "destinations"), Heading: "Give this output feed new addresses?", Name: o.Name,
		Says: []string{"Whoever reads it under the old addresses gets nothing more, you included: enter the new ones in your reader.",
			"That is the way to shut out somebody who has come to know them. Articles keep their identities, so that a reader shows none twice."},
		Action: outputPath(o.ID) + "/renew", Button: "Give it new addresses", Back: "/outputs", Keep: "Keep the old ones",
	})
}

func (s *server) renewOutput(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	if _, err := outfeed.Renew(r.Context(), s.Store, s.Box, feedonce.OutputID(id)); err != nil {
		return err
	}
	return seeOutput(w, r, feedonce.OutputID(id), "output-renewed")
}

// confirmRemoveOutput asks before an output feed goes.
func (s *server) confirmRemoveOutput(w http.ResponseWriter, r *http.Request) error {
	o, err := s.pathOutput(r)
	if err != nil {
		return err
	}
	return s.render(w, "ask", askPage{
		page: s.page(r, "Remove an output feed", "destinations"), Heading: "Remove this output feed?", Name: o.Name,
		Says:   []string{"Its addresses lead nowhere any more, and cannot be had again. The articles stay."},
		Action: outputPath(o.ID) + "/remove", Button: "Remove it", Back: "/outputs", Keep: "Keep it",
	})
}

func (s *server) removeOutput(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	err = s.Store.Update(r.Context(), func(tx *store.Tx) error { return tx.RemoveOutput(feedonce.OutputID(id)) })
	if err != nil {
		return err
	}
	http.Redirect(w, r, "/outputs?done=output-removed", http.StatusSeeOther)
	return nil
}

func outputPath(id feedonce.OutputID) string { return "/outputs/" + strconv.FormatInt(int64(id), 10) }
