package feedonce

import (
	"crypto/sha1"
	"fmt"
)

// URN is the entry's name in the world: a UUID of version 5 (RFC 9562 5.5) made of the database's own random name and the
// entry's ID. Output feeds, messages and the change log call the entry by it, and it never changes.
func (id EntryID) URN(instance string) string {
	h := sha1.Sum(fmt.Appendf(nil, "feedonce entry %d of %s", id, instance))
	u := h[:16]
	u[6] = u[6]&0x0f | 0x50
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}
