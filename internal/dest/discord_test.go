package dest_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"feedonce"
	"feedonce/internal/dest"
	"feedonce/internal/dest/desttest"
)

func TestDiscordArticle(t *testing.T) {
	d := desttest.NewDiscord(t)
	sender := openAt(t, "discord", d.Endpoint, dest.Settings{"url": d.URL + "?x=1", "thread": "1234"})
	m := newMessage()
	m.Articles[0].Image = "https://cdn.example/ferry.jpg"
	if res := sender.Send(t.Context(), m); res.Outcome != dest.Sent || res.Status != 200 {
		t.Fatalf("%+v, error %v", res, res.Err)
	}
	got := d.Messages()[0]
	if len(got.Embeds) != 1 || got.AllowedMentions == nil || len(got.AllowedMentions.Parse) != 0 || got.Content != "" {
		t.Fatalf("%+v", got)
	}
	e := got.Embeds[0]
	if e.Title != "The ferry sails again" || e.URL != "https://harbour.example/ferry?id=42&lang=en" || e.Author.Name != "Harbour News · Jo Müller" || e.Timestamp != "2026-03-04T08:00:00Z" ||
		e.Thumbnail.URL != "https://cdn.example/ferry.jpg" || e.Footer.Text != "Also in Coast Daily, Island Post" || !strings.HasPrefix(e.Description, "After three weeks") {
		t.Errorf("%+v", e)
	}
	q, err := url.ParseQuery(d.Accepted()[0].Query)
	if err != nil || q.Get("wait") != "true" || q.Get("thread_id") != "1234" || q.Get("x") != "1" {
		t.Errorf("asked with %v", q)
	}
}

func TestDiscordSaysNo(t *testing.T) {
	d := desttest.NewDiscord(t)
	sender := openAt(t, "discord", d.Endpoint, dest.Settings{"url": d.URL})
	for _, c := range []struct {
		fault   desttest.Fault
		outcome dest.Outcome
		after   time.Duration
		says    string
	}{
		{desttest.Saying(429, `{"message":"You are being rate limited.","retry_after":0.75,"global":false}`), dest.Retry, 750 * time.Millisecond, "later"},
		{desttest.Fault{Answer: desttest.Answer{Status: 429, Header: map[string]string{"Retry-After": "1"}, Body: `{"retry_after":64.5}`}}, dest.Retry, 64500 * time.Millisecond, "later"},
		{desttest.Saying(429, `{"retry_after":-1}`), dest.Retry, 0, "later"},
		{desttest.Saying(429, `{"retry_after":1e300}`), dest.Retry, 24 * time.Hour, "later"},
		{desttest.Busy(429, "3"), dest.Retry, 3 * time.Second, "later"}, // by the firewall, without JSON
		{desttest.Saying(404, `{"message":"Unknown Webhook","code":10015}`), dest.Gone, 0, "deleted"},
		{desttest.Saying(401, `{"message":"Invalid Webhook Token","code":50027}`), dest.Gone, 0, "copy it"},
		{desttest.Saying(400, `{"message":"Unknown Channel","code":10003}`), dest.Gone, 0, "thread"},
		{desttest.Saying(400, `{"message":"Invalid Form Body","code":50035,"errors":{}}`), dest.Refused, 0, "Invalid Form Body"},
		{desttest.Saying(500, `{"message":"500: Internal Server Error","code":0}`), dest.Retry, 0, "failed"},
	} {
		d.Always(c.fault)
		res := sender.Send(t.Context(), newMessage())
		if res.Outcome != c.outcome || res.After != c.after || res.Err == nil || !strings.Contains(res.Err.Error(), c.says) {
			t.Errorf("%d %s: %+v, error %v; want %s after %v that says %q", c.fault.Status, c.fault.Body, res, res.Err, c.outcome, c.after, c.says)
		}
	}
	wrong := openAt(t, "discord", d.Endpoint, dest.Settings{"url": d.Base + "/api/webhooks/1/removed"})
	d.SetFault(nil)
	if res := wrong.Send(t.Context(), newMessage()); res.Outcome != dest.Gone || res.Status != 404 {
		t.Errorf("a webhook that was removed: %+v", res)
	}
	_, err := dest.Discord.Open(dest.Settings{"url": d.URL, "thread": "general"}, testEnv())
	if invalid, ok := err.(*feedonce.InvalidError); !ok || invalid.Field != "thread" {
		t.Errorf("a thread's name: %v", err)
	}
}
