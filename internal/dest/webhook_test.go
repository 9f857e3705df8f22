package dest_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"feedonce"
	"feedonce/internal/dest"
	"feedonce/internal/dest/desttest"
)

func TestWebhookArrives(t *testing.T) {
	s := desttest.NewWebhook(t, webhookSecret, testEnv().Now)
	sender := openAt(t, "webhook", s.Endpoint, dest.Settings{"url": s.URL, "secret": webhookSecret})
	m := newMessage()
	if res := sender.Send(t.Context(), m); res.Outcome != dest.Sent || res.Status != 204 {
		t.Fatalf("%+v, error %v", res, res.Err)
	}
	var got struct {
		Type, ID, From string
		Timestamp      time.Time
		Data           dest.ArticlePayload
	}
	if err := json.Unmarshal(s.Body(m.Key), &got); err != nil {
		t.Fatal(err)
	}
	a := m.Articles[0]
	want := dest.ArticlePayload{
		ID: a.ID, Entry: 7, Title: a.Title, URL: a.URL, GUID: a.GUID, Author: a.Author, Text: a.Text, HTML: a.HTML, Lang: "en", PublishedAt: &a.Published, FirstSeenAt: now,
		Enclosures: a.Enclosures, AlsoIn: a.Also, Why: a.Why, Feed: dest.FeedPayload{ID: 3, Title: a.FeedName, URL: a.FeedURL},
	}
	if d := cmp.Diff(want, got.Data); d != "" || got.Type != "article.new" || got.ID != m.Key || got.From != "feedonce" || !got.Timestamp.Equal(now) {
		t.Errorf("%+v\ndata (-want +got):\n%s", got, d)
	}
	p, err := sender.Preview(m)
	if err != nil {
		t.Fatal(err)
	}
	var shown, sent any
	if json.Unmarshal([]byte(p.Body), &shown) != nil || json.Unmarshal(s.Body(m.Key), &sent) != nil || !cmp.Equal(shown, sent) {
		t.Errorf("the preview is not what is sent:\n%s\n%s", p.Body, s.Body(m.Key))
	}
}

// A secret is replaced without a message lost: for a while messages have two signatures, and a receiver with either secret
// takes them. The specification's own library says so.
func TestWebhookSecretIsReplaced(t *testing.T) {
	other := "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("n", 32)))
	for name, c := range map[string]struct {
		sends, takes string
		outcome      dest.Outcome
	}{
		"before":               {webhookSecret, webhookSecret, dest.Sent},
		"both, old receiver":   {other + " " + webhookSecret, webhookSecret, dest.Sent},
		"both, new receiver":   {other + " " + webhookSecret, other, dest.Sent},
		"after":                {other, other, dest.Sent},
		"receiver is too late": {other, webhookSecret, dest.Retry},
		"receiver wants one":   {"", other, dest.Retry},
		"receiver wants none":  {other, "", dest.Sent},
		"without the prefix":   {strings.TrimPrefix(other, "whsec_"), other, dest.Sent},
	} {
		s := desttest.NewWebhook(t, c.takes, testEnv().Now)
		res := openAt(t, "webhook", s.Endpoint, dest.Settings{"url": s.URL, "secret": c.sends}).Send(t.Context(), newMessage())
		if res.Outcome != c.outcome {
			t.Errorf("%s: %+v, error %v", name, res, res.Err)
		}
	}
	s := desttest.NewWebhook(t, other, testEnv().Now)
	openAt(t, "webhook", s.Endpoint, dest.Settings{"url": s.URL, "secret": other + " " + webhookSecret}).Send(t.Context(), newMessage())
	r := lastOf(t, s.Accepted())
	for _, secret := range []string{other, webhookSecret} {
		key, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		if err := key.VerifyIgnoringTimestamp(r.Body, r.Header); err != nil {
			t.Errorf("with %s: %v; signatures are %q", secret, err, r.Header.Get("webhook-signature"))
		}
		if err := key.VerifyIgnoringTimestamp(append(r.Body, ' '), r.Header); err == nil {
			t.Error("the library takes a body that was changed")
		}
	}
}

// The library's own check has the clock in it: what is sent now is accepted now.
func TestWebhookIsVerifiedWithItsTime(t *testing.T) {
	s := desttest.NewWebhook(t, webhookSecret, nil)
	env := testEnv()
	env.Client, env.Now = s.Client, time.Now
	sender, err := dest.Webhook.Open(dest.Settings{"url": s.URL, "secret": webhookSecret}, env)
	if err != nil {
		t.Fatal(err)
	}
	if res := sender.Send(t.Context(), newMessage()); res.Outcome != dest.Sent {
		t.Fatalf("%+v, error %v", res, res.Err)
	}
	key, err := standardwebhooks.NewWebhook(webhookSecret)
	if err != nil {
		t.Fatal(err)
	}
	r := lastOf(t, s.Accepted())
	if err := key.Verify(r.Body, r.Header); err != nil {
		t.Error(err)
	}
	env.Now = func() time.Time { return time.Now().Add(-time.Hour) }
	late, err := dest.Webhook.Open(dest.Settings{"url": s.URL, "secret": webhookSecret}, env)
	if err != nil {
		t.Fatal(err)
	}
	if res := late.Send(t.Context(), newMessage()); res.Outcome == dest.Sent {
		t.Error("a message of an hour ago was accepted")
	}
}

