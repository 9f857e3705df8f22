package desttest

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Push is a push service (RFC 8030) with one browser behind it, which decrypts what it gets (RFC 8291). The service knows the
// sender by its VAPID key (RFC 8292). Nothing of it is from a library for Web Push.
type Push struct {
	*Endpoint
	// Subscription is what the browser gives to the sender, as JSON.
	Subscription string
	// Private and Public are the sender's VAPID keys, in base64url.
	Private, Public string

	browser *ecdh.PrivateKey
	auth    []byte
	vapid   *ecdsa.PublicKey

	mu       sync.Mutex
	messages []Pushed
}

// Pushed is a message as the browser gets it.
type Pushed struct {
	TTL     int // seconds
	Topic   string
	Urgency string
	Contact string // the sender's, from its token
	Padded  int    // bytes on the way
	Payload []byte
}

// NewPush starts a push service. It has TLS, and only Client trusts its certificate.
func NewPush(t testing.TB) *Push {
	t.Helper()
	p := &Push{auth: make([]byte, 16)}
	p.Endpoint = startEndpoint(t, "/push/geheim-token", p.rules, (*httptest.Server).StartTLS)
	if _, err := rand.Read(p.auth); err != nil {
		t.Fatal(err)
	}
	browser, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p.browser = browser
	sender, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p.vapid = &sender.PublicKey
	private, err := sender.ECDH()
	if err != nil {
		t.Fatal(err)
	}
	b64 := base64.RawURLEncoding.EncodeToString
	p.Private, p.Public = b64(private.Bytes()), b64(private.PublicKey().Bytes())
	subscription, err := json.Marshal(map[string]any{
		"endpoint": p.URL, "expirationTime": nil,
		"keys": map[string]string{"p256dh": b64(browser.PublicKey().Bytes()), "auth": b64(p.auth)},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Subscription = string(subscription)
	return p
}

// Messages returns what the browser got.
func (p *Push) Messages() []Pushed {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Pushed(nil), p.messages...)
}

var pushTopic = regexp.MustCompile(`^[-_A-Za-z0-9]{0,32}$`)

func (p *Push) rules(r Request) Answer {
	answer := func(status int, why string) Answer { return Answer{Status: status, Body: why} }
	m := Pushed{Topic: r.Header.Get("Topic"), Urgency: r.Header.Get("Urgency"), Padded: len(r.Body)}
	var err error
	switch {
	case r.Method != http.MethodPost || r.Path != "/push/geheim-token":
		return answer(http.StatusNotFound, "no such subscription")
	case len(r.Body) > 4096: // RFC 8030 7.2
		return answer(http.StatusRequestEntityTooLarge, "payload too large")
	case r.Header.Get("Content-Encoding") != "aes128gcm":
		return answer(http.StatusUnsupportedMediaType, "Content-Encoding must be aes128gcm")
	case !pushTopic.MatchString(m.Topic): // RFC 8030 5.4
		return answer(http.StatusBadRequest, "Topic is not valid")
	case m.Urgency != "" && !strings.Contains(" very-low low normal high ", " "+m.Urgency+" "): // RFC 8030 5.3
		return answer(http.StatusBadRequest, "Urgency is not valid")
	}
	if m.TTL, err = strconv.Atoi(r.Header.Get("TTL")); err != nil || m.TTL < 0 { // RFC 8030 5.2
		return answer(http.StatusBadRequest, "TTL is missing or not valid")
	}
	if m.Contact, err = p.sender(r.Header.Get("Authorization"), time.Now()); err != nil {
		return answer(http.StatusForbidden, err.Error())
	}
	if m.Payload, err = p.decrypt(r.Body); err != nil {
		// A push service could not tell; the browser would drop it.
		return answer(http.StatusBadRequest, "the browser cannot read it: "+err.Error())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.messages = append(p.messages, m)
	return Answer{Status: http.StatusCreated, Header: map[string]string{"Location": fmt.Sprintf("%s/message/%d", p.Base, len(p.messages))}}
}

// sender checks the sender's token (RFC 8292 2 and 3) and returns whom to contact.
func (p *Push) sender(authorization string, now time.Time) (contact string, err error) {
	params, ok := strings.CutPrefix(authorization, "vapid ")
	if !ok {
		return "", errors.New("no VAPID authorization")
	}
	var token, key string
	for part := range strings.SplitSeq(params, ",") {
		switch name, value, _ := strings.Cut(strings.TrimSpace(part), "="); name {
		case "t":
			token = value
		case "k":
			key = value
		}
	}
	if key != p.Public {
		return "", errors.New("the VAPID key is not the one of the subscription")
	}
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return "", errors.New("the token is no JWT")
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || len(signature) != 64 {
		return "", errors.New("the token has no signature of ES256 (RFC 7518 3.4)")
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if !ecdsa.Verify(p.vapid, sum[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		return "", errors.New("the token's signature is wrong")
	}
	var head struct{ Alg string }
	var claims struct {
		Aud, Sub string
		Exp      int64
	}
	for i, v := range []any{&head, &claims} {
		raw, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err == nil {
			err = json.Unmarshal(raw, v)
		}
		if err != nil {
			return "", fmt.Errorf("the token cannot be read: %w", err)
		}
	}
	expires := time.Unix(claims.Exp, 0)
	switch {
	case head.Alg != "ES256":
		return "", errors.New("the token is not signed with ES256")
	case claims.Aud != p.Base:
		return "", errors.New("the token is for " + claims.Aud)
	case !expires.After(now) || expires.After(now.Add(24*time.Hour)):
		return "", errors.New("the token does not expire within a day from now")
	case !strings.HasPrefix(claims.Sub, "mailto:") && !strings.HasPrefix(claims.Sub, "https:") || strings.HasPrefix(claims.Sub, "mailto:mailto:"):
		return "", errors.New("the token names no contact, but " + claims.Sub)
	}
	return claims.Sub, nil
}

// decrypt reads one record (RFC 8188 2, RFC 8291 3.4).
func (p *Push) decrypt(body []byte) ([]byte, error) {
	const header = 16 + 4 + 1
	if len(body) < header {
		return nil, errors.New("it is too short")
	}
	salt, size, keyLength := body[:16], binary.BigEndian.Uint32(body[16:20]), int(body[20])
	if len(body) < header+keyLength || int(size) < len(body)-header-keyLength {
		return nil, errors.New("it is more than one record")
	}
	key, err := ecdh.P256().NewPublicKey(body[header : header+keyLength])
	if err != nil {
		return nil, err
	}
	shared, err := p.browser.ECDH(key)
	if err != nil {
		return nil, err
	}
	info := "WebPush: info\x00" + string(p.browser.PublicKey().Bytes()) + string(key.Bytes())
	ikm, err := hkdf.Key(sha256.New, shared, p.auth, info, 32)
	if err != nil {
		return nil, err
	}
	cek, err := hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, err
	}
	nonce, err := hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(cek)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	plain, err := gcm.Open(nil, nonce, body[header+keyLength:], nil)
	if err != nil {
		return nil, err
	}
	plain = bytes.TrimRight(plain, "\x00")
	text, ok := bytes.CutSuffix(plain, []byte{2}) // the last record
	if !ok {
		return nil, errors.New("its padding is not ended by 2")
	}
	return text, nil
}
