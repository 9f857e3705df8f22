package dest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"feedonce"
)

// Email sends through a mail server (RFC 5321), HTML and text in one message.
//
// It is not idempotent. Every attempt of a message has the same Message-ID, and many mail servers and programs drop a second
// copy by it; but nothing obliges them to, and some show both. So a connection that is lost between the end of the message
// and the server's answer leaves it unknown whether the message arrived.
var Email = &Kind{
	Name:  "email",
	About: "e-mail through your mail server (SMTP), as HTML and as text",
	Fields: []Field{
		{Name: "host", About: "mail server, such as smtp.example.org", Required: true},
		{Name: "port", About: "its port, where it is not 587 (or 465 for tls, 25 for none)"},
		{Name: "tls", About: "encryption: starttls, or tls from the first byte, or none, which with a password is for this machine only", Default: "starttls", Values: []string{"starttls", "tls", "none"}},
		{Name: "ca", About: "certificate in PEM form to trust besides the usual ones, for a server that signs its own"},
		{Name: "username", About: "account on the mail server"},
		{Name: "password", About: "its password", Secret: true},
		{Name: "auth", About: "how to log in; auto takes the best that the server offers", Default: "auto", Values: []string{"auto", "plain", "login", "scram-sha-1", "scram-sha-256"}},
		{Name: "from", About: "sender, such as Feeds <feeds@example.org>", Required: true},
		{Name: "to", About: "addresses with commas between them; of several none sees the others", Required: true},
		{Name: "unsubscribe", About: "where people write or go to get no more: mailto:… or https://…; otherwise a mail to the sender"},
		{Name: "content", About: "how much of an article: full, or its beginning", Default: "full", Values: []string{"full", "beginning"}},
		{Name: "pictures", About: "load pictures of articles from their sites, which then learn who reads", Default: "no", Values: []string{"no", "yes"}},
	},
	Rate: feedonce.Rate{PerMinute: 30, Burst: 10},
	Open: openEmail,
}

type email struct {
	env         Env
	host, port  string
	tls         string
	config      *tls.Config
	user, pass  string
	auth        string
	from        mail.Address
	to          []mail.Address
	unsubscribe string
	full        bool
	pictures    bool
}

func openEmail(set Settings, env Env) (Sender, error) {
	e := &email{
		env: env, host: strings.TrimSpace(set["host"]), tls: cmp.Or(set["tls"], "starttls"), user: set["username"], pass: set["password"],
		auth: cmp.Or(set["auth"], "auto"), full: cmp.Or(set["content"], "full") == "full", pictures: set["pictures"] == "yes",
	}
	if e.host == "" || strings.ContainsAny(e.host, "/@ \t\r\n") || strings.Contains(e.host, ":") && !literalIP(e.host) {
		return nil, &feedonce.InvalidError{Field: "host", Reason: fmt.Sprintf("%q is no name of a server; write it such as smtp.example.org, with its port in port", e.host)}
	}
	e.port = cmp.Or(set["port"], map[string]string{"starttls": "587", "tls": "465", "none": "25"}[e.tls])
	if n, err := strconv.ParseUint(e.port, 10, 16); err != nil || n == 0 {
		return nil, &feedonce.InvalidError{Field: "port", Reason: "must be a number from 1 to 65535, such as 587"}
	}
	switch {
	case e.user == "" && e.pass != "":
		return nil, &feedonce.InvalidError{Field: "username", Reason: "is missing: there is a password"}
	case e.user != "" && e.pass == "":
		return nil, &feedonce.InvalidError{Field: "password", Reason: "is missing: there is a username"}
	case e.tls == "none" && e.pass != "" && !thisMachine(e.host):
		return nil, &feedonce.InvalidError{Field: "tls", Reason: "must be starttls or tls: the password would be sent in the clear over the network"}
	}
	var err error
	if e.config, err = trust(e.host, set["ca"]); err != nil {
		return nil, err
	}
	from, err := addresses("from", set["from"])
	if err != nil {
		return nil, err
	}
	if len(from) != 1 {
		return nil, &feedonce.InvalidError{Field: "from", Reason: "must be one address"}
	}
	e.from = from[0]
	if e.to, err = addresses("to", set["to"]); err != nil {
		return nil, err
	}
	e.unsubscribe, err = unsubscribe(set["unsubscribe"], e.from)
	return e, err
}

// trust is how the server's certificate is checked: against the system's authorities, and one that a person added.
func trust(host, ca string) (*tls.Config, error) {
	c := &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}
	if strings.TrimSpace(ca) == "" {
		return c, nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM([]byte(ca)) {
		return nil, &feedonce.InvalidError{Field: "ca", Reason: "is no certificate in PEM form, which begins with -----BEGIN CERTIFICATE-----"}
	}
	c.RootCAs = pool
	return c, nil
}

