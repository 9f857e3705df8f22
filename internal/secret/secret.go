// Package secret seals what must not be read from a stolen database or backup: addresses with tokens in them, passwords.
//
// A Box holds one key. It comes from the environment or from a file beside the database, which is made on first use with
// mode 0600. Whoever has both the database and the key can read everything; that is the point of keeping them apart in
// backups.
package secret

import (
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/chacha20poly1305"
)

// KeySize is the size of a key in bytes.
const KeySize = chacha20poly1305.KeySize

// A Box seals and opens with XChaCha20-Poly1305. It is safe for concurrent use.
type Box struct {
	aead cipher.AEAD
	from string // where the key came from, for messages
}

// New returns a box with a key.
func New(key [KeySize]byte, from string) *Box {
	aead, err := chacha20poly1305.NewX(key[:])
	if err != nil {
		panic(err) // the key has the right size
	}
	return &Box{aead: aead, from: from}
}

// Parse reads a key as a person writes it: 64 hexadecimal digits, or base64 of 32 bytes.
func Parse(s string) (key [KeySize]byte, err error) {
	s = strings.TrimSpace(s)
	for _, decode := range []func(string) ([]byte, error){hex.DecodeString, base64.StdEncoding.DecodeString, base64.RawURLEncoding.DecodeString} {
		if b, err := decode(s); err == nil && len(b) == KeySize {
			return [KeySize]byte(b), nil
		}
	}
	return key, errors.New("a key is 64 hexadecimal digits, or 32 bytes in base64; `openssl rand -hex 32` makes one")
}

// Load returns a box with the key that is given, or where that is "" with the one in a file, which is made where it is
// missing. Of several processes that make it at once, all get the same key. warning says what is wrong with the file though
// it can be used.
func Load(key, path string) (box *Box, warning string, err error) {
	if key != "" {
		k, err := Parse(key)
		if err != nil {
			return nil, "", fmt.Errorf("the key for secrets cannot be read: %w", err)
		}
		return New(k, "the key that was given"), "", nil
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := create(path); err != nil {
			return nil, "", fmt.Errorf("cannot make the key for secrets: %w", err)
		}
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, "", fmt.Errorf("cannot read the key for secrets: %w", err)
	}
	k, err := Parse(string(text))
	if err != nil {
		return nil, "", fmt.Errorf("the file %s is no key for secrets: %w. Without the old key, what was sealed with it must be entered again", path, err)
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
		warning = fmt.Sprintf("the key for secrets, %s, can be read by other users of this machine (chmod 600 %s)", path, path)
	}
	return New(k, path), warning, nil
}

// create makes a key file, or leaves the one that another process made meanwhile: a link to a finished file either is there
// or is not.
func create(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".key-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	var key [KeySize]byte
	rand.Read(key[:]) // never fails
	_, err = fmt.Fprintf(f, "%x\n", key)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		// A file system without links: only a process that starts at the very same moment could be in the way.
		return os.Rename(f.Name(), path)
	}
	return nil
}

// version is the first byte of what is sealed.
const version = 1

// Seal seals plain. What is sealed can be opened only as being about the same thing.
func (b *Box) Seal(plain []byte, about string) ([]byte, error) {
	sealed := make([]byte, 1+chacha20poly1305.NonceSizeX, 1+chacha20poly1305.NonceSizeX+len(plain)+chacha20poly1305.Overhead)
	sealed[0] = version
	rand.Read(sealed[1:])
	return b.aead.Seal(sealed, sealed[1:], plain, []byte(about)), nil
}

// Open opens what Seal sealed.
func (b *Box) Open(sealed []byte, about string) ([]byte, error) {
	const head = 1 + chacha20poly1305.NonceSizeX
	if len(sealed) < head || sealed[0] != version {
		return nil, errors.New("it is damaged, or was sealed by a newer feedonce")
	}
	plain, err := b.aead.Open(nil, sealed[1:head], sealed[head:], []byte(about))
	if err != nil {
		return nil, fmt.Errorf("it was sealed with another key than that of %s: use the key that this database was used with before (secret-key or secret-key-file), or enter the secret again", b.from)
	}
	return plain, nil
}

// Mask returns a secret as it may be shown: of an address its scheme and host, of anything else nothing.
func Mask(s string) string {
	const dots = "••••"
	if s == "" {
		return ""
	}
	if u, err := url.Parse(s); err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") {
		return u.Scheme + "://" + u.Host + "/" + dots
	}
	return dots
}
