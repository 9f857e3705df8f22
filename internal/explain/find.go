package explain

import (
	"errors"
	"strings"

	"feedonce"
	"feedonce/internal/store"
)

// A Found is what a person may mean by a number, an address, a guid or words of a title.
type Found struct {
	Articles []feedonce.EntryID  // that have it, or into which something was folded that has it; oldest first
	Arrivals []feedonce.Decision // that have it and were not shown; latest first. Those that were folded are in Articles, too
	// Titled and TitledArrivals have the words in their titles, now or once. They are looked for where nothing has the number, address
	// or guid.
	Titled         []feedonce.Entry
	TitledArrivals []feedonce.Decision
}

// Empty reports whether nothing was found.
func (f *Found) Empty() bool {
	return len(f.Articles)+len(f.Arrivals)+len(f.Titled)+len(f.TitledArrivals) == 0
}

const (
	mostFound  = 20  // articles and arrivals
	mostLooked = 200 // decisions that are looked through
)

// Find finds what a person means.
func Find(tx *store.Tx, what string) (*Found, error) {
	f := &Found{}
	what = strings.TrimSpace(what)
	if what == "" {
		return f, nil
	}
	entries, err := tx.FindEntries(what)
	if err != nil && !errors.Is(err, feedonce.ErrNotFound) {
		return nil, err
	}
	for _, e := range entries {
		f.article(e.ID)
	}
	var titled, former []feedonce.Decision
	seen := map[int64]bool{}
	for _, spelling := range spellings(what) {
		decisions, err := tx.Decisions(store.DecisionFilter{Words: spelling, Limit: mostLooked})
		if err != nil {
			return nil, err
		}
		for _, d := range decisions {
			switch exact := d.GUID == spelling || d.URL == spelling; {
			case seen[d.ID]:
				continue
			case exact:
				f.article(d.Entry)
				if len(d.Arrival) > 0 && len(f.Arrivals) < mostFound {
					f.Arrivals = append(f.Arrivals, d)
				}
			case spelling != what:
			case len(d.Arrival) == 0:
				former = append(former, d)
			case len(titled) < mostFound:
				titled = append(titled, d)
			}
			seen[d.ID] = true
		}
	}
	if len(f.Articles)+len(f.Arrivals) > 0 {
		return f, nil
	}
	if f.Titled, err = tx.Entries(store.EntryFilter{Words: what, Limit: mostFound}); err != nil {
		return nil, err
	}
	has := map[feedonce.EntryID]bool{}
	for _, e := range f.Titled {
		has[e.ID] = true
	}
	for _, d := range former { // the title it had once
		if d.Entry == 0 || has[d.Entry] || len(f.Titled) == mostFound {
			continue
		}
		has[d.Entry] = true
		e, err := tx.Entry(d.Entry)
		switch {
		case errors.Is(err, feedonce.ErrNotFound):
		case err != nil:
			return nil, err
		default:
			f.Titled = append(f.Titled, e)
		}
	}
	for _, d := range titled {
		if d.Entry == 0 || !has[d.Entry] { // else its article is listed
			f.TitledArrivals = append(f.TitledArrivals, d)
		}
	}
	return f, nil
}

func (f *Found) article(id feedonce.EntryID) {
	if id == 0 || len(f.Articles) == mostFound {
		return
	}
	for _, have := range f.Articles {
		if have == id {
			return
		}
	}
	f.Articles = append(f.Articles, id)
}

// spellings are ways in which an address is written that mean the same. Decisions keep addresses as they were published.
func spellings(what string) []string {
	out := []string{what}
	scheme, rest, ok := strings.Cut(what, "://")
	if !ok || scheme != "http" && scheme != "https" {
		return out
	}
	rest, _, _ = strings.Cut(rest, "#")
	host, path, _ := strings.Cut(rest, "/")
	if path = "/" + path; path == "/" {
		path = ""
	}
	for _, s := range []string{"https", "http"} {
		for _, h := range []string{strings.TrimPrefix(host, "www."), "www." + strings.TrimPrefix(host, "www.")} {
			for _, p := range []string{strings.TrimSuffix(path, "/"), strings.TrimSuffix(path, "/") + "/"} {
				if u := s + "://" + h + p; u != what {
					out = append(out, u)
				}
			}
		}
	}
	return out
}
