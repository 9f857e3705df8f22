package dest

import (
	"bytes"
	"context"
	"crypto/ecdh"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/mail"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	webpush "github.com/SherClockHolmes/webpush-go"

	"feedonce"
)

const (
	// pushPayload is how much can be told, in bytes: push services must take 4096 bytes (RFC 8030 7.2), of which 86 are the
	// header of the encryption, 16 its tag and one ends the padding (RFC 8291 4). All messages are padded to that, so that
	// their length tells nothing.
	pushPayload = 4096 - 86 - 16 - 1
	// pushTTL is for how long the push service keeps a message for a browser that is away, in seconds (RFC 8030 5.2).
	pushTTL = 3 * 24 * 60 * 60
)

// WebPush sends to one browser, encrypted for it (RFC 8291), with a VAPID key by which the browser's push service knows us
// (RFC 8292).
//
// It counts as idempotent: all attempts of a message have the same Topic, by which the push service replaces what waits, and
// the same tag, by which the browser replaces what it shows.
var WebPush = &Kind{
	Name:  "webpush",
	About: "notifications in one browser (Web Push)",
	Fields: []Field{
		{Name: "subscription", About: `what the browser gave (PushSubscription as JSON): {"endpoint":"https://…","keys":{"p256dh":"…","auth":"…"}}`, Required: true, Secret: true},
		{Name: "vapid_private", About: "private VAPID key, in base64url; the browser subscribed with its public key", Required: true, Secret: true},
		{Name: "vapid_public", About: "the public key, which follows from the private one; if given, it is checked"},
		{Name: "contact", About: "how the push service can reach you: mailto:… or https://…", Required: true},
	},
	Idempotent: true,
	Rate:       feedonce.Rate{PerMinute: 60, Burst: 10},
	Open:       openWebPush,
}

type webPush struct {
	env     Env
	sub     webpush.Subscription
	options webpush.Options
	hide    []string
}

func openWebPush(set Settings, env Env) (Sender, error) {
	w := &webPush{env: env}
	invalid := func(field, reason string) (Sender, error) {
		return nil, &feedonce.InvalidError{Field: field, Reason: reason}
	}
	if err := json.Unmarshal([]byte(set["subscription"]), &w.sub); err != nil {
		return invalid("subscription", `must be the JSON that the browser gave, such as {"endpoint":"https://…","keys":{"p256dh":"…","auth":"…"}}`)
	}
	if u, err := url.Parse(w.sub.Endpoint); err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return invalid("subscription", "must have an endpoint that begins with https://")
	}
	if key, err := base64url(w.sub.Keys.P256dh); err != nil {
		return invalid("subscription", "has no readable keys.p256dh")
	} else if _, err := ecdh.P256().NewPublicKey(key); err != nil {
		return invalid("subscription", "has a keys.p256dh that is no public key")
	}
	if auth, err := base64url(w.sub.Keys.Auth); err != nil || len(auth) != 16 { // RFC 8291 3.2
		return invalid("subscription", "must have 16 bytes as keys.auth")
	}
	raw, err := base64url(set["vapid_private"])
	if err != nil {
		return invalid("vapid_private", "must be 32 bytes in base64url (`npx web-push generate-vapid-keys` makes a pair)")
	}
	private, err := ecdh.P256().NewPrivateKey(raw)
	if err != nil {
		return invalid("vapid_private", "is no private key of the curve P-256 (`npx web-push generate-vapid-keys` makes a pair)")
	}
	public := private.PublicKey().Bytes()
	if given := set["vapid_public"]; given != "" {
		if b, err := base64url(given); err != nil || !bytes.Equal(b, public) {
			return invalid("vapid_public", "is not the public key of vapid_private")
		}
	}
	contact := set["contact"]
	if at, ok := strings.CutPrefix(contact, "mailto:"); ok {
		if a, err := mail.ParseAddress(at); err != nil || a.Address != at {
			return invalid("contact", "must be mailto: and a mail address, or an address that begins with https://")
		}
		contact = at // the library puts mailto: before it
	} else if u, err := url.Parse(contact); err != nil || u.Scheme != "https" || u.Hostname() == "" {
		return invalid("contact", "must be mailto: and a mail address, or an address that begins with https://")
	}
	w.options = webpush.Options{
		Subscriber: contact, TTL: pushTTL,
		VAPIDPublicKey: base64.RawURLEncoding.EncodeToString(public), VAPIDPrivateKey: base64.RawURLEncoding.EncodeToString(raw),
	}
	w.hide = []string{w.sub.Endpoint, w.sub.Keys.Auth, w.sub.Keys.P256dh, set["vapid_private"]}
	return w, nil
}

