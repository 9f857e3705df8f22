package dest

import (
	"context"
	"encoding/base64"
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
	headers := [][2]string{{standardwebhooks.HeaderWebhookID, m.Key}, {standardwebhooks.HeaderWebhookTimestamp, fmt.Sprint(w.env.Now().Unix())}}
	if len(w.keys) > 0 {
		headers = append(headers, [2]string{standardwebhooks.HeaderWebhookSignature, "v1,••••"})
	}
	return preview(w.url, payload(m), headers...)
}

func (w *webhook) Send(ctx context.Context, m Message) Result {
	r, err := jsonRequest(w.url, payload(m))
	if err != nil {
		return Result{Outcome: Refused, Err: err}
	}
	now := w.env.Now()
	r.hide, r.judge = w.hide, webhookJudge
	r.header.Set(standardwebhooks.HeaderWebhookID, m.Key)
	r.header.Set(standardwebhooks.HeaderWebhookTimestamp, fmt.Sprint(now.Unix()))
	var signatures []string
	for _, k := range w.keys {
		s, err := k.Sign(m.Key, now, r.body)
		if err != nil {
			return Result{Outcome: Gone, Err: fmt.Errorf("the message cannot be signed: %w", err)}
		}
		signatures = append(signatures, s)
	}
	if len(signatures) > 0 {
		r.header.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	}
	return send(ctx, w.env, r)
}

// webhookJudge keeps to the specification: what is not accepted is tried again ("Deliverability and reliability"), because the
// endpoint is one's own and may be put right meanwhile. Only what is said of the message itself is final.
func webhookJudge(a answer) (Outcome, string) {
	switch a.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusConflict:
		return Retry, fmt.Sprintf("the endpoint does not take it now (%d %s): look whether the address and the secret are right", a.status, http.StatusText(a.status))
	}
	return "", ""
}
