package store

import (
	"fmt"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/sqldb"
)

// A Whole is all that is stored of an entry but its keys, earlier versions and decisions, in a form that can be kept as
// JSON and put back: what people change is changed entry by entry, and must be undone exactly.
type Whole struct {
	Feed       feedonce.FeedID  `json:"feed"`
	Entry      dedup.Entry      `json:"entry"`
	GUID       string           `json:"guid,omitempty"` // as published when first seen
	Title      string           `json:"title,omitempty"`
	Categories []string         `json:"categories,omitempty"`
	Marks      []dedup.Mark     `json:"marks,omitempty"`
	Revision   int              `json:"revision"`
	MergedInto feedonce.EntryID `json:"mergedInto,omitempty"`
}

// ID returns the entry's ID.
func (w *Whole) ID() feedonce.EntryID { return feedonce.EntryID(w.Entry.ID) }

// Whole returns all of an entry, also of one that was merged into another, or ErrNotFound.
func (tx *Tx) Whole(id feedonce.EntryID) (Whole, error) {
	var w Whole
	e, item := &w.Entry, &w.Entry.Item
	var strict, ring, contentKey, marks []byte
	err := tx.QueryRow(`select e.id, e.feed_id, e.guid, coalesce(b.item_guid, e.guid), e.url, e.title, coalesce(b.item_title, e.title), e.author, e.lang,
			e.published_at, e.updated_at, e.first_seen_at, e.changed_at, e.strict, e.ring, e.content_key, e.marks, e.revision, e.streak, e.purged,
			e.merged_into, b.permalink, b.orig_url, b.invalid, b.enclosures, b.categories, b.summary, b.content
		from entries e join entry_bodies b on b.entry_id = e.id where e.id = $1`, id).
		Scan(&e.ID, &w.Feed, &w.GUID, &item.GUID, &item.URL, &w.Title, &item.Title, &item.Author, &item.Lang,
			at(&item.Published), at(&item.Updated), at(&e.FirstSeen), at(&e.Changed), &strict, &ring, &contentKey, &marks, &w.Revision, &e.Streak, flag{&e.Purged},
			number{(*int64)(&w.MergedInto)}, flag{&item.Permalink}, &item.OrigURL, &item.Invalid, list[dedup.Enclosure]{&item.Enclosures},
			list[string]{&w.Categories}, &item.Summary, &item.Content)
	if err != nil {
		return w, found(err, "entry %d", id)
	}
	copy(e.Strict[:], strict)
	copy(e.ContentKey[:], contentKey)
	e.Ring, w.Marks = uint64s[uint64](ring), uint64s[dedup.Mark](marks)
	return w, nil
}

// PutWhole stores all of an entry, and makes its marks those by which it is found: none where it is merged into another.
// An ID of 0 is a new entry; its ID is returned. A content key that another entry of the feed has is left to that one.
func (tx *Tx) PutWhole(w Whole) (feedonce.EntryID, error) {
	id, err := tx.putWhole(w)
	if err != nil {
		return 0, fmt.Errorf("store entry %d: %w", w.Entry.ID, err)
	}
	return id, nil
}

