package desttest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// Ntfy takes messages as an ntfy server does that has attachments turned off (https://docs.ntfy.sh/publish/#publish-as-json,
// https://docs.ntfy.sh/publish/#limitations). With a token or a user it lets nobody else publish.
type Ntfy struct {
	*Endpoint
	auth     string
	mu       sync.Mutex
	messages []NtfyMessage
}

// An NtfyMessage is a published message.
type NtfyMessage struct {
	Topic    string   `json:"topic"`
	Title    string   `json:"title"`
	Message  string   `json:"message"`
	Tags     []string `json:"tags"`
	Priority int      `json:"priority"`
	Click    string   `json:"click"`
	Markdown bool     `json:"markdown"`
	Actions  []struct {
		Action string `json:"action"`
		Label  string `json:"label"`
		URL    string `json:"url"`
	} `json:"actions"`

	Raw []byte `json:"-"`
}

const (
	ntfyMessage = 4096            // bytes of a message's text
	ntfyBody    = 2 * ntfyMessage // bytes of the JSON around it
)

// NewNtfy starts a server. authorization is the header that must come with each message, or "".
func NewNtfy(t testing.TB, authorization string) *Ntfy {
	n := &Ntfy{auth: authorization}
	n.Endpoint = newEndpoint(t, "", n.rules)
	return n
}

// Messages returns what was published.
func (n *Ntfy) Messages() []NtfyMessage {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]NtfyMessage(nil), n.messages...)
}

var ntfyTopic = regexp.MustCompile(`^[-_A-Za-z0-9]{1,64}$`)

func (n *Ntfy) rules(r Request) Answer {
	answer := func(code int, text string) Answer {
		b, _ := json.Marshal(map[string]any{"code": code, "http": code / 100, "error": text})
		return Answer{Status: code / 100, Header: map[string]string{"Content-Type": "application/json"}, Body: string(b)}
	}
	switch {
	case r.Path != "/" && r.Path != "":
		return answer(40401, "page not found")
	case r.Method != http.MethodPost && r.Method != http.MethodPut:
		return answer(40401, "page not found")
	case n.auth != "" && r.Header.Get("Authorization") == "":
		return answer(40301, "forbidden")
	case n.auth != "" && r.Header.Get("Authorization") != n.auth:
		return answer(40101, "unauthorized")
	case len(r.Body) > ntfyBody:
		return answer(41303, "JSON body too large")
	}
	var m NtfyMessage
	if json.Unmarshal(r.Body, &m) != nil {
		return answer(40024, "invalid request: request body must be valid JSON")
	}
	switch {
	case !ntfyTopic.MatchString(m.Topic):
		return answer(40009, "invalid request: topic invalid")
	case m.Topic == "docs" || m.Topic == "static" || m.Topic == "file" || m.Topic == "app" || m.Topic == "account" || m.Topic == "settings" || m.Topic == "v1":
		return answer(40010, "invalid request: topic name is disallowed")
	case m.Priority < 0 || m.Priority > 5:
		return answer(40007, "invalid priority parameter")
	case !utf8.ValidString(m.Message) || !utf8.ValidString(m.Title):
		return answer(40011, "invalid message: message must be UTF-8 encoded")
	case len(m.Message) > ntfyMessage:
		return answer(40014, fmt.Sprintf("invalid request: attachments not allowed; message has %d bytes", len(m.Message)))
	case len(m.Actions) > 3:
		return answer(40018, "invalid request: actions invalid, only 3 actions allowed")
	}
	for _, a := range m.Actions {
		if a.Action != "view" || a.Label == "" || !strings.HasPrefix(a.URL, "http") {
			return answer(40018, "invalid request: actions invalid")
		}
	}
	if m.Message == "" {
		m.Message = "triggered" // as the server does, to the bewilderment of people
	}
	m.Raw = r.Body
	n.mu.Lock()
	defer n.mu.Unlock()
	n.messages = append(n.messages, m)
	b, _ := json.Marshal(map[string]any{"id": fmt.Sprintf("m%d", len(n.messages)), "event": "message", "topic": m.Topic, "title": m.Title, "message": m.Message})
	return Answer{Status: http.StatusOK, Header: map[string]string{"Content-Type": "application/json"}, Body: string(b)}
}
