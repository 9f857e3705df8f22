package dest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"feedonce"
)

// Limits of Slack, from https://docs.slack.dev/reference/block-kit/blocks (header, section, context), and
// https://docs.slack.dev/apis/web-api/rate-limits for the rate: one message in a second, with short bursts above it.
const (
	slackBlocks  = 50   // blocks of a message
	slackSection = 3000 // characters of a section's text
	slackHeader  = 150  // characters of a header
	slackText    = 4000 // characters of the text for notifications that are not cut off
	// slackContext is our own bound of the small print, which may have 3000 characters.
	slackContext = 1000
	// slackList is how much text a digest may have. Each section can be filled at least by half, so the blocks are enough.
	slackList = (slackBlocks - 2) * slackSection / 2
	// slackShort is how much it has where Slack calls that too long, which is undocumented, and was seen from 12,000
	// characters on (https://github.com/slackapi/bolt-js/issues/2509).
	slackShort = 9000
)

// Slack posts to a channel by an incoming webhook, as blocks (Block Kit).
//
// It is not idempotent: Slack shows every copy. Pictures are left out on purpose: Slack fetches them when it gets the
// message, and refuses all of it where one cannot be had.
var Slack = &Kind{
	Name:  "slack",
	About: "a Slack channel, by an incoming webhook",
	Fields: []Field{
		{Name: "url", About: "address of the incoming webhook, such as https://hooks.slack.com/services/T…/B…/…", Required: true, Secret: true},
	},
	Rate: feedonce.Rate{PerMinute: 60, Burst: 3},
	Open: func(set Settings, env Env) (Sender, error) {
		return &slackSender{env, set["url"]}, address("url", set["url"])
	},
}

type slackSender struct {
	env Env
	url string
}

func (s *slackSender) Preview(m Message) (Preview, error) {
	return preview(s.url, slackMessage(m, slackList))
}

func (s *slackSender) Send(ctx context.Context, m Message) Result {
	res := s.send(ctx, m, slackList)
	if m.Digest && res.Outcome == Refused && strings.Contains(res.Excerpt, "too_long") {
		res = s.send(ctx, m, slackShort) // nothing of the first was shown
	}
	return res
}

func (s *slackSender) send(ctx context.Context, m Message, list int) Result {
	r, err := jsonRequest(s.url, slackMessage(m, list))
	if err != nil {
		return Result{Outcome: Refused, Err: err}
	}
	r.fresh, r.judge = true, slackJudge
	return send(ctx, s.env, r)
}

type slackPost struct {
	Text        string        `json:"text"` // for notifications
	Parse       string        `json:"parse"`
	UnfurlLinks bool          `json:"unfurl_links"`
	UnfurlMedia bool          `json:"unfurl_media"`
	Blocks      []*slackBlock `json:"blocks"`
}

// slackBlock is a header or a section, which have a text, or a context, which has elements.
type slackBlock struct {
	Type     string       `json:"type"`
	Text     *slackWords  `json:"text,omitempty"`
	Elements []slackWords `json:"elements,omitempty"`
}

// slackWords are plain_text, in which Emoji would make pictures of names between colons, or mrkdwn, in which names and
// addresses are looked for unless it is Verbatim.
type slackWords struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Emoji    *bool  `json:"emoji,omitempty"`
	Verbatim bool   `json:"verbatim,omitempty"`
}

func slackPlain(text string) *slackWords {
	return &slackWords{Type: "plain_text", Text: text, Emoji: new(bool)}
}

// slackMessage writes a message; a digest's list has at most so many characters.
func slackMessage(m Message, list int) slackPost {
	var blocks []*slackBlock
	switch {
	case m.Kind == feedonce.DeliverNotice:
		blocks = append(blocks, slackPlainSection(m.Notice), slackSmall(slackEscape(oneLine(m.From, maxName))))
	case m.Digest:
		blocks = slackDigest(m, list)
	default:
		blocks = slackArticle(m, m.Articles[0])
	}
	blocks = slices.DeleteFunc(blocks, func(b *slackBlock) bool { return b == nil })
	return slackPost{Text: within(subject(m), slackText, slackEscape), Parse: "none", Blocks: blocks}
}

func slackArticle(m Message, a Article) []*slackBlock {
	title := within(heading(a), slackSection/3, slackEscape)
	if u := slackLink(a.URL, slackSection/2); u != "" {
		title = "<" + u + "|" + title + ">"
	}
	small := present(slackEscape(byline(a)), slackEscape(changed(m, a)), slackEscape(alsoIn(a)))
	if u := slackLink(a.Why, slackContext/2); u != "" {
		small = append(small, "<"+u+"|Why you got this>")
	}
	return []*slackBlock{slackMarkup("*" + title + "*"), slackPlainSection(body(a)), slackSmall(small...)}
}

func slackDigest(m Message, room int) []*slackBlock {
	from := func(a Article) string {
		if feed := within(a.FeedName, maxName, slackEscape); feed != "" {
			return " · " + feed
		}
		return ""
	}
	title := func(a Article) string { return within(heading(a), maxListed, slackEscape) }
	l := listing{
		title: func(a Article) string { return "• " + title(a) + from(a) },
		linked: func(a Article) string {
			u := slackLink(a.URL, maxListedURL)
			if u == "" {
				return "• " + title(a) + from(a)
			}
			return "• <" + u + "|" + title(a) + ">" + from(a)
		},
		size: func(s string) int { return units(s) + 1 },
		room: room,
	}
	lines, left := l.lines(m.Articles)
	blocks := []*slackBlock{slackHead(m.Title)}
	for _, text := range chunks(lines, slackSection) {
		blocks = append(blocks, slackMarkup(text))
	}
	if left > 0 {
		blocks = append(blocks, slackSmall(more(left)))
	}
	return blocks
}

