package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"feedonce"
	"feedonce/internal/store"
)

// findFeed returns the feed a person means by its number, its URL or a part of its title or URL that no other feed has.
// exact is false where it was a part.
func findFeed(tx *store.Tx, name string) (f feedonce.Feed, exact bool, err error) {
	name = strings.TrimSpace(name)
	if id, nerr := strconv.ParseInt(name, 10, 64); nerr == nil {
		f, err = tx.Feed(feedonce.FeedID(id))
		if errors.Is(err, feedonce.ErrNotFound) {
			err = fmt.Errorf("there is no feed %d; `feedonce feeds` lists them", id)
		}
		return f, true, err
	}
	if strings.Contains(name, "://") {
		f, err = tx.FeedByURL(name)
		if err == nil || !errors.Is(err, feedonce.ErrNotFound) {
			return f, true, err
		}
	}
	all, err := tx.Feeds()
	if err != nil {
		return f, false, err
	}
	var found []feedonce.Feed
	part := strings.ToLower(name)
	for _, f := range all {
		if f.Title == name || f.URL == name {
			return f, true, nil
		}
		if part != "" && (strings.Contains(strings.ToLower(f.Title), part) || strings.Contains(strings.ToLower(f.URL), part)) {
			found = append(found, f)
		}
	}
	switch len(found) {
	case 0:
		return f, false, fmt.Errorf("no feed has the URL or title %q; `feedonce feeds` lists them", name)
	case 1:
		return found[0], false, nil
	}
	var list strings.Builder
	for i, f := range found {
		if i == 5 {
			fmt.Fprintf(&list, "\n  and %d more", len(found)-i)
			break
		}
		fmt.Fprintf(&list, "\n  %d  %s  %s", f.ID, clean(f.Name()), f.URL)
	}
	return f, false, usagef("%q may be any of %s; name it by its number:%s", name, count(len(found), "feed"), list.String())
}
