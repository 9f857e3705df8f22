package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"
)

// host names the server being asked, with its port where it is an unusual one.
func (t *trip) host() string { return t.url.Host }

// fail makes the *Error for the URL being asked. After a redirect the sentence says where it came from.
func (t *trip) fail(kind Kind, status int, err error, format string, args ...any) *Error {
	e := &Error{Kind: kind, URL: t.url.String(), Status: status, Err: err, Reason: fmt.Sprintf(format, args...)}
	if t.from != "" {
		e.Reason += fmt.Sprintf(" (%s redirected there)", brief(t.from))
	}
	return e
}

// explain turns an error of the transport into an *Error, or into the context's error when the caller gave up.
func (t *trip) explain(err error) error {
	if perr := t.parent.Err(); perr != nil {
		return perr
	}
	var (
		forbidden *forbiddenError
		dns       *net.DNSError
		timeout   net.Error
	)
	switch cause := context.Cause(t.ctx); {
	case cause == errTotal && t.stage.at.Load() == stageDNS:
		return t.fail(KindTimeout, 0, err, "the name servers took longer than %s to say where %s is; check this machine's network and DNS",
			seconds(t.c.opts.Timeout), t.url.Hostname())
	case cause == errTotal:
		return t.fail(KindTimeout, 0, err, "%s took longer than %s %s; it may be overloaded or down, and trying again later may help",
			t.host(), seconds(t.c.opts.Timeout), t.stage.doing())
	case cause == errSlow:
		return t.fail(KindTimeout, 0, err, "%s sent its document slower than %s a second over %s, so reading was given up; "+
			"trying again later may help", t.host(), byteSize(t.c.opts.MinRate), seconds(t.c.opts.RateWindow))
	case errors.As(err, &forbidden):
		if forbidden.wrongPort() {
			return t.fail(KindForbidden, 0, err, "%s: %s", t.host(), forbidden)
		}
		if _, aerr := netip.ParseAddr(t.url.Hostname()); aerr != nil {
			named := *forbidden
			named.name = t.url.Hostname()
			forbidden = &named
		}
		return t.fail(KindForbidden, 0, err, "%s", forbidden)
	case errors.As(err, &dns):
		return t.dnsError(err, dns)
	case errors.As(err, &timeout) && timeout.Timeout():
		return t.fail(KindTimeout, 0, err, "%s took too long %s; it may be overloaded or down, and trying again later may help",
			t.host(), t.stage.doing())
	}
	if e := t.tlsError(err); e != nil {
		return e
	}
	return t.connError(err)
}

func (t *trip) dnsError(err error, dns *net.DNSError) error {
	name := t.url.Hostname()
	switch {
	case dns.IsNotFound:
		return t.fail(KindDNS, 0, err, "the host name %s has no address; check it for typing errors, or the site has moved", name)
	case dns.IsTimeout:
		return t.fail(KindTimeout, 0, err, "the name servers did not say in time where %s is; check this machine's network and DNS", name)
	}
	return t.fail(KindDNS, 0, err, "the name servers could not say where %s is; check this machine's network and DNS, "+
		"or try again later", name)
}

// tlsError explains certificates and handshakes; nil for other errors.
func (t *trip) tlsError(err error) error {
	var (
		invalid  x509.CertificateInvalidError
		name     x509.HostnameError
		unknown  x509.UnknownAuthorityError
		roots    x509.SystemRootsError
		verify   *tls.CertificateVerificationError
		alert    tls.AlertError
		record   tls.RecordHeaderError
		host     = t.url.Hostname()
		day      = func(at time.Time) string { return at.UTC().Format("2 January 2006") }
		tellThem = "the publisher has to renew it"
	)
	fail := func(format string, args ...any) error { return t.fail(KindTLS, 0, err, format, args...) }
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired && time.Now().Before(invalid.Cert.NotBefore):
		return fail("the certificate of %s is valid only from %s; check this machine's clock", host, day(invalid.Cert.NotBefore))
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return fail("the certificate of %s expired on %s; %s", host, day(invalid.Cert.NotAfter), tellThem)
	case errors.As(err, &name):
		return fail("the certificate of %s is for another name; check the address", host)
	case errors.As(err, &unknown):
		return fail("the certificate of %s is signed by nobody this machine trusts (it may be self-signed, "+
			"or the server leaves out an intermediate certificate)", host)
	case errors.As(err, &roots):
		return fail("this machine has no list of trusted certificate authorities; install the package ca-certificates")
	case errors.As(err, &verify), errors.As(err, &invalid):
		return fail("the certificate of %s is not valid", host)
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return fail("%s does not speak TLS; try the address with http:// instead of https://", t.host())
	case errors.As(err, &alert), strings.Contains(err.Error(), "tls: "):
		// Many errors of crypto/tls are plain text.
		return fail("no encrypted connection to %s could be agreed on; the server may offer only outdated TLS", t.host())
	}
	return nil
}

