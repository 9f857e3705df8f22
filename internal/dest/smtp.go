package dest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wneessen/go-mail/smtp"
)

const (
	// patience is how long a message waits for recipients that are turned away for now while others are not.
	patience = time.Hour
	// farewell is how long the server may take to say goodbye after it has accepted a message.
	farewell = 5 * time.Second
)

// deliver makes one SMTP transaction, and says what came of it by how far it got. Until the final dot is written nothing has
// been accepted; from then on only an answer tells.
func (e *email) deliver(ctx context.Context, raw io.Reader, patient bool) Result {
	t := &transaction{email: e, ctx: ctx, patient: patient}
	conn, err := e.env.Dial(ctx, "tcp", e.address())
	if err != nil {
		res := Result{Outcome: Retry, Err: fmt.Errorf("the mail server %s could not be reached: %s", e.address(), t.reason(err))}
		if forbidden(err) {
			res.Outcome = Gone
		}
		return res
	}
	defer conn.Close()
	t.conn = conn
	if at, ok := ctx.Deadline(); ok {
		conn.SetDeadline(at)
	}
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	res := t.run(raw)
	if t.client != nil {
		conn.SetDeadline(time.Now().Add(farewell))
		t.client.Quit() // what it says changes nothing
	}
	return res
}

type transaction struct {
	*email
	ctx     context.Context
	conn    net.Conn
	client  *smtp.Client
	patient bool
}

func (t *transaction) run(raw io.Reader) Result {
	for _, step := range []func() (Result, bool){t.open, t.encrypt, t.logIn} {
		if res, ok := step(); !ok {
			return res
		}
	}
	body, err := io.ReadAll(raw)
	if err != nil {
		return Result{Outcome: Retry, Err: err}
	}
	if ok, limit := t.client.Extension("SIZE"); ok {
		if n, err := strconv.ParseInt(limit, 10, 64); err == nil && n > 0 && int64(len(body)) > n {
			return Result{Outcome: Refused, Err: fmt.Errorf("the message has %d bytes, and the mail server takes %d at most", len(body), n)}
		}
	}
	if err := t.client.Mail(envelope(t.from)); err != nil {
		return t.failed("the sender "+t.from.Address, err)
	}
	refused, res, ok := t.recipients()
	if !ok {
		return res
	}
	return t.data(body, refused)
}

// open reads the greeting.
func (t *transaction) open() (Result, bool) {
	conn := t.conn
	if t.tls == "tls" {
		secure := tls.Client(conn, t.config)
		if err := secure.HandshakeContext(t.ctx); err != nil {
			return t.untrusted(err), false
		}
		conn = secure
	}
	client, err := smtp.NewClient(conn, t.host)
	if err == nil {
		t.client = client
		client.SkipSMTPUTF8(true) // no address here needs it
		err = client.Hello(t.helo())
	}
	if err != nil {
		// Whatever it says, it has not looked at a message yet.
		res := t.failed("the connection", err)
		res.Outcome = Retry
		return res, false
	}
	return Result{}, true
}

func (t *transaction) encrypt() (Result, bool) {
	if t.tls != "starttls" {
		return Result{}, true
	}
	if ok, _ := t.client.Extension("STARTTLS"); !ok {
		return Result{Outcome: Gone, Err: fmt.Errorf("the mail server %s offers no encryption (STARTTLS), and nothing is sent without; if its port is one for TLS from the first byte, set tls to tls", t.address())}, false
	}
	err := t.client.StartTLS(t.config)
	if err == nil {
		return Result{}, true
	}
	var reply *textproto.Error
	if errors.As(err, &reply) {
		res := t.failed("encryption", err)
		res.Outcome = Retry
		return res, false
	}
	return t.untrusted(err), false
}

// untrusted is a failed handshake. It is tried again, because certificates are renewed.
func (t *transaction) untrusted(err error) Result {
	t.client = nil // nothing more can be said to it
	hint := ""
	var unknown x509.UnknownAuthorityError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &unknown):
		hint = "; if it is your own server, give its certificate as ca"
	case errors.As(err, &record):
		hint = "; its port may be one for starttls"
	}
	return Result{Outcome: Retry, Err: fmt.Errorf("the connection to the mail server %s cannot be trusted: %s%s", t.address(), t.reason(err), hint)}
}

// mechanisms are ways to log in, the best first: SCRAM does not show the server the password.
var mechanisms = []string{"SCRAM-SHA-256", "SCRAM-SHA-1", "PLAIN", "LOGIN"}

func (t *transaction) logIn() (Result, bool) {
	if t.user == "" {
		return Result{}, true
	}
	_, offer := t.client.Extension("AUTH")
	offered := strings.Fields(strings.ToUpper(offer))
	var use string
	for _, m := range mechanisms {
		if slices.Contains(offered, m) && (t.auth == "auto" || strings.EqualFold(t.auth, m)) {
			use = m
			break
		}
	}
	var how smtp.Auth
	switch use {
	case "SCRAM-SHA-256":
		how = bounded{smtp.ScramSHA256Auth(t.user, t.pass)}
	case "SCRAM-SHA-1":
		how = bounded{smtp.ScramSHA1Auth(t.user, t.pass)}
	case "PLAIN": // openEmail has seen to it that it does not go over a network in the clear
		how = smtp.PlainAuth("", t.user, t.pass, t.host, true)
	case "LOGIN":
		how = smtp.LoginAuth(t.user, t.pass, t.host, true)
	default:
		return Result{Outcome: Gone, Err: fmt.Errorf("the mail server %s offers no way to log in that is known here and allowed by auth=%s; it offers: %s", t.address(), t.auth, orNone(t.masked(strings.Join(offered, " "))))}, false
	}
	err := t.client.Auth(how)
	if err == nil {
		return Result{}, true
	}
	t.client = nil // Auth has said goodbye
	res := t.failed("the log-in", err)
	if res.Status/100 == 5 {
		res.Outcome = Gone
		res.Err = fmt.Errorf("the mail server refuses the log-in of %s (%s); look whether username and password are right", t.user, t.reason(err))
	}
	return res, false
}

