package dest_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/http"
	"net/mail"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"feedonce"
	"feedonce/internal/dest"
	"feedonce/internal/dest/desttest"
)

var now = time.Date(2026, 3, 4, 9, 30, 0, 0, time.UTC)

func testEnv() dest.Env {
	return dest.Env{
		Client: http.DefaultClient, Dial: new(net.Dialer).DialContext, Exec: true,
		Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return now },
	}
}

func article() dest.Article {
	return dest.Article{
		Entry: 7, ID: "urn:uuid:0b3f9c62-7d53-5f0e-9c0a-1f2e3d4c5b6a", Feed: 3, FeedName: "Harbour News", FeedURL: "https://harbour.example/feed.xml",
		GUID: "tag:harbour.example,2026:42", URL: "https://harbour.example/ferry?id=42&lang=en", Title: "The ferry sails again", Author: "Jo Müller",
		Text: "After three weeks in the dock the ferry is back.", Lang: "en",
		HTML:      `<p>After three weeks in the dock the <a href="https://harbour.example/ferry">ferry</a> is back.</p><p><img src="https://cdn.example/ferry.jpg" alt="The ferry"></p><ul><li>First trip: 06:00</li><li>Last trip: 22:00</li></ul>`,
		Published: time.Date(2026, 3, 4, 8, 0, 0, 0, time.UTC), FirstSeen: now, Also: []string{"Coast Daily", "Island Post"},
		Why:        "https://feeds.example.org/entries/7",
		Enclosures: []feedonce.Enclosure{{URL: "https://cdn.example/talk.mp3", Type: "audio/mpeg", Length: 12 << 20}},
	}
}

func newMessage() dest.Message {
	return dest.Message{Key: "msg_k3n8_12", Kind: feedonce.DeliverNew, Created: now, From: "feedonce", Articles: []dest.Article{article()}}
}

func openKind(t *testing.T, name string, set dest.Settings) dest.Sender {
	t.Helper()
	k := dest.ByName(name)
	if k == nil {
		t.Fatalf("there is no kind %s", name)
	}
	s, err := k.Open(set, testEnv())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mailSettings(s *desttest.SMTP, more dest.Settings) dest.Settings {
	set := dest.Settings{"host": s.Host, "port": s.Port, "ca": s.CA, "from": "feeds@example.org", "to": "jo@example.org"}
	for k, v := range more {
		set[k] = v
	}
	return set
}

// received is a message as a mail program reads it.
type received struct {
	mail.Header
	text, html string
}

func read(t *testing.T, raw []byte) received {
	t.Helper()
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Fatalf("content type %s, %v", m.Header.Get("Content-Type"), err)
	}
	r := received{Header: m.Header}
	parts := multipart.NewReader(m.Body, params["boundary"])
	var kinds []string
	for {
		p, err := parts.NextRawPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Header.Get("Content-Transfer-Encoding"); got != "quoted-printable" {
			t.Errorf("a part is encoded as %q", got)
		}
		b, err := io.ReadAll(quotedprintable.NewReader(p))
		if err != nil || !utf8.Valid(b) {
			t.Errorf("a part cannot be decoded: %v", err)
		}
		kind, params, err := mime.ParseMediaType(p.Header.Get("Content-Type"))
		if err != nil || !strings.EqualFold(params["charset"], "utf-8") {
			t.Errorf("a part is %q, %v", p.Header.Get("Content-Type"), err)
		}
		kinds = append(kinds, kind)
		if kind == "text/html" {
			r.html = string(b)
		} else {
			r.text = string(b)
		}
	}
	if want := []string{"text/plain", "text/html"}; !cmp.Equal(kinds, want) {
		t.Errorf("parts are %v, want %v", kinds, want)
	}
	return r
}

func (r received) subject(t *testing.T) string {
	t.Helper()
	s, err := new(mime.WordDecoder).DecodeHeader(r.Get("Subject"))
	if err != nil {
		t.Errorf("the subject %q: %v", r.Get("Subject"), err)
	}
	return s
}

