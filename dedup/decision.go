package dedup

// An Outcome is what an arrival turned out to be.
type Outcome string

const (
	New         Outcome = "new"         // an article this feed never had
	Updated     Outcome = "updated"     // a new version of an article
	Unchanged   Outcome = "unchanged"   // an article as it was
	Duplicate   Outcome = "duplicate"   // an article under a new identity; folded into the one it repeats, and kept
	Quarantined Outcome = "quarantined" // held until a person decides, by policy
	Invalid     Outcome = "invalid"     // nothing in it identifies an article
)

// A Decision is the answer for one item of a document.
type Decision struct {
	Item    int     `json:"item"` // index in Document.Items
	Outcome Outcome `json:"outcome"`
	Rule    RuleID  `json:"rule"`
	// Entry is the entry the item is a version or copy of. Negative (provisional) for an entry that this
	// document creates; 0 for Quarantined and Invalid.
	Entry EntryID `json:"entry,omitempty"`
	// Evidence is why: what was compared, with values and thresholds.
	Evidence Evidence `json:"evidence"`
	// Tell says whether a new article is to be told to destinations; Quiet says why not.
	Tell  bool   `json:"tell,omitempty"`
	Quiet string `json:"quiet,omitempty"`

	// Again says that the same item was quarantined or invalid in the last document: it is recorded already.
	Again bool `json:"again,omitempty"`

	// What to store. Nothing for Unchanged, but for rare bookkeeping that is worth a row.

	// Keys are identities to remember for Entry. One that another entry has is re-pointed to Entry.
	Keys []Key `json:"-"`
	// Write is the entry's new content; nil leaves the entry as it is.
	Write *Write `json:"-"`
}

// Write is the row of an entry that is created or changed.
type Write struct {
	Entry Entry  // as it is to be stored; Entry.ID is Decision.Entry
	Marks []Mark // all marks of the entry: they replace those it had
	// Version says that the content so far is to be kept as an earlier version.
	Version bool
}

// Evidence is why a decision was made, in a form that can be stored, shown and compared.
type Evidence struct {
	// Facts in the order they were established.
	Facts []Fact `json:"facts,omitempty"`
	// Changed names the tracked fields that differ, for Updated.
	Changed []string `json:"changed,omitempty"`
	// Material says that more than markup, case and punctuation changed.
	Material bool `json:"material,omitempty"`
	// Others are entries that were considered and turned down, and why. An article that is New is possibly the
	// same as one of these.
	Others []Other `json:"others,omitempty"`
	// Note is a finer name within the rule: "moved", "seen version", "excerpt".
	Note string `json:"note,omitempty"`
}

// A Fact is one comparison: the same guid, a title two letters away, a text 97 % contained.
type Fact struct {
	Name string `json:"name"`           // "guid", "link", "title", "text", "published", "enclosure", "structure"
	Is   string `json:"is"`             // "equal", "differs", "absent", "similar", "vanished"
	Have string `json:"have,omitempty"` // value of the arrival
	Want string `json:"want,omitempty"` // value of the entry, or the threshold
}

// An Other is an entry that was considered and turned down.
type Other struct {
	Entry EntryID `json:"entry"`
	Why   string  `json:"why"`
}

// A Result is the answer for a whole document.
type Result struct {
	// Decisions has one decision for each item, in document order.
	Decisions []Decision `json:"decisions"`
	// State is what is to be remembered of the feed. StateChanged is false where it equals what was known.
	State        *State `json:"-"`
	StateChanged bool   `json:"-"`
	// Unsettled says that time alone will change a decision: a version was put off, or an earlier one came back. The
	// document is to be judged again at the next poll even if it does not change.
	Unsettled bool `json:"unsettled,omitempty"`
	// Notes are findings about the document as a whole: "guids are regenerated", "the document was re-issued".
	Notes []string `json:"notes,omitempty"`
}

// Counts returns how many items had each outcome.
func (r *Result) Counts() map[Outcome]int {
	m := map[Outcome]int{}
	for i := range r.Decisions {
		m[r.Decisions[i].Outcome]++
	}
	return m
}

// Writes reports whether the result asks for any entry, key or decision to be stored.
func (r *Result) Writes() bool {
	for i := range r.Decisions {
		d := &r.Decisions[i]
		if d.Outcome != Unchanged && !d.Again || d.Write != nil || len(d.Keys) > 0 {
			return true
		}
	}
	return false
}

// Bind replaces provisional entry IDs, in decisions and state, by those the store assigned.
func (r *Result) Bind(stored map[EntryID]EntryID) {
	bind := func(id *EntryID) {
		if *id < 0 {
			*id = stored[*id]
		}
	}
	for i := range r.Decisions {
		d := &r.Decisions[i]
		bind(&d.Entry)
		if d.Write != nil {
			bind(&d.Write.Entry.ID)
		}
		for j := range d.Evidence.Others {
			bind(&d.Evidence.Others[j].Entry)
		}
	}
	for i := range r.State.Manifest {
		bind(&r.State.Manifest[i].Entry)
	}
}
