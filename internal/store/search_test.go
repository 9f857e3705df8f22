package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/query"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// indexSearch brings the search index up to date, and returns in how many steps.
func indexSearch(t testing.TB, s *store.Store) int {
	t.Helper()
	for n := 0; ; n++ {
		more, err := s.IndexSearch(context.Background())
		if err != nil {
			t.Fatalf("index: %v", err)
		}
		if !more {
			return n
		}
		if n > 10_000 {
			t.Fatal("the index is never up to date")
		}
	}
}

// articles stores items as new entries of a feed, with the changes that say so, and returns their IDs.
func articles(t testing.TB, s *store.Store, feed feedonce.FeedID, at time.Time, items ...dedup.Item) []feedonce.EntryID {
	t.Helper()
	d := newDocument(t, s, feed, at)
	for _, item := range items {
		d.create(item)
	}
	var ids []feedonce.EntryID
	update(t, s, func(tx *store.Tx) error {
		in := d.in
		r := *in.Result
		r.Decisions = slices.Clone(r.Decisions)
		for i := range r.Decisions {
			w := *r.Decisions[i].Write
			r.Decisions[i].Write = &w
		}
		in.Result = &r
		if err := tx.Apply(in); err != nil {
			return err
		}
		ids = nil
		var changes []feedonce.Change
		for _, dec := range in.Result.Decisions {
			ids = append(ids, feedonce.EntryID(dec.Write.Entry.ID))
			changes = append(changes, feedonce.Change{At: at, Kind: feedonce.ChangeCreated, Feed: feed, Entry: ids[len(ids)-1], Revision: 1})
		}
		if err := tx.LockOrder(); err != nil {
			return err
		}
		return tx.AddChanges(changes)
	})
	return ids
}

func search(t testing.TB, s *store.Store, f store.SearchFilter) []feedonce.EntryID {
	t.Helper()
	entries := read(t, s, func(tx *store.Tx) ([]feedonce.Entry, error) { return tx.Search(f) })
	var ids []feedonce.EntryID
	for _, e := range entries {
		ids = append(ids, e.ID)
	}
	return ids
}

func TestSearch(t *testing.T) {
	items := []dedup.Item{
		{Title: "Élan vital", Content: "<p>The <b>quick</b> brown fox jumps over the lazy dog.</p><script>secret()</script>"},
		{Title: "Straße nach Łódź", Summary: "Foxes are quick &amp; brown. See example.com for e-mail."},
		{Title: "東京で記録的な大雨", Content: "気象庁によると、東京都心では大雨となった。"},
		{Title: "ΌΔΟΣ", Author: "Zoë Müller-Lüdenscheid", Content: "Don't panic: C++ and 3.14"},
		{Title: "한국어 기사", Content: "서울에서 열린 회의. ﬁne ＦＵＬＬ ｶﾞｲﾄﾞ"},
		{Title: "Plain", Content: "brown quick", Summary: "dog"},
		{Title: "_f1 AND OR NOT NEAR(", Content: `a "quoted" 'text' \ * : - ( )`},
		{Title: "ภาษาไทย", Content: "нaука и ёлка; שָׁלוֹם; مُحَمَّد"},
	}
	for i := range items {
		items[i].GUID = fmt.Sprint("g", i)
	}
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed := addFeed(t, s, "https://a.example/feed")
		ids := articles(t, s, feed.ID, start, items...)
		if found := search(t, s, store.SearchFilter{Words: "quick"}); found != nil {
			t.Errorf("found %v before anything is in the index", found)
		}
		indexSearch(t, s)
		for _, test := range searches {
			var want []feedonce.EntryID
			for _, i := range slices.Backward(test.want) { // newest first
				want = append(want, ids[i])
			}
			if diff := cmp.Diff(want, search(t, s, store.SearchFilter{Words: test.query})); diff != "" {
				t.Errorf("%q (-want +got):\n%s", test.query, diff)
			}
		}
	})
}

