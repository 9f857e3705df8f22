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
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// BenchmarkReading makes the pages for reading, without the session, with 100,000 articles of 200 feeds in 20 folders, a tenth of
// them in a story of two: with 3,000 unread, and with all of them.
func BenchmarkReading(b *testing.B) {
	for _, unread := range []int{3_000, 100_000} {
		b.Run(fmt.Sprintf("sqlite/%d unread", unread), func(b *testing.B) { benchmarkReading(b, storetest.Open(b, storetest.SQLite(b)), unread) })
		b.Run(fmt.Sprintf("postgres/%d unread", unread), func(b *testing.B) { benchmarkReading(b, storetest.Open(b, storetest.Postgres(b)), unread) })
	}
}

func benchmarkReading(b *testing.B, st *store.Store, unread int) {
	fillFigureBench(b, st, 200)
	no := "0"
	if st.Dialect() == "postgres" {
		no = "false"
	}
	err := st.Update(context.Background(), func(tx *store.Tx) error {
		u, err := tx.AddUser(feedonce.User{Name: "bench", Role: feedonce.RoleAdmin, Created: now})
		if err != nil {
			return err
		}
		for _, q := range []string{
			fmt.Sprintf(`insert into subscriptions (user_id, feed_id, title, folder, added_at) select %d, id, '', folder, 0 from feeds`, u.ID),
			`insert into entry_bodies (entry_id, permalink, orig_url, invalid, summary, content) select id, ` + no + `, '', '', '', '<p>Text.</p>' from entries`,
			fmt.Sprintf(`insert into unread (user_id, entry_id, feed_id, sort_at, group_id) select %d, e.id, e.feed_id, e.sort_at,
				coalesce((select min(o.entry_id) from story_members m join story_members o on o.story_id = m.story_id where m.entry_id = e.id), e.id)
				from entries e where e.id > %d`, u.ID, 100_000-unread),
			fmt.Sprintf(`insert into entry_states (user_id, entry_id, read_at, revision) select %d, id, sort_at, revision from entries where id <= %d and id %% 3 = 0`, u.ID, 100_000-unread),
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
	if st.Dialect() == "postgres" { // which autovacuum does elsewhere
		if _, err := st.DB().Writer().Exec("vacuum analyze"); err != nil {
			b.Fatal(err)
		}
	}
	s := &server{Options: Options{Store: st, Log: slog.New(slog.DiscardHandler), Version: "bench", Now: func() time.Time { return now }, Location: time.UTC}, pages: pages()}
	s.live = newHub(s.latest, time.NewTicker)
	mux := http.NewServeMux()
	for _, route := range s.routes() {
		mux.HandleFunc(route.pattern, func(w http.ResponseWriter, r *http.Request) {
			r = r.WithContext(context.WithValue(r.Context(), userKey{}, feedonce.User{ID: 1, Role: feedonce.RoleAdmin}))
			if err := route.handler(w, r); err != nil {
				b.Error(err)
			}
		})
	}
	deep := formatCursor(store.Cursor{Time: now.AddDate(0, 0, -80), ID: 1})
	for _, path := range []string{
		"/", "/all", "/all?before=" + deep, "/folder?name=Folder+7", "/folder?name=Folder+7&view=all", "/feeds/7", "/feeds/7?view=unread", "/history", "/starred",
		"/entries/99980?in=unread", "/entries/99980?in=all&folder=Folder+0", "/counts.json?seen=0",
	} {
		b.Run(path, func(b *testing.B) {
			for b.Loop() {
				w := httptest.NewRecorder()
				mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
				if w.Code != http.StatusOK {
					b.Fatal(w.Code)
				}
			}
		})
	}
}
