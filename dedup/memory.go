package dedup

// Memory is a store of one feed in memory: the simplest way to use this package, and what it is tested with.
// It is not safe for concurrent use.
type Memory struct {
	Policy Policy
}

// NewMemory returns the memory of a feed never seen.
func NewMemory(policy Policy) *Memory { return &Memory{Policy: policy} }

// Process decides a document and remembers the result. Entries get the IDs 1, 2, 3, … in the order of arrival.
func (m *Memory) Process(doc *Document) *Result { panic("not yet") }

// Entry returns a remembered entry.
func (m *Memory) Entry(id EntryID) (Entry, bool) { panic("not yet") }
