package evolve

import (
	"time"
)

// A Truth is what one arrival really is, for a reader who got every document so far.
type Truth struct {
	New       bool // an article the reader never had
	Duplicate bool // a known article under an identity it never had
	Updated   bool // a version of a known article that it never had in full
	Open      bool // a rendering it never had, of a version it had: "updated" and "unchanged" are both right
}

// Unchanged reports whether the arrival is a known article as it was.
func (t Truth) Unchanged() bool { return !t.New && !t.Duplicate && !t.Updated && !t.Open }

// A Ledger knows what a reader of one feed has had so far.
type Ledger struct {
	articles map[int]*had
}

// had is what the reader has had of one article.
type had struct {
	version    int // latest version that it had in full
	identities map[string]bool
	looks      map[look]bool
}

// A look is one rendering of one version, as far as a reader stores it.
type look struct {
	version, moves int
	face           string
}

func (o Origin) look() look { return look{o.Version, o.Moves, o.Face} }

// NewLedger returns the ledger of a feed that was never read.
func NewLedger() *Ledger { return &Ledger{articles: map[int]*had{}} }

// Enter notes that a document arrived, and tells for each of its items what it is. An item repeated within the
// document is known the second time.
func (l *Ledger) Enter(d *Document) []Truth {
	truths := make([]Truth, len(d.Items))
	for i := range d.Items {
		truths[i] = l.enter(identity(d, i), d.Origins[i])
	}
	return truths
}

func (l *Ledger) enter(id string, o Origin) Truth {
	h := l.articles[o.Article]
	if h == nil {
		l.articles[o.Article] = &had{
			version: o.Version, identities: map[string]bool{id: true}, looks: map[look]bool{o.look(): true},
		}
		return Truth{New: true}
	}
	t := Truth{Duplicate: !h.identities[id]}
	switch {
	case o.Version > h.version && !o.Short:
		t.Updated = true
		h.version = o.Version
	case !h.looks[o.look()] && (!o.Short || o.Version > h.version):
		t.Open = true
	}
	h.identities[id] = true
	h.looks[o.look()] = true
	return t
}

// identity is what a trusting reader would take for the item's identity: its guid, else its link and title.
func identity(d *Document, i int) string {
	it := &d.Items[i]
	if it.GUID != "" {
		return it.GUID
	}
	return it.URL + "\x00" + it.Title
}

// recall is how soon an update must be noticed.
const recall = 6 * time.Hour
