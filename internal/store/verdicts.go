package store

import (
	"encoding/json"
	"fmt"
	"time"

	"crypto/sha256"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/sqldb"
)

// What people said of decisions. A verdict holds of two entries of one feed for ever, or until it is undone, and dedup
// asks for it. An amendment is the act: who did what when, which rule it contradicted, and what undoing puts back.

// A Verdict is what a person said of two entries of one feed.
type Verdict struct {
	A, B feedonce.EntryID
	Same bool
	At   time.Time
	Who  string
	Rule string // of the decision it contradicts
}

// SetVerdict records a verdict, in the place of an earlier one about the same two entries.
func (tx *Tx) SetVerdict(v Verdict) error {
	if _, err := tx.Exec(`insert into verdicts (a, b, same, at, who, rule) values ($1, $2, $3, $4, $5, $6)
		on conflict (a, b) do update set same = excluded.same, at = excluded.at, who = excluded.who, rule = excluded.rule`,
		min(v.A, v.B), max(v.A, v.B), v.Same, v.At.UnixMicro(), v.Who, v.Rule); err != nil {
		return fmt.Errorf("verdict on entries %d and %d: %w", v.A, v.B, err)
	}
	return nil
}

// DropVerdict forgets what was said of two entries.
func (tx *Tx) DropVerdict(a, b feedonce.EntryID) error {
	if _, err := tx.Exec(`delete from verdicts where a = $1 and b = $2`, min(a, b), max(a, b)); err != nil {
		return fmt.Errorf("verdict on entries %d and %d: %w", a, b, err)
	}
	return nil
}

// Verdicts returns what was said of an entry, oldest first.
func (tx *Tx) Verdicts(id feedonce.EntryID) ([]Verdict, error) {
	verdicts, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (Verdict, error) {
		var v Verdict
		err := row.Scan(&v.A, &v.B, flag{&v.Same}, at(&v.At), &v.Who, &v.Rule)
		return v, err
	}, `select a, b, same, at, who, rule from verdicts where a = $1 or b = $1 order by at, a, b`, id)
	if err != nil {
		return nil, fmt.Errorf("verdicts on entry %d: %w", id, err)
	}
	return verdicts, nil
}

// AmendmentKind says what a person did.
type AmendmentKind string

// The kinds of amendments.
const (
	AmendSplit  AmendmentKind = "split"  // entry B was split off A
	AmendMerge  AmendmentKind = "merge"  // entry B became part of A
	AmendJoin   AmendmentKind = "join"   // entry B joined the story of A, in another feed
	AmendLeave  AmendmentKind = "leave"  // entry A left its story
	AmendPolicy AmendmentKind = "policy" // the feed's policy was changed
)

// An Amendment is what a person did about a decision.
type Amendment struct {
	ID       int64
	At       time.Time
	Who      string
	Kind     AmendmentKind
	Feed     feedonce.FeedID
	A, B     feedonce.EntryID // 0: none
	Decision int64            // that was contradicted; 0: none
	Rule     string           // of that decision
	Note     string           // what happened, for a person
	Before   []byte           // JSON: what undoing puts back, for whoever did it
	Undone   time.Time        // zero: it holds
	UndoneBy string
}

const amendmentColumns = `id, at, who, kind, feed_id, a, b, decision_id, rule, note, before, undone_at, undone_by`

func scanAmendment(row sqldb.Scanner) (Amendment, error) {
	var a Amendment
	err := row.Scan(&a.ID, at(&a.At), &a.Who, &a.Kind, &a.Feed, &a.A, &a.B, &a.Decision, &a.Rule, &a.Note, &a.Before, at(&a.Undone), &a.UndoneBy)
	return a, err
}