// base64url decodes what browsers and tools write with padding and without.
func base64url(s string) ([]byte, error) {
	if s == "" {
		return nil, errors.New("it is empty")
	}
	return base64.RawURLEncoding.DecodeString(strings.TrimRight(strings.NewReplacer("+", "-", "/", "_").Replace(s), "="))
}

// A pushMessage is what the service worker of the pages gets. Its fields are only ever added to.
type pushMessage struct {
	ID        string `json:"id"`   // the message's key
	Type      string `json:"type"` // as of Payload
	Title     string `json:"title"`
	Body      string `json:"body,omitempty"`
	URL       string `json:"url,omitempty"`   // where a click leads
	Image     string `json:"image,omitempty"` // a picture to show
	Tag       string `json:"tag"`             // notifications with the same tag replace each other
	Lang      string `json:"lang,omitempty"`
	Timestamp int64  `json:"timestamp"` // milliseconds since 1970
}

func (w *webPush) Preview(m Message) (Preview, error) {
	o := w.optionsFor(m)
	return preview(w.sub.Endpoint, pushCompose(m), [2]string{"TTL", strconv.Itoa(o.TTL)}, [2]string{"Topic", o.Topic}, [2]string{"Urgency", string(o.Urgency)},
		[2]string{"Content-Encoding", "aes128gcm"}, [2]string{"Authorization", "vapid ••••"})
}

func (w *webPush) optionsFor(m Message) webpush.Options {
	o := w.options
	sum := sha256.Sum256([]byte(m.Key))
	o.Topic = base64.RawURLEncoding.EncodeToString(sum[:24]) // at most 32 characters of base64url (RFC 8030 5.4)
	o.Urgency = webpush.UrgencyNormal
	if m.Digest {
		o.Urgency = webpush.UrgencyLow
	}
	return o
}

func (w *webPush) Send(ctx context.Context, m Message) Result {
	body, err := marshal(pushCompose(m))
	if err != nil {
		return Result{Outcome: Refused, Err: err}
	}
	made := &recorder{}
	o := w.optionsFor(m)
	o.HTTPClient = made
	if _, err := webpush.SendNotificationWithContext(ctx, body, &w.sub, &o); err != nil {
		return Result{Outcome: Refused, Err: fmt.Errorf("the message cannot be encrypted: %w", err)}
	}
	return send(ctx, w.env, request{url: w.sub.Endpoint, header: made.header, body: made.body, hide: w.hide, judge: pushJudge})
}

// A recorder keeps the request that the library makes, so that it is sent in the way of all others.
type recorder struct {
	header http.Header
	body   []byte
}

func (r *recorder) Do(req *http.Request) (resp *http.Response, err error) {
	r.header = req.Header
	r.body, err = io.ReadAll(req.Body)
	return &http.Response{StatusCode: http.StatusCreated, Body: http.NoBody}, err
}

// pushCompose writes a message of at most pushPayload bytes.
func pushCompose(m Message) pushMessage {
	p := pushMessage{ID: m.Key, Type: messageType(m), Title: subject(m), Tag: m.Key, Timestamp: m.Created.UnixMilli()}
	for room := 2000; ; room -= room / 4 {
		switch {
		case m.Kind == feedonce.DeliverNotice:
			p.Title, p.Body = oneLine(m.From, maxName), cut(plainLines(m.Notice), room)
		case m.Digest:
			line := func(a Article) string { return "• " + oneLine(heading(a), maxListed) }
			l := listing{title: line, linked: line, size: func(s string) int { return len(s) + 1 }, room: room}
			lines, left := l.lines(m.Articles)
			if left > 0 {
				lines = append(lines, more(left))
			}
			p.Body = strings.Join(lines, "\n")
		default:
			a := m.Articles[0]
			small := cut(strings.Join(present(byline(a), changed(m, a)), " · "), room/4)
			p.Body = cut(strings.Join(present(small, body(a)), "\n"), room)
			p.URL, p.Image, p.Lang = link(a.URL, 1000, ""), link(a.Image, 500, ""), language(a.Lang)
		}
		if b, err := marshal(p); err != nil || len(b) <= pushPayload || room < 100 {
			return p
		}
	}
}

var languageTag = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`)

// language is a language's tag (RFC 5646 2.1), or "".
func language(s string) string {
	if len(s) > 35 || !languageTag.MatchString(s) { // RFC 5646 4.4.1
		return ""
	}
	return s
}

// pushJudge: a subscription that the browser ended is 404 or 410 (RFC 8030 7.3).
func pushJudge(a answer) (Outcome, string) {
	switch a.status {
	case http.StatusNotFound, http.StatusGone:
		return Gone, "the browser has ended its subscription: switch notifications on there again"
	case http.StatusUnauthorized, http.StatusForbidden:
		return Gone, "the push service does not take the VAPID key: it must be the one that the browser subscribed with"
	}
	return "", ""
}
