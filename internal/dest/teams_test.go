package dest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"feedonce/internal/dest"
	"feedonce/internal/dest/desttest"
)

func TestTeamsArticle(t *testing.T) {
	s := desttest.NewTeams(t)
	sender := openAt(t, "teams", s.Endpoint, dest.Settings{"url": s.URL})
	if res := sender.Send(t.Context(), newMessage()); res.Outcome != dest.Sent || res.Status != 202 {
		t.Fatalf("%+v, error %v", res, res.Err)
	}
	m := s.Messages()[0]
	if d := cmp.Diff([]string{"The ferry sails again", "Harbour News · Jo Müller · Also in Coast Daily, Island Post", "After three weeks in the dock the ferry is back."}, m.Shown); d != "" {
		t.Errorf("text (-want +got):\n%s", d)
	}
	page := "https://harbour.example/ferry?id=42&lang=en"
	if d := cmp.Diff([]string{page, page, "https://feeds.example.org/entries/7"}, m.Links); d != "" || len(m.Markup) != 0 {
		t.Errorf("Markdown %q; links (-want +got):\n%s", m.Markup, d)
	}
}

func TestTeamsSaysNo(t *testing.T) {
	s := desttest.NewTeams(t)
	sender := openAt(t, "teams", s.Endpoint, dest.Settings{"url": s.URL})
	for _, c := range []struct {
		status  int
		body    string
		outcome dest.Outcome
		says    string
	}{
		{202, "", dest.Sent, ""},
		{200, "1", dest.Sent, ""}, // a connector of Microsoft 365
		{200, "Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with ContextId x", dest.Retry, "fewer"},
		{200, "Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 413 with ContextId x", dest.Refused, "too large"},
		{200, "Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 502 with ContextId x", dest.Retry, "did not deliver"},
		{400, `{"error":{"code":"WorkflowTriggerIsNotEnabled","message":"x"}}`, dest.Gone, "switched off"},
		{404, `{"error":{"code":"WorkflowNotFound","message":"x"}}`, dest.Gone, "deleted"},
		{401, `{"error":{"code":"DirectApiAuthorizationRequired","message":"x"}}`, dest.Gone, "anyone"},
		{400, `{"error":{"code":"TriggerInputSchemaMismatch","message":"The input body is not an object."}}`, dest.Refused, "TriggerInputSchemaMismatch"},
		{413, `{"error":{"code":"RequestEntityTooLarge","message":"x"}}`, dest.Refused, "too large"},
		{429, `{"error":{"code":"WorkflowRunActionsThrottled","message":"x"}}`, dest.Retry, "later"},
		{502, `{"error":{"code":"NoResponse","message":"x"}}`, dest.Retry, "failed"},
	} {
		s.Always(desttest.Saying(c.status, c.body))
		res := sender.Send(t.Context(), newMessage())
		if res.Outcome != c.outcome || (res.Err == nil) != (c.outcome == dest.Sent) || res.Err != nil && !strings.Contains(res.Err.Error(), c.says) {
			t.Errorf("%d %s: %+v, error %v; want %s that says %q", c.status, c.body, res, res.Err, c.outcome, c.says)
		}
	}
	s.SetFault(nil)
	wrong := openAt(t, "teams", s.Endpoint, dest.Settings{"url": strings.Replace(s.URL, "sig=", "sig=x", 1)})
	if res := wrong.Send(t.Context(), newMessage()); res.Outcome != dest.Gone || res.Status != 401 {
		t.Errorf("with a wrong signature: %+v", res)
	}
}
