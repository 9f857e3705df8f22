package web

import (
	"errors"
	"net/http"
	"strconv"

	"feedonce"
	"feedonce/internal/dest"
	"feedonce/internal/store"
)

type tryPage struct {
	page
	Row     destinationRow
	Entry   string // the number of an article; "" is the newest that the route selects
	Problem string
	Preview dest.Preview
	Result  *tryResult // nil: nothing was sent
}

// A tryResult is what an endpoint said to a test.
type tryResult struct {
	OK      bool
	Status  int
	Words   string
	Excerpt string
}

// previewDestination shows what a destination would be sent.
func (s *server) previewDestination(w http.ResponseWriter, r *http.Request) error {
	p, d, entry, err := s.trying(r)
	if err != nil {
		return err
	}
	if p.Problem == "" {
		if p.Preview, err = s.Engine.Preview(r.Context(), d, entry); err != nil {
			if p.Problem, err = trouble(r, err); err != nil {
				return err
			}
		}
	}
	return s.render(w, "destination_try", p)
}

// testDestination sends a destination one message, at once, and shows what the endpoint answered.
func (s *server) testDestination(w http.ResponseWriter, r *http.Request) error {
	p, d, entry, err := s.trying(r)
	if err != nil {
		return err
	}
	if p.Problem == "" {
		var res dest.Result
		p.Preview, res, err = s.Engine.Test(r.Context(), d, entry)
		if err != nil {
			if p.Problem, err = trouble(r, err); err != nil {
				return err
			}
			return s.render(w, "destination_try", p)
		}
		p.Result = &tryResult{OK: res.Outcome == dest.Sent, Status: res.Status, Excerpt: res.Excerpt}
		if res.Err != nil {
			p.Result.Words = sentence(res.Err.Error())
		}
	}
	return s.render(w, "destination_try", p)
}

// trying reads what is to be tried.
func (s *server) trying(r *http.Request) (p tryPage, d feedonce.Destination, entry feedonce.EntryID, err error) {
	p = tryPage{page: s.page(r, "", "destinations"), Entry: r.FormValue("entry")}
	if p.Entry != "" {
		n, err := strconv.ParseInt(p.Entry, 10, 64)
		if err != nil || n < 1 {
			return p, d, 0, &feedonce.InvalidError{Field: "the article", Reason: "must be its number, as in the address of its page"}
		}
		entry = feedonce.EntryID(n)
	}
	err = s.Store.View(r.Context(), func(tx *store.Tx) (err error) {
		d, err = s.pathDestination(tx, r)
		return err
	})
	if err != nil {
		return p, d, 0, err
	}
	p.Row = s.destinationRow(d, nil)
	p.Title = "Try " + clip(d.Name, 200)
	_, _, p.Problem = s.settings(d)
	return p, d, entry, nil
}

// trouble says why a message could not even be made, where a person can do something about it.
func trouble(r *http.Request, err error) (string, error) {
	var invalid *feedonce.InvalidError
	switch {
	case r.Context().Err() != nil:
		return "", err
	case errors.As(err, &invalid):
		return sentence(invalid.Error()), nil
	case errors.Is(err, feedonce.ErrNotFound):
		return "There is no article with this number.", nil
	}
	return "", err
}
