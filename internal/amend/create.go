package amend

import (
	"encoding/json"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/ingest"
	"feedonce/internal/store"
)

// A newcomer is an item that becomes an entry outside of any document.
type newcomer struct {
	whole store.Whole
	keys  []dedup.Key      // that no other entry has
	is    feedonce.EntryID // the entry it is; 0 until it is created
}

// admit prepares an item that arrived with a decision to become an entry. Identities that lead to other entries stay
// theirs; where the one that says best which item it is does, all of them do, or an entry has its very content, the item is
// that entry.
func (f *feed) admit(tx *store.Tx, item dedup.Item, d feedonce.Decision) (*newcomer, error) {
	a := dedup.Admit(item, d.At, f.state, f.policy)
	if len(a.Keys) == 0 {
		return nil, invalid("decision", "must be about an item that has a guid, a link, a title or a text; that of %d has none", d.ID)
	}
	owner, err := f.owners(tx, a.Keys)
	if err != nil {
		return nil, err
	}
	n := &newcomer{whole: store.Whole{Feed: f.id, Entry: a.Entry, GUID: item.GUID, Title: d.Title, Marks: a.Marks, Revision: 1}}
	for _, k := range a.Keys {
		if owner[k.Hash] == 0 {
			n.keys = append(n.keys, k)
		}
	}
	n.is = owner[a.Identity()]
	if len(n.keys) == 0 && n.is == 0 {
		n.is = owner[a.Keys[0].Hash]
	}
	for _, k := range a.Keys {
		if id := owner[k.Hash]; id != 0 && n.is == 0 {
			w, err := tx.Whole(id)
			if err != nil {
				return nil, err
			}
			if w.Entry.Strict == a.Entry.Strict {
				n.is = id
			}
		}
	}
	return n, nil
}

// owners returns the entries that keys lead to.
func (f *feed) owners(tx *store.Tx, keys []dedup.Key) (map[dedup.Hash]feedonce.EntryID, error) {
	known, err := tx.Known(f.id, dedup.Query{Keys: keys})
	if err != nil {
		return nil, err
	}
	owner := map[dedup.Hash]feedonce.EntryID{}
	for _, k := range known.Keys {
		owner[k.Key.Hash] = feedonce.EntryID(k.Entry)
	}
	return owner, nil
}

// create stores a newcomer with its keys, its place in a story, and the decision that it is new. quiet is why it is not
// told; "" tells it, where its story was not told. The caller calls tell.
func (f *feed) create(tx *store.Tx, feed feedonce.Feed, n *newcomer, rule dedup.RuleID, quiet string, why dedup.Evidence, by By) error {
	id, err := tx.PutWhole(n.whole)
	if err != nil {
		return err
	}
	n.is, n.whole.Entry.ID = id, dedup.EntryID(id)
	keys := make([]dedup.KnownKey, len(n.keys))
	for i, k := range n.keys {
		keys[i] = dedup.KnownKey{Key: k, Entry: n.whole.Entry.ID}
	}
	if _, err := tx.PointKeys(f.id, keys, by.At); err != nil {
		return err
	}
	place := []ingest.Newcomer{{Entry: id, Item: n.whole.Entry.Item, Tell: quiet == ""}}
	places, err := ingest.PlaceStories(tx, feed, f.policy, place, n.whole.Entry.FirstSeen)
	if err != nil {
		return err
	}
	ev := told(&n.whole)
	ev.Tell, ev.Quiet, ev.Story, ev.Repeats = quiet == "", quiet, places[id].Story, places[id].Repeats
	f.events = append(f.events, ev)
	if places[id].Quiet != "" {
		quiet = places[id].Quiet
	}
	evidence, err := json.Marshal(why)
	if err != nil {
		return err
	}
	_, err = tx.AddDecision(feedonce.Decision{At: by.At, Feed: f.id, Entry: id, Outcome: string(dedup.New), Rule: string(rule),
		Title: n.whole.Title, Evidence: evidence, Told: quiet == "", Quiet: quiet}, n.whole.Entry.Item)
	return err
}