func TestEmailArrives(t *testing.T) {
	s := desttest.NewSMTP(t, desttest.SMTPOptions{User: "feeds", Password: "s3cr+t péss"})
	sender := openKind(t, "email", mailSettings(s, dest.Settings{"username": "feeds", "password": "s3cr+t péss", "from": "Fééds <feeds@example.org>"}))
	res := sender.Send(t.Context(), newMessage())
	if res.Outcome != dest.Sent || res.Err != nil || res.Status != 250 {
		t.Fatalf("%+v", res)
	}
	mails := s.Mails()
	if len(mails) != 1 {
		t.Fatalf("%d mails", len(mails))
	}
	got := mails[0]
	if got.From != "feeds@example.org" || !cmp.Equal(got.To, []string{"jo@example.org"}) || !got.Secure || got.How != "SCRAM-SHA-256" {
		t.Errorf("envelope: %+v", got)
	}
	r := read(t, got.Raw)
	if d := cmp.Diff(map[string]string{
		"Message-Id":       "<msg_k3n8_12@example.org>",
		"References":       "<0b3f9c62-7d53-5f0e-9c0a-1f2e3d4c5b6a.article@example.org>",
		"In-Reply-To":      "",
		"Date":             "Wed, 04 Mar 2026 09:30:00 +0000",
		"To":               "<jo@example.org>",
		"Auto-Submitted":   "auto-generated",
		"List-Id":          "<feeds.example.org>",
		"List-Unsubscribe": "<mailto:feeds@example.org?subject=unsubscribe>",
		"X-Rss-Feed":       "https://harbour.example/feed.xml",
		"Mime-Version":     "1.0",
		"Bcc":              "",
		"Subject":          "The ferry sails again",
	}, headers(r, "Message-Id", "References", "In-Reply-To", "Date", "To", "Auto-Submitted", "List-Id", "List-Unsubscribe", "X-Rss-Feed", "Mime-Version", "Bcc", "Subject")); d != "" {
		t.Errorf("headers (-want +got):\n%s", d)
	}
	if from, err := r.AddressList("From"); err != nil || from[0].Name != "Fééds" {
		t.Errorf("from %v, %v", from, err)
	}
	for _, want := range []string{"The ferry sails again", "Harbour News · Jo Müller · 4 March 2026, 08:00 UTC", "https://harbour.example/ferry?id=42&lang=en",
		"- First trip: 06:00", "[picture: The ferry]", "[1] https://harbour.example/ferry", "Also in Coast Daily, Island Post.", "Why you got this: https://feeds.example.org/entries/7",
		"Attached: https://cdn.example/talk.mp3", "To unsubscribe: mailto:"} {
		if !strings.Contains(r.text, want) {
			t.Errorf("the text lacks %q:\n%s", want, r.text)
		}
	}
	for _, want := range []string{`<html lang="en">`, `<a href="https://harbour.example/ferry?id=42&amp;lang=en"`, "<li>First trip: 06:00</li>", "Also in Coast Daily, Island Post.",
		`href="https://feeds.example.org/entries/7"`, `<a href="https://cdn.example/talk.mp3">talk.mp3</a> (audio/mpeg, 12 MB)`, `<a href="https://cdn.example/ferry.jpg">[picture: The ferry]</a>`} {
		if !strings.Contains(r.html, want) {
			t.Errorf("the HTML lacks %q:\n%s", want, r.html)
		}
	}
	if strings.Contains(r.html, "<img") || strings.Contains(r.html, "ZgotmplZ") {
		t.Errorf("the HTML loads a picture, or has lost something:\n%s", r.html)
	}
}

func headers(r received, names ...string) map[string]string {
	out := map[string]string{}
	for _, n := range names {
		out[n] = r.Get(n)
	}
	return out
}

