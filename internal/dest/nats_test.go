package dest_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"feedonce"
	"feedonce/internal/dest"
	"feedonce/internal/dest/desttest"
)

// stream makes a stream, and returns a function that returns its messages.
func stream(t *testing.T, s *desttest.NATS, config jetstream.StreamConfig, o ...nats.Option) func() []*jetstream.RawStreamMsg {
	t.Helper()
	conn, err := nats.Connect("nats://"+s.Address, o...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	made, err := js.CreateStream(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	return func() []*jetstream.RawStreamMsg {
		t.Helper()
		info, err := made.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var out []*jetstream.RawStreamMsg
		for n := info.State.FirstSeq; n <= info.State.LastSeq && info.State.Msgs > 0; n++ {
			m, err := made.GetMsg(t.Context(), n)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, m)
		}
		return out
	}
}

var articles = jetstream.StreamConfig{Name: "ARTICLES", Subjects: []string{"feedonce.>"}, Duplicates: time.Hour}

func TestNATS(t *testing.T) {
	s := desttest.NewNATS(t, desttest.NATSOptions{})
	messages := stream(t, s, articles)
	sender := openKind(t, "nats", dest.Settings{"servers": "nats://" + s.Address, "subject": "feedonce.{feed}.{type}", "stream": "ARTICLES"})
	m := newMessage()
	m.Articles[0].Title = "two\r\nlines\x00"
	res := sender.Send(t.Context(), m)
	if res.Outcome != dest.Sent || res.Err != nil || res.Excerpt != "stream ARTICLES, message 1" {
		t.Fatalf("%+v", res)
	}
	if res := sender.Send(t.Context(), m); res.Outcome != dest.Sent || !strings.Contains(res.Excerpt, "copy was dropped") {
		t.Errorf("the same message again: %+v", res)
	}
	other := article()
	other.Feed = 4
	digest := dest.Message{Key: "msg_k3n8_b1_1", Kind: feedonce.DeliverNew, Created: now, Digest: true, Title: "Morning", Articles: []dest.Article{article(), other}}
	notice := dest.Message{Key: "msg_k3n8_30", Kind: feedonce.DeliverNotice, Created: now, Notice: "Look here."}
	for _, m := range []dest.Message{digest, notice} {
		if res := sender.Send(t.Context(), m); res.Outcome != dest.Sent {
			t.Errorf("%+v", res)
		}
	}
	type line struct{ Subject, ID, Header string }
	var got []line
	for _, m := range messages() {
		var p struct{ ID string }
		if err := json.Unmarshal(m.Data, &p); err != nil {
			t.Errorf("%v: %s", err, m.Data)
		}
		got = append(got, line{m.Subject, p.ID, m.Header.Get("Nats-Msg-Id")})
	}
	want := []line{
		{"feedonce.3.article.new", m.Key, m.Key},
		{"feedonce.many.digest", digest.Key, digest.Key},
		{"feedonce.none.notice", notice.Key, notice.Key},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the stream has (-want +got):\n%s", d)
	}
	var p struct {
		Data struct{ Title string }
	}
	if err := json.Unmarshal(messages()[0].Data, &p); err != nil || p.Data.Title != m.Articles[0].Title {
		t.Errorf("the title came as %q, %v", p.Data.Title, err)
	}
}

func TestNATSLogsIn(t *testing.T) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	public, err := pair.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := pair.Seed()
	if err != nil {
		t.Fatal(err)
	}
	wrong, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	wrongSeed, err := wrong.Seed()
	if err != nil {
		t.Fatal(err)
	}
	known, creds := desttest.NATSCredentials(t)
	_, strange := desttest.NATSCredentials(t)
	for name, c := range map[string]struct {
		config    string
		good, bad dest.Settings
		connect   nats.Option
	}{
		"password": {`authorization { user: jo, password: hunter2 }`,
			dest.Settings{"user": "jo", "password": "hunter2"}, dest.Settings{"user": "jo", "password": "hunter3"}, nats.UserInfo("jo", "hunter2")},
		"token": {`authorization { token: hunter2 }`,
			dest.Settings{"token": "hunter2"}, dest.Settings{"token": "hunter3"}, nats.Token("hunter2")},
		"nkey": {fmt.Sprintf(`authorization { users: [ { nkey: %s } ] }`, public),
			dest.Settings{"nkey": string(seed)}, dest.Settings{"nkey": string(wrongSeed)}, nats.Nkey(public, pair.Sign)},
		"credentials": {known, dest.Settings{"credentials": creds}, dest.Settings{"credentials": strange}, nats.UserCredentialBytes([]byte(creds))},
	} {
		t.Run(name, func(t *testing.T) {
			s := desttest.NewNATS(t, desttest.NATSOptions{Config: c.config})
			stream(t, s, articles, c.connect)
			for _, set := range []dest.Settings{c.good, c.bad} {
				set["servers"] = "nats://" + s.Address
			}
			if res := openKind(t, "nats", c.good).Send(t.Context(), newMessage()); res.Outcome != dest.Sent {
				t.Errorf("%+v", res)
			}
			for _, set := range []dest.Settings{c.bad, {"servers": "nats://" + s.Address}} {
				res := openKind(t, "nats", set).Send(t.Context(), newMessage())
				if res.Outcome != dest.Gone || !strings.Contains(res.Err.Error(), "log-in") || strings.Contains(res.Err.Error(), "hunter3") {
					t.Errorf("with a wrong log-in, %v: %+v", set, res)
				}
			}
		})
	}
}

