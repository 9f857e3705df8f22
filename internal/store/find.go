package store

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/sqldb"
	"feedonce/internal/urls"
)

// FindEntries returns the entries that have this URL, in whatever spelling, this guid, now or under an earlier identity,
// or this ID in decimal, oldest first. At most 1,000.
func (tx *Tx) FindEntries(what string) ([]feedonce.Entry, error) {
	what = strings.TrimSpace(what)
	if what == "" {
		return nil, nil
	}
	found := map[feedonce.EntryID]feedonce.Entry{}
	if id, err := strconv.ParseInt(what, 10, 64); err == nil {
		e, err := tx.Entry(feedonce.EntryID(id))
		if err == nil {
			e.Summary, e.Content = "", ""
			found[e.ID] = e
		} else if !errors.Is(err, feedonce.ErrNotFound) {
			return nil, err
		}
	}
	if err := tx.findByIdentity(what, found); err != nil {
		return nil, fmt.Errorf("find entries: %w", err)
	}
	if len(found) == 0 {
		// In feeds whose guids are no identity, nothing leads from the guid to the entry.
		entries, err := sqldb.All(tx.Tx, scanEntry, `select `+entryColumns+` from `+entryTables+`
			where e.url = $1 or e.guid = $1 order by e.id limit 1000`, what)
		if err != nil {
			return nil, fmt.Errorf("find entries: %w", err)
		}
		return entries, nil
	}
	entries := make([]feedonce.Entry, 0, len(found))
	for _, e := range found {
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b feedonce.Entry) int { return int(a.ID - b.ID) })
	return entries, nil
}

// findByIdentity asks dedup what it would look up for an item with such a URL or guid, and looks that up in all feeds:
// a probe of the primary key for each feed.
func (tx *Tx) findByIdentity(what string, found map[feedonce.EntryID]feedonce.Entry) error {
	keys, marks := sqldb.NewBatch("kind int", "hash bytes"), sqldb.NewBatch("mark int")
	for _, item := range []dedup.Item{{GUID: what}, {GUID: what, URL: what, Permalink: true}} {
		q := dedup.Prepare(&dedup.Document{Items: []dedup.Item{item}}, nil, dedup.Policy{}).Query()
		for i := range q.Keys {
			keys.Add(int64(q.Keys[i].Kind), q.Keys[i].Hash[:])
		}
		for _, m := range q.Marks {
			marks.Add(int64(m))
		}
	}
	args := []any{}
	fromKeys, more := tx.Dialect().From(keys, "q", 1)
	args = append(args, more...)
	fromMarks, more := tx.Dialect().From(marks, "q", len(args)+1)
	args = append(args, more...)
	lookup := tx.Dialect().Lookup()
	wanted, isURL := urls.Key(what, nil)
	return tx.Each(func(row sqldb.Scanner) error {
		var byKey int
		var e feedonce.Entry
		if err := row.Scan(append([]any{&byKey}, entryFields(&e)...)...); err != nil {
			return err
		}
		// A mark is only a hint: several of them say less than the whole URL.
		key, ok := urls.Key(e.URL, nil)
		if byKey == 1 || e.GUID == what || e.URL == what || ok && isURL && key == wanted {
			found[e.ID] = e
		}
		return nil
	}, `select max(c.by_key), `+entryColumns+` from (
			select 1 as by_key, x.entry_id as id from `+fromKeys+` cross join feeds f
				`+lookup+` entry_keys x on x.feed_id = f.id and x.kind = q.kind and x.key_hash = q.hash
			union all
			select 0, m.entry_id from `+fromMarks+` cross join feeds f `+lookup+` entry_marks m on m.feed_id = f.id and m.mark = q.mark) c
		`+lookup+` entries e on e.id = c.id `+lookup+` entry_bodies b on b.entry_id = e.id
		group by e.id, b.entry_id order by e.id limit 1000`, args...)
}