func TestEmailLogsIn(t *testing.T) {
	for _, how := range []string{"PLAIN", "LOGIN", "SCRAM-SHA-1", "SCRAM-SHA-256"} {
		t.Run(how, func(t *testing.T) {
			s := desttest.NewSMTP(t, desttest.SMTPOptions{User: "jo", Password: "hunter2", TLS: how == "LOGIN"})
			set := mailSettings(s, dest.Settings{"username": "jo", "password": "hunter2", "auth": strings.ToLower(how)})
			if how == "LOGIN" {
				set["tls"] = "tls"
			}
			if res := openKind(t, "email", set).Send(t.Context(), newMessage()); res.Outcome != dest.Sent {
				t.Fatalf("%+v", res)
			}
			if m := s.Mails()[0]; m.How != how || m.User != "jo" || !m.Secure {
				t.Errorf("logged in as %q with %s, encrypted %v", m.User, m.How, m.Secure)
			}
			set["password"] = "hunter3"
			res := openKind(t, "email", set).Send(t.Context(), newMessage())
			if res.Outcome != dest.Gone || res.Status != 535 || strings.Contains(res.Err.Error()+res.Excerpt, "hunter3") {
				t.Errorf("with a wrong password: %+v", res)
			}
		})
	}
	s := desttest.NewSMTP(t, desttest.SMTPOptions{User: "jo", Password: "hunter2", Mechanisms: []string{"PLAIN"}})
	if res := openKind(t, "email", mailSettings(s, nil)).Send(t.Context(), newMessage()); res.Outcome != dest.Gone || res.Status != 530 {
		t.Errorf("without a log-in that the server wants: %+v", res)
	}
	set := mailSettings(s, dest.Settings{"username": "jo", "password": "hunter2", "auth": "scram-sha-256"})
	if res := openKind(t, "email", set).Send(t.Context(), newMessage()); res.Outcome != dest.Gone || !strings.Contains(res.Err.Error(), "PLAIN") {
		t.Errorf("a way to log in that the server does not offer: %+v", res)
	}
}

func TestEmailFailures(t *testing.T) {
	for name, c := range map[string]struct {
		fail    func(step, address string) error
		outcome dest.Outcome
		status  int
	}{
		"421 at the greeting":      {desttest.At("hello", desttest.SMTPReply(421, "too busy")), dest.Retry, 421},
		"554 at the greeting":      {desttest.At("hello", desttest.SMTPReply(554, "no service here")), dest.Retry, 554},
		"dropped at the greeting":  {desttest.At("hello", desttest.ErrDrop), dest.Retry, 0},
		"550 for the sender":       {desttest.At("mail", desttest.SMTPReply(550, "not you")), dest.Refused, 550},
		"530 for the sender":       {desttest.At("mail", desttest.SMTPReply(530, "log in")), dest.Gone, 530},
		"451 for the recipient":    {desttest.At("rcpt", desttest.SMTPReply(451, "greylisted")), dest.Retry, 451},
		"550 for the recipient":    {desttest.At("rcpt", desttest.SMTPReplyEnhanced(550, [3]int{5, 7, 1}, "not from you")), dest.Refused, 550},
		"no such recipient":        {desttest.At("rcpt", desttest.SMTPReplyEnhanced(550, [3]int{5, 1, 1}, "no such user")), dest.Gone, 550},
		"dropped at the recipient": {desttest.At("rcpt", desttest.ErrDrop), dest.Retry, 0},
		"451 for the message":      {desttest.At("accepted", desttest.SMTPReply(451, "try later")), dest.Retry, 451},
		"421 for the message":      {desttest.At("accepted", desttest.SMTPReply(421, "shutting down")), dest.Retry, 421},
		"550 for the message":      {desttest.At("accepted", desttest.SMTPReply(550, "spam")), dest.Refused, 550},
		"dropped after the dot":    {desttest.At("accepted", desttest.ErrDrop), dest.Unknown, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := desttest.NewSMTP(t, desttest.SMTPOptions{Fail: c.fail})
			sender := openKind(t, "email", mailSettings(s, nil))
			res := sender.Send(t.Context(), newMessage())
			if res.Outcome != c.outcome || res.Status != c.status || res.Err == nil || len(s.Mails()) != 0 {
				t.Errorf("%+v (error %v), want %s with status %d; %d mails", res, res.Err, c.outcome, c.status, len(s.Mails()))
			}
			s.SetFail(nil)
			if res := sender.Send(t.Context(), newMessage()); res.Outcome != dest.Sent {
				t.Errorf("afterwards: %+v", res)
			}
		})
	}
}

