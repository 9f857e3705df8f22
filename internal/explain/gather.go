package explain

import (
	"errors"
	"slices"
	"strings"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
)

// Of collects all that is known of an article, or returns feedonce.ErrNotFound.
func Of(tx *store.Tx, id feedonce.EntryID) (*Article, error) {
	e, err := tx.Entry(id)
	if err != nil {
		return nil, err
	}
	a := &Article{Entry: e, Titles: map[feedonce.EntryID]Neighbor{}}
	if a.Feed, err = tx.Feed(e.Feed); err != nil {
		return nil, err
	}
	latest, err := tx.Decisions(store.DecisionFilter{Entry: id, Limit: mostDecisions})
	if err != nil {
		return nil, err
	}
	for _, d := range slices.Backward(latest) {
		a.Decisions = append(a.Decisions, read(d))
	}
	if a.Keys, err = tx.Keys(id); err != nil {
		return nil, err
	}
	versions, err := tx.Versions(id)
	if err != nil {
		return nil, err
	}
	a.Changes = changes(versions, e)
	if a.Verdicts, err = tx.Verdicts(id); err != nil {
		return nil, err
	}
	amendments, err := tx.Amendments(store.AmendmentFilter{Entry: id, Limit: mostDecisions})
	if err != nil {
		return nil, err
	}
	slices.Reverse(amendments)
	a.Amendments = amendments
	switch story, err := tx.StoryOf(id); {
	case errors.Is(err, feedonce.ErrNotFound): // it stands in one feed only
	case err != nil:
		return nil, err
	default:
		s, err := tx.Story(story, store.Lead{})
		if err != nil {
			return nil, err
		}
		a.Story = &s
	}
	return a, a.name(tx)
}

// A Lone is an arrival that is no article.
type Lone struct {
	Decision
	Feed feedonce.Feed
}

// Arrival collects what is known of an arrival that is no article.
func Arrival(tx *store.Tx, d feedonce.Decision) (*Lone, error) {
	f, err := tx.Feed(d.Feed)
	if err != nil {
		return nil, err
	}
	a := &Article{Decisions: []Decision{read(d)}, Titles: map[feedonce.EntryID]Neighbor{}}
	if err := a.name(tx); err != nil {
		return nil, err
	}
	return &Lone{a.Decisions[0], f}, nil
}

// name reads the titles of other articles that are named.
func (a *Article) name(tx *store.Tx) error {
	ids := []feedonce.EntryID{a.Entry.MergedInto}
	for _, d := range a.Decisions {
		for _, o := range d.Others {
			ids = append(ids, o.Entry)
		}
	}
	for _, v := range a.Verdicts {
		ids = append(ids, v.A, v.B)
	}
	for _, m := range a.Amendments {
		ids = append(ids, m.A, m.B)
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if id == 0 || id == a.Entry.ID {
			continue
		}
		e, err := tx.Entry(id)
		switch {
		case errors.Is(err, feedonce.ErrNotFound): // its feed is gone
		case err != nil:
			return err
		default:
			a.Titles[id] = Neighbor{Title: e.Title, URL: e.URL, Feed: e.Feed}
		}
	}
	for i := range a.Decisions {
		for j := range a.Decisions[i].Others {
			o := &a.Decisions[i].Others[j]
			o.Neighbor = a.Titles[o.Entry]
		}
	}
	return nil
}

// Keep leaves only what is of feeds that somebody may see: other articles of its story, and names of other articles, are
// dropped where they are of another. What was decided about the article itself stays.
func (a *Article) Keep(see func(feedonce.FeedID) bool) {
	for id, n := range a.Titles {
		if !see(n.Feed) {
			delete(a.Titles, id)
		}
	}
	for i := range a.Decisions {
		d := &a.Decisions[i]
		d.Quiet = Hush(d.Quiet)
		d.Others = slices.DeleteFunc(d.Others, func(o Other) bool { return o.Feed != 0 && !see(o.Feed) })
	}
	if a.Story == nil {
		return
	}
	s := *a.Story
	s.Members = nil
	s.Lead = -1
	for i, m := range a.Story.Members {
		if m.Entry.ID != a.Entry.ID && !see(m.Entry.Feed) {
			continue
		}
		if i == a.Story.Lead {
			s.Lead = len(s.Members)
		}
		s.Members = append(s.Members, m)
	}
	a.Story = &s
	if len(s.Members) < 2 {
		a.Story = nil
	} else if s.Lead < 0 { // the one that leads is not to be seen
		s.Lead, s.Chosen = 0, time.Time{}
	}
}

// Hush takes the name of another feed, which may not be one's own, off why destinations were not told of an article.
func Hush(quiet string) string {
	const story = "told already as part of a story"
	if strings.HasPrefix(quiet, story+":") {
		return story
	}
	return quiet
}

// changes compares each version of an entry with the next. versions are latest first.
func changes(versions []feedonce.Version, now feedonce.Entry) []Change {
	next := feedonce.Version{
		Revision: now.Revision, URL: now.URL, Title: now.Title, Author: now.Author, Summary: now.Summary, Content: now.Content, Enclosures: now.Enclosures,
	}
	var out []Change
	for _, v := range versions {
		c := Change{At: v.Replaced, Revision: v.Revision + 1, Before: v}
		for _, f := range []struct{ name, before, after string }{
			{"title", v.Title, next.Title},
			{"link", v.URL, next.URL},
			{"author", v.Author, next.Author},
			{"enclosures", files(v.Enclosures), files(next.Enclosures)},
			{"summary", text(v.Summary), text(next.Summary)},
			{"content", text(v.Content), text(next.Content)},
		} {
			if f.before != f.after {
				c.Fields = append(c.Fields, FieldChange{f.name, Words(f.before, f.after)})
			}
		}
		out = append(out, c)
		next = v
	}
	slices.Reverse(out)
	return out
}

func files(list []feedonce.Enclosure) string {
	var out []string
	for _, e := range list {
		out = append(out, e.URL)
	}
	return strings.Join(out, " ")
}

// keyNames say what a key is made of.
var keyNames = map[dedup.KeyKind]string{
	dedup.KeyGUID:          "guid",
	dedup.KeyGUIDLink:      "guid and link",
	dedup.KeyGUIDLinkTitle: "guid, link and title",
	dedup.KeyTitleDate:     "title and date",
	dedup.KeyTitleDateText: "title, date and text",
	dedup.KeyLinkTitleDate: "link, title and date",
	dedup.KeyLinkTitleText: "link, title and text",
	dedup.KeyText:          "title and text",
	dedup.KeyLink:          "link",
}

// KeyName says what a key is made of: "guid", "title and date".
func KeyName(k dedup.KeyKind) string {
	if n := keyNames[k]; n != "" {
		return n
	}
	return "another identity"
}
