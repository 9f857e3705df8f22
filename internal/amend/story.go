package amend

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"feedonce"
	"feedonce/internal/store"
)

// Leave takes an entry out of its story, for good. ErrNotFound where it is in none.
func Leave(ctx context.Context, s *store.Store, entry feedonce.EntryID, by By) (store.Amendment, error) {
	return update(ctx, s, func(tx *store.Tx) (am store.Amendment, err error) {
		e, err := tx.Entry(entry)
		if err != nil {
			return am, err
		}
		if err := tx.LockStories(); err != nil {
			return am, err
		}
		story, err := tx.StoryOf(entry)
		if err != nil {
			return am, err
		}
		b4 := before{}
		if b4.Stories, err = tx.Memberships(story); err != nil {
			return am, err
		}
		if err := tx.DropMemberships(story, entry); err != nil {
			return am, err
		}
		if err := settle(tx, b4.Stories, entry); err != nil {
			return am, err
		}
		if err := tx.UnreadNew([]feedonce.EntryID{entry}); err != nil { // also for those who read it as another one
			return am, err
		}
		am = store.Amendment{Kind: store.AmendLeave, Feed: e.Feed, A: entry, At: by.At, Who: by.Who,
			Note: by.note(fmt.Sprintf("%%s said that entry %d is not of story %d", entry, story))}
		for _, m := range b4.Stories {
			if m.Entry == entry {
				am.Rule, am.B = m.Rule, m.Joined
			}
		}
		if am.Before, err = b4.json(); err != nil {
			return am, err
		}
		am.ID, err = tx.AddAmendment(am)
		return am, err
	})
}

// Lead makes an entry the one that is shown first of its story, until it leaves the story or another is chosen; 0 is none:
// how a story is asked for says so again. It contradicts no decision, so it is no amendment, and choosing again takes it
// back. ErrNotFound where there is no such story, *feedonce.InvalidError where the entry is not in it, or only points to the
// others.
func Lead(ctx context.Context, s *store.Store, story int64, entry feedonce.EntryID, by By) error {
	return s.Update(ctx, func(tx *store.Tx) error {
		if err := tx.LockStories(); err != nil {
			return err
		}
		members, err := tx.Memberships(story)
		if err != nil {
			return err
		}
		if len(members) == 0 {
			return fmt.Errorf("story %d: %w", story, feedonce.ErrNotFound)
		}
		if entry != 0 {
			switch i := slices.IndexFunc(members, func(m store.Membership) bool { return m.Entry == entry }); {
			case i < 0:
				return invalid("entry", "must be in the story, and %d is not in story %d", entry, story)
			case members[i].About:
				return invalid("entry", "must be the article itself, and %d only points to the others of story %d", entry, story)
			}
		}
		return tx.ChooseLead(story, entry, by.At)
	})
}

// join makes entries of two feeds one story, and their stories one.
func join(tx *store.Tx, a, b store.Whole, by By) (am store.Amendment, err error) {
	if err := tx.LockStories(); err != nil {
		return am, err
	}
	sa, err := storyOf(tx, a.ID())
	if err != nil {
		return am, err
	}
	sb, err := storyOf(tx, b.ID())
	if err != nil {
		return am, err
	}
	if sa != 0 && sa == sb {
		return am, invalid("entries", "must be in two stories; %d and %d are in one already", a.ID(), b.ID())
	}
	b4 := before{}
	var rows []store.Membership
	for _, story := range []int64{sa, sb} {
		if story == 0 {
			continue
		}
		had, err := tx.Memberships(story)
		if err != nil {
			return am, err
		}
		b4.Stories = append(b4.Stories, had...)
	}
	target := sa
	if target == 0 {
		target = sb
	}
	if target == 0 {
		target = -1
	}
	for _, m := range b4.Stories {
		if m.Story != target {
			m.Story = target
			rows = append(rows, m)
		}
	}
	for _, w := range []store.Whole{a, b} {
		if slices.ContainsFunc(b4.Stories, func(m store.Membership) bool { return m.Entry == w.ID() }) {
			continue
		}
		told, err := tx.WasTold(w.ID())
		if err != nil {
			return am, err
		}
		m := store.Membership{Story: target, Entry: w.ID(), Feed: w.Feed, At: w.Entry.FirstSeen, Told: told}
		if target != -1 || w.ID() == b.ID() {
			m.Rule, m.At = "U2", by.At
			m.Joined = a.ID() + b.ID() - w.ID() // the other one
		}
		rows = append(rows, m)
	}
	if err := tx.AddMemberships(rows, by.At); err != nil {
		return am, err
	}
	if sa != 0 && sb != 0 {
		if err := tx.DropMemberships(sb); err != nil {
			return am, err
		}
	}
	if err := tx.SettleStory(a.ID(), b.ID()); err != nil {
		return am, err
	}
	am = store.Amendment{Kind: store.AmendJoin, Feed: a.Feed, A: a.ID(), B: b.ID(), At: by.At, Who: by.Who, Rule: "U2",
		Note: by.note(fmt.Sprintf("%%s said that entries %d and %d, of two feeds, are one story", a.ID(), b.ID()))}
	if am.Before, err = b4.json(); err != nil {
		return am, err
	}
	am.ID, err = tx.AddAmendment(am)
	return am, err
}

