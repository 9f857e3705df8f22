package dedup

// State is what Decide remembers of a feed between documents. It is small (about 60 bytes an item of the last
// document), opaque to the store, and written only when it changed.
type State struct {
	Documents int           `json:"documents"` // changed documents seen
	Manifest  []ManifestRow `json:"manifest"`  // the last document, in its order
}

// A ManifestRow is one item of the last document: enough to know it again without asking the store.
type ManifestRow struct {
	Key    Hash    `json:"key"`    // its first identity key
	Strict Hash    `json:"strict"` // its strict hash
	Entry  EntryID `json:"entry"`
}

// MarshalBinary encodes s for the store.
func (s *State) MarshalBinary() ([]byte, error) { panic("not yet") }

// UnmarshalBinary decodes what MarshalBinary made. Empty input is the state of a feed never seen.
func (s *State) UnmarshalBinary(data []byte) error { panic("not yet") }
