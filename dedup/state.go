package dedup

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// State is what Decide remembers of a feed between documents: the last document in short, and what the feed taught
// about its own evidence. It is small (about 52 bytes an item of the last document), opaque to the store, and changes
// only when something changed. A State is not modified once it is part of a Result.
type State struct {
	// Documents counts documents that had items and changed something.
	Documents int
	// LastNew is when the last new article arrived, LastSeen when the last document was decided that changed
	// something; Unix seconds.
	LastNew, LastSeen int64
	// Usual is the moving average of new articles in a document that had any.
	Usual float64
	// Manifest is the last document, in its order; Gone are items that left the document from above its end not
	// long ago, so that they did not just scroll off.
	Manifest []ManifestRow
	Gone     []GoneRow
	// Links and Enclosures count how far they tell items apart in this feed.
	Links, Enclosures Grade
	// Hosts counts links by host, for the feed's own; at most maxHosts.
	Hosts map[string]int
	// Churn goes up with every document in which hardly a guid of the last one recurs, and down with every other;
	// from churnVolatile on guids are no evidence, until it is 0 again.
	Churn int
	// DateChurn is to dates what Churn is to guids; DatesVolatile says that they are no evidence: publishers who date
	// every item anew with every document.
	DateChurn     int
	DatesVolatile bool
	// Strange counts documents in a row of which most was new.
	Strange      int
	GUIDVolatile bool
	// SharedGUIDs are guids that stood on different articles at once: no identity by themselves.
	SharedGUIDs []uint64
	// Held are the items of the last document that were quarantined or invalid, by hash.
	Held []uint64
	// Reverts are earlier versions that the feed shows again: stale copies of a cache, or a publisher who took
	// something back.
	Reverts []Revert
	// VolatileParams are link parameters whose values change from poll to poll.
	VolatileParams []string
}

const (
	stateVersion  = 1
	maxHosts      = 16
	maxGone       = 60
	maxShared     = 256
	maxHeld       = 1000
	maxReverts    = 64
	churnVolatile = 3
	churnMax      = 6
)

// A Grade counts how well a feature tells items apart.
type Grade struct {
	Distinct int `json:"distinct,omitempty"` // values seen
	Shared   int `json:"shared,omitempty"`   // of these, used by more than one entry
}

// A ManifestRow is one item of the last document: enough to know it again without asking the store.
type ManifestRow struct {
	Key       Hash    // its first identity key
	GUID      uint64  // of its guid; 0 is none
	Seen      uint64  // of guid (where it counts), strict hash and date: equal means equal in all that counts
	Strict    uint64  // its strict hash
	Entry     EntryID // what it is a version of
	Published int64   // Unix seconds; 0 is none
}

// A GoneRow is an item that left the document.
type GoneRow struct {
	Entry    EntryID `json:"entry"`
	Document int     `json:"document"` // State.Documents when it was missed first
}

// A Revert is an earlier version of an entry that the feed shows instead of the current one.
type Revert struct {
	Entry  EntryID `json:"entry"`
	Strict uint64  `json:"strict"`
	Since  int64   `json:"since"` // Unix seconds
	// Document is State.Documents when it was shown first.
	Document int `json:"document"`
}

func (s *State) clone() *State {
	if s == nil {
		return &State{}
	}
	c := *s
	c.Manifest = slices.Clone(s.Manifest)
	c.Gone = slices.Clone(s.Gone)
	c.SharedGUIDs = slices.Clone(s.SharedGUIDs)
	c.Reverts = slices.Clone(s.Reverts)
	c.Held = slices.Clone(s.Held)
	c.VolatileParams = slices.Clone(s.VolatileParams)
	if s.Hosts != nil {
		c.Hosts = make(map[string]int, len(s.Hosts))
		for k, v := range s.Hosts {
			c.Hosts[k] = v
		}
	}
	return &c
}

// stateJSON is the stored form: JSON, but for the manifest, which is packed.
type stateJSON struct {
	Version        int            `json:"version"`
	Documents      int            `json:"documents"`
	LastNew        int64          `json:"lastNew,omitempty"`
	LastSeen       int64          `json:"lastSeen,omitempty"`
	Usual          float64        `json:"usual,omitempty"`
	Manifest       []byte         `json:"manifest,omitempty"`
	Gone           []GoneRow      `json:"gone,omitempty"`
	Links          Grade          `json:"links,omitzero"`
	Enclosures     Grade          `json:"enclosures,omitzero"`
	Hosts          map[string]int `json:"hosts,omitempty"`
	Churn          int            `json:"churn,omitempty"`
	DateChurn      int            `json:"dateChurn,omitempty"`
	DatesVolatile  bool           `json:"datesVolatile,omitempty"`
	Strange        int            `json:"strange,omitempty"`
	GUIDVolatile   bool           `json:"guidVolatile,omitempty"`
	SharedGUIDs    []uint64       `json:"sharedGuids,omitempty"`
	Held           []uint64       `json:"held,omitempty"`
	Reverts        []Revert       `json:"reverts,omitempty"`
	VolatileParams []string       `json:"volatileParams,omitempty"`
}