func TestEmailWithoutAnAnswerIsUnknown(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := desttest.NewSMTP(t, desttest.SMTPOptions{Fail: func(step, _ string) error {
		if step == "accepted" {
			cancel()
			return desttest.ErrHang
		}
		return nil
	}})
	res := openKind(t, "email", mailSettings(s, nil)).Send(ctx, newMessage())
	if res.Outcome != dest.Unknown || s.Written() != 1 {
		t.Errorf("%+v; %d messages written", res, s.Written())
	}
	ctx, cancel = context.WithCancel(t.Context())
	s.SetFail(func(step, _ string) error {
		cancel()
		return desttest.ErrHang
	})
	if res := openKind(t, "email", mailSettings(s, nil)).Send(ctx, newMessage()); res.Outcome != dest.Retry {
		t.Errorf("no answer before the message: %+v", res)
	}
}

func TestEmailIsEncryptedOrNotSent(t *testing.T) {
	plain := desttest.NewSMTP(t, desttest.SMTPOptions{NoSTARTTLS: true})
	if res := openKind(t, "email", mailSettings(plain, nil)).Send(t.Context(), newMessage()); res.Outcome != dest.Gone || !strings.Contains(res.Err.Error(), "STARTTLS") {
		t.Errorf("a server without encryption: %+v", res)
	}
	if res := openKind(t, "email", mailSettings(plain, dest.Settings{"tls": "none"})).Send(t.Context(), newMessage()); res.Outcome != dest.Sent {
		t.Errorf("a server without encryption that was allowed: %+v", res)
	}
	if n := len(plain.Mails()); n != 1 {
		t.Errorf("%d mails, want 1", n)
	}
	strange := desttest.NewSMTP(t, desttest.SMTPOptions{})
	for _, ca := range []string{"", plain.CA} {
		if res := openKind(t, "email", mailSettings(strange, dest.Settings{"ca": ca})).Send(t.Context(), newMessage()); res.Outcome != dest.Retry || !strings.Contains(res.Err.Error(), "cannot be trusted") {
			t.Errorf("a server with a certificate nobody knows: %+v", res)
		}
	}
	if n := len(strange.Mails()); n != 0 {
		t.Errorf("%d mails were sent to it", n)
	}
}

func TestEmailToSeveral(t *testing.T) {
	fail := func(step, address string) error {
		switch {
		case step == "rcpt" && address == "full@example.org":
			return desttest.SMTPReply(452, "mailbox full")
		case step == "rcpt" && address == "gone@example.org":
			return desttest.SMTPReplyEnhanced(550, [3]int{5, 1, 1}, "no such user")
		}
		return nil
	}
	s := desttest.NewSMTP(t, desttest.SMTPOptions{})
	sender := openKind(t, "email", mailSettings(s, dest.Settings{"to": "Jo <jo@example.org>, full@example.org\ngone@example.org"}))
	if res := sender.Send(t.Context(), newMessage()); res.Outcome != dest.Sent {
		t.Fatalf("%+v", res)
	}
	m := s.Mails()[0]
	if d := cmp.Diff([]string{"jo@example.org", "full@example.org", "gone@example.org"}, m.To); d != "" {
		t.Error(d)
	}
	r := read(t, m.Raw)
	if to := r.Get("To"); to != "undisclosed-recipients:;" || bytes.Contains(m.Raw, []byte("jo@example.org")) {
		t.Errorf("recipients see each other: To: %s\n%s", to, m.Raw)
	}
	s.SetFail(fail)
	if res := sender.Send(t.Context(), newMessage()); res.Outcome != dest.Retry || res.Status != 452 || len(s.Mails()) != 1 {
		t.Errorf("one mailbox is full: %+v, %d mails", res, len(s.Mails()))
	}
	old := newMessage()
	old.Created = now.Add(-2 * time.Hour)
	res := sender.Send(t.Context(), old)
	if res.Outcome != dest.Sent || !strings.Contains(res.Excerpt, "full@example.org") || !strings.Contains(res.Excerpt, "gone@example.org") {
		t.Errorf("one mailbox is full for two hours: %+v", res)
	}
	if d := cmp.Diff([]string{"jo@example.org"}, s.Mails()[1].To); d != "" {
		t.Error(d)
	}
}

