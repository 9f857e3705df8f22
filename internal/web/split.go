package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"feedonce"
	"feedonce/dedup"
	"feedonce/internal/amend"
	"feedonce/internal/store"
)

// confirmSplit asks whether a decision was wrong.
func (s *server) confirmSplit(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	return s.confirm(w, r, "decisions", func(tx *store.Tx, p *confirmPage) error {
		d, err := tx.Decision(id)
		if err != nil {
			return err
		}
		p.Heading, p.Button, p.Action = "Not a duplicate?", "They are two articles", decisionPath(id)+"/split"
		title := shortTitle(d.Title)
		switch dedup.Outcome(d.Outcome) {
		case dedup.Duplicate:
			p.Says = append(p.Says, fmt.Sprintf("What came on %s, %s, becomes an article of its own. It is unread, and destinations are told of it as of any new article.", s.stamp(d.At), title))
		case dedup.Updated:
			p.Heading, p.Button = "Not an update?", "They are two articles"
			p.Says = append(p.Says, fmt.Sprintf("The version that came on %s, %s, becomes an article of its own, and this article gets the version back that it had before. The new one is unread, and destinations are told of it.", s.stamp(d.At), title))
		default:
			return &feedonce.InvalidError{Field: "the decision", Reason: "took nothing for something else, so there is nothing to split"}
		}
		entry, err := tx.Entry(d.Entry)
		if err != nil {
			return err
		}
		if entry.MergedInto != 0 {
			if entry, err = tx.Entry(entry.MergedInto); err != nil {
				return err
			}
		}
		if p.Articles, err = s.briefs(tx, entry.ID); err != nil {
			return err
		}
		p.Back = entryPath(entry.ID)
		said, err := s.told(tx, entry.ID)
		if err != nil {
			return err
		}
		p.Says = append(p.Says, said, "It is remembered for good: no rule takes one of the two for the other again. You can undo it.")
		again, err := s.reversedBefore(tx, d)
		if again != "" {
			p.Says = append(p.Says, again)
		}
		return err
	})
}

// reversedBefore says what a second reversal of one rule in one feed does.
func (s *server) reversedBefore(tx *store.Tx, d feedonce.Decision) (string, error) {
	rule := dedup.RuleByID(dedup.RuleID(d.Rule))
	f, err := tx.Feed(d.Feed)
	if err != nil || !rule.Folds() || strings.Contains(f.Policy, `"`+d.Rule+`"`) {
		return "", err
	}
	before, err := tx.Amendments(store.AmendmentFilter{Feed: d.Feed, Kinds: []store.AmendmentKind{store.AmendSplit}, Rule: d.Rule, Holds: true, Limit: 1})
	if err != nil || len(before) == 0 {
		return "", err
	}
	return fmt.Sprintf("Rule %s (%s) was wrong in this feed once before. It folds nothing here any more then, and only raises suspicion.", rule.ID, rule.Name), nil
}

func (s *server) split(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	am, err := amend.Split(r.Context(), s.Store, id, s.by(r))
	if errors.Is(err, feedonce.ErrExists) {
		return &feedonce.InvalidError{Field: "this arrival", Reason: "was made an article of its own already"}
	}
	if err != nil {
		return err
	}
	seeChange(w, r, am.B, am)
	return nil
}

// confirmUndo asks whether a change is to be taken back.
func (s *server) confirmUndo(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	return s.confirm(w, r, "articles", func(tx *store.Tx, p *confirmPage) error {
		am, err := tx.Amendment(id)
		if err != nil {
			return err
		}
		if !am.Undone.IsZero() {
			return &feedonce.InvalidError{Field: "this change", Reason: "was taken back already, on " + s.stamp(am.Undone)}
		}
		p.Heading, p.Button, p.Action, p.Back = "Take this back?", "Take it back", changePath(id)+"/undo", entryPath(am.A)
		ids := []feedonce.EntryID{am.A}
		switch am.Kind {
		case store.AmendSplit:
			ids = append(ids, am.B)
			p.Says = append(p.Says, fmt.Sprintf("Article %d becomes part of article %d again. What is known of both since is kept, and what was not sent of article %d is not sent any more.", am.B, am.A, am.B))
		case store.AmendMerge:
			ids = append(ids, am.B)
			p.Says = append(p.Says, fmt.Sprintf("Article %d becomes an article of its own again, with its own identities and versions. An update that came since goes to the one whose item it was.", am.B))
		case store.AmendJoin:
			ids = append(ids, am.B)
			p.Says = append(p.Says, fmt.Sprintf("Articles %d and %d are no longer one story because of what was said.", am.A, am.B))
		case store.AmendLeave:
			p.Says = append(p.Says, fmt.Sprintf("Article %d goes back into the story it left.", am.A))
		default:
			return &feedonce.InvalidError{Field: "this change", Reason: "is one of a feed's policy, which is changed back on the page of the feed"}
		}
		if p.Articles, err = s.briefs(tx, ids...); err != nil {
			return err
		}
		for _, id := range ids {
			said, err := s.told(tx, id)
			if err != nil {
				return err
			}
			p.Says = append(p.Says, said)
		}
		return nil
	})
}

func (s *server) undo(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "id")
	if err != nil {
		return err
	}
	am, err := amend.Undo(r.Context(), s.Store, id, s.by(r))
	if err != nil {
		return err
	}
	if r.PostFormValue("back") == "review" {
		q := url.Values{"change": {strconv.FormatInt(am.ID, 10)}}
		if from, err := parsePlace(r.PostFormValue("from")); err == nil && from != (place{}) {
			q.Set("from", from.String())
		}
		http.Redirect(w, r, "/review?"+q.Encode(), http.StatusSeeOther)
		return nil
	}
	seeChange(w, r, am.A, am)
	return nil
}

// shortTitle is a stranger's title within a sentence.
func shortTitle(title string) string {
	title = strings.Join(strings.Fields(title), " ")
	if title == "" {
		return "without a title"
	}
	return "“\u2068" + clip(strings.Map(withoutBidi, title), 120) + "\u2069”"
}

// withoutBidi drops the characters that would change the direction of a sentence in which a title stands.
func withoutBidi(r rune) rune {
	if r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
		return -1
	}
	return r
}

func notFoundIsNothing(err error) error {
	if errors.Is(err, feedonce.ErrNotFound) {
		return nil
	}
	return err
}
