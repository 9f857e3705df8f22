package desttest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// Webhook is a receiver as the Standard Webhooks specification wants it
// (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md): it checks the signature with
// the specification's own library, and drops a second copy of a message by its webhook-id.
type Webhook struct {
	*Endpoint
	verify []*standardwebhooks.Webhook

	mu     sync.Mutex
	now    func() time.Time
	order  []string
	bodies map[string][]byte
	copies map[string]int
}

// tolerance is how far a message's time may be from the receiver's clock, as in the library.
const tolerance = 5 * time.Minute

// NewWebhook starts a receiver with a secret that begins with whsec_; "" accepts messages without a signature. now is its
// clock; nil is the machine's.
func NewWebhook(t testing.TB, secret string, now func() time.Time) *Webhook {
	t.Helper()
	w := &Webhook{now: now, bodies: map[string][]byte{}, copies: map[string]int{}}
	if now == nil {
		w.now = time.Now
	}
	if secret != "" {
		key, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		w.verify = append(w.verify, key)
	}
	w.Endpoint = newEndpoint(t, "/hooks/geheim-token", w.rules)
	return w
}

func (w *Webhook) rules(r Request) Answer {
	id := r.Header.Get("webhook-id")
	at, err := strconv.ParseInt(r.Header.Get("webhook-timestamp"), 10, 64)
	off := w.now().Sub(time.Unix(at, 0)).Abs()
	switch {
	case r.Method != http.MethodPost:
		return Answer{Status: http.StatusMethodNotAllowed, Body: "POST only"}
	case r.Header.Get("Content-Type") != "application/json" || !json.Valid(r.Body):
		return Answer{Status: http.StatusUnsupportedMediaType, Body: "no JSON"}
	case id == "" || err != nil:
		return Answer{Status: http.StatusBadRequest, Body: "webhook-id or webhook-timestamp is missing"}
	case off > tolerance:
		return Answer{Status: http.StatusBadRequest, Body: fmt.Sprintf("webhook-timestamp is %v off", off)}
	}
	for _, key := range w.verify {
		// The time is checked above, by a clock that a test can set.
		if err := key.VerifyIgnoringTimestamp(r.Body, r.Header); err != nil {
			return Answer{Status: http.StatusUnauthorized, Body: err.Error()}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.copies[id]++; w.copies[id] == 1 {
		w.order = append(w.order, id)
		w.bodies[id] = r.Body
	}
	return Answer{Status: http.StatusNoContent}
}

// IDs returns the webhook-ids of the messages, in the order of their first copies.
func (w *Webhook) IDs() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.order)
}

// Body returns the body of the first copy of a message, or nil.
func (w *Webhook) Body(id string) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.bodies[id]
}

// Copies says how often a message came.
func (w *Webhook) Copies(id string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.copies[id]
}

// Half has half of the requests fail, in an order that seed chooses, each in one of three ways: 500 before the message is
// taken, 500 after it was, and a reset after it was.
func (w *Webhook) Half(seed uint64) {
	var mu sync.Mutex
	rng := rand.New(rand.NewPCG(seed, 1))
	w.SetFault(func(int) *Fault {
		mu.Lock()
		defer mu.Unlock()
		switch rng.IntN(6) {
		case 0:
			return &Fault{Answer: Answer{Status: http.StatusInternalServerError, Body: "before"}}
		case 1:
			return &Fault{Answer: Answer{Status: http.StatusInternalServerError, Body: "after"}, Accept: true}
		case 2:
			return &Fault{Reset: true, Accept: true}
		}
		return nil
	})
}