// Titles, names and addresses come from strangers.
func TestEmailHostileTitles(t *testing.T) {
	s := desttest.NewSMTP(t, desttest.SMTPOptions{})
	sender := openKind(t, "email", mailSettings(s, nil))
	long := strings.Repeat("Lorem ipsum dolor ", 600)
	for _, c := range []struct{ name, title, subject string }{
		{"header injection", "News\r\nBcc: all@example.org\r\n\r\n<b>body</b>", "News Bcc: all@example.org <b>body</b>"},
		{"bare LF and CR", "a\nX-Evil: 1\rb", "a X-Evil: 1 b"},
		{"NUL and escape", "a\x00b\x1b[31mc\u0085d", "ab[31mc d"},
		{"right to left", "\u202egpj.exe \u2066abc", "gpj.exe abc"},
		{"Hebrew", "חדשות היום", "חדשות היום"},
		{"line separators", "a\u2028b\u2029c", "a b c"},
		{"emoji", "👩‍👩‍👧 and 🇩🇪 news", "👩‍👩‍👧 and 🇩🇪 news"},
		{"encoded word of its own", "=?utf-8?q?Bcc:_x?=", "=?utf-8?q?Bcc:_x?="},
		{"10 kB of words", long, ""},
		{"10 kB without a space", strings.Repeat("x", 10<<10), ""},
		{"10 kB of emoji", strings.Repeat("👩‍👩‍👧", 600), ""},
		{"10 kB of accents", "z" + strings.Repeat("\u0301", 5000), ""},
		{"not UTF-8", "caf\xe9", "caf\ufffd"},
		{"nothing", "", "After three weeks in the dock the ferry is back."},
		{"only spaces", " \t\r\n ", "After three weeks in the dock the ferry is back."},
		{"markup", "</title><script>alert(1)</script>", "</title><script>alert(1)</script>"},
		{"dots", ".\r\n.\r\nQUIT", ". . QUIT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := len(s.Mails())
			m := newMessage()
			m.From = c.title
			a := &m.Articles[0]
			a.Title, a.FeedName, a.Author, a.Also, a.FeedURL = c.title, c.title, c.title, []string{c.title}, c.title
			a.URL = "https://harbour.example/?q=" + c.title
			if res := sender.Send(t.Context(), m); res.Outcome != dest.Sent {
				t.Fatalf("%+v: %v", res, res.Err)
			}
			mails := s.Mails()
			if len(mails) != before+1 || !cmp.Equal(mails[before].To, []string{"jo@example.org"}) {
				t.Fatalf("%d mails more, to %v", len(mails)-before, mails[before].To)
			}
			r := read(t, mails[before].Raw)
			got := r.subject(t)
			if c.subject != "" && got != c.subject {
				t.Errorf("the subject is %q, want %q", got, c.subject)
			}
			if n := utf8.RuneCountInString(got); n == 0 || n > 150 {
				t.Errorf("the subject has %d characters", n)
			}
			for name := range r.Header {
				switch name {
				case "Auto-Submitted", "Content-Type", "Date", "From", "List-Id", "List-Unsubscribe", "Message-Id", "Mime-Version", "References", "Subject", "To", "User-Agent",
					"X-Auto-Response-Suppress", "X-Mailer", "X-Rss-Feed":
				default:
					t.Errorf("a header %s that nobody made: %q", name, r.Header[name])
				}
			}
			for name, v := range r.Header {
				if len(v) != 1 {
					t.Errorf("%d headers %s", len(v), name)
				}
			}
			if from, err := r.AddressList("From"); err != nil || len(from) != 1 || from[0].Address != "feeds@example.org" {
				t.Errorf("from %q, %v", r.Get("From"), err)
			}
			if strings.Contains(r.html, "<script>") || strings.ContainsAny(r.text, "\x00\x1b") {
				t.Errorf("the body:\n%s\n%s", r.html, r.text)
			}
		})
	}
}

