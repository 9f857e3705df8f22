package dest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"feedonce"
)

// Webhook posts JSON as the Standard Webhooks specification says: with an ID, a time, and a signature that the receiver can
// check. The ID is the message's key, by which the receiver drops a second copy.
var Webhook = &Kind{
	Name:  "webhook",
	About: "JSON to your own endpoint, signed (Standard Webhooks)",
	Fields: []Field{
		{Name: "url", About: "address that messages are posted to, such as https://example.org/hooks/feeds", Required: true, Secret: true},
		{Name: "secret", About: "key that messages are signed with: whsec_ and 24 to 64 bytes in base64; several with spaces between them while one is being replaced", Secret: true},
	},
	Idempotent: true,
	Rate:       feedonce.Rate{PerMinute: 600, Burst: 60},
	Open:       openWebhook,
}

type webhook struct {
	env  Env
	url  string
	keys []*standardwebhooks.Webhook
	hide []string
}

func openWebhook(set Settings, env Env) (Sender, error) {
	w := &webhook{env: env, url: set["url"], hide: []string{set["url"]}}
	if err := address("url", w.url); err != nil {
		return nil, err
	}
	for _, s := range strings.Fields(set["secret"]) {
		raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(s, "whsec_"))
		if err != nil || len(raw) < 24 || len(raw) > 64 {
			return nil, &feedonce.InvalidError{Field: "secret", Reason: "must be whsec_ and 24 to 64 bytes in base64 (`echo whsec_$(openssl rand -base64 32)` makes one)"}
		}
		key, err := standardwebhooks.NewWebhookRaw(raw)
		if err != nil {
			return nil, &feedonce.InvalidError{Field: "secret", Reason: "cannot be used: " + err.Error()}
		}
		w.keys, w.hide = append(w.keys, key), append(w.hide, s)
	}
	return w, nil
}

func (w *webhook) Preview(m Message) (Preview, error) {
	p, err := JSON(payload(m))
	p.Headers = [][2]string{{"Content-Type", "application/json"}, {"webhook-id", m.Key}, {"webhook-timestamp", fmt.Sprint(w.env.Now().Unix())}}
	if len(w.keys) > 0 {
		p.Headers = append(p.Headers, [2]string{"webhook-signature", "v1,••••"})
	}
	return p, err
}

func (w *webhook) Send(ctx context.Context, m Message) Result {
	body, err := json.Marshal(payload(m))
	if err != nil {
		return Result{Outcome: Refused, Err: err}
	}
	now := w.env.Now()
	h := http.Header{
		"Content-Type":      {"application/json"},
		"Webhook-Id":        {m.Key},
		"Webhook-Timestamp": {fmt.Sprint(now.Unix())},
	}
	var signatures []string
	for _, k := range w.keys {
		s, err := k.Sign(m.Key, now, body)
		if err != nil {
			return Result{Outcome: Gone, Err: fmt.Errorf("the message cannot be signed: %w", err)}
		}
		signatures = append(signatures, s)
	}
	if len(signatures) > 0 {
		h["Webhook-Signature"] = []string{strings.Join(signatures, " ")}
	}
	return send(ctx, w.env, request{url: w.url, header: h, body: body, hide: w.hide})
}