func (tx *Tx) putWhole(w Whole) (feedonce.EntryID, error) {
	e, item := &w.Entry, &w.Entry.Item
	if e.ID == 0 {
		ids, err := tx.newIDs("entries", 1)
		if err != nil {
			return 0, err
		}
		e.ID = dedup.EntryID(ids[0])
	} else {
		var old []byte
		if err := tx.QueryRow(`select marks from entries where id = $1`, e.ID).Scan(&old); err != nil {
			return 0, found(err, "entry %d", e.ID)
		}
		from, args := tx.Dialect().From(sqldb.Ints("mark", uint64s[dedup.Mark](old)), "r", 3)
		if _, err := tx.Exec(`delete from entry_marks where feed_id = $1 and entry_id = $2 and mark in (select r.mark from `+from+`)`,
			append([]any{w.Feed, int64(e.ID)}, args...)...); err != nil {
			return 0, fmt.Errorf("remove marks: %w", err)
		}
	}
	enclosures, err := listValue(item.Enclosures, cleanEnclosure)
	if err != nil {
		return 0, err
	}
	categories, err := listValue(w.Categories, sqldb.Clean)
	if err != nil {
		return 0, err
	}
	var contentKey, merged, rawTitle, rawGUID any
	if e.ContentKey != (dedup.Hash{}) {
		contentKey = e.ContentKey[:]
	}
	if w.MergedInto != 0 {
		merged = int64(w.MergedInto)
	}
	if item.Title != w.Title {
		rawTitle = item.Title
	}
	if item.GUID != w.GUID {
		rawGUID = item.GUID
	}
	marks := sortedMarks(w.Marks)
	sort := feedonce.Entry{Published: item.Published, FirstSeen: e.FirstSeen}.Time()
	if _, err := tx.Exec(`insert into entries (id, feed_id, guid, url, title, author, lang, published_at, updated_at, first_seen_at,
			changed_at, sort_at, strict, ring, content_key, marks, revision, streak, purged, merged_into)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, `+freeContentKey(tx.Dialect())+`, $16, $17, $18, $19, $20)
		on conflict (id) do update set guid = excluded.guid, url = excluded.url, title = excluded.title, author = excluded.author, lang = excluded.lang,
			published_at = excluded.published_at, updated_at = excluded.updated_at, first_seen_at = excluded.first_seen_at,
			changed_at = excluded.changed_at, sort_at = excluded.sort_at, strict = excluded.strict, ring = excluded.ring,
			content_key = excluded.content_key, marks = excluded.marks, revision = excluded.revision, streak = excluded.streak,
			purged = excluded.purged, merged_into = excluded.merged_into`,
		int64(e.ID), w.Feed, w.GUID, item.URL, w.Title, item.Author, item.Lang, micros(item.Published), micros(item.Updated), e.FirstSeen.UnixMicro(),
		e.Changed.UnixMicro(), sort.UnixMicro(), e.Strict[:], bigEndian(e.Ring), contentKey, bigEndian(marks), w.Revision, e.Streak, e.Purged, merged); err != nil {
		return 0, err
	}
	if _, err := tx.Exec(`insert into entry_bodies (entry_id, item_guid, item_title, permalink, orig_url, invalid, enclosures, categories, summary, content)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		on conflict (entry_id) do update set item_guid = excluded.item_guid, item_title = excluded.item_title, permalink = excluded.permalink,
			orig_url = excluded.orig_url, invalid = excluded.invalid, enclosures = excluded.enclosures, categories = excluded.categories,
			summary = excluded.summary, content = excluded.content`,
		int64(e.ID), rawGUID, rawTitle, item.Permalink, item.OrigURL, item.Invalid, enclosures, categories, item.Summary, item.Content); err != nil {
		return 0, fmt.Errorf("texts: %w", err)
	}
	if w.MergedInto != 0 || len(marks) == 0 {
		return w.ID(), nil
	}
	from, args := tx.Dialect().From(sqldb.Ints("mark", marks), "r", 3)
	if _, err := tx.Exec(`insert into entry_marks (feed_id, mark, entry_id) select $1, r.mark, $2 from `+from+` where true on conflict do nothing`,
		append([]any{w.Feed, int64(e.ID)}, args...)...); err != nil {
		return 0, fmt.Errorf("marks: %w", err)
	}
	return w.ID(), nil
}

// freeContentKey is the content key of putWhole's statement, or null where another entry of the feed has it.
func freeContentKey(d sqldb.Dialect) string {
	param := "$15"
	if d == sqldb.PostgreSQL {
		param = "cast($15 as bytea)"
	}
	return `case when not exists (select 1 from entries o where o.feed_id = $2 and o.content_key = ` + param + ` and o.id <> $1) then ` + param + ` end`
}