func TestEmailUpdateIsInTheThread(t *testing.T) {
	s := desttest.NewSMTP(t, desttest.SMTPOptions{})
	sender := openKind(t, "email", mailSettings(s, nil))
	first, update := newMessage(), newMessage()
	update.Key, update.First, update.Kind = "msg_k3n8_20", first.Key, feedonce.DeliverUpdate
	update.Articles[0].Changed = []string{"title", "content"}
	for _, m := range []dest.Message{first, first, update} {
		if res := sender.Send(t.Context(), m); res.Outcome != dest.Sent {
			t.Fatalf("%+v", res)
		}
	}
	mails := s.Mails()
	if !bytes.Equal(mails[0].Raw, mails[1].Raw) {
		t.Error("two attempts of one message differ")
	}
	a, b := read(t, mails[0].Raw), read(t, mails[2].Raw)
	if b.Get("In-Reply-To") != a.Get("Message-Id") || b.Get("References") != a.Get("References")+" "+a.Get("Message-Id") || b.Get("Message-Id") == a.Get("Message-Id") {
		t.Errorf("the update answers %q and refers to %q; the first is %q and refers to %q", b.Get("In-Reply-To"), b.Get("References"), a.Get("Message-Id"), a.Get("References"))
	}
	if b.subject(t) != "Updated: The ferry sails again" || !strings.Contains(b.text, "Changed: title, content.") || !strings.Contains(b.html, "Changed: title, content.") {
		t.Errorf("%s\n%s", b.subject(t), b.text)
	}
}

func TestEmailDigestAndNotice(t *testing.T) {
	s := desttest.NewSMTP(t, desttest.SMTPOptions{})
	sender := openKind(t, "email", mailSettings(s, nil))
	other := article()
	other.Title, other.FeedName, other.URL = "Tide tables", "Island Post", "https://island.example/tides"
	digest := dest.Message{Key: "msg_k3n8_b1_12", Kind: feedonce.DeliverNew, Created: now.Add(-20 * time.Hour), Digest: true, Title: "Morning\r\nmail", From: "feedonce",
		Articles: []dest.Article{article(), other, article()}}
	notice := dest.Message{Key: "msg_k3n8_30", Kind: feedonce.DeliverNotice, Created: now, From: "feedonce", Notice: "Feed Harbour News has 300 new articles at once; see feedonce deliveries."}
	for _, m := range []dest.Message{digest, notice} {
		if res := sender.Send(t.Context(), m); res.Outcome != dest.Sent {
			t.Fatalf("%+v", res)
		}
	}
	r := read(t, s.Mails()[0].Raw)
	if got := r.subject(t); got != "Morning mail: 3 articles" {
		t.Errorf("the digest's subject is %q", got)
	}
	if strings.Count(r.html, "Harbour News</h2>") != 1 || strings.Count(r.html, "The ferry sails again</a></h3>") != 2 || !strings.Contains(r.text, "== Island Post ==") || !strings.Contains(r.text, "https://island.example/tides") {
		t.Errorf("the digest:\n%s\n%s", r.html, r.text)
	}
	if got := r.Get("Date"); got != "Wed, 04 Mar 2026 09:30:00 +0000" {
		t.Errorf("the digest is dated %s, and would be sorted in out of sight", got)
	}
	r = read(t, s.Mails()[1].Raw)
	if got := r.subject(t); got != "feedonce: "+notice.Notice || !strings.Contains(r.text, notice.Notice) || !strings.Contains(r.html, notice.Notice) {
		t.Errorf("the notice: %s\n%s\n%s", got, r.text, r.html)
	}
}

func TestEmailTooLarge(t *testing.T) {
	s := desttest.NewSMTP(t, desttest.SMTPOptions{MaxBytes: 20 << 10})
	sender := openKind(t, "email", mailSettings(s, nil))
	m := newMessage()
	m.Articles[0].HTML = "<p>" + strings.Repeat("word ", 10<<10) + "</p>"
	if res := sender.Send(t.Context(), m); res.Outcome != dest.Refused || !strings.Contains(res.Err.Error(), "20480") {
		t.Errorf("beyond the server's limit: %+v", res)
	}
	m.Articles[0].HTML = "<p>" + strings.Repeat("word ", 100<<10) + "</p>"
	if res := sender.Send(t.Context(), m); res.Outcome != dest.Sent {
		t.Errorf("beyond ours, of which only the beginning is sent: %+v", res)
	}
}

