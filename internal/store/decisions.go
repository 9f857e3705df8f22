package store

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/sqldb"
)

// maxShown is how much of an arrival's guid, URL and title a decision shows, in bytes. What was suppressed is kept whole
// beside it.
const maxShown = 4096

// applyDecisions records what was decided about every arrival that was not unchanged. One that was suppressed is recorded
// once with the same outcome for the same entry, however often it comes.
func (tx *Tx) applyDecisions(in Ingest, _ *rowsOfDocument) error {
	type once struct {
		hash    dedup.Hash
		outcome dedup.Outcome
		entry   dedup.EntryID
	}
	var decided []*dedup.Decision
	arrivals := map[int][]byte{} // JSON of the item, by index in decided
	hashes := make([]dedup.Hash, 0, len(in.Result.Decisions))
	suppressed := sqldb.NewBatch("hash bytes", "outcome text", "entry int")
	for i := range in.Result.Decisions {
		d := &in.Result.Decisions[i]
		if d.Outcome == dedup.Unchanged {
			continue
		}
		arrival, err := json.Marshal(&in.Items[d.Item].Item)
		if err != nil {
			return fmt.Errorf("arrival of item %d: %w", d.Item, err)
		}
		sum := sha256.Sum256(arrival)
		hash := dedup.Hash(sum[:16])
		switch d.Outcome {
		case dedup.Duplicate, dedup.Quarantined, dedup.Invalid:
			arrivals[len(decided)] = arrival
			suppressed.Add(hash[:], string(d.Outcome), int64(d.Entry))
		}
		decided, hashes = append(decided, d), append(hashes, hash)
	}
	recorded := map[once]bool{}
	if suppressed.Len() > 0 {
		from, args := tx.Dialect().From(suppressed, "r", 2)
		err := tx.Each(func(row sqldb.Scanner) error {
			var o once
			var hash []byte
			if err := row.Scan(&hash, &o.outcome, &o.entry); err != nil {
				return err
			}
			copy(o.hash[:], hash)
			recorded[o] = true
			return nil
		}, `select d.item_hash, d.outcome, d.entry_id from `+from+` `+tx.Dialect().Lookup()+` decisions d on d.feed_id = $1 and d.item_hash = r.hash
				and d.outcome = r.outcome and d.entry_id = r.entry
			where d.arrival is not null`, append([]any{in.Feed}, args...)...)
		if err != nil {
			return fmt.Errorf("read decisions: %w", err)
		}
	}
	var fresh, held []int
	for i, d := range decided {
		if _, ok := arrivals[i]; ok {
			o := once{hashes[i], d.Outcome, d.Entry}
			if recorded[o] {
				continue
			}
			recorded[o] = true
			if d.Outcome == dedup.Quarantined {
				held = append(held, len(fresh))
			}
		}
		fresh = append(fresh, i)
	}
	if len(fresh) == 0 {
		return nil
	}
	ids, err := tx.newIDs("decisions", len(fresh))
	if err != nil {
		return fmt.Errorf("number decisions: %w", err)
	}
	rows := sqldb.NewBatch("id int", "entry int", "outcome text", "rule text", "guid text", "url text", "title text",
		"evidence text", "arrival text", "hash bytes", "told bool", "quiet text")
	for n, i := range fresh {
		d := decided[i]
		item := &in.Items[d.Item]
		evidence, err := json.Marshal(&d.Evidence)
		if err != nil {
			return fmt.Errorf("evidence of item %d: %w", d.Item, err)
		}
		var arrival any
		if b, ok := arrivals[i]; ok {
			arrival = string(b)
		}
		rows.Add(ids[n], int64(d.Entry), string(d.Outcome), string(d.Rule), cut(item.Item.GUID, maxShown), cut(item.Item.URL, maxShown),
			cut(item.title(), maxShown), string(evidence), arrival, hashes[i][:], d.Tell, d.Quiet)
	}
	from, args := tx.Dialect().From(rows, "r", 3)
	if _, err := tx.Exec(`insert into decisions (id, at, feed_id, entry_id, outcome, rule, guid, url, title, evidence, arrival, item_hash, told, quiet)
		select r.id, $1, $2, r.entry, r.outcome, r.rule, r.guid, r.url, r.title, r.evidence, r.arrival, r.hash, r.told, r.quiet
		from `+from+` where true on conflict do nothing`, append([]any{in.At.UnixMicro(), in.Feed}, args...)...); err != nil {
		return fmt.Errorf("write decisions: %w", err)
	}
	questions := sqldb.NewBatch("identity bytes", "decision int")
	asked := map[dedup.Hash]bool{}
	for _, n := range held {
		i := fresh[n]
		identity := in.Items[decided[i].Item].Identity
		if identity == (dedup.Hash{}) || asked[identity] {
			identity = hashes[i] // different items, and both are to be seen
		}
		asked[identity] = true
		questions.Add(identity[:], ids[n])
	}
	return tx.hold(in.Feed, in.At, questions)
}

