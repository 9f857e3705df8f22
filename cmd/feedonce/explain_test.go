package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"feedonce"
	"feedonce/internal/ingest"
	"feedonce/internal/store"
	"feedonce/internal/store/storetest"
)

// An arrival that is held is no article, and is explained all the same: by its URL, and by words of its title.
func TestExplainHeldArrival(t *testing.T) {
	dsn := storetest.SQLite(t)
	s := storetest.Open(t, dsn)
	var f feedonce.Feed
	err := s.Update(t.Context(), func(tx *store.Tx) (err error) {
		if f, err = tx.AddFeed(store.NewFeed{URL: "https://example.org/feed", Added: time.Now()}); err != nil {
			return err
		}
		_, err = tx.Exec("update feeds set policy = $1 where id = $2", `{"missingGuid":"quarantine"}`, f.ID)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	in := ingest.Ingester{Store: s}
	rep, err := in.Document(t.Context(), ingest.Fetched{Feed: f.ID, Received: time.Now(), URL: f.URL, Body: []byte(`<rss version="2.0"><channel>
		<title>Holding</title><link>https://example.org/</link>
		<item><title>An item without a guid</title><link>https://example.org/held</link></item></channel></rss>`)})
	if err != nil {
		t.Fatal(err)
	}
	if rep.Counts.Quarantined != 1 {
		t.Fatalf("the item is not held: %+v", rep.Counts)
	}

	explain := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		a := &app{in: strings.NewReader(""), out: &out, err: &errs, environ: []string{"HOME=/nowhere"},
			args: append([]string{"explain", "--db", dsn}, args...)}
		if code := a.run(t.Context()); code != exitOK {
			t.Fatalf("feedonce %s: exit code %d\n%s", strings.Join(a.args, " "), code, errs.String())
		}
		return out.String()
	}
	for _, what := range []string{"https://example.org/held", "without a guid"} {
		got := explain(what)
		for _, want := range []string{"An item without a guid\n", "is not shown: the feed's policy holds such items until a person accepts them.", "Held: not shown until a person accepts it.", "rule Q2", "feedonce quarantine accept 1"} {
			if !strings.Contains(strings.Join(strings.Fields(got), " "), strings.TrimSpace(want)) {
				t.Errorf("explain %q does not say %q:\n%s", what, want, got)
			}
		}
	}
	var line struct {
		Decision struct{ Outcome, Rule, URL string }
	}
	if err := json.Unmarshal([]byte(explain("--json", "https://example.org/held")), &line); err != nil {
		t.Fatal(err)
	}
	if line.Decision.Outcome != "quarantined" || line.Decision.URL != "https://example.org/held" {
		t.Errorf("explain --json: %+v", line)
	}
}
