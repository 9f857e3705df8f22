package web

import (
	"errors"
	"net/http"
	"strings"

	"feedonce"
	"feedonce/internal/account"
	"feedonce/internal/store"
)

// A confirmation is what a form asks before it does something for which being signed in is not enough.
type confirmation struct {
	Asks    bool // for the password
	Problem string
}

type accountPage struct {
	page
	confirmation
	Has      bool // a password
	Least    int  // characters of one
	Sessions []sessionRow
	Tokens   []tokenRow
	Name     string // of a token, as it was typed
	Made     *madeToken
}

type sessionRow struct {
	Hash           string
	Since, Expires moment
	Here           bool
}

type tokenRow struct {
	feedonce.Token
	Kind       string
	Made, Last moment
}

// A madeToken is a token with its secret, which is shown on the page that answers and never again.
type madeToken struct {
	tokenRow
	Secret string
	User   string
	API    string // address
}

// confirmed reports whether the password that a form asks for was given. A wrong one becomes the sentence in problem.
func (s *server) confirmed(w http.ResponseWriter, r *http.Request, problem *string) (bool, error) {
	err := s.Accounts.Confirm(w, r, user(r), r.PostFormValue("current"))
	switch {
	case errors.Is(err, account.ErrWrong):
		*problem = "Your password is another one, so nothing was done."
	case errors.Is(err, account.ErrTooMany):
		*problem = "There were too many attempts. Try again in ten minutes."
	default:
		return err == nil, err
	}
	return false, nil
}

// asked makes a change where the password that its form asks for is right, and reports whether it was made. Otherwise problem says in
// a sentence what a person can put right, and the form comes back with the status.
func (s *server) asked(w http.ResponseWriter, r *http.Request, problem *string, change func() error) (done bool, status int, err error) {
	ok, err := s.confirmed(w, r, problem)
	if err != nil || !ok {
		return false, http.StatusForbidden, err
	}
	err = change()
	var invalid *feedonce.InvalidError
	if errors.As(err, &invalid) {
		*problem = sentence(invalid.Error())
		return false, http.StatusBadRequest, nil
	}
	return err == nil, 0, err
}

// account is what somebody changes about themselves.
func (s *server) account(w http.ResponseWriter, r *http.Request) error {
	return s.renderAccount(w, r, http.StatusOK, accountPage{})
}

func (s *server) renderAccount(w http.ResponseWriter, r *http.Request, status int, p accountPage) error {
	p.page = s.page(r, "Your account", "account")
	p.Asks, p.Least = s.Accounts.Asks(r.Context(), p.User), account.MinPassword
	here := s.Accounts.Session(r.Context())
	err := s.Store.View(r.Context(), func(tx *store.Tx) error {
		p.Sessions, p.Tokens = nil, nil
		u, err := tx.User(p.User.ID) // it may have changed with this request
		if err != nil {
			return err
		}
		p.Has = u.Password != ""
		sessions, err := tx.Sessions(u.ID, s.Now())
		if err != nil {
			return err
		}
		for _, one := range sessions {
			p.Sessions = append(p.Sessions, sessionRow{one.Hash, s.at(one.Created), s.at(one.Expires), one.Hash == here})
		}
		tokens, err := tx.Tokens(u.ID)
		for _, t := range tokens {
			p.Tokens = append(p.Tokens, s.tokenRow(t))
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.renderStatus(w, status, "account", p)
}

func (s *server) tokenRow(t feedonce.Token) tokenRow {
	kind := "API token"
	if t.Kind == feedonce.TokenApp {
		kind = "app password"
	}
	return tokenRow{t, kind, s.at(t.Created), s.at(t.Used)}
}

// setPassword changes the password, and signs out everywhere else.
func (s *server) setPassword(w http.ResponseWriter, r *http.Request) error {
	var p accountPage
	done, status, err := s.asked(w, r, &p.Problem, func() error {
		if r.PostFormValue("password") != r.PostFormValue("again") {
			return &feedonce.InvalidError{Field: "the two new passwords", Reason: "differ, so nothing was done"}
		}
		return s.Accounts.SetPassword(r.Context(), user(r).ID, r.PostFormValue("password"))
	})
	if err != nil {
		return err
	}
	if !done {
		return s.renderAccount(w, r, status, p)
	}
	http.Redirect(w, r, "/account?done=password-set", http.StatusSeeOther)
	return nil
}

// endSessions ends one session of the user, or all but this one.
func (s *server) endSessions(w http.ResponseWriter, r *http.Request) error {
	hash, here := r.PostFormValue("session"), s.Accounts.Session(r.Context())
	if hash == here && hash != "" {
		return s.signOut(w, r)
	}
	err := s.Store.Update(r.Context(), func(tx *store.Tx) error {
		if hash == "" {
			return tx.DropSessions(user(r).ID, here)
		}
		return tx.DropSessionOf(user(r).ID, hash)
	})
	if err != nil {
		return err
	}
	http.Redirect(w, r, "/account?done=sessions-ended", http.StatusSeeOther)
	return nil
}

// addToken makes a token or an app password. Its secret is on the page that answers, and in no address.
func (s *server) addToken(w http.ResponseWriter, r *http.Request) error {
	p := accountPage{Name: clip(strings.TrimSpace(r.PostFormValue("name")), 200)}
	t := feedonce.Token{User: user(r).ID, Kind: feedonce.TokenKind(r.PostFormValue("kind")), Name: p.Name, Write: r.PostFormValue("write") != "", Created: s.Now()}
	var secret string
	done, status, err := s.asked(w, r, &p.Problem, func() error {
		return s.Store.Update(r.Context(), func(tx *store.Tx) (err error) {
			t, secret, err = account.NewToken(tx, t)
			return err
		})
	})
	if err != nil {
		return err
	}
	if !done {
		return s.renderAccount(w, r, status, p)
	}
	w.Header().Set("Cache-Control", "no-store")
	p.Name, p.Made = "", &madeToken{tokenRow: s.tokenRow(t), Secret: secret, User: user(r).Name, API: s.address(r) + "/api/v1"}
	return s.renderAccount(w, r, http.StatusOK, p)
}

func (s *server) removeToken(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	if err := s.Store.Update(r.Context(), func(tx *store.Tx) error { return tx.DropToken(user(r).ID, feedonce.TokenID(id)) }); err != nil {
		return err
	}
	http.Redirect(w, r, "/account?done=token-removed", http.StatusSeeOther)
	return nil
}
