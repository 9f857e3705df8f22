package api

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"feedonce/internal/shape"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// push sends a document with so many items, the newest first.
func (s *site) push(path string, n int, edit string) Judgement {
	s.t.Helper()
	var items []string
	for i := n; i > 0; i-- {
		items = append(items, fmt.Sprintf(`{"guid":"p%d","url":"https://pushed.example/%d","title":"Article number %d","content":"Text %d%s","published":"2026-05-14T%02d:00:00Z"}`, i, i, i, i, edit, i))
	}
	var out Judgement
	s.call("POST", path, `{"url":"https://pushed.example/feed","title":"Pushed","items":[`+strings.Join(items, ",")+`]}`, 200, &out)
	return out
}

func (s *site) changes(query string) []shape.LogLine {
	s.t.Helper()
	res, b := s.do(request("GET", Prefix+"changes?"+query, ""))
	if res.StatusCode != http.StatusOK {
		s.t.Fatalf("changes?%s: %d %s", query, res.StatusCode, b)
	}
	var all []shape.LogLine
	for _, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		if line == "" {
			continue
		}
		var l shape.LogLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			s.t.Fatalf("%v in %q", err, line)
		}
		all = append(all, l)
	}
	return all
}

// A crawler of somebody else's asks and sends; what it sends twice changes nothing.
func TestPushedDocuments(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, st)
		if j := s.push("check", 3, ""); j.Counts.New != 3 || j.Feed != 0 || j.Results[0].Entry != 0 {
			t.Errorf("check of an unknown feed: %+v", j)
		}
		if rows := storetest.Rows(t, st); rows["feeds"] != 0 || rows["entries"] != 0 {
			t.Errorf("a check stored something: %v", rows)
		}
		first := s.push("ingest", 3, "")
		if first.Counts.New != 3 || first.Feed == 0 || first.Results[0].Entry == 0 || first.Results[0].Tell || first.Results[0].Quiet == "" {
			t.Errorf("the first document: %+v", first)
		}
		if again := s.push("ingest", 3, ""); !again.Same || again.Counts.Unchanged != 3 {
			t.Errorf("the same again: %+v", again)
		}
		s.wait()
		before := storetest.Rows(t, st)
		check := s.push("check", 4, "")
		if check.Counts.New != 1 || check.Counts.Unchanged != 3 || !check.Results[0].Tell || check.Results[1].Entry != first.Results[0].Entry {
			t.Errorf("check: %+v", check)
		}
		for table, n := range storetest.Rows(t, st) {
			if before[table] != n {
				t.Errorf("a check changed %s", table)
			}
		}
		next := s.push("ingest", 4, "")
		if next.Counts.New != 1 || !next.Results[0].Tell || next.Results[0].ID == "" {
			t.Errorf("the next document: %+v", next)
		}
		s.wait()
		if edited := s.push("ingest", 4, " and an edit"); edited.Counts.Updated != 4 {
			t.Errorf("edited: %+v", edited)
		}
		var f Feed
		s.call("GET", fmt.Sprint("feeds/", first.Feed), "", 200, &f)
		if f.State != "paused" || f.Title != "Pushed" {
			t.Errorf("the feed: %+v", f)
		}
	})
}

func TestChangeLog(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, st)
		if got := s.changes("after=0"); len(got) != 0 {
			t.Errorf("changes of nothing: %+v", got)
		}
		s.push("ingest", 3, "")
		s.wait()
		s.push("ingest", 4, "")
		all := s.changes("after=0")
		if len(all) != 4 || all[3].Kind != "article.created" || all[3].Article == nil || all[3].Article.Title != "Article number 4" || all[3].Article.Content != "" {
			t.Fatalf("changes: %+v", all)
		}
		for i := 1; i < len(all); i++ {
			if all[i].Seq <= all[i-1].Seq {
				t.Errorf("seq %d after %d", all[i].Seq, all[i-1].Seq)
			}
		}
		if some := s.changes(fmt.Sprintf("after=%d&limit=1&texts=true", all[1].Seq)); len(some) != 1 || some[0].Seq != all[2].Seq || some[0].Article.Content == "" {
			t.Errorf("a page of them: %+v", some)
		}
		// A consumer that the server remembers.
		s.call("PUT", "changes/cursor", fmt.Sprintf(`{"consumer":"search","seq":%d}`, all[2].Seq), 200, nil)
		if rest := s.changes("consumer=search"); len(rest) != 1 || rest[0].Seq != all[3].Seq {
			t.Errorf("what a consumer has left: %+v", rest)
		}
		s.call("PUT", "changes/cursor", `{"consumer":"search","seq":999999}`, 422, nil)
		// Merged, and taken back.
		s.call("POST", fmt.Sprintf("entries/%d/merge", all[0].Entry), fmt.Sprintf(`{"with":%d}`, all[1].Entry), 200, nil)
		merged := s.changes(fmt.Sprintf("after=%d", all[3].Seq))
		// The one that stays has another version now: what came last.
		if len(merged) != 2 || merged[0].Kind != "article.merged" || merged[0].OtherID != merged[1].ID || merged[1].Kind != "article.updated" {
			t.Errorf("merged: %+v", merged)
		}
		s.call("DELETE", fmt.Sprint("feeds/", all[0].Feed), "", 204, nil)
		gone := s.changes(fmt.Sprintf("after=%d", merged[1].Seq))
		if len(gone) < 3 || gone[0].Kind != "article.withdrawn" || gone[0].Article != nil {
			t.Errorf("withdrawn: %+v", gone)
		}
	})
}

// Whoever waits hears of a change when it happens, and whoever lost the connection goes on where it broke off.
func TestChangesAsTheyHappen(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t, st)
		srv := httptest.NewServer(s.handler)
		defer srv.Close()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		listen := func(last string) (func() (id, data string), func()) {
			req, err := http.NewRequestWithContext(ctx, "GET", srv.URL+Prefix+"changes", nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Accept", "text/event-stream")
			req.Header.Set("Authorization", "Bearer "+s.token)
			if last != "" {
				req.Header.Set("Last-Event-ID", last)
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			if got := res.Header.Get("Content-Type"); got != "text/event-stream" {
				t.Fatalf("media type %q", got)
			}
			lines := bufio.NewScanner(res.Body)
			return func() (id, data string) {
				for lines.Scan() {
					switch line := lines.Text(); {
					case strings.HasPrefix(line, "id: "):
						id = line[4:]
					case strings.HasPrefix(line, "data: "):
						data = line[6:]
					case line == "" && data != "":
						return id, data
					}
				}
				t.Fatalf("the stream ended: %v", lines.Err())
				return "", ""
			}, func() { res.Body.Close() }
		}
		next, hangUp := listen("")
		waited := make(chan []shape.LogLine, 1)
		go func() { waited <- s.changes("after=0&wait=30") }()
		s.push("ingest", 2, "")
		id, data := next()
		if !strings.Contains(data, `"article.created"`) {
			t.Errorf("event %s: %s", id, data)
		}
		hangUp()
		if got := <-waited; len(got) != 2 {
			t.Errorf("who waited got %d lines", len(got))
		}
		again, hangUp := listen(id)
		defer hangUp()
		if other, data := again(); other == id || !strings.Contains(data, `"article.created"`) {
			t.Errorf("after %s came %s: %s", id, other, data)
		}
	})
}
