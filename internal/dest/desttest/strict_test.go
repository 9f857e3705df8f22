package desttest_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"feedonce/internal/dest/desttest"
)

// The endpoints are worth something only where they refuse what the real ones refuse.
func TestEndpointsAreStrict(t *testing.T) {
	slack, discord, teams := desttest.NewSlack(t), desttest.NewDiscord(t), desttest.NewTeams(t)
	ntfy, push, hook := desttest.NewNtfy(t, ""), desttest.NewPush(t), desttest.NewWebhook(t, "whsec_Z2VoZWltLXRva2VuLWdlaGVpbS10b2tlbi0wMTIzNDU2", nil)
	x := func(n int) string { return strings.Repeat("x", n) }
	section := func(n int) string { return `{"type":"section","text":{"type":"mrkdwn","text":"` + x(n) + `"}}` }
	blocks := func(list ...string) string { return `{"text":"t","blocks":[` + strings.Join(list, ",") + `]}` }
	many := func(n int, s string) []string {
		list := make([]string, n)
		for i := range list {
			list[i] = s
		}
		return list
	}
	embed := func(fields string) string { return `{"embeds":[{` + fields + `}]}` }
	card := func(body string) string {
		return `{"type":"message","attachments":[{"contentType":"application/vnd.microsoft.card.adaptive","content":{"type":"AdaptiveCard","version":"1.4","body":[` + body + `]}}]}`
	}
	block := `{"type":"TextBlock","text":"x"}`
	for _, c := range []struct {
		name   string
		e      *desttest.Endpoint
		body   string
		status int
		says   string
	}{
		{"a text", slack.Endpoint, `{"text":"hello"}`, 200, "ok"},
		{"50 full sections", slack.Endpoint, blocks(many(50, section(3000))...), 200, "ok"},
		{"51 blocks", slack.Endpoint, blocks(many(51, section(1))...), 400, "51 blocks"},
		{"a long section", slack.Endpoint, blocks(section(3001)), 400, "3001 characters"},
		{"an empty section", slack.Endpoint, blocks(section(0)), 400, "no text"},
		{"a long header", slack.Endpoint, blocks(`{"type":"header","text":{"type":"plain_text","text":"` + x(151) + `"}}`), 400, "151"},
		{"a header with markup", slack.Endpoint, blocks(`{"type":"header","text":{"type":"mrkdwn","text":"x"}}`), 400, "mrkdwn"},
		{"emoji count twice", slack.Endpoint, blocks(strings.Replace(section(1), `"x"`, `"`+strings.Repeat("👩", 1501)+`"`, 1)), 400, "3002"},
		{"an empty context", slack.Endpoint, blocks(`{"type":"context","elements":[]}`), 400, "0 elements"},
		{"nothing", slack.Endpoint, `{}`, 400, "no_text"},
		{"no JSON", slack.Endpoint, `{`, 400, "invalid_payload"},

		{"a text", discord.Endpoint, `{"content":"` + x(2000) + `"}`, 204, ""},
		{"a full embed", discord.Endpoint, embed(`"title":"` + x(256) + `","description":"` + x(4096) + `"`), 204, ""},
		{"a long text", discord.Endpoint, `{"content":"` + x(2001) + `"}`, 400, "2001"},
		{"a long title", discord.Endpoint, embed(`"title":"` + x(257) + `"`), 400, "257"},
		{"a long description", discord.Endpoint, embed(`"description":"` + x(4097) + `"`), 400, "4097"},
		{"6001 altogether", discord.Endpoint, `{"embeds":[{"description":"` + x(4000) + `"},{"description":"` + x(2001) + `"}]}`, 400, "6001"},
		{"11 embeds", discord.Endpoint, `{"embeds":[` + strings.Join(many(11, `{"title":"x"}`), ",") + `]}`, 400, "11 embeds"},
		{"a bad address", discord.Endpoint, embed(`"title":"x","url":"javascript:x"`), 400, "well formed"},
		{"a bad time", discord.Endpoint, embed(`"title":"x","timestamp":"today"`), 400, "timestamp"},
		{"nothing", discord.Endpoint, `{}`, 400, "50006"},

		{"a card", teams.Endpoint, card(block), 202, ""},
		{"a large card", teams.Endpoint, card(strings.Join(many(1000, block), ",")), 413, "RequestEntityTooLarge"},
		{"no body", teams.Endpoint, card(""), 400, "no body"},
		{"an unknown element", teams.Endpoint, card(`{"type":"Blink"}`), 400, "Blink"},
		{"an unknown action", teams.Endpoint, card(`{"type":"ActionSet","actions":[{"type":"Action.OpenUrl","url":"javascript:x"}]}`), 400, "javascript"},
		{"a text", teams.Endpoint, `{"text":"hello"}`, 400, "TriggerInputSchemaMismatch"},

		{"a message", ntfy.Endpoint, `{"topic":"t","message":"` + x(4096) + `"}`, 200, `"event":"message"`},
		{"a long message", ntfy.Endpoint, `{"topic":"t","message":"` + x(4097) + `"}`, 400, "40014"},
		{"a long body", ntfy.Endpoint, `{"topic":"t","title":"` + x(8200) + `"}`, 413, "41303"},
		{"a bad topic", ntfy.Endpoint, `{"topic":"a/b"}`, 400, "40009"},
		{"a topic of the server's own", ntfy.Endpoint, `{"topic":"docs"}`, 400, "40010"},
		{"a priority of 6", ntfy.Endpoint, `{"topic":"t","priority":6}`, 400, "40007"},
		{"a bad action", ntfy.Endpoint, `{"topic":"t","actions":[{"action":"http","label":"x","url":"http://x"}]}`, 400, "40018"},

		{"not encrypted", push.Endpoint, `{"title":"x"}`, 415, "aes128gcm"},
		{"too long", push.Endpoint, x(4097), 413, "too large"},
		{"no headers", hook.Endpoint, `{}`, 400, "webhook-id"},
	} {
		resp, err := c.e.Client.Post(c.e.URL, "application/json", strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != c.status || !strings.Contains(string(answer), c.says) {
			t.Errorf("%s, %s: %s %s (%v); want %d that says %q", c.e.URL, c.name, resp.Status, answer, err, c.status, c.says)
		}
	}
}

func TestPushChecksTheSender(t *testing.T) {
	p := desttest.NewPush(t)
	for name, authorization := range map[string]string{
		"none":          "",
		"a password":    "Basic eDp5",
		"another key":   "vapid t=a.b.c, k=" + desttest.NewPush(t).Public,
		"no token":      "vapid t=x, k=" + p.Public,
		"no signature":  "vapid t=eyJhbGciOiJub25lIn0.e30., k=" + p.Public,
		"a made-up one": fmt.Sprintf("vapid t=eyJhbGciOiJFUzI1NiJ9.e30.%s, k=%s", strings.Repeat("A", 86), p.Public),
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.URL, strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Content-Encoding": {"aes128gcm"}, "Ttl": {"60"}, "Authorization": {authorization}}
		resp, err := p.Client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %s", name, resp.Status)
		}
	}
}

// Half fails in all of its ways: some messages are not taken, and some are though the sender cannot know it.
func TestHalf(t *testing.T) {
	hook := desttest.NewWebhook(t, "", func() time.Time { return time.Unix(1_000_000, 0) })
	hook.Half(7)
	const sent = 120
	answers := map[int]int{} // by status; 0 is none
	for i := range sent {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, hook.URL, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Content-Type": {"application/json"}, "Webhook-Id": {fmt.Sprint(i)}, "Webhook-Timestamp": {"1000060"}}
		req.Close = true
		status := 0
		if resp, err := hook.Client.Do(req); err == nil {
			status = resp.StatusCode
			resp.Body.Close()
		}
		answers[status]++
	}
	if taken := len(hook.IDs()); answers[204] < sent/4 || answers[204] >= taken || taken >= sent || answers[500] == 0 || answers[0] == 0 {
		t.Errorf("of %d messages %d were taken, with the answers %v", sent, taken, answers)
	}
}
