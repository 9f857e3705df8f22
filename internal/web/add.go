package web

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"feedonce"
	"feedonce/internal/fetch"
	"feedonce/internal/store"
)

type addPage struct {
	page
	Address    string
	Folder     string
	Folders    []string // that there are
	Problem    string
	Candidates []fetch.Candidate // to choose from
	Import     *importResult
}

func (s *server) addForm(w http.ResponseWriter, r *http.Request) error {
	return s.renderAdd(w, r, http.StatusOK, addPage{Address: strings.TrimSpace(r.FormValue("url"))})
}

func (s *server) renderAdd(w http.ResponseWriter, r *http.Request, status int, p addPage) error {
	p.page = s.page(r, "Add feeds", "add")
	err := s.Store.View(r.Context(), func(tx *store.Tx) error {
		var err error
		p.Folders, err = foldersOf(tx, user(r).ID)
		return err
	})
	if err != nil {
		return err
	}
	return s.renderStatus(w, status, "add", p)
}

// add follows a feed, by its address or that of a page that names it. Where the page names several, the person
// chooses: the form comes back with "feed" set to one of them, which is then not looked for again.
func (s *server) add(w http.ResponseWriter, r *http.Request) error {
	p := addPage{Address: strings.TrimSpace(r.FormValue("url")), Folder: folderName(r.FormValue("folder"))}
	feed := store.NewFeed{URL: r.FormValue("feed"), Title: clip(strings.TrimSpace(r.FormValue("title")), 500), Folder: p.Folder}
	if feed.URL == "" {
		candidates, err := s.find(r.Context(), p.Address)
		if err != nil {
			if r.Context().Err() != nil {
				return err
			}
			p.Problem = sentence(err.Error())
			return s.renderAdd(w, r, http.StatusBadRequest, p)
		}
		switch len(candidates) {
		case 0:
			p.Problem = "No feed was found at this address, neither named by the page nor at the usual places. Look for a feed's own address on the site, and add that."
			return s.renderAdd(w, r, http.StatusBadRequest, p)
		case 1:
			feed.URL, feed.Title = candidates[0].URL, candidates[0].Title
		default:
			p.Candidates = candidates
			return s.renderAdd(w, r, http.StatusOK, p)
		}
	}
	if webURL(feed.URL) == "" {
		return &feedonce.InvalidError{Field: "the address of the feed", Reason: "must start with http:// or https://"}
	}
	feed.Added = s.Now()
	own := feed.Folder
	if !user(r).Admin() {
		feed.Folder = "" // that of the feed itself is for everybody
	}
	var added feedonce.Feed
	there := false
	err := s.Store.Update(r.Context(), func(tx *store.Tx) (err error) {
		there = false
		added, err = tx.AddFeed(feed)
		if errors.Is(err, feedonce.ErrExists) {
			there, err = true, nil
		}
		if err != nil {
			return err
		}
		return tx.Follow(feedonce.Subscription{User: user(r).ID, Feed: added.ID, Folder: own, Added: feed.Added})
	})
	if there && err == nil {
		http.Redirect(w, r, feedPath(added.ID)+"?done=exists", http.StatusSeeOther)
		return nil
	}
	if err != nil {
		return err
	}
	to := feedPath(added.ID) + "?done=added-unpolled"
	if s.Poller != nil {
		// So that the page it leads to has articles. What goes wrong is stored with the feed.
		res, err := s.Poller.Poll(r.Context(), added.ID)
		to = pollNotice("added", added.ID, res, err)
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// find looks for feeds at an address as a person types it. One without scheme is tried with https first.
func (s *server) find(ctx context.Context, address string) ([]fetch.Candidate, error) {
	if address == "" {
		return nil, &feedonce.InvalidError{Field: "the address", Reason: "is empty; give that of a feed or of a site, such as https://example.com"}
	}
	bare := ""
	switch scheme, rest, ok := strings.Cut(address, "://"); {
	case !ok:
		bare, address = address, "https://"+address
	case strings.EqualFold(scheme, "feed"):
		address = "http://" + rest
	}
	if webURL(address) == "" {
		return nil, &feedonce.InvalidError{Field: "the address", Reason: "must be that of a web site or feed, such as https://example.com"}
	}
	found, _, err := s.Client.Find(ctx, address)
	var failed *fetch.Error
	if bare != "" && errors.As(err, &failed) && (failed.Kind == fetch.KindConnect || failed.Kind == fetch.KindTLS) {
		found, _, err = s.Client.Find(ctx, "http://"+bare)
	}
	return found, err
}

// foldersOf returns the folders that a user has.
func foldersOf(tx *store.Tx, who feedonce.UserID) (folders []string, err error) {
	subs, err := tx.Subscriptions(who)
	for _, sub := range subs {
		if sub.Folder != "" && !slices.Contains(folders, sub.Folder) && len(folders) < 500 {
			folders = append(folders, sub.Folder)
		}
	}
	slices.Sort(folders)
	return folders, err
}

// folderName tidies the name of a folder; "/" is for folders within folders.
func folderName(name string) string {
	var parts []string
	for part := range strings.SplitSeq(name, "/") {
		if part = strings.Join(strings.Fields(part), " "); part != "" {
			parts = append(parts, clip(part, 100))
		}
	}
	return strings.Join(parts[:min(len(parts), 8)], "/")
}