func TestNATSIsEncrypted(t *testing.T) {
	secure := desttest.NewNATS(t, desttest.NATSOptions{TLS: true})
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(secure.CA))
	messages := stream(t, secure, articles, nats.Secure(&tls.Config{RootCAs: pool}))
	for _, scheme := range []string{"tls://", "nats://"} { // a server that wants it gets it
		set := dest.Settings{"servers": scheme + secure.Address}
		if res := openKind(t, "nats", set).Send(t.Context(), newMessage()); res.Outcome != dest.Retry || !strings.Contains(res.Err.Error(), "cannot be trusted") {
			t.Errorf("%s with a certificate nobody knows: %+v", scheme, res)
		}
		set["ca"] = secure.CA
		if res := openKind(t, "nats", set).Send(t.Context(), newMessage()); res.Outcome != dest.Sent {
			t.Errorf("%s: %+v", scheme, res)
		}
	}
	if n := len(messages()); n != 1 {
		t.Errorf("%d messages, want 1", n)
	}
	plain := desttest.NewNATS(t, desttest.NATSOptions{})
	res := openKind(t, "nats", dest.Settings{"servers": "tls://" + plain.Address, "token": "hunter2"}).Send(t.Context(), newMessage())
	if res.Outcome != dest.Gone || !strings.Contains(res.Err.Error(), "no encryption") {
		t.Errorf("a server without encryption: %+v", res)
	}
}

func TestNATSFailures(t *testing.T) {
	s := desttest.NewNATS(t, desttest.NATSOptions{Config: `
max_payload: 64KB
authorization {
  users: [
    { user: admin, password: admin }
    { user: reader, password: reader, permissions: { publish: "_INBOX.>", subscribe: ">" } }
    { user: deaf, password: deaf, permissions: { publish: ">", subscribe: "nothing" } }
  ]
}`})
	admin := nats.UserInfo("admin", "admin")
	small := articles
	small.MaxMsgSize = 8 << 10
	messages := stream(t, s, small, admin)
	stream(t, s, jetstream.StreamConfig{Name: "FULL", Subjects: []string{"full.>"}, MaxMsgs: 1, Discard: jetstream.DiscardNew}, admin)
	large := func(n int) dest.Message {
		m := newMessage()
		m.Articles[0].HTML = strings.Repeat("x", n)
		return m
	}
	as := func(user string, more dest.Settings) dest.Settings {
		set := dest.Settings{"servers": "nats://" + s.Address, "user": user, "password": user}
		for k, v := range more {
			set[k] = v
		}
		return set
	}
	if res := openKind(t, "nats", as("admin", dest.Settings{"subject": "full.{type}"})).Send(t.Context(), newMessage()); res.Outcome != dest.Sent {
		t.Fatalf("%+v", res)
	}
	next := newMessage()
	next.Key = "msg_k3n8_13"
	for name, c := range map[string]struct {
		set     dest.Settings
		m       dest.Message
		outcome dest.Outcome
		says    string
	}{
		"no stream":                   {as("admin", dest.Settings{"subject": "elsewhere.{type}"}), newMessage(), dest.Retry, "nats stream add"},
		"another stream":              {as("admin", dest.Settings{"stream": "FULL"}), newMessage(), dest.Gone, "subject and stream"},
		"stream is full":              {as("admin", dest.Settings{"subject": "full.{type}"}), next, dest.Retry, "maximum messages"},
		"too large for the stream":    {as("admin", nil), large(20 << 10), dest.Refused, "than the stream takes"},
		"too large for the server":    {as("admin", nil), large(100 << 10), dest.Refused, "max_payload"},
		"must not publish":            {as("reader", nil), newMessage(), dest.Gone, "does not allow"},
		"must not hear the answer":    {as("deaf", nil), large(1), dest.Gone, "does not allow"},
		"nobody there":                {dest.Settings{"servers": "nats://127.0.0.1:1"}, newMessage(), dest.Retry, "refused"},
		"two, the first is not there": {as("admin", dest.Settings{"servers": "nats://127.0.0.1:1,nats://" + s.Address}), newMessage(), dest.Sent, ""},
	} {
		res := openKind(t, "nats", c.set).Send(t.Context(), c.m)
		if res.Outcome != c.outcome || (res.Err == nil) != (c.says == "") || res.Err != nil && !strings.Contains(res.Err.Error(), c.says) {
			t.Errorf("%s: %+v, want %s and %q", name, res, c.outcome, c.says)
		}
	}
	// What was stored without an answer is not stored twice.
	if res := openKind(t, "nats", as("admin", nil)).Send(t.Context(), newMessage()); res.Outcome != dest.Sent {
		t.Errorf("%+v", res)
	}
	if n := len(messages()); n != 1 {
		t.Errorf("%d messages, want 1", n)
	}
}

