package desttest

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"slices"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// SMTP is a mail server that keeps what it accepts, and is strict: lines end in CRLF and have at most 998 bytes, bodies have
// 7 bits unless announced otherwise, sizes have a limit (RFC 5321, RFC 5322 2.1.1). What breaks a rule is refused with 554.
type SMTP struct {
	Host, Port string
	CA         string // its certificate, in PEM form
	done       chan struct{}

	mu    sync.Mutex
	o     SMTPOptions
	mails []Mail
	tried int
}

// SMTPOptions are how a mail server is.
type SMTPOptions struct {
	TLS        bool // from the first byte
	NoSTARTTLS bool
	// User and Password are who may send; User "" lets everybody.
	User, Password string
	Mechanisms     []string // PLAIN, LOGIN, SCRAM-SHA-1, SCRAM-SHA-256; nil: all
	MaxBytes       int64    // of a message; 0: 10 MB
	// Fail says what goes wrong at a step: "hello", "mail", "rcpt" with the address, "accepted" after the final dot. nil is
	// nothing.
	Fail func(step, address string) error
}

// What can go wrong besides an *smtp.SMTPError, which SMTPReply makes.
var (
	ErrHang = errors.New("no answer, for ever")
	ErrDrop = errors.New("the connection is closed without an answer")
)

// SMTPReply is an answer with a code, such as 451.
func SMTPReply(code int, text string) error {
	return &smtp.SMTPError{Code: code, EnhancedCode: smtp.EnhancedCode{code / 100, 0, 0}, Message: text}
}

// SMTPReplyEnhanced is an answer with an enhanced code (RFC 3463), too.
func SMTPReplyEnhanced(code int, enhanced [3]int, text string) error {
	return &smtp.SMTPError{Code: code, EnhancedCode: enhanced, Message: text}
}

// At fails at one step.
func At(step string, err error) func(string, string) error {
	return func(s, _ string) error {
		if s == step {
			return err
		}
		return nil
	}
}

// A Mail is an accepted message.
type Mail struct {
	From   string
	To     []string
	Raw    []byte // with CRLF
	Secure bool
	User   string
	How    string // mechanism of the log-in
}

// NewSMTP starts a mail server, which ends with the test.
func NewSMTP(t testing.TB, o SMTPOptions) *SMTP {
	t.Helper()
	s := &SMTP{o: o, done: make(chan struct{})}
	cert, ca, _ := Certificate(t)
	s.CA = ca
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		session := &session{server: s, conn: c}
		return session, session.fail("hello", "")
	}))
	server.Domain = "mail.example"
	server.MaxLineLength = 1000 // with CRLF
	server.MaxMessageBytes = 10 << 20
	if o.MaxBytes > 0 {
		server.MaxMessageBytes = o.MaxBytes
	}
	server.AllowInsecureAuth = o.NoSTARTTLS
	server.ErrorLog = log.New(io.Discard, "", 0)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Host, s.Port, _ = net.SplitHostPort(listener.Addr().String())
	config := &tls.Config{Certificates: []tls.Certificate{cert}}
	switch {
	case o.TLS:
		listener = tls.NewListener(listener, config)
	case !o.NoSTARTTLS:
		server.TLSConfig = config
	}
	var wait sync.WaitGroup
	wait.Go(func() { server.Serve(listener) })
	t.Cleanup(func() {
		close(s.done)
		server.Close()
		wait.Wait()
	})
	return s
}

// Mails returns what was accepted, in order.
func (s *SMTP) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mails)
}

// Written says how many messages were written up to their final dot, accepted or not.
func (s *SMTP) Written() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tried
}

// SetFail changes what goes wrong.
func (s *SMTP) SetFail(fail func(step, address string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.o.Fail = fail
}

// A session is one connection.
type session struct {
	server *SMTP
	conn   *smtp.Conn
	mail   Mail
	bits8  bool
	user   string
	how    string
}

// fail is what goes wrong at a step, done where it is no answer.
func (s *session) fail(step, address string) error {
	s.server.mu.Lock()
	fail := s.server.o.Fail
	s.server.mu.Unlock()
	if fail == nil {
		return nil
	}
	err := fail(step, address)
	switch {
	case errors.Is(err, ErrHang):
		<-s.server.done
	case errors.Is(err, ErrDrop):
		s.conn.Conn().Close()
	}
	return err
}

func (s *session) Reset()        { s.mail = Mail{} }
func (s *session) Logout() error { return nil }

func (s *session) AuthMechanisms() []string {
	if s.server.o.User == "" {
		return nil
	}
	if s.server.o.Mechanisms != nil {
		return s.server.o.Mechanisms
	}
	return []string{"PLAIN", "LOGIN", "SCRAM-SHA-1", "SCRAM-SHA-256"}
}

func (s *session) Auth(mechanism string) (sasl.Server, error) {
	ok := func() { s.user, s.how = s.server.o.User, mechanism }
	return newSASL(mechanism, s.server.o.User, s.server.o.Password, ok)
}

func (s *session) Mail(from string, o *smtp.MailOptions) error {
	if s.server.o.User != "" && s.user == "" {
		return SMTPReplyEnhanced(530, [3]int{5, 7, 0}, "Authentication required")
	}
	if err := s.fail("mail", from); err != nil {
		return err
	}
	s.mail = Mail{From: from, User: s.user, How: s.how}
	s.bits8 = o.Body == smtp.Body8BitMIME
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if err := s.fail("rcpt", to); err != nil {
		return err
	}
	s.mail.To = append(s.mail.To, to)
	return nil
}

func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.server.mu.Lock()
	s.server.tried++
	s.server.mu.Unlock()
	if err := s.fail("accepted", ""); err != nil {
		return err
	}
	if broken := s.broken(raw); broken != "" {
		return SMTPReplyEnhanced(554, [3]int{5, 6, 0}, broken)
	}
	mail := s.mail
	mail.Raw = raw
	_, mail.Secure = s.conn.TLSConnectionState()
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.mails = append(s.server.mails, mail)
	return nil
}

// broken says which rule a message breaks, or "".
func (s *session) broken(raw []byte) string {
	if !bytes.HasSuffix(raw, []byte("\r\n")) {
		return "the last line does not end"
	}
	for i, line := range bytes.SplitAfter(raw, []byte("\r\n")) {
		text := bytes.TrimSuffix(line, []byte("\r\n"))
		switch {
		case len(text) > 998:
			return fmt.Sprintf("line %d has %d bytes", i+1, len(text))
		case bytes.ContainsAny(text, "\r\n"):
			return fmt.Sprintf("line %d has a CR or LF in it", i+1)
		case bytes.IndexByte(text, 0) >= 0:
			return fmt.Sprintf("line %d has a NUL in it", i+1)
		case !s.bits8 && bytes.ContainsFunc(text, func(r rune) bool { return r > 127 }):
			return fmt.Sprintf("line %d has 8 bits", i+1)
		}
	}
	return ""
}
