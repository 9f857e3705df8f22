package demo

import "feedonce/internal/format"

// A Rival keeps the books of a reader that knows an article of a feed by its guid alone - by its link where it has none,
// else by its title - as most readers do. It is not safe for concurrent use.
type Rival struct{ seen map[string]map[string]bool }

// Read takes in one document of a feed.
func (r *Rival) Read(feed string, d *format.Document) {
	if r.seen == nil {
		r.seen = map[string]map[string]bool{}
	}
	if r.seen[feed] == nil {
		r.seen[feed] = map[string]bool{}
	}
	for _, it := range d.Items {
		switch {
		case it.GUID != "":
			r.seen[feed]["guid "+it.GUID] = true
		case it.Link != "":
			r.seen[feed]["link "+it.Link] = true
		case it.Title != "":
			r.seen[feed]["title "+it.Title] = true
		}
	}
}

// Shown returns how many articles of a feed it has shown as new.
func (r *Rival) Shown(feed string) int { return len(r.seen[feed]) }
