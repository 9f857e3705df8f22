package web

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"feedonce"
	"feedonce/internal/account"
	"feedonce/internal/store"
)

type signInPage struct {
	page
	Name    string
	Next    string // where to go then
	Problem string
	Nobody  bool // nobody has an account yet
}

// local returns an address on this site, or the first page where it is none.
func local(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n") {
		return "/"
	}
	return next
}

func (s *server) signInForm(w http.ResponseWriter, r *http.Request) error {
	if user(r).ID != 0 {
		http.Redirect(w, r, local(r.FormValue("next")), http.StatusSeeOther)
		return nil
	}
	return s.renderSignIn(w, r, http.StatusOK, signInPage{Next: local(r.FormValue("next"))})
}

func (s *server) renderSignIn(w http.ResponseWriter, r *http.Request, status int, p signInPage) error {
	p.page = s.page(r, "Sign in", "signin")
	if err := s.Store.View(r.Context(), func(tx *store.Tx) error {
		some, err := tx.AnyUser()
		p.Nobody = !some
		return err
	}); err != nil {
		return err
	}
	return s.renderStatus(w, status, "signin", p)
}

func (s *server) signIn(w http.ResponseWriter, r *http.Request) error {
	p := signInPage{Name: clip(strings.TrimSpace(r.PostFormValue("name")), 100), Next: local(r.PostFormValue("next"))}
	_, err := s.Accounts.SignIn(w, r, p.Name, r.PostFormValue("password"))
	switch {
	case errors.Is(err, account.ErrWrong):
		p.Problem = "There is nobody with this name and this password."
		return s.renderSignIn(w, r, http.StatusForbidden, p)
	case errors.Is(err, account.ErrTooMany):
		p.Problem = "There were too many attempts. Try again in ten minutes."
		return s.renderSignIn(w, r, http.StatusTooManyRequests, p)
	case err != nil:
		return err
	}
	http.Redirect(w, r, p.Next, http.StatusSeeOther)
	return nil
}

func (s *server) signOut(w http.ResponseWriter, r *http.Request) error {
	if err := s.Accounts.SignOut(r.Context()); err != nil {
		return err
	}
	http.Redirect(w, r, "/signin?done=signed-out", http.StatusSeeOther)
	return nil
}

type linkPage struct {
	page
	Name    string
	SetUp   bool
	Problem string
	Least   int // characters of a password
	Secret  string
	Who     string // who is signed in, as here
}

// linkError says of an address that signs in once that it does not.
func linkError(err error) error {
	if errors.Is(err, account.ErrLink) {
		return &feedonce.InvalidError{Field: "The address", Reason: "does not sign in: it was used already, is more than a day old, or was not copied whole. " +
			"Where feedonce runs, “feedonce user link NAME” makes another; before there is anybody, it prints one when it starts"}
	}
	return err
}

// confirmLink asks before somebody is signed in, so that a program that looks at addresses does not use one up.
func (s *server) confirmLink(w http.ResponseWriter, r *http.Request) error {
	who, err := s.Accounts.Link(r.Context(), r.PathValue("secret"))
	if err != nil || who == 0 {
		return errors.Join(linkError(err), notZero(int64(who)))
	}
	p := linkPage{page: s.page(r, "Sign in", "signin"), Secret: r.PathValue("secret"), Who: user(r).Name}
	if err := s.Store.View(r.Context(), func(tx *store.Tx) error {
		u, err := tx.User(who)
		p.Name = u.Name
		return err
	}); err != nil {
		return err
	}
	return s.render(w, "link", p)
}

// notZero is errNoPage where there is nothing.
func notZero(id int64) error {
	if id == 0 {
		return errNoPage
	}
	return nil
}

func (s *server) useLink(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.Accounts.UseLink(r.Context(), r.PathValue("secret")); err != nil {
		return linkError(err)
	}
	http.Redirect(w, r, "/account?done=password", http.StatusSeeOther)
	return nil
}

func (s *server) setUpForm(w http.ResponseWriter, r *http.Request) error {
	return s.renderSetUp(w, r, http.StatusOK, linkPage{})
}

func (s *server) renderSetUp(w http.ResponseWriter, r *http.Request, status int, p linkPage) error {
	p.page = s.page(r, "Welcome", "signin")
	p.SetUp, p.Least, p.Secret = true, account.MinPassword, r.PathValue("secret")
	who, err := s.Accounts.Link(r.Context(), p.Secret)
	if err != nil {
		return linkError(err)
	}
	if who != 0 {
		return errNoPage
	}
	return s.renderStatus(w, status, "link", p)
}

func (s *server) setUp(w http.ResponseWriter, r *http.Request) error {
	p := linkPage{Name: strings.TrimSpace(r.PostFormValue("name"))}
	_, err := s.Accounts.SetUp(r.Context(), r.PathValue("secret"), p.Name, r.PostFormValue("password"))
	var invalid *feedonce.InvalidError
	if errors.As(err, &invalid) {
		p.Problem = sentence(invalid.Error())
		return s.renderSetUp(w, r, http.StatusBadRequest, p)
	}
	if err != nil {
		return linkError(err)
	}
	http.Redirect(w, r, "/?done=welcome", http.StatusSeeOther)
	return nil
}