// DecisionFilter selects decisions, latest first.
type DecisionFilter struct {
	User     feedonce.UserID // only of feeds that they follow; 0: all
	Feed     feedonce.FeedID
	Entry    feedonce.EntryID
	Outcomes []string // empty: all
	Rule     string
	Words    string // guid, URL, or words of the title of the arrival
	Limit    int    // default 50
	Before   int64  // decisions with a smaller ID
}

// Decision returns a decision, or ErrNotFound.
func (tx *Tx) Decision(id int64) (feedonce.Decision, error) {
	d, err := scanDecision(tx.QueryRow(`select `+decisionColumns+` from decisions where id = $1`, id))
	return d, found(err, "decision %d", id)
}

const decisionColumns = `id, at, feed_id, entry_id, outcome, rule, guid, url, title, evidence, arrival, told, quiet`

func scanDecision(row sqldb.Scanner) (feedonce.Decision, error) {
	var d feedonce.Decision
	err := row.Scan(&d.ID, at(&d.At), &d.Feed, &d.Entry, &d.Outcome, &d.Rule, &d.GUID, &d.URL, &d.Title, &d.Evidence, &d.Arrival, &d.Told, &d.Quiet)
	return d, err
}

// Decisions returns decisions.
func (tx *Tx) Decisions(f DecisionFilter) ([]feedonce.Decision, error) {
	w := where{}
	if f.Feed != 0 {
		w.add("feed_id = ?", f.Feed)
	}
	w.follows("feed_id", f.User)
	if f.Entry != 0 {
		// What was decided about entries that were merged into it counts, too.
		ids, err := tx.withMerged(f.Entry)
		if err != nil {
			return nil, err
		}
		// The second condition is in the index, and lets it be used.
		w.add("entry_id in ("+places(len(ids))+") and entry_id <> 0", ids...)
	}
	if len(f.Outcomes) > 0 {
		marks := make([]string, len(f.Outcomes))
		args := make([]any, len(f.Outcomes))
		for i, o := range f.Outcomes {
			marks[i], args[i] = "?", o
		}
		w.add("outcome in ("+strings.Join(marks, ", ")+")", args...)
	}
	if f.Rule != "" {
		w.add("rule = ?", f.Rule)
	}
	if words := strings.Fields(f.Words); len(words) > 0 {
		alternatives := "guid = ? or url = ? or ("
		args := []any{strings.TrimSpace(f.Words), strings.TrimSpace(f.Words)}
		for i, word := range words {
			if i > 0 {
				alternatives += " and "
			}
			alternatives += titleHas
			args = append(args, like(word))
		}
		w.add("("+alternatives+"))", args...)
	}
	if f.Before != 0 {
		w.add("id < ?", f.Before)
	}
	decisions, err := sqldb.All(tx.Tx, scanDecision, `select `+decisionColumns+` from decisions`+w.String()+` order by id desc`+w.limit(f.Limit), w.args...)
	if err != nil {
		return nil, fmt.Errorf("decisions: %w", err)
	}
	return decisions, nil
}
