package amend

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/store"
)

// Accept makes the held item of a decision (store's HeldItems) an article, which it would have been but for the policy:
// it is new, and told if it would have been. The next documents find it unchanged. It returns the entry; where the item
// came in another way meanwhile, that one. ErrNotFound where the decision holds nothing, *feedonce.InvalidError where a
// person has decided already.
func Accept(ctx context.Context, s *store.Store, decision int64, by By) (feedonce.EntryID, error) {
	return update(ctx, s, func(tx *store.Tx) (feedonce.EntryID, error) {
		h, f, err := holdHeld(tx, decision)
		if err != nil {
			return 0, err
		}
		id, err := f.accept(tx, h, by, "")
		if err != nil {
			return 0, err
		}
		return id, f.tell(tx, by)
	})
}

// AcceptAlways stops a feed's policy from holding items without a guid, and accepts all that are held, oldest first. It
// returns their entries.
func AcceptAlways(ctx context.Context, s *store.Store, id feedonce.FeedID, by By) ([]feedonce.EntryID, error) {
	return update(ctx, s, func(tx *store.Tx) ([]feedonce.EntryID, error) {
		f, err := hold(tx, id, true)
		if err != nil {
			return nil, err
		}
		p := f.policy
		p.MissingGUID = ""
		if _, err := f.change(tx, p, by); err != nil {
			return nil, fmt.Errorf("change the policy of feed %d: %w", id, err)
		}
		held, err := tx.HeldItems(store.HeldFilter{Feed: id, Limit: 1 << 20})
		if err != nil {
			return nil, err
		}
		together := map[time.Time]int{}
		for _, h := range held {
			together[h.Decision.At]++
		}
		var entries []feedonce.EntryID
		for i := len(held) - 1; i >= 0; i-- {
			quiet := ""
			if together[held[i].Decision.At] > manyAtOnce {
				quiet = dedup.QuietMany
			}
			e, err := f.accept(tx, held[i], by, quiet)
			if err != nil {
				return nil, err
			}
			entries = append(entries, e)
		}
		if err := f.save(tx); err != nil {
			return nil, err
		}
		return entries, f.tell(tx, by)
	})
}

// manyAtOnce is how many items of one document are told one by one when all of them are accepted.
const manyAtOnce = 10

// Reject leaves the held item of a decision out for good: it stays in the log of decisions, and nobody is asked again.
// Errors are those of Accept.
func Reject(ctx context.Context, s *store.Store, decision int64, by By) error {
	return s.Update(ctx, func(tx *store.Tx) error {
		if _, _, err := holdHeld(tx, decision); err != nil {
			return err
		}
		return tx.CloseHeld(decision, store.HeldRejected, 0, by.Who, by.At)
	})
}

// holdHeld reads a held item that is open, and holds its feed.
func holdHeld(tx *store.Tx, decision int64) (store.Held, *feed, error) {
	h, err := tx.HeldItem(decision)
	if err != nil {
		return h, nil, err
	}
	f, err := hold(tx, h.Decision.Feed, false)
	if err != nil {
		return h, nil, err
	}
	if h, err = tx.HeldItem(decision); err != nil { // again, now that nobody else can close it
		return h, nil, err
	}
	if h.State != store.HeldOpen {
		return h, nil, invalid("decision", "must be about an item that is held; that of %d was %s already", decision, h.State)
	}
	return h, f, nil
}

// accept makes an entry of a held item. quiet, if not "", is why it is not told.
func (f *feed) accept(tx *store.Tx, h store.Held, by By, quiet string) (feedonce.EntryID, error) {
	var item dedup.Item
	if err := json.Unmarshal(h.Decision.Arrival, &item); err != nil {
		return 0, fmt.Errorf("arrival of decision %d: %w", h.Decision.ID, err)
	}
	n, err := f.admit(tx, item, h.Decision)
	if err != nil {
		return 0, err
	}
	if n.is == 0 {
		feed, err := tx.Feed(f.id)
		if err != nil {
			return 0, err
		}
		if quiet == "" {
			quiet = dedup.QuietAlone(item, h.Decision.At, feed.FirstOK.Equal(h.Decision.At), f.state)
		}
		if err := f.create(tx, feed, n, "U3", quiet, dedup.Evidence{Note: by.note("accepted by %s")}, by); err != nil {
			return 0, err
		}
	}
	return n.is, tx.CloseHeld(h.Decision.ID, store.HeldAccepted, n.is, by.Who, by.At)
}

// note is a sentence about who did something.
func (by By) note(format string) string {
	who := by.Who
	if who == "" {
		who = "a person"
	}
	return fmt.Sprintf(format, who)
}
