package fetch

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// serveTLS starts a TLS server with a certificate of its own for 127.0.0.1, changed by edit.
func serveTLS(t *testing.T, conf *tls.Config, edit func(*x509.Certificate)) *httptest.Server {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	cert := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	edit(cert)
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, feedXML) }))
	conf.Certificates = []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}
	s.TLS = conf
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func TestCertificates(t *testing.T) {
	day := func(y int) time.Time { return time.Date(y, 3, 9, 12, 0, 0, 0, time.UTC) }
	trusted := func(s *httptest.Server) Options { return Options{RootCAs: rootsOf(s)} }

	expired := serveTLS(t, &tls.Config{}, func(c *x509.Certificate) { c.NotBefore, c.NotAfter = day(2019), day(2020) })
	wantError(t, newClient(t, trusted(expired)), Request{URL: expired.URL}, KindTLS, "the certificate of 127.0.0.1 expired on 9 March 2020")

	future := serveTLS(t, &tls.Config{}, func(c *x509.Certificate) { c.NotBefore, c.NotAfter = day(2900), day(2901) })
	wantError(t, newClient(t, trusted(future)), Request{URL: future.URL}, KindTLS, "valid only from 9 March 2900; check this machine's clock")

	name := serveTLS(t, &tls.Config{}, func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"example.org"} })
	wantError(t, newClient(t, trusted(name)), Request{URL: name.URL}, KindTLS, "is for another name")

	self := serveTLS(t, &tls.Config{}, func(*x509.Certificate) {})
	wantError(t, newClient(t, Options{RootCAs: x509.NewCertPool()}), Request{URL: self.URL}, KindTLS, "signed by nobody this machine trusts")
	mustGet(t, newClient(t, trusted(self)), Request{URL: self.URL})

	server := serveTLS(t, &tls.Config{}, func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageEmailProtection} })
	wantError(t, newClient(t, trusted(server)), Request{URL: server.URL}, KindTLS, "is not valid")

	old := serveTLS(t, &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}, func(*x509.Certificate) {})
	wantError(t, newClient(t, trusted(old)), Request{URL: old.URL}, KindTLS, "outdated TLS")

	plain := serve(t, func(w http.ResponseWriter, r *http.Request) {})
	wantError(t, newClient(t, Options{}), Request{URL: "https://" + plain.Listener.Addr().String()}, KindTLS, "does not speak TLS", "http://")
}

func TestPlainHTTPToATLSServer(t *testing.T) {
	s := serveTLS(t, &tls.Config{}, func(*x509.Certificate) {})
	wantError(t, newClient(t, Options{}), Request{URL: "http://" + s.Listener.Addr().String()}, KindStatus, "400 Bad Request")
}