// MarshalBinary encodes s for the store: JSON in which the manifest is packed and in base64. Equal states have equal
// encodings.
func (s *State) MarshalBinary() ([]byte, error) {
	return json.Marshal(stateJSON{
		Version: stateVersion, Documents: s.Documents, LastNew: s.LastNew, LastSeen: s.LastSeen, Usual: s.Usual,
		Manifest: packManifest(s.Manifest), Gone: s.Gone, Links: s.Links, Enclosures: s.Enclosures, Hosts: s.Hosts,
		Churn: s.Churn, DateChurn: s.DateChurn, DatesVolatile: s.DatesVolatile, Strange: s.Strange, GUIDVolatile: s.GUIDVolatile, SharedGUIDs: s.SharedGUIDs, Held: s.Held, Reverts: s.Reverts, VolatileParams: s.VolatileParams,
	})
}

// UnmarshalBinary decodes what MarshalBinary made. Empty input is the state of a feed never seen. It returns an error
// for what is damaged or written by a newer version; then an empty state is a safe start: keys and entries are in the
// store, and only what was learned of the feed must be learned again.
func (s *State) UnmarshalBinary(data []byte) error {
	*s = State{}
	if len(data) == 0 {
		return nil
	}
	var j stateJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return fmt.Errorf("feed state: %w", err)
	}
	if j.Version > stateVersion {
		return fmt.Errorf("feed state has version %d, this program knows up to %d", j.Version, stateVersion)
	}
	rows, err := unpackManifest(j.Manifest)
	if err != nil {
		return err
	}
	*s = State{
		Documents: j.Documents, LastNew: j.LastNew, LastSeen: j.LastSeen, Usual: j.Usual,
		Manifest: rows, Gone: j.Gone, Links: j.Links, Enclosures: j.Enclosures, Hosts: j.Hosts,
		Churn: j.Churn, DateChurn: j.DateChurn, DatesVolatile: j.DatesVolatile, Strange: j.Strange, GUIDVolatile: j.GUIDVolatile, SharedGUIDs: j.SharedGUIDs, Held: j.Held, Reverts: j.Reverts, VolatileParams: j.VolatileParams,
	}
	return nil
}

// MarshalJSON encodes s as MarshalBinary does.
func (s *State) MarshalJSON() ([]byte, error) { return s.MarshalBinary() }

// UnmarshalJSON decodes what MarshalJSON made.
func (s *State) UnmarshalJSON(data []byte) error { return s.UnmarshalBinary(data) }

func packManifest(rows []ManifestRow) []byte {
	b := make([]byte, 0, len(rows)*52)
	for _, r := range rows {
		b = append(b, r.Key[:]...)
		b = binary.BigEndian.AppendUint64(b, r.GUID)
		b = binary.BigEndian.AppendUint64(b, r.Seen)
		b = binary.BigEndian.AppendUint64(b, r.Strict)
		b = binary.AppendVarint(b, int64(r.Entry))
		b = binary.AppendVarint(b, r.Published)
	}
	return b
}

func unpackManifest(b []byte) (rows []ManifestRow, err error) {
	for len(b) > 0 {
		var r ManifestRow
		if len(b) < 40 {
			return nil, errors.New("feed state: manifest is cut off")
		}
		copy(r.Key[:], b)
		r.GUID = binary.BigEndian.Uint64(b[16:])
		r.Seen = binary.BigEndian.Uint64(b[24:])
		r.Strict = binary.BigEndian.Uint64(b[32:])
		b = b[40:]
		for _, v := range [...]*int64{(*int64)(&r.Entry), &r.Published} {
			x, n := binary.Varint(b)
			if n <= 0 {
				return nil, errors.New("feed state: manifest is cut off")
			}
			*v = x
			b = b[n:]
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// sameManifest reports whether two documents have the same items, in whatever order.
func sameManifest(a, b []ManifestRow) bool {
	if len(a) != len(b) {
		return false
	}
	type row struct {
		key    Hash
		strict uint64
		entry  EntryID
	}
	n := make(map[row]int, len(a))
	for _, r := range a {
		n[row{r.Key, r.Strict, r.Entry}]++
	}
	for _, r := range b {
		k := row{r.Key, r.Strict, r.Entry}
		if n[k] == 0 {
			return false
		}
		n[k]--
	}
	return true
}

// short shortens a hash to the 8 bytes that rings and manifests keep.
func (h Hash) short() uint64 { return binary.BigEndian.Uint64(h[:8]) }
