package store

import (
	"fmt"
	"slices"
	"time"

	"feedonce"
	"feedonce/dedup"
)

// Lead says which article of a story leads: the one that a person chose (ChooseLead), as long as it is in the story; else
// one of a preferred feed if there is one, else as By says.
type Lead struct {
	By        dedup.Lead
	Preferred []feedonce.FeedID
	Anew      bool // as if no person had chosen
}

// lead says which member leads. sizes are those of the members' texts.
func (s *Story) lead(l Lead, sizes map[feedonce.EntryID]int64) {
	s.Lead = chooseLead(s.Members, l, sizes)
	if l.Anew {
		return
	}
	for i, m := range s.Members {
		if !m.About && m.Led.After(s.Chosen) {
			s.Lead, s.Chosen = i, m.Led
		}
	}
}

// chooseLead chooses among the members that are not just about the others.
func chooseLead(members []StoryMember, lead Lead, sizes map[feedonce.EntryID]int64) int {
	var items []dedup.StoryItem
	var at []int
	longest := int64(-1)
	for i := range members {
		if m := &members[i]; !m.About {
			longest = max(longest, sizes[m.Entry.ID])
		}
	}
	for i := range members {
		m := &members[i]
		if m.About {
			continue
		}
		it := dedup.StoryItem{Entry: dedup.EntryID(m.Entry.ID), Feed: int64(m.Entry.Feed)}
		if sizes[m.Entry.ID] == longest {
			it.Item.Content = "x" // all that counts is which is longest
		}
		items, at = append(items, it), append(at, i)
	}
	if len(items) == 0 {
		return 0
	}
	return at[dedup.ChooseLead(items, lead.By, func(feed int64) bool { return slices.Contains(lead.Preferred, feedonce.FeedID(feed)) })]
}

// ChooseLead makes an entry lead its story, in the place of any that was chosen before, until it leaves the story; 0 is
// none: what is asked for with Lead says so again. Stories must be locked, and the entry be a member.
func (tx *Tx) ChooseLead(story int64, entry feedonce.EntryID, now time.Time) error {
	if _, err := tx.Exec(`update story_members set lead_at = case when entry_id = $2 then cast($3 as bigint) end
		where story_id = $1 and (entry_id = $2 or lead_at is not null)`, story, entry, now.UnixMicro()); err != nil {
		return fmt.Errorf("choose the lead of story %d: %w", story, err)
	}
	return nil
}
