package store

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"feedonce"
	"feedonce/internal/query"
	"feedonce/internal/sanitize"
	"feedonce/internal/sqldb"
)

// Finding articles by their words. search_index.go fills the index.
//
// Both databases hold the same words, those of internal/query, and are asked in their own language for the newest numbers of
// what has them: SQLite reads its lists of rows from the end, and PostgreSQL looks at the newest one by one, and at what its
// index of words has only where these do not fill a page. The articles are then looked up by those numbers.

// SearchFilter selects entries by their words, newest first: by Entry.Time in whole seconds, then ID.
type SearchFilter struct {
	Words  string            // as a person types them, see query.Parse; without a letter or digit nothing is found
	Feeds  []feedonce.FeedID // only of these; nil: of all
	Limit  int               // default 50
	Before Cursor            // entries after this one in the list; zero is the start
}

// Search returns entries without Content and Summary. Those that were merged are not in lists. An article is found once the
// index has it, see SearchProgress.
func (tx *Tx) Search(f SearchFilter) ([]feedonce.Entry, error) {
	q := query.Parse(f.Words)
	if q.Empty() || f.Feeds != nil && len(f.Feeds) == 0 {
		return nil, nil
	}
	if f.Limit <= 0 {
		f.Limit = 50
	}
	// Numbers of entries that are there are below the greatest.
	before := int64(math.MaxInt64)
	if f.Before != (Cursor{}) {
		before = docNumber(f.Before.Time, feedonce.EntryID(f.Before.ID))
	}
	var entries []feedonce.Entry
	for {
		n := f.Limit - len(entries)
		page, last, err := tx.searchPage(q, f.Feeds, before, n)
		if err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		found, err := tx.entriesInOrder(page)
		if err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		entries = append(entries, found...)
		if len(page) < n || len(entries) == f.Limit {
			return entries, nil
		}
		before = last // some are gone since they were indexed
	}
}

// searchPage returns the newest entries below a number, and the last one's number.
func (tx *Tx) searchPage(q query.Query, feeds []feedonce.FeedID, before int64, limit int) (ids []feedonce.EntryID, last int64, err error) {
	if tx.Dialect() == sqldb.PostgreSQL {
		return tx.searchPostgres(q, feeds, before, limit)
	}
	w := where{}
	w.add("w.words match ?", tx.searchText(q, feeds))
	w.add("w.rowid < ?", before)
	if len(feeds) > maxFeedWords {
		list, err := listValue(feeds, func(id feedonce.FeedID) feedonce.FeedID { return id })
		if err != nil {
			return nil, 0, err
		}
		w.add("x.feed_id in (select value from json_each(?))", list)
	}
	err = tx.Each(func(row sqldb.Scanner) error {
		var id feedonce.EntryID
		err := row.Scan(&id, &last)
		ids = append(ids, id)
		return err
	}, `select x.entry_id, x.doc from search_words w cross join search_entries x on x.doc = w.rowid`+w.String()+` order by w.rowid desc`+w.limit(limit), w.args...)
	return ids, last, err
}

// newestLooked is how many of the newest entries PostgreSQL looks at one by one before it asks its index of words, which has
// no order: that finds all entries with a word, however many they are. What a page of the newest is not filled with is in so few
// that they are counted in thousandths of a second.
const newestLooked = 500

// searchPostgres asks in two steps, as the planner does not know that looking at words one by one takes long.
func (tx *Tx) searchPostgres(q query.Query, feeds []feedonce.FeedID, before int64, limit int) (ids []feedonce.EntryID, last int64, err error) {
	text := tx.searchText(q, feeds)
	below := func(place int64) where {
		w := where{}
		w.add("doc + 0 < ?", place) // no condition that an index could serve
		w.add("words @@ cast(cast(? as text) as tsquery)", text)
		if len(feeds) > maxFeedWords {
			w.add("feed_id = any(?)", int64s(feeds))
		}
		return w
	}
	rows := func(row sqldb.Scanner) error {
		var id feedonce.EntryID
		err := row.Scan(&id, &last)
		ids = append(ids, id)
		return err
	}
	const newest = ` from search_entries where doc < $1 order by doc desc limit `
	w := below(before)
	if err := tx.Each(rows, `select entry_id, doc from (select entry_id, doc, feed_id, words`+newest+strconv.Itoa(newestLooked)+`) n`+
		w.String()+` order by doc desc`+w.limit(limit), w.args...); err != nil || len(ids) == limit {
		return ids, last, err
	}
	var looked int
	var lowest int64
	if err := tx.QueryRow(`select count(*), coalesce(min(doc), 0) from (select doc`+newest+`$2) n`, before, newestLooked).
		Scan(&looked, &lowest); err != nil || looked < newestLooked {
		return ids, last, err
	}
	const plans = `select set_config('enable_seqscan', $1, true), set_config('enable_indexscan', $1, true)`
	if _, err := tx.Exec(plans, "off"); err != nil {
		return nil, 0, err
	}
	w = below(lowest)
	if err := tx.Each(rows, `with f as materialized (select entry_id, doc from search_entries`+w.String()+`)
		select entry_id, doc from f order by doc desc`+w.limit(limit-len(ids)), w.args...); err != nil {
		return nil, 0, err
	}
	_, err = tx.Exec(plans, "on")
	return ids, last, err
}

