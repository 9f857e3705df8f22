package store

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"database/sql"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/sqldb"
)

// maxVersions is how many earlier versions of an entry are kept.
const maxVersions = 20

// Apply stores a decided document in the transaction: compare-and-swap of the document number (ErrConflict where it
// moved: read and decide again), check of the fence (ErrFenced), entries, versions, keys, marks, decisions, validators,
// state, hourly counts, and clears the feed's error. A violated unique constraint is a lost race: ErrConflict.
// The number of statements does not depend on the number of items.
//
// It binds in.Result to the stored IDs, which are only good if the transaction commits: after any error the result is
// of no more use. Should the transaction be run again with a result that is bound already, Apply returns ErrConflict.
func (tx *Tx) Apply(in Ingest) error {
	if err := tx.apply(in); err != nil {
		if sqldb.IsUnique(err) {
			err = fmt.Errorf("%w: %w", feedonce.ErrConflict, err)
		}
		return fmt.Errorf("store document of feed %d: %w", in.Feed, err)
	}
	return nil
}

func (tx *Tx) apply(in Ingest) error {
	if err := tx.bind(in.Result); err != nil {
		return err
	}
	rows, err := prepare(in)
	if err != nil {
		return err
	}
	for _, step := range []func(Ingest, *rowsOfDocument) error{
		tx.swap, tx.applyFeed, tx.applyVersions, tx.applyEntries, tx.applyKeys, tx.applyMarks, tx.settle, tx.applyDecisions, tx.applyCounts,
		tx.last,
	} {
		if err := step(in, rows); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) settle(in Ingest, r *rowsOfDocument) error {
	if in.Settle == nil || r.counts.New == 0 {
		return nil
	}
	return in.Settle(tx)
}

func (tx *Tx) last(in Ingest, r *rowsOfDocument) error {
	if in.Last == nil || r.counts.New+r.counts.Updated == 0 {
		return nil
	}
	revisions := make(map[feedonce.EntryID]int, len(r.entries))
	for _, e := range r.entries {
		n := 1
		if old := r.updated[e.id]; old != nil {
			n = old.revision
			if e.version {
				n++
			}
		}
		revisions[feedonce.EntryID(e.id)] = n
	}
	return in.Last(tx, revisions)
}

// bind gives the new entries their IDs.
func (tx *Tx) bind(r *dedup.Result) error {
	if r == nil || r.State == nil {
		return errors.New("no result, or one without state")
	}
	var provisional []dedup.EntryID
	seen := map[dedup.EntryID]bool{}
	for i := range r.Decisions {
		d := &r.Decisions[i]
		if d.Write == nil || seen[d.Write.Entry.ID] {
			continue
		}
		if d.Outcome == dedup.New && d.Write.Entry.ID > 0 {
			return fmt.Errorf("result was bound by an earlier attempt: %w", feedonce.ErrConflict)
		}
		if d.Write.Entry.ID < 0 {
			seen[d.Write.Entry.ID] = true
			provisional = append(provisional, d.Write.Entry.ID)
		}
	}
	ids, err := tx.newIDs("entries", len(provisional))
	if err != nil {
		return err
	}
	stored := make(map[dedup.EntryID]dedup.EntryID, len(ids))
	for i, id := range ids {
		stored[provisional[i]] = dedup.EntryID(id)
	}
	r.Bind(stored)
	return nil
}

// rowsOfDocument is what a document writes.
type rowsOfDocument struct {
	entries []*entryRow       // one for each entry written, in document order
	updated map[int64]*oldRow // those of them that exist, by ID; filled by applyVersions
	keys    *sqldb.Batch
	counts  feedonce.Counts
}

// entryRow is an entry to be written.
type entryRow struct {
	id      int64
	entry   *dedup.Entry
	marks   []dedup.Mark
	isNew   bool
	version bool
	from    *IngestItem
	// contentKey is the entry's own, or zero where it may not have it.
	contentKey dedup.Hash
}

// oldRow is what must be known of an entry before it is overwritten.
type oldRow struct {
	marks      []dedup.Mark
	contentKey []byte
	revision   int
}

func prepare(in Ingest) (*rowsOfDocument, error) {
	r := &rowsOfDocument{updated: map[int64]*oldRow{}, keys: sqldb.NewBatch("kind int", "hash bytes", "entry int", "txt text")}
	byID := map[int64]*entryRow{}
	type identity struct {
		kind dedup.KeyKind
		hash dedup.Hash
	}
	owner := map[identity]dedup.EntryID{}
	texts := map[identity]string{}
	var order []identity
	for i := range in.Result.Decisions {
		d := &in.Result.Decisions[i]
		if d.Item < 0 || d.Item >= len(in.Items) {
			return nil, fmt.Errorf("a decision about item %d of %d", d.Item, len(in.Items))
		}
		if !r.counts.Count(string(d.Outcome)) {
			return nil, fmt.Errorf("outcome %q is unknown", d.Outcome)
		}
		for _, k := range d.Keys {
			id := identity{k.Kind, k.Hash}
			if _, ok := owner[id]; !ok {
				order = append(order, id)
			}
			owner[id], texts[id] = d.Entry, k.Text // the last item of a document has the last word
		}
		w := d.Write
		if w == nil {
			continue
		}
		if w.Entry.ID <= 0 {
			return nil, fmt.Errorf("item %d writes entry %d, which has no stored ID", d.Item, w.Entry.ID)
		}
		row := byID[int64(w.Entry.ID)]
		if row == nil {
			row = &entryRow{id: int64(w.Entry.ID), isNew: d.Outcome == dedup.New}
			byID[row.id] = row
			r.entries = append(r.entries, row)
		}
		// Of several items that write one entry the last one wins; the version before the document is kept if any
		// of them asks for it.
		row.entry, row.marks, row.from, row.contentKey = &w.Entry, w.Marks, &in.Items[d.Item], w.Entry.ContentKey
		row.version = row.version || w.Version
	}
	for _, id := range order {
		r.keys.Add(int64(id.kind), id.hash[:], int64(owner[id]), cut(texts[id], 4096))
	}
	return r, nil
}

// swap counts the document up, if it and the lease are still what the decision was made on, and takes the row's lock.
func (tx *Tx) swap(in Ingest, r *rowsOfDocument) error {
	var fence int64
	err := tx.QueryRow(`update feed_docs set seq = seq + 1, etag = $3, last_modified = $4, body_hash = $5, restored = false
		where feed_id = $1 and seq = $2
		returning (select s.fence from feed_schedule s where s.feed_id = $1)`,
		in.Feed, in.Seq, in.ETag, in.LastModified, in.BodyHash).Scan(&fence)
	if errors.Is(err, sql.ErrNoRows) {
		if _, err := tx.FeedDoc(in.Feed); err != nil {
			return err
		}
		return fmt.Errorf("document %d is not the last one: %w", in.Seq, feedonce.ErrConflict)
	}
	if err != nil {
		return err
	}
	if in.Fence != 0 && in.Fence != fence {
		return fmt.Errorf("lease %d, now %d: %w", in.Fence, fence, feedonce.ErrFenced)
	}
	return nil
}

func (tx *Tx) applyFeed(in Ingest, r *rowsOfDocument) error {
	at := in.At.UnixMicro()
	if r.counts.New > 0 {
		if _, err := tx.Exec(`update feed_schedule set last_new_at = $2 where feed_id = $1`, in.Feed, at); err != nil {
			return fmt.Errorf("schedule: %w", err)
		}
	}
	if _, err := tx.Exec(`update feeds set
			title = case when $2 <> '' then $2 else title end,
			site_url = case when $3 <> '' then $3 else site_url end,
			format = case when $4 <> '' then $4 else format end,
			warning = $5, error = '', error_at = null, errors = 0,
			first_ok_at = coalesce(first_ok_at, $6), last_ok_at = $6
		where id = $1`, in.Feed, in.Title, in.SiteURL, in.Format, in.Warning, at); err != nil {
		return fmt.Errorf("feed: %w", err)
	}
	if !in.Result.StateChanged {
		return nil
	}
	state, err := in.Result.State.MarshalBinary()
	if err != nil {
		return fmt.Errorf("state: %w", err)
	}
	if _, err := tx.Exec(`insert into feed_states (feed_id, state) values ($1, $2)
		on conflict (feed_id) do update set state = excluded.state`, in.Feed, state); err != nil {
		return fmt.Errorf("state: %w", err)
	}
	return nil
}

// applyVersions reads what is about to be overwritten, and keeps the contents that are asked to be kept.
func (tx *Tx) applyVersions(in Ingest, r *rowsOfDocument) error {
	all, kept := sqldb.NewBatch("id int"), sqldb.NewBatch("id int")
	for _, e := range r.entries {
		if e.isNew {
			continue
		}
		all.Add(e.id)
		if e.version {
			kept.Add(e.id)
		}
	}
	if all.Len() == 0 {
		return nil
	}
	lookup := tx.Dialect().Lookup()
	from, args := tx.Dialect().From(all, "r", 2)
	err := tx.Each(func(row sqldb.Scanner) error {
		var id int64
		var old oldRow
		var marks []byte
		if err := row.Scan(&id, &marks, &old.contentKey, &old.revision); err != nil {
			return err
		}
		old.marks = uint64s[dedup.Mark](marks)
		r.updated[id] = &old
		return nil
	}, `select e.id, e.marks, e.content_key, e.revision from `+from+` `+lookup+` entries e on e.id = r.id and e.feed_id = $1`, append([]any{in.Feed}, args...)...)
	if err != nil {
		return fmt.Errorf("read entries: %w", err)
	}
	for _, e := range r.entries {
		if !e.isNew && r.updated[e.id] == nil {
			return fmt.Errorf("entry %d is to be updated, but the feed has no such entry", e.id)
		}
	}
	if kept.Len() == 0 {
		return nil
	}
	from, args = tx.Dialect().From(kept, "r", 2)
	if _, err := tx.Exec(`insert into entry_versions (entry_id, revision, replaced_at, url, title, author, enclosures, summary, content,
			item_guid, item_title, permalink, orig_url, lang, published_at, updated_at)
		select e.id, e.revision, $1, e.url, e.title, e.author, b.enclosures, b.summary, b.content,
			coalesce(b.item_guid, e.guid), b.item_title, b.permalink, b.orig_url, e.lang, e.published_at, e.updated_at
		from `+from+` `+lookup+` entries e on e.id = r.id `+lookup+` entry_bodies b on b.entry_id = e.id
		where not e.purged
		on conflict do nothing`, append([]any{in.At.UnixMicro()}, args...)...); err != nil {
		return fmt.Errorf("keep versions: %w", err)
	}
	from, args = tx.Dialect().From(kept, "r", 1)
	if _, err := tx.Exec(`delete from entry_versions where (entry_id, revision) in (
			select v.entry_id, v.revision from `+from+` `+lookup+` entries e on e.id = r.id
			`+lookup+` entry_versions v on v.entry_id = e.id and v.revision <= e.revision - `+fmt.Sprint(maxVersions)+`)`, args...); err != nil {
		return fmt.Errorf("drop old versions: %w", err)
	}
	return nil
}

func (tx *Tx) applyEntries(in Ingest, r *rowsOfDocument) error {
	if len(r.entries) == 0 {
		return nil
	}
	if err := tx.freeContentKeys(r); err != nil {
		return err
	}
	rows := sqldb.NewBatch("id int", "guid text", "url text", "title text", "author text", "lang text",
		"published_at int", "updated_at int", "first_seen_at int", "changed_at int", "sort_at int",
		"strict bytes", "ring bytes", "content_key bytes", "marks bytes", "revision int", "streak int", "purged bool")
	bodies := sqldb.NewBatch("id int", "item_guid text", "item_title text", "permalink bool", "orig_url text", "invalid text",
		"enclosures text", "categories text", "summary text", "content text")
	for _, e := range r.entries {
		item := &e.entry.Item
		title := e.from.title()
		var contentKey any
		if e.contentKey != (dedup.Hash{}) {
			contentKey = e.contentKey[:]
		}
		revision := 1
		if e.version {
			revision = 2 // for an entry that exists: one more than it has
		}
		sort := feedonce.Entry{Published: item.Published, FirstSeen: e.entry.FirstSeen}.Time()
		rows.Add(e.id, item.GUID, item.URL, title, item.Author, item.Lang,
			micros(item.Published), micros(item.Updated), e.entry.FirstSeen.UnixMicro(), e.entry.Changed.UnixMicro(), sort.UnixMicro(),
			e.entry.Strict[:], bigEndian(e.entry.Ring), contentKey, bigEndian(sortedMarks(e.marks)), revision, e.entry.Streak, e.entry.Purged)

		enclosures, err := listValue(item.Enclosures, cleanEnclosure)
		if err != nil {
			return err
		}
		categories, err := listValue(e.from.Categories, sqldb.Clean)
		if err != nil {
			return err
		}
		var rawTitle any
		if title != item.Title {
			rawTitle = item.Title
		}
		bodies.Add(e.id, item.GUID, rawTitle, item.Permalink, item.OrigURL, item.Invalid, enclosures, categories, item.Summary, item.Content)
	}
	d := tx.Dialect()

	// The where clause is the last line: a row that differs in nothing is not written, whatever was decided.
	from, args := d.From(rows, "r", 2)
	if _, err := tx.Exec(`insert into entries (id, feed_id, guid, url, title, author, lang, published_at, updated_at, first_seen_at,
			changed_at, sort_at, strict, ring, content_key, marks, revision, streak, purged)
		select r.id, $1, r.guid, r.url, r.title, r.author, r.lang, r.published_at, r.updated_at, r.first_seen_at,
			r.changed_at, r.sort_at, r.strict, r.ring,
			case when not exists (select 1 from entries o where o.feed_id = $1 and o.content_key = r.content_key and o.id <> r.id)
				then r.content_key end,
			r.marks, r.revision, r.streak, r.purged
		from `+from+` where true
		on conflict (id) do update set url = excluded.url, title = excluded.title, author = excluded.author, lang = excluded.lang,
			published_at = excluded.published_at, updated_at = excluded.updated_at, changed_at = excluded.changed_at,
			sort_at = excluded.sort_at, strict = excluded.strict, ring = excluded.ring, content_key = excluded.content_key,
			marks = excluded.marks, revision = entries.revision + excluded.revision - 1, streak = excluded.streak, purged = excluded.purged
		where (entries.url, entries.title, entries.author, entries.lang, entries.published_at, entries.updated_at,
			entries.strict, entries.ring, entries.content_key, entries.marks, entries.streak, entries.purged, 1)
			is distinct from (excluded.url, excluded.title, excluded.author, excluded.lang, excluded.published_at, excluded.updated_at,
			excluded.strict, excluded.ring, excluded.content_key, excluded.marks, excluded.streak, excluded.purged, excluded.revision)`,
		append([]any{in.Feed}, args...)...); err != nil {
		return fmt.Errorf("write entries: %w", err)
	}

	from, args = d.From(bodies, "r", 1)
	if _, err := tx.Exec(`insert into entry_bodies (entry_id, item_guid, item_title, permalink, orig_url, invalid, enclosures, categories, summary, content)
		select r.id, nullif(r.item_guid, e.guid), r.item_title, r.permalink, r.orig_url, r.invalid, r.enclosures, r.categories, r.summary, r.content
		from `+from+` `+d.Lookup()+` entries e on e.id = r.id where true
		on conflict (entry_id) do update set item_guid = excluded.item_guid, item_title = excluded.item_title, permalink = excluded.permalink,
			orig_url = excluded.orig_url, invalid = excluded.invalid, enclosures = excluded.enclosures, categories = excluded.categories,
			summary = excluded.summary, content = excluded.content
		where (entry_bodies.item_guid, entry_bodies.item_title, entry_bodies.permalink, entry_bodies.orig_url, entry_bodies.invalid,
			entry_bodies.enclosures, entry_bodies.categories, entry_bodies.summary, entry_bodies.content)
			is distinct from (excluded.item_guid, excluded.item_title, excluded.permalink, excluded.orig_url, excluded.invalid,
			excluded.enclosures, excluded.categories, excluded.summary, excluded.content)`, args...); err != nil {
		return fmt.Errorf("write texts: %w", err)
	}
	return nil
}

// freeContentKeys makes sure that the content keys of a document do not collide with each other.
//
// Of two entries of the document that claim one key the first has it. Entries that hand their key to another one lose
// it beforehand, as a unique index is checked row by row: two articles that swap their contents would collide half-way.
// A key that an entry outside of the document has is left to that entry by the statement that writes: the constraint
// must never cost an article, or make one stale. A violation that is left is one by another transaction.
func (tx *Tx) freeContentKeys(r *rowsOfDocument) error {
	wanted := map[dedup.Hash]int64{}
	for _, e := range r.entries {
		if e.contentKey == (dedup.Hash{}) {
			continue
		}
		if _, ok := wanted[e.contentKey]; ok {
			e.contentKey = dedup.Hash{}
			continue
		}
		wanted[e.contentKey] = e.id
	}
	free := sqldb.NewBatch("id int")
	for _, e := range r.entries {
		old := r.updated[e.id]
		if old == nil || old.contentKey == nil || bytes.Equal(old.contentKey, e.contentKey[:]) {
			continue
		}
		if _, ok := wanted[dedup.Hash(old.contentKey)]; ok {
			free.Add(e.id)
		}
	}
	if free.Len() == 0 {
		return nil
	}
	from, args := tx.Dialect().From(free, "r", 1)
	if _, err := tx.Exec(`update entries set content_key = null where id in (select r.id from `+from+`)`, args...); err != nil {
		return fmt.Errorf("free content keys: %w", err)
	}
	return nil
}

// applyKeys remembers identities. One that another entry has is re-pointed.
func (tx *Tx) applyKeys(in Ingest, r *rowsOfDocument) error {
	if r.keys.Len() == 0 {
		return nil
	}
	_, err := tx.writeKeys(in.Feed, r.keys, in.At)
	return err
}

// applyMarks replaces the marks of the entries written, by the difference.
func (tx *Tx) applyMarks(in Ingest, r *rowsOfDocument) error {
	added, removed := sqldb.NewBatch("mark int", "entry int"), sqldb.NewBatch("mark int", "entry int")
	for _, e := range r.entries {
		marks := sortedMarks(e.marks)
		var old []dedup.Mark
		if row := r.updated[e.id]; row != nil {
			old = row.marks
		}
		for _, m := range marks {
			if !slices.Contains(old, m) {
				added.Add(int64(m), e.id)
			}
		}
		for _, m := range old {
			if !slices.Contains(marks, m) {
				removed.Add(int64(m), e.id)
			}
		}
	}
	if removed.Len() > 0 {
		from, args := tx.Dialect().From(removed, "r", 2)
		if _, err := tx.Exec(`delete from entry_marks where feed_id = $1 and (mark, entry_id) in (select r.mark, r.entry from `+from+`)`,
			append([]any{in.Feed}, args...)...); err != nil {
			return fmt.Errorf("remove marks: %w", err)
		}
	}
	if added.Len() > 0 {
		from, args := tx.Dialect().From(added, "r", 2)
		if _, err := tx.Exec(`insert into entry_marks (feed_id, mark, entry_id) select $1, r.mark, r.entry from `+from+` where true
			on conflict do nothing`, append([]any{in.Feed}, args...)...); err != nil {
			return fmt.Errorf("write marks: %w", err)
		}
	}
	return nil
}

func sortedMarks(marks []dedup.Mark) []dedup.Mark {
	return slices.Compact(slices.Sorted(slices.Values(marks)))
}

// title is the plain text of an item's title.
func (i *IngestItem) title() string {
	if i.Title != "" {
		return i.Title
	}
	return strings.Join(strings.Fields(i.Item.Title), " ")
}
