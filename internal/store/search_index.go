package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"feedonce"
	"feedonce/internal/query"
	"feedonce/internal/sqldb"
)

// The index of words follows the change log: what is created, updated, merged, split and withdrawn there is read again. What was
// there before the log was followed is read from the newest down. How far both are stands in one row, which is
// moved in the transaction that writes the words: nothing is lost where that fails, and of several processes one writes.

// searchState is how far the index is.
type searchState struct{ version, seq, below int64 }

func (tx *Tx) searchState() (searchState, error) {
	var s searchState
	err := tx.QueryRow(`select version, seq, below from search_state where id = 1`).Scan(&s.version, &s.seq, &s.below)
	return s, found(err, "state of the search index")
}

// Bounds of one transaction, so that documents do not wait long for it.
const (
	searchChanges = 200     // changes
	searchEntries = 100     // entries that were there before
	searchBytes   = 1 << 19 // of their texts, with markup
)

// IndexSearch does one bounded part of what there is to do for the search index, and reports whether it did anything: then
// there may be more. Where there is nothing to do, it writes nothing. Any number of processes may call it.
func (s *Store) IndexSearch(ctx context.Context) (bool, error) {
	var batch searchBatch
	// Texts are cut into words as they are read, which takes longer than writing these: nobody waits for who reads.
	err := s.View(ctx, func(tx *Tx) (err error) {
		batch, err = tx.readForSearch()
		return err
	})
	if err == nil && batch.changed() {
		err = s.Update(ctx, func(tx *Tx) error { return tx.writeSearch(batch) })
	}
	if err != nil {
		return false, fmt.Errorf("search index: %w", err)
	}
	return batch.changed(), nil
}

// searchBatch is one part of the work.
type searchBatch struct {
	before, after searchState // before is zero where there is no state yet
	begin         bool
	ids           []feedonce.EntryID // what is to be as texts say: in the index, or not
	entries       []searchWords
}

// searchWords are the words of an entry, with a space between.
type searchWords struct {
	id    feedonce.EntryID
	feed  feedonce.FeedID
	doc   int64
	words string
}

func (b *searchBatch) add(t searchText) {
	b.entries = append(b.entries, searchWords{t.id, t.feed, t.doc, strings.Join(t.words(), " ")})
}

func (b *searchBatch) changed() bool { return b.begin || b.before != b.after }

func (tx *Tx) readForSearch() (searchBatch, error) {
	var b searchBatch
	state, err := tx.searchState()
	if errors.Is(err, feedonce.ErrNotFound) || err == nil && state.version != query.Version {
		b.before, b.begin = state, true
		return b, nil
	}
	if err != nil {
		return b, err
	}
	b.before, b.after = state, state
	changes, err := tx.Changes(state.seq, searchChanges)
	if err != nil {
		return b, err
	}
	if len(changes) > 0 {
		for _, c := range changes {
			b.ids = append(b.ids, c.Entry)
		}
		slices.Sort(b.ids)
		b.ids = slices.Compact(b.ids)
		b.after.seq = changes[len(changes)-1].Seq
		err = tx.searchTexts(b.ids, func(t searchText) error {
			b.add(t)
			return nil
		})
	} else if state.below > 0 {
		err = tx.readOldForSearch(&b)
	}
	return b, err
}

var errEnough = errors.New("enough")

// readOldForSearch reads the next of the entries that were there before the index.
func (tx *Tx) readOldForSearch(b *searchBatch) error {
	size, n := 0, 0
	err := tx.Each(func(row sqldb.Scanner) error {
		if size >= searchBytes {
			return errEnough
		}
		t, err := scanSearchText(row)
		if err != nil {
			return err
		}
		n++
		size += len(t.summary) + len(t.content)
		b.ids = append(b.ids, t.id)
		b.add(t)
		b.after.below = int64(t.id)
		return nil
	}, `select `+searchColumns+` from entries e join entry_bodies b on b.entry_id = e.id
		where e.id < $1 and e.merged_into is null order by e.id desc limit $2`, b.before.below, searchEntries)
	if errors.Is(err, errEnough) {
		return nil
	}
	if n < searchEntries {
		b.after.below = 0
	}
	return err
}

// writeSearch writes a batch, unless another process was faster.
func (tx *Tx) writeSearch(b searchBatch) error {
	if b.begin {
		return tx.beginSearch(b.before)
	}
	n, err := tx.moveSearch(b.before, b.after)
	if err != nil || n == 0 {
		return err
	}
	if tx.Dialect() == sqldb.PostgreSQL {
		return tx.writeSearchPostgres(b)
	}
	return tx.writeSearchSQLite(b)
}

// moveSearch says how far the index is, if it is where it was, and no other process is writing.
func (tx *Tx) moveSearch(before, after searchState) (int64, error) {
	return tx.Exec(`update search_state set version = $1, seq = $2, below = $3
		where id in (select id from search_state where version = $4 and seq = $5 and below = $6 `+tx.Dialect().SkipLocked()+`)`,
		after.version, after.seq, after.below, before.version, before.seq, before.below)
}

