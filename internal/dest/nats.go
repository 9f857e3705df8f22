package dest

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"feedonce"
)

// NATS publishes to a JetStream stream, which must be there, and waits for its acknowledgement.
//
// The message's key is its Nats-Msg-Id: a stream drops a second copy that comes within its duplicate window, which is two
// minutes unless it was made with another (nats stream add --dupe-window). An attempt that had no answer is made again later
// than that, so the window wants to be days.
var NATS = &Kind{
	Name:  "nats",
	About: "JSON to a NATS JetStream stream, for pipelines",
	Fields: []Field{
		{Name: "servers", About: "addresses with commas between them, such as nats://127.0.0.1:4222 or tls://nats.example.org", Required: true},
		{Name: "subject", About: "subject, in which {type} is article.new, article.updated, digest or notice, and {feed} the feed's number", Default: "feedonce.{type}"},
		{Name: "stream", About: "name of the stream that must have the subject; otherwise any"},
		{Name: "user", About: "account on the server"},
		{Name: "password", About: "its password", Secret: true},
		{Name: "token", About: "token instead of an account", Secret: true},
		{Name: "nkey", About: "seed of a user's key (SU…) instead of an account", Secret: true},
		{Name: "credentials", About: "content of a .creds file instead of an account", Secret: true},
		{Name: "ca", About: "certificate in PEM form to trust besides the usual ones"},
	},
	Idempotent: true,
	Rate:       feedonce.Rate{PerMinute: 3000, Burst: 500},
	Open:       openNATS,
}

type natsSender struct {
	env     Env
	servers string
	subject string
	stream  string
	options []nats.Option
	hide    []string
}

func openNATS(set Settings, env Env) (Sender, error) {
	n := &natsSender{env: env, subject: set["subject"], stream: set["stream"]}
	if n.subject == "" {
		n.subject = "feedonce.{type}"
	}
	for _, s := range []string{"password", "token", "nkey", "credentials"} {
		if set[s] != "" {
			n.hide = append(n.hide, set[s])
		}
	}
	secure, local, err := n.setServers(set["servers"])
	if err != nil {
		return nil, err
	}
	if why := badSubject(n.fill("article.new", "1")); why != "" {
		return nil, &feedonce.InvalidError{Field: "subject", Reason: why}
	}
	if strings.ContainsAny(n.stream, " \t\r\n.*>/\\") {
		return nil, &feedonce.InvalidError{Field: "stream", Reason: "must be the name of a stream, without spaces, dots, *, > and slashes"}
	}
	if n.options, err = natsLogin(set); err != nil {
		return nil, err
	}
	if !secure && !local && (set["password"] != "" || set["token"] != "") {
		return nil, &feedonce.InvalidError{Field: "servers", Reason: "must begin with tls://: the password or token would be sent in the clear over the network"}
	}
	config, err := trust("", set["ca"])
	if err != nil {
		return nil, err
	}
	n.options = append(n.options, func(o *nats.Options) error {
		o.TLSConfig, o.Secure = config, secure
		return nil
	})
	return n, nil
}

// setServers reads addresses, and says whether all are encrypted and whether all are of this machine.
func (n *natsSender) setServers(list string) (secure, local bool, err error) {
	secure, local = true, true
	var all []string
	for s := range strings.SplitSeq(list, ",") {
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		u, err := url.Parse(s)
		if err != nil || u.Scheme != "nats" && u.Scheme != "tls" || u.Hostname() == "" || u.Path != "" || u.RawQuery != "" {
			return false, false, &feedonce.InvalidError{Field: "servers", Reason: fmt.Sprintf("%q is no address of a server; write it such as nats://127.0.0.1:4222 or tls://nats.example.org", withoutUser(s))}
		}
		if u.User != nil {
			return false, false, &feedonce.InvalidError{Field: "servers", Reason: "must not have a user or a password in it: they have settings of their own, where they are kept sealed"}
		}
		secure, local = secure && u.Scheme == "tls", local && thisMachine(u.Hostname())
		all = append(all, s)
	}
	if len(all) == 0 {
		return false, false, &feedonce.InvalidError{Field: "servers", Reason: "is missing: write it such as nats://127.0.0.1:4222"}
	}
	n.servers = strings.Join(all, ",")
	return secure, local, nil
}

func withoutUser(s string) string {
	if at := strings.LastIndexByte(s, '@'); at >= 0 {
		return "…" + s[at:]
	}
	return s
}

