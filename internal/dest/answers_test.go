package dest_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"feedonce/internal/dest"
	"feedonce/internal/dest/desttest"
)

// What an answer means is the same for all kinds, but for what is named here.
func TestAnswers(t *testing.T) {
	for _, s := range sinks(t) {
		sender := s.open(t)
		for _, c := range []struct {
			name    string
			fault   desttest.Fault
			outcome dest.Outcome
			after   time.Duration
			webhook dest.Outcome // where it differs for one's own endpoint
		}{
			{"410", desttest.Gone, dest.Gone, 0, ""},
			{"429 with seconds", desttest.Busy(429, "17"), dest.Retry, 17 * time.Second, ""},
			{"429 with a fraction", desttest.Busy(429, "1.5"), dest.Retry, 1500 * time.Millisecond, ""},
			{"503 with a date", desttest.Busy(503, now.Add(5*time.Minute).Format(http.TimeFormat)), dest.Retry, 5 * time.Minute, ""},
			{"503 with a date of the past", desttest.Busy(503, now.Add(-time.Hour).Format(http.TimeFormat)), dest.Retry, 0, ""},
			{"429 for a year", desttest.Busy(429, "31536000"), dest.Retry, 24 * time.Hour, ""},
			{"429 with nonsense", desttest.Busy(429, "soon"), dest.Retry, 0, ""},
			{"429 with less than nothing", desttest.Busy(429, "-5"), dest.Retry, 0, ""},
			{"500", desttest.Down, dest.Retry, 0, ""},
			{"502 with a page", desttest.Saying(502, "<html><h1>Bad gateway</h1></html>"), dest.Retry, 0, ""},
			{"408", desttest.Saying(408, ""), dest.Retry, 0, ""},
			{"413", desttest.Saying(413, "too large"), dest.Refused, 0, ""},
			{"400", desttest.Saying(400, "bad"), dest.Refused, 0, ""},
			{"401", desttest.Saying(401, "who are you"), dest.Gone, 0, dest.Retry},
			{"403", desttest.Saying(403, "not you"), dest.Gone, 0, dest.Retry},
			{"404", desttest.Saying(404, "not here"), dest.Gone, 0, dest.Retry},
			{"301", desttest.Redirecting(301, s.Base+"/elsewhere"), dest.Gone, 0, ""},
			{"307 to another host", desttest.Redirecting(307, "https://evil.example/x"), dest.Gone, 0, ""},
			{"302 to nowhere", desttest.Redirecting(302, "http://[::1"), dest.Gone, 0, ""},
			{"reset after the message was read", desttest.Resetting, dest.Unknown, 0, ""},
			{"reset after it was taken", desttest.Fault{Reset: true, Accept: true}, dest.Unknown, 0, ""},
		} {
			s.Always(c.fault)
			want := c.outcome
			if s.kind == "webhook" && c.webhook != "" {
				want = c.webhook
			}
			res := sender.Send(t.Context(), newMessage())
			if res.Outcome != want || res.Status != c.fault.Status || res.After != c.after || res.Err == nil {
				t.Errorf("%s, %s: %+v, error %v; want %s with patience of %v", s.kind, c.name, res, res.Err, want, c.after)
			}
			if n := s.Requests(); n != 1 {
				t.Errorf("%s, %s: %d requests for one attempt", s.kind, c.name, n)
			}
		}
		s.SetFault(nil)
		if res := sender.Send(t.Context(), newMessage()); res.Outcome != dest.Sent || res.Err != nil || res.Status/100 != 2 {
			t.Errorf("%s, afterwards: %+v, error %v", s.kind, res, res.Err)
		}
	}
}

// A time-out before the message was written is no reason for doubt; one after it is.
func TestNoAnswer(t *testing.T) {
	for _, s := range sinks(t) {
		sender := s.open(t)
		ctx, cancel := context.WithCancel(t.Context())
		s.SetFault(func(int) *desttest.Fault { // the message was read when it is asked
			cancel()
			return &desttest.Hanging
		})
		if res := sender.Send(ctx, newMessage()); res.Outcome != dest.Unknown || res.Err == nil || res.Status != 0 {
			t.Errorf("%s, no answer: %+v, error %v", s.kind, res, res.Err)
		}
		late, cancel := context.WithDeadline(t.Context(), time.Now())
		res := sender.Send(late, newMessage())
		cancel()
		if res.Outcome != dest.Retry || res.Err == nil || !strings.Contains(res.Err.Error(), "too long") {
			t.Errorf("%s, too late to begin: %+v, error %v", s.kind, res, res.Err)
		}
	}
}