// maxFeedWords is up to how many feeds stand in a query as words of it. More of them are looked at row by row: they are a
// large part of all, so that this costs little.
const maxFeedWords = 32

// searchText writes a query in the database's language. Words have no character that means something there.
func (tx *Tx) searchText(q query.Query, feeds []feedonce.FeedID) string {
	and, or, next, not, prefix, quote := " AND ", " OR ", " + ", " NOT ", " *", `"`
	if tx.Dialect() == sqldb.PostgreSQL {
		and, or, next, not, prefix, quote = " & ", " | ", " <-> ", " & !", ":*", "'"
	}
	term := func(t query.Term) string {
		words := make([]string, len(t.Words))
		for i, word := range t.Words {
			words[i] = quote + word + quote
		}
		s := strings.Join(words, next)
		if t.Prefix {
			s += prefix
		}
		if tx.Dialect() == sqldb.PostgreSQL {
			s = withPairs(t, s)
		}
		return "(" + s + ")"
	}
	var must, mustNot, of []string
	for _, t := range q.Terms {
		if t.Not {
			mustNot = append(mustNot, term(t))
		} else {
			must = append(must, term(t))
		}
	}
	if len(must) == 0 {
		must = append(must, quote+query.Gap+quote) // which every article has
	}
	if n := len(feeds); n > 0 && n <= maxFeedWords {
		for _, id := range feeds {
			of = append(of, quote+feedWord(id)+quote)
		}
		must = append(must, "("+strings.Join(of, or)+")")
	}
	text := "(" + strings.Join(must, and) + ")"
	if len(mustNot) > 0 {
		text += not + "(" + strings.Join(mustNot, or) + ")"
	}
	return text
}

// withPairs adds to a phrase what vector adds to texts: nearly all texts in Chinese have the commonest characters, few have two of
// them next to each other.
func withPairs(t query.Term, phrase string) string {
	var pairs []string
	for i := 1; i < len(t.Words); i++ {
		if query.Pairs(t.Words[i-1], t.Words[i]) {
			pairs = append(pairs, "'"+t.Words[i-1]+t.Words[i]+"'")
		}
	}
	if len(pairs) == 1 && len(t.Words) == 2 {
		return pairs[0]
	}
	return strings.Join(append(pairs, "("+phrase+")"), " & ")
}

// feedWord is the word that every article of a feed has. No query has it.
func feedWord(id feedonce.FeedID) string { return query.Gap + "f" + strconv.FormatInt(int64(id), 10) }

// docNumber is an entry's place in the order of lists: seconds of its time, from 1698 to 2242, and the lower 30 bits of its ID.
func docNumber(at time.Time, id feedonce.EntryID) int64 {
	const bits, far = 30, int64(1) << 33
	return max(-far, min(at.Unix(), far-1))<<bits | int64(id)&(1<<bits-1)
}

// entriesInOrder returns entries that are shown, without texts, in the order of their IDs in the list.
func (tx *Tx) entriesInOrder(ids []feedonce.EntryID) ([]feedonce.Entry, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	place := make(map[feedonce.EntryID]int, len(ids))
	for i, id := range ids {
		place[id] = i
	}
	from, args := tx.Dialect().From(sqldb.Ints("id", ids), "r", 1)
	lookup := tx.Dialect().Lookup()
	entries, err := sqldb.All(tx.Tx, scanEntry, `select `+entryColumns+` from `+from+`
		`+lookup+` entries e on e.id = r.id `+lookup+` entry_bodies b on b.entry_id = e.id where e.merged_into is null`, args...)
	slices.SortFunc(entries, func(a, b feedonce.Entry) int { return place[a.ID] - place[b.ID] })
	return entries, err
}

func int64s[T ~int64](ids []T) []int64 {
	all := make([]int64, len(ids))
	for i, id := range ids {
		all[i] = int64(id)
	}
	return all
}

