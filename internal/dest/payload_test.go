package dest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"feedonce"
	"feedonce/internal/dest"
	"feedonce/internal/dest/desttest"
)

type digestPosted struct {
	Type, ID, First string
	Data            dest.DigestPayload
}

// posted sends a message to a webhook and returns what came, which is never more than 256 KiB.
func posted(t *testing.T, m dest.Message) digestPosted {
	t.Helper()
	s := desttest.NewWebhook(t, "", testEnv().Now)
	if res := openAt(t, "webhook", s.Endpoint, dest.Settings{"url": s.URL}).Send(t.Context(), m); res.Outcome != dest.Sent {
		t.Fatalf("%+v, error %v", res, res.Err)
	}
	body := s.Body(m.Key)
	if len(body) > 256<<10 {
		t.Errorf("%d bytes", len(body))
	}
	var p digestPosted
	if err := json.Unmarshal(body, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPayloadOfUpdateNamesFirstMessage(t *testing.T) {
	if p := posted(t, updateMessage()); p.Type != "article.updated" || p.ID != "msg_k3n8_20" || p.First != "msg_k3n8_12" {
		t.Errorf("%+v", p)
	}
}

// Of a digest that is too large the longest articles lose their content, and the others keep theirs.
func TestPayloadOfDigestLosesLongestContent(t *testing.T) {
	m := digestMessage(10)
	for i := range m.Articles {
		m.Articles[i].HTML = "<p>" + strings.Repeat("word ", 20<<uint(i)) + "</p>" // 100 bytes to 50 kB
	}
	m.Articles[4].HTML = "<p>" + strings.Repeat("long ", 40<<10) + "</p>"
	m.Articles[7].HTML = "<p>" + strings.Repeat("long ", 41<<10) + "</p>"
	p := posted(t, m)
	if len(p.Data.Articles) != 10 || p.Data.More != 0 {
		t.Fatalf("%d articles and %d more", len(p.Data.Articles), p.Data.More)
	}
	for i, a := range p.Data.Articles {
		whole := a.HTML == m.Articles[i].HTML
		if a.Truncated == whole || whole != (i != 4 && i != 7) {
			t.Errorf("article %d has %d of %d bytes, truncated %v", i, len(a.HTML), len(m.Articles[i].HTML), a.Truncated)
		}
		if a.Title != m.Articles[i].Title || a.Text != m.Articles[i].Text || len(a.AlsoIn) != 2 {
			t.Errorf("article %d lost more than its content: %+v", i, a)
		}
	}
}

// Whatever strangers make long, a message has a bound; what had no room is counted.
func TestPayloadOfHostileDigest(t *testing.T) {
	m := digestMessage(200)
	for i := range m.Articles {
		a := &m.Articles[i]
		long := strings.Repeat("\"\\\u0001<&>é", 500)
		a.Title, a.Author, a.Text, a.GUID, a.FeedName, a.HTML = fmt.Sprintf("%d ", i)+long, long, long, long, long, long
		a.URL, a.Why = "https://e.example/"+strings.Repeat("&", 480), "https://e.example/"+strings.Repeat("&", 480)
		for range 100 {
			a.Enclosures, a.Categories = append(a.Enclosures, feedonce.Enclosure{URL: long}), append(a.Categories, long)
		}
	}
	p := posted(t, m)
	if n := len(p.Data.Articles); n == 0 || n+p.Data.More != 200 || p.Data.More == 0 {
		t.Errorf("%d articles and %d more", n, p.Data.More)
	}
	for i, a := range p.Data.Articles {
		if !strings.HasPrefix(a.Title, fmt.Sprintf("%d ", i)) || !a.Truncated || a.Entry != m.Articles[i].Entry || a.ID == "" {
			t.Errorf("article %d: %+v", i, a)
		}
	}
	t.Logf("%d articles and %d more", len(p.Data.Articles), p.Data.More)
}