// searches are queries and which items of TestSearch they find.
var searches = []struct {
	query string
	want  []int
}{
	{"quick", []int{0, 1, 5}},
	{"QUICK Brown", []int{0, 1, 5}},
	{`"quick brown"`, []int{0, 1}},
	{`"brown quick"`, []int{5}},
	{`“quick brown” -lazy`, []int{1}},
	{"quick -brown", nil},
	{`quick -"quick brown"`, []int{5}},
	{"-quick", []int{2, 3, 4, 6, 7}},
	{"fox", []int{0}},
	{"fox*", []int{0, 1}},
	{`"brown fo"*`, []int{0}},
	{"f*", nil}, // one letter is a word
	{"elan", []int{0}},
	{"ÉLAN", []int{0}},
	{"e\u0301lan", []int{0}},
	{"strasse", []int{1}},
	{"STRASSE nach", []int{1}},
	{"example.com", []int{1}},
	{"e-mail", []int{1}},
	{"mail -e", nil},
	{"secret", nil},
	{"大雨", []int{2}},
	{"東京", []int{2}},
	{"京東", nil},
	{"東京都", []int{2}},
	{"東京 -大雨", nil},
	{"東京 -雨大", []int{2}},
	{"記録大雨", nil},
	{"よると", []int{2}},
	{"οδος", []int{3}},
	{"muller", []int{3}},
	{"zoe panic", []int{3}},
	{"don't", []int{3}},
	{"don’t", []int{3}},
	{"c++ 3.14", []int{3}},
	{"서울", []int{4}},
	{"fine full", []int{4}},
	{"ガイド", []int{4}},
	{`"plain brown"`, nil}, // no phrase goes from the title into the text
	{`"quick dog"`, nil},
	{"plain dog", []int{5}},
	{"_f1", []int{6}},
	{"f1", []int{6}},
	{"AND NOT", []int{6}},
	{`quoted text`, []int{6}},
	{"ไทย", []int{7}},
	{"елка", []int{7}},
	{"שלום", []int{7}},
	{"محمد", []int{7}},
	{"", nil},
	{"*", nil},
	{`"`, nil},
	{"!!! _ - --", nil},
	{"quick quick QUICK", []int{0, 1, 5}},
}

// TestSearchMeansWhatMatchSays holds both databases against query.Match, with texts and queries of few words, so that they meet.
func TestSearchMeansWhatMatchSays(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	words := []string{"a", "ab", "abc", "Abcd", "b", "大", "雨", "é", "don't", "1"}
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(words[rnd.IntN(len(words))])
			b.WriteString([]string{" ", " ", " ", "-", ""}[rnd.IntN(5)])
		}
		return b.String()
	}
	items := make([]dedup.Item, 60)
	cut := make([][]string, len(items))
	for i := range items {
		items[i] = dedup.Item{GUID: fmt.Sprint(i), Title: text(1 + rnd.IntN(3)), Author: text(rnd.IntN(2)), Content: text(rnd.IntN(12))}
		cut[i] = query.Words(items[i].Title, items[i].Author, items[i].Content)
	}
	queries := make([]string, 300)
	for i := range queries {
		var parts []string
		for range 1 + rnd.IntN(3) {
			part := text(1)
			if rnd.IntN(3) == 0 {
				part = `"` + text(1+rnd.IntN(3)) + `"`
			}
			parts = append(parts, []string{"", "", "-"}[rnd.IntN(3)]+part+[]string{"", "", "*"}[rnd.IntN(3)])
		}
		queries[i] = strings.Join(parts, " ")
	}
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed := addFeed(t, s, "https://a.example/feed")
		ids := articles(t, s, feed.ID, start, items...)
		indexSearch(t, s)
		some := 0
		for _, q := range queries {
			var want []feedonce.EntryID
			for i, id := range slices.Backward(ids) {
				if query.Parse(q).Match(cut[i]) {
					want = append(want, id)
				}
			}
			if len(want) > 0 && len(want) < len(ids) {
				some++
			}
			if diff := cmp.Diff(want, search(t, s, store.SearchFilter{Words: q, Limit: 100})); diff != "" {
				t.Errorf("%q, %+v (-want +got):\n%s", q, query.Parse(q), diff)
			}
		}
		if some < len(queries)/3 {
			t.Errorf("only %d of %d queries find some and not all", some, len(queries))
		}
	})
}