// ClearContentKeys takes the content keys from entries that a person says are two.
func (tx *Tx) ClearContentKeys(ids ...feedonce.EntryID) error {
	for _, id := range ids {
		if _, err := tx.Exec(`update entries set content_key = null where id = $1 and content_key is not null`, id); err != nil {
			return fmt.Errorf("content key of entry %d: %w", id, err)
		}
	}
	return nil
}

// An OldVersion is an earlier version of an entry, whole.
type OldVersion struct {
	Revision int        `json:"revision"`
	Replaced time.Time  `json:"replaced"`
	Title    string     `json:"title,omitempty"` // plain text
	Item     dedup.Item `json:"item"`
}

// versionColumns are those of an OldVersion; what was not kept of a version is the entry's own.
const versionColumns = `v.revision, v.replaced_at, v.title, coalesce(v.item_guid, b.item_guid, e.guid), v.url, coalesce(v.item_title, v.title), v.author,
	coalesce(v.lang, e.lang), case when v.item_guid is null then e.published_at else v.published_at end,
	case when v.item_guid is null then e.updated_at else v.updated_at end, coalesce(v.permalink, b.permalink), coalesce(v.orig_url, b.orig_url),
	v.enclosures, v.summary, v.content`

func versionFields(v *OldVersion) []any {
	item := &v.Item
	return []any{&v.Revision, at(&v.Replaced), &v.Title, &item.GUID, &item.URL, &item.Title, &item.Author, &item.Lang, at(&item.Published),
		at(&item.Updated), flag{&item.Permalink}, &item.OrigURL, list[dedup.Enclosure]{&item.Enclosures}, &item.Summary, &item.Content}
}

// OldVersions returns the earlier versions of an entry, oldest first.
func (tx *Tx) OldVersions(id feedonce.EntryID) ([]OldVersion, error) {
	versions, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (OldVersion, error) {
		var v OldVersion
		err := row.Scan(versionFields(&v)...)
		return v, err
	}, `select `+versionColumns+` from entry_versions v join entries e on e.id = v.entry_id join entry_bodies b on b.entry_id = v.entry_id
		where v.entry_id = $1 order by v.revision`, id)
	if err != nil {
		return nil, fmt.Errorf("versions of entry %d: %w", id, err)
	}
	return versions, nil
}

// PutVersion stores an earlier version of an entry, in the place of the one with its revision.
func (tx *Tx) PutVersion(id feedonce.EntryID, v OldVersion) error {
	item := &v.Item
	enclosures, err := listValue(item.Enclosures, cleanEnclosure)
	if err != nil {
		return err
	}
	var rawTitle any
	if item.Title != v.Title {
		rawTitle = item.Title
	}
	if err := tx.DropVersions(id, v.Revision, v.Revision); err != nil {
		return err
	}
	if _, err := tx.Exec(`insert into entry_versions (entry_id, revision, replaced_at, url, title, author, enclosures, summary, content,
			item_guid, item_title, permalink, orig_url, lang, published_at, updated_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
		id, v.Revision, v.Replaced.UnixMicro(), item.URL, v.Title, item.Author, enclosures, item.Summary, item.Content,
		item.GUID, rawTitle, item.Permalink, item.OrigURL, item.Lang, micros(item.Published), micros(item.Updated)); err != nil {
		return fmt.Errorf("version %d of entry %d: %w", v.Revision, id, err)
	}
	return nil
}

// DropVersions removes the versions of an entry from one revision to another, both included.
func (tx *Tx) DropVersions(id feedonce.EntryID, from, to int) error {
	if _, err := tx.Exec(`delete from entry_versions where entry_id = $1 and revision between $2 and $3`, id, from, to); err != nil {
		return fmt.Errorf("drop versions of entry %d: %w", id, err)
	}
	return nil
}

func cleanEnclosure(e dedup.Enclosure) dedup.Enclosure {
	e.URL, e.Type = sqldb.Clean(e.URL), sqldb.Clean(e.Type)
	return e
}
