package dest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"syscall"
)

// failed says what an attempt without an answer means; written says that the endpoint may have the whole message.
func (r request) failed(ctx context.Context, err error, written bool) Result {
	why := excerpt(r.masked(reason(err)))
	switch {
	case written:
		return Result{Outcome: Unknown, Err: fmt.Errorf("the message was written, and no answer came: %s", why)}
	case ctx.Err() != nil:
		return Result{Outcome: Retry, Err: fmt.Errorf("the message was not sent: %s", why)}
	case forbidden(err):
		return Result{Outcome: Gone, Err: fmt.Errorf("the endpoint must not be reached: %s", why)}
	}
	return Result{Outcome: Retry, Err: fmt.Errorf("the endpoint could not be reached: %s", why)}
}

// forbidden reports whether the guard of the dialer refused an address: no attempt will do better until the operator allows
// it. Its error says so by a method, as this package does not know it.
func forbidden(err error) bool {
	var f interface{ Forbidden() bool }
	return errors.As(err, &f) && f.Forbidden()
}

// reason is an error of the transport in words, without the address that net/http puts before it.
func reason(err error) string {
	var (
		where   *url.Error
		dns     *net.DNSError
		dial    *net.OpError
		cert    *tls.CertificateVerificationError
		plain   tls.RecordHeaderError
		alert   tls.AlertError
		timeout net.Error
		host    x509.HostnameError
		expired x509.CertificateInvalidError
		issuer  x509.UnknownAuthorityError
	)
	if errors.As(err, &where) {
		err = where.Err
	}
	switch {
	case errors.Is(err, context.Canceled):
		return "the program was ending"
	case errors.As(err, &dns):
		if dns.IsNotFound {
			return fmt.Sprintf("there is no host %s; look whether the address is right", dns.Name)
		}
		return fmt.Sprintf("the name %s could not be looked up", dns.Name)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "it took too long"
	case errors.As(err, &host):
		return "its certificate is for another name (" + host.Error() + ")"
	case errors.As(err, &expired) && expired.Reason == x509.Expired:
		return "its certificate is not valid now (" + expired.Error() + ")"
	case errors.As(err, &issuer):
		return "its certificate is signed by nobody this machine trusts"
	case errors.As(err, &cert):
		return "its certificate cannot be trusted (" + cert.Err.Error() + ")"
	case errors.As(err, &plain):
		return "it does not speak TLS; look whether the address begins with https:// rightly, and has the right port"
	case errors.As(err, &alert):
		return "it ended the TLS handshake (" + alert.Error() + ")"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens at its address (connection refused)"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "the connection was reset"
	case errors.As(err, &dial) && dial.Op == "dial" && dial.Err != nil:
		return dial.Err.Error() // a guard's own sentence, or a system's
	case errors.Is(err, io.EOF):
		return "the connection was closed"
	}
	return err.Error()
}
