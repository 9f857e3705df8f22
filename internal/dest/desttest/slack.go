package desttest

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"
)

// Slack takes messages as Slack's incoming webhooks do
// (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks), within the limits of Block Kit
// (https://docs.slack.dev/reference/block-kit/blocks), and reads what people would see.
type Slack struct {
	*Endpoint
	mu       sync.Mutex
	messages []SlackMessage
}

// A SlackMessage is a message as people see it.
type SlackMessage struct {
	Text     string   // what notifications show
	Shown    []string // the text of each block
	Links    []string // where they lead, in order
	Mentions []string // who is called: <!channel>, <@U1>, …
	Emphasis []string // what is bold, slanted, struck out or code, with its signs
	Raw      []byte
}

const slackPath = "/services/T000/B000/geheim-token"

// NewSlack starts a workspace.
func NewSlack(t testing.TB) *Slack {
	s := &Slack{}
	s.Endpoint = newEndpoint(t, slackPath, s.rules)
	return s
}

// Messages returns what was posted.
func (s *Slack) Messages() []SlackMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]SlackMessage(nil), s.messages...)
}

type slackObject struct {
	Type     string        `json:"type"`
	Text     string        `json:"text"`
	Verbatim bool          `json:"verbatim"`
	Elements []slackObject `json:"elements"`
}

type slackBlock struct {
	Type     string        `json:"type"`
	Text     *slackObject  `json:"text"`
	Elements []slackObject `json:"elements"`
}

func (s *Slack) rules(r Request) Answer {
	if r.Method != http.MethodPost || r.Path != slackPath {
		return Answer{Status: http.StatusNotFound, Body: "no_service"}
	}
	var m struct {
		Text   string       `json:"text"`
		Parse  string       `json:"parse"`
		Blocks []slackBlock `json:"blocks"`
	}
	if r.Header.Get("Content-Type") != "application/json" || json.Unmarshal(r.Body, &m) != nil {
		return Answer{Status: http.StatusBadRequest, Body: "invalid_payload"}
	}
	if m.Text == "" && len(m.Blocks) == 0 {
		return Answer{Status: http.StatusBadRequest, Body: "no_text"}
	}
	seen := SlackMessage{Raw: r.Body}
	seen.Text = seen.read(slackObject{Type: "mrkdwn", Text: m.Text, Verbatim: m.Parse == "none"})
	if why := seen.blocks(m.Blocks); why != "" {
		return Answer{Status: http.StatusBadRequest, Body: "invalid_blocks: " + why}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = append(s.messages, seen)
	return Answer{Status: http.StatusOK, Body: "ok"}
}

// blocks reads blocks, and says which rule they break, or "".
func (m *SlackMessage) blocks(blocks []slackBlock) string {
	if len(blocks) > 50 {
		return fmt.Sprintf("%d blocks, more than 50", len(blocks))
	}
	text := func(o *slackObject, max int, kinds string) string {
		switch {
		case o == nil || o.Text == "":
			return "no text"
		case !strings.Contains(kinds, o.Type):
			return "text of type " + o.Type
		case Units(o.Text) > max:
			return fmt.Sprintf("text of %d characters, more than %d", Units(o.Text), max)
		}
		m.Shown = append(m.Shown, m.read(*o))
		return ""
	}
	for i, b := range blocks {
		why := ""
		switch b.Type {
		case "header":
			why = text(b.Text, 150, "plain_text")
		case "section":
			why = text(b.Text, 3000, "plain_text mrkdwn")
		case "context":
			if len(b.Elements) == 0 || len(b.Elements) > 10 {
				why = fmt.Sprintf("%d elements, not 1 to 10", len(b.Elements))
			}
			for _, e := range b.Elements {
				if w := text(&e, 3000, "plain_text mrkdwn"); w != "" {
					why = w
				}
			}
		case "divider":
		default:
			why = "not known here"
		}
		if why != "" {
			return fmt.Sprintf("block %d, %s: %s", i+1, b.Type, why)
		}
	}
	return ""
}

var (
	slackAngle = regexp.MustCompile(`<([^<>]*)>`)
	slackName  = regexp.MustCompile(`@(channel|here|everyone)\b`)
	// slackSigns give emphasis to what is between two of them, which begins and ends with no space, where they are not within
	// words; two backquotes need not be at the edge of a word.
	slackSigns = []*regexp.Regexp{
		regexp.MustCompile(`(?m)(?:^|[^\pL\pN*])(\*[^\s*](?:[^*\n]*[^\s*])?\*)(?:$|[^\pL\pN*])`),
		regexp.MustCompile(`(?m)(?:^|[^\pL\pN_])(_[^\s_](?:[^_\n]*[^\s_])?_)(?:$|[^\pL\pN_])`),
		regexp.MustCompile(`(?m)(?:^|[^\pL\pN~])(~[^\s~](?:[^~\n]*[^\s~])?~)(?:$|[^\pL\pN~])`),
		regexp.MustCompile("(`[^`]+`)"),
	}
)

// read is what people see of a text (https://docs.slack.dev/messaging/formatting-message-text).
func (m *SlackMessage) read(o slackObject) string {
	if o.Type == "plain_text" {
		return o.Text
	}
	if !o.Verbatim { // then Slack looks for names by itself
		m.Mentions = append(m.Mentions, slackName.FindAllString(o.Text, -1)...)
	}
	shown := slackAngle.ReplaceAllStringFunc(o.Text, func(s string) string {
		what, label, labelled := strings.Cut(s[1:len(s)-1], "|")
		if what != "" && strings.ContainsAny(what[:1], "!@#") {
			m.Mentions = append(m.Mentions, s)
			return s
		}
		m.Links = append(m.Links, html.UnescapeString(what))
		if labelled {
			return label
		}
		return what
	})
	for _, sign := range slackSigns {
		for _, found := range sign.FindAllStringSubmatch(shown, -1) {
			m.Emphasis = append(m.Emphasis, found[1])
		}
	}
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(shown)
}

// Units counts characters as UTF-16 does, as none of the endpoints counts more.
func Units(s string) int { return len(utf16.Encode([]rune(s))) }