// AddAmendment records what a person did, and returns its ID.
func (tx *Tx) AddAmendment(a Amendment) (int64, error) {
	ids, err := tx.newIDs("amendments", 1)
	if err == nil {
		_, err = tx.Exec(`insert into amendments (id, at, who, kind, feed_id, a, b, decision_id, rule, note, before)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
			ids[0], a.At.UnixMicro(), a.Who, string(a.Kind), a.Feed, a.A, a.B, a.Decision, a.Rule, a.Note, string(a.Before))
	}
	if err != nil {
		return 0, fmt.Errorf("record %s: %w", a.Kind, err)
	}
	return ids[0], nil
}

// Amendment returns an amendment, or ErrNotFound.
func (tx *Tx) Amendment(id int64) (Amendment, error) {
	a, err := scanAmendment(tx.QueryRow(`select `+amendmentColumns+` from amendments where id = $1`, id))
	return a, found(err, "change %d", id)
}

// AmendmentFilter selects amendments, latest first.
type AmendmentFilter struct {
	User  feedonce.UserID // only of feeds that they follow; 0: all
	Feed  feedonce.FeedID
	Entry feedonce.EntryID // about this entry, or one that was merged into it
	Kinds []AmendmentKind  // empty: all
	Rule  string
	// Decision is the one that was contradicted.
	Decision int64
	Holds    bool // only those that are not undone
	Limit    int  // default 50
	Before   int64
}

// Amendments returns amendments.
func (tx *Tx) Amendments(f AmendmentFilter) ([]Amendment, error) {
	w := where{}
	if f.Feed != 0 {
		w.add("feed_id = ?", f.Feed)
	}
	w.follows("feed_id", f.User)
	if f.Entry != 0 {
		w.add("(a = ? and a <> 0 or b = ? and b <> 0)", f.Entry, f.Entry)
	}
	if len(f.Kinds) > 0 {
		kinds := make([]any, len(f.Kinds))
		for i, k := range f.Kinds {
			kinds[i] = string(k)
		}
		w.add("kind in ("+places(len(kinds))+")", kinds...)
	}
	if f.Rule != "" {
		w.add("rule = ?", f.Rule)
	}
	if f.Decision != 0 {
		w.add("decision_id = ?", f.Decision)
	}
	if f.Holds {
		w.add("undone_at is null")
	}
	if f.Before != 0 {
		w.add("id < ?", f.Before)
	}
	all, err := sqldb.All(tx.Tx, scanAmendment, `select `+amendmentColumns+` from amendments`+w.String()+` order by id desc`+w.limit(f.Limit), w.args...)
	if err != nil {
		return nil, fmt.Errorf("changes by people: %w", err)
	}
	return all, nil
}

// MarkUndone records that an amendment was undone; ErrConflict where it was before.
func (tx *Tx) MarkUndone(id int64, who string, now time.Time) error {
	n, err := tx.Exec(`update amendments set undone_at = $2, undone_by = $3 where id = $1 and undone_at is null`, id, now.UnixMicro(), who)
	if err == nil && n == 0 {
		err = feedonce.ErrConflict
	}
	if err != nil {
		return fmt.Errorf("undo change %d: %w", id, err)
	}
	return nil
}

// AddDecision records a decision by a person about an item, which is no arrival of a document, and returns its ID.
func (tx *Tx) AddDecision(d feedonce.Decision, item dedup.Item) (int64, error) {
	b, err := json.Marshal(&item)
	if err != nil {
		return 0, fmt.Errorf("record decision: %w", err)
	}
	sum := sha256.Sum256(b)
	ids, err := tx.newIDs("decisions", 1)
	if err == nil {
		_, err = tx.Exec(`insert into decisions (id, at, feed_id, entry_id, outcome, rule, guid, url, title, evidence, arrival, item_hash, told, quiet)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, null, $11, $12, $13)`,
			ids[0], d.At.UnixMicro(), d.Feed, d.Entry, d.Outcome, d.Rule, cut(item.GUID, maxShown), cut(item.URL, maxShown), cut(d.Title, maxShown),
			string(d.Evidence), sum[:16], d.Told, d.Quiet)
	}
	if err != nil {
		return 0, fmt.Errorf("record decision: %w", err)
	}
	return ids[0], nil
}

// WasTold reports whether an entry was told to destinations.
func (tx *Tx) WasTold(id feedonce.EntryID) (bool, error) {
	var told bool
	err := tx.QueryRow(`select exists (select 1 from decisions where entry_id = $1 and entry_id <> 0 and told)`, id).Scan(flag{&told})
	if err != nil {
		return false, fmt.Errorf("whether entry %d was told: %w", id, err)
	}
	return told, nil
}

// MoveMerged makes entries that are part of one entry part of another, and returns them.
func (tx *Tx) MoveMerged(from, to feedonce.EntryID) ([]feedonce.EntryID, error) {
	ids, err := sqldb.All(tx.Tx, func(row sqldb.Scanner) (id feedonce.EntryID, err error) {
		err = row.Scan(&id)
		return id, err
	}, `update entries set merged_into = $2 where merged_into = $1 returning id`, from, to)
	if err != nil {
		return nil, fmt.Errorf("entries merged into %d: %w", from, err)
	}
	return ids, nil
}

// SetMerged makes entries part of an entry.
func (tx *Tx) SetMerged(ids []feedonce.EntryID, into feedonce.EntryID) error {
	for _, id := range ids {
		if _, err := tx.Exec(`update entries set merged_into = $2 where id = $1`, id, into); err != nil {
			return fmt.Errorf("merge entry %d: %w", id, err)
		}
	}
	return nil
}

// ReleasedDecisions returns the decisions about suppressed arrivals of a feed that people made entries of: those that were
// split and those whose held item was accepted.
func (tx *Tx) ReleasedDecisions(id feedonce.FeedID) (map[int64]bool, error) {
	released := map[int64]bool{}
	err := tx.Each(func(row sqldb.Scanner) error {
		var decision int64
		err := row.Scan(&decision)
		released[decision] = true
		return err
	}, `select decision_id from amendments where feed_id = $1 and kind = 'split' and undone_at is null
		union select decision_id from quarantine where feed_id = $1 and state = 'accepted'`, id)
	if err != nil {
		return nil, fmt.Errorf("released decisions of feed %d: %w", id, err)
	}
	return released, nil
}