// storyOf returns the story of an entry, 0 where it is in none.
func storyOf(tx *store.Tx, id feedonce.EntryID) (int64, error) {
	story, err := tx.StoryOf(id)
	if errors.Is(err, feedonce.ErrNotFound) {
		return 0, nil
	}
	return story, err
}

// foldStories gives entry a the place of b in its story, where a is in none, and returns all rows of the stories of both
// as they were.
func foldStories(tx *store.Tx, a, b feedonce.EntryID, by By) (had []store.Membership, err error) {
	if err := tx.LockStories(); err != nil {
		return nil, err
	}
	sb, err := storyOf(tx, b)
	if err != nil || sb == 0 {
		return nil, err
	}
	sa, err := storyOf(tx, a)
	if err != nil {
		return nil, err
	}
	if had, err = tx.Memberships(sb); err != nil {
		return nil, err
	}
	row := func(id feedonce.EntryID) store.Membership {
		return had[slices.IndexFunc(had, func(m store.Membership) bool { return m.Entry == id })]
	}
	m := row(b)
	switch {
	case sa == 0:
		m.Entry = a
	case sa == sb && !m.Led.IsZero(): // what is part of a now led
		led := m.Led
		m = row(a)
		m.Led = led
	default:
		return had, tx.DropMemberships(sb, b)
	}
	if err := tx.AddMemberships([]store.Membership{m}, by.At); err != nil {
		return nil, err
	}
	return had, tx.DropMemberships(sb, b)
}

// restoreStories puts rows back as they were: those of the entries named wherever they are now, and those of others that
// are in no story. A lead that was chosen since is kept. What is no story then, with fewer than two members, is removed.
func restoreStories(tx *store.Tx, rows []store.Membership, by By, named ...feedonce.EntryID) error {
	if err := tx.LockStories(); err != nil {
		return err
	}
	led, err := ledSince(tx, rows)
	if err != nil {
		return err
	}
	left := map[int64]bool{}
	for _, id := range named {
		story, err := storyOf(tx, id)
		if err != nil {
			return err
		}
		if story != 0 {
			left[story] = true
			if err := tx.TakeMembership(story, id); err != nil {
				return err
			}
		}
	}
	var back []store.Membership
	for _, m := range rows {
		e, err := tx.Entry(m.Entry)
		switch {
		case errors.Is(err, feedonce.ErrNotFound) || err == nil && e.MergedInto != 0:
			continue // its feed was removed, or it is part of another entry now
		case err != nil:
			return err
		}
		story, err := storyOf(tx, m.Entry)
		if err != nil {
			return err
		}
		if story == 0 || slices.Contains(named, m.Entry) || movedBy(rows, left, story, m) {
			left[story] = true
			if since, ok := led[m.Entry]; ok {
				m.Led = since
			}
			back = append(back, m)
		}
	}
	if err := tx.AddMemberships(back, by.At); err != nil {
		return err
	}
	delete(left, 0)
	for _, m := range back {
		left[m.Story] = true
	}
	for story := range left {
		if err := tx.DropMemberships(story); err != nil {
			return err
		}
	}
	return settle(tx, rows, named...)
}

// settle makes what is unread agree with the stories that members of one and others are in now.
func settle(tx *store.Tx, rows []store.Membership, others ...feedonce.EntryID) error {
	for _, m := range rows {
		if !slices.Contains(others, m.Entry) {
			others = append(others, m.Entry)
		}
	}
	return tx.SettleStory(others...)
}

// ledSince says which entries people chose since to lead the stories in which the entries of rows are now, and when.
func ledSince(tx *store.Tx, rows []store.Membership) (map[feedonce.EntryID]time.Time, error) {
	led := map[feedonce.EntryID]time.Time{}
	seen := map[int64]bool{0: true}
	var latest time.Time // that was known before: an entry may have it from the one that became part of it
	for _, m := range rows {
		if m.Led.After(latest) {
			latest = m.Led
		}
	}
	for _, m := range rows {
		story, err := storyOf(tx, m.Entry)
		if err != nil {
			return nil, err
		}
		if seen[story] {
			continue
		}
		seen[story] = true
		now, err := tx.Memberships(story)
		if err != nil {
			return nil, err
		}
		for _, m := range now {
			if m.Led.After(latest) {
				led[m.Entry] = m.Led
			}
		}
	}
	return led, nil
}

// movedBy reports whether a row is in another story than it was because the change that is undone put it there.
func movedBy(rows []store.Membership, left map[int64]bool, story int64, m store.Membership) bool {
	return left[story] && story != m.Story && slices.ContainsFunc(rows, func(r store.Membership) bool { return r.Story == story })
}
