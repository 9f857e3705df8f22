package web

import (
	"context"
	"errors"
	"net/http"

	"feedonce"
)

// maxBody bounds what a form may send; a subscription list has up to 16 MiB.
const maxBody = 17 << 20

var (
	errNoPage      = errors.New("no such page")
	errCrossOrigin = errors.New("form of another site")
)

type failPage struct {
	page
	Status  int
	Heading string
	Text    string
}

// fail renders an error: for a person what it means, for the log the whole chain of what is not the visitor's doing.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // nobody is there to read it
	}
	p := failPage{page: s.page(r, "", "")}
	var invalid *feedonce.InvalidError
	var tooLarge *http.MaxBytesError
	switch {
	case errors.Is(err, errSignIn) && (r.Method == http.MethodGet || r.Method == http.MethodHead) && r.URL.Path != "/events":
		to := "/signin"
		if here := r.URL.RequestURI(); here != "/" {
			to += "?next=" + queryEscape(here)
		}
		http.Redirect(w, r, to, http.StatusSeeOther)
		return
	case errors.Is(err, errSignIn):
		p.Status, p.Heading = http.StatusUnauthorized, "Sign in first"
		p.Text = "You are signed in no more, so nothing was done. Sign in, go back and send it again."
	case errors.Is(err, errAdmins):
		p.Status, p.Heading = http.StatusForbidden, "For administrators"
		p.Text = "This is for administrators. Ask one to do it, or to make you one."
	case errors.Is(err, errShared):
		p.Status, p.Heading = http.StatusForbidden, "Others follow this feed, too"
		p.Text = "What is decided in a feed is the same for everybody who follows it, so where others do, an administrator changes it. Nothing was done."
	case errors.Is(err, errNoPage), errors.Is(err, feedonce.ErrNotFound):
		p.Status, p.Heading = http.StatusNotFound, "Not found"
		p.Text = "There is nothing at this address. It may have been removed with its feed."
	case errors.As(err, &invalid):
		p.Status, p.Heading = http.StatusBadRequest, "That did not work"
		p.Text = sentence(invalid.Error())
	case errors.As(err, &tooLarge):
		p.Status, p.Heading = http.StatusRequestEntityTooLarge, "Too large"
		p.Text = "What was sent is longer than 16 MB."
	case errors.Is(err, errCrossOrigin):
		p.Status, p.Heading = http.StatusForbidden, "Refused"
		p.Text = "This form was sent by a page of another site, so nothing was done. If it was you, open feedonce itself and do it there."
	case errors.Is(err, feedonce.ErrConflict):
		p.Status, p.Heading = http.StatusConflict, "Somebody was faster"
		p.Text = "This was changed by another worker at the same moment. Go back and try again."
	default:
		p.Status, p.Heading = http.StatusInternalServerError, "Something went wrong"
		p.Text = "The log of the server says what. Nothing was lost; try again in a moment."
		s.Log.Error("a page could not be made", "method", r.Method, "path", r.URL.Path, "error", err)
	}
	p.Title = p.Heading
	s.renderStatus(w, p.Status, "fail", p)
}
