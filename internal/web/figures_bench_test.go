package web

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// BenchmarkFigures makes the dashboard and the list of feeds, without the session, of 100,000 articles: 90 days of counts
// of each feed, every hour of today, a tenth of the articles with a copy that was folded, and a tenth in a story of two.
func BenchmarkFigures(b *testing.B) {
	for _, feeds := range []int{500, 5000} {
		b.Run(fmt.Sprintf("sqlite/%d feeds", feeds), func(b *testing.B) { benchmarkFigures(b, storetest.Open(b, storetest.SQLite(b)), feeds) })
		b.Run(fmt.Sprintf("postgres/%d feeds", feeds), func(b *testing.B) { benchmarkFigures(b, storetest.Open(b, storetest.Postgres(b)), feeds) })
	}
}

func benchmarkFigures(b *testing.B, st *store.Store, feeds int) {
	fillFigureBench(b, st, feeds)
	s := &server{Options: Options{Store: st, Log: slog.New(slog.DiscardHandler), Version: "bench", Now: func() time.Time { return now }, Location: time.UTC}, pages: pages()}
	for _, c := range []struct {
		path    string
		handler handler
	}{
		{"/dashboard?range=today", s.dashboard}, {"/dashboard?range=7", s.dashboard}, {"/dashboard?range=30", s.dashboard}, {"/dashboard?range=90", s.dashboard},
		{"/feeds", s.feeds}, {"/feeds?sort=copies", s.feeds}, {"/feeds?show=silent", s.feeds},
	} {
		b.Run(c.path[1:], func(b *testing.B) {
			for b.Loop() {
				r := httptest.NewRequest(http.MethodGet, c.path, nil)
				r = r.WithContext(context.WithValue(r.Context(), userKey{}, feedonce.User{ID: 1, Role: feedonce.RoleAdmin}))
				w := httptest.NewRecorder()
				if err := c.handler(w, r); err != nil || w.Code != http.StatusOK {
					b.Fatal(w.Code, err)
				}
			}
		})
	}
}

func fillFigureBench(b *testing.B, st *store.Store, feeds int) {
	b.Helper()
	const articles = 100_000
	state := dedup.State{Links: dedup.Grade{Distinct: 40}}
	for i := range 30 {
		state.Manifest = append(state.Manifest, dedup.ManifestRow{Key: hash(fmt.Sprint(i)), GUID: uint64(i + 1), Entry: dedup.EntryID(i + 1)})
	}
	learned, err := state.MarshalBinary()
	if err != nil {
		b.Fatal(err)
	}
	postgres := st.Dialect() == "postgres"
	sixteen, none, yes := "x'00000000000000000000000000000000'", "x''", "1"
	if postgres {
		sixteen, none, yes = `'\x00000000000000000000000000000000'::bytea`, `''::bytea`, "true"
	}
	series := func(n int) string {
		return fmt.Sprintf(`(with recursive n(i) as (select cast(0 as bigint) union all select i + 1 from n where i < %d) select i from n) n`, n-1)
	}
	at := now.AddDate(0, 0, -89).UnixMicro()
	step := now.Sub(now.AddDate(0, 0, -89)).Microseconds() / articles
	day, hour := now.Truncate(24*time.Hour).UnixMicro(), now.Truncate(time.Hour).UnixMicro()
	err = st.Update(context.Background(), func(tx *store.Tx) error {
		for i := range feeds {
			if _, err := tx.AddFeed(store.NewFeed{URL: fmt.Sprintf("https://%d.example/feed", i), Title: fmt.Sprint("Feed ", i), Folder: fmt.Sprint("Folder ", i%20), Added: now}); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(`insert into feed_states (feed_id, state) select id, $1 from feeds`, learned); err != nil {
			return err
		}
		for _, q := range []string{
			fmt.Sprintf(`insert into feed_days (feed_id, day, new, unchanged, duplicate) select f.id, %d - n.i * 86400000000, 1, 500, f.id %% 3 from feeds f cross join %s`, day, series(90)),
			fmt.Sprintf(`insert into feed_hours (feed_id, hour, new, unchanged, duplicate) select f.id, %d - n.i * 3600000000, 1, 20, f.id %% 3 from feeds f cross join %s`, hour, series(16)),
			fmt.Sprintf(`insert into entries (id, feed_id, guid, url, title, author, lang, first_seen_at, changed_at, sort_at, strict, ring, marks)
				select i + 1, i %% %d + 1, 'guid-' || i, 'https://a.example/' || i, 'Article ' || i, '', '', %d + i * %d, 0, %d + i * %d, %s, %s, %s from %s`,
				feeds, at, step, at, step, sixteen, none, none, series(articles)),
			fmt.Sprintf(`insert into decisions (id, at, feed_id, entry_id, outcome, rule, guid, url, title, evidence, item_hash, told, quiet)
				select i + 1, %d + i * %d, i %% %d + 1, i + 1, case when i %% 10 = 0 then 'duplicate' else 'new' end, 'R' || i %% 7, 'guid', 'url', 'title', '{}', %s, %s, '' from %s`,
				at, step, feeds, sixteen, yes, series(articles)),
			fmt.Sprintf(`insert into stories (id, at, changed_at) select i + 1, %d + i * %d, %d + i * %d from %s where i %% 20 = 0`, at, step, at, step, series(articles)),
			fmt.Sprintf(`insert into story_members (entry_id, story_id, feed_id, kind, at, told, rule, joined, evidence)
				select i + 1, i - i %% 20 + 1, i %% %d + 1, 'member', %d + (i - i %% 20) * %d, %s, case when i %% 20 = 0 then '' else 'C1' end, 0, '' from %s where i %% 20 < 2`,
				feeds, at, step, yes, series(articles)),
			fmt.Sprintf(`insert into poll_hours (hour, what, n) select %d - n.i * 3600000000, m.what, 10 + n.i from %s
				cross join (select 'poll: new' as what union select 'poll: not modified' union select 'poll: unchanged' union select 'poll: error' union select 'late: 10 s' union select 'lag: 1 h') m`,
				hour, series(90*24)),
		} {
			if _, err := tx.Exec(q); err != nil {
				return fmt.Errorf("%w: %.120s", err, q)
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	if postgres { // which autovacuum does elsewhere
		if _, err := st.DB().Writer().Exec("vacuum analyze"); err != nil {
			b.Fatal(err)
		}
	}
}