func TestEmailSettings(t *testing.T) {
	for name, c := range map[string]struct {
		set   dest.Settings
		field string
		says  string
	}{
		"no host":               {dest.Settings{"host": ""}, "host", "smtp.example.org"},
		"a URL as host":         {dest.Settings{"host": "smtp://mail.example"}, "host", "name of a server"},
		"host with a port":      {dest.Settings{"host": "mail.example:25"}, "host", "port"},
		"port":                  {dest.Settings{"port": "66000"}, "port", "65535"},
		"bad recipient":         {dest.Settings{"to": "jo@example.org, jo@, x@example.org"}, "to", `"jo@"`},
		"header in recipient":   {dest.Settings{"to": "jo@example.org\r\nBcc: x@example.org"}, "to", "Bcc"},
		"no recipient":          {dest.Settings{"to": " , "}, "to", "no address"},
		"two senders":           {dest.Settings{"from": "a@example.org, b@example.org"}, "from", "one address"},
		"local part not ASCII":  {dest.Settings{"to": "jö@example.org"}, "to", "jö@example.org"},
		"password in the clear": {dest.Settings{"tls": "none", "username": "jo", "password": "x"}, "tls", "in the clear"},
		"password alone":        {dest.Settings{"password": "x"}, "username", "missing"},
		"username alone":        {dest.Settings{"username": "x"}, "password", "missing"},
		"certificate":           {dest.Settings{"ca": "abc"}, "ca", "BEGIN CERTIFICATE"},
		"unsubscribe by http":   {dest.Settings{"unsubscribe": "http://example.org/"}, "unsubscribe", "https"},
		"unsubscribe injection": {dest.Settings{"unsubscribe": "mailto:a@example.org>\r\nX: y"}, "unsubscribe", "mailto:"},
	} {
		set := dest.Settings{"host": "mail.example.org", "from": "feeds@example.org", "to": "jo@example.org"}
		for k, v := range c.set {
			set[k] = v
		}
		_, err := dest.Email.Open(set, testEnv())
		invalid, ok := err.(*feedonce.InvalidError)
		if !ok || invalid.Field != c.field || !strings.Contains(invalid.Reason, c.says) {
			t.Errorf("%s: error %v, want one about %s that says %q", name, err, c.field, c.says)
		}
	}
	sender, err := dest.Email.Open(dest.Settings{"host": "127.0.0.1", "tls": "none", "username": "jo", "password": "hunter2", "from": "feeds@bücher.example", "to": "jo@example.org"}, testEnv())
	if err != nil {
		t.Fatalf("a password to this machine: %v", err)
	}
	p, err := sender.Preview(newMessage())
	if err != nil || !strings.Contains(p.Body, "@xn--bcher-kva.example>") || strings.Contains(p.Body, "hunter2") {
		t.Errorf("preview: %v\n%s", err, p.Body)
	}
}

// A server in a private network that the operator did not allow: no attempt will do better.
func TestForbiddenServers(t *testing.T) {
	env := testEnv()
	env.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, forbiddenError{} }
	for _, c := range []struct {
		kind *dest.Kind
		set  dest.Settings
	}{
		{dest.Email, dest.Settings{"host": "mail.example.org", "from": "feeds@example.org", "to": "jo@example.org"}},
		{dest.NATS, dest.Settings{"servers": "nats://nats.example.org"}},
	} {
		sender, err := c.kind.Open(c.set, env)
		if err != nil {
			t.Fatal(err)
		}
		if res := sender.Send(t.Context(), newMessage()); res.Outcome != dest.Gone || !strings.Contains(res.Err.Error(), "a private address") {
			t.Errorf("%s: %+v", c.kind.Name, res)
		}
	}
}

type forbiddenError struct{}

func (forbiddenError) Error() string   { return "10.0.0.1 is a private address; allow it with allow-net" }
func (forbiddenError) Forbidden() bool { return true }
