package store

import (
	"encoding/json"
	"fmt"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/sqldb"
)

// HoldFeed takes a feed for a change that is not a document: it counts the document's number up, so that whatever was
// decided meanwhile is decided again, locks the feed until the transaction ends, and returns what FeedDoc does, as of now.
// With anew, the next document is judged even if not a byte of it differs.
func (tx *Tx) HoldFeed(id feedonce.FeedID, anew bool) (FeedDoc, error) {
	set := ""
	if anew {
		set = ", etag = '', last_modified = '', body_hash = null"
	}
	if _, err := tx.Exec(`update feed_docs set seq = seq + 1`+set+` where feed_id = $1`, id); err != nil {
		return FeedDoc{}, fmt.Errorf("hold feed %d: %w", id, err)
	}
	return tx.FeedDoc(id)
}

// SetFeedPolicy stores the policy of a feed, JSON of dedup.Policy or "". Keys that follow from it are the caller's.
func (tx *Tx) SetFeedPolicy(id feedonce.FeedID, policy string) error {
	if _, err := tx.Exec(`update feeds set policy = $2 where id = $1 and policy <> $2`, id, policy); err != nil {
		return fmt.Errorf("set policy of feed %d: %w", id, err)
	}
	return nil
}

// SetState stores what dedup remembers of a feed. The feed must be held.
func (tx *Tx) SetState(id feedonce.FeedID, state *dedup.State) error {
	b, err := state.MarshalBinary()
	if err == nil {
		_, err = tx.Exec(`insert into feed_states (feed_id, state) values ($1, $2)
			on conflict (feed_id) do update set state = excluded.state`, id, b)
	}
	if err != nil {
		return fmt.Errorf("state of feed %d: %w", id, err)
	}
	return nil
}

// FeedEntries calls f for every entry of a feed as dedup compares it, by ID, and with the entry that it is part of: itself,
// or the one that a person merged it into.
func (tx *Tx) FeedEntries(id feedonce.FeedID, f func(e dedup.Entry, of feedonce.EntryID) error) error {
	merged := map[dedup.EntryID]feedonce.EntryID{}
	err := tx.Each(func(row sqldb.Scanner) error {
		var e dedup.EntryID
		var into feedonce.EntryID
		err := row.Scan(&e, &into)
		merged[e] = into
		return err
	}, `select id, merged_into from entries where feed_id = $1 and merged_into is not null`, id)
	if err == nil {
		err = tx.Each(func(row sqldb.Scanner) error {
			var k dedup.Known
			if err := scanKnown(row, &k); err != nil {
				return err
			}
			e := k.Entries[0]
			of, ok := merged[e.ID]
			if !ok {
				of = feedonce.EntryID(e.ID)
			}
			return f(e, of)
		}, `select 0, n.id, coalesce(b.item_guid, n.guid), n.url, coalesce(b.item_title, n.title), n.author, n.lang,
				n.published_at, n.updated_at, n.first_seen_at, n.changed_at, n.strict, n.ring, n.content_key, n.streak, n.purged,
				b.permalink, b.orig_url, b.invalid, b.enclosures, b.summary, b.content
			from entries n join entry_bodies b on b.entry_id = n.id where n.feed_id = $1 order by n.id`, id)
	}
	if err != nil {
		return fmt.Errorf("entries of feed %d: %w", id, err)
	}
	return nil
}

// An Arrival is an item that was suppressed, with its decision.
type Arrival struct {
	Decision feedonce.Decision
	Item     dedup.Item
}

// FeedArrivals calls f for every arrival of a feed that was suppressed and is kept, in the order in which they came.
// Entry is the one it belongs to now, where that was merged.
func (tx *Tx) FeedArrivals(id feedonce.FeedID, f func(Arrival) error) error {
	err := tx.Each(func(row sqldb.Scanner) error {
		d, err := scanDecision(row)
		if err != nil {
			return err
		}
		a := Arrival{Decision: d}
		if err := json.Unmarshal(d.Arrival, &a.Item); err != nil {
			return fmt.Errorf("arrival of decision %d: %w", d.ID, err)
		}
		return f(a)
	}, `select d.id, d.at, d.feed_id, coalesce(e.merged_into, d.entry_id), d.outcome, d.rule, d.guid, d.url, d.title, d.evidence, d.arrival, d.told, d.quiet
		from decisions d left join entries e on e.id = d.entry_id where d.feed_id = $1 and d.arrival is not null order by d.id`, id)
	if err != nil {
		return fmt.Errorf("arrivals of feed %d: %w", id, err)
	}
	return nil
}

// PointKeys makes keys lead to entries; those that lead elsewhere are re-pointed. It returns how many rows it wrote.
func (tx *Tx) PointKeys(id feedonce.FeedID, keys []dedup.KnownKey, now time.Time) (int64, error) {
	const batch = 2000
	var written int64
	for len(keys) > 0 {
		n := min(batch, len(keys))
		b := sqldb.NewBatch("kind int", "hash bytes", "entry int", "txt text")
		for i := range keys[:n] {
			k := &keys[i]
			b.Add(int64(k.Key.Kind), k.Key.Hash[:], int64(k.Entry), cut(k.Key.Text, 4096))
		}
		rows, err := tx.writeKeys(id, b, now)
		if err != nil {
			return written, err
		}
		written += rows
		keys = keys[n:]
	}
	return written, nil
}

func (tx *Tx) writeKeys(id feedonce.FeedID, b *sqldb.Batch, now time.Time) (int64, error) {
	from, args := tx.Dialect().From(b, "r", 3)
	n, err := tx.Exec(`insert into entry_keys (feed_id, kind, key_hash, entry_id, key_text, first_seen_at)
		select $1, r.kind, r.hash, r.entry, r.txt, $2 from `+from+` where true
		on conflict (feed_id, kind, key_hash) do update set entry_id = excluded.entry_id
		where entry_keys.entry_id is distinct from excluded.entry_id`, append([]any{id, now.UnixMicro()}, args...)...)
	if err != nil {
		return 0, fmt.Errorf("write keys: %w", err)
	}
	return n, nil
}

// FeedVersions calls f for every earlier version of a feed's entries, by entry and revision.
func (tx *Tx) FeedVersions(id feedonce.FeedID, f func(feedonce.EntryID, OldVersion) error) error {
	err := tx.Each(func(row sqldb.Scanner) error {
		var entry feedonce.EntryID
		var v OldVersion
		if err := row.Scan(append([]any{&entry}, versionFields(&v)...)...); err != nil {
			return err
		}
		return f(entry, v)
	}, `select v.entry_id, `+versionColumns+` from entries e join entry_versions v on v.entry_id = e.id join entry_bodies b on b.entry_id = e.id
		where e.feed_id = $1 order by v.entry_id, v.revision`, id)
	if err != nil {
		return fmt.Errorf("versions of feed %d: %w", id, err)
	}
	return nil
}
