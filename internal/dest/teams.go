package dest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"feedonce"
)

const (
	// teamsBytes is how large a message may be, in bytes. Microsoft documents 28 KB
	// (https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook and
	// https://learn.microsoft.com/connectors/teams), but counts it after putting the card into a message of its own, and
	// others were refused from 21,000 bytes on (gem msteams_hermes): so we stay below that.
	teamsBytes = 20_000
	// teamsLines is how many articles a card lists at most. It is our own bound: cards are not for reading books.
	teamsLines = 200
	// teamsCard is the schema version; Teams takes up to 1.5 from webhooks.
	teamsCard = "1.4"
)

// Teams posts to a channel or chat of Microsoft Teams by a workflow ("When a Teams webhook request is received"), as an
// Adaptive Card. All text is in text runs, in which no Markdown is read.
//
// It is not idempotent: Teams shows every copy. More than four requests in a second are refused.
var Teams = &Kind{
	Name:  "teams",
	About: "a Microsoft Teams channel or chat, by a workflow that a webhook starts",
	Fields: []Field{
		{Name: "url", About: "address that the workflow shows, such as https://….logic.azure.com/workflows/… or https://….powerplatform.com/…", Required: true, Secret: true},
	},
	Rate: feedonce.Rate{PerMinute: 60, Burst: 4},
	Open: func(set Settings, env Env) (Sender, error) {
		return &teams{env, set["url"]}, address("url", set["url"])
	},
}

type teams struct {
	env Env
	url string
}

func (t *teams) Preview(m Message) (Preview, error) { return preview(t.url, teamsCompose(m)) }

func (t *teams) Send(ctx context.Context, m Message) Result {
	r, err := jsonRequest(t.url, teamsCompose(m))
	if err != nil {
		return Result{Outcome: Refused, Err: err}
	}
	r.fresh, r.judge = true, teamsJudge
	return send(ctx, t.env, r)
}

type teamsMessage struct {
	Type        string            `json:"type"`
	Attachments []teamsAttachment `json:"attachments"`
}

type teamsAttachment struct {
	ContentType string       `json:"contentType"`
	ContentURL  *string      `json:"contentUrl"`
	Content     adaptiveCard `json:"content"`
}

// An adaptiveCard is what we need of https://adaptivecards.io/explorer/AdaptiveCard.html.
type adaptiveCard struct {
	Schema  string            `json:"$schema"`
	Type    string            `json:"type"`
	Version string            `json:"version"`
	MSTeams map[string]string `json:"msteams,omitempty"`
	Body    []richText        `json:"body"`
	Actions []cardAction      `json:"actions,omitempty"`
}

// richText is a paragraph (RichTextBlock).
type richText struct {
	Type    string    `json:"type"`
	Inlines []textRun `json:"inlines"`
	Spacing string    `json:"spacing,omitempty"`
}

type textRun struct {
	Type         string      `json:"type"`
	Text         string      `json:"text"`
	Size         string      `json:"size,omitempty"`
	Weight       string      `json:"weight,omitempty"`
	IsSubtle     bool        `json:"isSubtle,omitempty"`
	SelectAction *cardAction `json:"selectAction,omitempty"`
}

type cardAction struct {
	Type  string `json:"type"`
	Title string `json:"title,omitempty"`
	URL   string `json:"url"`
}

func teamsCompose(m Message) teamsMessage {
	card := adaptiveCard{Schema: "http://adaptivecards.io/schemas/adaptive-card.json", Type: "AdaptiveCard", Version: teamsCard, MSTeams: map[string]string{"width": "Full"}}
	switch {
	case m.Kind == feedonce.DeliverNotice:
		card.add("", textRun{Text: oneLine(m.Notice, 2000)})
		card.add("Small", textRun{Text: oneLine(m.From, maxName), Size: "Small", IsSubtle: true})
	case m.Digest:
		card.digest(m)
	default:
		card.article(m, m.Articles[0])
	}
	return teamsMessage{Type: "message", Attachments: []teamsAttachment{{ContentType: "application/vnd.microsoft.card.adaptive", Content: card}}}
}

