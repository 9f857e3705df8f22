package desttest

import (
	"bytes"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"strings"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// newSASL is the server's side of a log-in; ok is called when it succeeded.
func newSASL(mechanism, user, password string, ok func()) (sasl.Server, error) {
	check := func(u, p string) error {
		if u != user || p != password {
			return smtp.ErrAuthFailed
		}
		ok()
		return nil
	}
	switch mechanism {
	case "PLAIN":
		return sasl.NewPlainServer(func(_, u, p string) error { return check(u, p) }), nil
	case "LOGIN":
		return &loginServer{check: check}, nil
	case "SCRAM-SHA-1":
		return &scramServer{hash: sha1.New, user: user, password: password, ok: ok}, nil
	case "SCRAM-SHA-256":
		return &scramServer{hash: sha256.New, user: user, password: password, ok: ok}, nil
	}
	return nil, smtp.ErrAuthUnknownMechanism
}

// loginServer asks for the name and then for the password.
type loginServer struct {
	asked int
	user  string
	check func(user, password string) error
}

func (l *loginServer) Next(response []byte) (challenge []byte, done bool, err error) {
	l.asked++
	switch l.asked {
	case 1:
		return []byte("Username:"), false, nil
	case 2:
		l.user = string(response)
		return []byte("Password:"), false, nil
	}
	return nil, true, l.check(l.user, string(response))
}

// scramServer is SCRAM (RFC 5802, RFC 7677) without channel binding: neither side shows the other the password.
type scramServer struct {
	hash           func() hash.Hash
	user, password string
	ok             func()

	first, serverFirst, nonce string
	salted                    []byte
	verified                  bool
}

func (s *scramServer) Next(response []byte) (challenge []byte, done bool, err error) {
	switch {
	case s.verified: // the client has seen the server's proof
		return nil, true, nil
	case s.first == "" && len(response) == 0:
		return []byte{}, false, nil
	case s.first == "":
		bare, ok := strings.CutPrefix(string(response), "n,,")
		if !ok {
			return nil, false, errors.New("no SCRAM without channel binding")
		}
		s.first = bare
		attr := scramAttributes(bare)
		if attr["n"] != s.user {
			return nil, true, smtp.ErrAuthFailed
		}
		var salt [16]byte
		rand.Read(salt[:])
		if s.salted, err = pbkdf2.Key(s.hash, s.password, salt[:], 4096, s.hash().Size()); err != nil {
			return nil, true, err
		}
		s.nonce = attr["r"] + rand.Text()
		s.serverFirst = fmt.Sprintf("r=%s,s=%s,i=4096", s.nonce, base64.StdEncoding.EncodeToString(salt[:]))
		return []byte(s.serverFirst), false, nil
	}
	without, proof, _ := strings.Cut(string(response), ",p=")
	attr := scramAttributes(without)
	given, err := base64.StdEncoding.DecodeString(proof)
	if err != nil || attr["r"] != s.nonce {
		return nil, true, smtp.ErrAuthFailed
	}
	message := s.first + "," + s.serverFirst + "," + without
	clientKey := s.mac(s.salted, "Client Key")
	h := s.hash()
	h.Write(clientKey)
	want := s.mac(h.Sum(nil), message)
	subtle.XORBytes(want, want, clientKey)
	if !bytes.Equal(want, given) {
		return nil, true, smtp.ErrAuthFailed
	}
	s.verified = true
	s.ok()
	signature := s.mac(s.mac(s.salted, "Server Key"), message)
	return []byte("v=" + base64.StdEncoding.EncodeToString(signature)), false, nil
}

func (s *scramServer) mac(key []byte, text string) []byte {
	m := hmac.New(s.hash, key)
	m.Write([]byte(text))
	return m.Sum(nil)
}

func scramAttributes(s string) map[string]string {
	out := map[string]string{}
	for part := range strings.SplitSeq(s, ",") {
		name, value, _ := strings.Cut(part, "=")
		out[name] = value
	}
	return out
}
