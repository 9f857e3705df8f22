package dest

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"feedonce"
)

// Limits of ntfy, in bytes, from https://docs.ntfy.sh/publish/#limitations and its server: a longer message would become an
// attachment, and JSON may have twice the limit of a message.
const (
	ntfyMessage = 4096
	ntfyBody    = 2 * ntfyMessage
	ntfyTags    = 5 // our own bound
)

// Ntfy publishes to a topic of ntfy.sh or of one's own ntfy server, as JSON, so that nothing of an article is in a header.
//
// It is not idempotent: phones show every copy. ntfy.sh takes 60 requests at once and one every five seconds then.
var Ntfy = &Kind{
	Name:  "ntfy",
	About: "push messages to phones and desktops, by ntfy.sh or your own ntfy server",
	Fields: []Field{
		{Name: "server", About: "address of the server", Default: "https://ntfy.sh"},
		{Name: "topic", About: "name of the topic, such as my-feeds-b7x2; who knows it can read along, unless it is reserved", Required: true, Secret: true},
		{Name: "token", About: "access token, which begins with tk_", Secret: true},
		{Name: "username", About: "user name, instead of a token"},
		{Name: "password", About: "its password", Secret: true},
		{Name: "priority", About: "how loud: 1 (not at all) to 5 (very)", Default: "3", Values: []string{"1", "2", "3", "4", "5"}},
		{Name: "tags", About: "tags or names of emoji with commas between them, such as newspaper,work"},
	},
	Rate: feedonce.Rate{PerMinute: 12, Burst: 30},
	Open: openNtfy,
}

type ntfy struct {
	env      Env
	server   string
	topic    string
	auth     string
	priority int
	tags     []string
	hide     []string
}

// ntfyTopic is what the server takes for a topic (its server/server.go).
var ntfyTopic = regexp.MustCompile(`^[-_A-Za-z0-9]{1,64}$`)

func openNtfy(set Settings, env Env) (Sender, error) {
	n := &ntfy{env: env, server: cmp.Or(set["server"], "https://ntfy.sh"), topic: set["topic"], priority: int(cmp.Or(set["priority"], "3")[0] - '0')}
	if err := address("server", n.server); err != nil {
		return nil, err
	}
	// JSON goes to the root, whatever page the address was copied from.
	if before, found := strings.CutSuffix(strings.TrimRight(n.server, "/"), "/"+n.topic); found {
		n.server = before
	}
	n.server = strings.TrimRight(n.server, "/") + "/"
	switch {
	case !ntfyTopic.MatchString(n.topic):
		return nil, &feedonce.InvalidError{Field: "topic", Reason: "must be a name of at most 64 letters, digits, - and _, without the server's address"}
	case n.priority < 1 || n.priority > 5:
		return nil, &feedonce.InvalidError{Field: "priority", Reason: "must be a number from 1 to 5"}
	case set["token"] != "" && (set["username"] != "" || set["password"] != ""):
		return nil, &feedonce.InvalidError{Field: "token", Reason: "cannot be used together with username and password"}
	case set["token"] != "":
		if !plainASCII(set["token"]) {
			return nil, &feedonce.InvalidError{Field: "token", Reason: "must be copied as ntfy shows it, such as tk_…"}
		}
		n.auth = "Bearer " + set["token"]
	case (set["username"] == "") != (set["password"] == ""):
		return nil, &feedonce.InvalidError{Field: "password", Reason: "and username must be given together"}
	case set["username"] != "":
		n.auth = "Basic " + base64.StdEncoding.EncodeToString([]byte(set["username"]+":"+set["password"]))
	}
	n.hide = []string{n.topic, set["token"], set["password"], strings.TrimPrefix(n.auth, "Basic ")}
	for tag := range strings.SplitSeq(set["tags"], ",") {
		if tag = oneLine(tag, 50); tag != "" && len(n.tags) < ntfyTags && !slices.Contains(n.tags, tag) {
			n.tags = append(n.tags, tag)
		}
	}
	return n, nil
}