var hostileQueries = []string{
	"\x00", "a\x00b", "\xff\xfe", "\ufffd", `"`, `""`, `"""`, `'`, `''`, `\`, `a\`, `'a`, `a'`, "`", ";", "--", "-- a", "/* a */", "'; drop table entries; --",
	`" OR 1=1`, "a AND", "AND", "OR", "NOT", "NOT a", "NEAR(a b, 2)", "words:a", "{words}:a", "-words:a", "^a", "a^2", "a + b", "+a", "a*b", "*", "**", "a**", "*a",
	"(", ")", "((a)", "a & b", "a | b", "!a", "!!", "a <-> b", "<->", "a:*", "a:A", ":*", "%", "_", "__", "_f1", `a "b`, `-"a b`, "-", "--a", "- a", "“a", "«a» „b“",
	"$1", "?", "?1", ":a", "@a", "\u200b", "\u202ea", "\u0301", "a\u0301\u0301", "½ ﷺ ㍿ ①", "\u1100\u1161\u11a8", "ｶﾞ", "👍🏽", "\U0010ffff", "\t\r\n",
}

// TestSearchTakesAnything asks what nobody should type.
func TestSearchTakesAnything(t *testing.T) {
	hostile := append(slices.Clone(hostileQueries), strings.Repeat("word ", 1000), strings.Repeat("大", 5000), strings.Repeat("a\u0301", 3000),
		strings.Repeat(`"`, 1001), strings.Repeat("-a ", 100), strings.Repeat("x", 100_000))
	for _, b := range slices.Clone(hostile) {
		hostile = append(hostile, `"`+b+`"`, "-"+b, b+"*")
	}
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed := addFeed(t, s, "https://a.example/feed")
		var items []dedup.Item
		for i, text := range hostile {
			items = append(items, dedup.Item{GUID: fmt.Sprint(i), Title: text, Author: text, Summary: text, Content: text})
		}
		ids := articles(t, s, feed.ID, start, items...)
		indexSearch(t, s)
		for i, text := range hostile {
			found := search(t, s, store.SearchFilter{Words: text, Limit: len(ids)})
			// What is not excluded and has letters finds the article that says it, unless it is longer than what is read.
			q := query.Parse(text)
			if !q.Empty() && len(text) < 400 && !slices.ContainsFunc(q.Terms, func(t query.Term) bool { return t.Not }) && !slices.Contains(found, ids[i]) {
				t.Errorf("%q does not find itself but %v", text, found)
			}
			read(t, s, func(tx *store.Tx) (map[feedonce.EntryID]store.Snippet, error) {
				return tx.Snippets(text, ids[i:i+1], 200)
			})
		}
	})
}

func TestSearchPagesAndFeeds(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		var all []feedonce.EntryID
		byFeed := map[feedonce.FeedID][]feedonce.EntryID{}
		var feeds []feedonce.FeedID
		for f := range 40 {
			feed := addFeed(t, s, fmt.Sprintf("https://%d.example/feed", f))
			feeds = append(feeds, feed.ID)
			// Several feeds have one time, in another order than their numbers.
			ids := articles(t, s, feed.ID, start.Add(time.Duration(f%7)*time.Second),
				dedup.Item{GUID: "1", Title: "common one"}, dedup.Item{GUID: "2", Title: "common two"}, dedup.Item{GUID: "3", Title: "other"})
			byFeed[feed.ID] = ids[:2]
			all = append(all, ids[:2]...)
		}
		indexSearch(t, s)
		entries := read(t, s, func(tx *store.Tx) ([]feedonce.Entry, error) {
			return tx.Entries(store.EntryFilter{Words: "common", Limit: 100})
		})
		if len(entries) != len(all) {
			t.Fatalf("%d entries, not %d", len(entries), len(all))
		}
		for _, of := range [][]feedonce.FeedID{nil, feeds[3:4], feeds[2:9], feeds, feeds[:38], {}, {987654321}} {
			var want, got []feedonce.EntryID
			for _, e := range entries {
				if of == nil || slices.Contains(of, e.Feed) {
					want = append(want, e.ID)
				}
			}
			var before store.Cursor
			for {
				page := read(t, s, func(tx *store.Tx) ([]feedonce.Entry, error) {
					return tx.Search(store.SearchFilter{Words: "common", Feeds: of, Limit: 7, Before: before})
				})
				if len(page) == 0 {
					break
				}
				for _, e := range page {
					got = append(got, e.ID)
				}
				last := page[len(page)-1]
				before = store.Cursor{Time: last.Time(), ID: int64(last.ID)}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("feeds %v (-want +got):\n%s", of, diff)
			}
		}
	})
}

