package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"feedonce"
)

// What argon2id costs: the second of the settings that OWASP's Password Storage Cheat Sheet gives as equally strong.
const (
	argonMemory = 19 << 10 // KiB
	argonTime   = 2
	argonLanes  = 1
	saltSize    = 16
	keySize     = 32
	// maxMemory is the most that a stored hash may ask for, in KiB.
	maxMemory = 1 << 20
)

// Passwords are of at least this many characters (NIST SP 800-63B 5.1.1.2 asks for 8), and at most so many bytes.
const (
	MinPassword = 10
	maxPassword = 1000
)

// atOnce bounds how many passwords are hashed at once, each in argonMemory.
var atOnce = make(chan struct{}, 2)

// hashed counts the hashes that were computed, for tests.
var hashed atomic.Int64

func argon(ctx context.Context, password string, salt []byte, memory, time uint32, lanes uint8) ([]byte, error) {
	select {
	case atOnce <- struct{}{}:
		defer func() { <-atOnce }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	hashed.Add(1)
	return argon2.IDKey([]byte(password), salt, time, memory, lanes, keySize), nil
}

// HashPassword returns what is stored of a password, in PHC form, or an *feedonce.InvalidError that says why it is none.
func HashPassword(ctx context.Context, password string) (string, error) {
	switch {
	case utf8.RuneCountInString(password) < MinPassword:
		return "", &feedonce.InvalidError{Field: "the password", Reason: fmt.Sprintf("must have at least %d characters", MinPassword)}
	case len(password) > maxPassword:
		return "", &feedonce.InvalidError{Field: "the password", Reason: fmt.Sprintf("must have at most %d bytes", maxPassword)}
	}
	salt := make([]byte, saltSize)
	rand.Read(salt) //nolint:errcheck // it never fails (crypto/rand)
	key, err := argon(ctx, password, salt, argonMemory, argonTime, argonLanes)
	if err != nil {
		return "", err
	}
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonTime, argonLanes, b64(salt), b64(key)), nil
}

// checkPassword reports whether a password is the one that was hashed.
func checkPassword(ctx context.Context, hash, password string) (bool, error) {
	if len(password) > maxPassword {
		return false, nil
	}
	parts := strings.Split(hash, "$")
	var version int
	var memory, time uint32
	var lanes uint8
	bad := func(err error) (bool, error) { return false, fmt.Errorf("the stored password cannot be read: %w", err) }
	if len(parts) != 6 || parts[1] != "argon2id" {
		return bad(fmt.Errorf("it is not of argon2id"))
	}
	if _, err := fmt.Sscanf(parts[2], "v=%d", &version); err != nil || version != argon2.Version {
		return bad(fmt.Errorf("version %q: %w", parts[2], err))
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &time, &lanes); err != nil {
		return bad(err)
	}
	if memory > maxMemory || time < 1 || time > 100 || lanes < 1 {
		return bad(fmt.Errorf("parameters %q", parts[3]))
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return bad(err)
	}
	want, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil {
		return bad(err)
	}
	if len(want) != keySize {
		return bad(fmt.Errorf("a key of %d bytes", len(want)))
	}
	key, err := argon(ctx, password, salt, memory, time, lanes)
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(key, want) == 1, nil
}

// nobody is the hash of a password that nobody has.
var nobody = sync.OnceValue(func() string {
	hash, err := HashPassword(context.Background(), rand.Text())
	if err != nil {
		panic(err) // it is long enough
	}
	return hash
})
