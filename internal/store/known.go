package store

import (
	"encoding/binary"
	"fmt"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/sqldb"
)

// Known answers a query in one statement, whatever its size. Entries of other feeds are not known here.
func (tx *Tx) Known(id feedonce.FeedID, q dedup.Query) (*dedup.Known, error) {
	known := &dedup.Known{}
	if q.Empty() {
		return known, nil
	}
	keys := sqldb.NewBatch("kind int", "hash bytes")
	for i := range q.Keys {
		keys.Add(int64(q.Keys[i].Kind), q.Keys[i].Hash[:])
	}
	lookup := tx.Dialect().Lookup()
	args := []any{id}
	from := func(b *sqldb.Batch, alias string) string {
		clause, more := tx.Dialect().From(b, alias, len(args)+1)
		args = append(args, more...)
		return clause
	}
	// The rows are of three kinds, told apart by their first column, in the columns of an entry: a key has its entry in
	// id, its kind in streak, its hash in strict and its text in title; a verdict is id, streak (the other entry), purged.
	//
	query := `with k as (
			select x.kind, x.key_hash, x.key_text, x.entry_id from ` + from(keys, "q") + `
			` + lookup + ` entry_keys x on x.feed_id = $1 and x.kind = q.kind and x.key_hash = q.hash),
		e as (
			select entry_id as id from k
			union select m.entry_id from ` + from(sqldb.Ints("mark", q.Marks), "q") + ` ` + newestOfMark(tx.Dialect()) + `
			union select q.id from ` + from(sqldb.Ints("id", q.Entries), "q") + `)
		select 0, n.id, coalesce(b.item_guid, n.guid), n.url, coalesce(b.item_title, n.title), n.author, n.lang,
			n.published_at, n.updated_at, n.first_seen_at, n.changed_at, n.strict, n.ring, n.content_key, n.streak, n.purged,
			b.permalink, b.orig_url, b.invalid, b.enclosures, b.summary, b.content
		from e ` + lookup + ` entries n on n.id = e.id and n.feed_id = $1 and n.merged_into is null ` + lookup + ` entry_bodies b on b.entry_id = n.id
		union all
		select 1, entry_id, null, null, key_text, null, null, null, null, null, null, key_hash, null, null, kind, null,
			null, null, null, null, null, null from k
		union all
		select 2, v.a, null, null, null, null, null, null, null, null, null, null, null, null, v.b, v.same,
			null, null, null, null, null, null
		from (select w.* from e ` + lookup + ` verdicts w on w.a = e.id union select w.* from e ` + lookup + ` verdicts w on w.b = e.id) v`
	err := tx.Each(func(row sqldb.Scanner) error { return scanKnown(row, known) }, query, args...)
	if err != nil {
		return nil, fmt.Errorf("look up what is known of feed %d: %w", id, err)
	}
	return known, nil
}

// newestOfMark joins the newest entries that have mark q.mark, each database in the words that make it probe the primary
// key once for each mark: PostgreSQL left to itself reads all marks of the feed, and SQLite has no lateral joins.
func newestOfMark(d sqldb.Dialect) string {
	if d == sqldb.PostgreSQL {
		return fmt.Sprintf(`cross join lateral (select n.entry_id from entry_marks n where n.feed_id = $1 and n.mark = q.mark
			order by n.entry_id desc limit %d) m`, dedup.MaxPerMark)
	}
	return fmt.Sprintf(`cross join entry_marks m on m.feed_id = $1 and m.mark = q.mark and m.entry_id >= coalesce((select n.entry_id
		from entry_marks n where n.feed_id = $1 and n.mark = q.mark order by n.entry_id desc limit 1 offset %d), 0)`, dedup.MaxPerMark-1)
}

func scanKnown(row sqldb.Scanner, known *dedup.Known) error {
	var what int
	var e dedup.Entry
	var item = &e.Item
	var strict, ring, contentKey []byte
	var streak int64
	var permalink, purged bool
	err := row.Scan(&what, &e.ID, text{&item.GUID}, text{&item.URL}, text{&item.Title}, text{&item.Author}, text{&item.Lang},
		at(&item.Published), at(&item.Updated), at(&e.FirstSeen), at(&e.Changed), &strict, &ring, &contentKey, &streak, flag{&purged},
		flag{&permalink}, text{&item.OrigURL}, text{&item.Invalid}, list[dedup.Enclosure]{&item.Enclosures}, text{&item.Summary}, text{&item.Content})
	if err != nil {
		return err
	}
	switch what {
	case 0:
		copy(e.Strict[:], strict)
		copy(e.ContentKey[:], contentKey)
		e.Ring = uint64s[uint64](ring)
		e.Streak, e.Purged, item.Permalink = int(streak), purged, permalink
		known.Entries = append(known.Entries, e)
	case 1:
		k := dedup.KnownKey{Key: dedup.Key{Kind: dedup.KeyKind(streak), Text: item.Title}, Entry: e.ID}
		copy(k.Key.Hash[:], strict)
		known.Keys = append(known.Keys, k)
	case 2:
		known.Verdicts = append(known.Verdicts, dedup.Verdict{A: e.ID, B: dedup.EntryID(streak), Same: purged})
	}
	return nil
}

// bigEndian and uint64s keep lists of hashes in a column, 8 bytes each.
func bigEndian[T ~int64 | ~uint64](values []T) []byte {
	b := make([]byte, 0, 8*len(values))
	for _, v := range values {
		b = binary.BigEndian.AppendUint64(b, uint64(v))
	}
	return b
}

func uint64s[T ~int64 | ~uint64](b []byte) []T {
	var values []T
	for ; len(b) >= 8; b = b[8:] {
		values = append(values, T(binary.BigEndian.Uint64(b)))
	}
	return values
}
