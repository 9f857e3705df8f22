package dest_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"feedonce"
	"feedonce/internal/dest"
	"feedonce/internal/dest/desttest"
)

// secretWord is in every address and key of the endpoints here.
const secretWord = "geheim-token"

// A sink is an endpoint over HTTP with the settings that lead to it.
type sink struct {
	kind string
	*desttest.Endpoint
	set dest.Settings
	// last is the message that the endpoint accepted last, as people would see it.
	last func(t *testing.T) seen
}

// seen is a message as people see it.
type seen struct {
	text  string   // all of it
	links []string // where they lead
	calls []string // who is called by it, and words that are read as markup
	raw   string   // the body, decrypted where it was not
}

// webhookSecret signs the messages to webhooks.
const webhookSecret = "whsec_Z2VoZWltLXRva2VuLWdlaGVpbS10b2tlbi0wMTIzNDU2"

// sinks starts an endpoint of each kind.
func sinks(t *testing.T) []sink {
	t.Helper()
	hook := desttest.NewWebhook(t, webhookSecret, testEnv().Now)
	slack, discord, teams := desttest.NewSlack(t), desttest.NewDiscord(t), desttest.NewTeams(t)
	ntfy, push := desttest.NewNtfy(t, "Bearer tk_"+secretWord), desttest.NewPush(t)
	return []sink{
		{"webhook", hook.Endpoint, dest.Settings{"url": hook.URL, "secret": webhookSecret}, func(t *testing.T) seen {
			raw := string(lastOf(t, hook.Accepted()).Body)
			return seen{text: leaves(t, raw), raw: raw}
		}},
		{"slack", slack.Endpoint, dest.Settings{"url": slack.URL}, func(t *testing.T) seen {
			m := lastOf(t, slack.Messages())
			for _, e := range m.Emphasis { // but the title as a whole
				if !slices.Contains(m.Shown, strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(e)) || e[0] != '*' {
					m.Mentions = append(m.Mentions, e)
				}
			}
			return seen{m.Text + "\n" + strings.Join(m.Shown, "\n"), m.Links, m.Mentions, string(m.Raw)}
		}},
		{"discord", discord.Endpoint, dest.Settings{"url": discord.URL}, func(t *testing.T) seen {
			m := lastOf(t, discord.Messages())
			s := seen{text: m.Content, calls: m.Pings, raw: string(m.Raw)}
			for _, e := range m.Embeds {
				description, links := discordRead(e.Description)
				title, inTitle := discordRead(e.Title)
				s.text += "\n" + e.Author.Name + "\n" + title + "\n" + description + "\n" + e.Footer.Text
				s.links = append(append(append(s.links, inTitle...), links...), present(e.URL, e.Thumbnail.URL)...)
			}
			return s
		}},
		{"teams", teams.Endpoint, dest.Settings{"url": teams.URL}, func(t *testing.T) seen {
			m := lastOf(t, teams.Messages())
			return seen{strings.Join(m.Shown, "\n"), m.Links, m.Markup, string(m.Raw)}
		}},
		{"ntfy", ntfy.Endpoint, dest.Settings{"server": ntfy.URL, "topic": secretWord, "token": "tk_" + secretWord, "tags": "newspaper"}, func(t *testing.T) seen {
			m := lastOf(t, ntfy.Messages())
			return seen{text: m.Title + "\n" + m.Message, links: present(m.Click), raw: string(m.Raw)}
		}},
		{"webpush", push.Endpoint, dest.Settings{"subscription": push.Subscription, "vapid_private": push.Private, "vapid_public": push.Public, "contact": "mailto:jo@example.org"}, func(t *testing.T) seen {
			m := lastOf(t, push.Messages())
			var n struct{ URL, Image string }
			if err := json.Unmarshal(m.Payload, &n); err != nil {
				t.Fatal(err)
			}
			return seen{text: leaves(t, string(m.Payload)), links: present(n.URL, n.Image), raw: string(m.Payload)}
		}},
	}
}

func lastOf[T any](t *testing.T, all []T) T {
	t.Helper()
	if len(all) == 0 {
		t.Fatal("nothing was accepted")
	}
	return all[len(all)-1]
}

func present(all ...string) (out []string) {
	for _, s := range all {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// leaves are all strings of a JSON value.
func leaves(t *testing.T, raw string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			b.WriteString(v + "\n")
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(v)
	return b.String()
}

// discordRead is what people see of Discord's Markdown: a backslash takes the meaning from the sign after it, and the links
// are those that stand there without one.
func discordRead(s string) (text string, links []string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case strings.HasPrefix(s[i:], "](<"):
			to, _, _ := strings.Cut(s[i+3:], ">)")
			links = append(links, to)
			i += len("](<") + len(to) + len(">)") - 1
		case s[i] == '[':
		case strings.IndexByte("*_~`|<>#@", s[i]) >= 0:
			b.WriteString(fmt.Sprintf("{a sign that means something: %q}", s[i]))
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), links
}

// open returns a sender to the endpoint.
func (s sink) open(t *testing.T) dest.Sender {
	t.Helper()
	env := testEnv()
	env.Client = s.Client
	sender, err := dest.ByName(s.kind).Open(s.set, env)
	if err != nil {
		t.Fatal(err)
	}
	return sender
}

func updateMessage() dest.Message {
	m := newMessage()
	m.Key, m.First, m.Kind = "msg_k3n8_20", m.Key, feedonce.DeliverUpdate
	m.Articles[0].Changed = []string{"title", "content"}
	return m
}

func digestMessage(n int) dest.Message {
	m := dest.Message{Key: "msg_k3n8_b1_12", Kind: feedonce.DeliverNew, Created: now, Digest: true, Title: "Morning news", From: "feedonce"}
	for i := range n {
		a := article()
		a.Entry, a.Title, a.URL = feedonce.EntryID(i+1), fmt.Sprintf("Article %d about ferries, tides & more", i+1), fmt.Sprintf("https://harbour.example/%d", i+1)
		m.Articles = append(m.Articles, a)
	}
	return m
}

func noticeMessage() dest.Message {
	return dest.Message{Key: "msg_k3n8_30", Kind: feedonce.DeliverNotice, Created: now, From: "feedonce",
		Notice: "Harbour News has 300 new articles at once, usually 2: they wait. See feedonce deliveries list --held."}
}
