package web

import (
	"fmt"
	"slices"
	"strings"

	"feedonce"
	"feedonce/internal/explain"
	"feedonce/internal/store"
)

// said is what became of an article in sentences, and what people may say of it.
type said struct {
	Into       *brief // what is shown in its place
	Summary    []string
	Amendments []saidRow // oldest first
	Story      []memberRow
	CanLead    bool // it may be shown first, and is not because a person chose it
	CanForget  bool // it is shown first because a person chose it
	Edits      []editRow
}

// An editRow is what a version changed.
type editRow struct {
	Revision int // of the version
	At       moment
	Before   int // the version that it replaced
	Title    string
	Fields   []explain.FieldChange
}

type saidRow struct {
	ID   int64
	Says string
	Undo string // address; "" where it does not hold any more or cannot be taken back
}

type memberRow struct {
	brief
	Here, Lead, Chosen, About bool
}

// said puts all that is known of an article into words; to a reader (0: everybody) nothing of feeds that they do not follow.
func (s *server) said(tx *store.Tx, reader feedonce.UserID, id feedonce.EntryID) (said, error) {
	a, err := explain.Of(tx, id)
	if err != nil {
		return said{}, err
	}
	if reader != 0 {
		feeds, err := subscribed(tx, reader)
		if err != nil {
			return said{}, err
		}
		a.Keep(func(id feedonce.FeedID) bool { return slices.Contains(feeds, id) })
	}
	var out said
	out.Summary = a.Summary(s.stamp)
	// The sentences about what people did come last, one for each.
	sentences := out.Summary[len(out.Summary)-len(a.Amendments):]
	out.Summary = out.Summary[:len(out.Summary)-len(a.Amendments)]
	for _, c := range slices.Backward(a.Changes) {
		out.Edits = append(out.Edits, editRow{c.Revision, s.at(c.At), c.Before.Revision, c.Before.Title, c.Fields})
	}
	for i, m := range a.Amendments {
		row := saidRow{ID: m.ID, Says: strings.Replace(sentences[i], fmt.Sprintf(" (change %d)", m.ID), "", 1)}
		if m.Undone.IsZero() && slices.Contains([]store.AmendmentKind{store.AmendSplit, store.AmendMerge, store.AmendJoin, store.AmendLeave}, m.Kind) {
			row.Undo = changePath(m.ID) + "/undo"
		}
		out.Amendments = append(out.Amendments, row)
	}
	if into := a.Entry.MergedInto; into != 0 {
		all, err := s.briefs(tx, into)
		if notFoundIsNothing(err) != nil {
			return out, err
		}
		if len(all) > 0 {
			out.Into = &all[0]
		}
	}
	if a.Story == nil {
		return out, nil
	}
	for i, m := range a.Story.Members {
		row := memberRow{brief: s.memberBrief(m), Here: m.Entry.ID == id, About: m.About, Lead: i == a.Story.Lead}
		row.Chosen = row.Lead && !a.Story.Chosen.IsZero()
		out.Story = append(out.Story, row)
		if row.Here {
			out.CanForget = row.Chosen
			out.CanLead = !m.About && !row.Chosen
		}
	}
	return out, nil
}