// connError explains connections that fail and answers that are no HTTP.
func (t *trip) connError(err error) error {
	fail := func(kind Kind, format string, args ...any) error { return t.fail(kind, 0, err, format, args...) }
	text := err.Error()
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return fail(KindConnect, "%s refused the connection; the server may be down, or the port may be wrong", t.host())
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.EADDRNOTAVAIL):
		return fail(KindConnect, "%s cannot be reached from this machine; check its network", t.host())
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return fail(KindConnect, "this machine has too many files and connections open to connect to %s; raise the limit (ulimit -n)", t.host())
	// The two have no type of their own in net/http.
	case strings.Contains(text, "response headers exceeded"), strings.Contains(text, "header list larger than"):
		return fail(KindTooLarge, "the header of the answer of %s is larger than %s, which is the limit; "+
			"the server is misconfigured or means harm", t.host(), byteSize(t.c.opts.MaxHeader))
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF),
		errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), strings.Contains(text, "closed network connection"):
		what := "before it answered"
		if t.stage.at.Load() == stageBody {
			what = "before it sent any of the document"
		}
		return fail(KindConnect, "%s closed the connection %s; trying again later may help", t.host(), what)
	}
	var op *net.OpError
	if errors.As(err, &op) {
		return fail(KindConnect, "the connection to %s failed (%s); trying again later may help", t.host(), brief(printable(op.Err.Error())))
	}
	// Nor have these: net/http bundles the HTTP/2 client with its types unexported.
	if strings.Contains(text, "PROTOCOL_ERROR") || strings.Contains(text, "FRAME_SIZE_ERROR") || strings.Contains(text, "COMPRESSION_ERROR") {
		return fail(KindProtocol, "%s broke the rules of HTTP/2, or sent a header far larger than %s; the server is misconfigured or means harm",
			t.host(), byteSize(t.c.opts.MaxHeader))
	}
	return fail(KindProtocol, "%s did not answer with valid HTTP; check that the address is that of a web server", t.host())
}

// statusError explains an answer with a status that brings no document.
func (t *trip) statusError(resp *http.Response) error {
	s := resp.StatusCode
	kind, what := KindStatus, ""
	switch {
	case s == http.StatusGone:
		kind, what = KindGone, "the publisher took the feed away for good; remove it, or look for its new address"
	case s == http.StatusNotFound:
		what = "the feed is not there any more; check the address"
	case (s == http.StatusUnauthorized || s == http.StatusForbidden) && t.user != nil && t.leftHome:
		what = "the user name and password were not sent along, because a redirect led to another origin; use the address it leads to"
	case s == http.StatusUnauthorized && t.user != nil:
		what = "user name or password are wrong"
	case s == http.StatusUnauthorized:
		what = "the feed needs a user name and a password"
	case s == http.StatusForbidden && resp.Header.Get("Cf-Mitigated") != "":
		what = "the site's bot protection does not let programs in; ask the publisher to let feed readers through"
	case s == http.StatusForbidden:
		what = "the server does not let this program read the feed; ask the publisher to let feed readers through"
	case s == http.StatusProxyAuthRequired || s == http.StatusNetworkAuthenticationRequired:
		what = "something on the way wants a log-in first; check this machine's network"
	case s == http.StatusNotAcceptable:
		what = "the server offers no document that it thinks acceptable; check the address"
	case s == http.StatusTooManyRequests:
		what = "the server is asked too often, and wants to be left alone for a while"
	case s == http.StatusUnavailableForLegalReasons:
		what = "the feed is blocked for legal reasons where this machine is"
	case s >= 500:
		what = "the server has trouble of its own; trying again later may help"
	case s >= 400:
		what = "the server does not accept the request; check the address"
	case s >= 300:
		what = "the server gives no document and no new address; check the address in a browser"
	default:
		what = "the server gives no document; check that the address is that of a feed"
	}
	wait := retryAfter(resp.Header, time.Now())
	if wait > 0 && (s == http.StatusTooManyRequests || s >= 500) {
		what += " (it asks for " + seconds(wait) + ")"
	}
	e := t.fail(kind, s, nil, "%s answered %s: %s", t.host(), statusText(s), what)
	e.RetryAfter = wait
	return e
}

// statusText is "404 Not Found". The server's own words are not shown.
func statusText(status int) string {
	return strings.TrimSpace(strconv.Itoa(status) + " " + http.StatusText(status))
}

// seconds writes a duration as "20 s", "1.5 s" or "3 h".
func seconds(d time.Duration) string {
	switch {
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d h", int64(d.Hours()))
	case d >= 2*time.Minute:
		return fmt.Sprintf("%d min", int64(d.Minutes()))
	}
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " s"
}

// byteSize writes a number of bytes as "10 MiB".
func byteSize(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// brief shortens a text for a sentence.
func brief(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	cut := most
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// printable takes out what a server's text could do to a terminal or a log.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}