func literalIP(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// thisMachine reports whether nothing sent to a host leaves this machine.
func thisMachine(host string) bool {
	a, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && a.IsLoopback()
}

// maxRecipients is what every server must take in one transaction (RFC 5321 4.5.3.1.8).
const maxRecipients = 100

// addresses reads a list of addresses (RFC 5322 3.4). Domains come back in their ASCII form.
func addresses(field, list string) ([]mail.Address, error) {
	bad := func(which, why string) error {
		return &feedonce.InvalidError{Field: field, Reason: fmt.Sprintf("%q is no address: %s; write it such as jo@example.org or Jo <jo@example.org>", which, why)}
	}
	list = strings.Trim(strings.NewReplacer("\r\n", ",", "\n", ",").Replace(list), ", \t")
	found, err := mail.ParseAddressList(list)
	if err != nil {
		for one := range strings.SplitSeq(list, ",") {
			if _, err := mail.ParseAddress(one); err != nil {
				return nil, bad(strings.TrimSpace(one), strings.TrimPrefix(err.Error(), "mail: "))
			}
		}
		return nil, bad(list, strings.TrimPrefix(err.Error(), "mail: "))
	}
	if len(found) > maxRecipients {
		return nil, &feedonce.InvalidError{Field: field, Reason: fmt.Sprintf("has %d addresses; at most %d fit in one message: a mailing list serves more", len(found), maxRecipients)}
	}
	out := make([]mail.Address, len(found))
	for i, a := range found {
		at := strings.LastIndexByte(a.Address, '@')
		local, domain := a.Address[:at], a.Address[at+1:]
		if strings.ContainsFunc(local, func(r rune) bool { return r < ' ' || r > '~' }) {
			return nil, bad(a.Address, "only letters of the English alphabet can stand before the @")
		}
		if !strings.HasPrefix(domain, "[") {
			if domain, err = idna.Lookup.ToASCII(domain); err != nil {
				return nil, bad(a.Address, "its domain cannot be")
			}
		}
		out[i] = mail.Address{Name: oneLine(a.Name, maxName), Address: local + "@" + domain}
	}
	return out, nil
}

// unsubscribe reads the address that List-Unsubscribe names (RFC 2369 3.2).
func unsubscribe(v string, from mail.Address) (string, error) {
	if v == "" {
		return "mailto:" + url.PathEscape(from.Address) + "?subject=unsubscribe", nil
	}
	u, err := url.Parse(v)
	if err != nil || strings.ContainsAny(v, "<>, \r\n\t\"") || !(u.Scheme == "mailto" && u.Opaque != "" || u.Scheme == "https" && u.Host != "") {
		return "", &feedonce.InvalidError{Field: "unsubscribe", Reason: "must be such as mailto:feeds@example.org?subject=stop or https://example.org/stop"}
	}
	return u.String(), nil
}

func (e *email) Preview(m Message) (Preview, error) {
	raw, err := e.compose(m)
	if err != nil {
		return Preview{}, err
	}
	p := Preview{Type: "message/rfc822", Body: string(raw), Headers: [][2]string{{"MAIL FROM", envelope(e.from)}}}
	for _, to := range e.to {
		p.Headers = append(p.Headers, [2]string{"RCPT TO", envelope(to)})
	}
	return p, nil
}

func (e *email) Send(ctx context.Context, m Message) Result {
	raw, err := e.compose(m)
	if err != nil {
		return Result{Outcome: Refused, Err: fmt.Errorf("no mail can be made of this: %w", err)}
	}
	// A mailbox that is full for a while is waited for; one that is full for ever does not keep the others from theirs.
	patient := e.env.Now().Sub(m.Created) < patience
	return e.deliver(ctx, bytes.NewReader(raw), patient)
}

// envelope is an address as the envelope has it (RFC 5321 4.1.2).
func envelope(a mail.Address) string { return (&mail.Address{Address: a.Address}).String() }

// helo is what this machine calls itself: its full name where it knows one, else the sender's domain, because many servers
// turn away a name without a dot.
func (e *email) helo() string {
	if name, err := os.Hostname(); err == nil && strings.Contains(name, ".") {
		if name, err = idna.Lookup.ToASCII(name); err == nil {
			return name
		}
	}
	return e.domain()
}

func (e *email) domain() string { return e.from.Address[strings.LastIndexByte(e.from.Address, '@')+1:] }

func (e *email) address() string { return net.JoinHostPort(e.host, e.port) }
