package desttest

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/nats-io/nkeys"
)

// NATSCredentials makes an operator, an account with JetStream and a user of it, and returns what a server's configuration must
// say to know them, and the content of the user's .creds file.
func NATSCredentials(t testing.TB) (config, creds string) {
	t.Helper()
	pair := func(kind nkeys.PrefixByte) (nkeys.KeyPair, string) {
		p, err := nkeys.CreatePairWithRand(kind, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		public, err := p.PublicKey()
		if err != nil {
			t.Fatal(err)
		}
		return p, public
	}
	// A token of NATS is a JWT that is signed with Ed25519 keys in their own spelling.
	sign := func(by nkeys.KeyPair, issuer, subject string, claims map[string]any) string {
		claims["version"] = 2
		part := func(v any) string {
			b, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			return base64.RawURLEncoding.EncodeToString(b)
		}
		text := part(map[string]string{"typ": "JWT", "alg": "ed25519-nkey"}) + "." +
			part(map[string]any{"jti": rand.Text(), "iat": 1767225600, "iss": issuer, "sub": subject, "name": "a test", "nats": claims})
		signature, err := by.Sign([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return text + "." + base64.RawURLEncoding.EncodeToString(signature)
	}
	operator, operatorID := pair(nkeys.PrefixByteOperator)
	_, systemID := pair(nkeys.PrefixByteAccount)
	account, accountID := pair(nkeys.PrefixByteAccount)
	user, userID := pair(nkeys.PrefixByteUser)
	seed, err := user.Seed()
	if err != nil {
		t.Fatal(err)
	}
	limits := map[string]any{}
	for _, l := range []string{"subs", "data", "payload", "imports", "exports", "conn", "leaf", "mem_storage", "disk_storage", "streams", "consumer"} {
		limits[l] = -1
	}
	config = fmt.Sprintf("operator: %s\nsystem_account: %s\nresolver: MEMORY\nresolver_preload { %s: %s, %s: %s }\n",
		sign(operator, operatorID, operatorID, map[string]any{"type": "operator"}), systemID,
		systemID, sign(operator, operatorID, systemID, map[string]any{"type": "account"}),
		accountID, sign(operator, operatorID, accountID, map[string]any{"type": "account", "limits": limits}))
	creds = fmt.Sprintf("-----BEGIN NATS USER JWT-----\n%s\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n%s\n------END USER NKEY SEED------\n",
		sign(account, accountID, userID, map[string]any{"type": "user", "subs": -1, "data": -1, "payload": -1}), seed)
	return config, creds
}
