package demo

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

var start = time.Date(2026, 3, 2, 6, 0, 0, 0, time.UTC)

// Titles are the ground truth of the end-to-end test, so they must tell articles apart.
func TestArticlesDiffer(t *testing.T) {
	nr := newsroom{name: "test", host: "test.example", start: start, step: time.Hour}
	titles, bodies := map[string]int{}, map[string]int{}
	for k := range 5000 {
		a := nr.article(k)
		if other, ok := titles[a.title]; ok {
			t.Fatalf("articles %d and %d have the same title %q", other, k, a.title)
		}
		if other, ok := bodies[a.body]; ok {
			t.Fatalf("articles %d and %d have the same body", other, k)
		}
		titles[a.title], bodies[a.body] = k, k
		if again := nr.article(k); again != a {
			t.Fatalf("article %d is not the same when written again:\n%+v\n%+v", k, a, again)
		}
	}
}

// What a publisher expects must add up with what it serves.
func TestWantsAddUp(t *testing.T) {
	for _, p := range Publishers(start, time.Hour) {
		known := map[int]bool{}
		for poll := range 40 {
			e, w := p.Edition(poll), p.Want(poll)
			var fresh int64
			for k := range e.Articles {
				if !known[k] && w.Status != "not modified" {
					known[k] = true
					fresh++
				}
			}
			if w.Counts.New != fresh {
				t.Errorf("%s, poll %d: serves %d articles for the first time, and expects %d new", p.Name, poll, fresh, w.Counts.New)
			}
			if listed := int64(strings.Count(e.Body, "<item>") + strings.Count(e.Body, "<entry>") + strings.Count(e.Body, `"id": `)); w.Status != "error" &&
				w.Status != "not modified" && p.Name != "ill-formed" && w.Counts.Total()+w.Folded != listed {
				t.Errorf("%s, poll %d: lists %d items, and expects outcomes for %d", p.Name, poll, listed, w.Counts.Total()+w.Folded)
			}
		}
	}
}

func TestSite(t *testing.T) {
	site := NewSite(Publishers(start, time.Hour))
	srv := httptest.NewServer(site)
	defer srv.Close()
	get := func(path, etag string) (int, string, string) {
		t.Helper()
		req, err := http.NewRequest("GET", srv.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("If-None-Match", etag)
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, res.Header.Get("ETag") + res.Header.Get("Location"), string(body)
	}

	code, etag, _ := get("/calm/feed", "")
	if code != 200 || etag == "" {
		t.Errorf("first poll of calm: status %d, ETag %q", code, etag)
	}
	if code, _, _ := get("/calm/feed", etag); code != 304 {
		t.Errorf("second poll of calm: status %d, want 304", code)
	}
	if code, _, _ := get("/calm/feed", etag); code != 200 {
		t.Errorf("third poll of calm, with the ETag of the first: status %d, want 200", code)
	}
	for poll := range movesAt {
		if code, _, _ := get("/moved/feed", ""); code != 200 {
			t.Errorf("poll %d of moved: status %d, want 200", poll, code)
		}
	}
	if code, to, _ := get("/moved/feed", ""); code != 301 || to != NewPath("moved") {
		t.Errorf("poll of moved after it moved: status %d to %q, want 301 to %q", code, to, NewPath("moved"))
	}
	if got := site.Polls("moved"); got != movesAt {
		t.Errorf("a redirect counted as a poll: %d polls, want %d", got, movesAt)
	}
	if _, _, body := get("/", ""); strings.Count(body, "rel=\"alternate\"") != len(site.Publishers) {
		t.Errorf("the index does not name all %d feeds:\n%s", len(site.Publishers), body)
	}
}
