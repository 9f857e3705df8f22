package store

import (
	"fmt"
	"strings"
	"time"

	"feedonce"
	"feedonce/internal/sqldb"
)

// A Selected is an article of an output.
type Selected struct {
	Entry    feedonce.Entry // with its texts
	FeedName string
	FeedURL  string
	SiteURL  string
	Also     []string // names of the other feeds that have the same story, in the order in which they had it
}

// Selected returns the articles of an output, the last to arrive first, from those with a smaller ID than before (0: all). Of a
// story it has the article that came first; those that only point to others stand for themselves. Arrival is an order that
// never changes: dates do.
func (tx *Tx) Selected(sel feedonce.Selection, before feedonce.EntryID, limit int) ([]Selected, error) {
	w := where{}
	w.add("e.merged_into is null")
	inFeeds := func(alias string) (string, []any) {
		var conditions []string
		var args []any
		if sel.Feed != 0 {
			conditions, args = append(conditions, alias+".id = ?"), append(args, int64(sel.Feed))
		}
		if sel.Folder != "" {
			conditions, args = append(conditions, alias+".folder = ?"), append(args, sel.Folder)
		}
		return strings.Join(conditions, " and "), args
	}
	if c, args := inFeeds("f"); c != "" {
		w.add(c, args...)
	}
	for _, word := range strings.Fields(sel.Search) {
		p := like(word)
		w.add(`(`+titleHas+` or lower(b.content) like lower(?) escape '\' or lower(b.summary) like lower(?) escape '\')`, p, p, p)
	}
	if sel.Scope != feedonce.ScopeFeed {
		c, args := inFeeds("fo")
		if c != "" {
			c = " and " + c
		}
		w.add(`not exists (select 1 from story_members m join story_members o on o.story_id = m.story_id and o.kind = 'member' and o.entry_id < m.entry_id
			join entries eo on eo.id = o.entry_id and eo.merged_into is null join feeds fo on fo.id = eo.feed_id
			where m.entry_id = e.id and m.kind = 'member'`+c+`)`, args...)
	}
	if before != 0 {
		w.add("e.id < ?", int64(before))
	}
	all, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (Selected, error) {
		var s Selected
		err := row.Scan(append(entryFields(&s.Entry), &s.Entry.Summary, &s.Entry.Content, &s.FeedName, &s.FeedURL, &s.SiteURL)...)
		return s, err
	}, `select `+entryColumns+`, b.summary, b.content, coalesce(nullif(f.title, ''), f.url), f.url, f.site_url
		from `+entryTables+` join feeds f on f.id = e.feed_id`+w.String()+` order by e.id desc`+w.limit(limit), w.args...)
	if err != nil {
		return nil, fmt.Errorf("articles of an output: %w", err)
	}
	return all, tx.alsoIn(all)
}

// alsoIn names the other feeds of the articles' stories.
func (tx *Tx) alsoIn(all []Selected) error {
	if len(all) == 0 {
		return nil
	}
	at := map[feedonce.EntryID]int{}
	ids := make([]feedonce.EntryID, len(all))
	for i := range all {
		at[all[i].Entry.ID], ids[i] = i, all[i].Entry.ID
	}
	from, args := tx.Dialect().From(sqldb.Ints("id", ids), "r", 1)
	lookup := tx.Dialect().Lookup()
	err := tx.Each(func(row sqldb.Scanner) error {
		var id feedonce.EntryID
		var name string
		if err := row.Scan(&id, &name); err != nil {
			return err
		}
		all[at[id]].Also = append(all[at[id]].Also, name)
		return nil
	}, `select r.id, coalesce(nullif(f.title, ''), f.url) from `+from+` `+lookup+` story_members m on m.entry_id = r.id
		`+lookup+` story_members o on o.story_id = m.story_id and o.entry_id <> m.entry_id and o.feed_id <> m.feed_id
		`+lookup+` feeds f on f.id = o.feed_id order by r.id, o.entry_id`, args...)
	if err != nil {
		return fmt.Errorf("stories of an output's articles: %w", err)
	}
	return nil
}

// A Tombstone says that an article is none any more.
type Tombstone struct {
	Entry feedonce.EntryID
	Into  feedonce.EntryID // it is the same as; 0: it is gone
	At    time.Time
}

// Tombstones returns articles that were merged into others or withdrawn since a time, latest first, and are not back.
func (tx *Tx) Tombstones(feed feedonce.FeedID, since time.Time, limit int) ([]Tombstone, error) {
	w := where{}
	w.add("c.kind in ('article.merged', 'article.withdrawn')")
	w.add("c.at >= ?", since.UnixMicro())
	if feed != 0 {
		w.add("c.feed_id = ?", int64(feed))
	}
	w.add("not exists (select 1 from changes n where n.entry_id = c.entry_id and n.seq > c.seq)")
	all, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (Tombstone, error) {
		var t Tombstone
		err := row.Scan(&t.Entry, &t.Into, at(&t.At))
		return t, err
	}, `select c.entry_id, c.other_id, c.at from changes c`+w.String()+` order by c.seq desc`+w.limit(limit), w.args...)
	if err != nil {
		return nil, fmt.Errorf("tombstones: %w", err)
	}
	return all, nil
}
