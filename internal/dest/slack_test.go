package dest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/dest"
	"feedonce/internal/dest/desttest"
)

func TestSlackArticle(t *testing.T) {
	s := desttest.NewSlack(t)
	sender := openAt(t, "slack", s.Endpoint, dest.Settings{"url": s.URL})
	if res := sender.Send(t.Context(), newMessage()); res.Outcome != dest.Sent || res.Excerpt != "ok" {
		t.Fatalf("%+v, error %v", res, res.Err)
	}
	m := s.Messages()[0]
	if d := cmp.Diff([]string{"*The ferry sails again*", "After three weeks in the dock the ferry is back.", "Harbour News · Jo Müller · Also in Coast Daily, Island Post · Why you got this"}, m.Shown); d != "" {
		t.Errorf("blocks (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"https://harbour.example/ferry?id=42&lang=en", "https://feeds.example.org/entries/7"}, m.Links); d != "" || m.Text != "The ferry sails again" {
		t.Errorf("notifications say %q; links (-want +got):\n%s", m.Text, d)
	}
}

// Slack says what is wrong in words, and sometimes with status 200.
func TestSlackSaysNo(t *testing.T) {
	s := desttest.NewSlack(t)
	sender := openAt(t, "slack", s.Endpoint, dest.Settings{"url": s.URL})
	for _, c := range []struct {
		status  int
		body    string
		outcome dest.Outcome
		says    string
	}{
		{200, "ok", dest.Sent, ""},
		{200, "", dest.Sent, ""},
		{200, `{"ok":true}`, dest.Sent, ""},
		{200, `{"success":true}`, dest.Sent, ""}, // Rocket.Chat
		{200, "invalid_payload", dest.Refused, "invalid_payload"},
		{200, "no_text", dest.Refused, "no_text"},
		{200, "channel_is_archived", dest.Gone, "archived"},
		{200, "rate_limited", dest.Retry, "fewer"},
		{200, `{"ok":false,"error":"no_service"}`, dest.Gone, "make a new one"},
		{200, `{"ok":false,"error":"internal_error"}`, dest.Retry, "failed"},
		{200, `{"ok":false}`, dest.Refused, "without a name"},
		{200, "<!DOCTYPE html><title>Sign in</title>", dest.Gone, "web page"},
		{400, "invalid_payload", dest.Refused, "invalid_payload"},
		{400, "invalid_blocks", dest.Refused, "invalid_blocks"},
		{400, "user_not_found", dest.Gone, "user"},
		{403, "action_prohibited", dest.Gone, "admin"},
		{403, "invalid_token", dest.Gone, "copy it"},
		{404, "no_service", dest.Gone, "make a new one"},
		{404, "channel_not_found", dest.Gone, "channel"},
		{410, "channel_is_archived", dest.Gone, "open it again"},
		{429, "rate_limited", dest.Retry, "fewer"},
		{500, "rollup_error", dest.Retry, "failed"},
		{503, "service_unavailable", dest.Retry, "not available"},
	} {
		s.Always(desttest.Saying(c.status, c.body))
		res := sender.Send(t.Context(), newMessage())
		if res.Outcome != c.outcome || (res.Err == nil) != (c.outcome == dest.Sent) || res.Err != nil && !strings.Contains(res.Err.Error(), c.says) {
			t.Errorf("%d %q: %+v, error %v; want %s that says %q", c.status, c.body, res, res.Err, c.outcome, c.says)
		}
	}
	s.Always(desttest.Fault{Answer: desttest.Answer{Status: 429, Body: "rate_limited", Header: map[string]string{"Retry-After": "30"}}})
	if res := sender.Send(t.Context(), newMessage()); res.Outcome != dest.Retry || res.After.Seconds() != 30 {
		t.Errorf("429 with Retry-After: %+v", res)
	}
}

// What Slack finds too long is sent once more, and shorter: nothing of the first was shown.
func TestSlackTooLong(t *testing.T) {
	s := desttest.NewSlack(t)
	sender := openAt(t, "slack", s.Endpoint, dest.Settings{"url": s.URL})
	s.SetFault(func(n int) *desttest.Fault {
		if n == 1 {
			f := desttest.Saying(400, "msg_blocks_too_long")
			return &f
		}
		return nil
	})
	if res := sender.Send(t.Context(), digestMessage(500)); res.Outcome != dest.Sent || s.Requests() != 2 {
		t.Fatalf("%+v, error %v, after %d requests", res, res.Err, s.Requests())
	}
	m := s.Messages()[0]
	if n := desttest.Units(strings.Join(m.Shown, "")); n > 9500 || !leavesOut.MatchString(m.Shown[len(m.Shown)-1]) {
		t.Errorf("%d characters, the last block is %q", n, m.Shown[len(m.Shown)-1])
	}
	s.Always(desttest.Saying(400, "msg_blocks_too_long"))
	if res := sender.Send(t.Context(), newMessage()); res.Outcome != dest.Refused || s.Requests() != 1 {
		t.Errorf("an article: %+v after %d requests", res, s.Requests())
	}
}

func TestSettingsOfChats(t *testing.T) {
	for _, kind := range []string{"slack", "discord", "teams"} {
		for _, bad := range []string{"", "hooks.example.org/x", "ftp://hooks.example.org/x", "https://user:pw@hooks.example.org/x", "https://"} {
			_, err := dest.ByName(kind).Open(dest.Settings{"url": bad}, testEnv())
			if invalid, ok := err.(*feedonce.InvalidError); !ok || invalid.Field != "url" {
				t.Errorf("%s with %q: %v", kind, bad, err)
			}
		}
		k := dest.ByName(kind)
		if k.Idempotent || k.Rate.PerMinute <= 0 || k.Rate.Burst <= 0 {
			t.Errorf("%s drops copies: %v, rate %+v", kind, k.Idempotent, k.Rate)
		}
	}
}