// bounded refuses a server that wants more work for the proof than any honest one: RFC 7677 4 asks for 4096 rounds or more.
type bounded struct{ smtp.Auth }

const maxRounds = 1_000_000

func (b bounded) Next(fromServer []byte, more bool) ([]byte, error) {
	_, rounds, ok := strings.Cut(string(fromServer), ",i=")
	rounds, _, _ = strings.Cut(rounds, ",")
	if n, err := strconv.Atoi(rounds); ok && (err != nil || n > maxRounds) {
		return nil, fmt.Errorf("the server wants %s rounds of work for a log-in, and %d is the most that is done", excerpt(rounds), maxRounds)
	}
	return b.Auth.Next(fromServer, more)
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// recipients names the recipients. Those refused for ever are returned, while at least one is not.
func (t *transaction) recipients() (refused []string, res Result, ok bool) {
	var later, never, gone []error
	accepted := 0
	for _, to := range t.to {
		err := t.client.Rcpt(envelope(to))
		var reply *textproto.Error
		switch {
		case err == nil:
			accepted++
		case !errors.As(err, &reply) || reply.Code == 421:
			return nil, t.failed("the recipient "+to.Address, err), false
		case reply.Code/100 == 4:
			later = append(later, fmt.Errorf("%s: %w", to.Address, err))
		case strings.HasPrefix(reply.Msg, "5.1."): // the mailbox is not there, whatever the message (RFC 3463 3.2)
			gone = append(gone, fmt.Errorf("%s: %w", to.Address, err))
		default:
			never = append(never, fmt.Errorf("%s: %w", to.Address, err))
		}
	}
	switch {
	case len(later) > 0 && (t.patient || accepted == 0):
		// All or none, as long as it is a matter of waiting: else those who have it get it again.
		return nil, t.failed("the recipient", later[0]), false
	case accepted == 0 && len(never) > 0:
		return nil, t.failed("the recipient", never[0]), false
	case accepted == 0:
		res = t.failed("the recipient", gone[0])
		res.Outcome = Gone
		return nil, res, false
	}
	for _, err := range slices.Concat(later, never, gone) {
		refused = append(refused, t.reason(err))
	}
	return refused, Result{}, true
}

// data sends the message. Its end is a line with a dot: before it is written the server must throw the message away (RFC 5321
// 4.1.1.4), after it the message may be accepted though the answer is lost.
func (t *transaction) data(body []byte, refused []string) Result {
	w, err := t.client.Data()
	if err != nil {
		return t.failed("the message", err)
	}
	if _, err = w.Write(body); err == nil {
		err = t.client.Text.W.Flush()
	}
	if err != nil {
		t.client = nil
		return t.failed("the message", err)
	}
	err = w.Close()
	var reply *textproto.Error
	switch {
	case err == nil:
	case errors.As(err, &reply):
		return t.failed("the message", err)
	default:
		t.client = nil
		return Result{Outcome: Unknown, Err: fmt.Errorf("the message was written, and no answer came from the mail server: %s", t.reason(err))}
	}
	res := Result{Outcome: Sent, Status: 250}
	if answer, ok := w.(*smtp.DataCloser); ok {
		res.Excerpt = excerpt(t.masked(answer.ServerResponse()))
	}
	if len(refused) > 0 {
		res.Excerpt = excerpt(fmt.Sprintf("refused for %s; for the others: %s", strings.Join(refused, "; "), res.Excerpt))
		t.env.Log.Warn("a mail was refused for some of its recipients", "refused", refused)
	}
	return res
}

// failed says what an answer, or none, means before the final dot: for the message (RFC 5321 4.2.1) or for all.
func (t *transaction) failed(what string, err error) Result {
	var reply *textproto.Error
	if !errors.As(err, &reply) {
		t.client = nil
		return Result{Outcome: Retry, Err: fmt.Errorf("the connection to the mail server %s was lost: %s", t.address(), t.reason(err))}
	}
	res := Result{Outcome: Retry, Status: reply.Code, Excerpt: excerpt(t.masked(reply.Msg))}
	switch why := t.reason(err); {
	case reply.Code == 530 || reply.Code == 534 || reply.Code == 535 || reply.Code == 538: // RFC 4954 6
		res.Outcome, res.Err = Gone, fmt.Errorf("the mail server wants another log-in (%s); look at username, password and tls", why)
	case reply.Code/100 == 5:
		res.Outcome, res.Err = Refused, fmt.Errorf("the mail server refuses %s (%s)", what, why)
	case reply.Code/100 == 4:
		res.Err = fmt.Errorf("the mail server does not take %s now (%s)", what, why)
	default:
		res.Err = fmt.Errorf("the mail server answers %s with something that makes no sense there (%s)", what, why)
	}
	return res
}

// reason is an error in words, without secrets.
func (t *transaction) reason(err error) string {
	var reply *textproto.Error
	if !errors.As(err, &reply) {
		switch {
		case errors.Is(t.ctx.Err(), context.DeadlineExceeded), isTimeout(err):
			return "it took too long"
		case t.ctx.Err() != nil:
			return "the program was ending"
		case errors.Is(err, io.EOF):
			return "it hung up"
		}
	}
	return excerpt(t.masked(err.Error()))
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

func (e *email) masked(s string) string { return request{hide: []string{e.pass}}.masked(s) }