// With half of the requests failing, whoever tries again until a message is sent gets each through once to a receiver that
// drops copies by the webhook-id.
func TestWebhookThroughFailures(t *testing.T) {
	for seed := range uint64(3) {
		s := desttest.NewWebhook(t, webhookSecret, testEnv().Now)
		s.Half(seed)
		sender := openAt(t, "webhook", s.Endpoint, dest.Settings{"url": s.URL, "secret": webhookSecret})
		const messages = 100
		attempts, outcomes := 0, map[dest.Outcome]int{}
		var want []string
		for i := range messages {
			m := newMessage()
			m.Key = fmt.Sprintf("msg_k3n8_%d", i)
			want = append(want, m.Key)
			for range 60 {
				attempts++
				res := sender.Send(t.Context(), m)
				outcomes[res.Outcome]++
				if res.Outcome == dest.Sent {
					break
				}
			}
		}
		copies := 0
		for _, id := range s.IDs() {
			copies += s.Copies(id)
		}
		if d := cmp.Diff(want, s.IDs()); d != "" || outcomes[dest.Sent] != messages {
			t.Errorf("seed %d: %v; messages (-want +got):\n%s", seed, outcomes, d)
		}
		if copies <= messages || outcomes[dest.Retry] == 0 || outcomes[dest.Unknown] == 0 {
			t.Errorf("seed %d: %d copies of %d messages in %d attempts, %v: the failures were none", seed, copies, messages, attempts, outcomes)
		}
	}
}

func TestWebhookSettings(t *testing.T) {
	for name, c := range map[string]struct {
		set   dest.Settings
		field string
	}{
		"no address":        {dest.Settings{}, "url"},
		"no scheme":         {dest.Settings{"url": "example.org/hook"}, "url"},
		"ftp":               {dest.Settings{"url": "ftp://example.org/hook"}, "url"},
		"no host":           {dest.Settings{"url": "https:///hook"}, "url"},
		"only a port":       {dest.Settings{"url": "https://:80/"}, "url"},
		"a bad escape":      {dest.Settings{"url": "https://example.org/%zz"}, "url"},
		"a line break":      {dest.Settings{"url": "https://example.org/\r\nX: y"}, "url"},
		"a password":        {dest.Settings{"url": "https://jo:pw@example.org/"}, "url"},
		"a short secret":    {dest.Settings{"url": "https://example.org/", "secret": "whsec_c2hvcnQ="}, "secret"},
		"a long secret":     {dest.Settings{"url": "https://example.org/", "secret": "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 65))}, "secret"},
		"a secret in words": {dest.Settings{"url": "https://example.org/", "secret": "correct horse battery staple"}, "secret"},
	} {
		_, err := dest.Webhook.Open(c.set, testEnv())
		if invalid, ok := err.(*feedonce.InvalidError); !ok || invalid.Field != c.field || invalid.Reason == "" {
			t.Errorf("%s: error %v, want one about %s", name, err, c.field)
		}
	}
}

// A message for programs is never larger than it may be, and says what it leaves out.
func TestPayloadIsBounded(t *testing.T) {
	s := desttest.NewWebhook(t, "", testEnv().Now)
	sender := openAt(t, "webhook", s.Endpoint, dest.Settings{"url": s.URL})
	m := newMessage()
	m.Articles[0].HTML = "<p>" + strings.Repeat("one <b>word</b> and \"another\" ", 40<<10) + "</p>"
	if res := sender.Send(t.Context(), m); res.Outcome != dest.Sent {
		t.Fatalf("%+v, error %v", res, res.Err)
	}
	var got struct{ Data dest.ArticlePayload }
	body := s.Body(m.Key)
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	html := got.Data.HTML
	if len(body) > 256<<10 || len(body) < 100<<10 || !got.Data.Truncated || !strings.HasPrefix(m.Articles[0].HTML, strings.TrimSuffix(strings.TrimSuffix(html, "</p>"), "</b>")) ||
		!strings.HasSuffix(html, "</p>") || strings.Count(html, "<b>") != strings.Count(html, "</b>") {
		t.Errorf("%d bytes, truncated %v, content ends with %q", len(body), got.Data.Truncated, html[max(0, len(html)-60):])
	}
}