// natsLogin are options for the one way to log in that is set.
func natsLogin(set Settings) ([]nats.Option, error) {
	ways := 0
	for _, s := range []string{"user", "token", "nkey", "credentials"} {
		if set[s] != "" {
			ways++
		}
	}
	bad := func(field, reason string) ([]nats.Option, error) {
		return nil, &feedonce.InvalidError{Field: field, Reason: reason}
	}
	switch {
	case ways > 1:
		return bad("user", "must be the only way to log in: set user and password, or token, or nkey, or credentials")
	case (set["user"] == "") != (set["password"] == ""):
		return bad("password", "goes with user: set both or none")
	case set["user"] != "":
		return []nats.Option{nats.UserInfo(set["user"], set["password"])}, nil
	case set["token"] != "":
		return []nats.Option{nats.Token(set["token"])}, nil
	case set["nkey"] != "":
		pair, err := nkeys.FromSeed([]byte(strings.TrimSpace(set["nkey"])))
		if err != nil {
			return bad("nkey", "must be the seed of a user's key, which begins with SU")
		}
		public, err := pair.PublicKey()
		if err != nil || !nkeys.IsValidPublicUserKey(public) {
			return bad("nkey", "must be the seed of a user's key, which begins with SU")
		}
		return []nats.Option{nats.Nkey(public, pair.Sign)}, nil
	case set["credentials"] != "":
		text := []byte(set["credentials"])
		if _, err := nkeys.ParseDecoratedJWT(text); err != nil {
			return bad("credentials", "must be the whole content of a .creds file, with its -----BEGIN NATS USER JWT-----")
		}
		if _, err := nkeys.ParseDecoratedNKey(text); err != nil {
			return bad("credentials", "must be the whole content of a .creds file, with its -----BEGIN USER NKEY SEED-----")
		}
		return []nats.Option{nats.UserCredentialBytes(text)}, nil
	}
	return nil, nil
}

// badSubject says why something is no subject to publish to, or "".
func badSubject(s string) string {
	for token := range strings.SplitSeq(s, ".") {
		switch {
		case token == "":
			return fmt.Sprintf("%q has an empty part between its dots", s)
		case strings.ContainsAny(token, "*> \t\r\n\x00{}"):
			return fmt.Sprintf("%q is no subject to publish to: spaces, * and > cannot be in it, and in braces only {type} and {feed}", s)
		}
	}
	if strings.HasPrefix(s, "$") || len(s) > 200 {
		return fmt.Sprintf("%q is no subject to publish to: it begins with a dollar sign, or is too long", s)
	}
	return ""
}

func (n *natsSender) fill(kind, feed string) string {
	return strings.NewReplacer("{type}", kind, "{feed}", feed).Replace(n.subject)
}

// message is what is published. {feed} is none for a notice, and many for a digest of several feeds.
func (n *natsSender) message(m Message) (*nats.Msg, error) {
	p := payload(m)
	feed := "none"
	for i, a := range m.Articles {
		if one := fmt.Sprint(a.Feed); i == 0 {
			feed = one
		} else if one != feed {
			feed = "many"
		}
	}
	body, err := marshal(p)
	if err != nil {
		return nil, err
	}
	msg := nats.NewMsg(n.fill(p.Type, feed))
	msg.Header.Set(nats.MsgIdHdr, m.Key)
	msg.Header.Set("Content-Type", "application/json")
	msg.Data = body
	return msg, nil
}

func (n *natsSender) Preview(m Message) (Preview, error) {
	msg, err := n.message(m)
	if err != nil {
		return Preview{}, err
	}
	p, err := JSON(json.RawMessage(msg.Data))
	p.Headers = [][2]string{{"subject", msg.Subject}, {nats.MsgIdHdr, m.Key}, {"Content-Type", "application/json"}}
	return p, err
}

// Send connects, publishes and waits for the acknowledgement. A connection lives no longer than that: there are far fewer
// articles than connections a server can take, and nothing has to be looked after in between.
func (n *natsSender) Send(ctx context.Context, m Message) Result {
	msg, err := n.message(m)
	if err != nil {
		return Result{Outcome: Refused, Err: err}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	dial := &natsDialer{ctx: ctx, env: n.env}
	defer dial.close()
	conn, err := nats.Connect(n.servers, append(slices.Clone(n.options),
		nats.Name("feedonce"), nats.SetCustomDialer(dial), nats.SkipHostLookup(), nats.IgnoreDiscoveredServers(), nats.NoReconnect(), nats.NoEcho(),
		nats.Timeout(timeLeft(ctx)),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if errors.Is(err, nats.ErrPermissionViolation) { // there will be no answer
				cancel(err)
			}
		}))...)
	if err != nil {
		return n.notConnected(ctx, err, dial.failed())
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		return Result{Outcome: Retry, Err: err}
	}
	options := []jetstream.PublishOpt{jetstream.WithRetryAttempts(0)}
	if n.stream != "" {
		options = append(options, jetstream.WithExpectStream(n.stream))
	}
	ack, err := js.PublishMsg(ctx, msg, options...)
	if err != nil {
		return n.notPublished(ctx, msg, err)
	}
	res := Result{Outcome: Sent, Excerpt: fmt.Sprintf("stream %s, message %d", ack.Stream, ack.Sequence)}
	if ack.Duplicate {
		res.Excerpt += "; it had come before, and the copy was dropped"
	}
	return res
}

