package web

import (
	"errors"
	"net/http"
	"strings"

	"feedonce"
	"feedonce/internal/account"
	"feedonce/internal/store"
)

// People, for administrators. Whatever is changed here asks for the administrator's password once more.

type usersPage struct {
	page
	confirmation
	Rows []userRow
	Name string // of a user to add, as it was typed
	Link *madeLink
}

type userRow struct {
	feedonce.User
	Last  moment // when they signed in
	Feeds int
	Self  bool
}

// A madeLink is an address that signs somebody in once. It is shown on the page that answers and never again.
type madeLink struct{ Name, Address string }

func (s *server) users(w http.ResponseWriter, r *http.Request) error {
	return s.renderUsers(w, r, http.StatusOK, usersPage{})
}

func (s *server) renderUsers(w http.ResponseWriter, r *http.Request, status int, p usersPage) error {
	p.page = s.page(r, "People", "account")
	p.Asks = s.Accounts.Asks(r.Context(), p.User)
	err := s.Store.View(r.Context(), func(tx *store.Tx) error {
		p.Rows = nil
		all, err := tx.Users()
		if err != nil {
			return err
		}
		for _, u := range all {
			subs, err := tx.Subscriptions(u.ID)
			if err != nil {
				return err
			}
			p.Rows = append(p.Rows, userRow{u, s.at(u.Seen), len(subs), u.ID == p.User.ID})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.renderStatus(w, status, "users", p)
}

// askedUsers is asked for this page: where the change is not made, the page comes back.
func (s *server) askedUsers(w http.ResponseWriter, r *http.Request, p *usersPage, change func() error) (done bool, err error) {
	done, status, err := s.asked(w, r, &p.Problem, change)
	if errors.Is(err, feedonce.ErrExists) {
		p.Problem, status, err = "There is somebody of this name already.", http.StatusBadRequest, nil
	}
	if err != nil || done {
		return done, err
	}
	return false, s.renderUsers(w, r, status, *p)
}

// addUser adds somebody, and shows the address at which they sign in first.
func (s *server) addUser(w http.ResponseWriter, r *http.Request) error {
	p := usersPage{Name: clip(strings.TrimSpace(r.PostFormValue("name")), 200)}
	u := feedonce.User{Name: p.Name, Role: feedonce.RoleReader, Created: s.Now()}
	if r.PostFormValue("admin") != "" {
		u.Role = feedonce.RoleAdmin
	}
	done, err := s.askedUsers(w, r, &p, func() error {
		return s.Store.Update(r.Context(), func(tx *store.Tx) (err error) {
			u, err = tx.AddUser(u)
			return err
		})
	})
	if err != nil || !done {
		return err
	}
	p.Name = ""
	return s.showLink(w, r, p, u)
}

// showLink makes an address that signs a user in once, and shows it.
func (s *server) showLink(w http.ResponseWriter, r *http.Request, p usersPage, u feedonce.User) error {
	path, err := account.SignInLink(r.Context(), s.Store, u.ID)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	p.Link = &madeLink{u.Name, s.address(r) + path}
	return s.renderUsers(w, r, http.StatusOK, p)
}

// changeUser changes what somebody may: their role, whether they may sign in; or makes an address that signs them in.
func (s *server) changeUser(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	var p usersPage
	var u feedonce.User
	what := r.PostFormValue("do")
	done, err := s.askedUsers(w, r, &p, func() error {
		return s.Store.Update(r.Context(), func(tx *store.Tx) (err error) {
			if u, err = tx.User(feedonce.UserID(id)); err != nil {
				return err
			}
			switch what {
			case "admin", "reader":
				u.Role = feedonce.Role(what)
				return tx.SetUser(u)
			case "forbid", "allow":
				return account.Forbid(tx, u, what == "forbid", s.Now())
			case "link":
				if !u.Disabled.IsZero() {
					return &feedonce.InvalidError{Field: u.Name, Reason: "may not sign in; allow it first"}
				}
				return nil
			}
			return &feedonce.InvalidError{Field: "what to do", Reason: "must be one of the choices"}
		})
	})
	if err != nil || !done {
		return err
	}
	if what == "link" {
		return s.showLink(w, r, p, u)
	}
	http.Redirect(w, r, "/users?done=user-changed", http.StatusSeeOther)
	return nil
}

type removeUserPage struct {
	page
	confirmation
	Row userRow
}

// confirmRemoveUser asks before somebody goes with what they follow and have read.
func (s *server) confirmRemoveUser(w http.ResponseWriter, r *http.Request) error {
	return s.renderRemoveUser(w, r, http.StatusOK, removeUserPage{})
}

func (s *server) renderRemoveUser(w http.ResponseWriter, r *http.Request, status int, p removeUserPage) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	p.page = s.page(r, "Remove somebody", "account")
	p.Asks = s.Accounts.Asks(r.Context(), p.User)
	err = s.Store.View(r.Context(), func(tx *store.Tx) error {
		u, err := tx.User(feedonce.UserID(id))
		if err != nil {
			return err
		}
		subs, err := tx.Subscriptions(u.ID)
		p.Row = userRow{u, s.at(u.Seen), len(subs), u.ID == p.User.ID}
		return err
	})
	if err != nil {
		return err
	}
	return s.renderStatus(w, status, "user_remove", p)
}

func (s *server) removeUser(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	var p removeUserPage
	done, status, err := s.asked(w, r, &p.Problem, func() error {
		return s.Store.Update(r.Context(), func(tx *store.Tx) error { return tx.RemoveUser(feedonce.UserID(id)) })
	})
	if err != nil {
		return err
	}
	if !done {
		return s.renderRemoveUser(w, r, status, p)
	}
	http.Redirect(w, r, "/users?done=user-removed", http.StatusSeeOther)
	return nil
}
