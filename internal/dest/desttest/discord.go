package desttest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// Discord takes messages as Discord's webhooks do (https://discord.com/developers/docs/resources/webhook#execute-webhook),
// within the limits of embeds (https://discord.com/developers/docs/resources/message#embed-object-embed-limits).
type Discord struct {
	*Endpoint
	mu       sync.Mutex
	messages []DiscordMessage
}

// A DiscordMessage is a message as it was posted.
type DiscordMessage struct {
	Content string         `json:"content"`
	Embeds  []DiscordEmbed `json:"embeds"`
	// AllowedMentions is nil where the message does not say: then all that Content names are called.
	AllowedMentions *struct {
		Parse []string `json:"parse"`
	} `json:"allowed_mentions"`

	Pings []string `json:"-"` // who is called
	Raw   []byte   `json:"-"`
}

// A DiscordEmbed is one of its boxes.
type DiscordEmbed struct {
	Title       string `json:"title"`
	Description string `json:"description"`
	URL         string `json:"url"`
	Timestamp   string `json:"timestamp"`
	Author      struct {
		Name string `json:"name"`
		URL  string `json:"url"`
	} `json:"author"`
	Footer struct {
		Text string `json:"text"`
	} `json:"footer"`
	Fields []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"fields"`
	Thumbnail struct {
		URL string `json:"url"`
	} `json:"thumbnail"`
	Image struct {
		URL string `json:"url"`
	} `json:"image"`
}

const discordPath = "/api/webhooks/1234567890/geheim-token"

// NewDiscord starts a guild.
func NewDiscord(t testing.TB) *Discord {
	d := &Discord{}
	d.Endpoint = newEndpoint(t, discordPath, d.rules)
	return d
}

// Messages returns what was posted.
func (d *Discord) Messages() []DiscordMessage {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]DiscordMessage(nil), d.messages...)
}

func (d *Discord) rules(r Request) Answer {
	answer := func(status, code int, message, what string) Answer {
		b, _ := json.Marshal(map[string]any{"code": code, "message": message, "errors": what})
		return Answer{Status: status, Header: map[string]string{"Content-Type": "application/json"}, Body: string(b)}
	}
	if r.Method != http.MethodPost || r.Path != discordPath {
		return answer(http.StatusNotFound, 10015, "Unknown Webhook", "")
	}
	var m DiscordMessage
	if r.Header.Get("Content-Type") != "application/json" || json.Unmarshal(r.Body, &m) != nil {
		return answer(http.StatusBadRequest, 50109, "The request body contains invalid JSON.", "")
	}
	if strings.TrimSpace(m.Content) == "" && len(m.Embeds) == 0 {
		return answer(http.StatusBadRequest, 50006, "Cannot send an empty message", "")
	}
	if why := m.broken(); why != "" {
		return answer(http.StatusBadRequest, 50035, "Invalid Form Body", why)
	}
	m.Raw, m.Pings = r.Body, m.pings()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.messages = append(d.messages, m)
	// Without wait=true the answer comes before the message was stored.
	if q, _ := url.ParseQuery(r.Query); q.Get("wait") != "true" {
		return Answer{Status: http.StatusNoContent}
	}
	return Answer{Status: http.StatusOK, Header: map[string]string{"Content-Type": "application/json"}, Body: fmt.Sprintf(`{"id":"%d","type":0}`, len(d.messages))}
}

// broken says which rule a message breaks, or "".
func (m DiscordMessage) broken() string {
	if n := Units(m.Content); n > 2000 {
		return fmt.Sprintf("content has %d characters, more than 2000", n)
	}
	if n := len(m.Embeds); n > 10 {
		return fmt.Sprintf("%d embeds, more than 10", n)
	}
	total, why := 0, ""
	check := func(what, s string, max int) {
		n := Units(strings.TrimSpace(s))
		if total += n; n > max {
			why = fmt.Sprintf("%s has %d characters, more than %d", what, n, max)
		}
	}
	for _, e := range m.Embeds {
		check("title", e.Title, 256)
		check("description", e.Description, 4096)
		check("footer", e.Footer.Text, 2048)
		check("author", e.Author.Name, 256)
		if len(e.Fields) > 25 {
			why = "more than 25 fields"
		}
		for _, f := range e.Fields {
			check("field name", f.Name, 256)
			check("field value", f.Value, 1024)
			if strings.TrimSpace(f.Name) == "" || strings.TrimSpace(f.Value) == "" {
				why = "a field is empty"
			}
		}
		for _, u := range []string{e.URL, e.Author.URL, e.Thumbnail.URL, e.Image.URL} {
			p, err := url.Parse(u)
			if u != "" && (err != nil || p.Scheme != "http" && p.Scheme != "https" || p.Host == "" || strings.ContainsAny(u, " <>\"") || Units(u) > 2048) {
				why = "not a well formed URL: " + u
			}
		}
		if _, err := time.Parse(time.RFC3339, e.Timestamp); e.Timestamp != "" && err != nil {
			why = "timestamp is no ISO 8601 time"
		}
		if strings.TrimSpace(e.Title+e.Description+e.Author.Name+e.Footer.Text) == "" && len(e.Fields) == 0 {
			why = "an embed is empty"
		}
	}
	if total > 6000 {
		why = fmt.Sprintf("embeds have %d characters, more than 6000", total)
	}
	return why
}

var discordMention = regexp.MustCompile(`@everyone|@here|<@[!&]?[0-9]+>`)

// pings are those whom a message calls. Embeds call nobody.
func (m DiscordMessage) pings() []string {
	if m.AllowedMentions != nil && len(m.AllowedMentions.Parse) == 0 {
		return nil
	}
	return discordMention.FindAllString(m.Content, -1)
}
