package dedup

import (
	"encoding/hex"
	"fmt"
	"time"
)

// EntryID names a stored entry. Stored entries have positive IDs; an entry that Decide creates has a negative,
// provisional one, unique within its Result, until Result.Bind gives it the stored one.
type EntryID int64

// A Hash is the first 16 bytes of a SHA-256 sum.
type Hash [16]byte

// MarshalText encodes a hash as 32 hexadecimal digits.
func (h Hash) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h[:]), nil }

// UnmarshalText decodes 32 hexadecimal digits.
func (h *Hash) UnmarshalText(text []byte) error {
	if n, err := hex.Decode(h[:], text[:min(len(text), 32)]); err != nil || n != len(h) || len(text) != 32 {
		return fmt.Errorf("hash %q is not 32 hexadecimal digits", text)
	}
	return nil
}

// A Key is an identity of an entry within its feed: at most one entry of the feed has it. Keys are remembered after
// the entry's texts are gone, so that an article which comes back after years is still known.
type Key struct {
	Kind KeyKind `json:"kind"`
	Hash Hash    `json:"hash"`
	// Text is what was hashed, in readable form and cut to 4 KiB, to explain and to search by.
	Text string `json:"text,omitempty"`
}

// KeyKind says what a Key is made of.
type KeyKind uint8

// The kinds of keys. Their numbers are stored: never change one.
const (
	KeyGUID          KeyKind = 1 // the guid
	KeyGUIDLink      KeyKind = 2 // guid and link, in a feed whose guids are shared
	KeyGUIDLinkTitle KeyKind = 3 // guid, link and title, in a feed whose guids are shared
	KeyTitleDate     KeyKind = 4 // title and full date
	KeyTitleDateText KeyKind = 5 // title, date and text, where title and date alone are not unique
	KeyLinkTitleDate KeyKind = 6 // link, title and date
	KeyLinkTitleText KeyKind = 7 // link, title and text
	KeyText          KeyKind = 8 // title and text, where there is nothing else
	KeyLink          KeyKind = 9 // the link, in a feed whose links are proved one to one
)

// A Mark is a feature by which candidates are looked up: a 64-bit hash of a link, an enclosure, a title, a text,
// tagged by kind. Any number of entries may share a mark.
type Mark int64

// A Query is what Decide needs to know of the store to judge a document. It is answered in one look-up.
type Query struct {
	Keys    []Key     // entries that have one of these keys
	Marks   []Mark    // entries that have one of these marks; the newest MaxPerMark of each suffice
	Entries []EntryID // and these entries
}

// MaxPerMark is how many entries a look-up needs to return for one mark: the newest. A mark that more entries share
// is no evidence for any of them.
const MaxPerMark = 40

// Empty reports whether nothing needs to be looked up.
func (q Query) Empty() bool { return len(q.Keys) == 0 && len(q.Marks) == 0 && len(q.Entries) == 0 }

// Known is the answer to a Query.
type Known struct {
	Keys     []KnownKey
	Entries  []Entry // every entry the query asked for that exists, once, in any order
	Verdicts []Verdict
}

// A KnownKey says which entry has a key.
type KnownKey struct {
	Key   Key     `json:"key"`
	Entry EntryID `json:"entry"`
}

// An Entry is what is stored of an article: what a new arrival is compared with.
type Entry struct {
	ID EntryID `json:"id"`
	// Item is the latest accepted version. Its texts are empty where Purged.
	Item Item `json:"item"`
	// Strict is the strict hash of the latest accepted version, and Ring the strict hashes of the versions
	// before it, latest first, at most RingSize, shortened to 8 bytes.
	Strict Hash     `json:"strict"`
	Ring   []uint64 `json:"ring,omitempty"`
	// ContentKey is the entry's content key; zero where it has none.
	ContentKey Hash      `json:"contentKey,omitzero"`
	FirstSeen  time.Time `json:"firstSeen"`
	Changed    time.Time `json:"changed"` // when the latest version was accepted
	// Streak counts updates in consecutive changed documents.
	Streak int `json:"streak,omitempty"`
	// Purged says that retention removed the texts.
	Purged bool `json:"purged,omitempty"`
}

// RingSize is how many earlier versions an entry remembers by their hash.
const RingSize = 8

// A Verdict is what a person said of two entries, or of an entry and a retained arrival that became one: it outranks
// all evidence, for ever.
type Verdict struct {
	A    EntryID `json:"a"`
	B    EntryID `json:"b"`
	Same bool    `json:"same"`
}
