package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/account"
	"feedonce/internal/amend"
	"feedonce/internal/api"
	"feedonce/internal/ingest"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// What the API answers and what a command prints with --json are the same, on both databases: an explanation with a copy, an
// update and a story, an arrival that is refused, the article, the story, and what people did.
func TestAPIAndCommandSayTheSame(t *testing.T) {
	for _, dsn := range []string{storetest.SQLite(t), storetest.Postgres(t)} {
		s := storetest.Open(t, dsn)
		t.Run(s.Dialect(), func(t *testing.T) {
			fillForExplaining(t, s)
			handler := api.Handler(api.Options{Store: s, Accounts: account.New(account.Options{Store: s}), Version: "test"})
			var token string
			if err := s.Update(t.Context(), func(tx *store.Tx) error {
				u, err := account.First(tx, "Ada", "")
				if err == nil {
					_, token, err = account.NewToken(tx, feedonce.Token{User: u.ID, Kind: feedonce.TokenAPI, Name: "test", Created: time.Now()})
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
			get := func(path string, part ...string) any {
				t.Helper()
				r := httptest.NewRequest(http.MethodGet, api.Prefix+path, nil)
				r.Host = "localhost"
				r.Header.Set("Authorization", "Bearer "+token)
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, r)
				var v any
				if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil || w.Code != http.StatusOK {
					t.Fatalf("GET %s: %d %s, %v", path, w.Code, w.Body, err)
				}
				for _, name := range part {
					v = v.(map[string]any)[name]
				}
				return v
			}
			printed := func(args ...string) (lines []any) {
				t.Helper()
				var out, errs bytes.Buffer
				a := &app{in: strings.NewReader(""), out: &out, err: &errs, environ: []string{"HOME=/nowhere"}, args: append(args, "--json", "--db", dsn)}
				if code := a.run(t.Context()); code != exitOK {
					t.Fatalf("feedonce %s: exit code %d\n%s", strings.Join(args, " "), code, errs.String())
				}
				for dec := json.NewDecoder(&out); dec.More(); {
					var v any
					if err := dec.Decode(&v); err != nil {
						t.Fatal(err)
					}
					lines = append(lines, v)
				}
				return lines
			}
			refused := get("decisions?outcome=invalid", "decisions").([]any)[0].(map[string]any)
			for _, c := range []struct {
				command []string
				want    []any
			}{
				{[]string{"explain", "--check", "1"}, []any{get("entries/1/explain?check=true")}},
				{[]string{"explain", "2"}, []any{get("entries/2/explain")}},
				{[]string{"explain", "https://town.example/2026/without-a-guid-at-all"}, []any{map[string]any{"decision": get(fmt.Sprintf("decisions/%v/explain", refused["id"]))}}},
				{[]string{"list"}, get("entries", "entries").([]any)},
				{[]string{"stories", "list"}, get("stories", "stories").([]any)},
				{[]string{"stories", "lead", "1"}, []any{get("stories/1")}},
				{[]string{"undo", "--list"}, get("amendments", "amendments").([]any)},
			} {
				got := printed(c.command...)
				if len(c.want) == 0 || len(got) == 0 {
					t.Errorf("feedonce %s: nothing to compare: %v, and the API says %v", strings.Join(c.command, " "), got, c.want)
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("feedonce %s --json (-API +command):\n%s", strings.Join(c.command, " "), diff)
				}
			}
			if refused["rule"] != "Q2" || refused["sentence"] != "The feed's policy refuses items without a guid." || refused["name"] != "refused for want of a guid" {
				t.Errorf("what is refused is said to be %v", refused)
			}
			changed := get("entries/2/explain", "changes").([]any)[0].(map[string]any)["before"].(map[string]any)
			if changed["revision"] != 1.0 || changed["title"] != "Bakery is a hundred" {
				t.Errorf("the version before: %v", changed)
			}
		})
	}
}

// fillForExplaining stores two feeds: article 1 has a copy, and is in a story whose lead a person chose; article 2 was
// updated; an item without a guid was refused.
func fillForExplaining(t *testing.T, s *store.Store) {
	t.Helper()
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	const harbour = "The harbour of the town was closed on Monday morning, after a ship had lost its cargo in the narrow channel that leads to it. " +
		"Divers looked for the barrels all day, and found most of them before the evening came and the tide with it."
	item := func(guid, slug, title, text string) string {
		if guid != "" {
			guid = `<guid isPermaLink="false">` + guid + `</guid>`
		}
		return "<item>" + guid + "<link>https://town.example/2026/" + slug + "</link><title>" + title + "</title><description>" + text + "</description></item>"
	}
	in := ingest.Ingester{Store: s}
	read := func(f feedonce.Feed, hour int, items ...string) {
		t.Helper()
		_, err := in.Document(t.Context(), ingest.Fetched{Feed: f.ID, Received: now.Add(time.Duration(hour) * time.Hour), URL: f.URL,
			Body: []byte(`<rss version="2.0"><channel><title>Feed</title>` + strings.Join(items, "") + `</channel></rss>`)})
		if err != nil {
			t.Fatal(err)
		}
	}
	add := func(url string) (f feedonce.Feed) {
		t.Helper()
		err := s.Update(t.Context(), func(tx *store.Tx) (err error) {
			f, err = tx.AddFeed(store.NewFeed{URL: url, Added: now})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	by := func(hour int) amend.By { return amend.By{Who: "Ada", At: now.Add(time.Duration(hour) * time.Hour)} }

	town, planet := add("https://town.example/feed"), add("https://planet.example/feed")
	read(town, 1, item("h-1", "harbour-closed-after-accident", "Harbour closed after accident", harbour),
		item("b-1", "bakery-is-a-hundred", "Bakery is a hundred", "The bakery celebrates its hundredth year with a bread of a hundred pounds."))
	if _, err := amend.SetPolicy(t.Context(), s, town.ID, dedup.Policy{MissingGUID: dedup.MissingReject}, by(2)); err != nil {
		t.Fatal(err)
	}
	read(town, 3, item("h-2", "harbour-closed-after-accident", "Harbour closed after accident", harbour),
		item("b-1", "bakery-is-a-hundred", "Bakery is a hundred and one", "The bakery celebrates its hundredth year with a bread of two hundred pounds."),
		item("", "without-a-guid-at-all", "Without a guid", "This stands here without a guid, and so it is refused."))
	read(planet, 4, item("p-1", "harbour-closed-after-accident", "Harbour closed after accident", harbour))
	if err := amend.Lead(t.Context(), s, 1, 3, by(5)); err != nil {
		t.Fatal(err)
	}
}