// beginSearch has the index follow the change log from here, and read all that is there now.
func (tx *Tx) beginSearch(before searchState) error {
	state := searchState{version: query.Version, seq: before.seq}
	var err error
	if before == (searchState{}) {
		// The log first: what is stored in between is read twice.
		if state.seq, err = tx.LastChange(); err != nil {
			return err
		}
	}
	if err := tx.QueryRow(`select coalesce(max(id), -1) + 1 from entries`).Scan(&state.below); err != nil {
		return err
	}
	if before == (searchState{}) {
		_, err = tx.Exec(`insert into search_state (id, version, seq, below) values (1, $1, $2, $3) on conflict (id) do nothing`,
			state.version, state.seq, state.below)
		return err
	}
	_, err = tx.moveSearch(before, state)
	return err
}

// maxSearchWords is how many words of an entry are found, maxSearchRepeats how often one, and maxTitleWords how many of a title
// or author. PostgreSQL knows a word's first 255 places of 16,383.
const maxSearchWords, maxTitleWords, maxSearchRepeats = 12_000, 500, 255

// words returns the words of an entry in their order, with gaps. The first two are its feed's and a gap.
func (t *searchText) words() []string {
	words := []string{feedWord(t.feed)}
	seen := map[string]int{}
	add := func(text string, most int) {
		words = append(words, query.Gap)
		for token := range query.Tokens(text) {
			if most--; most < 0 || len(words) >= maxSearchWords {
				break
			}
			word := token.Word
			if seen[word]++; seen[word] > maxSearchRepeats {
				word = query.Gap
			}
			words = append(words, word)
		}
	}
	add(t.title, maxTitleWords)
	add(t.author, maxTitleWords)
	for _, text := range t.texts() {
		add(text, maxSearchWords)
	}
	return words
}

func (tx *Tx) writeSearchSQLite(b searchBatch) error {
	from, args := tx.Dialect().From(sqldb.Ints("id", b.ids), "r", 1)
	for _, query := range []string{
		`delete from search_words where rowid in (select x.doc from ` + from + ` cross join search_entries x on x.entry_id = r.id)`,
		`delete from search_entries where entry_id in (select r.id from ` + from + `)`,
	} {
		if _, err := tx.Exec(query, args...); err != nil {
			return err
		}
	}
	if len(b.entries) == 0 {
		return nil
	}
	entries, words := b.rows()
	from, args = tx.Dialect().From(entries, "r", 1)
	if _, err := tx.Exec(`insert into search_entries (entry_id, doc, feed_id) select r.id, r.doc, r.feed from `+from, args...); err != nil {
		return err
	}
	from, args = tx.Dialect().From(words, "r", 1)
	_, err := tx.Exec(`insert into search_words (rowid, words) select r.doc, r.words from `+from, args...)
	return err
}

// rows are the entries to be in the index, and their words.
func (b *searchBatch) rows() (entries, words *sqldb.Batch) {
	entries, words = sqldb.NewBatch("id int", "doc int", "feed int"), sqldb.NewBatch("doc int", "words text")
	for _, e := range b.entries {
		entries.Add(int64(e.id), e.doc, int64(e.feed))
		words.Add(e.doc, e.words)
	}
	return entries, words
}

func (tx *Tx) writeSearchPostgres(b searchBatch) error {
	rows := sqldb.NewBatch("id int", "doc int", "feed int", "words text")
	gone := slices.Clone(b.ids)
	for _, e := range b.entries {
		rows.Add(int64(e.id), e.doc, int64(e.feed), vector(e.words))
		gone = slices.DeleteFunc(gone, func(id feedonce.EntryID) bool { return id == e.id })
	}
	if len(gone) > 0 {
		if _, err := tx.Exec(`delete from search_entries where entry_id = any($1)`, int64s(gone)); err != nil {
			return err
		}
	}
	if rows.Len() == 0 {
		return nil
	}
	from, args := tx.Dialect().From(rows, "r", 1)
	_, err := tx.Exec(`insert into search_entries (entry_id, doc, feed_id, words) select r.id, r.doc, r.feed, cast(r.words as tsvector) from `+from+`
		on conflict (entry_id) do update set doc = excluded.doc, words = excluded.words
		where (search_entries.doc, search_entries.words) is distinct from (excluded.doc, excluded.words)`, args...)
	return err
}

// vector writes words as PostgreSQL reads a tsvector: each with its places. Of gaps one place is enough. Two characters of a script
// without spaces are also a word, without a place.
func vector(text string) string {
	words := strings.Split(text, " ")
	places := make(map[string][]int, len(words)/2)
	pairs := map[string]bool{}
	var order []string
	for i, word := range words {
		at, ok := places[word]
		if !ok {
			order = append(order, word)
		}
		if word != query.Gap || !ok {
			places[word] = append(at, i+1)
		}
		if i > 0 && query.Pairs(words[i-1], word) {
			pairs[words[i-1]+word] = true
		}
	}
	var b strings.Builder
	for _, word := range order {
		b.WriteString("'" + word + "':")
		for i, at := range places[word] {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.Itoa(at))
		}
		b.WriteByte(' ')
	}
	for pair := range pairs {
		b.WriteString("'" + pair + "' ")
	}
	return b.String()
}