func TestUnreachable(t *testing.T) {
	refusing, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + refusing.Addr().String() + "/hook"
	refusing.Close()
	secure, plain := desttest.NewHTTPS(t), desttest.NewHTTP(t)
	guarded := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, forbidden{} }}}
	for _, c := range []struct {
		name, url string
		client    *http.Client
		outcome   dest.Outcome
		says      string
	}{
		{"nothing listens", closed, plain.Client, dest.Retry, "nothing listens"},
		{"no such host", "http://nowhere.invalid/hook", &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "nowhere.invalid", IsNotFound: true}}
		}}}, dest.Retry, "there is no host nowhere.invalid"},
		{"a certificate nobody trusts", secure.URL, plain.Client, dest.Retry, "certificate"},
		{"a certificate for another name", strings.Replace(secure.URL, "127.0.0.1", "localhost", 1), secure.Client, dest.Retry, "another name"},
		{"no TLS there", strings.Replace(plain.URL, "http:", "https:", 1), secure.Client, dest.Retry, "does not speak TLS"},
		{"TLS where none is expected", strings.Replace(secure.URL, "https:", "http:", 1), plain.Client, dest.Refused, "400"},
		{"a private address", "http://10.0.0.1/hook", guarded, dest.Gone, "10.0.0.1 is a private address"},
	} {
		env := testEnv()
		env.Client = c.client
		sender, err := dest.Webhook.Open(dest.Settings{"url": c.url}, env)
		if err != nil {
			t.Fatal(err)
		}
		res := sender.Send(t.Context(), newMessage())
		if res.Outcome != c.outcome || res.Err == nil || !strings.Contains(res.Err.Error(), c.says) || strings.Contains(res.Err.Error(), secretWord) {
			t.Errorf("%s: %s (%v); want %s that says %q", c.name, res.Outcome, res.Err, c.outcome, c.says)
		}
	}
	if n := len(secure.Accepted()) + len(plain.Accepted()); n != 0 {
		t.Errorf("%d messages were accepted", n)
	}
}

// forbidden is what the guard of a dialer says.
type forbidden struct{}

func (forbidden) Error() string   { return "10.0.0.1 is a private address" }
func (forbidden) Forbidden() bool { return true }

// A connection that is lost while the message is written has not delivered it: no endpoint takes half of one.
func TestLostWhileWriting(t *testing.T) {
	e := desttest.NewHTTP(t)
	broken := errors.New("the line went dead")
	env := testEnv()
	env.Client = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		return &fragile{conn, 10 << 10, broken}, err
	}}}
	sender, err := dest.Webhook.Open(dest.Settings{"url": e.URL}, env)
	if err != nil {
		t.Fatal(err)
	}
	m := newMessage()
	m.Articles[0].HTML = "<p>" + strings.Repeat("word ", 30<<10) + "</p>"
	if res := sender.Send(t.Context(), m); res.Outcome != dest.Retry {
		t.Errorf("%+v, error %v", res, res.Err)
	}
}

// fragile breaks after so many bytes were written.
type fragile struct {
	net.Conn
	left int
	err  error
}

func (f *fragile) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		f.Conn.Close()
		return 0, f.err
	}
	return f.Conn.Write(b)
}

// An answer that breaks off is no answer where its words would have said more than its status.
func TestAnswerBreaksOff(t *testing.T) {
	s := desttest.NewSlack(t)
	s.Always(desttest.Fault{Answer: desttest.Answer{Status: 200}, Cut: true})
	if res := openAt(t, "slack", s.Endpoint, dest.Settings{"url": s.URL}).Send(t.Context(), newMessage()); res.Outcome != dest.Unknown || res.Err == nil {
		t.Errorf("%+v", res)
	}
}

func openAt(t *testing.T, kind string, e *desttest.Endpoint, set dest.Settings) dest.Sender {
	t.Helper()
	return sink{kind: kind, Endpoint: e, set: set}.open(t)
}

// Whatever an endpoint answers, and however an attempt fails, no secret is kept of it.
func TestSecretsAreMasked(t *testing.T) {
	for _, s := range sinks(t) {
		sender := s.open(t)
		var secrets []string
		for _, f := range dest.ByName(s.kind).Fields {
			if f.Secret && s.set[f.Name] != "" && f.Name != "subscription" {
				secrets = append(secrets, s.set[f.Name])
			}
		}
		secrets = append(secrets, secretWord, s.URL[strings.Index(s.URL, "://")+3:])
		if s.kind == "ntfy" {
			secrets = secrets[:len(secrets)-1] // its address is public
		}
		check := func(what, text string) {
			t.Helper()
			for _, secret := range secrets {
				if strings.Contains(text, secret) {
					t.Errorf("%s, %s: %q is in\n%s", s.kind, what, secret, text)
				}
			}
		}
		for _, m := range []dest.Message{newMessage(), updateMessage(), digestMessage(3), noticeMessage()} {
			p, err := sender.Preview(m)
			if err != nil || p.Body == "" || p.Type != "application/json" {
				t.Errorf("%s: preview %+v, %v", s.kind, p, err)
			}
			text := p.Body
			for _, h := range p.Headers {
				text += "\n" + h[0] + ": " + h[1]
			}
			check("preview", text)
		}
		path := strings.TrimPrefix(s.URL, s.Base)
		echo := strings.Join(append(secrets, s.URL, path), "\n no \t")
		for _, f := range []desttest.Fault{desttest.Saying(500, echo), desttest.Saying(400, echo), desttest.Saying(200, `{"ok":false,"error":"`+s.URL+`"}`),
			desttest.Saying(400, `{"message":"`+s.URL+`","error":"`+s.URL+`","code":1}`), desttest.Saying(400, `{"error":{"code":"x","message":"`+s.URL+`"}}`),
			desttest.Redirecting(302, s.URL+"/x"), desttest.Redirecting(302, "https://elsewhere.example"+path), desttest.Resetting, desttest.Saying(500, strings.Repeat("x", 490)+echo)} {
			s.Always(f)
			res := sender.Send(t.Context(), newMessage())
			check("excerpt", res.Excerpt)
			if res.Err != nil {
				check("error", res.Err.Error())
			}
			if len(res.Excerpt) > 500 {
				t.Errorf("%s: an excerpt of %d bytes", s.kind, len(res.Excerpt))
			}
		}
	}
}
