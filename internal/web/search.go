package web

import (
	"fmt"

	"feedonce"
	"feedonce/internal/store"
)

// snippetWidth is about how many bytes of a text are shown around what was looked for.
const snippetWidth = 220

// find returns the entries of a filter: by words of title, text and author where it has words, with what is shown of them.
func find(tx *store.Tx, f store.EntryFilter) ([]feedonce.Entry, map[feedonce.EntryID]store.Snippet, error) {
	if f.Words == "" {
		entries, err := tx.Entries(f)
		return entries, nil, err
	}
	by := store.SearchFilter{Words: f.Words, Limit: f.Limit, Before: f.Before}
	switch {
	case f.Feed != 0:
		by.Feeds = []feedonce.FeedID{f.Feed}
	case f.User != 0:
		var err error
		if by.Feeds, err = subscribed(tx, f.User); err != nil {
			return nil, nil, err
		}
	}
	entries, err := tx.Search(by)
	if err != nil {
		return nil, nil, err
	}
	ids := make([]feedonce.EntryID, len(entries))
	for i, e := range entries {
		ids[i] = e.ID
	}
	snippets, err := tx.Snippets(f.Words, ids, snippetWidth)
	return entries, snippets, err
}

// searchProgress says how far search is, where somebody looks for something and not everything is found yet.
func searchProgress(tx *store.Tx, words string) (string, error) {
	if words == "" {
		return "", nil
	}
	p, err := tx.SearchProgress()
	if err != nil || !p.Behind() {
		return "", err
	}
	return fmt.Sprintf("Search has read %s of %s articles so far, the newest first.", number(p.Indexed), number(p.All)), nil
}
