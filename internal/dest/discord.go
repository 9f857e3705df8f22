package dest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"feedonce"
)

// Limits of Discord, in characters, from https://discord.com/developers/docs/resources/message#embed-object-embed-limits
// and https://discord.com/developers/docs/resources/webhook#execute-webhook. Messages are put into embeds: the content of a
// message, of at most 2000 characters, stays empty.
const (
	discordEmbeds      = 10
	discordTitle       = 256
	discordDescription = 4096
	discordAuthor      = 256
	discordFooter      = 2048
	discordTotal       = 6000 // of all embeds together
)

// Discord posts to a channel by a webhook, as embeds.
//
// It is not idempotent: Discord shows every copy. Its rate is five requests in two seconds and 30 messages in a minute.
var Discord = &Kind{
	Name:  "discord",
	About: "a Discord channel, by a webhook",
	Fields: []Field{
		{Name: "url", About: "address of the webhook, such as https://discord.com/api/webhooks/…/…", Required: true, Secret: true},
		{Name: "thread", About: "ID of a thread of that channel to post to"},
	},
	Rate: feedonce.Rate{PerMinute: 30, Burst: 5},
	Open: openDiscord,
}

type discord struct {
	env Env
	url string
}

func openDiscord(set Settings, env Env) (Sender, error) {
	if err := address("url", set["url"]); err != nil {
		return nil, err
	}
	u, err := url.Parse(set["url"])
	if err != nil {
		return nil, err
	}
	q := u.Query()
	q.Set("wait", "true") // else Discord does not say when it could not keep the message
	if id := set["thread"]; id != "" {
		if strings.Trim(id, "0123456789") != "" {
			return nil, &feedonce.InvalidError{Field: "thread", Reason: "must be a thread's ID, which has only digits (in Discord: developer mode, then Copy Thread ID)"}
		}
		q.Set("thread_id", id)
	}
	u.RawQuery = q.Encode()
	return &discord{env, u.String()}, nil
}

func (d *discord) Preview(m Message) (Preview, error) { return preview(d.url, discordCompose(m)) }

func (d *discord) Send(ctx context.Context, m Message) Result {
	r, err := jsonRequest(d.url, discordCompose(m))
	if err != nil {
		return Result{Outcome: Refused, Err: err}
	}
	r.fresh, r.judge = true, discordJudge
	return send(ctx, d.env, r)
}

type discordMessage struct {
	Embeds          []discordEmbed  `json:"embeds"`
	AllowedMentions discordMentions `json:"allowed_mentions"`
}

// discordMentions allows mentions; an empty list allows none, whatever stands in the text.
type discordMentions struct {
	Parse []string `json:"parse"`
}

type discordEmbed struct {
	Author      *discordName  `json:"author,omitempty"`
	Title       string        `json:"title,omitempty"`
	URL         string        `json:"url,omitempty"`
	Description string        `json:"description,omitempty"`
	Thumbnail   *discordImage `json:"thumbnail,omitempty"`
	Footer      *discordText  `json:"footer,omitempty"`
	Timestamp   string        `json:"timestamp,omitempty"`
}

type discordName struct {
	Name string `json:"name"`
}

type discordText struct {
	Text string `json:"text"`
}

type discordImage struct {
	URL string `json:"url"`
}

func discordCompose(m Message) discordMessage {
	msg := discordMessage{AllowedMentions: discordMentions{Parse: []string{}}}
	switch {
	case m.Kind == feedonce.DeliverNotice:
		e := discordEmbed{Description: within(m.Notice, discordDescription, discordEscape)}
		if from := oneLine(m.From, maxName); from != "" {
			e.Author = &discordName{from}
		}
		msg.Embeds = []discordEmbed{e}
	case m.Digest:
		msg.Embeds = discordDigest(m)
	default:
		msg.Embeds = []discordEmbed{discordArticle(m, m.Articles[0])}
	}
	return msg
}

// discordArticle is less than half of what is allowed in total.
func discordArticle(m Message, a Article) discordEmbed {
	e := discordEmbed{Title: within(heading(a), discordTitle, discordEscape), URL: link(a.URL, maxLink, "")}
	if by := within(byline(a), discordAuthor, asIs); by != "" {
		e.Author = &discordName{by}
	}
	if e.Title == "" {
		e.Title = "New"
	}
	text := body(a)
	if n := discordDescription / 2; units(discordEscape(text)) > n {
		text = within(text, n, discordEscape)
	} else {
		text = discordEscape(text)
	}
	parts := present(text)
	if u := link(a.Why, maxListedURL, "()"); u != "" {
		parts = append(parts, "[Why you got this](<"+u+">)")
	}
	e.Description = strings.Join(parts, "\n\n")
	if u := link(a.Image, maxLink, ""); u != "" {
		e.Thumbnail = &discordImage{u}
	}
	if small := within(strings.Join(present(changed(m, a), alsoIn(a)), " · "), discordFooter/2, asIs); small != "" {
		e.Footer = &discordText{small}
	}
	if !a.Published.IsZero() {
		e.Timestamp = a.Published.UTC().Format(time.RFC3339)
	}
	return e
}

func discordDigest(m Message) []discordEmbed {
	title := within(m.Title, discordTitle, discordEscape)
	line := func(a Article, url string) string {
		s := within(heading(a), maxListed, discordEscape)
		if url != "" {
			s = "[" + s + "](<" + url + ">)"
		}
		if feed := within(a.FeedName, maxName, discordEscape); feed != "" {
			s += " · " + feed
		}
		return "• " + s
	}
	l := listing{
		title:  func(a Article) string { return line(a, "") },
		linked: func(a Article) string { return line(a, link(a.URL, maxListedURL, "()")) },
		size:   func(s string) int { return units(s) + 1 },
		room:   discordTotal - discordTitle - len(more(10000)),
	}
	lines, left := l.lines(m.Articles)
	embeds := []discordEmbed{{Title: title}}
	for i, text := range chunks(lines, discordDescription) {
		if i == 0 {
			embeds[0].Description = text
		} else {
			embeds = append(embeds, discordEmbed{Description: text})
		}
	}
	if left > 0 {
		embeds[len(embeds)-1].Footer = &discordText{more(left)}
	}
	return embeds[:min(len(embeds), discordEmbeds)]
}

// discordEscape writes a text so that no sign of it means anything, and no name in it is read as a mention or an emoji.
func discordEscape(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\\`*_~|<>[]()#-+@:", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// discordJudge reads how long to wait, which stands in the body with more precision and also where no header has it
// (https://discord.com/developers/docs/topics/rate-limits), and what is said to be wrong.
func discordJudge(a answer) (Outcome, string) {
	var v struct {
		Message    string  `json:"message"`
		Code       int     `json:"code"`
		RetryAfter float64 `json:"retry_after"`
	}
	if json.Unmarshal(a.body, &v) != nil {
		return "", ""
	}
	switch {
	case a.status == http.StatusTooManyRequests:
		*a.after = max(*a.after, seconds(v.RetryAfter))
		return "", ""
	case v.Code == 10015: // Unknown Webhook
		return Gone, "the webhook was deleted in Discord: make a new one"
	case v.Code == 50027: // Invalid Webhook Token
		return Gone, "the webhook's address is wrong: copy it from Discord again"
	case v.Code == 10003: // Unknown Channel
		return Gone, "the thread does not exist, or is of another channel"
	case a.status == http.StatusBadRequest && v.Message != "":
		return Refused, fmt.Sprintf("Discord refuses the message (%s, %d)", excerpt(v.Message), v.Code)
	}
	return "", ""
}
