package outfeed_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"feedonce"
	"feedonce/internal/outfeed"
	"feedonce/internal/secret"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// BenchmarkServe serves the first page, of 50 articles of 3 kB, from 100,000 articles of 1,000 feeds, of which every fifth is
// in a story of two feeds. The selections are those that are hard to find articles for: one feed of a thousand, a folder with
// two of them, a word that one article in a thousand has, one that none has.
func BenchmarkServe(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { benchmarkServe(b, storetest.Open(b, storetest.SQLite(b))) })
	b.Run("postgres", func(b *testing.B) { benchmarkServe(b, storetest.Open(b, storetest.Postgres(b))) })
}

const (
	benchEntries = 100_000
	benchFeeds   = 1000
)

func benchmarkServe(b *testing.B, s *store.Store) {
	fillStore(b, s)
	box := secret.New([secret.KeySize]byte{1}, "the benchmark")
	h := outfeed.Handler(outfeed.Options{Store: s, URL: "https://once.example"})
	cleaned, err := outfeed.Cleaned(context.Background(), s, box, noon)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		sel  feedonce.Selection
		want int
	}{
		{"all", feedonce.Selection{}, 50},
		{"all/also", feedonce.Selection{Also: true}, 50},
		{"all/by feed", feedonce.Selection{Scope: feedonce.ScopeFeed}, 50},
		{"feed", feedonce.Selection{Feed: 7}, 50},
		{"folder", feedonce.Selection{Folder: "Rare"}, 50},
		{"search/rare", feedonce.Selection{Search: "quokka"}, 50},
		{"search/none", feedonce.Selection{Search: "wombat"}, 0},
		{"cleaned", feedonce.Selection{Feed: 7, Once: true}, 50},
	} {
		o := cleaned[6].Output
		if !c.sel.Once {
			if o, err = outfeed.Add(context.Background(), s, box, feedonce.Output{Name: "bench " + c.name, Selection: c.sel, Created: noon}); err != nil {
				b.Fatal(err)
			}
		}
		address, err := outfeed.Address("", o, outfeed.Atom, box)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				w := httptest.NewRecorder()
				h.ServeHTTP(w, httptest.NewRequest("GET", address, nil))
				if n := strings.Count(w.Body.String(), "<entry"); w.Code != 200 || n != c.want {
					b.Fatalf("%d with %d entries, want %d: %.300s", w.Code, n, c.want, w.Body.String())
				}
			}
		})
	}
}

// fillStore writes straight to the tables: all is two days old.
func fillStore(b *testing.B, s *store.Store) {
	b.Helper()
	err := s.Update(context.Background(), func(tx *store.Tx) error {
		for i := range benchFeeds {
			folder := "News"
			if i == 8 || i == 508 {
				folder = "Rare"
			}
			if _, err := tx.AddFeed(store.NewFeed{URL: fmt.Sprintf("https://%d.example/feed", i), Title: fmt.Sprint("Feed ", i), Folder: folder, Added: noon}); err != nil {
				return err
			}
		}
		series := fmt.Sprintf(`(with recursive n(i) as (select 1 union all select i + 1 from n where i < %d) select i from n) n`, benchEntries)
		text := strings.Repeat("<p>A <b>usual</b> sentence of a <a href=\"https://a.example/x\">usual</a> article.</p>", 36)
		at := noon.Add(-48 * time.Hour).UnixMicro()
		hash, none := "x'00000000000000000000000000000000'", "x''"
		if s.Name() != "" && !strings.HasSuffix(s.Name(), ".db") {
			hash, none = `'\x00000000000000000000000000000000'::bytea`, `''::bytea`
		}
		for _, q := range []string{
			fmt.Sprintf(`insert into entries (id, feed_id, guid, url, title, author, lang, first_seen_at, changed_at, sort_at, strict, ring, marks)
				select i, i %% %d + 1, 'guid-' || i, 'https://a.example/' || i, 'Article number ' || i, 'Ada', 'en', %d + i, %d + i, %d + i, %s, %s, %s from %s`,
				benchFeeds, at, at, at, hash, none, none, series),
			fmt.Sprintf(`insert into entry_bodies (entry_id, permalink, orig_url, invalid, summary, content)
				select i, %s, '', '', '', '%s' || case when i %% 1000 = 3 then '<p>quokka</p>' else '' end || i from %s`, map[bool]string{true: "0", false: "false"}[none == "x''"], text, series),
			fmt.Sprintf(`insert into stories (id, at, changed_at) select i, %d, %d from %s where i %% 10 = 0`, at, at, series),
			fmt.Sprintf(`insert into story_members (entry_id, story_id, feed_id, kind, at, told, rule, joined, evidence)
				select i, i - i %% 10, i %% %d + 1, 'member', %d, %s, case when i %% 10 = 0 then '' else 'S1' end, 0, '' from %s where i >= 10 and i %% 10 < 2`,
				benchFeeds, at, map[bool]string{true: "1", false: "true"}[none == "x''"], series),
		} {
			if _, err := tx.Exec(q); err != nil {
				return fmt.Errorf("%w: %.200s", err, q)
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}