func (c *adaptiveCard) article(m Message, a Article) {
	title := textRun{Text: heading(a), Size: "Medium", Weight: "Bolder"}
	if u := link(a.URL, maxLink, ""); u != "" {
		title.SelectAction = &cardAction{Type: "Action.OpenUrl", URL: u}
		c.Actions = append(c.Actions, cardAction{"Action.OpenUrl", "Read", u})
	}
	c.add("", title)
	small := present(byline(a), changed(m, a), alsoIn(a))
	c.add("Small", textRun{Text: strings.Join(small, " · "), Size: "Small", IsSubtle: true})
	text := body(a)
	if units(text) > 2000 {
		text = oneLine(text, 2000)
	}
	c.add("", textRun{Text: text})
	if u := link(a.Why, maxLink, ""); u != "" {
		c.Actions = append(c.Actions, cardAction{"Action.OpenUrl", "Why you got this", u})
	}
}

func (c *adaptiveCard) digest(m Message) {
	c.add("", textRun{Text: oneLine(m.Title, maxSubject), Size: "Large", Weight: "Bolder"})
	line := func(a Article, url string) richText {
		run := textRun{Text: oneLine(heading(a), maxListed)}
		if url != "" {
			run.SelectAction = &cardAction{Type: "Action.OpenUrl", URL: url}
		}
		runs := []textRun{run}
		if feed := oneLine(a.FeedName, maxName); feed != "" {
			runs = append(runs, textRun{Text: " · " + feed, IsSubtle: true})
		}
		return paragraphOf("Small", runs...)
	}
	// The lines are JSON here, so that what is measured is what is sent.
	asJSON := func(a Article, url string) string {
		b, err := marshal(line(a, url))
		if err != nil {
			return ""
		}
		return string(b)
	}
	l := listing{
		title:  func(a Article) string { return asJSON(a, "") },
		linked: func(a Article) string { return asJSON(a, link(a.URL, maxListedURL, "")) },
		size:   func(s string) int { return len(s) + 1 },
		room:   teamsBytes - 1500, // for what is around them
		most:   teamsLines,
	}
	lines, left := l.lines(m.Articles)
	for i, text := range lines {
		a, url := m.Articles[i], ""
		if u := link(a.URL, maxListedURL, ""); u != "" && text == l.linked(a) {
			url = u
		}
		c.Body = append(c.Body, line(a, url))
	}
	if left > 0 {
		c.add("Small", textRun{Text: more(left), IsSubtle: true})
	}
}

// add adds a paragraph, unless it is empty.
func (c *adaptiveCard) add(spacing string, run textRun) {
	if run.Text != "" {
		c.Body = append(c.Body, paragraphOf(spacing, run))
	}
}

func paragraphOf(spacing string, runs ...textRun) richText {
	for i := range runs {
		runs[i].Type = "TextRun"
		// {{DATE(…)}} and {{TIME(…)}} are the one thing that cards replace in a text run.
		runs[i].Text = strings.ReplaceAll(runs[i].Text, "{{", "{\u2060{")
	}
	return richText{Type: "RichTextBlock", Inlines: runs, Spacing: spacing}
}

// teamsJudge reads what the status does not say: a workflow that is switched off answers 400, and the older connectors of
// Microsoft 365 answer 200 with an error in words (the page about incoming webhooks, "rate limiting").
func teamsJudge(a answer) (Outcome, string) {
	var v struct {
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	text := string(a.body)
	_ = json.Unmarshal(a.body, &v) // what is no JSON has no code
	switch code := v.Error.Code; {
	case code == "WorkflowTriggerIsNotEnabled":
		return Gone, "the workflow is switched off in Teams: switch it on again"
	case code == "WorkflowNotFound":
		return Gone, "the workflow was deleted in Teams: make a new one"
	case code == "DirectApiAuthorizationRequired", code == "DirectApiInvalidAuthorizationScheme":
		return Gone, "the workflow wants people to log in: let anyone start it, or copy its address again"
	case a.status == http.StatusBadRequest && code != "":
		return Refused, fmt.Sprintf("Teams refuses the message (%s: %s)", excerpt(code), excerpt(v.Error.Message))
	case a.status/100 != 2:
		return "", ""
	case strings.Contains(text, "returned HTTP error 429"):
		return Retry, "Teams wants fewer messages"
	case strings.Contains(text, "returned HTTP error 413"):
		return Refused, "the message is too large for Teams"
	case strings.Contains(text, "Webhook message delivery failed"):
		return Retry, "Teams did not deliver the message (" + excerpt(text) + ")"
	}
	return "", ""
}
