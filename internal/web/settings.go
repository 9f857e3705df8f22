package web

import (
	"net/http"
	"slices"
	"strconv"

	"feedonce"
	"feedonce/internal/store"
)

type settingsPage struct {
	page
	Themes []choice
	Sizes  []choice
}

// pageSizes are how many articles a page may list.
var pageSizes = []int{20, 50, 100, 200}

var themes = []struct{ value, label string }{{"", "as the device"}, {"light", "light"}, {"dark", "dark"}}

// preferences are what a person wants of the pages.
func (s *server) preferences(w http.ResponseWriter, r *http.Request) error {
	p := settingsPage{page: s.page(r, "Settings", "account")}
	has := p.User.Settings
	for _, t := range themes {
		p.Themes = append(p.Themes, choice{t.value, t.label, has.Theme == t.value})
	}
	for _, n := range pageSizes {
		p.Sizes = append(p.Sizes, choice{strconv.Itoa(n), strconv.Itoa(n), has.PageSize == n || has.PageSize == 0 && n == pageSize})
	}
	return s.render(w, "settings", p)
}

func (s *server) savePreferences(w http.ResponseWriter, r *http.Request) error {
	set := feedonce.Settings{Theme: r.PostFormValue("theme"), Oldest: r.PostFormValue("oldest") != "", KeepRead: r.PostFormValue("keep") != ""}
	if set.Theme != "" && set.Theme != "light" && set.Theme != "dark" {
		return &feedonce.InvalidError{Field: "the theme", Reason: "must be light, dark, or as the device"}
	}
	if text := r.PostFormValue("size"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || !slices.Contains(pageSizes, n) {
			return &feedonce.InvalidError{Field: "the number of articles on a page", Reason: "must be 20, 50, 100 or 200"}
		}
		if n != pageSize {
			set.PageSize = n
		}
	}
	err := s.Store.Update(r.Context(), func(tx *store.Tx) error {
		u, err := tx.User(user(r).ID)
		if err != nil {
			return err
		}
		u.Settings = set
		return tx.SetUser(u)
	})
	if err != nil {
		return err
	}
	http.Redirect(w, r, "/settings?done=settings", http.StatusSeeOther)
	return nil
}
