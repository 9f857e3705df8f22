package store_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
)

// searchFeeds times searchPerFeed is how many entries the benchmarks have.
const searchFeeds, searchPerFeed = 500, 200

// BenchmarkSearch finds the newest 50 of 100,000 entries of about 300 words, whose words are as frequent as those of a language
// (Zipf's law) and which have a few of known frequency: common in every entry, tenth in every tenth, and so on.
func BenchmarkSearch(b *testing.B) {
	benchmarks(b, func(b *testing.B, s *store.Store) {
		began := time.Now()
		rnd := rand.New(rand.NewPCG(3, 4))
		zipf := rand.NewZipf(rnd, 1.1, 10, 200_000)
		var feeds []feedonce.FeedID
		n := 0
		for f := range searchFeeds {
			feed := addFeed(b, s, fmt.Sprintf("https://%d.example/feed", f))
			feeds = append(feeds, feed.ID)
			d := newDocument(b, s, feed.ID, start.Add(time.Hour))
			for range searchPerFeed {
				d.create(searchItem(n, rnd, zipf))
				n++
			}
			d.mustApply(s)
		}
		b.Logf("%d entries stored in %s", n, time.Since(began).Round(time.Second))

		began = time.Now()
		var longest time.Duration
		steps := 0
		for more := true; more; steps++ {
			step := time.Now()
			var err error
			if more, err = s.IndexSearch(context.Background()); err != nil {
				b.Fatal(err)
			}
			longest = max(longest, time.Since(step))
		}
		b.Logf("in the index in %s, %d steps, the longest %s", time.Since(began).Round(time.Second), steps, longest.Round(time.Millisecond))
		if s.Dialect() == "postgres" {
			for _, query := range []string{"vacuum analyze"} {
				if _, err := s.DB().Writer().Exec(query); err != nil {
					b.Fatal(err)
				}
			}
		}
		for _, test := range []struct {
			name, words string
			feeds       []feedonce.FeedID
			want        int
		}{
			{"every", "common", nil, 50},
			{"tenth", "tenth", nil, 50},
			{"hundredth", "hundredth", nil, 50},
			{"thousandth", "thousandth", nil, 50},
			{"one", "only77777", nil, 1},
			{"none", "nowhere", nil, 0},
			{"two common", "common tenth", nil, 50},
			{"common and one", "common only77777", nil, 1},
			{"never together", "even odd", nil, 0},
			{"all but common", "-common", nil, 0},
			{"phrase", `"common phrase"`, nil, 50},
			{"phrase of one", `"phrase only77777"`, nil, 1},
			{"phrase nowhere", `"phrase common"`, nil, 0},
			{"prefix", "hundr*", nil, 50},
			{"prefix of many", "on*", nil, 50},
			{"one feed", "common", feeds[17:18], 50},
			{"few feeds", "hundredth", feeds[100:130], 50},
			{"half of feeds", "common", feeds[:250], 50},
		} {
			b.Run(test.name, func(b *testing.B) {
				for b.Loop() {
					found := read(b, s, func(tx *store.Tx) ([]feedonce.Entry, error) {
						return tx.Search(store.SearchFilter{Words: test.words, Feeds: test.feeds})
					})
					if len(found) != test.want {
						b.Fatalf("%d found", len(found))
					}
				}
			})
		}
		b.Run("last page", func(b *testing.B) {
			for b.Loop() {
				read(b, s, func(tx *store.Tx) ([]feedonce.Entry, error) {
					return tx.Search(store.SearchFilter{Words: "common", Before: store.Cursor{Time: start.Add(-90_000 * time.Minute), ID: math.MaxInt32}})
				})
			}
		})
		b.Run("snippets", func(b *testing.B) {
			found := search(b, s, store.SearchFilter{Words: "tenth"})
			for b.Loop() {
				read(b, s, func(tx *store.Tx) (map[feedonce.EntryID]store.Snippet, error) {
					return tx.Snippets("tenth", found, 200)
				})
			}
		})
	})
}

func searchItem(n int, rnd *rand.Rand, zipf *rand.Zipf) dedup.Item {
	var b strings.Builder
	fmt.Fprintf(&b, "<p>This has a common phrase only%d. %s.", n, []string{"even", "odd"}[n%2])
	for i := range 300 {
		fmt.Fprintf(&b, " w%d", zipf.Uint64())
		if i%30 == 29 {
			b.WriteString(".</p>\n<p class=\"text\">")
		}
	}
	for every, word := range map[int]string{10: "tenth", 100: "hundredth", 1000: "thousandth"} {
		if n%every == 0 {
			b.WriteString(" " + word)
		}
	}
	return dedup.Item{GUID: fmt.Sprint(n), URL: fmt.Sprintf("https://a.example/%d", n), Title: fmt.Sprintf("Title %d of w%d", n, zipf.Uint64()),
		Author: "A. Uthor", Content: b.String() + "</p>", Published: start.Add(-time.Duration(n*7919%100_000) * time.Minute)}
}