// TestSearchFollowsWhatHappens changes articles in every way there is.
func TestSearchFollowsWhatHappens(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed := addFeed(t, s, "https://a.example/feed")
		ids := articles(t, s, feed.ID, start, dedup.Item{GUID: "1", Title: "apple"}, dedup.Item{GUID: "2", Title: "banana"}, dedup.Item{GUID: "3", Title: "cherry"})
		expect := func(words string, want ...feedonce.EntryID) {
			t.Helper()
			indexSearch(t, s)
			if got := search(t, s, store.SearchFilter{Words: words}); !slices.Equal(got, want) {
				t.Errorf("%q finds %v, not %v", words, got, want)
			}
		}
		log := func(kind feedonce.ChangeKind, id, other feedonce.EntryID) {
			logChanges(t, s, feedonce.Change{At: start, Kind: kind, Feed: feed.ID, Entry: id, Other: other})
		}
		expect("apple", ids[0])
		if n := indexSearch(t, s); n != 0 {
			t.Errorf("%d steps where nothing changed", n)
		}

		old := known(t, s, feed.ID, dedup.EntryID(ids[0]))[dedup.EntryID(ids[0])]
		d := newDocument(t, s, feed.ID, start.Add(time.Hour))
		d.change(old, dedup.Item{GUID: "1", Title: "apricot", Published: start.Add(-time.Hour)})
		d.mustApply(s)
		log(feedonce.ChangeUpdated, ids[0], 0)
		expect("apple")
		expect("apricot", ids[0])
		if got := search(t, s, store.SearchFilter{Words: "-nothing"}); !slices.Equal(got, []feedonce.EntryID{ids[2], ids[1], ids[0]}) {
			t.Errorf("in order: %v", got) // it is the oldest now
		}

		update(t, s, func(tx *store.Tx) error { return tx.SetMerged(ids[1:2], ids[2]) })
		if got := search(t, s, store.SearchFilter{Words: "banana"}); got != nil {
			t.Errorf("what is merged is found before the index knows: %v", got)
		}
		log(feedonce.ChangeMerged, ids[1], ids[2])
		expect("banana")
		update(t, s, func(tx *store.Tx) error {
			_, err := tx.Exec(`update entries set merged_into = null where id = $1`, ids[1])
			return err
		})
		log(feedonce.ChangeSplit, ids[1], ids[2])
		expect("banana", ids[1])

		update(t, s, func(tx *store.Tx) error {
			if err := tx.LockOrder(); err != nil {
				return err
			}
			if err := tx.AddChanges([]feedonce.Change{{At: start, Kind: feedonce.ChangeWithdrawn, Feed: feed.ID, Entry: ids[0]},
				{At: start, Kind: feedonce.ChangeWithdrawn, Feed: feed.ID, Entry: ids[1]}, {At: start, Kind: feedonce.ChangeWithdrawn, Feed: feed.ID, Entry: ids[2]}}); err != nil {
				return err
			}
			return tx.RemoveFeed(feed.ID)
		})
		expect("banana")
		if left := searchRows(t, s); left != 0 {
			t.Errorf("%d articles of a feed that was removed are left in the index", left)
		}
		if faults := read(t, s, func(tx *store.Tx) ([]string, error) { return tx.Faults() }); len(faults) > 0 {
			t.Errorf("the database is damaged: %v", faults)
		}
	})
}

