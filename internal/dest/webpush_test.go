package dest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/dest"
	"feedonce/internal/dest/desttest"
)

func pushSettings(p *desttest.Push) dest.Settings {
	return dest.Settings{"subscription": p.Subscription, "vapid_private": p.Private, "contact": "mailto:jo@example.org"}
}

// The push service checks who sends, and the browser decrypts, both without the library that the sender uses.
func TestWebPushArticle(t *testing.T) {
	p := desttest.NewPush(t)
	sender := openAt(t, "webpush", p.Endpoint, pushSettings(p))
	for range 2 {
		if res := sender.Send(t.Context(), newMessage()); res.Outcome != dest.Sent || res.Status != 201 {
			t.Fatalf("%+v, error %v", res, res.Err)
		}
	}
	digest := digestMessage(2)
	if res := sender.Send(t.Context(), digest); res.Outcome != dest.Sent {
		t.Fatalf("%+v, error %v", res, res.Err)
	}
	all := p.Messages()
	first, second := all[0], all[1]
	if first.Topic == "" || first.Topic != second.Topic || first.Topic == all[2].Topic {
		t.Errorf("two attempts of one message have the topics %q and %q, another one has %q", first.Topic, second.Topic, all[2].Topic)
	}
	if first.Contact != "mailto:jo@example.org" || first.TTL != 3*24*60*60 || first.Urgency != "normal" || all[2].Urgency != "low" {
		t.Errorf("%+v", first)
	}
	if first.Padded != 4096 || all[2].Padded != 4096 {
		t.Errorf("%d and %d bytes tell how long the messages are", first.Padded, all[2].Padded)
	}
	var got map[string]any
	if err := json.Unmarshal(first.Payload, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"id": "msg_k3n8_12", "tag": "msg_k3n8_12", "type": "article.new", "title": "The ferry sails again", "lang": "en",
		"body": "Harbour News · Jo Müller\nAfter three weeks in the dock the ferry is back.", "url": "https://harbour.example/ferry?id=42&lang=en", "timestamp": float64(now.UnixMilli())}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestWebPushSaysNo(t *testing.T) {
	p := desttest.NewPush(t)
	for status, want := range map[int]dest.Outcome{404: dest.Gone, 410: dest.Gone, 401: dest.Gone, 403: dest.Gone, 400: dest.Refused, 413: dest.Refused, 429: dest.Retry, 502: dest.Retry} {
		p.Always(desttest.Saying(status, "x"))
		if res := openAt(t, "webpush", p.Endpoint, pushSettings(p)).Send(t.Context(), newMessage()); res.Outcome != want || res.Err == nil {
			t.Errorf("%d: %+v, error %v", status, res, res.Err)
		}
	}
	p.SetFault(nil)
	// A key that the browser did not subscribe with, and a browser that has other keys.
	other := desttest.NewPush(t)
	set := pushSettings(p)
	set["vapid_private"] = other.Private
	if res := openAt(t, "webpush", p.Endpoint, set).Send(t.Context(), newMessage()); res.Outcome != dest.Gone || res.Status != 403 {
		t.Errorf("with another VAPID key: %+v, error %v", res, res.Err)
	}
	set = pushSettings(p)
	set["subscription"] = strings.Replace(other.Subscription, other.URL, p.URL, 1)
	if res := openAt(t, "webpush", p.Endpoint, set).Send(t.Context(), newMessage()); res.Outcome != dest.Refused || !strings.Contains(res.Excerpt, "cannot read it") {
		t.Errorf("with another browser's keys: %+v", res)
	}
}

func TestWebPushSettings(t *testing.T) {
	p, other := desttest.NewPush(t), desttest.NewPush(t)
	for name, c := range map[string]struct{ field, value string }{
		"no subscription":            {"subscription", ""},
		"a subscription in words":    {"subscription", "https://push.example/x"},
		"without encryption":         {"subscription", strings.Replace(p.Subscription, "https:", "http:", 1)},
		"no keys":                    {"subscription", `{"endpoint":"https://push.example/x"}`},
		"a key off the curve":        {"subscription", `{"endpoint":"https://push.example/x","keys":{"p256dh":"BAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","auth":"AAAAAAAAAAAAAAAAAAAAAA"}}`},
		"no VAPID key":               {"vapid_private", ""},
		"a VAPID key of 3 bytes":     {"vapid_private", "AAAA"},
		"the public key as private":  {"vapid_private", p.Public},
		"another public key":         {"vapid_public", other.Public},
		"no contact":                 {"contact", ""},
		"a contact without a scheme": {"contact", "jo@example.org"},
		"a contact by http":          {"contact", "http://example.org/"},
		"two mailtos":                {"contact", "mailto:mailto:jo@example.org"},
	} {
		set := pushSettings(p)
		set[c.field] = c.value
		_, err := dest.WebPush.Open(set, testEnv())
		if invalid, ok := err.(*feedonce.InvalidError); !ok || invalid.Field != c.field {
			t.Errorf("%s: error %v, want one about %s", name, err, c.field)
		}
	}
	for _, contact := range []string{"mailto:jo@example.org", "https://example.org/contact"} {
		set := pushSettings(p)
		set["contact"], set["vapid_public"] = contact, p.Public
		if res := openAt(t, "webpush", p.Endpoint, set).Send(t.Context(), newMessage()); res.Outcome != dest.Sent || lastOf(t, p.Messages()).Contact != contact {
			t.Errorf("%s: %+v, error %v", contact, res, res.Err)
		}
	}
}