// slackHead is a header, or nil where there is nothing to write.
func slackHead(text string) *slackBlock {
	if text = within(text, slackHeader, asIs); text == "" {
		return nil
	}
	return &slackBlock{Type: "header", Text: slackPlain(text)}
}

// slackMarkup is text that is escaped already, with links.
func slackMarkup(mrkdwn string) *slackBlock {
	return &slackBlock{Type: "section", Text: &slackWords{Type: "mrkdwn", Text: mrkdwn, Verbatim: true}}
}

// slackPlainSection is text in which nothing means anything, or nil.
func slackPlainSection(text string) *slackBlock {
	text = plainLines(text)
	if units(text) > slackSection {
		text = within(text, slackSection, asIs)
	}
	if text == "" {
		return nil
	}
	return &slackBlock{Type: "section", Text: slackPlain(text)}
}

// slackSmall is a line of small print of escaped parts, or nil. Parts that do not fit are left out.
func slackSmall(parts ...string) *slackBlock {
	line := ""
	for _, p := range parts {
		if line != "" {
			p = " · " + p
		}
		if units(line)+units(p) <= slackContext {
			line += p
		}
	}
	if line == "" {
		return nil
	}
	return &slackBlock{Type: "context", Elements: []slackWords{{Type: "mrkdwn", Text: line, Verbatim: true}}}
}

var slackEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// slackEscape writes a text so that it mentions nobody and links nowhere
// (https://docs.slack.dev/messaging/formatting-message-text). Signs of emphasis have no escape in mrkdwn: where one could
// begin or end some, at the edge of a word, a sign that looks alike takes its place.
func slackEscape(s string) string {
	runes := []rune(s)
	out := slices.Clone(runes)
	edge := func(i int) bool {
		return i < 0 || i >= len(runes) || !unicode.IsLetter(runes[i]) && !unicode.IsNumber(runes[i])
	}
	for i, r := range runes {
		if like, ok := slackAlike[r]; ok && (edge(i-1) || edge(i+1) || r == '`') {
			out[i] = like
		}
	}
	return slackEscaper.Replace(string(out))
}

var slackAlike = map[rune]rune{'*': '∗', '_': 'ˍ', '~': '∼', '`': 'ˋ'}

// slackLink is an address for <address|text>, or "".
func slackLink(u string, max int) string {
	u = slackEscaper.Replace(link(u, max, ""))
	if len(u) > max {
		return ""
	}
	return u
}

// What Slack answers in words, from https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks (handling
// errors) and the Web API's errors of chat.postMessage.
var slackErrors = map[string]struct {
	outcome Outcome
	why     string
}{
	"no_service":                        {Gone, "the webhook was removed or switched off in Slack: make a new one"},
	"no_service_id":                     {Gone, "the webhook's address is incomplete: copy it from Slack again"},
	"no_active_hooks":                   {Gone, "the webhook was switched off in Slack: make a new one"},
	"no_team":                           {Gone, "Slack knows no such workspace"},
	"team_disabled":                     {Gone, "the workspace is not active any more"},
	"invalid_token":                     {Gone, "the webhook's address is wrong or no longer valid: copy it from Slack again"},
	"channel_not_found":                 {Gone, "the webhook's channel does not exist any more"},
	"user_not_found":                    {Gone, "the webhook's user does not exist any more"},
	"channel_is_archived":               {Gone, "the webhook's channel is archived: open it again, or make a webhook for another one"},
	"is_archived":                       {Gone, "the webhook's channel is archived: open it again, or make a webhook for another one"},
	"action_prohibited":                 {Gone, "an admin does not allow this webhook to post there"},
	"posting_to_general_channel_denied": {Gone, "an admin does not allow posting to that channel"},
	"rate_limited":                      {Retry, "Slack wants fewer messages"},
	"ratelimited":                       {Retry, "Slack wants fewer messages"},
	"rollup_error":                      {Retry, "Slack failed"},
	"internal_error":                    {Retry, "Slack failed"},
	"fatal_error":                       {Retry, "Slack failed"},
	"service_unavailable":               {Retry, "Slack is not available"},
	"request_timeout":                   {Retry, "Slack did not get the whole message"},
}

var slackWord = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)+$`)

// slackJudge reads Slack's answer, which is "ok" or the name of an error, possibly under status 200. Programs that take
// Slack's messages answer in JSON, too.
func slackJudge(a answer) (Outcome, string) {
	text := strings.TrimSpace(string(a.body))
	name := text
	var v struct {
		OK      *bool  `json:"ok"`
		Success *bool  `json:"success"`
		Error   string `json:"error"`
	}
	if json.Unmarshal(a.body, &v) == nil && (v.OK != nil && !*v.OK || v.Success != nil && !*v.Success) {
		if name = v.Error; name == "" {
			name = "an error without a name"
		}
	} else if a.status/100 == 2 && !slackWord.MatchString(name) {
		if strings.HasPrefix(text, "<") {
			return Gone, "a web page answers at this address: it is no incoming webhook"
		}
		return "", ""
	}
	if e, ok := slackErrors[name]; ok {
		return e.outcome, fmt.Sprintf("%s (Slack says %s)", e.why, name)
	}
	if a.status/100 == 2 || a.status == http.StatusBadRequest {
		return Refused, "Slack refuses the message (" + excerpt(name) + ")"
	}
	return "", ""
}
