package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// benchmarks runs f on both databases.
func benchmarks(b *testing.B, f func(b *testing.B, s *store.Store)) {
	b.Run("sqlite", func(b *testing.B) { f(b, storetest.Open(b, storetest.SQLite(b))) })
	b.Run("postgres", func(b *testing.B) { f(b, storetest.Open(b, storetest.Postgres(b))) })
}

// filled returns feeds with entries of a usual size: 30 each, 5 marks each, one of them shared by all.
func filled(b *testing.B, s *store.Store, feeds int) []feedonce.Feed {
	b.Helper()
	all := make([]feedonce.Feed, feeds)
	for f := range all {
		all[f] = addFeed(b, s, fmt.Sprintf("https://%d.example/feed", f))
		thirty(b, s, all[f].ID, "").mustApply(s)
	}
	return all
}

func thirty(b *testing.B, s *store.Store, feed feedonce.FeedID, round string) *document {
	d := newDocument(b, s, feed, start)
	for i := range 30 {
		item := full(fmt.Sprint(round, i))
		item.Content = fmt.Sprint(round, i, strings.Repeat(" <p>A usual sentence of a usual article.</p>", 50))
		d.create(item, marksOf(i, round)...)
	}
	return d
}

func marksOf(i int, round string) []dedup.Mark {
	m := dedup.Mark(10 * i)
	for _, c := range round {
		m = 31*m + dedup.Mark(c)<<20
	}
	return []dedup.Mark{m, m + 1, m + 2, m + 3, 5}
}

// BenchmarkKnown looks up a document of 30 items, of which all are known.
func BenchmarkKnown(b *testing.B) {
	benchmarks(b, func(b *testing.B, s *store.Store) {
		feeds := filled(b, s, 100)
		var q dedup.Query
		for i := range 30 {
			q.Keys = append(q.Keys, guidKey(full(fmt.Sprint(i)).GUID))
			q.Marks = append(q.Marks, marksOf(i, "")...)
		}
		b.ReportAllocs()
		b.ResetTimer()
		for i := range b.N {
			k := read(b, s, func(tx *store.Tx) (*dedup.Known, error) { return tx.Known(feeds[i%len(feeds)].ID, q) })
			if len(k.Entries) != 30 || len(k.Keys) != 30 {
				b.Fatalf("%d entries, %d keys", len(k.Entries), len(k.Keys))
			}
		}
	})
}

// BenchmarkFirstDocument stores 30 new entries.
func BenchmarkFirstDocument(b *testing.B) {
	benchmarks(b, func(b *testing.B, s *store.Store) {
		feeds := filled(b, s, 20)
		b.ReportAllocs()
		b.ResetTimer()
		for i := range b.N {
			b.StopTimer()
			d := thirty(b, s, feeds[i%len(feeds)].ID, fmt.Sprint("round ", i))
			b.StartTimer()
			d.mustApply(s)
		}
	})
}

// BenchmarkOneNew stores one new entry.
func BenchmarkOneNew(b *testing.B) {
	benchmarks(b, func(b *testing.B, s *store.Store) {
		feeds := filled(b, s, 100)
		b.ReportAllocs()
		b.ResetTimer()
		for i := range b.N {
			b.StopTimer()
			d := newDocument(b, s, feeds[i%len(feeds)].ID, start)
			d.create(full(fmt.Sprint("new ", i)), dedup.Mark(i))
			b.StartTimer()
			d.mustApply(s)
		}
	})
}

// BenchmarkClaim claims 200 of 20,000 feeds.
func BenchmarkClaim(b *testing.B) {
	benchmarks(b, func(b *testing.B, s *store.Store) {
		update(b, s, func(tx *store.Tx) error {
			for i := range 20_000 {
				if _, err := tx.AddFeed(store.NewFeed{URL: fmt.Sprintf("https://%d.example/feed", i), Added: start.Add(time.Duration(i) * time.Second)}); err != nil {
					return err
				}
			}
			return nil
		})
		now := start.Add(20_000 * time.Second)
		b.ResetTimer()
		for range b.N {
			if err := s.Update(context.Background(), func(tx *store.Tx) error {
				claims, err := tx.Claim(now, 200, time.Minute)
				if len(claims) != 200 {
					now = now.Add(time.Hour)
				}
				return err
			}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