func timeLeft(ctx context.Context) time.Duration {
	if at, ok := ctx.Deadline(); ok {
		return max(time.Until(at), time.Millisecond)
	}
	return 30 * time.Second
}

// notConnected says what an attempt that did not get as far as the message means.
func (n *natsSender) notConnected(ctx context.Context, err, dialled error) Result {
	if errors.Is(err, nats.ErrNoServers) && dialled != nil {
		err = dialled // which says why
	}
	res := Result{Outcome: Retry, Err: fmt.Errorf("the NATS server (%s) could not be reached: %s", n.servers, n.reason(ctx, err))}
	switch {
	case forbidden(err):
		res.Outcome = Gone
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked), errors.Is(err, nats.ErrAccountAuthExpired), errors.Is(err, nats.ErrNkeysNotSupported):
		res.Outcome, res.Err = Gone, fmt.Errorf("the NATS server refuses the log-in (%s): look at user, password, token, nkey or credentials", n.reason(ctx, err))
	case errors.Is(err, nats.ErrSecureConnWanted):
		res.Outcome, res.Err = Gone, errors.New("the NATS server offers no encryption, and its address begins with tls://")
	default:
		var untrusted *tls.CertificateVerificationError
		if errors.As(err, &untrusted) {
			res.Err = fmt.Errorf("the NATS server (%s) cannot be trusted: %s; if it is your own server, give its certificate as ca", n.servers, n.reason(ctx, err))
		}
	}
	return res
}

// Error codes of JetStream (server/errors.json of nats-server) that are about this message or the settings.
const (
	codeTooLarge    = 10054 // JSStreamMessageExceedsMaximumErr
	codeOtherStream = 10060 // JSStreamNotMatchErr
)

// notPublished says what an attempt whose message was perhaps written means.
func (n *natsSender) notPublished(ctx context.Context, msg *nats.Msg, err error) Result {
	res := Result{Outcome: Unknown, Err: fmt.Errorf("the message was written, and no acknowledgement came: %s", n.reason(ctx, err))}
	var api *jetstream.APIError
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, nats.ErrPermissionViolation):
		res.Outcome, res.Err = Gone, fmt.Errorf("the NATS server does not allow it (%s): the account needs to publish to %s and to hear answers (_INBOX.>)", n.reason(ctx, cause), msg.Subject)
	case errors.Is(err, nats.ErrMaxPayload):
		res.Outcome, res.Err = Refused, fmt.Errorf("the message has %d bytes, which is more than the NATS server takes (max_payload)", len(msg.Data))
	case errors.Is(err, jetstream.ErrNoStreamResponse):
		res.Outcome, res.Err = Retry, fmt.Errorf("no stream has the subject %s, or JetStream is off: make one (nats stream add --subjects '%s')", msg.Subject, msg.Subject)
	case errors.As(err, &api):
		res.Status, res.Excerpt = api.Code, excerpt(api.Description)
		res.Outcome, res.Err = Retry, fmt.Errorf("the stream does not take it now (%d, %s)", api.ErrorCode, excerpt(api.Description))
		switch {
		case api.ErrorCode == codeTooLarge:
			res.Outcome, res.Err = Refused, fmt.Errorf("the message has %d bytes, which is more than the stream takes", len(msg.Data))
		case api.ErrorCode == codeOtherStream:
			res.Outcome, res.Err = Gone, fmt.Errorf("the subject %s is not of the stream %s: look at subject and stream", msg.Subject, n.stream)
		}
	}
	return res
}

func (n *natsSender) reason(ctx context.Context, err error) string {
	if cause := ctx.Err(); cause != nil && !errors.Is(err, nats.ErrPermissionViolation) {
		err = cause
	}
	if isTimeout(err) {
		err = context.DeadlineExceeded
	}
	return excerpt(request{hide: n.hide}.masked(reason(err)))
}

// A natsDialer dials through Env, for one attempt, and remembers why it could not.
type natsDialer struct {
	ctx context.Context
	env Env

	mu    sync.Mutex
	err   error
	stops []func() bool
}

func (d *natsDialer) Dial(network, address string) (net.Conn, error) {
	conn, err := d.env.Dial(d.ctx, network, address)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.err = err
		return nil, err
	}
	d.stops = append(d.stops, context.AfterFunc(d.ctx, func() { conn.Close() }))
	return conn, nil
}

func (d *natsDialer) failed() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

func (d *natsDialer) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, stop := range d.stops {
		stop()
	}
}
