package dedup

import (
	"strconv"
	"time"
)

// What people add to the decisions: a held item that is accepted, a retained arrival that is split off. Both become
// entries outside of any document.

// An Admission is an item as an entry, and what it is known by.
type Admission struct {
	Entry Entry // without ID and content key
	Keys  []Key // identities under which the next documents look for the item; the first is the one of its manifest row
	Marks []Mark
}

// Admit makes an entry of an item that came at a time, outside of any document. state is the feed's, or nil. Of an item
// in which nothing identifies an article, Keys is empty.
//
// Which identity a document gives an item can depend on what stands beside it: Keys has those of all cases.
func Admit(it Item, at time.Time, state *State, policy Policy) Admission {
	it.Invalid = ""
	if state == nil {
		state = &State{}
	}
	f := newFeatures(&it, at, skipParam(state))
	a := Admission{Entry: Entry{Item: it, Strict: f.strict, FirstSeen: at, Changed: at}}
	if f.empty() {
		return a
	}
	a.Marks = f.marks()
	has := map[Hash]bool{}
	for _, beside := range []bool{false, true} {
		doc := &Document{Fetched: at, Items: []Item{it}}
		j := &Judge{doc: doc, state: state, policy: policy}
		ar := &arrival{f: f}
		j.arrivals = []*arrival{ar}
		j.count()
		j.guidCount = map[string]int{}
		if beside { // another article with the same title and date
			j.titleDate = map[titleDate]int{{f.words().titleK, f.pub}: 2}
		}
		for _, k := range j.identities(ar) {
			if !has[k.Hash] {
				has[k.Hash] = true
				a.Keys = append(a.Keys, k)
			}
		}
	}
	return a
}

// EveryKey returns all identities an item can have had in its feed, whatever the feed taught or a policy said since: what
// is to be taken from one entry when an arrival that was folded into it becomes another.
func EveryKey(it Item, at time.Time, state *State) []Key {
	f := newFeatures(&it, at, skipParam(state))
	t := f.words()
	date, text, refs := strconv.FormatInt(f.pub, 10), strconv.FormatUint(t.textH, 16), strconv.FormatUint(t.refs, 16)
	var keys []Key
	if f.guid != "" {
		keys = append(keys, newKey(KeyGUID, f.guid),
			newKey(KeyGUIDLinkTitle, f.guid, f.link, t.titleK),
			newKey(KeyText, f.guid, f.link, t.titleK, text, refs, f.encl, date))
		if f.link != "" {
			keys = append(keys, newKey(KeyGUIDLink, f.guid, f.link))
		}
	}
	if f.link != "" {
		keys = append(keys, newKey(KeyLink, f.link), newKey(KeyLinkTitleText, f.link, t.titleK, text))
	}
	if t.titleK != "" && f.pub != 0 {
		keys = append(keys, newKey(KeyTitleDate, t.titleK, date), newKey(KeyTitleDateText, t.titleK, date, text))
		if f.link != "" {
			keys = append(keys, newKey(KeyLinkTitleDate, f.link, t.titleK, date))
		}
	}
	return append(keys, newKey(KeyText, t.titleK, text, refs, f.encl))
}

// QuietAlone says why a single article is not told to destinations that came with a document of a feed, "" where it is
// told: the limits of telling that do not depend on the other items. first says that it was the feed's first document.
func QuietAlone(it Item, at time.Time, first bool, state *State) string {
	pub, _, _ := published(&it, at)
	newest := int64(0)
	if state != nil {
		for i := range state.Manifest {
			newest = max(newest, state.Manifest[i].Published)
		}
	}
	switch {
	case first:
		return quietFirst
	case pub != 0 && at.Unix()-pub > int64(oldArticle/time.Second) && newest > pub:
		return quietOld
	}
	return ""
}

// Identity returns the key that says best which item this is: two items that are held under the same one are one
// question. It is zero where nothing identifies the item.
func (a Admission) Identity() Hash {
	for _, kind := range [...]KeyKind{KeyGUID, KeyLink, KeyLinkTitleDate, KeyTitleDateText} {
		for _, k := range a.Keys {
			if k.Kind == kind {
				return k.Hash
			}
		}
	}
	if len(a.Keys) == 0 {
		return Hash{}
	}
	return a.Keys[0].Hash
}

// Folds reports whether a rule takes an arrival for a known article on evidence: one that a policy can confine to raising
// suspicion.
func (r Rule) Folds() bool { return r.when != nil }
