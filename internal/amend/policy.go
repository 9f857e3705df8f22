package amend

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
)

// ParsePolicy reads a policy as JSON; "" is the default. What it does not know is an *feedonce.InvalidError.
func ParsePolicy(text string) (dedup.Policy, error) {
	var p dedup.Policy
	if len(bytes.TrimSpace([]byte(text))) == 0 {
		return p, nil
	}
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		return dedup.Policy{}, invalid("policy", "cannot be read: %v", err)
	}
	if dec.More() {
		return dedup.Policy{}, invalid("policy", "must be one JSON object, and there is more behind it")
	}
	if err := p.Check(); err != nil {
		return dedup.Policy{}, invalid("policy", "is wrong: %v", err)
	}
	return p, nil
}

// Rekeyed says what a change of policy did.
type Rekeyed struct {
	Entries int   // articles of the feed, and arrivals that were folded into them
	Keys    int64 // identities written; 0 where the old ones serve
}

// SetPolicy changes the policy of a feed and stores the identities under which its articles are known from then on, in
// one transaction: the next document brings nothing new. It is judged even if it has not changed. ErrNotFound where there
// is no such feed, *feedonce.InvalidError where the policy is wrong.
func SetPolicy(ctx context.Context, s *store.Store, id feedonce.FeedID, p dedup.Policy, by By) (Rekeyed, error) {
	if err := p.Check(); err != nil {
		return Rekeyed{}, invalid("policy", "is wrong: %v", err)
	}
	return update(ctx, s, func(tx *store.Tx) (Rekeyed, error) {
		f, err := hold(tx, id, true)
		if err != nil {
			return Rekeyed{}, err
		}
		r, err := f.change(tx, p, by)
		if err != nil {
			return r, fmt.Errorf("change the policy of feed %d: %w", id, err)
		}
		return r, f.save(tx)
	})
}

// change changes the policy of a feed that is held, and re-keys it. The caller saves the state.
func (f *feed) change(tx *store.Tx, p dedup.Policy, by By) (Rekeyed, error) {
	before, err := policyText(f.policy)
	if err != nil {
		return Rekeyed{}, err
	}
	if err := f.setPolicy(tx, p); err != nil {
		return Rekeyed{}, err
	}
	after, err := policyText(p)
	if err != nil || before == after {
		return Rekeyed{}, err
	}
	if _, err := tx.AddAmendment(store.Amendment{Kind: store.AmendPolicy, Feed: f.id, At: by.At, Who: by.Who,
		Note: "the policy was changed", Before: []byte(before)}); err != nil {
		return Rekeyed{}, err
	}
	var entries []dedup.Entry
	if err := tx.FeedEntries(f.id, func(e dedup.Entry, of feedonce.EntryID) error {
		e.ID = dedup.EntryID(of)
		entries = append(entries, e)
		return nil
	}); err != nil {
		return Rekeyed{}, err
	}
	// An arrival that was folded stands in the feed with its own identity, and may be all that stands there.
	if err := tx.FeedArrivals(f.id, func(a store.Arrival) error {
		if a.Decision.Entry != 0 && a.Decision.Outcome == string(dedup.Duplicate) {
			entries = append(entries, dedup.Entry{ID: dedup.EntryID(a.Decision.Entry), Item: a.Item, FirstSeen: a.Decision.At, Changed: a.Decision.At})
		}
		return nil
	}); err != nil {
		return Rekeyed{}, err
	}
	r := Rekeyed{Entries: len(entries)}
	keys := dedup.Rekey(entries, f.state, p)
	if r.Keys, err = tx.PointKeys(f.id, keys, by.At); err != nil {
		return r, err
	}
	f.state = f.state.Rekeyed(keys)
	return r, nil
}
