package store

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"feedonce"
	"feedonce/internal/sqldb"
)

// What outputs have in them: which articles, in which order, and which are gone. Arrival is an order that never changes, as IDs
// are given in it; dates change.

// A Listed is an article of an output by its number.
type Listed struct {
	Entry feedonce.EntryID
	Seen  time.Time // when it came
}

// Listed returns which articles an output has, the last to arrive first, from those with a smaller ID than before (0: all).
//
// Of a story it has the article that was there first, of those that the output may have at all; articles that only point to
// others stand for themselves. Where the selection is Once, that is the one that stood first in any output of that kind: the
// articles that were there before their feed had such an output stood in it when it was made.
func (tx *Tx) Listed(o feedonce.Output, before feedonce.EntryID, limit int) ([]Listed, error) {
	sel := o.Selection
	w := where{}
	w.add("e.merged_into is null")
	if before != 0 {
		w.add("e.id < ?", int64(before))
	}
	tables := `entries e`
	if sel.Search != "" {
		tables = entryTables
	}
	own, args := tx.picked(sel, "e", "b")
	for i, c := range own {
		w.add(c, args[i]...)
	}
	if sel.Scope != feedonce.ScopeFeed {
		tx.storyOnce(&w, o)
	}
	all, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (Listed, error) {
		var a Listed
		err := row.Scan(&a.Entry, at(&a.Seen))
		return a, err
	}, `select e.id, e.first_seen_at from `+tables+w.String()+` order by e.id desc`+w.limit(limit), w.args...)
	if err != nil {
		return nil, fmt.Errorf("articles of an output: %w", err)
	}
	return all, nil
}

// picked returns the conditions by which a selection picks entries and their bodies under these names, and the arguments of
// each.
func (tx *Tx) picked(sel feedonce.Selection, entries, bodies string) (conditions []string, args [][]any) {
	add := func(c string, a ...any) { conditions, args = append(conditions, c), append(args, a) }
	if sel.Feed != 0 {
		add(entries+".feed_id = ?", int64(sel.Feed))
	}
	if sel.Folder != "" {
		add(entries+".feed_id in (select id from feeds where "+inFolder+")", folderArgs(sel.Folder)...)
	}
	has := "like" // SQLite's takes no notice of the case of ASCII letters
	if tx.Dialect() == sqldb.PostgreSQL {
		has = "ilike"
	}
	for _, word := range strings.Fields(sel.Search) {
		p := like(word)
		add(fmt.Sprintf(`(%[1]s.title %[3]s ? escape '\' or %[2]s.content %[3]s ? escape '\' or %[2]s.summary %[3]s ? escape '\')`, entries, bodies, has), p, p, p)
	}
	return conditions, args
}

// inFolder is the condition that a feed is in a folder, or in one within it ("News" has "News/Local"), with folderArgs.
const inFolder = `(folder = ? or substr(folder, 1, ?) = ?)`

func folderArgs(folder string) []any {
	return []any{folder, utf8.RuneCountInString(folder) + 1, folder + "/"}
}

// storyOnce adds the condition that no other article of the same story comes first.
func (tx *Tx) storyOnce(w *where, o feedonce.Output) {
	sel := o.Selection
	tables := `story_members m join story_members o on o.story_id = m.story_id and o.kind = 'member' and o.entry_id <> m.entry_id
		join entries eo on eo.id = o.entry_id and eo.merged_into is null`
	// Who was there first joined by no rule. IDs alone would not do: of two that are stored at the same moment, the one with
	// the smaller ID may come second.
	first := `(o.rule <> '', o.entry_id) < (m.rule <> '', m.entry_id)`
	var args []any
	if sel.Once {
		tables += ` join outputs oo on oo.once_feed_id = o.feed_id`
		first = `(case when eo.first_seen_at < oo.created_at then oo.created_at else eo.first_seen_at end, o.rule <> '', o.entry_id)
			< (case when e.first_seen_at < ? then ? else e.first_seen_at end, m.rule <> '', m.entry_id)`
		args = []any{o.Created.UnixMicro(), o.Created.UnixMicro()}
	} else {
		if sel.Search != "" {
			tables += ` join entry_bodies bo on bo.entry_id = eo.id`
		}
		conditions, more := tx.picked(sel, "eo", "bo")
		for i, c := range conditions {
			first += ` and ` + c
			args = append(args, more[i]...)
		}
	}
	// Counted, as PostgreSQL makes a join with all stories there are of "not exists": a page needs to look at a few of them.
	w.add(`(select count(*) from `+tables+` where m.entry_id = e.id and m.kind = 'member' and `+first+`) = 0`, args...)
}

