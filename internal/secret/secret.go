// Package secret seals what must not be read from a stolen database or backup: addresses with tokens in them, passwords.
//
// A Box holds one key. It comes from the environment or from a file beside the database, which is made on first use with
// mode 0600. Whoever has both the database and the key can read everything; that is the point of keeping them apart in
// backups.
package secret

// A Box seals and opens. It is safe for concurrent use.
type Box struct {
	key [32]byte
}
