package api

import (
	"context"
	"net/http"
	"strconv"

	"feedonce"
	"feedonce/internal/shape"
	"feedonce/internal/store"
)

// EntryPath is the article in a path.
type EntryPath struct {
	Entry feedonce.EntryID `path:"entry" minimum:"1" doc:"Number of the article"`
}

func (s *server) entryRoutes() {
	route(s, operation{id: "list-entries", method: http.MethodGet, path: "/entries", tag: "entries", summary: "List articles, newest first, without their texts"}, s.listEntries)
	route(s, operation{id: "get-entry", method: http.MethodGet, path: "/entries/{entry}", tag: "entries", summary: "An article with its texts and its earlier versions",
		errors: []int{http.StatusNotFound}}, s.getEntry)
}

type entryQuery struct {
	Feed  feedonce.FeedID `query:"feed" minimum:"1" doc:"Only of this feed"`
	Words string          `query:"words" maxLength:"1000" doc:"Only with all of these words in the title"`
	Q     string          `query:"q" maxLength:"1000" doc:"Only with these words in title, text or author: all of them; \"a phrase\"; -word excludes; word* may go on. In the place of words"`
	Paging
}

// entryList is a page of articles.
type entryList struct {
	Entries []shape.Entry `json:"entries"`
	Next    string        `json:"next,omitempty" doc:"The after of the next page; absent on the last one"`
}

func (s *server) listEntries(ctx context.Context, in *entryQuery) (*body[entryList], error) {
	after, err := in.momentAfter()
	if err != nil {
		return nil, err
	}
	var out entryList
	err = s.view(ctx, func(tx *store.Tx) error {
		out = entryList{}
		found, err := in.find(tx, after)
		page, isMore := more(found, in.Limit)
		if isMore {
			last := page[len(page)-1]
			out.Next = momentNext(last.Time(), int64(last.ID))
		}
		out.Entries = make([]shape.Entry, len(page))
		for i, e := range page {
			out.Entries[i] = shape.EntryOf(e)
		}
		return err
	})
	return answer(out, err)
}

// find returns a page of articles, and one more where there are more.
func (in *entryQuery) find(tx *store.Tx, after store.Cursor) ([]feedonce.Entry, error) {
	if in.Q == "" {
		return tx.Entries(store.EntryFilter{Feed: in.Feed, Words: in.Words, Limit: in.Limit + 1, Before: after})
	}
	f := store.SearchFilter{Words: in.Q, Limit: in.Limit + 1, Before: after}
	if in.Feed != 0 {
		f.Feeds = []feedonce.FeedID{in.Feed}
	}
	return tx.Search(f)
}

// fullEntry is an article with its history.
type fullEntry struct {
	shape.Entry
	Versions []shape.Version `json:"versions" doc:"Earlier contents, latest first; at most the latest 20 are kept"`
}

func (s *server) getEntry(ctx context.Context, in *EntryPath) (*body[fullEntry], error) {
	var out fullEntry
	err := s.view(ctx, func(tx *store.Tx) error {
		e, err := tx.Entry(in.Entry)
		if err != nil {
			return err
		}
		versions, err := tx.Versions(in.Entry)
		out = fullEntry{Entry: shape.EntryOf(e), Versions: make([]shape.Version, len(versions))}
		for i, v := range versions {
			out.Versions[i] = shape.VersionOf(v)
		}
		return err
	})
	return answer(out, err)
}

// number writes a number of something.
func number[T ~int64](id T) string { return strconv.FormatInt(int64(id), 10) }