// A server that takes the message and says nothing more.
func TestNATSWithoutAnAnswerIsUnknown(t *testing.T) {
	s := desttest.NewNATS(t, desttest.NATSOptions{Config: "no_auth_user: x\naccounts { A { jetstream: off, users: [ { user: x, password: x } ] } }"})
	conn, err := nats.Connect("nats://" + s.Address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, err := conn.Subscribe("feedonce.>", func(*nats.Msg) { cancel() }); err != nil {
		t.Fatal(err)
	}
	if err := conn.Flush(); err != nil {
		t.Fatal(err)
	}
	res := openKind(t, "nats", dest.Settings{"servers": "nats://" + s.Address}).Send(ctx, newMessage())
	if res.Outcome != dest.Unknown || !strings.Contains(res.Err.Error(), "no acknowledgement") {
		t.Errorf("%+v", res)
	}
	s.Stop()
	if res := openKind(t, "nats", dest.Settings{"servers": "nats://" + s.Address}).Send(t.Context(), newMessage()); res.Outcome != dest.Retry {
		t.Errorf("a server that was stopped: %+v", res)
	}
}

// A server that does not even say hello does not hold up the attempt.
func TestNATSWithoutAGreeting(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		conn, err := listener.Accept()
		cancel()
		if err == nil {
			<-t.Context().Done()
			conn.Close()
		}
	}()
	res := openKind(t, "nats", dest.Settings{"servers": "nats://" + listener.Addr().String()}).Send(ctx, newMessage())
	if res.Outcome != dest.Retry || !strings.Contains(res.Err.Error(), "the program was ending") {
		t.Errorf("%+v", res)
	}
}

func TestNATSSettings(t *testing.T) {
	for name, c := range map[string]struct {
		set   dest.Settings
		field string
	}{
		"no servers":            {dest.Settings{"servers": " , "}, "servers"},
		"another protocol":      {dest.Settings{"servers": "http://127.0.0.1:4222"}, "servers"},
		"a password in it":      {dest.Settings{"servers": "nats://jo:hunter2@127.0.0.1:4222"}, "servers"},
		"token in the clear":    {dest.Settings{"servers": "nats://nats.example.org:4222", "token": "hunter2"}, "servers"},
		"one server in clear":   {dest.Settings{"servers": "tls://a.example.org,nats://b.example.org", "user": "jo", "password": "hunter2"}, "servers"},
		"wildcard":              {dest.Settings{"subject": "feedonce.*"}, "subject"},
		"empty token":           {dest.Settings{"subject": "feedonce..{type}"}, "subject"},
		"unknown placeholder":   {dest.Settings{"subject": "feedonce.{name}"}, "subject"},
		"of the server itself":  {dest.Settings{"subject": "$JS.API.{type}"}, "subject"},
		"protocol injection":    {dest.Settings{"subject": "a\r\nPUB b 0"}, "subject"},
		"stream":                {dest.Settings{"stream": "A.B"}, "stream"},
		"two ways to log in":    {dest.Settings{"user": "jo", "password": "x", "token": "y"}, "user"},
		"half an account":       {dest.Settings{"user": "jo"}, "password"},
		"no seed":               {dest.Settings{"nkey": "UABC"}, "nkey"},
		"the seed of an issuer": {dest.Settings{"nkey": accountSeed(t)}, "nkey"},
		"no credentials":        {dest.Settings{"credentials": "abc"}, "credentials"},
		"certificate":           {dest.Settings{"ca": "abc"}, "ca"},
	} {
		set := dest.Settings{"servers": "nats://127.0.0.1:4222"}
		for k, v := range c.set {
			set[k] = v
		}
		_, err := dest.NATS.Open(set, testEnv())
		invalid, ok := err.(*feedonce.InvalidError)
		if !ok || invalid.Field != c.field || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: error %v, want one about %s", name, err, c.field)
		}
	}
}

func accountSeed(t *testing.T) string {
	t.Helper()
	pair, err := nkeys.CreateAccount()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := pair.Seed()
	if err != nil {
		t.Fatal(err)
	}
	return string(seed)
}
