package store

import (
	"fmt"
	"strings"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/sqldb"
)

// EntryFilter selects entries, newest first (by Entry.Time, then ID).
type EntryFilter struct {
	User   feedonce.UserID // only of feeds that they follow; 0: all
	Feed   feedonce.FeedID // 0: all
	Words  string          // all of these words in the title; "" is no filter. The case of ASCII letters is ignored
	Limit  int             // default 50
	Before Cursor          // entries after this one in the list; zero is the start
}

// A Cursor is a place in a list, from a former page.
type Cursor struct {
	Time time.Time
	ID   int64
}

// titleHas is the condition that a title contains a word, given as a pattern of like.
const titleHas = `lower(title) like lower(?) escape '\'`

const entryColumns = `e.id, e.feed_id, e.guid, e.url, e.title, e.author, e.lang, e.published_at, e.updated_at,
	e.first_seen_at, e.changed_at, e.revision, coalesce(e.merged_into, 0), b.enclosures, b.categories`

// entryTables joins what entryColumns needs.
const entryTables = `entries e join entry_bodies b on b.entry_id = e.id`

func entryFields(e *feedonce.Entry) []any {
	return []any{&e.ID, &e.Feed, &e.GUID, &e.URL, &e.Title, &e.Author, &e.Lang, at(&e.Published), at(&e.Updated),
		at(&e.FirstSeen), at(&e.Changed), &e.Revision, &e.MergedInto, list[feedonce.Enclosure]{&e.Enclosures}, list[string]{&e.Categories}}
}

func scanEntry(row sqldb.Scanner) (feedonce.Entry, error) {
	var e feedonce.Entry
	err := row.Scan(entryFields(&e)...)
	return e, err
}

// Entries returns entries without Content and Summary. Those that a person merged into another one are not in lists.
func (tx *Tx) Entries(f EntryFilter) ([]feedonce.Entry, error) {
	w := where{}
	w.add("e.merged_into is null")
	if f.Feed != 0 {
		w.add("e.feed_id = ?", f.Feed)
	}
	w.follows("e.feed_id", f.User)
	for _, word := range strings.Fields(f.Words) {
		w.add(titleHas, like(word))
	}
	if f.Before != (Cursor{}) {
		w.add("(e.sort_at, e.id) < (?, ?)", f.Before.Time.UnixMicro(), f.Before.ID)
	}
	entries, err := sqldb.All(tx.Tx, scanEntry,
		`select `+entryColumns+` from `+entryTables+w.String()+` order by e.sort_at desc, e.id desc`+w.limit(f.Limit), w.args...)
	if err != nil {
		return nil, fmt.Errorf("entries: %w", err)
	}
	return entries, nil
}

// Entry returns an entry with its texts, or ErrNotFound.
func (tx *Tx) Entry(id feedonce.EntryID) (feedonce.Entry, error) {
	var e feedonce.Entry
	err := tx.QueryRow(`select `+entryColumns+`, b.summary, b.content from `+entryTables+` where e.id = $1`, id).
		Scan(append(entryFields(&e), &e.Summary, &e.Content)...)
	return e, found(err, "entry %d", id)
}

// EntriesWithTexts returns entries with their texts, by ID, in one statement. Those that are not there are not in it.
func (tx *Tx) EntriesWithTexts(ids []feedonce.EntryID) (map[feedonce.EntryID]feedonce.Entry, error) {
	found := map[feedonce.EntryID]feedonce.Entry{}
	if len(ids) == 0 {
		return found, nil
	}
	from, args := tx.Dialect().From(sqldb.Ints("id", ids), "r", 1)
	lookup := tx.Dialect().Lookup()
	err := tx.Each(func(row sqldb.Scanner) error {
		var e feedonce.Entry
		err := row.Scan(append(entryFields(&e), &e.Summary, &e.Content)...)
		found[e.ID] = e
		return err
	}, `select `+entryColumns+`, b.summary, b.content from (select distinct id from `+from+`) r
		`+lookup+` entries e on e.id = r.id `+lookup+` entry_bodies b on b.entry_id = e.id`, args...)
	if err != nil {
		return nil, fmt.Errorf("%d entries: %w", len(ids), err)
	}
	return found, nil
}

// EntryCount returns the number of entries of a feed (0: of all).
func (tx *Tx) EntryCount(id feedonce.FeedID) (int64, error) {
	w := where{}
	w.add("merged_into is null")
	if id != 0 {
		w.add("feed_id = ?", id)
	}
	var n int64
	if err := tx.QueryRow(`select count(*) from entries`+w.String(), w.args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count entries: %w", err)
	}
	return n, nil
}

// Versions returns the earlier versions of an entry, latest first; at most the latest 20 are kept.
func (tx *Tx) Versions(id feedonce.EntryID) ([]feedonce.Version, error) {
	versions, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (feedonce.Version, error) {
		var v feedonce.Version
		err := row.Scan(&v.Entry, &v.Revision, at(&v.Replaced), &v.URL, &v.Title, &v.Author, &v.Summary, &v.Content,
			list[feedonce.Enclosure]{&v.Enclosures})
		return v, err
	}, `select entry_id, revision, replaced_at, url, title, author, summary, content, enclosures
		from entry_versions where entry_id = $1 order by revision desc`, id)
	if err != nil {
		return nil, fmt.Errorf("versions of entry %d: %w", id, err)
	}
	return versions, nil
}

// withMerged returns the ID of an entry, and of those that were merged into it.
func (tx *Tx) withMerged(id feedonce.EntryID) ([]any, error) {
	ids := []any{int64(id)}
	err := tx.Each(func(row sqldb.Scanner) error {
		var other int64
		err := row.Scan(&other)
		ids = append(ids, other)
		return err
	}, `select id from entries where merged_into = $1 order by id`, id)
	if err != nil {
		return nil, fmt.Errorf("entries merged into %d: %w", id, err)
	}
	return ids, nil
}

// Keys returns the identities an entry is known by, oldest first.
func (tx *Tx) Keys(id feedonce.EntryID) ([]dedup.Key, error) {
	keys, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (dedup.Key, error) {
		var k dedup.Key
		var hash []byte
		err := row.Scan(&k.Kind, &hash, &k.Text)
		copy(k.Hash[:], hash)
		return k, err
	}, `select kind, key_hash, key_text from entry_keys where entry_id = $1 order by first_seen_at, kind, key_hash`, id)
	if err != nil {
		return nil, fmt.Errorf("keys of entry %d: %w", id, err)
	}
	return keys, nil
}