// searchRows returns how many articles are in the index.
func searchRows(t testing.TB, s *store.Store) (n int) {
	t.Helper()
	return read(t, s, func(tx *store.Tx) (n int, err error) {
		if err = tx.QueryRow(`select count(*) from search_entries`).Scan(&n); err != nil || s.Dialect() == "postgres" {
			return n, err
		}
		var words int
		err = tx.QueryRow(`select count(*) from search_words where words match '"_"'`).Scan(&words)
		if words != n {
			t.Errorf("%d articles are in the index, and the words of %d", n, words)
		}
		return n, err
	})
}

// TestSearchReadsWhatWasThere begins with articles that were stored before there was an index, in several processes at once, while
// more come.
func TestSearchReadsWhatWasThere(t *testing.T) {
	storetest.EachDSN(t, func(t *testing.T, dsn string) {
		s := storetest.Open(t, dsn)
		feed := addFeed(t, s, "https://a.example/feed")
		const old, more = 730, 40
		items := make([]dedup.Item, old)
		for i := range items {
			items[i] = dedup.Item{GUID: fmt.Sprint(i), Title: fmt.Sprintf("common number%d", i)}
		}
		articles(t, s, feed.ID, start, items...)
		p := read(t, s, func(tx *store.Tx) (store.SearchProgress, error) { return tx.SearchProgress() })
		if want := (store.SearchProgress{All: old}); p != want || !p.Behind() {
			t.Errorf("before: %+v, not %+v", p, want)
		}
		var wg sync.WaitGroup
		for range 3 {
			other := storetest.Open(t, dsn)
			wg.Go(func() { indexSearch(t, other) })
		}
		for i := range more {
			articles(t, s, feed.ID, start.Add(time.Minute), dedup.Item{GUID: fmt.Sprint("more", i), Title: fmt.Sprintf("common more%d", i)})
		}
		wg.Wait()
		indexSearch(t, s)
		if got := search(t, s, store.SearchFilter{Words: "common", Limit: 2000}); len(got) != old+more {
			t.Errorf("%d found of %d", len(got), old+more)
		}
		if n := searchRows(t, s); n != old+more {
			t.Errorf("%d in the index", n)
		}
		p = read(t, s, func(tx *store.Tx) (store.SearchProgress, error) { return tx.SearchProgress() })
		if p.Behind() || p.Waiting != 0 {
			t.Errorf("after: %+v", p)
		}
	})
}

// TestSearchWritesNothingWhereNothingChanged counts what PostgreSQL and SQLite write.
func TestSearchWritesNothingWhereNothingChanged(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed := addFeed(t, s, "https://a.example/feed")
		articles(t, s, feed.ID, start, dedup.Item{GUID: "1", Title: "apple"})
		indexSearch(t, s)
		before := s.DB().Statements()
		for range 3 {
			if did, err := s.IndexSearch(context.Background()); did || err != nil {
				t.Errorf("did %v, %v", did, err)
			}
		}
		if n := s.DB().Statements() - before; n > 6 {
			t.Errorf("%d statements in three steps that do nothing", n)
		}
	})
}

func TestSnippets(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		feed := addFeed(t, s, "https://a.example/feed")
		ids := articles(t, s, feed.ID, start,
			dedup.Item{GUID: "1", Title: "A fox", Content: "<p>" + strings.Repeat("Some words before it. ", 30) + "Then the <b>quick</b> brown fox &lt;jumps&gt;." + strings.Repeat(" And after.", 50) + "</p>"},
			dedup.Item{GUID: "2", Title: "Foxes", Summary: "none"})
		got := read(t, s, func(tx *store.Tx) (map[feedonce.EntryID]store.Snippet, error) {
			return tx.Snippets(`"brown fox" quick -nothing`, append(ids, 987654321), 60)
		})
		want := map[feedonce.EntryID]store.Snippet{
			ids[0]: {Title: []query.Segment{{Text: "A fox"}}, Text: []query.Segment{{Text: "…it. Then the "}, {Text: "quick", Hit: true}, {Text: " "},
				{Text: "brown fox", Hit: true}, {Text: " <jumps>. And after. And after. And after.…"}}},
			ids[1]: {Title: []query.Segment{{Text: "Foxes"}}},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error("(-want +got):\n" + diff)
		}
	})
}
