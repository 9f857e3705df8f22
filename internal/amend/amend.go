// Package amend is what people change after the fact: a feed's policy, held items, and decisions they disagree with.
//
// Every function is one transaction that holds the feed, so that a document that is decided meanwhile is decided again on
// what is true then. After each of them the next documents find every article where it now belongs: none is new, none is
// told again, none is lost.
//
//   - policy.go: SetPolicy re-keys what is stored. simulate.go: Simulate says beforehand what would differ.
//   - held.go: Accept, AcceptAlways and Reject answer what a policy holds.
//   - split.go, merge.go, story.go: Split, Merge and Leave contradict a decision; undo.go: Undo takes that back. Each is
//     an entry in store's amendments, with who, when and the rule that was contradicted. Of a rule that people reversed
//     twice in a feed only suspicion is left there.
//   - different.go: Different says of two articles that they are two, before any rule says otherwise.
//   - story.go: Lead chooses which article of a story is shown first. remove.go: RemoveFeed.
//
// What becomes an article by hand (Accept, Split) is told to destinations, as it would have been when it came; what becomes
// part of another is not told any more. All of it is in the change log, by internal/outbox.
package amend

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/ingest"
	"feedonce/internal/outbox"
	"feedonce/internal/store"
)

// By says who changes something, and when.
type By struct {
	Who string // a name, as it is to be shown; "" is somebody at the command line
	At  time.Time
}

// A feed is a feed that is held for a change.
type feed struct {
	id     feedonce.FeedID
	policy dedup.Policy
	state  *dedup.State // never nil
	known  bool         // it had a state
	events []outbox.Event
}

// hold takes a feed. With anew, its next document is judged even if it is the same.
func hold(tx *store.Tx, id feedonce.FeedID, anew bool) (*feed, error) {
	doc, err := tx.HoldFeed(id, anew)
	if err != nil {
		return nil, err
	}
	f := &feed{id: id, state: &dedup.State{}, known: len(doc.State) > 0}
	if err := f.state.UnmarshalBinary(doc.State); err != nil {
		f.state, f.known = &dedup.State{}, false // as ingest does: it is learned again
	}
	if doc.Policy != "" {
		if err := json.Unmarshal([]byte(doc.Policy), &f.policy); err != nil {
			f.policy = dedup.Policy{}
		}
	}
	return f, nil
}

// save stores the feed's state, if it has one.
func (f *feed) save(tx *store.Tx) error {
	if !f.known {
		return nil
	}
	return tx.SetState(f.id, f.state)
}

// log notes a change for the change log, which tells nobody.
func (f *feed) log(kind feedonce.ChangeKind, entry, other feedonce.EntryID, revision int) {
	f.events = append(f.events, outbox.Event{Change: kind, Other: other, Entry: feedonce.Entry{ID: entry, Revision: revision}})
}

// logUpdate notes that an entry changed, if it did.
func (f *feed) logUpdate(before, after *store.Whole) {
	if before.Revision != after.Revision || before.Entry.Strict != after.Entry.Strict {
		f.log(feedonce.ChangeUpdated, after.ID(), 0, after.Revision)
	}
}

// tell writes the change log and the deliveries. It is the last of a transaction that locks anything.
func (f *feed) tell(tx *store.Tx, by By) error {
	if len(f.events) == 0 {
		return nil
	}
	feed, err := tx.Feed(f.id)
	if err != nil {
		return err
	}
	return outbox.Put(tx, outbox.Document{Feed: feed, At: by.At, Events: f.events, ByHand: true})
}

// told returns what tells destinations of a new article.
func told(w *store.Whole) outbox.Event {
	e := ingest.Entry(w.Feed, &w.Entry, w.Title, w.Categories)
	e.Revision = w.Revision
	return outbox.Event{Kind: feedonce.DeliverNew, Tell: true, Entry: e}
}

// setPolicy stores the policy as JSON; the default policy is nothing.
func (f *feed) setPolicy(tx *store.Tx, p dedup.Policy) error {
	f.policy = p
	text, err := policyText(p)
	if err != nil {
		return err
	}
	return tx.SetFeedPolicy(f.id, text)
}

func policyText(p dedup.Policy) (string, error) {
	b, err := json.Marshal(p)
	if err != nil || string(b) == "{}" {
		return "", err
	}
	return string(b), nil
}

// update runs one transaction and returns what it made.
func update[T any](ctx context.Context, s *store.Store, f func(*store.Tx) (T, error)) (T, error) {
	var v T
	err := s.Update(ctx, func(tx *store.Tx) (err error) {
		v, err = f(tx)
		return err
	})
	if err != nil {
		var none T
		return none, err
	}
	return v, nil
}

// invalid is what a person can put right.
func invalid(field, format string, args ...any) error {
	return &feedonce.InvalidError{Field: field, Reason: fmt.Sprintf(format, args...)}
}
