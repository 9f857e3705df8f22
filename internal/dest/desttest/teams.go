package desttest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// Teams takes messages as a webhook of the Workflows app for Microsoft Teams does: an Adaptive Card in an envelope
// (https://learn.microsoft.com/en-us/connectors/teams/ for the envelope and the limit, https://adaptivecards.io/explorer/ for
// the card).
type Teams struct {
	*Endpoint
	mu       sync.Mutex
	messages []TeamsMessage
}

// A TeamsMessage is a message as people see it.
type TeamsMessage struct {
	Shown []string // the text of each element
	Links []string // where they and the buttons lead, in order
	// Markup are the texts in which Markdown means something: only those that the sender wrote may be among them.
	Markup []string
	Raw    []byte
}

// teamsLimit is the whole message, in bytes.
const teamsLimit = 28_000

const teamsPath = "/workflows/0a1b/triggers/manual/paths/invoke"

// NewTeams starts a team.
func NewTeams(t testing.TB) *Teams {
	s := &Teams{}
	s.Endpoint = newEndpoint(t, teamsPath+"?api-version=1&sig=geheim-token", s.rules)
	return s
}

// Messages returns what was posted.
func (s *Teams) Messages() []TeamsMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]TeamsMessage(nil), s.messages...)
}

func (s *Teams) rules(r Request) Answer {
	answer := func(status int, code, message string) Answer {
		b, _ := json.Marshal(map[string]any{"error": map[string]string{"code": code, "message": message}})
		return Answer{Status: status, Header: map[string]string{"Content-Type": "application/json"}, Body: string(b)}
	}
	switch {
	case r.Method != http.MethodPost || r.Path != teamsPath:
		return answer(http.StatusNotFound, "WorkflowNotFound", "The workflow could not be found.")
	case !strings.Contains(r.Query, "sig=geheim-token"):
		return answer(http.StatusUnauthorized, "DirectApiAuthorizationRequired", "The request must be authenticated.")
	case len(r.Body) > teamsLimit:
		return answer(http.StatusRequestEntityTooLarge, "RequestEntityTooLarge", fmt.Sprintf("%d bytes", len(r.Body)))
	}
	var m struct {
		Type        string `json:"type"`
		Attachments []struct {
			ContentType string      `json:"contentType"`
			Content     teamsObject `json:"content"`
		} `json:"attachments"`
	}
	if err := json.Unmarshal(r.Body, &m); err != nil || r.Header.Get("Content-Type") != "application/json" {
		return answer(http.StatusBadRequest, "InvalidRequestContent", fmt.Sprint("not JSON of a message: ", err))
	}
	if m.Type != "message" || len(m.Attachments) != 1 || m.Attachments[0].ContentType != "application/vnd.microsoft.card.adaptive" {
		return answer(http.StatusBadRequest, "TriggerInputSchemaMismatch", "no message with one card")
	}
	seen := TeamsMessage{Raw: r.Body}
	card := m.Attachments[0].Content
	why := ""
	if card.Type != "AdaptiveCard" || card.Version < "1.0" || card.Version > "1.5" {
		why = "type " + card.Type + ", version " + card.Version
	} else if len(card.Body) == 0 {
		why = "no body"
	}
	for _, e := range card.Body {
		why += seen.element(e)
	}
	for _, a := range card.Actions {
		why += seen.action(a)
	}
	if why != "" {
		return answer(http.StatusBadRequest, "BadRequest", "not an Adaptive Card: "+why)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = append(s.messages, seen)
	return Answer{Status: http.StatusAccepted}
}

// A teamsObject is any part of a card.
type teamsObject struct {
	Type         string            `json:"type"`
	Version      string            `json:"version"`
	Text         string            `json:"text"`
	Title        string            `json:"title"`
	URL          string            `json:"url"`
	Body         []teamsObject     `json:"body"`
	Items        []teamsObject     `json:"items"`
	Actions      []teamsObject     `json:"actions"`
	Inlines      []json.RawMessage `json:"inlines"`
	SelectAction *teamsObject      `json:"selectAction"`
}

var markdownLink = regexp.MustCompile(`(?:^|[^\\])\[[^\]]*\]\(([^)]*)\)`)

// element reads an element, and says which rule it breaks, or "".
func (m *TeamsMessage) element(e teamsObject) (why string) {
	switch e.Type {
	case "TextBlock":
		m.Shown, m.Markup = append(m.Shown, e.Text), append(m.Markup, e.Text)
		for _, l := range markdownLink.FindAllStringSubmatch(e.Text, -1) {
			m.Links = append(m.Links, l[1])
		}
		if e.Text == "" {
			why = "a TextBlock without text; "
		}
	case "RichTextBlock":
		line := ""
		for _, raw := range e.Inlines {
			var run teamsObject
			if json.Unmarshal(raw, &run.Text) != nil {
				run.Text = ""
				if json.Unmarshal(raw, &run) != nil || run.Type != "TextRun" {
					return "an inline that is no TextRun; "
				}
			}
			line += run.Text
			if run.SelectAction != nil {
				why += m.action(*run.SelectAction)
			}
		}
		m.Shown = append(m.Shown, line)
		if line == "" {
			why += "a RichTextBlock without text; "
		}
	case "Container":
		for _, i := range e.Items {
			why += m.element(i)
		}
	case "ActionSet":
		for _, a := range e.Actions {
			why += m.action(a)
		}
	default:
		return e.Type + " is not known here; "
	}
	return why
}

func (m *TeamsMessage) action(a teamsObject) string {
	if a.Type != "Action.OpenUrl" || !strings.HasPrefix(a.URL, "https://") && !strings.HasPrefix(a.URL, "http://") {
		return "an action of type " + a.Type + " to " + a.URL + "; "
	}
	m.Links = append(m.Links, a.URL)
	return ""
}
