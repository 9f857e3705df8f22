package outfeed

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"feedonce"
	"feedonce/internal/secret"
	"feedonce/internal/store"
)

// A CleanedFeed is a feed and the output that stands for it in somebody's reader.
type CleanedFeed struct {
	Feed   feedonce.Feed
	Output feedonce.Output
	Added  bool // the output was made just now
}

// Cleaned returns an output for each feed, by the order of the feeds: the one that was made for it before, under the address that it
// had, else a new one. Who reads all of them has each article once: one that stands in several feeds is in the output in which
// it stood first, and in no other.
func Cleaned(ctx context.Context, s *store.Store, box *secret.Box, now time.Time) ([]CleanedFeed, error) {
	var all []CleanedFeed
	err := s.Update(ctx, func(tx *store.Tx) error {
		all = nil
		feeds, err := tx.Feeds()
		if err != nil {
			return err
		}
		outputs, err := tx.Outputs()
		if err != nil {
			return err
		}
		of, taken := map[feedonce.FeedID]feedonce.Output{}, map[string]bool{}
		for _, o := range outputs {
			taken[o.Name] = true
			if o.Selection.Once {
				of[o.Selection.Feed] = o
			}
		}
		for _, f := range feeds {
			c := CleanedFeed{Feed: f}
			var had bool
			if c.Output, had = of[f.ID]; !had {
				o := feedonce.Output{Name: outputName(f, taken), Created: now, Selection: feedonce.Selection{Feed: f.ID, Once: true}}
				taken[o.Name] = true
				if c.Output, err = add(tx, box, o); err != nil {
					return err
				}
				c.Added = true
			}
			all = append(all, c)
		}
		return nil
	})
	return all, err
}

// outputName is what to call the output of a feed: as the feed, where no other output is called so.
func outputName(f feedonce.Feed, taken map[string]bool) string {
	title := line(f.Name(), maxName)
	if title == "" {
		title = "Feed"
	}
	for n := 0; ; n++ {
		suffix := ""
		switch {
		case n == 1:
			suffix = fmt.Sprintf(" (%d)", f.ID)
		case n > 1:
			suffix = fmt.Sprintf(" (%d, %d)", f.ID, n)
		}
		end := min(len(title), maxName-len(suffix))
		for end > 0 && end < len(title) && !utf8.RuneStart(title[end]) {
			end--
		}
		if name := title[:end] + suffix; !taken[name] {
			return name
		}
	}
}