// A Selected is an article of an output.
type Selected struct {
	Entry    feedonce.Entry // with its texts
	FeedName string
	FeedURL  string
	SiteURL  string
	Also     []string // names of the other feeds that have the same story, in the order in which they had it
}

// Selected returns articles with what outputs say of them, in the order of the IDs given; what is not there is left out.
// Also is filled where it is asked for.
func (tx *Tx) Selected(ids []feedonce.EntryID, also bool) ([]Selected, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	from, args := tx.Dialect().From(sqldb.Ints("id", ids), "r", 1)
	lookup := tx.Dialect().Lookup()
	found := make(map[feedonce.EntryID]*Selected, len(ids))
	err := tx.Each(func(row sqldb.Scanner) error {
		var s Selected
		err := row.Scan(append(entryFields(&s.Entry), &s.Entry.Summary, &s.Entry.Content, &s.FeedName, &s.FeedURL, &s.SiteURL)...)
		found[s.Entry.ID] = &s
		return err
	}, `select `+entryColumns+`, b.summary, b.content, coalesce(nullif(f.title, ''), f.url), f.url, f.site_url
		from `+from+` `+lookup+` entries e on e.id = r.id `+lookup+` entry_bodies b on b.entry_id = e.id `+lookup+` feeds f on f.id = e.feed_id`, args...)
	if err != nil {
		return nil, fmt.Errorf("articles of an output: %w", err)
	}
	if also {
		if err := tx.alsoIn(ids, found); err != nil {
			return nil, err
		}
	}
	all := make([]Selected, 0, len(ids))
	for _, id := range ids {
		if s := found[id]; s != nil {
			all = append(all, *s)
		}
	}
	return all, nil
}

// alsoIn names the other feeds of the articles' stories.
func (tx *Tx) alsoIn(ids []feedonce.EntryID, all map[feedonce.EntryID]*Selected) error {
	from, args := tx.Dialect().From(sqldb.Ints("id", ids), "r", 1)
	lookup := tx.Dialect().Lookup()
	err := tx.Each(func(row sqldb.Scanner) error {
		var id feedonce.EntryID
		var name string
		if err := row.Scan(&id, &name); err != nil {
			return err
		}
		if s := all[id]; s != nil {
			s.Also = append(s.Also, name)
		}
		return nil
	}, `select r.id, coalesce(nullif(f.title, ''), f.url) from `+from+` `+lookup+` story_members m on m.entry_id = r.id and m.kind = 'member'
		`+lookup+` story_members o on o.story_id = m.story_id and o.kind = 'member' and o.feed_id <> m.feed_id
		`+lookup+` entries e on e.id = o.entry_id and e.merged_into is null
		`+lookup+` feeds f on f.id = o.feed_id order by r.id, o.rule <> '', o.entry_id`, args...)
	if err != nil {
		return fmt.Errorf("stories of an output's articles: %w", err)
	}
	return nil
}

// A Tombstone says that an article is none any more.
type Tombstone struct {
	Entry feedonce.EntryID
	Into  feedonce.EntryID // it is the same as; 0: it is gone with its feed
	At    time.Time
}

// Tombstones returns articles that were merged into others or withdrawn since a time, the latest first, and are not back: those
// that the selection may have had.
func (tx *Tx) Tombstones(sel feedonce.Selection, since time.Time, limit int) ([]Tombstone, error) {
	const kinds = `('article.merged', 'article.withdrawn')`
	w := where{}
	w.add("c.kind in " + kinds)
	w.add("c.at >= ?", since.UnixMicro())
	if sel.Feed != 0 {
		w.add("c.feed_id = ?", int64(sel.Feed))
	}
	if sel.Folder != "" {
		// In which folder a feed was that is removed is not known any more.
		w.add("(not exists (select 1 from feeds where id = c.feed_id) or c.feed_id in (select id from feeds where "+inFolder+"))",
			folderArgs(sel.Folder)...)
	}
	w.add("(e.id is null or e.merged_into is not null)")
	w.add("not exists (select 1 from changes n where n.entry_id = c.entry_id and n.seq > c.seq and n.kind in " + kinds + ")")
	all, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (Tombstone, error) {
		var t Tombstone
		err := row.Scan(&t.Entry, &t.Into, at(&t.At))
		return t, err
	}, `select c.entry_id, c.other_id, c.at from changes c left join entries e on e.id = c.entry_id`+w.String()+` order by c.seq desc`+w.limit(limit), w.args...)
	if err != nil {
		return nil, fmt.Errorf("tombstones: %w", err)
	}
	return all, nil
}
