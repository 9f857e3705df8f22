package dedup

import (
	"crypto/sha256"
	"strconv"
	"strings"
)

// maxKeyText is how much of what a key is made of is kept to be read.
const maxKeyText = 4 << 10

// newKey makes a key of its parts, length-prefixed, so that ("A|B", "C") and ("A", "B|C") differ.
func newKey(kind KeyKind, parts ...string) Key {
	var room [512]byte
	b := append(room[:0], 'k', byte(kind))
	for _, p := range parts {
		b = append(strconv.AppendInt(b, int64(len(p)), 10), ':')
		b = append(b, p...)
	}
	sum := sha256.Sum256(b)
	k := Key{Kind: kind}
	copy(k.Hash[:], sum[:])
	k.Text = cut(strings.Join(parts, " · "), maxKeyText)
	return k
}

// identities returns the keys by which an arrival is known, in the order in which they are tried (DEDUP 2.5).
func (j *Judge) identities(a *arrival) []Key {
	f := a.f
	var keys []Key
	if f.guid != "" && !j.guidsWeak() {
		if j.sharedGUID(f.guid) {
			if t := f.words(); j.sharedTriple(f) {
				return append(keys, newKey(KeyText, f.guid, f.link, t.titleK, strconv.FormatUint(t.textH, 16), strconv.FormatUint(t.refs, 16), f.encl, strconv.FormatInt(f.pub, 10)))
			}
			keys = append(keys, newKey(KeyGUIDLinkTitle, f.guid, f.link, f.words().titleK))
			if j.linkAlone(f.link) {
				keys = append(keys, newKey(KeyGUIDLink, f.guid, f.link))
			}
			return keys
		}
		keys = append(keys, newKey(KeyGUID, f.guid))
		if j.state.Churn < churnVolatile-1 {
			return keys
		}
		// Guids are about to be found worthless: learn what will do without them.
	}
	n := len(keys)
	if j.policy.Identity != IdentityTitleDate && j.linkAlone(f.link) {
		keys = append(keys, newKey(KeyLink, f.link))
	}
	t := f.words()
	pub := f.pub
	if j.state.DatesVolatile {
		pub = 0
	}
	date := strconv.FormatInt(pub, 10)
	text := strconv.FormatUint(t.textH, 16)
	switch {
	case t.titleK != "" && pub != 0 && (f.coarse || j.titleDates()[titleDate{t.titleK, f.pub}] > 1):
		keys = append(keys, newKey(KeyTitleDateText, t.titleK, date, text))
		if j.linkAlone(f.link) {
			keys = append(keys, newKey(KeyLinkTitleDate, f.link, t.titleK, date))
		}
	case t.titleK != "" && pub != 0:
		keys = append(keys, newKey(KeyTitleDate, t.titleK, date))
		if f.link != "" {
			keys = append(keys, newKey(KeyLinkTitleDate, f.link, t.titleK, date))
		}
	case f.link != "":
		keys = append(keys, newKey(KeyLinkTitleText, f.link, t.titleK, text))
	case len(keys) == n:
		keys = append(keys, newKey(KeyText, t.titleK, text, strconv.FormatUint(t.refs, 16), f.encl))
	}
	return keys
}

type titleDate struct {
	title string
	date  int64
}

// guidsWeak reports whether guids are no evidence in this feed: they are regenerated, or the policy says so.
func (j *Judge) guidsWeak() bool {
	switch j.policy.Identity {
	case IdentityGUID:
		return false
	case IdentityLink, IdentityTitleDate:
		return true
	}
	return j.state.GUIDVolatile
}

// isGUID reports whether a key stands for a guid alone.
func (k Key) isGUID() bool { return k.Kind == KeyGUID }