// plainASCII reports whether a text can stand in a header's value as it is, in one word.
func plainASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

type ntfyPublish struct {
	Topic    string   `json:"topic"`
	Title    string   `json:"title,omitempty"`
	Message  string   `json:"message"`
	Tags     []string `json:"tags,omitempty"`
	Priority int      `json:"priority"`
	Click    string   `json:"click,omitempty"`
}

func (n *ntfy) Preview(m Message) (Preview, error) {
	v := n.compose(m)
	v.Topic = "••••"
	if n.auth == "" {
		return preview(n.server, v)
	}
	scheme, _, _ := strings.Cut(n.auth, " ")
	return preview(n.server, v, [2]string{"Authorization", scheme + " ••••"})
}

func (n *ntfy) Send(ctx context.Context, m Message) Result {
	r, err := jsonRequest(n.server, n.compose(m))
	if err != nil {
		return Result{Outcome: Refused, Err: err}
	}
	r.hide, r.fresh, r.judge = n.hide, true, ntfyJudge
	if n.auth != "" {
		r.header.Set("Authorization", n.auth)
	}
	return send(ctx, n.env, r)
}

func (n *ntfy) compose(m Message) ntfyPublish {
	p := ntfyPublish{Topic: n.topic, Title: subject(m), Tags: n.tags, Priority: n.priority}
	// What has to be escaped takes two bytes or six in JSON: shorter, until all of it fits.
	for room := ntfyMessage; ; room -= room / 4 {
		p.Message, p.Click = ntfyText(m, room)
		if b, err := marshal(p); err != nil || len(b) <= ntfyBody || room < 100 {
			return p
		}
	}
}

// ntfyText is a message of at most so many bytes, and where a tap on it leads.
func ntfyText(m Message, room int) (text, click string) {
	switch {
	case m.Kind == feedonce.DeliverNotice:
		return cut(plainLines(m.Notice), room), ""
	case m.Digest:
		line := func(a Article) string { return "• " + oneLine(heading(a), maxListed) }
		l := listing{
			title: line,
			linked: func(a Article) string {
				if u := link(a.URL, maxListedURL, ""); u != "" {
					return line(a) + "\n" + u
				}
				return line(a)
			},
			size: func(s string) int { return len(s) + 1 },
			room: room - len(more(10000)) - 1,
		}
		lines, left := l.lines(m.Articles)
		if left > 0 {
			lines = append(lines, more(left))
		}
		return strings.Join(lines, "\n"), ""
	}
	a := m.Articles[0]
	small := cut(strings.Join(present(byline(a), changed(m, a), alsoIn(a)), " · "), room/4)
	text = body(a)
	if n := room - len(small) - 2; len(text) > n {
		text = strings.TrimSpace(cut(text, n-len("…"))) + "…"
	}
	return strings.Join(present(text, small), "\n\n"), link(a.URL, maxLink, "")
}

// ntfyJudge reads ntfy's own error codes (its server/errors.go).
func ntfyJudge(a answer) (Outcome, string) {
	var v struct {
		Code  int    `json:"code"`
		Error string `json:"error"`
	}
	if json.Unmarshal(a.body, &v) != nil {
		if a.status == http.StatusOK {
			return Gone, "no ntfy server answers at this address, but something else: look whether it is right"
		}
		return "", ""
	}
	switch {
	case v.Code == 42908: // the messages of a day are used up
		*a.after = max(*a.after, time.Hour)
		return Retry, "ntfy takes no more messages today (" + excerpt(v.Error) + ")"
	case v.Code == 40101 || v.Code == 40301:
		return Gone, "ntfy does not let this user publish to the topic: look at topic, token, username and password"
	case v.Code == 40009 || v.Code == 40010:
		return Gone, "ntfy does not take this topic: choose another name"
	case a.status == http.StatusBadRequest && v.Error != "":
		return Refused, "ntfy refuses the message (" + excerpt(v.Error) + ")"
	}
	return "", ""
}