// A Snippet shows where an article has what was looked for.
type Snippet struct {
	Title []query.Segment // the title, whole
	Text  []query.Segment // a part of the text; nil where only the title or author has it
}

// Snippets returns for entries where they have what was looked for, with about width bytes of text. Those that are not there
// are not in it.
func (tx *Tx) Snippets(words string, ids []feedonce.EntryID, width int) (map[feedonce.EntryID]Snippet, error) {
	q := query.Parse(words)
	found := map[feedonce.EntryID]Snippet{}
	err := tx.searchTexts(ids, func(t searchText) error {
		s := Snippet{Title: q.Mark(t.title)}
		for _, text := range t.texts() {
			if s.Text = q.Snippet(text, width); s.Text != nil {
				break
			}
		}
		found[t.id] = s
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("snippets: %w", err)
	}
	return found, nil
}

// searchText is what an entry is found by.
type searchText struct {
	id               feedonce.EntryID
	feed             feedonce.FeedID
	doc              int64
	title, author    string
	summary, content string // HTML, cut
}

// maxSearchText is how many characters of a text are read.
const maxSearchText = 100_000

// texts returns the plain texts of an entry: its content, and a summary that is not how that begins.
func (t *searchText) texts() []string {
	var texts []string
	content := sanitize.Text(t.content, maxSearchText)
	if content != "" {
		texts = append(texts, content)
	}
	if t.summary == "" || t.summary == t.content {
		return texts
	}
	summary := sanitize.Text(t.summary, maxSearchText)
	if begin := strings.TrimRight(summary, " .…[]"); begin != "" && !strings.HasPrefix(content, begin) {
		texts = append(texts, summary)
	}
	return texts
}

// searchColumns are those of a searchText. Of markup four times as much is read as of text.
const searchColumns = `e.id, e.feed_id, e.sort_at, e.title, e.author, substr(b.summary, 1, 400000), substr(b.content, 1, 400000)`

func scanSearchText(row sqldb.Scanner) (searchText, error) {
	var t searchText
	var sort time.Time
	err := row.Scan(&t.id, &t.feed, at(&sort), &t.title, &t.author, &t.summary, &t.content)
	t.doc = docNumber(sort, t.id)
	return t, err
}

// searchTexts calls f for the entries that are shown, in no order.
func (tx *Tx) searchTexts(ids []feedonce.EntryID, f func(searchText) error) error {
	if len(ids) == 0 {
		return nil
	}
	from, args := tx.Dialect().From(sqldb.Ints("id", ids), "r", 1)
	lookup := tx.Dialect().Lookup()
	return tx.Each(func(row sqldb.Scanner) error {
		t, err := scanSearchText(row)
		if err != nil {
			return err
		}
		return f(t)
	}, `select `+searchColumns+` from `+from+` `+lookup+` entries e on e.id = r.id
		`+lookup+` entry_bodies b on b.entry_id = e.id where e.merged_into is null`, args...)
}

// SearchProgress is how far the index of words is.
type SearchProgress struct {
	Indexed, All int64 // articles
	// Waiting is how many changes it has not seen, at most 1,000.
	Waiting int
	// Whole says that everything that was there when the index was begun is in it.
	Whole bool
}

// Behind reports whether so much is missing that people should be told.
func (p SearchProgress) Behind() bool { return !p.Whole || p.Waiting >= maxWaiting }

const maxWaiting = 1000

// SearchProgress returns how far the index of words is. Articles are counted only while it is behind.
func (tx *Tx) SearchProgress() (SearchProgress, error) {
	var p SearchProgress
	state, err := tx.searchState()
	switch {
	case errors.Is(err, feedonce.ErrNotFound):
	case err != nil:
		return p, err
	default:
		p.Whole = state.below == 0 && state.version == query.Version
		if err := tx.QueryRow(`select count(*) from (select 1 from changes where seq > $1 limit $2) c`, state.seq, maxWaiting).Scan(&p.Waiting); err != nil {
			return p, fmt.Errorf("search progress: %w", err)
		}
	}
	if !p.Behind() {
		return p, nil
	}
	if p.All, err = tx.EntryCount(0); err != nil {
		return p, err
	}
	if err := tx.QueryRow(`select count(*) from search_entries`).Scan(&p.Indexed); err != nil {
		return p, fmt.Errorf("search progress: %w", err)
	}
	if state.version != query.Version && state.version != 0 {
		p.Indexed = 0
	}
	p.Indexed = min(p.Indexed, p.All)
	if p.All == 0 {
		p.Whole = true // nothing is there to be read
	}
	return p, nil
}
