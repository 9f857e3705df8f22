package dedup

// A Judge has prepared one document for its decision. It is used once, by one goroutine.
type Judge struct {
	doc    *Document
	state  *State
	policy Policy
}

// Prepare computes what is needed to look doc up. state is what the last Result for this feed said, or nil for a feed
// never seen; it is not changed.
func Prepare(doc *Document, state *State, policy Policy) *Judge {
	return &Judge{doc: doc, state: state, policy: policy}
}

// Query says what must be known to decide. It is empty where the last document says enough.
func (j *Judge) Query() Query { return Query{} }

// Decide judges every item of the document, given the answer to Query.
func (j *Judge) Decide(known *Known) *Result { panic("not yet") }

// Decide is Prepare and Judge.Decide for callers who hold all they know in memory.
func Decide(doc *Document, state *State, policy Policy, look func(Query) *Known) *Result {
	j := Prepare(doc, state, policy)
	known := &Known{}
	if q := j.Query(); !q.Empty() {
		known = look(q)
	}
	return j.Decide(known)
}
