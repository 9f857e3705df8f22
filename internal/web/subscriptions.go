package web

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"feedonce"
	"feedonce/internal/opml"
	"feedonce/internal/store"
)

// importResult is what became of a subscription list.
type importResult struct {
	File    string
	Added   int64
	There   int64
	Skipped []string // what was not understood, in words with its line
	More    int64    // of them that are not shown
	Broken  string   // where the list could not be read further
}

// maxSkipped is how many lines that were not understood are shown.
const maxSkipped = 200

// importOPML has the user follow the feeds of a subscription list, and adds those that are not there. They are polled one after the other as they are due, which is now.
func (s *server) importOPML(w http.ResponseWriter, r *http.Request) error {
	file, header, err := r.FormFile("file")
	if errors.Is(err, http.ErrMissingFile) || errors.Is(err, http.ErrNotMultipart) {
		return s.renderAdd(w, r, http.StatusBadRequest, addPage{Problem: "No file was chosen. Choose the OPML file that your reader exported."})
	}
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return err
		}
		return &feedonce.InvalidError{Field: "the file", Reason: "did not arrive whole; try again"}
	}
	defer file.Close()
	subs, skipped, err := opml.Read(file)
	result := importResult{File: clip(header.Filename, 100), Skipped: skipped}
	var broken *opml.Error
	switch {
	case errors.As(err, &broken) && len(subs) == 0 && len(skipped) == 0:
		return s.renderAdd(w, r, http.StatusBadRequest, addPage{Problem: fmt.Sprintf("%s could not be imported. %s", result.File, sentence(broken.Error()))})
	case errors.As(err, &broken):
		result.Broken = sentence(broken.Error())
	case err != nil:
		return err
	}
	now := s.Now()
	for chunk := range slices.Chunk(subs, 500) {
		var added, there int64
		err := s.Store.Update(r.Context(), func(tx *store.Tx) error {
			added, there = 0, 0
			for _, sub := range chunk {
				add := store.NewFeed{URL: sub.URL, Title: sub.Title, SiteURL: sub.SiteURL, Folder: sub.Folder, Added: now}
				if !user(r).Admin() {
					add.Folder = "" // that of the feed itself is for everybody
				}
				f, err := tx.AddFeed(add)
				switch {
				case errors.Is(err, feedonce.ErrExists):
					there++
				case err != nil:
					return err
				default:
					added++
				}
				if err := tx.Follow(feedonce.Subscription{User: user(r).ID, Feed: f.ID, Folder: folderName(sub.Folder), Added: now}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("importing after %d feeds: %w", result.Added, err)
		}
		result.Added += added
		result.There += there
	}
	if n := len(result.Skipped); n > maxSkipped {
		result.Skipped, result.More = result.Skipped[:maxSkipped], int64(n-maxSkipped)
	}
	return s.renderAdd(w, r, http.StatusOK, addPage{Import: &result})
}

// exportOPML sends what the user follows as a subscription list, with their titles and folders.
func (s *server) exportOPML(w http.ResponseWriter, r *http.Request) error {
	var subs []opml.Subscription
	err := s.Store.View(r.Context(), func(tx *store.Tx) error {
		subs = nil
		mine, err := tx.Subscriptions(user(r).ID)
		if err != nil {
			return err
		}
		feeds, err := tx.Feeds()
		for _, f := range feeds {
			if i := slices.IndexFunc(mine, func(sub feedonce.Subscription) bool { return sub.Feed == f.ID }); i >= 0 {
				subs = append(subs, opml.Subscription{URL: f.URL, Title: cmp.Or(mine[i].Title, f.Title), SiteURL: f.SiteURL, Folder: mine[i].Folder})
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := opml.Write(&b, "feedonce", subs); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/x-opml; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="feedonce.opml"`)
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	_, err = w.Write(b.Bytes())
	return err
}
